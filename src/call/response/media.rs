//! Media types (RFC 9110 §8.3) and character encodings of a body.

use std::borrow::Cow;

/// What a body is, by its declared type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// `application/json`, `+json`.
    Json,
    /// Several JSON texts (RFC 7464).
    JsonSequence,
    /// An HTML page.
    Html,
    /// Other text.
    Text,
    /// An image that models can see.
    Image,
    /// Sound.
    Audio,
    /// Known not to be text.
    Binary,
    /// No or an unknown type: the bytes decide.
    Unknown,
}

/// A `content-type`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MediaType<'h> {
    /// `type/subtype` in lower case; empty when there is none.
    pub(super) essence: Cow<'h, str>,
    /// As it is written; empty when there is none.
    charset: &'h str,
}

impl<'h> MediaType<'h> {
    /// Reads a `content-type` field.
    pub(super) fn parse(field: Option<&'h str>) -> Self {
        let field = field.unwrap_or_default();
        let (essence, parameters) = field.split_once(';').unwrap_or((field, ""));
        let mut essence = Cow::Borrowed(essence.trim());
        if essence.bytes().any(|byte| byte.is_ascii_uppercase()) {
            essence.to_mut().make_ascii_lowercase();
        }
        let charset = if parameters.is_empty() { "" } else { charset(parameters) };
        Self { essence, charset }
    }

    /// The kind of the body.
    pub(super) fn kind(&self) -> Kind {
        let Some((family, subtype)) = self.essence.split_once('/') else { return Kind::Unknown };
        match (family, subtype) {
            _ if subtype == "json" || subtype.ends_with("+json") => Kind::Json,
            (_, "json-seq") => Kind::JsonSequence,
            (_, "html" | "xhtml+xml") => Kind::Html,
            ("text", _) | (_, "xml") => Kind::Text,
            _ if subtype.ends_with("+xml") || subtype.ends_with("+yaml") => Kind::Text,
            ("image", _) => Kind::Image,
            ("audio", _) => Kind::Audio,
            ("application", subtype) => application(subtype),
            _ => Kind::Binary,
        }
    }

    /// The text of `body`, in the declared encoding or that of its byte order mark; bytes that are
    /// not valid become U+FFFD.
    pub(super) fn decode(&self, body: Vec<u8>) -> String {
        match body.as_slice() {
            [0xEF, 0xBB, 0xBF, rest @ ..] => String::from_utf8_lossy(rest).into_owned(),
            [0xFF, 0xFE, rest @ ..] => utf16(rest, u16::from_le_bytes),
            [0xFE, 0xFF, rest @ ..] => utf16(rest, u16::from_be_bytes),
            _ if self.is_in(&["utf-16", "utf-16le"]) => utf16(&body, u16::from_le_bytes),
            _ if self.is_in(&["utf-16be"]) => utf16(&body, u16::from_be_bytes),
            _ if self.is_in(&["iso-8859-1", "iso8859-1", "latin1", "windows-1252", "cp1252"]) => {
                body.iter().map(|&byte| windows_1252(byte)).collect()
            }
            _ => String::from_utf8(body)
                .unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned()),
        }
    }

    /// Whether the declared encoding has one of these names.
    fn is_in(&self, names: &[&str]) -> bool {
        !self.charset.is_empty() && names.iter().any(|name| name.eq_ignore_ascii_case(self.charset))
    }
}

/// The value of the parameter `charset`; empty when there is none.
fn charset(parameters: &str) -> &str {
    let charset = parameters.split(';').find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        let is_charset = name.trim().eq_ignore_ascii_case("charset");
        is_charset.then(|| value.trim().trim_matches('"'))
    });
    charset.unwrap_or_default()
}

/// Whether bytes of no known type are text.
pub(super) fn looks_like_text(body: &[u8]) -> bool {
    let marked = body.starts_with(&[0xFF, 0xFE]) || body.starts_with(&[0xFE, 0xFF]);
    marked || (std::str::from_utf8(body).is_ok() && !body.contains(&0))
}

#[cold]
fn application(subtype: &str) -> Kind {
    match subtype {
        "javascript"
        | "ecmascript"
        | "yaml"
        | "x-yaml"
        | "toml"
        | "sql"
        | "graphql"
        | "x-ndjson"
        | "ndjson"
        | "jsonl"
        | "x-jsonlines"
        | "jsonlines"
        | "x-sh"
        | "x-www-form-urlencoded" => Kind::Text,
        "octet-stream" | "pdf" | "zip" | "gzip" => Kind::Binary,
        _ => Kind::Unknown,
    }
}

#[cold]
fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let (pairs, rest) = bytes.as_chunks::<2>();
    let mut text: String = char::decode_utf16(pairs.iter().map(|&pair| unit(pair)))
        .map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER))
        .collect();
    if !rest.is_empty() {
        text.push(char::REPLACEMENT_CHARACTER);
    }
    text
}

/// The WHATWG encoding that `iso-8859-1` stands for.
#[cold]
fn windows_1252(byte: u8) -> char {
    const HIGH: &str = "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8d}Ž\u{8f}\u{90}‘’“”•–—˜™š›œ\u{9d}žŸ";
    match byte {
        0x80..=0x9F => HIGH.chars().nth(usize::from(byte - 0x80)).unwrap_or_default(),
        _ => char::from(byte),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_compared_without_case_and_parameters() {
        for (field, kind) in [
            ("application/json", Kind::Json),
            ("Application/JSON ; charset=utf-8", Kind::Json),
            ("application/vnd.api+json", Kind::Json),
            ("application/problem+JSON", Kind::Json),
            ("text/json", Kind::Json),
            ("application/json-seq", Kind::JsonSequence),
            ("application/x-ndjson", Kind::Text),
            ("text/event-stream", Kind::Text),
            ("text/csv;header=present", Kind::Text),
            ("text/HTML", Kind::Html),
            ("image/svg+xml", Kind::Text),
            ("application/xml", Kind::Text),
            ("image/png", Kind::Image),
            ("audio/wav", Kind::Audio),
            ("video/mp4", Kind::Binary),
            ("application/octet-stream", Kind::Binary),
            ("application/x-something", Kind::Unknown),
            ("nonsense", Kind::Unknown),
            ("", Kind::Unknown),
        ] {
            assert_eq!(MediaType::parse(Some(field)).kind(), kind, "{field}");
        }
    }

    #[track_caller]
    fn check(charset: &str, bytes: &[u8], expected: &str) {
        let field = format!("text/plain;charset={charset}");
        let media = MediaType::parse(Some(&field));
        assert_eq!(media.decode(bytes.to_vec()), expected);
    }

    #[test]
    fn bodies_are_decoded_by_mark_then_charset() {
        check("utf-8", "é".as_bytes(), "é");
        check("UTF-8", b"\xEF\xBB\xBFa", "a");
        check("utf-8", b"a\xFFb", "a\u{FFFD}b");
        check("\"ISO-8859-1\"", b"caf\xE9 \x80", "café €");
        check("windows-1252", &[0x80, 0x9F, 0xFF], "€Ÿÿ");
        check("utf-16le", b"a\0\xE9\0", "aé");
        check("utf-16be", b"\0a\xD8\0", "a\u{FFFD}");
        check("utf-16", b"\xFE\xFF\0a\0", "a\u{FFFD}");
        check("unheard-of", "é".as_bytes(), "é");
    }
}
