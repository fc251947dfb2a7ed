//! Two schemas for one value made one, property by property.

use serde_json::{Map, Value, json};

use super::keyword::is_annotation;

/// Keywords that look at what other keywords of the same schema leave over.
const OBJECT: [&str; 4] =
    ["properties", "patternProperties", "additionalProperties", "unevaluatedProperties"];
const ARRAY: [&str; 4] = ["prefixItems", "items", "contains", "unevaluatedItems"];
const COUNTED: [&str; 3] = ["contains", "minContains", "maxContains"];
const CONDITION: [&str; 3] = ["if", "then", "else"];

/// How two schemas are made one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rule {
    /// Exactly the values that both accept.
    Exact,
    /// Both together describe one object: `additionalProperties: false` of one does not forbid the
    /// properties of the other.
    Composed,
}

/// The schema `body` with the keywords that stood beside a reference to it.
///
/// Annotations replace those of `body`; anything else must hold too, in an `allOf` where the two
/// cannot be written as one.
pub(super) fn beside(body: Value, siblings: Map<String, Value>) -> Value {
    if siblings.is_empty() {
        return body;
    }
    let body = match body {
        Value::Object(body) => body,
        Value::Bool(true) => return Value::Object(siblings),
        body => return body,
    };
    if let Some(merged) = both(body.clone(), &siblings, Rule::Exact) {
        return Value::Object(merged);
    }
    let mut merged = siblings;
    let parts = merged.entry("allOf").or_insert_with(|| json!([]));
    if let Value::Array(parts) = parts {
        parts.insert(0, Value::Object(body));
    }
    Value::Object(merged)
}

/// A schema for the arguments of a tool, as most clients accept it: `type: object` at the root, and
/// an `allOf` of objects merged property by property.
///
/// Alternatives that no single object can express stay: check with [`is_plain_object`]. An
/// alternative `null` is dropped, because leaving out the arguments says the same.
pub fn portable(schema: Value) -> Value {
    let Value::Object(mut map) = schema else { return schema };
    let definitions = map.shift_remove("$defs");
    let mut map = flatten(map, definitions.as_ref(), 8);
    if is_object_like(&map) && map.get("type") != Some(&json!("object")) {
        map.shift_remove("type");
        map.shift_insert(0, "type".to_owned(), json!("object"));
    }
    map.extend(definitions.map(|definitions| ("$defs".to_owned(), definitions)));
    Value::Object(map)
}

/// Whether a schema describes objects by named properties and nothing else, so that each property
/// can be an argument of its own.
pub fn is_plain_object(schema: &Value) -> bool {
    const OTHER: [&str; 9] =
        ["allOf", "anyOf", "oneOf", "not", "if", "then", "else", "$ref", "dependentSchemas"];
    let has_properties = schema
        .get("properties")
        .and_then(Value::as_object)
        .is_some_and(|properties| !properties.is_empty());
    schema.get("type") == Some(&json!("object"))
        && has_properties
        && !OTHER.iter().any(|key| schema.get(*key).is_some())
}

/// Merges the parts of a root schema where they are objects; otherwise it stays as it is.
fn flatten(
    map: Map<String, Value>,
    definitions: Option<&Value>,
    depth: usize,
) -> Map<String, Value> {
    const MAX_PARTS: usize = 1_000;
    let Some(depth) = depth.checked_sub(1) else { return map };
    let mut rest = map.clone();
    let mut parts = Vec::new();
    for key in ["allOf", "anyOf", "oneOf"] {
        let Some(list) = rest.get(key).and_then(Value::as_array) else { continue };
        let not_null: Vec<Value> =
            list.iter().filter(|part| !is_null_type(part)).cloned().collect();
        if key == "allOf" || not_null.len() == 1 {
            rest.shift_remove(key);
            parts.extend(not_null);
        }
    }
    parts.extend(rest.shift_remove("$ref").map(|reference| json!({ "$ref": reference })));
    if parts.len() > MAX_PARTS {
        return map;
    }
    let merged = parts.into_iter().try_fold(Map::new(), |merged, part| {
        let part = flatten(open(part, definitions)?, definitions, depth);
        let is_mergeable = is_object_like(&part) || part.keys().all(|key| is_annotation(key));
        if !is_mergeable {
            return None;
        }
        both(merged, &part, Rule::Composed)
    });
    merged.and_then(|merged| both(merged, &rest, Rule::Composed)).unwrap_or(map)
}

/// The schema object of a part: with the definition that it refers to in its own place, together with
/// what stands beside the reference. None when that is no schema object.
pub fn open(part: Value, definitions: Option<&Value>) -> Option<Map<String, Value>> {
    let Value::Object(mut map) = part else { return None };
    let Some(reference) = map.shift_remove("$ref") else { return Some(map) };
    let name = reference.as_str()?.strip_prefix("#/$defs/")?;
    match beside(definitions?.get(name)?.clone(), map) {
        Value::Object(map) => Some(map),
        _ => None,
    }
}

fn is_null_type(schema: &Value) -> bool {
    schema.get("type") == Some(&json!("null"))
}

