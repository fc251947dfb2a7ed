//! Strings as JSON text (RFC 8259 §7).

/// What a string cannot hold as it is, besides control characters.
pub(crate) const SPECIAL: [u8; 2] = *b"\"\\";

/// How many bytes come before the first one that is a control character or one of these.
pub(crate) fn plain(bytes: &[u8], [first, second]: [u8; 2]) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let (words, rest) = bytes.as_chunks();
    for (index, word) in words.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        // The lowest high bit that is set belongs to the first byte below the limit.
        let below = |word: u64, limit: u64| word.wrapping_sub(ONES * limit) & !word & (ONES << 7);
        let is = |byte: u8| below(word ^ (ONES * u64::from(byte)), 1);
        let found = is(first) | is(second) | below(word, 0x20);
        if found != 0 {
            return index * 8 + usize::try_from(found.trailing_zeros() / 8).unwrap_or_default();
        }
    }
    let is_plain = |byte: &&u8| **byte >= 0x20 && **byte != first && **byte != second;
    words.len() * 8 + rest.iter().take_while(is_plain).count()
}

/// Hands over the pieces of the JSON string whose value is `text`, quotes included.
pub(crate) fn pieces(text: &str, push: &mut dyn FnMut(&str)) {
    push("\"");
    let mut rest = text;
    loop {
        let (piece, special) =
            rest.split_at_checked(plain(rest.as_bytes(), SPECIAL)).unwrap_or((rest, ""));
        push(piece);
        let Some(byte) = special.as_bytes().first() else { break };
        escape(*byte, push);
        rest = special.get(1..).unwrap_or_default();
    }
    push("\"");
}

fn escape(byte: u8, push: &mut dyn FnMut(&str)) {
    let escape = match byte {
        b'"' => "\\\"",
        b'\\' => "\\\\",
        b'\n' => "\\n",
        b'\r' => "\\r",
        b'\t' => "\\t",
        0x8 => "\\b",
        0xc => "\\f",
        byte => {
            let digit = usize::from(byte % 16);
            push(if byte < 16 { "\\u000" } else { "\\u001" });
            "0123456789abcdef".get(digit..=digit).unwrap_or_default()
        }
    };
    push(escape);
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn the_first_special_byte_is_found_wherever_it_is() {
        for byte in 0..=255_u8 {
            for (at, behind) in [(0, 30), (3, 8), (7, 0), (8, 9), (15, 1), (20, 0)] {
                let mut bytes = vec![b'#'; at];
                bytes.push(byte);
                bytes.resize(at + 1 + behind, b'!');
                let is_special = byte < 0x20 || SPECIAL.contains(&byte);
                assert_eq!(plain(&bytes, SPECIAL), if is_special { at } else { bytes.len() });
                bytes.push(b'"');
                bytes.push(0);
                assert_eq!(plain(&bytes, SPECIAL), if is_special { at } else { bytes.len() - 2 });
            }
        }
    }

    #[test]
    fn strings_are_written_as_in_values() {
        let controls: String = (0..=0x80).filter_map(char::from_u32).collect();
        for text in ["", "a", "\"", "a\\\"b\n", "é\u{2028}😀\t\t", &controls] {
            let mut written = String::new();
            pieces(text, &mut |piece| written.push_str(piece));
            assert_eq!(written, Value::from(text).to_string());
        }
    }
}
