//! Percent-encoding (RFC 3986 §2.1) of references and path templates.

/// Decodes percent-encoded text; a `%` without two hexadecimal digits stays as it is. `None` when
/// the result is not UTF-8.
pub(crate) fn decode(text: &str) -> Option<String> {
    let mut decoded = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, tail)) = rest.split_first() {
        let encoded = hex_pair(tail).filter(|_| byte == b'%');
        let (byte, tail) = encoded.unwrap_or((byte, tail));
        decoded.push(byte);
        rest = tail;
    }
    String::from_utf8(decoded).ok()
}

/// Appends a literal part of a path, with everything encoded that a path cannot hold; existing
/// percent-encoding is kept.
pub(super) fn push_path_literal(out: &mut String, literal: &str) {
    const HEX: [char; 16] =
        ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'A', 'B', 'C', 'D', 'E', 'F'];
    let mut rest = literal.as_bytes();
    while let Some((&byte, tail)) = rest.split_first() {
        if is_path_byte(byte) || (byte == b'%' && hex_pair(tail).is_some()) {
            out.push(char::from(byte));
        } else {
            out.push('%');
            out.extend(HEX.get(usize::from(byte >> 4)));
            out.extend(HEX.get(usize::from(byte & 15)));
        }
        rest = tail;
    }
}

/// `pchar` and `/` of RFC 3986 §3.3, without `%`.
fn is_path_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:@/".contains(&byte)
}

/// The byte that two leading hexadecimal digits denote, and what follows them.
fn hex_pair(bytes: &[u8]) -> Option<(u8, &[u8])> {
    let (&[high, low], rest) = bytes.split_first_chunk::<2>()?;
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|d| u8::try_from(d).ok());
    Some((digit(high)? * 16 + digit(low)?, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decoding_keeps_what_is_not_encoded() {
        let cases = [
            ("a%20b", Some("a b")),
            ("%7Bid%7d", Some("{id}")),
            ("100%", Some("100%")),
            ("%zz", Some("%zz")),
            ("%C3%A9", Some("é")),
            ("%C3", None),
        ];
        for (text, expected) in cases {
            assert_eq!(decode(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn path_literals_are_encoded_once() {
        let mut out = String::new();
        push_path_literal(&mut out, "/a b/é%20%2F<100%>");
        assert_eq!(out, "/a%20b/%C3%A9%20%2F%3C100%25%3E");
    }
}
