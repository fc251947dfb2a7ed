//! Walking extracted JSON Schemas, and merging their `$defs` under one root.

use hashbrown::HashSet;
use serde_json::{Map, Value, json};

use crate::pattern;

use super::names;

/// Where subschemas are; anything else in a schema is data and left alone.
const MAPS: [&str; 5] =
    ["properties", "patternProperties", "$defs", "dependentSchemas", "definitions"];
const LISTS: [&str; 4] = ["allOf", "anyOf", "oneOf", "prefixItems"];
const SINGLE: [&str; 11] = [
    "items",
    "additionalProperties",
    "not",
    "if",
    "then",
    "else",
    "contains",
    "propertyNames",
    "unevaluatedProperties",
    "unevaluatedItems",
    "contentSchema",
];
const REFERENCE: &str = "#/$defs/";

/// Calls `visit` for a schema object and each schema object inside it, outer ones first.
///
/// Schemas come out of a parsed document, whose depth is limited.
pub(super) fn walk(schema: &mut Value, visit: &mut dyn FnMut(&mut Map<String, Value>)) {
    let Some(map) = schema.as_object_mut() else { return };
    visit(map);
    for (key, value) in map.iter_mut() {
        match value {
            Value::Object(members) if MAPS.contains(&key.as_str()) => {
                for member in members.values_mut() {
                    walk(member, visit);
                }
            }
            Value::Array(members) if LISTS.contains(&key.as_str()) => {
                for member in members {
                    walk(member, visit);
                }
            }
            _ if SINGLE.contains(&key.as_str()) => walk(value, visit),
            _ => {}
        }
    }
}

/// Writes `oneOf` as `anyOf`, so that values may match several alternatives.
pub(super) fn open_alternatives(map: &mut Map<String, Value>) {
    let Some(alternatives) = map.shift_remove("oneOf") else { return };
    if !map.contains_key("anyOf") {
        map.insert("anyOf".to_owned(), alternatives);
        return;
    }
    let parts = map.entry("allOf").or_insert_with(|| json!([]));
    if let Value::Array(parts) = parts {
        parts.push(json!({ "anyOf": alternatives }));
    }
}

/// Follows `$ref` into `defs` until a schema is no reference; gives up on a circle.
pub(super) fn follow<'s>(defs: Option<&'s Map<String, Value>>, schema: &'s Value) -> &'s Value {
    const MAX_CHAIN: usize = 32;
    let mut schema = schema;
    for _ in 0..MAX_CHAIN {
        let target = definition(schema).and_then(|name| defs?.get(&name));
        let Some(target) = target else { break };
        schema = target;
    }
    schema
}

/// Removes the definitions at the root of a schema that nothing in it leads to.
pub(super) fn drop_unused_definitions(schema: &mut Value) {
    let Some(Value::Object(mut defs)) =
        schema.as_object_mut().and_then(|map| map.shift_remove("$defs"))
    else {
        return;
    };
    let mut waiting = references(schema);
    let mut used: HashSet<String> = HashSet::new();
    while let Some(name) = waiting.pop() {
        if !used.contains(&name) {
            waiting.extend(defs.get_mut(&name).map(references).unwrap_or_default());
            used.insert(name);
        }
    }
    defs.retain(|name, _| used.contains(name));
    if let Some(map) = schema.as_object_mut().filter(|_| !defs.is_empty()) {
        map.insert("$defs".to_owned(), defs.into());
    }
}

/// The names in `$defs` that a schema refers to.
fn references(schema: &mut Value) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    walk(schema, &mut |map| {
        names.extend(map.get("$ref").and_then(Value::as_str).and_then(target));
    });
    names
}

/// The default of a schema, if the schema itself refuses it.
pub(super) fn wrong_default(schema: &Value) -> Option<&Value> {
    schema.get("default").filter(|default| refuses(schema, default))
}

/// Whether a schema, if it is one, does not allow a value.
pub(super) fn refuses(schema: &Value, value: &Value) -> bool {
    let validator = pattern::options().build(schema).ok();
    validator.is_some_and(|validator| pattern::bounded(|| !validator.is_valid(value)))
}

/// A value in a message.
pub(super) fn shown(value: &Value) -> String {
    const LONGEST: usize = 60;
    let text = value.to_string();
    match text.char_indices().nth(LONGEST).and_then(|(end, _)| text.get(..end)) {
        Some(start) => format!("`{start}…`"),
        None => format!("`{text}`"),
    }
}

/// Whether a schema is satisfied by alternatives or conditions, not by its properties alone.
pub(super) fn has_combinators(schema: &Value) -> bool {
    ["allOf", "anyOf", "oneOf", "not", "if"].iter().any(|key| schema.get(key).is_some())
}

/// A schema with the definition that it only refers to in its own place; its `$defs` stay.
pub(super) fn inline_root(schema: Value) -> Value {
    let defs = schema.get("$defs").and_then(Value::as_object);
    let target = follow(defs, &schema);
    if std::ptr::eq(target, &raw const schema) {
        return schema;
    }
    let mut target = target.clone();
    if let (Some(map), Value::Object(schema)) = (target.as_object_mut(), schema) {
        map.extend(schema.into_iter().filter(|(key, _)| key != "$ref"));
    }
    target
}

/// The name in `$defs` that a schema refers to.
fn definition(schema: &Value) -> Option<String> {
    target(schema.get("$ref")?.as_str()?)
}

pub(super) fn target(reference: &str) -> Option<String> {
    let name = reference.strip_prefix(REFERENCE)?;
    Some(name.replace("~1", "/").replace("~0", "~"))
}

