//! JSON values with a place: parsing with limits, pointers, and problems that say where they are.

pub(crate) mod escape;
pub(crate) mod number;
mod pointer;
pub(crate) mod tree;
pub mod yaml;

pub use pointer::Pointer;

use serde_json::{Map, Value};

/// Something wrong with an input, and where.
///
/// `at` is a JSON Pointer (RFC 6901) for documents and a key path (`routes[0].lint`) for the filter
/// configuration; empty means the whole input. `message` is one lower-case sentence without a final
/// period that says what was expected and what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Place inside the input.
    pub at: String,
    /// What is wrong, what was expected.
    pub message: String,
}

impl Problem {
    /// A problem at a place.
    pub fn new(at: impl Into<String>, message: impl Into<String>) -> Self {
        Self { at: at.into(), message: message.into() }
    }
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.at.is_empty() {
            f.write_str(&self.message)
        } else {
            write!(f, "{}: {}", self.at, self.message)
        }
    }
}

/// Parses JSON text into a value whose objects have ECMAScript key order: integer-like keys
/// ascending, then the order of the text.
///
/// Nesting is limited to 128 levels by the parser. Numbers keep their text.
///
/// # Errors
/// The parser's message with line and column.
pub fn parse(text: &[u8]) -> Result<Value, serde_json::Error> {
    let text = std::str::from_utf8(text).map_err(serde::de::Error::custom)?;
    // `FromStr` is compiled within `serde_json`, for speed; a generic function would be compiled
    // here, for size.
    let mut value = text.parse()?;
    order_keys(&mut value);
    Ok(value)
}

/// Parses JSON or YAML text, whichever it is; a byte order mark is skipped.
///
/// # Errors
/// One problem without a place; its message has line and column.
pub fn parse_text(bytes: &[u8]) -> Result<Value, Problem> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if !looks_like_json(bytes) {
        return parse_yaml(bytes);
    }
    // YAML has JSON's braces and quotes too
    parse(bytes).or_else(|error| parse_yaml(bytes).map_err(|_| Problem::new("", error.to_string())))
}

fn parse_yaml(bytes: &[u8]) -> Result<Value, Problem> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        Problem::new("", format!("the text is not UTF-8 from byte {} on", error.valid_up_to()))
    })?;
    yaml::parse(text, yaml::Limits::default())
}

/// Whether a text starts as JSON does, as opposed to YAML in braces (`{openapi: 3.1.0}`).
fn looks_like_json(bytes: &[u8]) -> bool {
    match bytes.trim_ascii_start() {
        [b'[', ..] => true,
        [b'{', rest @ ..] => matches!(rest.trim_ascii_start().first(), Some(b'"' | b'}') | None),
        _ => false,
    }
}

/// Puts the integer-like keys of every object first, ascending (ECMAScript `OrdinaryOwnPropertyKeys`).
pub fn order_keys(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(order_keys),
        Value::Object(map) => {
            if map.keys().any(|key| array_index(key).is_some()) {
                let mut entries: Vec<_> = std::mem::take(map).into_iter().collect();
                entries.sort_by_key(|(key, _)| array_index(key).unwrap_or(u32::MAX));
                *map = entries.into_iter().collect::<Map<_, _>>();
            }
            map.values_mut().for_each(order_keys);
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// The array index that a key denotes, if it is a canonical one (below 2³² − 1).
fn array_index(key: &str) -> Option<u32> {
    let digits = key.as_bytes();
    let is_canonical = match digits.first()? {
        b'0' => digits.len() == 1,
        b'1'..=b'9' => digits.len() <= 10 && digits.iter().all(u8::is_ascii_digit),
        _ => false,
    };
    if is_canonical { key.parse().ok().filter(|&index| index != u32::MAX) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integer_like_keys_come_first_in_ascending_order() {
        let value = parse(br#"{"b":1,"10":{"x":0,"0":0},"2":1,"01":1,"a":1}"#).unwrap();
        assert_eq!(value.to_string(), r#"{"2":1,"10":{"0":0,"x":0},"b":1,"01":1,"a":1}"#);
    }

    #[test]
    fn numbers_keep_their_text() {
        let text = r"[12345678901234567890123,1.50,1e400]";
        assert_eq!(parse(text.as_bytes()).unwrap().to_string(), text.replace("1e400", "1e+400"));
    }
}
