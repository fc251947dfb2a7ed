//! Public bug reports about requests, each with the value that is right by the specifications.

use super::*;
use crate::{
    call::arguments::{self, Validators},
    tool::{Plan, Tool},
};

/// A tool with these properties and parameters, called with JSON text that keeps number notation.
fn call(properties: Value, fields: Value, arguments: &str) -> Result<UpstreamRequest, String> {
    let tool = Tool {
        name: "t".to_owned(),
        title: None,
        description: "t".to_owned(),
        input_schema: json!({"type": "object", "properties": properties, "additionalProperties": false}),
        exact_schema: None,
        output_schema: None,
        annotations: Map::new(),
        examples: Vec::new(),
        param_headers: Map::new(),
        plan: Plan::Operation(Box::new(plan(fields))),
    };
    let plan = tool.plan.operation().unwrap();
    let arguments = object(serde_json::from_str(arguments).unwrap());
    arguments::check(&tool, &Validators::default(), arguments)
        .and_then(|arguments| build(plan, &arguments))
        .map_err(|problems| problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))
}

#[track_caller]
fn target(properties: Value, parameters: Value, arguments: &str, expected: &str) {
    let fields = json!({"path": "/t", "parameters": parameters});
    assert_eq!(call(properties, fields, arguments).unwrap().path, format!("/v1/t{expected}"));
}

fn renamed(argument: &str, name: &str) -> Value {
    let mut parameter = parameter("query", name, "form", true);
    parameter["source"] = json!({ "argument": argument });
    parameter
}

#[test]
fn wire_names_are_restored_exactly() {
    target(
        json!({"before": {"type": "string"}, "after": {"type": "string"}}),
        json!([renamed("before", "StartTime<"), renamed("after", "StartTime>")]),
        r#"{"before":"2026-01-31","after":"2026-01-01"}"#,
        "?StartTime%3C=2026-01-31&StartTime%3E=2026-01-01",
    );
    target(
        json!({"rule_names": {"type": "array"}}),
        json!([renamed("rule_names", "rule_name[]")]),
        r#"{"rule_names":["a b","c"]}"#,
        "?rule_name%5B%5D=a+b&rule_name%5B%5D=c",
    );
}

#[test]
fn a_null_default_is_not_sent() {
    target(
        json!({"limit": {"type": "integer", "default": null}, "sort": {"type": "string", "default": "asc"}}),
        json!([renamed("limit", "limit"), renamed("sort", "sort")]),
        "{}",
        "?sort=asc",
    );
}

