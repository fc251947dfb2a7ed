//! Names against the patterns of `patternProperties` (ECMA-262 regular expressions).

use std::cell::RefCell;

use hashbrown::HashMap;
use jsonschema::{Validator, error::ValidationErrorKind};
use serde_json::{Value, json};

use crate::pattern;

/// Patterns kept compiled; when there are more, all are forgotten.
const KEPT: usize = 256;

thread_local! {
    static COMPILED: RefCell<HashMap<String, Option<Validator>>> = RefCell::default();
}

/// Whether `pattern` matches `name`. A pattern that cannot be compiled matches every name, and one
/// that takes too long matches this one, so that a field it excludes is never shown.
pub(super) fn matches(pattern: &str, name: &str) -> bool {
    COMPILED.with_borrow_mut(|compiled| {
        if !compiled.contains_key(pattern) {
            if compiled.len() >= KEPT {
                compiled.clear();
            }
            compiled.insert(pattern.to_owned(), compile(pattern));
        }
        match compiled.get(pattern) {
            Some(Some(validator)) => {
                validator.validate(&Value::String(name.to_owned())).map_or_else(
                    |e| !matches!(e.kind(), ValidationErrorKind::Pattern { .. }),
                    |()| true,
                )
            }
            _ => true,
        }
    })
}

fn compile(pattern: &str) -> Option<Validator> {
    pattern::options().build(&json!({ "pattern": pattern })).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_ecmascript_and_a_broken_one_matches_all() {
        assert!(matches(r"^x-\d+$", "x-12"));
        assert!(!matches(r"^x-\d+$", "y-12"));
        assert!(matches("(", "anything"));
        assert!(matches("(?=.*b)(?=.*c)a", &"a".repeat(100_000)));
        (0..=KEPT).for_each(|n| assert!(matches(&format!("^a{{{n}}}"), &"a".repeat(n))));
    }
}
