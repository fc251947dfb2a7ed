use serde_json::json;

use super::*;
use crate::tool::{BodyPlan, OperationPlan, Plan};

mod hostile;
mod messages;

/// A tool with an input schema and possibly a compact body with a schema of its own.
fn tool(schema: Value, body: Option<Value>) -> Tool {
    let body = body.map(|schema| BodyPlan {
        media_type: "application/json".to_owned(),
        shape: BodyShape::Whole { argument: "body".to_owned() },
        fixed: Map::new(),
        required: false,
        schema: Some(schema),
        encoding: Vec::new(),
        others: Vec::new(),
        chosen_by: None,
    });
    Tool {
        name: "t".to_owned(),
        title: None,
        description: "t".to_owned(),
        input_schema: schema,
        exact_schema: None,
        output_schema: None,
        annotations: Map::new(),
        examples: Vec::new(),
        param_headers: Map::new(),
        plan: Plan::Operation(Box::new(OperationPlan {
            upstream: "api".to_owned(),
            pointer: String::new(),
            method: "GET".to_owned(),
            base_path: String::new(),
            path: "/".into(),
            parameters: Vec::new(),
            body,
            server: None,
            credentials: Vec::new(),
            response: crate::tool::ResponsePlan::default(),
        })),
    }
}

/// A closed object schema with these properties.
fn object_schema(properties: Value) -> Value {
    json!({"type": "object", "properties": properties, "additionalProperties": false})
}

fn run(tool: &Tool, arguments: &str) -> Result<String, Vec<String>> {
    let arguments: Value = serde_json::from_str(arguments).unwrap();
    check(tool, &Validators::default(), arguments.as_object().unwrap().clone())
        .map(|arguments| Value::Object(arguments).to_string())
        .map_err(|problems| problems.iter().map(ToString::to_string).collect())
}

#[track_caller]
fn accepts(schema: &Value, arguments: &str, expected: &str) {
    assert_eq!(run(&tool(schema.clone(), None), arguments).as_deref(), Ok(expected));
}

#[track_caller]
fn refuses(schema: &Value, arguments: &str, expected: &[&str]) {
    assert_eq!(run(&tool(schema.clone(), None), arguments).unwrap_err(), expected);
}

