//! Percent-encoding (RFC 3986 §2, WHATWG URL §5.2, OpenAPI 3.2 “URL Percent-Encoding”).

use crate::tool::template::{is_segment_mark, push_encoded};

/// Which characters stay as they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Keep {
    /// RFC 3986 unreserved characters.
    Unreserved,
    /// Unreserved characters and the reserved ones that keep their place inside a path segment
    /// (`allowReserved` in a path, where `/`, `?` and `#` are not allowed).
    Segment,
    /// The `application/x-www-form-urlencoded` set; a space becomes `+`.
    Form,
    /// The form set and the reserved characters that cannot change the structure of a query
    /// (`allowReserved`): `&`, `#`, `+`, `[` and `]` are encoded.
    Query,
    /// Everything: the text is not part of a URL.
    All,
}

impl Keep {
    /// Whether an ASCII byte stays as it is.
    fn keeps(self, byte: u8) -> bool {
        byte.is_ascii_alphanumeric()
            || match self {
                Self::Unreserved => matches!(byte, b'-' | b'.' | b'_' | b'~'),
                Self::Segment => is_segment_mark(byte),
                Self::Form => matches!(byte, b'*' | b'-' | b'.' | b'_'),
                Self::Query => {
                    matches!(byte, b'/' | b'?')
                        || (is_segment_mark(byte) && !matches!(byte, b'&' | b'+'))
                }
                Self::All => true,
            }
    }
}

/// Appends `text`, percent-encoding what `keep` does not keep.
pub(super) fn push(out: &mut String, text: &str, keep: Keep) {
    if keep == Keep::All || text.bytes().all(|byte| keep.keeps(byte)) {
        out.push_str(text);
        return;
    }
    let space_is_plus = matches!(keep, Keep::Form | Keep::Query);
    for byte in text.bytes() {
        if keep.keeps(byte) {
            out.push(char::from(byte));
        } else if byte == b' ' && space_is_plus {
            out.push('+');
        } else {
            push_encoded(out, byte);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(keep: Keep, text: &str, expected: &str) {
        let mut out = String::new();
        push(&mut out, text, keep);
        assert_eq!(out, expected);
    }

    #[test]
    fn each_set_keeps_its_own_characters() {
        let all = "aZ0-._~ :/?#[]@!$&'()*+,;=%|é";
        check(
            Keep::Unreserved,
            all,
            "aZ0-._~%20%3A%2F%3F%23%5B%5D%40%21%24%26%27%28%29%2A%2B%2C%3B%3D%25%7C%C3%A9",
        );
        check(Keep::Segment, all, "aZ0-._~%20:%2F%3F%23%5B%5D@!$&'()*+,;=%25%7C%C3%A9");
        check(
            Keep::Form,
            all,
            "aZ0-._%7E+%3A%2F%3F%23%5B%5D%40%21%24%26%27%28%29*%2B%2C%3B%3D%25%7C%C3%A9",
        );
        check(Keep::Query, all, "aZ0-._~+:/?%23%5B%5D@!$%26'()*%2B,;=%25%7C%C3%A9");
        check(Keep::All, all, all);
    }
}
