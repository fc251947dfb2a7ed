//! `oneOf` whose alternatives are not told apart.
//!
//! A value must match exactly one alternative, and many documents list alternatives that what one
//! would naturally send matches several of: open objects without a tag, an integer beside a number.
//! What is natural is a value with all properties that an alternative lists.
//! Arguments are checked before anything is sent, so such an operation could not be called. There
//! `oneOf` is taken as `anyOf`, and the API decides; alternatives that do tell values apart, if only
//! by what they require, stay as they are.

use serde_json::{Map, Value};

use super::schema;
use crate::editor::prepare::OVERLAPS;

/// Comparisons of one schema; alternatives beyond stay as they are.
const MAX_STEPS: usize = 20_000;
/// Schemas that are read as one, by `$ref` and `allOf`.
const MAX_PARTS: usize = 64;
/// Formats that do not tell values apart.
const LOOSE_FORMATS: [&str; 7] =
    ["int32", "int64", "float", "double", "password", "byte", "binary"];
/// Levels of values that are compared; further in all are taken as alike.
const MAX_DEPTH: usize = 4;

/// Keywords that say nothing about which values are valid, or that [`Facts`] has a place for.
const PLAIN: [&str; 21] = [
    "$ref",
    "$defs",
    "$comment",
    "title",
    "description",
    "default",
    "example",
    "examples",
    "deprecated",
    "readOnly",
    "writeOnly",
    "contentEncoding",
    "contentMediaType",
    "type",
    "enum",
    "const",
    "properties",
    "required",
    "items",
    "allOf",
    "additionalProperties",
];

/// Writes `oneOf` as `anyOf` wherever alternatives overlap; returns the schema as it was, if there is
/// such a place.
pub(super) fn loosen(schema: &mut Value) -> Option<Value> {
    let mut has_any = false;
    schema::walk(schema, &mut |map| has_any |= map.contains_key("oneOf"));
    if !has_any {
        return None;
    }
    let original = schema.clone();
    let defs = original.get("$defs").and_then(Value::as_object);
    let mut judge = Judge { defs, steps: MAX_STEPS };
    let mut is_changed = false;
    schema::walk(schema, &mut |map| {
        let alternatives = map.get("oneOf").and_then(Value::as_array);
        if alternatives.is_some_and(|list| judge.overlap(list)) {
            schema::open_alternatives(map);
            is_changed = true;
        }
    });
    is_changed.then_some(original)
}

/// Marks each `oneOf` of a form whose alternatives overlap: its alternatives are there to choose from,
/// and a document may match several.
pub(super) fn mark(schema: &mut Value) {
    let original = schema.clone();
    let defs = original.get("$defs").and_then(Value::as_object);
    let mut judge = Judge { defs, steps: MAX_STEPS };
    schema::walk(schema, &mut |map| {
        let alternatives = map.get("oneOf").and_then(Value::as_array);
        if alternatives.is_some_and(|list| judge.overlap(list)) {
            map.insert(OVERLAPS.to_owned(), true.into());
        }
    });
}

/// Compares alternatives.
struct Judge<'s> {
    defs: Option<&'s Map<String, Value>>,
    /// Comparisons that are left.
    steps: usize,
}

/// What a schema says about a value by itself, references and `allOf` followed.
#[derive(Default)]
struct Facts<'s> {
    types: Vec<&'s str>,
    /// The values of `enum` or `const`.
    values: Vec<&'s Value>,
    properties: Vec<(&'s str, &'s Value)>,
    required: Vec<&'s str>,
    /// `additionalProperties`.
    others: Option<&'s Value>,
    items: Option<&'s Value>,
    /// The alternatives of `anyOf` or `oneOf`.
    alternatives: Vec<&'s [Value]>,
    /// Any other keyword.
    limits: Vec<(&'s str, &'s Value)>,
    is_false: bool,
}

impl<'s> Judge<'s> {
    /// Whether what is natural for one alternative also matches another.
    fn overlap(&mut self, alternatives: &[Value]) -> bool {
        let facts: Vec<Facts<'_>> = alternatives.iter().map(|it| self.facts(it)).collect();
        facts.iter().enumerate().any(|(index, one)| {
            let mut others = facts.iter().enumerate().filter(|(other, _)| *other != index);
            others.any(|(_, other)| self.accepts(other, one, 0))
        })
    }