#[test]
fn integral_floats_are_sent_as_integers() {
    let properties = json!({"id": {"type": "integer"}, "count": {"type": "integer"}});
    let fields = json!({"path": "/h/{id}", "parameters": [
        parameter("path", "id", "simple", false), parameter("query", "count", "form", true)]});
    let request = call(properties.clone(), fields.clone(), r#"{"id":7.0,"count":1e1}"#).unwrap();
    assert_eq!(request.path, "/v1/h/7?count=10");
    assert!(call(properties, fields, r#"{"id":7,"count":10.5}"#).is_err());
}

#[test]
fn values_without_explode_are_delimited() {
    let tags = json!({"tags": {"type": "array"}});
    let parameters = json!([parameter("query", "tags", "form", false)]);
    target(tags.clone(), parameters.clone(), r#"{"tags":["red","blue"]}"#, "?tags=red,blue");
    target(tags, parameters, r#"{"tags":["a,b","c d"]}"#, "?tags=a%2Cb,c+d");
}

#[test]
fn deep_objects_keep_their_name() {
    target(
        json!({"filter": {"type": "object"}, "page": {"type": "object"}}),
        json!([
            parameter("query", "filter", "deepObject", true),
            parameter("query", "page", "deepObject", true)
        ]),
        r#"{"filter":{"eq":"x&y"},"page":{"size":10,"eq":"z"}}"#,
        "?filter%5Beq%5D=x%26y&page%5Bsize%5D=10&page%5Beq%5D=z",
    );
}

#[test]
fn booleans_are_lower_case_everywhere() {
    let fields = json!({"path": "/f/{deep}", "parameters": [
        parameter("path", "deep", "simple", false), parameter("query", "reverse", "form", true),
        parameter("query", "flags", "form", false), parameter("header", "X-Dry", "simple", false)]});
    let properties = json!({"deep": {}, "reverse": {}, "flags": {}, "X-Dry": {}});
    let arguments = r#"{"deep":true,"reverse":false,"flags":[true,false],"X-Dry":true}"#;
    let request = call(properties, fields, arguments).unwrap();
    assert_eq!(request.path, "/v1/f/true?reverse=false&flags=true,false");
    assert_eq!(header(&request, "x-dry"), Some("true"));
}

#[test]
fn one_name_in_two_places_are_two_values() {
    let mut query = parameter("query", "id", "form", true);
    query["source"] = json!({"argument": "id_query"});
    let fields =
        json!({"path": "/u/{id}", "parameters": [parameter("path", "id", "simple", false), query]});
    let request = call(json!({"id": {}, "id_query": {}}), fields, r#"{"id":"a","id_query":"b"}"#);
    assert_eq!(request.unwrap().path, "/v1/u/a?id=b");
}

#[test]
fn constants_with_titles_are_a_choice() {
    let properties = json!({
        "sort": {"type": "string", "default": "asc", "oneOf": [{"const": "asc", "title": "A"}, {"const": "desc", "title": "D"}]},
        "visibility": {"type": "array", "items": {"type": "string", "oneOf": [{"const": "public"}, {"const": "private"}]}},
        "v": {"const": 1}});
    let fields = json!({"parameters": [parameter("query", "sort", "form", true),
        parameter("query", "visibility", "form", false), parameter("query", "v", "form", true)]});
    let arguments = r#"{"sort":"desc","visibility":["public","private"],"v":1}"#;
    let request = call(properties.clone(), fields.clone(), arguments).unwrap();
    assert_eq!(request.path, "/v1/x?sort=desc&visibility=public,private&v=1");
    assert_eq!(
        call(properties, fields, r#"{"sort":"up","visibility":["secret"],"v":2}"#).unwrap_err(),
        "/sort: expected one of `asc`, `desc`\n\
         /visibility/0: expected one of `public`, `private`\n/v: expected `1`"
    );
}

#[test]
fn null_is_kept_inside_a_body() {
    let fields = json!({"method": "POST", "body": {"mediaType": "application/json", "required": true,
        "shape": {"flat": {"properties": [["name", "name"], ["price", "price"]]}}}});
    let properties = json!({"name": {"type": "string"}, "price": {"type": ["number", "null"]}});
    let request = call(properties.clone(), fields.clone(), r#"{"price":null,"name":"n"}"#).unwrap();
    assert_eq!(request.body.unwrap(), br#"{"name":"n","price":null}"#);
    assert_eq!(
        call(properties, fields, r#"{"name":null}"#).unwrap_err(),
        "/name: expected string, found null"
    );
}

#[test]
fn the_projection_argument_replaces_its_fixed_value() {
    let selection = |explode: bool, fallback: Value| {
        json!({"parameters": [{"name": "select", "place": "query", "style": "form", "explode": explode,
            "source": {"selection": {"argument": "fields", "fallback": fallback}}}]})
    };
    for (explode, fallback, arguments, expected) in [
        (false, json!("a"), json!({"fields": ["b", "c"]}), "?select=b,c"),
        (true, json!("a"), json!({"fields": ["b", "c"]}), "?select=b&select=c"),
        (false, json!("a"), json!({"fields": []}), "?select=a"),
        (false, json!("a"), json!({}), "?select=a"),
        (false, json!(null), json!({}), ""),
        (false, json!(null), json!({"fields": []}), ""),
    ] {
        let request = send(selection(explode, fallback), arguments);
        assert_eq!(request.path, format!("/v1/x{expected}"));
    }
}
