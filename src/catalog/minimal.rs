//! Input schemas for clients that know neither `$ref` nor combinators nor lists of types.
//!
//! A schema in this form says less than the one it is made from, and accepts all that that one
//! accepts: arguments are checked against the original.

use serde_json::{Map, Value, json};

use super::schema;

/// Schemas written out for one tool; beyond that only types and descriptions.
const MOST_SCHEMAS: usize = 2_000;

/// Levels of schemas that are written out.
const MOST_LEVELS: usize = 12;

/// Keywords that are kept as they are.
const KEPT: [&str; 21] = [
    "type",
    "title",
    "description",
    "enum",
    "default",
    "examples",
    "deprecated",
    "format",
    "required",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "pattern",
    "minItems",
    "maxItems",
    "uniqueItems",
    "x-mcp-header",
];

/// The schema without `$ref`, `$defs`, `allOf`, `anyOf`, `oneOf`, `not`, `const`, conditions and
/// lists of types.
pub(super) fn minimal(schema: &Value) -> Value {
    let definitions = schema.get("$defs").and_then(Value::as_object);
    let mut writer = Writer { definitions, open: Vec::new(), count: 0 };
    writer.schema(schema, 0).into()
}

struct Writer<'s> {
    definitions: Option<&'s Map<String, Value>>,
    /// Names of the definitions that are being written.
    open: Vec<String>,
    count: usize,
}

impl<'s> Writer<'s> {
    fn schema(&mut self, schema: &'s Value, level: usize) -> Map<String, Value> {
        let Value::Object(map) = schema else { return Map::new() };
        self.count += 1;
        if level >= MOST_LEVELS || self.count > MOST_SCHEMAS {
            return self.outline(map);
        }
        let mut out = Map::new();
        for (key, value) in map.iter().filter(|(key, _)| KEPT.contains(&key.as_str())) {
            out.insert(key.clone(), value.clone());
        }
        settle_type(&mut out);
        if let Some(value) = map.get("const").filter(|value| !value.is_null()) {
            out.insert("enum".to_owned(), json!([value]));
        }
        self.parts(map, &mut out, level);
        if let Some(target) = self.enter(map) {
            let target = self.schema(target, level);
            self.open.pop();
            absorb(&mut out, target);
        }
        let all_of = map.get("allOf").and_then(Value::as_array);
        for part in all_of.into_iter().flatten() {
            let part = self.schema(part, level);
            absorb(&mut out, part);
        }
        for key in ["anyOf", "oneOf"] {
            let alternatives = map.get(key).and_then(Value::as_array);
            if let Some(alternatives) = alternatives {
                self.alternatives(alternatives, &mut out, level);
            }
        }
        close(&mut out);
        out
    }

    /// What the schema says about the parts of a value.
    fn parts(&mut self, map: &'s Map<String, Value>, out: &mut Map<String, Value>, level: usize) {
        if let Some(properties) = map.get("properties").and_then(Value::as_object) {
            let properties = properties.iter().filter(|(_, schema)| *schema != &Value::Bool(false));
            let properties: Map<_, _> = properties
                .map(|(name, schema)| (name.clone(), self.schema(schema, level + 1).into()))
                .collect();
            out.insert("properties".to_owned(), properties.into());
        }
        for key in ["items", "additionalProperties"] {
            match map.get(key) {
                Some(Value::Bool(false)) if key == "additionalProperties" => {
                    out.insert(key.to_owned(), false.into());
                }
                Some(part @ Value::Object(_)) => {
                    out.insert(key.to_owned(), self.schema(part, level + 1).into());
                }
                _ => {}
            }
        }
    }

    /// The definition that a schema refers to, unless it is being written already.
    fn enter(&mut self, map: &Map<String, Value>) -> Option<&'s Value> {
        let name = schema::target(map.get("$ref")?.as_str()?)?;
        let target = self.definitions?.get(&name).filter(|_| !self.open.contains(&name))?;
        self.open.push(name);
        Some(target)
    }

    /// Adds what all of the alternatives have in common.
    fn alternatives(&mut self, list: &'s [Value], out: &mut Map<String, Value>, level: usize) {
        let is_null = |schema: &&Value| schema.get("type") != Some(&json!("null"));
        let mut found: Vec<_> =
            list.iter().filter(is_null).map(|it| self.schema(it, level)).collect();
        if found.len() > 1 {
            one_of(&found, out);
        } else if let Some(only) = found.pop() {
            absorb(out, only);
        }
    }

    /// Type and description, of what a schema refers to if need be.
    fn outline(&self, map: &Map<String, Value>) -> Map<String, Value> {
        let target = map.get("$ref").and_then(Value::as_str).and_then(schema::target);
        let target = target.and_then(|name| self.definitions?.get(&name)?.as_object());
        let mut out = Map::new();
        for key in ["type", "description"] {
            let value = map.get(key).or_else(|| target?.get(key));
            out.extend(value.map(|value| (key.to_owned(), value.clone())));
        }
        settle_type(&mut out);
        close(&mut out);
        out
    }
}

