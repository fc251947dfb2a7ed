//! SHA-256 digests as lower-case hexadecimal text.

use sha2::{Digest, Sha256};

/// The whole digest, with the name of the algorithm in front: `sha256:` and 64 digits.
pub fn named(bytes: &[u8]) -> String {
    let mut text = "sha256:".to_owned();
    push(&mut text, &Sha256::digest(bytes));
    text
}

/// The first `length` bytes of the digest, two digits each.
pub fn start(bytes: &[u8], length: usize) -> String {
    let digest = Sha256::digest(bytes);
    hexadecimal(digest.get(..length).unwrap_or(&digest))
}

/// Bytes as text, two digits each.
pub fn hexadecimal(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(2 * bytes.len());
    push(&mut text, bytes);
    text
}

fn push(text: &mut String, bytes: &[u8]) {
    for byte in bytes {
        for digit in [byte >> 4, byte & 15] {
            text.extend(char::from_digit(digit.into(), 16));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_hexadecimal() {
        assert_eq!(
            named(b"abc"),
            "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
        assert_eq!(start(b"abc", 4), "ba7816bf");
        assert_eq!(start(b"abc", 99).len(), 64);
    }
}
