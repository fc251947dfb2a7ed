//! Walks the JSON text of a message once and leaves values as text, so that nothing is built that the
//! request does not need.

use std::borrow::Cow;

use serde::de::IgnoredAny;

/// The text is not JSON.
#[derive(Debug, Clone, Copy)]
pub(super) struct Malformed;

/// A place in JSON text (RFC 8259).
#[derive(Debug)]
pub(super) struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

/// The values of some members of an object, as JSON text.
#[derive(Debug)]
pub(super) struct Members<'a> {
    names: &'static [&'static str],
    /// In the order of the names.
    pub(super) values: [Option<&'a str>; 6],
    /// A name that came more than once.
    pub(super) duplicate: Option<&'static str>,
}

impl Members<'_> {
    /// None of these found yet; they are at most six.
    pub(super) const fn new(names: &'static [&'static str]) -> Self {
        Self { names, values: [None; 6], duplicate: None }
    }
}

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// The byte at the next token.
    pub(super) fn peek(&mut self) -> Option<u8> {
        let bytes = self.text.as_bytes();
        loop {
            match bytes.get(self.at) {
                Some(b' ' | b'\n' | b'\r' | b'\t') => self.at += 1,
                byte => return byte.copied(),
            }
        }
    }

    /// Nothing but white space is left.
    pub(super) fn end(&mut self) -> Result<(), Malformed> {
        if self.peek().is_none() { Ok(()) } else { Err(Malformed) }
    }

    /// Walks an object and notes the values of members. Those of the value of the last name, when
    /// it is an object, go to the next in `levels`.
    pub(super) fn members(&mut self, levels: &mut [Members<'a>]) -> Result<(), Malformed> {
        let Some((members, inner)) = levels.split_first_mut() else { return self.skip() };
        self.expect(b'{')?;
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(());
        }
        loop {
            let key = self.key()?;
            let position = members.names.iter().position(|name| **name == *key);
            let first = self.peek();
            let start = self.at;
            if first == Some(b'{') && position.is_some_and(|at| at + 1 == members.names.len()) {
                self.members(inner)?;
            } else {
                self.skip()?;
            }
            if let Some(position) = position
                && let Some(slot) = members.values.get_mut(position)
                && slot.replace(self.since(start)).is_some()
            {
                members.duplicate = members.names.get(position).copied();
            }
            match self.next() {
                Some(b',') => {}
                Some(b'}') => return Ok(()),
                _ => return Err(Malformed),
            }
        }
    }

    /// Skips one value. Nesting needs no stack but a byte for each level around the innermost.
    pub(super) fn skip(&mut self) -> Result<(), Malformed> {
        let mut outer = Vec::new();
        let mut open = None;
        loop {
            match self.next().ok_or(Malformed)? {
                b'"' => drop(self.string()?),
                b'{' if self.peek() == Some(b'}') => self.at += 1,
                b'[' if self.peek() == Some(b']') => self.at += 1,
                b'{' => {
                    outer.extend(open.replace(b'}'));
                    self.key()?;
                    continue;
                }
                b'[' => {
                    outer.extend(open.replace(b']'));
                    continue;
                }
                first => self.scalar(first)?,
            }
            loop {
                let Some(end) = open else { return Ok(()) };
                match self.next() {
                    Some(b',') => break,
                    Some(byte) if byte == end => open = outer.pop(),
                    _ => return Err(Malformed),
                }
            }
            if open == Some(b'}') {
                self.key()?;
            }
        }
    }

    /// A key and the colon behind it.
    fn key(&mut self) -> Result<Cow<'a, str>, Malformed> {
        self.expect(b'"')?;
        let start = self.at;
        let key = if self.string()? {
            unescape(self.since(start - 1)).ok_or(Malformed)?
        } else {
            Cow::Borrowed(self.text.get(start..self.at - 1).unwrap_or_default())
        };
        self.expect(b':')?;
        Ok(key)
    }

    /// The text from a place up to the cursor.
    fn since(&self, start: usize) -> &'a str {
        self.text.get(start..self.at).unwrap_or_default()
    }

    /// The rest of a string; returns whether it has escapes.
    fn string(&mut self) -> Result<bool, Malformed> {
        let bytes = self.text.as_bytes();
        let mut escaped = false;
        let mut at = self.at;
        loop {
            let byte = *bytes.get(at).ok_or(Malformed)?;
            at += 1;
            match byte {
                b'"' => break,
                b'\\' => {
                    at = escape(bytes, at).ok_or(Malformed)?;
                    escaped = true;
                }
                0..0x20 => return Err(Malformed),
                _ => {}
            }
        }
        self.at = at;
        Ok(escaped)
    }

    /// The rest of a number or a literal.
    fn scalar(&mut self, first: u8) -> Result<(), Malformed> {
        let start = self.at - 1;
        let bytes = self.text.as_bytes();
        while bytes.get(self.at).is_some_and(|&byte| is_scalar(byte)) {
            self.at += 1;
        }
        let text = self.since(start);
        let valid = match first {
            b'-' | b'0'..=b'9' => is_number(text.as_bytes()),
            _ => matches!(text, "true" | "false" | "null"),
        };
        if valid { Ok(()) } else { Err(Malformed) }
    }

    fn expect(&mut self, byte: u8) -> Result<(), Malformed> {
        if self.next() == Some(byte) { Ok(()) } else { Err(Malformed) }
    }

    /// The first byte of the next token, which is then behind the cursor.
    fn next(&mut self) -> Option<u8> {
        let byte = self.peek();
        self.at += usize::from(byte.is_some());
        byte
    }
}

