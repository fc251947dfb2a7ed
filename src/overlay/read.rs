//! The text of an overlay, checked (Overlay 1.1 §4.4, and the JSON Schema of the specification).

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::path::Path;
use super::{Action, Change};
use crate::json::{self, Problem};
use crate::suggest::nearest;

/// Reads the actions, or says all that is wrong.
pub(super) fn overlay(text: &[u8], at: &str) -> Result<Vec<Action>, Vec<Problem>> {
    let value = json::parse_text(text).map_err(|problem| {
        let message = format!("neither JSON nor YAML: {}", problem.message);
        vec![Problem::new(at, message)]
    })?;
    let mut reader = Reader { problems: Vec::new(), has_copy: true };
    let actions = reader.root(value, at);
    if reader.problems.is_empty() { Ok(actions) } else { Err(reader.problems) }
}

struct Reader {
    problems: Vec<Problem>,
    /// The version knows `copy`.
    has_copy: bool,
}

impl Reader {
    fn root(&mut self, value: Value, at: &str) -> Vec<Action> {
        let Value::Object(mut map) = value else {
            self.problem(at, "expected an overlay, which is an object");
            return Vec::new();
        };
        self.version(map.get("overlay"), at);
        self.check_keys(&map, &["overlay", "info", "extends", "actions"], at);
        self.info(map.get("info"), &format!("{at}.info"));
        self.text(&map, "extends", at);
        match map.shift_remove("actions") {
            Some(Value::Array(items)) if !items.is_empty() => self.actions(items, at),
            _ => {
                self.problem(&format!("{at}.actions"), "expected a list of at least one action");
                Vec::new()
            }
        }
    }

    fn version(&mut self, version: Option<&Value>, at: &str) {
        let version = version.and_then(Value::as_str).unwrap_or_default();
        let is_of = |minor: &str| {
            let patch = version.strip_prefix(minor);
            patch.is_some_and(|it| !it.is_empty() && it.bytes().all(|b| b.is_ascii_digit()))
        };
        self.has_copy = is_of("1.1.");
        if !self.has_copy && !is_of("1.0.") {
            let message = "expected the version of the Overlay Specification, `1.0.0` or `1.1.0`";
            self.problem(&format!("{at}.overlay"), message);
        }
    }

    fn info(&mut self, info: Option<&Value>, at: &str) {
        let Some(info) = info.and_then(Value::as_object) else {
            self.problem(at, "expected an object with `title` and `version`");
            return;
        };
        self.check_keys(info, &["title", "version", "description"], at);
        for key in ["title", "version"] {
            if !info.contains_key(key) {
                self.problem(&format!("{at}.{key}"), "missing; expected a string");
            }
            self.text(info, key, at);
        }
        if self.has_copy {
            self.text(info, "description", at);
        }
    }

    fn actions(&mut self, items: Vec<Value>, at: &str) -> Vec<Action> {
        let mut actions = Vec::new();
        let mut earlier = BTreeSet::new();
        for (index, item) in items.into_iter().enumerate() {
            let at = format!("{at}.actions[{index}]");
            if !earlier.insert(item.to_string()) {
                self.problem(&at, "this action is repeated");
            }
            actions.extend(self.action(&item, at));
        }
        actions
    }

    fn action(&mut self, item: &Value, at: String) -> Option<Action> {
        let Some(map) = item.as_object() else {
            self.problem(&at, "expected an action, which is an object");
            return None;
        };
        let known = ["target", "update", "remove", "description", "copy"];
        let count = if self.has_copy { known.len() } else { known.len() - 1 };
        self.check_keys(map, known.get(..count).unwrap_or_default(), &at);
        self.text(map, "description", &at);
        if !map.contains_key("target") {
            self.problem(&format!("{at}.target"), "missing; expected a JSONPath");
        }
        let target = self.path(map, "target", &at);
        let copy = self.path(map, "copy", &at);
        let remove = match map.get("remove") {
            None => false,
            Some(Value::Bool(flag)) => *flag,
            Some(_) => {
                self.problem(&format!("{at}.remove"), "expected `true` or `false`");
                false
            }
        };
        let change = match (remove, map.get("update"), copy) {
            (true, ..) => Change::Remove,
            (false, Some(value), _) => Change::Update(value.clone()),
            (false, None, Some(path)) => Change::Copy(path),
            (false, None, None) => Change::Nothing,
        };
        Some(Action { at, target: target?, change })
    }

    fn path(&mut self, map: &Map<String, Value>, key: &str, at: &str) -> Option<Path> {
        let value = map.get(key)?;
        let parsed = match value.as_str() {
            Some(text) => Path::parse(text),
            None => Err("expected a JSONPath, which is a string".to_owned()),
        };
        parsed.map_err(|message| self.problem(&format!("{at}.{key}"), message)).ok()
    }

    /// An optional string.
    fn text(&mut self, map: &Map<String, Value>, key: &str, at: &str) {
        if map.get(key).is_some_and(|value| !value.is_string()) {
            self.problem(&format!("{at}.{key}"), "expected a string");
        }
    }

    fn check_keys(&mut self, map: &Map<String, Value>, known: &[&str], at: &str) {
        for key in map.keys().filter(|key| !key.starts_with("x-") && !known.contains(&key.as_str()))
        {
            let advice = match nearest(key, known) {
                Some(name) => format!("did you mean `{name}`?"),
                None => "extensions start with `x-`".to_owned(),
            };
            self.problem(&format!("{at}.{key}"), format!("unknown key; {advice}"));
        }
    }

    fn problem(&mut self, at: &str, message: impl Into<String>) {
        self.problems.push(Problem::new(at, message));
    }
}
