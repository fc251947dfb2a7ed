//! What OpenAPI 3.0 says differently from JSON Schema 2020-12, after the keywords are translated.

use serde_json::{Map, Value, json};

use super::keyword::is_annotation;

/// Completes a translated schema; `source` is the schema as written.
pub(super) fn finish(source: &Map<String, Value>, mut out: Map<String, Value>) -> Value {
    let is_marked = |key: &str| source.get(key) == Some(&Value::Bool(true));
    // The second is what Swagger 2.0 documents write instead.
    if is_marked("nullable") || is_marked("x-nullable") {
        out = nullable(out);
    }
    if out.get("default").is_some_and(Value::is_null) && refuses_null(&out) {
        out.shift_remove("default");
    }
    Value::Object(out)
}

/// `nullable: true`: with `type` it adds a type (OpenAPI 3.0 §4.7.24.1; an `enum` must list null
/// itself). Beside `allOf`, `anyOf`, `oneOf` or `$ref` the specification gives it no effect, but
/// authors mean it, and their APIs return null: there it adds an alternative.
fn nullable(mut schema: Map<String, Value>) -> Map<String, Value> {
    let combined = ["$ref", "allOf", "anyOf", "oneOf"].iter().any(|key| schema.contains_key(*key));
    if combined {
        return with_null_alternative(schema);
    }
    if let Some(types) = schema.get_mut("type") {
        *types = match types.take() {
            Value::Array(mut types) => {
                if !types.contains(&json!("null")) {
                    types.push(json!("null"));
                }
                Value::Array(types)
            }
            Value::String(name) if name != "null" => json!([name, "null"]),
            other => other,
        };
    }
    schema
}

/// The schema or null, with its annotations outside.
fn with_null_alternative(schema: Map<String, Value>) -> Map<String, Value> {
    let (mut out, rest): (Map<_, _>, Map<_, _>) =
        schema.into_iter().partition(|(key, _)| is_annotation(key));
    let mut alternatives = match single(rest) {
        Single::AnyOf(alternatives) => alternatives,
        Single::Schema(schema) => vec![schema],
    };
    if !alternatives.iter().any(|schema| schema.get("type") == Some(&json!("null"))) {
        alternatives.push(json!({ "type": "null" }));
    }
    out.insert("anyOf".to_owned(), Value::Array(alternatives));
    out
}

enum Single {
    AnyOf(Vec<Value>),
    Schema(Value),
}

/// A schema without needless nesting: a lone `anyOf` is its alternatives, a lone `allOf` of one
/// schema is that schema.
fn single(schema: Map<String, Value>) -> Single {
    if schema.len() != 1 {
        return Single::Schema(Value::Object(schema));
    }
    match schema.into_iter().next() {
        Some((key, Value::Array(mut schemas))) if key == "allOf" && schemas.len() == 1 => {
            Single::Schema(schemas.pop().unwrap_or(Value::Bool(true)))
        }
        Some((key, Value::Array(schemas))) if key == "anyOf" => Single::AnyOf(schemas),
        other => Single::Schema(Value::Object(other.into_iter().collect())),
    }
}

/// Whether null is certainly not valid.
fn refuses_null(schema: &Map<String, Value>) -> bool {
    let null = json!("null");
    let by_type = schema.get("type").is_some_and(|types| match types {
        Value::Array(types) => !types.contains(&null),
        name => name != &null,
    });
    let by_value =
        schema.get("enum").and_then(Value::as_array).is_some_and(|v| !v.contains(&Value::Null))
            || schema.get("const").is_some_and(|value| !value.is_null());
    let part_refuses = |part: &Value| part.as_object().is_some_and(refuses_null);
    let parts = |key| schema.get(key).and_then(Value::as_array);
    by_type
        || by_value
        || parts("allOf").is_some_and(|parts| parts.iter().any(part_refuses))
        || ["anyOf", "oneOf"]
            .into_iter()
            .filter_map(parts)
            .any(|parts| parts.iter().all(part_refuses))
}