    fn facts<'a>(&self, schema: &'a Value) -> Facts<'a>
    where
        's: 'a,
    {
        let mut facts = Facts::default();
        let mut waiting = vec![schema];
        for _ in 0..MAX_PARTS {
            let Some(schema) = waiting.pop() else { break };
            facts.is_false |= schema == &Value::Bool(false);
            let Some(map) = schema.as_object() else { continue };
            facts.read(map);
            let target = schema::follow(self.defs, schema);
            if !std::ptr::eq(target, schema) {
                waiting.push(target);
            }
            waiting.extend(map.get("allOf").and_then(Value::as_array).into_iter().flatten());
        }
        facts
    }

    /// Whether `schema` accepts a natural value of another one.
    fn accepts(&mut self, schema: &Facts<'_>, other: &Facts<'_>, depth: usize) -> bool {
        if self.steps == 0 || schema.is_false || other.is_false {
            return false;
        }
        self.steps -= 1;
        if let Some((list, rest)) = other.alternatives.split_first() {
            return rest.is_empty()
                && list.iter().any(|one| {
                    let one = self.facts(one);
                    self.accepts(schema, &one, depth)
                });
        }
        let is_limited = schema.limits.iter().any(|limit| !other.limits.contains(limit));
        if is_limited || !schema.takes_type_of(other) || !schema.takes_values_of(other) {
            return false;
        }
        let fits_alternatives = schema.alternatives.iter().all(|list| {
            list.iter().any(|one| {
                let one = self.facts(one);
                self.accepts(&one, other, depth)
            })
        });
        fits_alternatives
            && self.takes_items_of(schema, other, depth)
            && self.takes_members_of(schema, other, depth)
    }

    fn takes_items_of(&mut self, schema: &Facts<'_>, other: &Facts<'_>, depth: usize) -> bool {
        match (schema.items, other.items) {
            (None, _) => true,
            (Some(_), None) => !other.has_type("array"),
            (Some(one), Some(other)) => self.takes(one, other, depth),
        }
    }

    /// Whether an object with all properties of `other` is accepted.
    fn takes_members_of(&mut self, schema: &Facts<'_>, other: &Facts<'_>, depth: usize) -> bool {
        let has = |name: &&str| {
            other.required.contains(name) || other.properties.iter().any(|(known, _)| known == name)
        };
        schema.required.iter().all(has)
            && other.properties.iter().all(|(name, value)| {
                let own = schema.properties.iter().find(|(known, _)| known == name);
                let own = own.map(|(_, own)| *own).or(schema.others);
                own.is_none_or(|own| self.takes(own, value, depth))
            })
    }

    fn takes(&mut self, schema: &Value, other: &Value, depth: usize) -> bool {
        if depth == MAX_DEPTH {
            return true;
        }
        let (schema, other) = (self.facts(schema), self.facts(other));
        self.accepts(&schema, &other, depth + 1)
    }
}

impl<'s> Facts<'s> {
    fn read(&mut self, map: &'s Map<String, Value>) {
        let list = |key: &str| map.get(key).and_then(Value::as_array);
        match map.get("type") {
            Some(Value::String(name)) => self.types.push(name),
            Some(Value::Array(names)) => self.types.extend(names.iter().filter_map(Value::as_str)),
            _ => {}
        }
        self.values.extend(map.get("const").into_iter().chain(list("enum").into_iter().flatten()));
        let properties = map.get("properties").and_then(Value::as_object);
        self.properties.extend(properties.into_iter().flatten().map(|(k, v)| (k.as_str(), v)));
        self.required.extend(list("required").into_iter().flatten().filter_map(Value::as_str));
        self.others = self.others.or(map.get("additionalProperties"));
        self.items = self.items.or(map.get("items"));
        for key in ["anyOf", "oneOf"] {
            self.alternatives.extend(list(key).map(Vec::as_slice));
        }
        let limits = map.iter().map(|(key, value)| (key.as_str(), value));
        self.limits.extend(limits.filter(|(key, value)| match *key {
            "anyOf" | "oneOf" => false,
            "format" => value.as_str().is_some_and(|name| !LOOSE_FORMATS.contains(&name)),
            key => !PLAIN.contains(&key) && !key.starts_with("x-"),
        }));
    }

    fn has_type(&self, name: &str) -> bool {
        self.types.is_empty() || self.types.contains(&name)
    }

    fn takes_type_of(&self, other: &Self) -> bool {
        let takes = |name: &&str| {
            self.types.contains(name) || (*name == "integer" && self.types.contains(&"number"))
        };
        if self.types.is_empty() || other.types.iter().any(takes) {
            return true;
        }
        let is_object = !other.properties.is_empty() || !other.required.is_empty();
        other.types.is_empty() && is_object && self.types.contains(&"object")
    }

