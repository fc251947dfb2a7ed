//! Values that the schema marks as read-only, whatever the form makes of it.

use serde_json::{Value, json};

use super::Desk;

fn desk(mut schema: Value, document: Value) -> Desk {
    let members = schema.as_object_mut().unwrap();
    members.entry("type").or_insert("object".into());
    members.insert("$defs".into(), json!({"Ro": {"type": "string", "readOnly": true}}));
    Desk::new(schema, document)
}

fn data(desk: &Desk) -> &Value {
    &desk.session.data
}

/// A value is neither changed by its field nor with the whole document.
#[track_caller]
fn check(schema: Value, document: Value, given: Value) {
    for (key, value) in given.as_object().unwrap() {
        let mut desk = desk(schema.clone(), document.clone());
        let before = data(&desk).clone();
        let path = format!("/{key}");
        for (tool, arguments) in [
            ("setFieldValue", json!({"path": path, "value": value})),
            ("setData", json!({"data": {key: value}})),
            ("setData", json!({"data": {key: value}, "merge": true})),
        ] {
            let answer = desk.call(tool, arguments);
            assert_eq!(*data(&desk), before, "{tool} {given}: {}", answer.text);
            assert!(answer.is_error, "{tool} {given}: {}", answer.text);
        }
    }
}

#[test]
fn read_only_values_are_kept_however_the_schema_marks_them() {
    let ro = json!({"type": "string", "readOnly": true});
    let x = |schema: Value| json!({"properties": {"name": {"type": "string"}, "x": schema}});
    let (is, forged) = (json!({"name": "n", "x": "R"}), json!({"x": "F"}));
    for schema in [
        x(json!({"allOf": [{"$ref": "#/$defs/Ro"}]})),
        x(json!({"readOnly": true})),
        x(json!({"type": ["string", "object"], "readOnly": true})),
        x(json!({"type": "string", "readOnly": true, "layout": {"comp": "card"}})),
        json!({"properties": {"name": {"type": "string"}, "x": ro}, "layout": ["name"]}),
        json!({"properties": {"name": {"type": "string"}}, "additionalProperties": ro}),
        json!({"properties": {"name": {"type": "string"}}, "unevaluatedProperties": ro}),
        json!({"properties": {"name": {"type": "string"}}, "patternProperties": {"^x": ro}}),
        json!({"properties": {"name": {"type": "string"}}, "anyOf": [
            {"type": "object", "properties": {"x": ro}, "required": ["x"]},
            {"type": "object", "properties": {"b": {"type": "string"}}, "required": ["b"]},
        ]}),
    ] {
        check(schema, is.clone(), forged.clone());
    }
    let variant = |tag: &str| {
        json!({"type": "object", "title": tag, "required": ["t"],
            "properties": {"t": {"const": tag}, "v": {"type": "string"}}})
    };
    let union = x(json!({"readOnly": true, "oneOf": [variant("a"), variant("b")]}));
    check(union, json!({"x": {"t": "a", "v": "R"}}), json!({"x": {"t": "b"}}));
    let list = x(json!({"type": "array", "items": ro}));
    check(list, json!({"x": ["R"]}), json!({"x": ["F"]}));
}

#[test]
fn read_only_values_of_entries_are_kept() {
    let entry = json!({"type": "object", "properties": {
        "x": {"type": "string", "readOnly": true}, "v": {"type": "string"}}});
    let schema = json!({"properties": {"m": {"type": "object", "additionalProperties": entry}}});
    let document = json!({"m": {"k": {"x": "R", "v": "1"}}});
    check(schema.clone(), document.clone(), json!({"m": {"k": {"x": "F"}}}));
    let mut desk = desk(schema, document);
    desk.text("setFieldValue", json!({"path": "/m", "value": {"k": {"v": "2"}}}));
    assert_eq!(*data(&desk), json!({"m": {"k": {"v": "2", "x": "R"}}}));
    desk.text("setFieldValue", json!({"path": "/m", "value": {"n": {"v": "2"}}}));
    let given = json!({"path": "/m", "value": {"n": {"v": "2", "x": "new"}}});
    desk.refuses("setFieldValue", given, "/m/n/x");
}

fn rows() -> Desk {
    let row = json!({"type": "object", "properties": {
        "id": {"type": "integer", "readOnly": true}, "k": {"type": "string"}}});
    let document = json!({"rows": [
        {"id": 1, "k": "a"}, {"id": 2, "k": "b"}, {"id": 3, "k": "c"}]});
    desk(json!({"properties": {"rows": {"type": "array", "items": row}}}), document)
}

