//! A table in shared data with a fixed number of keys.
//!
//! An entry has a bucket, chosen by the digest of its key, and lies in one of the bucket's slots.
//! When all are taken, one makes room: one that was not used for too long, else the least recently
//! used one of the owner who holds most of the bucket. So one owner can take an equal share from the
//! others, never all they have.

use sha2::{Digest, Sha256};

use crate::config;
use crate::store::Store;

/// Slots in a bucket.
const WAYS: u64 = 16;
/// Attempts of one change before it is given up. In each that fails, another writer succeeded.
const ATTEMPTS: usize = 24;
/// What every entry starts with; the last byte is the version of the form.
const MAGIC: &[u8; 4] = b"omf\x01";

/// A table of entries that are forgotten when nobody uses them.
#[derive(Debug, Clone)]
pub struct Slots {
    prefix: String,
    buckets: u64,
    ways: u64,
    /// Milliseconds that an unused entry is kept.
    ttl: u64,
}

/// What an entry is found by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    owner: [u8; 8],
    text: String,
    digest: u64,
}

/// What becomes of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// It stays as it is.
    Keep,
    /// This is its value from now on.
    Put(Vec<u8>),
    /// It is removed.
    Drop,
}

/// Too many others changed the entry, or its bucket, at the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Busy;

impl Key {
    /// The key of something that `owner` has. `text` alone makes keys equal: it names the owner, too.
    pub fn new(owner: &str, text: String) -> Self {
        let digest = u64::from_be_bytes(start(&Sha256::digest(text.as_bytes())));
        Self { owner: start(&Sha256::digest(owner.as_bytes())), text, digest }
    }
}

fn start(digest: &[u8]) -> [u8; 8] {
    digest.first_chunk().copied().unwrap_or_default()
}

/// Where an entry is or can be.
struct Place {
    slot: String,
    cas: Option<u32>,
    /// The value, when the entry is there.
    value: Option<Vec<u8>>,
}

/// An entry of somebody in the way of a new one.
struct Taken {
    slot: String,
    cas: Option<u32>,
    owner: [u8; 8],
    used: u64,
}

impl Slots {
    /// A table for at most `count` entries (rounded up to a whole number of buckets), each kept for
    /// `ttl` milliseconds after its last use.
    pub fn new(place: &config::Store, name: &str, count: usize, ttl: u64) -> Self {
        let count = (count as u64).max(1);
        let ways = count.min(WAYS);
        let prefix = place.key(&["openapi-mcp/", name, "/"].concat());
        Self { prefix, buckets: count.div_ceil(ways), ways, ttl }
    }

    /// The value of an entry, if it is there. This is not a use.
    pub fn get(&self, store: &dyn Store, key: &Key, now: u64) -> Option<Vec<u8>> {
        self.slots(key).find_map(|slot| {
            let (bytes, _) = store.get(&slot);
            let entry = bytes?;
            let entry = Entry::read(&entry, &slot)?;
            (self.is_alive(&entry, now) && entry.key == key.text).then(|| entry.value.to_vec())
        })
    }

    /// Changes an entry by compare-and-swap. `change` gets the value, if there is one, and is called
    /// again when another writer was faster.
    ///
    /// # Errors
    /// Other writers were faster every time; nothing was changed.
    pub fn update(
        &self,
        store: &dyn Store,
        key: &Key,
        now: u64,
        mut change: impl FnMut(Option<&[u8]>) -> Change,
    ) -> Result<(), Busy> {
        self.update_with(store, key, now, &mut change)
    }

    fn update_with(
        &self,
        store: &dyn Store,
        key: &Key,
        now: u64,
        change: &mut dyn FnMut(Option<&[u8]>) -> Change,
    ) -> Result<(), Busy> {
        for _ in 0..ATTEMPTS {
            let place = self.find(store, key, now);
            let value = match change(place.value.as_deref()) {
                Change::Keep => return Ok(()),
                Change::Drop if place.value.is_none() => return Ok(()),
                Change::Drop => Vec::new(),
                Change::Put(value) => {
                    Entry { used: now, owner: key.owner, key: &key.text, value: &value }.write()
                }
            };
            if store.set(&place.slot, &value, place.cas).is_ok()
                && (place.value.is_some() || self.is_only(store, key, &place.slot, &value))
            {
                return Ok(());
            }
        }
        Err(Busy)
    }

    /// Empties up to `count` slots from number `from` on whose entries nobody uses any more; returns
    /// where to go on.
    pub fn sweep(&self, store: &dyn Store, now: u64, from: u64, count: u64) -> u64 {
        let total = self.buckets * self.ways;
        for number in from..from.saturating_add(count).min(total) {
            let slot = self.slot(number);
            let (Some(bytes), cas) = store.get(&slot) else { continue };
            if Entry::read(&bytes, &slot).is_none_or(|entry| !self.is_alive(&entry, now)) {
                let _ = store.set(&slot, &[], cas);
            }
        }
        let next = from.saturating_add(count);
        if next < total { next } else { 0 }
    }

