//! The port to the host's shared data, and the one way values in it are changed.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// Another writer was faster.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Conflict;

/// Shared data of the host: one key-value store for all VMs with the same `vm_id`.
///
/// Keys are never freed on Envoy, so their number must be bounded.
pub trait Store {
    /// The value with its compare-and-swap number. An absent or empty value is `None`; the number is
    /// needed to write over it all the same.
    fn get(&self, key: &str) -> (Option<Vec<u8>>, Option<u32>);

    /// Writes a value if nobody else has since `cas` was read; with `None`, if the key was never
    /// written.
    fn set(&self, key: &str, value: &[u8], cas: Option<u32>) -> Result<(), Conflict>;
}

/// Attempts of a read-change-write before it is given up until the next tick.
const ATTEMPTS: usize = 8;

/// Reads a JSON value, changes it and writes it back; repeated when another writer was faster.
///
/// `change` returns `None` to leave the value as it is. Returns whether the value was written. A
/// value that is not what we write (foreign, older format) counts as absent.
pub(crate) fn update<T: Serialize + DeserializeOwned>(
    store: &dyn Store,
    key: &str,
    mut change: impl FnMut(Option<T>) -> Option<T>,
) -> bool {
    for _ in 0..ATTEMPTS {
        let (bytes, cas) = store.get(key);
        let current = bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok());
        let Some(next) = change(current) else { return false };
        let Ok(bytes) = serde_json::to_vec(&next) else { return false };
        if store.set(key, &bytes, cas).is_ok() {
            return true;
        }
    }
    false
}

/// Writes a value whatever is there.
pub(crate) fn put(store: &dyn Store, key: &str, value: &[u8]) -> bool {
    (0..ATTEMPTS).any(|_| {
        let (_, cas) = store.get(key);
        store.set(key, value, cas).is_ok()
    })
}

/// Reads a JSON value; a value that is not what we write counts as absent.
pub(crate) fn read<T: DeserializeOwned>(store: &dyn Store, key: &str) -> Option<T> {
    store.get(key).0.and_then(|bytes| serde_json::from_slice(&bytes).ok())
}

#[cfg(test)]
pub(crate) mod memory {
    use std::cell::RefCell;
    use std::collections::BTreeMap;

    use super::{Conflict, Store};

    /// A store with Envoy's rules: `cas` numbers grow process-wide.
    #[derive(Debug, Default)]
    pub(crate) struct MemoryStore {
        values: RefCell<BTreeMap<String, (Vec<u8>, u32)>>,
        next: RefCell<u32>,
    }

    impl MemoryStore {
        /// Number of keys, and bytes of all keys and values.
        pub(crate) fn size(&self) -> (usize, usize) {
            let values = self.values.borrow();
            let bytes = values.iter().map(|(key, (value, _))| key.len() + value.len());
            (values.len(), bytes.sum())
        }
    }

    impl Store for MemoryStore {
        fn get(&self, key: &str) -> (Option<Vec<u8>>, Option<u32>) {
            match self.values.borrow().get(key) {
                Some((value, cas)) if value.is_empty() => (None, Some(*cas)),
                Some((value, cas)) => (Some(value.clone()), Some(*cas)),
                None => (None, None),
            }
        }

        fn set(&self, key: &str, value: &[u8], cas: Option<u32>) -> Result<(), Conflict> {
            let mut values = self.values.borrow_mut();
            if values.get(key).is_some_and(|(_, current)| Some(*current) != cas) {
                return Err(Conflict);
            }
            *self.next.borrow_mut() += 1;
            values.insert(key.to_owned(), (value.to_vec(), *self.next.borrow()));
            Ok(())
        }
    }
}