    fn takes_values_of(&self, other: &Self) -> bool {
        self.values.is_empty() || other.values.iter().any(|value| self.values.contains(value))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(alternatives: &Value, is_open: bool) {
        let schema = json!({"properties": {"a": {"oneOf": alternatives}}});
        let opened = json!({"properties": {"a": {"anyOf": alternatives}}});
        let expected = if is_open { opened } else { schema.clone() };
        assert_eq!(loosened(&schema), expected, "{alternatives}");
    }

    fn loosened(schema: &Value) -> Value {
        let mut changed = schema.clone();
        let original = loosen(&mut changed);
        assert_eq!(original.is_some(), changed != *schema);
        assert_eq!(&original.unwrap_or_else(|| changed.clone()), schema);
        changed
    }

    fn object(properties: &Value, required: &Value) -> Value {
        json!({"type": "object", "properties": properties, "required": required})
    }

    #[test]
    fn alternatives_that_tell_values_apart_stay() {
        let tagged =
            |tag: &str| object(&json!({"kind": {"const": tag}, "n": {}}), &json!(["kind"]));
        let closed = |name: &str| {
            json!({"type": "object", "properties": {name: {"type": "string"}},
                "required": [name], "additionalProperties": false})
        };
        let deep = |tag: &str| object(&json!({"a": tagged(tag)}), &json!(["a"]));
        for alternatives in [
            json!([{"type": "string"}, {"type": "integer"}]),
            json!([{"type": "string"}, {"type": "array", "items": {"type": "string"}}]),
            json!([{"type": ["array"], "items": {"type": "string"}},
                {"type": "array", "items": {"type": "integer"}}]),
            json!([{"enum": ["a"]}, {"enum": ["b"]}]),
            json!([{"const": 1, "title": "one"}, {"const": 2, "title": "two"}]),
            json!([tagged("a"), tagged("b")]),
            json!([
                object(&json!({"kind": {"const": "a"}}), &json!([])),
                object(&json!({"kind": {"enum": ["b"]}}), &json!([]))
            ]),
            json!([deep("a"), deep("b")]),
            json!([closed("a"), closed("b")]),
            json!([{"required": ["a"]}, {"required": ["b"]}]),
            json!([
                object(&json!({"a": {}}), &json!(["a"])),
                object(&json!({"b": {}}), &json!(["b"]))
            ]),
            json!([{"type": "string", "format": "date"}, {"type": "string", "format": "email"}]),
            json!([{"type": "string", "pattern": "^a"}, {"type": "string", "pattern": "^b"}]),
            json!([{"type": "object", "required": ["a"]}, {"not": {"required": ["a"]}}]),
            json!([{"type": "string"}]),
            json!([{"type": "string"}, false]),
        ] {
            check(&alternatives, false);
        }
    }

    #[test]
    fn alternatives_that_natural_values_match_together_are_opened() {
        let cat = object(&json!({"name": {"type": "string"}, "age": {}}), &json!(["name"]));
        let dog = object(&json!({"name": {"type": "string"}, "bark": {}}), &json!(["name"]));
        for alternatives in [
            json!([{"type": "integer"}, {"type": "number"}]),
            json!([{"type": "string", "enum": ["a"]}, {"type": "string"}]),
            json!([{"type": "string", "format": "date"}, {"type": "string"}]),
            json!([{"type": "string"}, {}]),
            json!([{"type": "string"}, {"type": "string"}]),
            json!([cat, dog]),
            json!([{"allOf": [cat]}, {"allOf": [{"allOf": [dog]}]}]),
            json!([{"type": "array", "items": cat}, {"type": "array", "items": dog}]),
            json!([{"type": "object"}, cat]),
            json!([{"type": "string"}, {"anyOf": [{"type": "integer"}, {"type": "string"}]}]),
            json!([{"oneOf": [{"type": "boolean"}, {"type": "integer"}]}, {"type": "number"}]),
            json!([{"type": "object", "additionalProperties": {"type": "string"}},
                object(&json!({"a": {"type": "string"}}), &json!([]))]),
        ] {
            check(&alternatives, true);
        }
    }

    #[test]
    fn references_are_followed_and_circles_end() {
        let tree = |name: &str| json!({"type": "object", "properties": {"next": {"$ref": format!("#/$defs/{name}")}}});
        let alternatives = json!([{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/B"}]);
        let defs = json!({"A": tree("A"), "B": tree("B"), "C": {"$ref": "#/$defs/C"}});
        let schema = json!({"oneOf": alternatives, "$defs": defs});
        assert_eq!(loosened(&schema), json!({"$defs": defs, "anyOf": alternatives}));
        let circle = json!([{"$ref": "#/$defs/C"}, {"type": "string", "pattern": "a"}]);
        let schema = json!({"oneOf": circle, "$defs": defs});
        assert_eq!(loosened(&schema), json!({"$defs": defs, "anyOf": circle}));
    }

    #[test]
    fn alternatives_beside_others_stay_a_condition_of_their_own() {
        let schema = json!({"oneOf": [{}, {}], "anyOf": [{"a": 1}], "allOf": [{"b": 1}]});
        let expected = json!({"anyOf": [{"a": 1}], "allOf": [{"b": 1}, {"anyOf": [{}, {}]}]});
        assert_eq!(loosened(&schema), expected);
    }

    #[test]
    fn very_many_alternatives_end() {
        let one = |index: usize| object(&json!({"kind": {"const": index}}), &json!(["kind"]));
        let alternatives: Vec<_> = (0..1000).map(one).collect();
        check(&alternatives.into(), false);
    }
}
