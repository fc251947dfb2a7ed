//! Whether the violations of a value can be listed within bounds.
//!
//! A verdict is always cheap: the validator remembers what it knows about recursive schemas. Listing
//! the violations visits every branch of every alternative instead, which for a recursive schema
//! grows exponentially with the depth of the value.

use hashbrown::HashSet;
use serde_json::Value;

/// Values looked at.
const MAX_NODES: usize = 5_000;
/// Branches visited.
const MAX_VISITS: usize = 100_000;

/// Whether listing the violations of `value` stays within bounds.
pub(super) fn is_affordable(alternatives: usize, value: &Value) -> bool {
    let (mut nodes, mut depth) = (0, 0);
    measure(value, 1, &mut nodes, &mut depth);
    nodes <= MAX_NODES
        && u32::try_from(depth)
            .ok()
            .and_then(|depth| alternatives.checked_pow(depth))
            .and_then(|branches| branches.checked_mul(nodes))
            .is_some_and(|visits| visits <= MAX_VISITS)
}

fn measure(value: &Value, level: usize, nodes: &mut usize, depth: &mut usize) {
    *nodes += 1;
    match value {
        Value::Array(items) => {
            *depth = level.max(*depth);
            for item in items {
                measure(item, level + 1, nodes, depth);
            }
        }
        Value::Object(members) => {
            *depth = level.max(*depth);
            for member in members.values() {
                measure(member, level + 1, nodes, depth);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// The largest number of alternatives (`oneOf`, `anyOf`) in the recursive parts of a schema; 1 when
/// nothing in it recurses.
pub(super) fn recursive_alternatives(schema: &Value) -> usize {
    let root = std::iter::once(("", schema));
    let defs = schema.get("$defs").and_then(Value::as_object).into_iter().flatten();
    let mut definitions: Vec<(&str, &Value, Vec<&str>)> = root
        .chain(defs.map(|(name, definition)| (name.as_str(), definition)))
        .map(|(name, definition)| {
            let mut targets = Vec::new();
            collect(definition, &mut targets, name.is_empty());
            (name, definition, targets)
        })
        .collect();
    let mut before = usize::MAX;
    while definitions.len() < before {
        before = definitions.len();
        let left: HashSet<&str> = definitions.iter().map(|(name, ..)| *name).collect();
        definitions.retain(|(.., targets)| targets.iter().any(|target| left.contains(target)));
    }
    let recursive = definitions.iter().map(|(_, definition, _)| alternatives(definition));
    recursive.max().unwrap_or(1).max(1)
}

/// The definition a reference points at or into; empty for the root.
fn target(reference: &str) -> &str {
    let definition = reference.strip_prefix("#/$defs/").unwrap_or_default();
    definition.split_once('/').map_or(definition, |(name, _)| name)
}

/// The references inside a schema, those of its definitions only on their own.
fn collect<'s>(schema: &'s Value, targets: &mut Vec<&'s str>, root: bool) {
    match schema {
        Value::Object(members) => {
            for (keyword, value) in members {
                match value {
                    Value::String(reference)
                        if matches!(keyword.as_str(), "$ref" | "$dynamicRef") =>
                    {
                        targets.push(target(reference));
                    }
                    _ if root && keyword == "$defs" => {}
                    _ => collect(value, targets, false),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, targets, false)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn alternatives(schema: &Value) -> usize {
    match schema {
        Value::Object(members) => {
            let own = ["oneOf", "anyOf"]
                .iter()
                .filter_map(|keyword| members.get(*keyword)?.as_array().map(Vec::len));
            own.chain(members.values().map(alternatives)).max().unwrap_or(1)
        }
        Value::Array(items) => items.iter().map(alternatives).max().unwrap_or(1),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 1,
    }
}
