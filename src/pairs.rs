//! Serialized maps of the Proxy-Wasm ABI: how hosts hand over header maps and properties of map type.
//!
//! A count, the length of every key and value, then keys and values, each followed by a zero byte. All
//! numbers are 32 bits, little-endian.

use std::ops::Range;

/// The places of keys and values, in order.
#[derive(Debug, Clone, Default)]
pub struct Places<'b> {
    lengths: std::slice::Iter<'b, [[u8; 4]; 2]>,
    at: usize,
}

/// The places of all keys and values, in order. `None` for bytes of another form.
pub fn places(bytes: &[u8]) -> Option<Places<'_>> {
    let all = Places::new(bytes)?;
    let mut rest = all.clone();
    for (key, value) in rest.by_ref() {
        if !(is_closed(bytes, &key) && is_closed(bytes, &value)) {
            return None;
        }
    }
    (rest.at == bytes.len()).then_some(all)
}

/// Whether a text is followed by a zero byte.
fn is_closed(bytes: &[u8], text: &Range<usize>) -> bool {
    text.start <= text.end && matches!(bytes.get(text.end), Some(0))
}

impl<'b> Places<'b> {
    /// The places in bytes of which [`places`] is known to find some.
    pub fn new(bytes: &'b [u8]) -> Option<Self> {
        let (&count, rest) = bytes.split_first_chunk::<4>()?;
        let lengths = rest.get(..size(count).checked_mul(8)?)?;
        let at = 4 + lengths.len();
        Some(Self { lengths: lengths.as_chunks().0.as_chunks().0.iter(), at })
    }
}

impl Iterator for Places<'_> {
    type Item = (Range<usize>, Range<usize>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let &[key, value] = self.lengths.next()?;
        let start = self.at;
        let end = start.wrapping_add(size(key));
        let value_start = end.wrapping_add(1);
        let value_end = value_start.wrapping_add(size(value));
        self.at = value_end.wrapping_add(1);
        Some((start..end, value_start..value_end))
    }
}

#[inline]
fn size(bytes: [u8; 4]) -> usize {
    u32::from_le_bytes(bytes) as usize
}

/// The serialized map of these keys and values. None is longer than 4 GiB.
pub fn serialize<'p>(pairs: impl Iterator<Item = (&'p str, &'p [u8])> + Clone) -> Vec<u8> {
    let number = |length: usize| u32::try_from(length).unwrap_or(u32::MAX).to_le_bytes();
    let sizes = pairs.clone().map(|(key, value)| key.len() + value.len() + 10);
    let mut bytes = Vec::with_capacity(4 + sizes.sum::<usize>());
    bytes.extend(number(pairs.clone().count()));
    for (key, value) in pairs.clone() {
        bytes.extend(number(key.len()));
        bytes.extend(number(value.len()));
    }
    for (key, value) in pairs {
        bytes.extend_from_slice(key.as_bytes());
        bytes.push(0);
        bytes.extend_from_slice(value);
        bytes.push(0);
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn serialized(pairs: &[(&str, &str)]) -> Vec<u8> {
        serialize(pairs.iter().map(|&(key, value)| (key, value.as_bytes())))
    }

    #[test]
    fn keys_and_values_are_found() {
        let bytes = serialized(&[("a", "bc"), ("", ""), ("d", "")]);
        let texts = places(&bytes).unwrap().map(|(key, value)| {
            (String::from_utf8_lossy(&bytes[key]), String::from_utf8_lossy(&bytes[value]))
        });
        let expected = [("a", "bc"), ("", ""), ("d", "")];
        assert!(texts.eq(expected.map(|(key, value)| (key.into(), value.into()))));
        assert_eq!(places(&serialized(&[])).unwrap().count(), 0);
    }

    #[test]
    fn bytes_of_another_form_are_nothing() {
        let bytes = serialized(&[("a", "bc"), ("d", "e")]);
        for length in 0..bytes.len() {
            assert!(places(&bytes[..length]).is_none(), "{length}");
        }
        assert!(places(&[&bytes[..], b"x"].concat()).is_none());
        assert!(places(&[255; 64]).is_none());
    }
}