/// Whether `type` names a type or lists it.
pub(super) fn has_type(schema: &Value, name: &str) -> bool {
    match schema.get("type") {
        Some(Value::String(text)) => text == name,
        Some(Value::Array(items)) => items.iter().any(|item| item.as_str() == Some(name)),
        _ => false,
    }
}

/// The `$defs` of a schema that is put together from several.
#[derive(Debug, Default)]
pub(super) struct Definitions(Map<String, Value>);

impl Definitions {
    /// Moves the `$defs` at the root of `schema` here. Equal definitions are shared; another one
    /// that has the same name is renamed, together with the references to it.
    pub(super) fn take(&mut self, schema: &mut Value) {
        let Some(Value::Object(mut defs)) =
            schema.as_object_mut().and_then(|map| map.shift_remove("$defs"))
        else {
            return;
        };
        let renames = self.renames(&mut defs);
        if !renames.is_empty() {
            rename(schema, &renames);
            for definition in defs.values_mut() {
                rename(definition, &renames);
            }
        }
        for (name, value) in defs {
            let new = renames.iter().find(|(old, _)| *old == name).map(|(_, new)| new.clone());
            self.0.insert(new.unwrap_or(name), value);
        }
    }

    /// Old and new names of the definitions that differ from known ones of the same name, or lead to
    /// one that does.
    fn renames(&self, new: &mut Map<String, Value>) -> Vec<(String, String)> {
        let mut differing: Vec<String> = new
            .iter()
            .filter(|(name, value)| self.0.get(*name).is_some_and(|known| known != *value))
            .map(|(name, _)| name.clone())
            .collect();
        let mut done = 0;
        while let Some(name) = differing.get(done).cloned() {
            for (other, definition) in &mut *new {
                let is_known = self.0.contains_key(other) && !differing.contains(other);
                if is_known && references(definition).contains(&name) {
                    differing.push(other.clone());
                }
            }
            done += 1;
        }
        let mut renames: Vec<(String, String)> = Vec::new();
        for name in differing {
            let unused = names::unique(names::clean(&name), |text| {
                self.0.contains_key(text)
                    || new.contains_key(text)
                    || renames.iter().any(|(_, taken)| taken == text)
            });
            renames.push((name, unused));
        }
        renames
    }

    /// The definitions, if there are any.
    pub(super) fn into_map(self) -> Option<Map<String, Value>> {
        (!self.0.is_empty()).then_some(self.0)
    }
}

fn rename(schema: &mut Value, renames: &[(String, String)]) {
    walk(schema, &mut |map| {
        let Some(Value::String(reference)) = map.get_mut("$ref") else { return };
        let Some(name) = target(reference) else { return };
        if let Some((_, new)) = renames.iter().find(|(old, _)| *old == name) {
            *reference = [REFERENCE, new].concat();
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_are_shared_when_equal_and_renamed_when_not() {
        let mut defs = Definitions::default();
        let reference = json!({"$ref": "#/$defs/A"});
        let mut first = json!({"items": reference, "$defs": {"A": {"type": "string"}}});
        let mut same = first.clone();
        let mut other = json!({
            "properties": {"a": reference, "b": {"const": {"$ref": "#/$defs/A"}}},
            "$defs": {"A": {"anyOf": [{"type": "null"}, reference]}}
        });
        for schema in [&mut first, &mut same, &mut other] {
            defs.take(schema);
        }
        assert_eq!(same, json!({"items": {"$ref": "#/$defs/A"}}));
        assert_eq!(
            other,
            json!({"properties": {
                "a": {"$ref": "#/$defs/A_2"},
                "b": {"const": {"$ref": "#/$defs/A"}}
            }})
        );
        let expected = json!({
            "A": {"type": "string"},
            "A_2": {"anyOf": [{"type": "null"}, {"$ref": "#/$defs/A_2"}]}
        });
        assert_eq!(Value::Object(defs.into_map().unwrap()), expected);
    }

    #[test]
    fn a_definition_that_leads_to_a_renamed_one_is_renamed_too() {
        let mut defs = Definitions::default();
        let bundle = |b: &str| {
            let a = json!({"$ref": "#/$defs/B"});
            json!({"$ref": "#/$defs/A", "$defs": {"A": a, "B": {"type": b}}})
        };
        let (mut first, mut second) = (bundle("string"), bundle("integer"));
        defs.take(&mut first);
        defs.take(&mut second);
        assert_eq!(second, json!({"$ref": "#/$defs/A_2"}));
        let all = Value::Object(defs.into_map().unwrap());
        assert_eq!(all["A_2"], json!({"$ref": "#/$defs/B_2"}));
        assert_eq!(all["B_2"], json!({"type": "integer"}));
    }

    #[test]
    fn unused_definitions_are_dropped() {
        let mut schema = json!({"$ref": "#/$defs/A", "$defs": {
            "A": {"items": {"$ref": "#/$defs/B"}}, "B": {}, "C": {"$ref": "#/$defs/B"}
        }});
        drop_unused_definitions(&mut schema);
        let names: Vec<_> = schema["$defs"].as_object().unwrap().keys().collect();
        assert_eq!(names, ["A", "B"]);
    }

    #[test]
    fn references_are_followed_and_circles_end() {
        let defs =
            json!({"a": {"$ref": "#/$defs/b"}, "b": {"type": "null"}, "c": {"$ref": "#/$defs/c"}});
        let defs = defs.as_object();
        assert_eq!(follow(defs, &json!({"$ref": "#/$defs/a"})), &json!({"type": "null"}));
        assert_eq!(follow(defs, &json!({"$ref": "#/$defs/c"})), &json!({"$ref": "#/$defs/c"}));
    }
}
