//! Messages: what was expected and what was found, and names that are not known.

use serde_json::Value;

use crate::suggest::nearest;

/// What to say about a key that is not known.
pub(super) fn unknown_key(key: &str, known: &[&str]) -> String {
    match nearest(key, known) {
        Some(name) => format!("unknown key; did you mean `{name}`?"),
        None => format!("unknown key; known here: {}", list(known)),
    }
}

/// What to say about a value that is none of the known ones: the hint that follows the error.
pub(super) fn hint(text: &str, known: &[&str]) -> String {
    nearest(text, known).map_or_else(String::new, |name| format!("; did you mean `{name}`?"))
}

/// Names in backticks, separated by commas.
pub(super) fn list(names: &[&str]) -> String {
    names.iter().map(|name| quote(name)).collect::<Vec<_>>().join(", ")
}

/// `expected <what>, found <value>`.
pub(super) fn expected(what: &str, value: &Value) -> String {
    let found = match value {
        Value::Null => "nothing".to_owned(),
        Value::Bool(flag) => format!("`{flag}`"),
        Value::Number(number) => format!("the number {}", quote(&number.to_string())),
        Value::String(text) if text.is_empty() => "an empty string".to_owned(),
        Value::String(text) => quote(text),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
    };
    format!("expected {what}, found {found}")
}

/// User input for a message: in backticks, on one line, not too long.
pub(super) fn quote(text: &str) -> String {
    format!("`{}`", printable(text))
}

/// The beginning of a text with its control characters escaped.
pub(super) fn printable(text: &str) -> String {
    const LONGEST: usize = 80;
    let mut out = String::new();
    for (count, c) in text.chars().enumerate() {
        if count == LONGEST {
            out.push('…');
            break;
        }
        if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') {
            out.extend(c.escape_default());
        } else {
            out.push(c);
        }
    }
    out
}
