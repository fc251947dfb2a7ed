//! The part of the `data-encoding` API that `jsonschema` uses for `contentEncoding` (RFC 4648), with one
//! decoder for all alphabets.

/// An alphabet with its padding.
#[derive(Clone, Copy, Debug)]
pub struct Encoding {
    alphabet: &'static [u8],
    /// Bits of one symbol.
    bits: u32,
    /// Symbols of one block, which padding fills up.
    block: usize,
}

/// Base 64 (§4).
pub static BASE64: Encoding = Encoding {
    alphabet: b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
    bits: 6,
    block: 4,
};
/// Base 64 for URLs (§5).
pub static BASE64URL: Encoding = Encoding {
    alphabet: b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_",
    bits: 6,
    block: 4,
};
/// Base 32 (§6).
pub static BASE32: Encoding =
    Encoding { alphabet: b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", bits: 5, block: 8 };
/// Base 32 with the extended hexadecimal alphabet (§7).
pub static BASE32HEX: Encoding =
    Encoding { alphabet: b"0123456789ABCDEFGHIJKLMNOPQRSTUV", bits: 5, block: 8 };
/// Base 16 in upper case (§8).
pub static HEXUPPER: Encoding = Encoding { alphabet: b"0123456789ABCDEF", bits: 4, block: 2 };

/// The text is not what the encoding writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DecodeError;

impl std::fmt::Display for DecodeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("not of this encoding")
    }
}

impl std::error::Error for DecodeError {}

impl Encoding {
    /// The bytes that `text` stands for: whole blocks, the last one padded, its spare bits zero.
    pub fn decode(&self, text: &[u8]) -> Result<Vec<u8>, DecodeError> {
        let padding = text.iter().rev().take_while(|&&symbol| symbol == b'=').count();
        let symbols = &text[..text.len() - padding];
        let spare = symbols.len() as u32 * self.bits % 8;
        if text.len() % self.block != 0 || padding >= self.block || spare >= self.bits {
            return Err(DecodeError);
        }
        let mut bytes = Vec::with_capacity(symbols.len());
        let (mut held, mut count) = (0_u32, 0);
        for symbol in symbols {
            let value = self.alphabet.iter().position(|known| known == symbol).ok_or(DecodeError)?;
            held = held << self.bits | value as u32;
            count += self.bits;
            if count >= 8 {
                count -= 8;
                bytes.push((held >> count) as u8);
                held &= (1 << count) - 1;
            }
        }
        if held == 0 { Ok(bytes) } else { Err(DecodeError) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_vectors_of_rfc_4648_are_decoded() {
        for (encoding, texts) in [
            (BASE64, ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"]),
            (
                BASE32,
                ["", "MY======", "MZXQ====", "MZXW6===", "MZXW6YQ=", "MZXW6YTB", "MZXW6YTBOI======"],
            ),
            (
                BASE32HEX,
                ["", "CO======", "CPNG====", "CPNMU===", "CPNMUOG=", "CPNMUOJ1", "CPNMUOJ1E8======"],
            ),
            (HEXUPPER, ["", "66", "666F", "666F6F", "666F6F62", "666F6F6261", "666F6F626172"]),
        ] {
            for (length, text) in texts.into_iter().enumerate() {
                assert_eq!(encoding.decode(text.as_bytes()).as_deref(), Ok(&b"foobar"[..length]));
            }
        }
    }

    #[test]
    fn other_texts_are_refused() {
        for text in ["Zg", "Zg=", "Z===", "Zh==", "====", "Zg==Zg==", "Zm9-", "Zm 9", "Zm9v="] {
            assert_eq!(BASE64.decode(text.as_bytes()), Err(DecodeError), "{text}");
        }
        assert_eq!(BASE64URL.decode(b"Zm9-"), Ok(vec![0x66, 0x6f, 0x7e]));
        assert_eq!(HEXUPPER.decode(b"6"), Err(DecodeError));
        assert_eq!(HEXUPPER.decode(b"6f"), Err(DecodeError));
    }
}
