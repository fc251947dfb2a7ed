use super::*;

#[track_caller]
fn check(schema: Value, expected: Value, plain: bool) {
    let result = portable(schema.clone());
    assert_eq!(result.to_string(), expected.to_string(), "{schema}");
    assert_eq!(is_plain_object(&result), plain, "{result}");
}

#[test]
fn objects_in_all_of_become_one() {
    check(
        json!({ "allOf": [
            { "type": "object", "properties": { "a": { "type": "string" } }, "required": ["a"] },
            { "$ref": "#/$defs/B", "description": "d" },
        ], "$defs": { "B": { "properties": { "b": {}, "a": { "maxLength": 3 } }, "required": ["b", "a"] } } }),
        json!({
            "type": "object",
            "properties": { "a": { "type": "string", "maxLength": 3 }, "b": {} },
            "required": ["a", "b"],
            "description": "d",
            "$defs": { "B": { "properties": { "b": {}, "a": { "maxLength": 3 } }, "required": ["b", "a"] } },
        }),
        true,
    );
}

#[test]
fn closed_parts_close_the_whole() {
    check(
        json!({ "allOf": [
            { "type": "object", "properties": { "a": {} }, "additionalProperties": false },
            { "type": "object", "properties": { "b": {} } },
        ] }),
        json!({ "type": "object", "properties": { "a": {}, "b": {} }, "additionalProperties": false }),
        true,
    );
}

#[test]
fn a_null_alternative_is_dropped() {
    let object = json!({ "type": "object", "properties": { "a": {} } });
    check(
        json!({ "anyOf": [object, { "type": "null" }], "title": "t" }),
        json!({ "type": "object", "properties": { "a": {} }, "title": "t" }),
        true,
    );
    check(json!({ "type": ["object", "null"], "properties": { "a": {} } }), object, true);
}

#[test]
fn real_alternatives_stay() {
    let object = |name: &str| json!({ "type": "object", "properties": { name: {} } });
    let schema = json!({ "oneOf": [object("a"), object("b")] });
    check(schema.clone(), schema, false);
    let schema = json!({ "type": "object", "properties": { "a": {} }, "anyOf": [{ "required": ["a"] }, {}] });
    check(schema.clone(), schema, false);
    let schema = json!({ "allOf": [object("a"), { "not": { "required": ["b"] } }] });
    check(schema.clone(), schema, false);
}

#[test]
fn other_roots_are_not_objects() {
    check(json!({ "type": "array" }), json!({ "type": "array" }), false);
    check(json!(true), json!(true), false);
    check(json!({ "type": "object" }), json!({ "type": "object" }), false);
    check(
        json!({ "properties": { "a": {} } }),
        json!({ "type": "object", "properties": { "a": {} } }),
        true,
    );
    let map =
        json!({ "type": "object", "properties": {}, "additionalProperties": { "type": "string" } });
    check(map.clone(), map, false);
}