    /// The entry, or the slot that a new one is to take.
    fn find(&self, store: &dyn Store, key: &Key, now: u64) -> Place {
        let mut free = None;
        let mut taken = Vec::new();
        for slot in self.slots(key) {
            let (bytes, cas) = store.get(&slot);
            let entry = bytes.as_deref().and_then(|bytes| Entry::read(bytes, &slot));
            match entry.filter(|entry| self.is_alive(entry, now)) {
                Some(entry) if entry.key == key.text => {
                    let value = Some(entry.value.to_vec());
                    return Place { slot, cas, value };
                }
                Some(Entry { owner, used, .. }) => taken.push(Taken { slot, cas, owner, used }),
                None if free.is_none() => free = Some(Place { slot, cas, value: None }),
                None => {}
            }
        }
        free.or_else(|| evicted(taken, key.owner)).unwrap_or_else(|| Place {
            slot: self.slot(0),
            cas: None,
            value: None,
        })
    }

    /// Whether no other slot has the entry that was just made. If one has, the new one is given up.
    fn is_only(&self, store: &dyn Store, key: &Key, own: &str, written: &[u8]) -> bool {
        let elsewhere = self.slots(key).filter(|slot| slot != own).any(|slot| {
            let (bytes, _) = store.get(&slot);
            bytes.is_some_and(|it| Entry::read(&it, &slot).is_some_and(|it| it.key == key.text))
        });
        if elsewhere
            && let (Some(bytes), cas) = store.get(own)
            && bytes == written
        {
            let _ = store.set(own, &[], cas);
        }
        !elsewhere
    }

    fn is_alive(&self, entry: &Entry<'_>, now: u64) -> bool {
        now.saturating_sub(entry.used) < self.ttl
    }

    /// The slots that may hold an entry; most are found in the first.
    fn slots(&self, key: &Key) -> impl Iterator<Item = String> {
        let bucket = (key.digest % self.buckets) * self.ways;
        let first = key.digest / self.buckets;
        (0..self.ways).map(move |way| self.slot(bucket + first.wrapping_add(way) % self.ways))
    }

    fn slot(&self, number: u64) -> String {
        [&self.prefix, number.to_string().as_str()].concat()
    }
}

/// The entry that makes room: the least recently used one of the owner who holds most, which is
/// `newcomer` when that holds as many as anybody.
fn evicted(taken: Vec<Taken>, newcomer: [u8; 8]) -> Option<Place> {
    let held = |owner: [u8; 8]| taken.iter().filter(|entry| entry.owner == owner).count();
    let most = taken.iter().map(|entry| held(entry.owner)).max()?;
    let own = held(newcomer) == most;
    let gives = |entry: &Taken| {
        if own { entry.owner == newcomer } else { held(entry.owner) == most }
    };
    let (index, _) = taken
        .iter()
        .enumerate()
        .filter(|(_, entry)| gives(entry))
        .min_by_key(|(_, entry)| entry.used)?;
    let Taken { slot, cas, .. } = taken.into_iter().nth(index)?;
    Some(Place { slot, cas, value: None })
}

/// An entry as stored.
struct Entry<'e> {
    used: u64,
    owner: [u8; 8],
    key: &'e str,
    value: &'e [u8],
}

impl<'e> Entry<'e> {
    /// Reads an entry; what is none is reported and counts as absent.
    fn read(bytes: &'e [u8], slot: &str) -> Option<Self> {
        let entry = Self::parse(bytes);
        if entry.is_none() {
            log::warn!("event=foreign_session_dropped key={slot} bytes={}", bytes.len());
        }
        entry
    }

    fn parse(bytes: &'e [u8]) -> Option<Self> {
        let rest = bytes.strip_prefix(MAGIC)?;
        let (used, rest) = rest.split_first_chunk()?;
        let (owner, rest) = rest.split_first_chunk()?;
        let (length, rest) = rest.split_first_chunk()?;
        let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
        let (key, value) = rest.split_at_checked(length)?;
        let key = std::str::from_utf8(key).ok()?;
        Some(Self { used: u64::from_le_bytes(*used), owner: *owner, key, value })
    }

    fn write(&self) -> Vec<u8> {
        let length = u32::try_from(self.key.len()).unwrap_or(u32::MAX);
        [
            MAGIC.as_slice(),
            &self.used.to_le_bytes(),
            &self.owner,
            &length.to_le_bytes(),
            self.key.as_bytes(),
            self.value,
        ]
        .concat()
    }
}

#[cfg(test)]
mod tests;
