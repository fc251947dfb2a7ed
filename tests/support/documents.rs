//! Made-up annotated documents that mostly compile.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// A document with annotated operations, profiles, skills and shared, recursive schemas.
pub(crate) fn annotated() -> impl Strategy<Value = Value> {
    let operations = prop::collection::vec(operation(), 1..8);
    let schemas = prop::collection::vec(schema(), 3);
    (operations, schemas, text(), "[a-z]{0,4}").prop_map(|(operations, schemas, text, prefix)| {
        let mut paths = Map::new();
        for (index, (method, operation)) in operations.into_iter().enumerate() {
            let mut operation = operation;
            operation["operationId"] = json!(format!("op{index}"));
            let views = operation["x-agent"].as_array_mut();
            for (number, view) in views.into_iter().flatten().enumerate() {
                view["name"] = json!(format!("op{index}_{number}"));
            }
            paths.insert(format!("/p{index}/{{id}}"), json!({ method: operation }));
        }
        let names = ["A", "B", "C"].map(str::to_owned);
        let schemas: Map<_, _> = names.into_iter().zip(schemas).collect();
        json!({
            "openapi": "3.1.0",
            "info": { "title": "T", "version": "1" },
            "servers": [{ "url": "https://api.test/v1" }],
            "tags": [{ "name": "t", "x-agent": { "skill": text, "profiles": ["main"] } }],
            "paths": paths,
            "components": {
                "schemas": schemas,
                "parameters": { "Shared": {
                    "name": "shared", "in": "query", "schema": { "type": "integer" },
                    "x-agent": { "name": "common", "description": text, "maximum": 9 },
                } },
            },
            "x-agent": {
                "namePrefix": prefix,
                "profiles": { "main": {}, "more": { "includes": ["main"] } },
                "skills": [
                    { "name": "s", "description": text, "tools": ["op0", "op1"] },
                    { "name": "long", "description": text, "body": text, "profiles": ["more"] },
                ],
            },
        })
    })
}

fn operation() -> impl Strategy<Value = (&'static str, Value)> {
    let parameter = ("[a-zA-Z][a-z-]{0,6}", prop_oneof![Just("query"), Just("header")], schema());
    let parameters = prop::collection::vec(parameter, 0..4);
    let method = prop_oneof![Just("get"), Just("post"), Just("put"), Just("delete")];
    (method, parameters, schema(), schema(), annotation()).prop_map(
        |(method, parameters, body, answer, mut annotation)| {
            let takes_fields = matches!(method, "post" | "put") && has(&body, "a");
            let views = match &mut annotation {
                Value::Array(views) => views.as_mut_slice(),
                view => std::slice::from_mut(view),
            };
            for view in views.iter_mut().filter_map(Value::as_object_mut) {
                let selects = view.get("response").and_then(|it| it.get("selectParam")).is_some();
                view.retain(|key, _| match key.as_str() {
                    "bodyFields" => takes_fields,
                    "response" => !selects || has(&answer, "a"),
                    _ => true,
                });
            }
            let id = json!({ "name": "id", "in": "path", "required": true, "schema": { "type": "string" } });
            let parameters = parameters.into_iter().map(|(name, place, schema)| {
                json!({ "name": name, "in": place, "schema": schema })
            });
            let shared = json!({ "$ref": "#/components/parameters/Shared" });
            let select = json!({ "name": "select", "in": "query", "schema": { "type": "array" } });
            let parameters: Value = [id, shared, select].into_iter().chain(parameters).collect();
            let mut operation = json!({
                "tags": ["t"],
                "parameters": parameters,
                "responses": { "200": { "description": "ok", "content": { "application/json": { "schema": answer } } } },
                "x-agent": annotation,
            });
            if matches!(method, "post" | "put") {
                operation["requestBody"] =
                    json!({ "content": { "application/json": { "schema": body } } });
            }
            (method, operation)
        },
    )
}

fn has(schema: &Value, property: &str) -> bool {
    schema["properties"][property].is_object()
}

fn annotation() -> impl Strategy<Value = Value> {
    let entries = vec![
        text().prop_map(|text| ("title", text)).boxed(),
        text().prop_map(|text| ("description", text)).boxed(),
        Just(("profiles", json!(["main"]))).boxed(),
        Just(("profiles", json!(["more"]))).boxed(),
        Just(("body", json!("compact"))).boxed(),
        Just(("fixed", json!({ "a": 1, "shared": 2 }))).boxed(),
        text()
            .prop_map(|text| ("params", json!({ "shared": { "default": 3, "description": text } })))
            .boxed(),
        Just(("params", json!({ "shared": { "exclude": true }, "select": { "required": true } })))
            .boxed(),
        Just(("bodyFields", json!(["a"]))).boxed(),
        Just(("response", json!({ "selectParam": "select" }))).boxed(),
        Just(("response", json!({ "concise": ["a", "b"], "detailed": ["c"], "hints": true })))
            .boxed(),
        Just(("examples", json!([{ "id": "1" }]))).boxed(),
        Just(("annotations", json!({ "idempotentHint": true }))).boxed(),
        Just(("response", json!({ "rows": "/a", "concise": ["b", "a"], "detailed": true })))
            .boxed(),
    ];
    let entries = prop::collection::vec(proptest::strategy::Union::new(entries), 0..5);
    let view = entries.prop_map(|entries| {
        entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect::<Value>()
    });
    prop_oneof![4 => view.clone(), 1 => prop::collection::vec(view, 1..3).prop_map(Value::from)]
}

fn schema() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        prop_oneof![Just("string"), Just("integer"), Just("boolean"), Just("number")]
            .prop_map(|name| json!({ "type": name })),
        prop_oneof![Just("A"), Just("B"), Just("C")]
            .prop_map(|name| json!({ "$ref": format!("#/components/schemas/{name}") })),
        prop::collection::vec("[a-z]{1,3}", 1..4)
            .prop_map(|values| json!({ "type": "string", "enum": values })),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        let hidden = inner
            .clone()
            .prop_map(|schema| json!({ "allOf": [schema], "x-agent": { "exclude": true } }));
        let explained = (inner.clone(), text())
            .prop_map(|(schema, text)| json!({ "allOf": [schema], "x-agent": { "hint": text } }));
        let property = prop_oneof![4 => inner.clone(), 1 => hidden, 1 => explained];
        let properties = prop::collection::vec(("[a-e]", property), 0..4).prop_map(|list| {
            let properties: Map<_, _> = list.into_iter().collect();
            json!({ "type": "object", "properties": properties })
        });
        prop_oneof![
            4 => properties,
            1 => inner.clone().prop_map(|schema| json!({ "type": "array", "items": schema })),
            1 => prop::collection::vec(inner, 1..3).prop_map(|list| json!({ "anyOf": list })),
        ]
    })
}

fn text() -> impl Strategy<Value = Value> {
    prop_oneof![
        "[a-zé' ]{1,12}".prop_map(Value::from),
        ("[a-z]{1,6}", "[a-z]{1,6}").prop_map(|(en, fr)| json!({ "en": en, "fr": fr })),
    ]
}
