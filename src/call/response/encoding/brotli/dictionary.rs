//! The static dictionary and its transforms (RFC 7932 §8).

/// Binary logarithm of how many words there are of each length; 0 for none.
const WORDS: &[u8; 25] =
    &[0, 0, 0, 0, 10, 10, 11, 11, 10, 10, 10, 10, 10, 9, 9, 8, 7, 7, 8, 7, 7, 6, 6, 5, 5];
const WORDS_SIZE: usize = 122_784;
const TEXTS_SIZE: usize = 208;

/// The tables of the appendices.
pub(super) struct Dictionary<'t> {
    words: &'t [u8],
    /// Prefixes and suffixes, each ended with a zero byte.
    texts: &'t [u8],
    /// Triples: place of the prefix, change, place of the suffix.
    transforms: &'t [u8],
}

impl<'t> Dictionary<'t> {
    pub(super) fn new(tables: &'t [u8]) -> Self {
        let (words, rest) = tables.split_at_checked(WORDS_SIZE).unwrap_or_default();
        let (texts, transforms) = rest.split_at_checked(TEXTS_SIZE).unwrap_or_default();
        Self { words, texts, transforms }
    }

    /// A word of the dictionary, transformed as its number says.
    pub(super) fn word(&self, length: usize, number: usize) -> Option<Vec<u8>> {
        let exponent = *WORDS.get(length).filter(|exponent| **exponent > 0)?;
        let shorter = WORDS.iter().enumerate().take(length).filter(|(_, exponent)| **exponent > 0);
        let start: usize = shorter.map(|(length, exponent)| length << exponent).sum();
        let start = start + length * (number & ((1 << exponent) - 1));
        let word = self.words.get(start..start + length)?;
        let at = 3 * (number >> exponent);
        let [prefix, change, suffix] = self.transforms.get(at..at + 3)? else { return None };
        let mut out = self.text(*prefix)?.to_vec();
        let from = out.len();
        out.extend_from_slice(cut(word, usize::from(*change)));
        match change {
            10 => drop(raise(out.get_mut(from..)?)),
            11 => {
                let mut at = from;
                while let Some(rest) = out.get_mut(at..).filter(|rest| !rest.is_empty()) {
                    at += raise(rest);
                }
            }
            _ => {}
        }
        out.extend_from_slice(self.text(*suffix)?);
        Some(out)
    }

    fn text(&self, at: u8) -> Option<&'t [u8]> {
        self.texts.get(usize::from(at)..)?.split(|byte| *byte == 0).next()
    }
}

/// A word without its first or last bytes.
fn cut(word: &[u8], change: usize) -> &[u8] {
    match change {
        1..=9 => word.get(..word.len().saturating_sub(change)),
        12..=20 => word.get(change - 11..),
        _ => Some(word),
    }
    .unwrap_or_default()
}

/// Makes the first character upper case, in the simple way of the format; returns its length.
fn raise(text: &mut [u8]) -> usize {
    match text {
        [first @ b'a'..=b'z', ..] => {
            *first ^= 32;
            1
        }
        [192..224, second, ..] => {
            *second ^= 32;
            2
        }
        [224..=255, _, third, ..] => {
            *third ^= 5;
            3
        }
        [192..224, ..] => 2,
        [224..=255, ..] => 3,
        _ => 1,
    }
}