/// Makes a list of types one type, or a remark.
fn settle_type(out: &mut Map<String, Value>) {
    if let Some(values) = out.get_mut("enum").and_then(Value::as_array_mut) {
        values.retain(|value| !value.is_null());
    }
    let is_empty = |values: &Value| values.as_array().is_some_and(Vec::is_empty);
    for key in ["enum", "required"] {
        if out.get(key).is_some_and(is_empty) {
            out.shift_remove(key);
        }
    }
    if out.get("default").is_some_and(Value::is_null) {
        out.shift_remove("default");
    }
    let Some(Value::Array(types)) = out.get("type") else { return };
    let types: Vec<Value> = types.iter().filter(|name| *name != "null").cloned().collect();
    out.shift_remove("type");
    match types.as_slice() {
        [] => {}
        [name] => {
            out.shift_insert(0, "type".to_owned(), name.clone());
        }
        names => {
            let names: Vec<&str> = names.iter().filter_map(Value::as_str).collect();
            remark(out, &names);
        }
    }
}

/// Says what an array and an object need to say.
fn close(out: &mut Map<String, Value>) {
    if out.get("type") == Some(&json!("array")) {
        out.entry("items").or_insert_with(|| json!({}));
    }
    let Some(names) = out.get("properties").and_then(Value::as_object) else { return };
    let names: Vec<String> = names.keys().cloned().collect();
    if let Some(Value::Array(required)) = out.get_mut("required") {
        required.retain(|name| name.as_str().is_some_and(|it| names.iter().any(|n| n == it)));
    }
    settle_required(out);
}

fn settle_required(out: &mut Map<String, Value>) {
    if out.get("required").and_then(Value::as_array).is_some_and(Vec::is_empty) {
        out.shift_remove("required");
    }
}

fn type_of(schema: &Map<String, Value>) -> Option<&str> {
    schema.get("type")?.as_str()
}

/// Adds what another schema for the same value says.
fn absorb(out: &mut Map<String, Value>, other: Map<String, Value>) {
    for (key, value) in other {
        match (out.get_mut(&key), value) {
            (None, value) => {
                out.insert(key, value);
            }
            (Some(Value::Object(known)), Value::Object(more)) if key == "properties" => {
                for (name, schema) in more {
                    known.entry(name).or_insert(schema);
                }
            }
            (Some(Value::Array(known)), Value::Array(more)) if key == "required" => {
                let more: Vec<_> = more.into_iter().filter(|name| !known.contains(name)).collect();
                known.extend(more);
            }
            // Parts of one object may each be closed without the properties of the others.
            (Some(known @ Value::Bool(false)), Value::Object(open))
                if key == "additionalProperties" =>
            {
                *known = open.into();
            }
            (Some(_), _) => {}
        }
    }
}

/// Alternatives of one type: all their properties or values, and what all of them require.
fn unite(found: &[Map<String, Value>], out: &mut Map<String, Value>) {
    let all = |key: &str| found.iter().all(|schema| schema.contains_key(key));
    if found.iter().any(|schema| schema.contains_key("properties")) {
        let mut properties = Map::new();
        for (name, schema) in
            found.iter().filter_map(|it| it.get("properties")?.as_object()).flatten()
        {
            match properties.get_mut(name) {
                None => drop(properties.insert(name.clone(), schema.clone())),
                Some(known) => either(known, schema),
            }
        }
        out.insert("properties".to_owned(), properties.into());
    }
    if all("required") {
        let lists = || found.iter().filter_map(|schema| schema.get("required")?.as_array());
        let first = lists().next().into_iter().flatten();
        let common = first.filter(|name| lists().all(|list| list.contains(name)));
        out.insert("required".to_owned(), common.cloned().collect());
        settle_required(out);
    }
    if all("enum") {
        let mut values: Vec<Value> = Vec::new();
        for value in found.iter().filter_map(|schema| schema.get("enum")?.as_array()).flatten() {
            if !values.contains(value) {
                values.push(value.clone());
            }
        }
        out.insert("enum".to_owned(), values.into());
    }
    for key in ["items", "additionalProperties"] {
        if let Some(first) = found.first().and_then(|schema| schema.get(key))
            && found.iter().all(|schema| schema.get(key) == Some(first))
        {
            out.insert(key.to_owned(), first.clone());
        }
    }
}