#[test]
fn integral_floats_are_integers() {
    let schema = object_schema(json!({
        "id": {"type": "integer"}, "n": {"type": "number"}, "list": {"type": "array"}}));
    accepts(
        &schema,
        r#"{"id":7.0,"n":1.50,"list":[1e1,{"x":2.0}]}"#,
        r#"{"id":7,"n":1.50,"list":[10,{"x":2}]}"#,
    );
    accepts(&schema, r#"{"id":12345678901234567890123}"#, r#"{"id":12345678901234567890123}"#);
    refuses(&schema, r#"{"id":10.5}"#, &["/id: expected integer, found number"]);
}

#[test]
fn defaults_fill_absent_properties_only() {
    let schema = object_schema(json!({
        "a": {"type": "integer", "default": 5},
        "nothing": {"type": "integer", "default": null},
        "o": {"type": "object", "properties": {"d": {"default": 7}, "e": {"default": {"f": 1}}}},
    }));
    accepts(&schema, "{}", r#"{"a":5}"#);
    accepts(&schema, r#"{"a":1,"o":{}}"#, r#"{"a":1,"o":{"d":7,"e":{"f":1}}}"#);
    refuses(&schema, r#"{"a":null}"#, &["/a: expected integer, found null"]);
}

#[test]
fn defaults_are_found_through_the_documented_keywords() {
    let filled = json!({"properties": {"d": {"default": 1}}});
    for (schema, given, expected) in [
        (json!({"items": filled}), "[{},{}]", r#"[{"d":1},{"d":1}]"#),
        (json!({"prefixItems": [{}, filled]}), "[{},{}]", r#"[{},{"d":1}]"#),
        (json!({"allOf": [{"allOf": [filled]}]}), "{}", r#"{"d":1}"#),
        (json!({"additionalProperties": filled}), r#"{"x":{}}"#, r#"{"x":{"d":1}}"#),
        (
            json!({"properties": {"y": {}}, "patternProperties": {"^x": filled}, "additionalProperties": filled}),
            r#"{"x1":{},"y":{},"z":{}}"#,
            r#"{"x1":{"d":1},"y":{},"z":{"d":1}}"#,
        ),
        (json!({"if": {"required": ["k"]}, "then": filled}), r#"{"k":1}"#, r#"{"k":1,"d":1}"#),
        (json!({"if": {"required": ["k"]}, "then": filled}), "{}", "{}"),
        (json!({"oneOf": [filled]}), "{}", "{}"),
        (json!({"anyOf": [filled]}), "{}", "{}"),
        (json!({"items": {"default": 1}}), "[]", "[]"),
        (json!({"prefixItems": [{"default": 1}]}), "[]", "[]"),
        (json!({"$ref": "#/$defs/F"}), "{}", r#"{"d":1}"#),
    ] {
        let mut root = object_schema(json!({ "v": schema }));
        root["$defs"] = json!({ "F": filled });
        accepts(&root, &format!(r#"{{"v":{given}}}"#), &format!(r#"{{"v":{expected}}}"#));
    }
}

#[test]
fn defaults_of_recursive_schemas_are_filled_at_every_level() {
    let schema = json!({"type": "object", "properties": {"n": {"$ref": "#/$defs/N"}}, "$defs": {
        "N": {"allOf": [{"$ref": "#/$defs/N2"}], "properties": {"k": {"default": 1}, "next": {"$ref": "#/$defs/N"}}},
        "N2": {"then": {"$ref": "#/$defs/N"}, "if": true},
    }});
    accepts(
        &schema,
        r#"{"n":{"next":{"next":{}}}}"#,
        r#"{"n":{"next":{"next":{"k":1},"k":1},"k":1}}"#,
    );
}

#[test]
fn an_object_that_cannot_be_right_is_not_filled_in() {
    let mut schema = object_schema(json!({
        "a": {"type": "string", "default": {}},
        "b": {"type": ["string", "null"], "default": {}},
        "c": {"allOf": [{"$ref": "#/$defs/C"}], "default": {}},
        "e": {"allOf": [{"$ref": "#/$defs/C"}], "default": {"k": 1}},
    }));
    schema["$defs"] = json!({"C": {"type": "object", "required": ["k"]}});
    accepts(&schema, "{}", r#"{"e":{"k":1}}"#);
}

#[test]
fn a_default_is_checked_like_a_given_value() {
    let schema = object_schema(json!({"a": {"type": "integer", "default": "x"}}));
    refuses(&schema, "{}", &["/a: expected integer, found string"]);
}

#[test]
fn a_compact_body_is_checked_by_its_own_schema() {
    let input = object_schema(json!({"id": {"type": "string"}, "body": {"type": "object"}}));
    let body = json!({"type": "object", "additionalProperties": false, "required": ["title"],
        "properties": {"title": {"type": "string"}, "kind": {"enum": ["a", "b"]}, "count": {"default": 3}}});
    let tool = tool(input, Some(body));
    assert_eq!(
        run(&tool, r#"{"body":{"title":"T"}}"#).unwrap(),
        r#"{"body":{"title":"T","count":3}}"#
    );
    assert_eq!(
        run(&tool, r#"{"id":"1"}"#).unwrap(),
        r#"{"id":"1"}"#,
        "an absent body is not checked"
    );
    assert_eq!(
        run(&tool, r#"{"id":1,"body":{"kind":"z","extra":true}}"#).unwrap_err(),
        [
            "/id: expected string, found number",
            "/body/kind: expected one of `a`, `b`",
            "/body: unknown property `extra`; known: `title`, `kind`, `count`",
            "/body: property `title` is required",
        ]
    );
    assert_eq!(
        run(&tool, r#"{"body":"x"}"#).unwrap_err(),
        ["/body: expected object, found string"],
        "both schemas say so, one problem is enough"
    );
}

#[test]
fn an_unusable_schema_is_reported_and_nothing_is_fetched() {
    for schema in [
        json!({"properties": {"a": {"type": "strin"}}}),
        json!({"properties": {"a": {"pattern": "("}}}),
        json!({"properties": {"a": {"$ref": "#/$defs/none"}}}),
        json!({"properties": {"a": {"$ref": "https://example.org/schema.json"}}}),
    ] {
        let tool = tool(schema, None);
        assert!(Validators::default().prepare(&tool).is_err());
        let problems = run(&tool, "{}").unwrap_err();
        assert!(problems[0].starts_with("cannot be checked, the API's schema has a fault"));
    }
}

#[test]
fn formats_are_checked_and_unknown_ones_ignored() {
    let schema = object_schema(json!({
        "d": {"format": "date"}, "u": {"format": "uuid"}, "i": {"type": "integer", "format": "int64"},
        "x": {"format": "made-up"}}));
    accepts(&schema, r#"{"x":"y","i":1}"#, r#"{"x":"y","i":1}"#);
    refuses(
        &schema,
        r#"{"d":"31/01/2024","u":"1"}"#,
        &[
            "/d: must be a valid `date`, like 2024-01-31",
            "/u: must be a valid `uuid`, like 123e4567-e89b-12d3-a456-426614174000",
        ],
    );
}