/// Whether a schema accepts objects and nothing it says concerns other types only.
fn is_object_like(schema: &Map<String, Value>) -> bool {
    match schema.get("type") {
        Some(Value::String(name)) => name == "object",
        Some(Value::Array(names)) => {
            names.iter().all(|name| name == "object" || name == "null")
                && names.contains(&json!("object"))
        }
        _ => OBJECT.iter().chain(&["required"]).any(|key| schema.contains_key(*key)),
    }
}

/// One schema that says what both say; `None` where it takes two. Annotations of `second` win.
fn both(
    first: Map<String, Value>,
    second: &Map<String, Value>,
    rule: Rule,
) -> Option<Map<String, Value>> {
    if interfere(&first, second, rule) {
        return None;
    }
    let is_closed = closes(&first) || closes(second);
    let is_open = opens(&first) || opens(second);
    let mut merged = first;
    for (key, value) in second {
        match merged.get_mut(key) {
            None => {
                merged.insert(key.clone(), value.clone());
            }
            Some(known) => *known = together(key, std::mem::take(known), value, rule)?,
        }
    }
    // Composed objects are closed where one of them is, and open where one of them names what else
    // it takes.
    if rule == Rule::Composed && is_closed {
        merged.shift_remove("unevaluatedProperties");
        merged.insert("additionalProperties".to_owned(), Value::Bool(is_open));
    }
    Some(merged)
}

/// What two values of one keyword say together.
fn together(key: &str, first: Value, second: &Value, rule: Rule) -> Option<Value> {
    if is_annotation(key) || first == *second {
        return Some(second.clone());
    }
    match (key, first, second) {
        ("properties", Value::Object(first), Value::Object(second)) => {
            Some(Value::Object(all_properties(first, second, rule)))
        }
        ("required", Value::Array(mut first), Value::Array(second)) => {
            let more: Vec<_> =
                second.iter().filter(|name| !first.contains(name)).cloned().collect();
            first.extend(more);
            Some(Value::Array(first))
        }
        ("type", first, second) => common_types(&first, second),
        ("enum", Value::Array(first), Value::Array(second)) => {
            Some(Value::Array(first.into_iter().filter(|value| second.contains(value)).collect()))
        }
        ("allOf", Value::Array(mut first), Value::Array(second)) => {
            first.extend(second.iter().cloned());
            Some(Value::Array(first))
        }
        ("additionalProperties", _, _) if rule == Rule::Composed => Some(Value::Bool(true)),
        _ => None,
    }
}

fn all_properties(
    first: Map<String, Value>,
    second: &Map<String, Value>,
    rule: Rule,
) -> Map<String, Value> {
    let mut merged = first;
    for (name, schema) in second {
        let schema = match (merged.get(name), schema) {
            (None | Some(Value::Bool(true)), schema) => schema.clone(),
            (Some(known), Value::Bool(true)) => known.clone(),
            (Some(Value::Object(known)), Value::Object(own)) => {
                match both(known.clone(), own, rule) {
                    Some(schema) => Value::Object(schema),
                    None => json!({ "allOf": [known, own] }),
                }
            }
            (Some(_), _) => Value::Bool(false),
        };
        merged.insert(name.clone(), schema);
    }
    merged
}

fn common_types(first: &Value, second: &Value) -> Option<Value> {
    let list = |types: &Value| match types {
        Value::Array(types) => types.clone(),
        name => vec![name.clone()],
    };
    let (first, second) = (list(first), list(second));
    let includes = |types: &[Value], name: &Value| {
        types.contains(name) || (name == "integer" && types.contains(&json!("number")))
    };
    let from_first = first.iter().filter(|name| includes(&second, name));
    let from_second = second.iter().filter(|name| includes(&first, name) && !first.contains(name));
    let mut common: Vec<Value> = from_first.chain(from_second).cloned().collect();
    match common.len() {
        0 => None,
        1 => common.pop(),
        _ => Some(Value::Array(common)),
    }
}

/// Whether keywords of one schema would change what keywords of the other mean.
fn interfere(first: &Map<String, Value>, second: &Map<String, Value>, rule: Rule) -> bool {
    let both_touch = |group: &[&str]| {
        let touches = |map: &Map<String, Value>| group.iter().any(|key| map.contains_key(*key));
        touches(first) && touches(second)
    };
    let only_properties = |map: &Map<String, Value>| {
        OBJECT
            .iter()
            .skip(1)
            .all(|key| map.get(*key).is_none_or(|value| value == &Value::Bool(true)))
    };
    let objects = both_touch(&OBJECT)
        && match rule {
            Rule::Exact => !(only_properties(first) && only_properties(second)),
            Rule::Composed => false,
        };
    objects || both_touch(&ARRAY) || both_touch(&COUNTED) || both_touch(&CONDITION)
}

fn closes(schema: &Map<String, Value>) -> bool {
    ["additionalProperties", "unevaluatedProperties"]
        .iter()
        .any(|key| schema.get(*key) == Some(&Value::Bool(false)))
}

fn opens(schema: &Map<String, Value>) -> bool {
    schema.get("additionalProperties").is_some_and(|value| value != &Value::Bool(false))
}
