//! Values that only the API writes are not asked of whoever edits.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

/// Deepest nesting that is looked at.
const MAX_DEPTH: usize = 128;
/// Schemas that are read as one, by `$ref` and `allOf`.
const MAX_PARTS: usize = 64;

/// Drops `readOnly` properties from `required`, in a schema and the schemas inside it.
pub(super) fn release(schema: &mut Value) {
    let whole = schema.clone();
    visit(schema, &whole, &BTreeSet::new(), 0);
}

/// `around` are names that schemas of the same value drop.
fn visit(schema: &mut Value, whole: &Value, around: &BTreeSet<String>, depth: usize) {
    let Value::Object(map) = schema else { return };
    if depth > MAX_DEPTH {
        return;
    }
    let mut dropped = around.clone();
    collect(map, whole, &mut dropped);
    if let Some(Value::Array(required)) = map.get_mut("required") {
        required.retain(|name| name.as_str().is_none_or(|name| !dropped.contains(name)));
    }
    let none = BTreeSet::new();
    for (keyword, value) in map.iter_mut() {
        let around = match keyword.as_str() {
            "allOf" | "anyOf" | "oneOf" | "then" | "else" | "dependentSchemas" | "dependencies" => {
                &dropped
            }
            "properties"
            | "patternProperties"
            | "definitions"
            | "$defs"
            | "prefixItems"
            | "items"
            | "additionalProperties" => &none,
            _ => continue,
        };
        let is_map = matches!(
            keyword.as_str(),
            "properties"
                | "patternProperties"
                | "definitions"
                | "$defs"
                | "dependentSchemas"
                | "dependencies"
        );
        match value {
            Value::Array(list) => {
                for schema in list {
                    visit(schema, whole, around, depth + 1);
                }
            }
            Value::Object(members) if is_map => {
                for schema in members.values_mut() {
                    visit(schema, whole, around, depth + 1);
                }
            }
            value => visit(value, whole, around, depth + 1),
        }
    }
}

/// Names of the `readOnly` properties of a schema, of its reference and of its `allOf` parts.
fn collect(map: &Map<String, Value>, whole: &Value, names: &mut BTreeSet<String>) {
    let mut waiting = vec![map];
    for _ in 0..MAX_PARTS {
        let Some(map) = waiting.pop() else { return };
        let properties = map.get("properties").and_then(Value::as_object);
        let own = properties.into_iter().flatten().filter(|(_, it)| is_read_only(it, whole));
        names.extend(own.map(|(name, _)| name.clone()));
        push_parts(map, whole, &mut waiting);
    }
}

fn is_read_only(schema: &Value, whole: &Value) -> bool {
    let mut waiting: Vec<_> = schema.as_object().into_iter().collect();
    for _ in 0..MAX_PARTS {
        let Some(map) = waiting.pop() else { return false };
        if map.get("readOnly") == Some(&Value::Bool(true)) {
            return true;
        }
        push_parts(map, whole, &mut waiting);
    }
    false
}

fn push_parts<'s>(
    map: &'s Map<String, Value>,
    whole: &'s Value,
    waiting: &mut Vec<&'s Map<String, Value>>,
) {
    let parts = map.get("allOf").and_then(Value::as_array).into_iter().flatten();
    waiting.extend(parts.filter_map(Value::as_object));
    waiting.extend(target(map, whole));
}

fn target<'s>(map: &Map<String, Value>, whole: &'s Value) -> Option<&'s Map<String, Value>> {
    let pointer = map.get("$ref")?.as_str()?.strip_prefix('#')?;
    whole.pointer(pointer)?.as_object()
}
