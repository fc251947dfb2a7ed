//! Request headers that repeat what the body says (MCP 2026-07-28 `basic/transports`, header
//! routing).

use std::borrow::Cow;

use base64::{Engine, prelude::BASE64_STANDARD};
use serde_json::{Map, Value};

use super::error::{Failure, quote};
use crate::http::Headers;

/// A header field that may come once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Field<'h> {
    /// It is not there.
    Absent,
    /// It came once.
    Text(&'h str),
    /// It came more than once, or is not text.
    Invalid,
}

/// The field of this lower-case name, without the white space around its value.
pub(super) fn field<'h>(headers: &'h Headers, name: &'h str) -> Field<'h> {
    let mut values = headers.all(name);
    let Some(value) = values.next() else { return Field::Absent };
    if values.next().is_some() {
        return Field::Invalid;
    }
    std::str::from_utf8(value.trim_ascii()).map_or(Field::Invalid, Field::Text)
}

/// The origin that the gate let pass, if the request names one.
pub(super) fn origin(headers: &Headers) -> Option<&str> {
    headers.get("origin")
}

/// Checks that a header is there and says the same as the body.
pub(super) fn check(headers: &Headers, name: &str, expected: &str) -> Result<(), Failure> {
    match field(headers, name) {
        Field::Text(text) if text == expected => Ok(()),
        other => Err(mismatch(name, other, &quote(expected))),
    }
}

/// Like [`check`], where the header may have the Base64 form and the body may have no such value.
pub(super) fn check_encoded(
    headers: &Headers,
    name: &str,
    expected: Option<&str>,
) -> Result<(), Failure> {
    match (field(headers, name), expected) {
        (Field::Text(text), Some(expected)) if decode(text).as_deref() == Some(expected) => Ok(()),
        (other, Some(expected)) => Err(mismatch(name, other, &quote(expected))),
        (other, None) => Err(mismatch(name, other, "no such value")),
    }
}

/// Checks the `Mcp-Param-*` headers of a call: exactly the arguments that are there and not null.
pub(super) fn check_params(
    headers: &Headers,
    param_headers: &Map<String, Value>,
    arguments: &Map<String, Value>,
) -> Result<(), Failure> {
    for (argument, suffix) in param_headers {
        let mut name = "mcp-param-".to_owned();
        name.push_str(suffix.as_str().unwrap_or_default());
        name.make_ascii_lowercase();
        match (field(headers, &name), arguments.get(argument)) {
            (Field::Absent, None | Some(Value::Null)) => {}
            (Field::Text(text), Some(value))
                if decode(text).is_some_and(|text| says(&text, value)) => {}
            (other, None | Some(Value::Null)) => {
                return Err(mismatch(&name, other, "no such value"));
            }
            (other, Some(value)) => {
                return Err(mismatch(&name, other, &quote(&value.to_string())));
            }
        }
    }
    Ok(())
}

#[cold]
fn mismatch(name: &str, found: Field<'_>, expected: &str) -> Failure {
    let found = match found {
        Field::Absent => "is missing".to_owned(),
        Field::Text(text) => format!("is {}", quote(text)),
        Field::Invalid => "is there twice or is not text".to_owned(),
    };
    Failure::header(format!("the header `{name}` {found}, the body has {expected}"))
}

/// The value of a header in plain or Base64 form; `None` when the Base64 is none or not UTF-8.
fn decode(text: &str) -> Option<Cow<'_, str>> {
    let Some(encoded) = text.strip_prefix("=?base64?").and_then(|rest| rest.strip_suffix("?="))
    else {
        return Some(Cow::Borrowed(text));
    };
    let bytes = BASE64_STANDARD.decode(encoded).ok()?;
    String::from_utf8(bytes).ok().map(Cow::Owned)
}

/// Whether a header value stands for an argument; numbers are compared as numbers.
fn says(text: &str, value: &Value) -> bool {
    match value {
        Value::String(value) => text == value,
        Value::Bool(value) => text == if *value { "true" } else { "false" },
        Value::Number(value) => {
            let value = value.as_str();
            integer(text).is_some_and(|number| Some(number) == integer(value)) || text == value
        }
        Value::Null | Value::Array(_) | Value::Object(_) => false,
    }
}

/// The digits of an integer with its sign: `42.0` and `42` are the same.
fn integer(text: &str) -> Option<(bool, &str)> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    let whole = match digits.split_once('.') {
        Some((whole, zeros)) if !zeros.is_empty() && zeros.bytes().all(|byte| byte == b'0') => {
            whole
        }
        Some(_) => return None,
        None => digits,
    };
    if whole.is_empty() || !whole.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let significant = whole.trim_start_matches('0');
    Some((negative && !significant.is_empty(), significant))
}
