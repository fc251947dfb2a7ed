//! Reading one object of the configuration, key by key, collecting problems with their key paths.

use serde_json::{Map, Value};

use super::words::{expected, printable, quote, unknown_key};
use crate::json::Problem;

/// One object being read.
#[derive(Debug)]
pub(super) struct Fields<'v, 'p> {
    at: String,
    map: &'v Map<String, Value>,
    problems: &'p mut Vec<Problem>,
}

impl<'v, 'p> Fields<'v, 'p> {
    /// Opens `value`, which is at the key path `at`; reports a wrong type and every unknown key.
    pub(super) fn open(
        value: &'v Value,
        at: String,
        known: &[&str],
        problems: &'p mut Vec<Problem>,
    ) -> Option<Self> {
        let Value::Object(map) = value else {
            problems.push(Problem::new(at, expected("an object", value)));
            return None;
        };
        let mut fields = Self { at, map, problems };
        for key in map.keys().filter(|key| !known.contains(&key.as_str())) {
            fields.problem(key, unknown_key(key, known));
        }
        Some(fields)
    }

    /// Whether the key is there, whatever its value.
    pub(super) fn has(&self, key: &str) -> bool {
        self.map.contains_key(key)
    }

    /// The value of a key through `parse`, whose error becomes a problem; `None` if that failed or
    /// the key is absent.
    pub(super) fn read<T>(
        &mut self,
        key: &str,
        parse: impl FnOnce(&Value) -> Result<T, String>,
    ) -> Option<T> {
        match parse(self.map.get(key)?) {
            Ok(value) => Some(value),
            Err(message) => {
                self.problem(key, message);
                None
            }
        }
    }

    /// Like [`read`](Self::read), but the key has to be there; `what` says what its value is.
    pub(super) fn require<T>(
        &mut self,
        key: &str,
        what: &str,
        parse: impl FnOnce(&Value) -> Result<T, String>,
    ) -> Option<T> {
        if !self.has(key) {
            self.problem(key, format!("missing; expected {what}"));
        }
        self.read(key, parse)
    }

    /// The elements of a list of distinct texts, each through `parse`; an absent list is empty.
    pub(super) fn texts(
        &mut self,
        key: &str,
        parse: impl Fn(&Value) -> Result<String, String>,
    ) -> Vec<String> {
        let mut out = Vec::new();
        for (index, item) in self.items(key).iter().enumerate() {
            let at = format!("{key}[{index}]");
            match parse(item) {
                Ok(text) if out.contains(&text) => {
                    self.problem(&at, format!("{} is repeated", quote(&text)));
                }
                Ok(text) => out.push(text),
                Err(message) => self.problem(&at, message),
            }
        }
        out
    }

    /// The elements of a list, unread; an absent list is empty.
    pub(super) fn items(&mut self, key: &str) -> &'v [Value] {
        match self.map.get(key) {
            Some(Value::Array(items)) => items,
            Some(other) => {
                self.problem(key, expected("a list", other));
                &[]
            }
            None => &[],
        }
    }

    /// Like [`items`](Self::items), but there has to be at least one `what`.
    pub(super) fn required_items(&mut self, key: &str, what: &str) -> &'v [Value] {
        let items = self.items(key);
        let message = match self.map.get(key) {
            None => format!("missing; expected a list of at least one {what}"),
            Some(Value::Array(items)) if items.is_empty() => {
                format!("expected at least one {what}, found an empty list")
            }
            Some(_) => return items,
        };
        self.problem(key, message);
        items
    }

    /// The object under a key, opened.
    pub(super) fn child(&mut self, key: &str, known: &[&str]) -> Option<Fields<'v, '_>> {
        let value = self.map.get(key)?;
        self.open_at(key, value, known)
    }

    /// One element of a list of objects, opened.
    pub(super) fn element(
        &mut self,
        key: &str,
        index: usize,
        value: &'v Value,
        known: &[&str],
    ) -> Option<Fields<'v, '_>> {
        self.open_at(&format!("{key}[{index}]"), value, known)
    }

    /// The object at a path below this object, opened.
    pub(super) fn open_at(
        &mut self,
        key: &str,
        value: &'v Value,
        known: &[&str],
    ) -> Option<Fields<'v, '_>> {
        let at = self.path(key);
        Fields::open(value, at, known, self.problems)
    }

    /// The keys and values under a key that holds an object with free keys.
    pub(super) fn entries(&mut self, key: &str) -> Option<&'v Map<String, Value>> {
        match self.map.get(key)? {
            Value::Object(map) => Some(map),
            other => {
                self.problem(key, expected("an object", other));
                None
            }
        }
    }

    /// Reports a problem with a key of this object.
    pub(super) fn problem(&mut self, key: &str, message: impl Into<String>) {
        let at = self.path(key);
        self.problems.push(Problem::new(at, message));
    }

    /// Reports a problem with this object as a whole.
    pub(super) fn problem_here(&mut self, message: impl Into<String>) {
        self.problems.push(Problem::new(self.at.clone(), message));
    }

    fn path(&self, key: &str) -> String {
        let key = printable(key);
        if self.at.is_empty() { key } else { [&self.at, ".", &key].concat() }
    }
}