/// Makes a schema accept what another one accepts, too.
fn either(known: &mut Value, other: &Value) {
    let (Value::Object(first), Value::Object(second)) = (&mut *known, other) else { return };
    if first == second {
        return;
    }
    let found = [std::mem::take(first), second.clone()];
    let description = found.iter().find_map(|schema| schema.get("description"));
    first.extend(description.map(|text| ("description".to_owned(), text.clone())));
    one_of(&found, first);
}

/// Adds what several alternatives have in common.
fn one_of(found: &[Map<String, Value>], out: &mut Map<String, Value>) {
    let mut types: Vec<&str> = Vec::new();
    for name in found.iter().filter_map(type_of) {
        if !types.contains(&name) {
            types.push(name);
        }
    }
    match types.as_slice() {
        [name] if found.iter().all(|schema| schema.contains_key("type")) => {
            let mut common = Map::new();
            common.insert("type".to_owned(), (*name).into());
            unite(found, &mut common);
            absorb(out, common);
        }
        types => remark(out, types),
    }
}

fn remark(out: &mut Map<String, Value>, types: &[&str]) {
    if types.is_empty() {
        return;
    }
    let remark = format!("Type: {}.", types.join(" or "));
    let text = match out.get("description").and_then(Value::as_str) {
        Some(text) => format!("{text} {remark}"),
        None => remark,
    };
    out.insert("description".to_owned(), text.into());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(schema: Value, expected: Value) {
        assert_eq!(minimal(&schema), expected);
    }

    #[test]
    fn references_are_written_out_and_recursion_ends() {
        check(
            json!({ "type": "object", "properties": { "n": { "$ref": "#/$defs/N", "description": "own" } },
                "$defs": { "N": { "type": "object", "description": "d", "properties": { "next": { "$ref": "#/$defs/N" } } } } }),
            json!({ "type": "object", "properties": { "n": {
                "description": "own", "type": "object", "properties": { "next": {} } } } }),
        );
    }

    #[test]
    fn alternatives_become_one_schema_that_accepts_all_of_them() {
        check(
            json!({ "anyOf": [{ "type": "string", "enum": ["a"] }, { "const": "b", "type": "string" }, { "type": "null" }] }),
            json!({ "type": "string", "enum": ["a", "b"] }),
        );
        check(
            json!({ "anyOf": [{ "type": "string", "minLength": 1 }, { "type": "null" }] }),
            json!({ "type": "string", "minLength": 1 }),
        );
        check(
            json!({ "description": "d", "oneOf": [{ "type": "string" }, { "type": "array", "items": { "type": "string" } }] }),
            json!({ "description": "d Type: string or array." }),
        );
        check(
            json!({ "oneOf": [
                { "type": "object", "required": ["k", "a"], "properties": { "k": { "type": "string", "const": "x" }, "a": { "type": "integer" } } },
                { "type": "object", "required": ["k"], "properties": { "k": { "type": "string", "const": "y" }, "a": { "type": "string" } } },
            ] }),
            json!({ "type": "object", "required": ["k"], "properties": {
                "k": { "type": "string", "enum": ["x", "y"] }, "a": { "description": "Type: integer or string." },
            } }),
        );
    }

    #[test]
    fn lists_of_types_become_one_type_or_a_remark() {
        check(json!({ "type": ["string", "null"], "default": null }), json!({ "type": "string" }));
        check(
            json!({ "description": "d", "type": ["string", "integer"] }),
            json!({ "description": "d Type: string or integer." }),
        );
        check(json!({ "type": ["array", "null"] }), json!({ "type": "array", "items": {} }));
        check(json!({ "enum": ["a", null] }), json!({ "enum": ["a"] }));
    }

    #[test]
    fn parts_of_one_object_are_merged_and_the_rest_is_left_out() {
        check(
            json!({ "allOf": [
                { "type": "object", "properties": { "a": {} }, "required": ["a"] },
                { "properties": { "b": { "type": "string" }, "c": false }, "required": ["b", "c"], "not": {} },
            ], "if": {}, "then": {}, "patternProperties": {}, "additionalProperties": false }),
            json!({ "additionalProperties": false, "type": "object",
                "properties": { "a": {}, "b": { "type": "string" } }, "required": ["a", "b"] }),
        );
    }

    #[test]
    fn references_that_double_stay_small() {
        let mut definitions = Map::new();
        for i in 0..40 {
            let next = json!({ "$ref": format!("#/$defs/{}", i + 1) });
            definitions.insert(
                i.to_string(),
                json!({ "type": "object", "properties": { "l": next, "r": next } }),
            );
        }
        let schema = json!({ "$ref": "#/$defs/0", "$defs": definitions });
        assert!(minimal(&schema).to_string().len() < 500_000);
    }
}
