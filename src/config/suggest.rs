//! What to say about names that are not known.

use super::fields::quote;
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
