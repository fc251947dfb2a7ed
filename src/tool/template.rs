//! Path templates, taken apart once: the literal text of a request target is written when a plan is
//! opened, a call only puts its values between.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// The path template of an operation (`/books/{bookId}`), perhaps with a query.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct Template {
    text: String,
    /// The segments with values.
    pub(crate) segments: Vec<Segment>,
    /// What follows the last of them, with the query.
    pub(crate) rest: String,
    /// Whether there is a query.
    pub(crate) has_query: bool,
}

/// A segment with values. Texts are percent-encoded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Segment {
    /// What stands between the segment with values before it and this one; ends in a slash.
    pub(crate) lead: String,
    /// Literal texts, each with the name of the parameter that follows it.
    pub(crate) pieces: Vec<(String, String)>,
    /// What follows the last value.
    pub(crate) rest: String,
}

impl From<String> for Template {
    fn from(text: String) -> Self {
        let whole = text.split_once('#').map_or(text.as_str(), |(whole, _)| whole);
        let (path, query) = whole.split_once('?').unwrap_or((whole, ""));
        let (mut segments, mut rest) = (Vec::new(), String::new());
        for segment in without_dots(path.trim_start_matches('/')).split('/') {
            rest.push('/');
            if placeholder(segment).is_none() {
                push_literal(&mut rest, segment, b"%");
            } else {
                segments.push(Segment::new(std::mem::take(&mut rest), segment));
            }
        }
        let has_query = !query.is_empty();
        if has_query {
            rest.push('?');
            push_literal(&mut rest, query, b"%/?");
        }
        Self { text, segments, rest, has_query }
    }
}

impl From<&str> for Template {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl From<Template> for String {
    fn from(template: Template) -> Self {
        template.text
    }
}

/// The text as in the document.
impl std::ops::Deref for Template {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}

impl Segment {
    fn new(lead: String, mut text: &str) -> Self {
        let mut pieces = Vec::new();
        while let Some((literal, name, after)) = placeholder(text) {
            let mut before = String::new();
            push_literal(&mut before, literal, b"%");
            pieces.push((before, name.to_owned()));
            text = after;
        }
        let mut rest = String::new();
        push_literal(&mut rest, text, b"%");
        Self { lead, pieces, rest }
    }
}

/// Splits at the first `{name}`.
fn placeholder(text: &str) -> Option<(&str, &str, &str)> {
    let (literal, tail) = text.split_once('{')?;
    let (name, after) = tail.split_once('}')?;
    Some((literal, name, after))
}

/// The template without `.` and `..` segments, which cannot lead above the base path.
fn without_dots(path: &str) -> Cow<'_, str> {
    if path.split('/').all(|segment| dots(segment) == 0) {
        return Cow::Borrowed(path);
    }
    let mut kept = Vec::new();
    let mut segments = path.split('/').peekable();
    while let Some(segment) = segments.next() {
        match dots(segment) {
            0 => kept.push(segment),
            1 => {}
            _ => drop(kept.pop()),
        }
        if dots(segment) > 0 && segments.peek().is_none() {
            kept.push("");
        }
    }
    Cow::Owned(kept.join("/"))
}

/// How many dots a path segment consists of, 0 when it is not `.` or `..`; servers may decode it
/// first, or drop what follows a `;`.
pub(crate) fn dots(segment: &str) -> usize {
    if !matches!(segment.as_bytes().first(), Some(b'.' | b'%')) {
        return 0;
    }
    let name = segment.split_once(';').map_or(segment, |(name, _)| name);
    if name.len() > "%2e%2e".len() {
        return 0;
    }
    match name.to_ascii_lowercase().replace("%2e", ".").as_str() {
        "." => 1,
        ".." => 2,
        _ => 0,
    }
}

/// Appends literal text: what is already encoded stays, the rest is made valid. `also` are bytes
/// that stay besides those of a path segment.
fn push_literal(out: &mut String, text: &str, also: &[u8]) {
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || is_segment_mark(byte) || also.contains(&byte) {
            out.push(char::from(byte));
        } else {
            push_encoded(out, byte);
        }
    }
}

/// Marks of RFC 3986 `pchar`.
pub(crate) fn is_segment_mark(byte: u8) -> bool {
    matches!(
        byte,
        b'-' | b'.'
            | b'_'
            | b'~'
            | b'!'
            | b'$'
            | b'&'
            | b'\''
            | b'('
            | b')'
            | b'*'
            | b'+'
            | b','
            | b';'
            | b'='
            | b':'
            | b'@'
    )
}

/// Appends a byte percent-encoded (RFC 3986 §2.1).
pub(crate) fn push_encoded(out: &mut String, byte: u8) {
    out.push('%');
    for digit in [byte >> 4, byte & 15] {
        out.push(char::from(if digit < 10 { b'0' + digit } else { b'A' - 10 + digit }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literal_text_is_made_valid_once() {
        let template = Template::from("/a b%20c}é|/{x}{y}|z/end/?q=/ é#f");
        let [segment] = &template.segments[..] else { panic!("{template:?}") };
        assert_eq!(segment.lead, "/a%20b%20c%7D%C3%A9%7C/");
        let name = |name: &str| (String::new(), name.to_owned());
        assert_eq!(segment.pieces, [name("x"), name("y")]);
        assert_eq!(segment.rest, "%7Cz");
        assert_eq!(template.rest, "/end/?q=/%20%C3%A9");
        assert_eq!(&*template, "/a b%20c}é|/{x}{y}|z/end/?q=/ é#f");
    }
}