#[test]
fn items_are_told_by_their_read_only_values() {
    let whole = |rows: Value| json!({"path": "/rows", "value": rows});
    for (given, says) in [
        (json!([{"id": 3, "k": "a"}, {"id": 3, "k": "b"}, {"id": 3, "k": "c"}]), "/id"),
        (json!([{"k": "a2"}, {"k": "b2"}]), "editArray"),
        (json!([{"id": 2, "k": "b"}, {"id": 3, "k": "c"}, {"k": "new"}]), "editArray"),
        (json!([{"id": 1}, {"id": 2}, {"id": 3}, {"id": 4}]), "/rows/3/id"),
        (json!("x"), "rows"),
    ] {
        rows().refuses("setFieldValue", whole(given.clone()), says);
        rows().refuses("setData", json!({"data": {"rows": given}, "merge": true}), says);
    }
    for (given, ids) in [
        (json!([{"k": "a2"}, {"k": "b2"}, {"k": "c2"}]), "[1,2,3]"),
        (json!([{"id": 3, "k": "a"}, {"id": 1, "k": "b"}, {"id": 2, "k": "c"}]), "[3,1,2]"),
        (json!([{"id": 2, "k": "z"}]), "[2]"),
        (json!([{"id": 1}, {"id": 2}, {"id": 3}, {"k": "new"}]), "[1,2,3,null]"),
    ] {
        let mut desk = rows();
        desk.text("setFieldValue", whole(given));
        let rows = data(&desk)["rows"].as_array().unwrap();
        let is: Value = rows.iter().map(|row| row["id"].clone()).collect();
        assert_eq!(is.to_string(), ids);
    }
}

#[test]
fn single_items_are_edited_as_before() {
    let mut desk = rows();
    desk.text("setFieldValue", json!({"path": "/rows/1", "value": {"k": "z"}}));
    assert_eq!(data(&desk)["rows"][1], json!({"k": "z", "id": 2}));
    desk.text(
        "editArray",
        json!({"path": "/rows", "action": "add", "index": 0, "value": {"k": "n"}}),
    );
    desk.text("editArray", json!({"path": "/rows", "action": "remove", "index": 2}));
    assert_eq!(data(&desk)["rows"], json!([{"k": "n"}, {"id": 1, "k": "a"}, {"id": 3, "k": "c"}]));
    let copy = json!({"path": "/rows", "action": "add", "value": {"id": 3, "k": "c"}});
    desk.refuses("editArray", copy, "/rows/3/id");
}

#[test]
fn values_past_the_largest_state_are_kept() {
    let row = json!({"type": "object", "properties": {
        "id": {"type": "integer", "readOnly": true}, "k": {"type": "string"}}});
    let rows: Vec<Value> = (0..9_000).map(|id| json!({"id": id, "k": "a"})).collect();
    let schema = json!({"properties": {
        "rows": {"type": "array", "items": row},
        "z": {"type": "object", "properties": {"x": {"$ref": "#/$defs/Ro"}}}}});
    let limits = crate::editor::state::Limits {
        document_bytes: 1 << 22,
        array_length: 10_000,
        ..Default::default()
    };
    let schema = json!({"type": "object", "$defs": {"Ro": {"type": "string", "readOnly": true}},
        "properties": schema["properties"]});
    let mut desk = Desk::within(schema, json!({"rows": rows, "z": {"x": "R"}}), limits);
    let forged = json!({"data": {"z": {"x": "F"}}, "merge": true});
    desk.refuses("setData", forged, "/z/x");
    let mut turned = rows.clone();
    turned.swap(0, 1);
    desk.text("setFieldValue", json!({"path": "/rows", "value": turned}));
    let mut forged = turned;
    forged[8_999]["id"] = 7.into();
    desk.refuses("setFieldValue", json!({"path": "/rows", "value": forged}), "/rows/8999/id");
}

#[test]
fn empty_lists_and_objects_do_not_clear_plain_fields() {
    let schema = json!({"type": "object", "properties": {
        "n": {"type": "number"}, "t": {"type": "string"}, "l": {"type": "array", "items": {}}}});
    let mut desk = Desk::new(schema, json!({"n": 1, "t": "a", "l": [1]}));
    for (path, value) in
        [("/n", json!([])), ("/n", json!({})), ("/t", json!([])), ("/t", json!({}))]
    {
        desk.refuses("setFieldValue", json!({"path": path, "value": value}), "does not take");
    }
    desk.text("setFieldValue", json!({"path": "/l", "value": []}));
    desk.text("setFieldValue", json!({"path": "/n", "value": null}));
}
