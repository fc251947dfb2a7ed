use serde_json::json;

use super::*;
use crate::json::parse;

#[test]
fn schemas_are_prepared_as_recorded() {
    let text = include_bytes!("../../../tests/golden-editor/18c-prepare-schema.json");
    let vectors = parse(text).unwrap();
    let cases = vectors["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 5);
    for case in cases {
        let mut expected = case["prepared"].clone();
        // an identifier that only the recorded engine needs
        if expected["$id"] == "_jl" {
            expected.as_object_mut().unwrap().remove("$id");
        }
        assert_eq!(prepare(&case["schema"]), expected, "{}", case["title"]);
    }
}

#[track_caller]
fn check(mut schema: Value, expected: Value) {
    compat::translate(&mut schema, 0);
    assert_eq!(schema, expected);
}

#[test]
fn sections_are_displayed_beside_the_properties() {
    check(
        json!({ "x-display": "tabs", "properties": { "a": true }, "allOf": [true, true] }),
        json!({
            "properties": { "a": true },
            "allOf": [true, true],
            "layout": { "children": ["a", { "comp": "tabs", "children": ["$allOf-0", "$allOf-1"] }] },
        }),
    );
}

#[test]
fn a_layout_that_is_there_is_kept_and_its_children_are_translated() {
    check(
        json!({ "layout": "tabs", "x-if": "a", "properties": { "a": { "x-display": "hidden" } } }),
        json!({ "layout": "tabs", "x-if": "a", "properties": { "a": { "layout": "none" } } }),
    );
}

#[test]
fn names_in_expressions_are_replaced() {
    for (old, new) in [
        ("datasets.0.isRest", "rootData.datasets[0].isRest"),
        ("a.0.b.1.c", "rootData.a.0.b[1].c"),
        ("parent.value.crowd", "parent.data.crowd"),
        ("modelRoot.a && parent.value.b === 'x'", "rootData.a && parent.data.b === 'x'"),
        ("root.a || model.b || value.c", "rootData.a || data.b || data.c"),
        ("context.x", "context.x"),
        ("myvalue.x > 1", "myvalue.x > 1"),
        ("crowd", "rootData.crowd"),
        ("", "rootData."),
    ] {
        let mut schema = json!({ "x-if": old });
        compat::translate(&mut schema, 0);
        assert_eq!(schema["layout"]["if"]["expr"], new, "{old}");
    }
}

#[test]
fn holes_of_urls_are_translated_except_the_query() {
    for (old, new) in [
        ("d?q={q}&{context.f}&x={a.0.b}", "d?q={q}&${context.f}&x=${rootData.a[0].b}"),
        ("{unclosed", "{unclosed"),
        ("", ""),
    ] {
        let mut schema = json!({ "x-fromUrl": old });
        compat::translate(&mut schema, 0);
        assert_eq!(schema["layout"]["getItems"]["url"]["expr"], new, "{old}");
    }
}

#[test]
fn values_that_only_the_api_writes_are_not_required() {
    let id = json!({ "type": "string", "readOnly": true });
    let schema = json!({
        "required": ["id", "title", "row"],
        "properties": {
            "title": { "type": "string" },
            "row": { "$ref": "#/$defs/Row" },
            "rows": { "items": { "required": ["id"], "properties": { "id": { "$ref": "#/$defs/Id" } } } },
        },
        "allOf": [{ "properties": { "id": id } }, { "required": ["id", "title"] }],
        "$defs": {
            "Id": { "allOf": [{ "type": "string" }, { "readOnly": true }] },
            "Base": { "required": ["id"], "properties": { "id": { "$ref": "#/$defs/Id" } } },
            "Row": { "allOf": [{ "$ref": "#/$defs/Base" }], "required": ["id", "n"] },
            "Loop": { "$ref": "#/$defs/Loop", "required": ["id"] },
        },
    });
    let prepared = prepare(&schema);
    for (at, expected) in [
        ("/required", json!(["title", "row"])),
        ("/allOf/1/required", json!(["title"])),
        ("/properties/rows/items/required", json!([])),
        ("/$defs/Base/required", json!([])),
        ("/$defs/Row/required", json!(["n"])),
        ("/$defs/Loop/required", json!(["id"])),
    ] {
        assert_eq!(prepared.pointer(at), Some(&expected), "{at}");
    }
}
