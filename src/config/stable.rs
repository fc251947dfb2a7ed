//! Short identifiers of values, the same in every VM, on every platform and in every run.

use std::hash::{Hash, Hasher};

use sha2::{Digest, Sha256};

/// The first 16 hexadecimal digits of the SHA-256 of a value.
pub(super) fn id(value: &impl Hash) -> String {
    let mut hasher = Stable(Sha256::new());
    value.hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

/// Feeds what `#[derive(Hash)]` yields to SHA-256, numbers as 64 bits little-endian so that the
/// width of `usize` does not matter.
struct Stable(Sha256);

impl Hasher for Stable {
    fn write(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn write_u32(&mut self, number: u32) {
        self.write_u64(u64::from(number));
    }

    fn write_u64(&mut self, number: u64) {
        self.write(&number.to_le_bytes());
    }

    fn write_usize(&mut self, number: usize) {
        self.write_u64(number as u64);
    }

    fn write_isize(&mut self, number: isize) {
        self.write((number as i64).to_le_bytes().as_slice());
    }

    fn finish(&self) -> u64 {
        let digest = self.0.clone().finalize();
        digest.iter().take(8).fold(0, |id, &byte| id << 8 | u64::from(byte))
    }
}
