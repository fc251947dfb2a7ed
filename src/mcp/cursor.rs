//! Walks the JSON text of a message once and leaves values as text, so that nothing is built that the
//! request does not need.

use std::borrow::Cow;

use serde::de::IgnoredAny;

/// The text is not JSON.
#[derive(Debug, Clone, Copy)]
pub(super) struct Malformed;

/// What happens to the value of a member that is an object.
pub(super) type Nested<'n, 'a> = &'n mut dyn FnMut(&mut Cursor<'a>) -> Result<(), Malformed>;

/// A place in JSON text (RFC 8259).
#[derive(Debug)]
pub(super) struct Cursor<'a> {
    text: &'a str,
    at: usize,
    /// How the arrays and objects around this place end. Nesting needs no stack.
    open: Vec<u8>,
}

/// The values of some members of an object, as JSON text.
#[derive(Debug)]
pub(super) struct Members<'a, const N: usize> {
    names: &'static [&'static str; N],
    /// In the order of the names.
    pub(super) values: [Option<&'a str>; N],
    /// A name that came more than once.
    pub(super) duplicate: Option<&'static str>,
}

impl<'a, const N: usize> Members<'a, N> {
    /// None of these found yet.
    pub(super) fn new(names: &'static [&'static str; N]) -> Self {
        Self { names, values: [None; N], duplicate: None }
    }

    /// Walks the object at the cursor. The value of the last name is given to `nested` when it is an
    /// object.
    pub(super) fn walk(
        &mut self,
        cursor: &mut Cursor<'a>,
        nested: Nested<'_, 'a>,
    ) -> Result<(), Malformed> {
        let found = cursor.members(self.names, &mut self.values, nested)?;
        self.duplicate = found.and_then(|position| self.names.get(position).copied());
        Ok(())
    }
}

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0, open: Vec::new() }
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

    /// Walks an object and notes the values of `names`; returns the position of one that came twice.
    fn members(
        &mut self,
        names: &[&'static str],
        values: &mut [Option<&'a str>],
        nested: Nested<'_, 'a>,
    ) -> Result<Option<usize>, Malformed> {
        let mut duplicate = None;
        self.expect(b'{')?;
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(duplicate);
        }
        loop {
            let key = self.key()?;
            let position = names.iter().position(|name| *name == key);
            let first = self.peek();
            let start = self.at;
            if first == Some(b'{') && position.is_some_and(|position| position + 1 == names.len()) {
                nested(self)?;
            } else {
                self.skip()?;
            }
            if let Some((position, slot)) = position.and_then(|at| Some((at, values.get_mut(at)?)))
                && slot.replace(self.text.get(start..self.at).ok_or(Malformed)?).is_some()
            {
                duplicate = Some(position);
            }
            match self.next() {
                Some(b',') => {}
                Some(b'}') => return Ok(duplicate),
                _ => return Err(Malformed),
            }
        }
    }

    /// Skips one value.
    pub(super) fn skip(&mut self) -> Result<(), Malformed> {
        loop {
            match self.next().ok_or(Malformed)? {
                b'"' => self.string()?,
                b'{' if self.peek() == Some(b'}') => self.at += 1,
                b'[' if self.peek() == Some(b']') => self.at += 1,
                b'{' => {
                    self.open.push(b'}');
                    self.key()?;
                    continue;
                }
                b'[' => {
                    self.open.push(b']');
                    continue;
                }
                first => self.scalar(first)?,
            }
            if !self.close()? {
                return Ok(());
            }
        }
    }

    /// Behind a value: closes what ends here. Returns whether another value follows.
    fn close(&mut self) -> Result<bool, Malformed> {
        while let Some(end) = self.open.last().copied() {
            match self.next() {
                Some(b',') => {
                    if end == b'}' {
                        self.key()?;
                    }
                    return Ok(true);
                }
                Some(byte) if byte == end => {
                    self.open.pop();
                }
                _ => return Err(Malformed),
            }
        }
        Ok(false)
    }

    /// A key and the colon behind it.
    fn key(&mut self) -> Result<Cow<'a, str>, Malformed> {
        self.expect(b'"')?;
        let start = self.at - 1;
        self.string()?;
        let key = self.text.get(start..self.at).and_then(string).ok_or(Malformed)?;
        self.expect(b':')?;
        Ok(key)
    }

    /// The rest of a string.
    fn string(&mut self) -> Result<(), Malformed> {
        let bytes = self.text.as_bytes();
        loop {
            let byte = *bytes.get(self.at).ok_or(Malformed)?;
            self.at += 1;
            match byte {
                b'"' => return Ok(()),
                b'\\' => self.escape()?,
                0..0x20 => return Err(Malformed),
                _ => {}
            }
        }
    }

    fn escape(&mut self) -> Result<(), Malformed> {
        let bytes = self.text.as_bytes();
        let hex = |at| bytes.get(at).is_some_and(u8::is_ascii_hexdigit);
        match bytes.get(self.at).ok_or(Malformed)? {
            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => self.at += 1,
            b'u' if (self.at + 1..self.at + 5).all(hex) => self.at += 5,
            _ => return Err(Malformed),
        }
        Ok(())
    }

    /// The rest of a number or a literal.
    fn scalar(&mut self, first: u8) -> Result<(), Malformed> {
        let start = self.at - 1;
        let bytes = self.text.as_bytes();
        while bytes.get(self.at).is_some_and(|&byte| is_scalar(byte)) {
            self.at += 1;
        }
        let text = self.text.get(start..self.at).ok_or(Malformed)?;
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
        serde_json::from_str(raw).ok().map(Cow::Owned)
    } else {
        raw.get(1..raw.len() - 1).map(Cow::Borrowed)
    }
}

/// What is wrong with text that is not JSON, with line and column.
pub(super) fn syntax(text: &str) -> String {
    let parsed = serde_json::from_str::<IgnoredAny>(text);
    parsed.err().map_or_else(|| "not JSON".to_owned(), |error| error.to_string())
}