/// The place behind what follows a backslash.
fn escape(bytes: &[u8], at: usize) -> Option<usize> {
    let hex = |at| bytes.get(at).is_some_and(u8::is_ascii_hexdigit);
    match bytes.get(at)? {
        b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Some(at + 1),
        b'u' if (at + 1..at + 5).all(hex) => Some(at + 5),
        _ => None,
    }
}

fn is_scalar(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'+' | b'-')
}

/// RFC 8259 §6.
fn is_number(text: &[u8]) -> bool {
    let text = text.strip_prefix(b"-").unwrap_or(text);
    let (whole, rest) = digits(text);
    let canonical = whole.len() == 1 || whole.first().is_some_and(|&digit| digit != b'0');
    let (fraction, rest) = match rest.strip_prefix(b".") {
        Some(rest) => digits(rest),
        None => (&b"0"[..], rest),
    };
    let exponent = match rest.split_first() {
        Some((b'e' | b'E', rest)) => {
            let (power, rest) =
                digits(rest.strip_prefix(b"+").or(rest.strip_prefix(b"-")).unwrap_or(rest));
            !power.is_empty() && rest.is_empty()
        }
        Some(_) => false,
        None => true,
    };
    canonical && !fraction.is_empty() && exponent
}

/// The digits at the start, and the rest.
fn digits(text: &[u8]) -> (&[u8], &[u8]) {
    let count = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    text.split_at(count)
}

/// The text of a JSON string; `None` when it is something else or not Unicode.
pub(super) fn string(raw: &str) -> Option<Cow<'_, str>> {
    let [b'"', inner @ .., b'"'] = raw.as_bytes() else { return None };
    if inner.contains(&b'\\') {
        unescape(raw)
    } else {
        raw.get(1..raw.len() - 1).map(Cow::Borrowed)
    }
}

fn unescape(raw: &str) -> Option<Cow<'_, str>> {
    serde_json::from_str(raw).ok().map(Cow::Owned)
}

/// What is wrong with text that is not JSON, with line and column.
pub(super) fn syntax(text: &str) -> String {
    let parsed = serde_json::from_str::<IgnoredAny>(text);
    parsed.err().map_or_else(|| "not JSON".to_owned(), |error| error.to_string())
}
