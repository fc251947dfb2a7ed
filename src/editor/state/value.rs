//! Values: what counts as empty, how a part of a document is written.

use serde_json::{Map, Value};

/// Whether a value is as good as none: nothing, an empty text, array or object.
pub(in crate::editor) fn is_empty(value: Option<&Value>) -> bool {
    match value {
        None => true,
        Some(Value::String(text)) => text.is_empty(),
        Some(Value::Array(items)) => items.is_empty(),
        Some(Value::Object(members)) => members.is_empty(),
        Some(Value::Null | Value::Bool(_) | Value::Number(_)) => false,
    }
}

/// Removes a member; the others keep their order.
pub(in crate::editor) fn remove(members: &mut Map<String, Value>, key: &str) -> bool {
    members.shift_remove(key).is_some()
}

/// Writes what changed between two objects into a third.
pub(super) fn merge_changes(target: &mut Value, before: &Value, after: Option<&Value>) {
    let Some(target) = target.as_object_mut() else { return };
    let none = Map::new();
    let before = before.as_object().unwrap_or(&none);
    let after = after.and_then(Value::as_object).unwrap_or(&none);
    for (key, value) in after {
        if before.get(key) != Some(value) {
            target.insert(key.clone(), value.clone());
        }
    }
    for key in before.keys().filter(|key| !after.contains_key(*key)) {
        remove(target, key);
    }
}

/// Writes a member or item; `None` removes it. A hole in an array becomes `null`, at its end it
/// disappears.
pub(in crate::editor) fn put(target: &mut Value, key: &str, value: Option<Value>) {
    match target {
        Value::Object(members) => match value {
            Some(value) => {
                members.insert(key.to_owned(), value);
            }
            None => {
                remove(members, key);
            }
        },
        Value::Array(items) => put_item(items, key, value),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn put_item(items: &mut Vec<Value>, key: &str, value: Option<Value>) {
    const MOST: usize = 100_000;
    let Some(index) = key.parse::<usize>().ok().filter(|index| *index < MOST) else { return };
    match value {
        Some(value) => {
            if items.len() <= index {
                items.resize(index + 1, Value::Null);
            }
            if let Some(item) = items.get_mut(index) {
                *item = value;
            }
        }
        None if index + 1 == items.len() => {
            items.pop();
        }
        None => {
            if let Some(item) = items.get_mut(index) {
                *item = Value::Null;
            }
        }
    }
}
