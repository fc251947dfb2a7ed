//! Serialized maps of the Proxy-Wasm ABI: how hosts hand over header maps and properties of map type.
//!
//! A count, the length of every key and value, then keys and values, each followed by a zero byte. All
//! numbers are 32 bits, little-endian.

use std::ops::Range;

/// Where a key and its value are in the serialized bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pair {
    /// The key.
    pub key: Range<usize>,
    /// The value.
    pub value: Range<usize>,
}

/// The places of all keys and values, in order. `None` for bytes of another form.
pub fn places(bytes: &[u8]) -> Option<Vec<Pair>> {
    let (count, rest) = bytes.split_first_chunk::<4>()?;
    let lengths = rest.get(..size(*count)?.checked_mul(8)?)?;
    let mut at = 4 + lengths.len();
    let mut pairs = Vec::with_capacity(lengths.len() / 8);
    for lengths in lengths.chunks_exact(8) {
        let (key, value) = lengths.split_first_chunk::<4>()?;
        let key = take(bytes, &mut at, size(*key)?)?;
        let value = take(bytes, &mut at, size(*value.first_chunk::<4>()?)?)?;
        pairs.push(Pair { key, value });
    }
    (at == bytes.len()).then_some(pairs)
}

fn size(bytes: [u8; 4]) -> Option<usize> {
    usize::try_from(u32::from_le_bytes(bytes)).ok()
}

/// The next `length` bytes and the zero byte behind them.
fn take(bytes: &[u8], at: &mut usize, length: usize) -> Option<Range<usize>> {
    let end = at.checked_add(length)?;
    if bytes.get(end) != Some(&0) {
        return None;
    }
    let range = *at..end;
    *at = end + 1;
    Some(range)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn serialized(pairs: &[(&str, &str)]) -> Vec<u8> {
        let number = |length: usize| u32::try_from(length).unwrap().to_le_bytes();
        let mut bytes = number(pairs.len()).to_vec();
        for (key, value) in pairs {
            bytes.extend(number(key.len()).into_iter().chain(number(value.len())));
        }
        for (key, value) in pairs {
            bytes.extend(key.bytes().chain([0]).chain(value.bytes()).chain([0]));
        }
        bytes
    }

    #[test]
    fn keys_and_values_are_found() {
        let bytes = serialized(&[("a", "bc"), ("", ""), ("d", "")]);
        let texts = places(&bytes).unwrap().into_iter().map(|pair| {
            (String::from_utf8_lossy(&bytes[pair.key]), String::from_utf8_lossy(&bytes[pair.value]))
        });
        let expected = [("a", "bc"), ("", ""), ("d", "")];
        assert!(texts.eq(expected.map(|(key, value)| (key.into(), value.into()))));
        assert_eq!(places(&serialized(&[])), Some(Vec::new()));
    }

    #[test]
    fn bytes_of_another_form_are_nothing() {
        let bytes = serialized(&[("a", "bc"), ("d", "e")]);
        for length in 0..bytes.len() {
            assert_eq!(places(&bytes[..length]), None, "{length}");
        }
        assert_eq!(places(&[&bytes[..], b"x"].concat()), None);
        assert_eq!(places(&[255; 64]), None);
    }
}
