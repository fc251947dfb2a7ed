//! Forms of declared schemas as APIs write them: what only the API sets, and discriminators.

use openapi_mcp_filter::http::UpstreamRequest;
use serde_json::{Value, json};

use super::desk::{Desk, Process, answer};

/// A form of `record`, which is loaded and saved.
fn document(version: &str, record: &Value, schemas: &Value) -> Value {
    let mut schemas = schemas.clone();
    schemas["Record"] = record.clone();
    let content = json!({"application/json": {"schema": {"$ref": "#/components/schemas/Record"}}});
    json!({
        "openapi": version, "info": {"title": "T", "version": "1"},
        "servers": [{"url": "https://api.test"}],
        "components": {"schemas": schemas},
        "paths": {"/r": {
            "get": {"operationId": "read", "responses": {}},
            "put": {
                "operationId": "write", "responses": {}, "requestBody": {"content": content},
                "x-agent": {"name": "rec", "editor": {"readOperation": "read"}},
            },
        }},
    })
}

/// Loads `record`, runs the calls, and saves; answers the text that describes it, and what is sent.
#[track_caller]
fn edited(document: &Value, record: &Value, calls: &[(&str, Value)]) -> (String, Value) {
    let desk = Desk::new(&Process::new(), document);
    let api = |request: &UpstreamRequest| {
        let body = if request.method == "GET" { record } else { &Value::Null };
        answer(200, &[], body)
    };
    for (tool, arguments) in calls {
        desk.call("u", (tool, arguments.clone()), api).succeeds();
    }
    let text = desk.call("u", ("rec_describeState", json!({})), api).succeeds().text;
    let saved = desk.call("u", ("rec_saveForm", json!({})), api);
    assert!(!saved.is_error, "{}\n{text}", saved.text);
    let body = saved.requests.last().and_then(|request| request.body.clone()).unwrap();
    (text, serde_json::from_slice(&body).unwrap())
}

#[test]
fn what_only_the_api_sets_is_not_asked_for() {
    let base = json!({"type": "object", "required": ["id"], "properties": {
        "id": {"type": "string", "readOnly": true}}});
    let record = json!({"allOf": [{"$ref": "#/components/schemas/Base"}, {
        "type": "object", "required": ["id", "title"], "properties": {"title": {"type": "string"}},
    }]});
    for version in ["3.0.3", "3.1.0"] {
        let document = document(version, &record, &json!({"Base": base}));
        let calls = [("rec_setData", json!({"data": {"title": "t"}}))];
        let (_, sent) = edited(&document, &json!({}), &calls);
        assert_eq!(sent, json!({"title": "t"}));
        let (text, sent) = edited(&document, &json!({"id": "1", "title": "t"}), &[]);
        assert_eq!(sent, json!({"id": "1", "title": "t"}));
        assert!(text.contains("/id (text, readOnly)"), "{text}");
    }
}

fn animals(extra: &Value) -> Value {
    let animal = |name: &str| {
        json!({"type": "object", "required": ["petType"], "properties": {
            "petType": {"type": "string"}, name: {"type": "integer"},
            "friend": {"$ref": "#/components/schemas/Pet"}}})
    };
    let list = ["Cat", "Dog"].map(|name| json!({"$ref": format!("#/components/schemas/{name}")}));
    let mut pet = json!({"oneOf": list});
    pet.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
    json!({"Cat": animal("lives"), "Dog": animal("bark"), "Pet": pet})
}

fn owner() -> Value {
    json!({"type": "object", "properties": {"pet": {"$ref": "#/components/schemas/Pet"}}})
}

#[test]
fn variants_are_told_apart_by_their_discriminator() {
    let mapping = json!({"dog": "#/components/schemas/Dog", "cat": "Cat"});
    for (tag, extra) in [
        ("dog", json!({"discriminator": {"propertyName": "petType", "mapping": mapping}})),
        ("Dog", json!({"discriminator": {"propertyName": "petType"}})),
        ("dog", json!({})),
    ] {
        let document = document("3.0.3", &owner(), &animals(&extra));
        let record = json!({"pet": {"petType": tag, "bark": 9,
            "friend": {"petType": tag, "bark": 1}}});
        let (text, sent) = edited(&document, &record, &[]);
        assert_eq!(sent, record, "{text}");
        assert!(text.contains("Dog") && text.contains("Cat"), "{text}");
        if extra.get("discriminator").is_some() {
            assert!(text.contains("/pet/$oneOf/1/bark"), "{text}");
            let choice = [("rec_setFieldValue", json!({"path": "/pet/$oneOf", "value": 1}))];
            let (text, sent) = edited(&document, &json!({"pet": {}}), &choice);
            assert_eq!(sent["pet"]["petType"], json!(tag), "{text}");
        }
    }
}
