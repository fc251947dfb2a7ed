//! Several media types: of a request body, and of answers.

use openapi_mcp_filter::call::{arguments, request, response};
use openapi_mcp_filter::http::{Headers, UpstreamResponse};
use openapi_mcp_filter::tool::{Content, Tool, ToolResult};
use serde_json::{Value, json};

use crate::harness::{self, Compiled};

/// Compiles one operation, `post /a`, that has no `x-agent` unless it brings some.
fn compile(operation: &Value, options: &Value) -> Compiled {
    let mut operation = operation.clone();
    operation["operationId"] = json!("op");
    let document = json!({
        "openapi": "3.1.0",
        "info": {"title": "T", "version": "1"},
        "servers": [{"url": "https://api.test"}],
        "paths": {"/a": {"post": operation}},
        "components": {"schemas": {
            "Pet": {"type": "object", "required": ["name"], "properties": {
                "name": {"type": "string"}, "parent": {"$ref": "#/components/schemas/Pet"}
            }}
        }}
    });
    let options = crate::exposure::options(&json!("all"), options);
    Compiled::of(&document, &options, None)
}

#[track_caller]
fn tool(compiled: &Compiled) -> &Tool {
    let [tool] = compiled.tools() else { panic!("{:?}", compiled.problems) };
    tool
}

fn pet() -> Value {
    json!({"$ref": "#/components/schemas/Pet"})
}

fn body(content: &[(&str, Value)]) -> Compiled {
    let content = content.iter().map(|(name, schema)| {
        let media = if schema.is_null() { json!({}) } else { json!({"schema": schema}) };
        ((*name).to_owned(), media)
    });
    let content: Value = content.collect::<serde_json::Map<_, _>>().into();
    compile(&json!({"requestBody": {"content": content}}), &json!({}))
}

/// The media types that a call can choose; none where there is no choice.
#[track_caller]
fn check_choice(content: &[(&str, Value)], expected: &[&str]) {
    let compiled = body(content);
    let choice = &tool(&compiled).input_schema["properties"]["contentType"];
    let choice = &choice["enum"];
    let expected = if expected.is_empty() { Value::Null } else { json!(expected) };
    assert_eq!(*choice, expected);
}

#[test]
fn media_types_that_say_nothing_new_are_no_choice() {
    let file =
        json!({"type": "object", "properties": {"f": {"type": "string", "format": "binary"}}});
    let other = json!({"type": "object", "properties": {"id": {"type": "integer"}}});
    let none: &[&str] = &[];
    for (content, expected) in [
        (&["application/json", "application/xml", "application/x-www-form-urlencoded"][..], none),
        (
            &["application/json-patch+json", "application/json", "text/json", "application/*+json"],
            none,
        ),
        (&["application/json", "multipart/form-data"], none),
        (&["application/json", "text/csv", "application/x-ndjson"], none),
        (&["text/plain", "text/x-markdown"], none),
        (
            &[
                "application/apply-patch+yaml",
                "application/json-patch+json",
                "application/merge-patch+json",
            ],
            &["application/json-patch+json", "application/merge-patch+json"],
        ),
    ] {
        let content: Vec<_> = content.iter().map(|name| (*name, pet())).collect();
        check_choice(&content, expected);
    }
    check_choice(
        &[("image/png", Value::Null), ("image/jpeg", Value::Null)],
        &["image/png", "image/jpeg"],
    );
    check_choice(&[("application/json", pet()), ("application/xml", other.clone())], none);
    let list = json!({"type": "array", "items": pet()});
    check_choice(&[("application/json", list), ("application/x-ndjson", pet())], none);
    check_choice(
        &[("multipart/form-data", file.clone()), ("application/json", file)],
        &["application/json", "multipart/form-data"],
    );
    check_choice(
        &[("application/json", pet()), ("text/uri-list", json!({"type": "string"}))],
        &["application/json", "text/uri-list"],
    );
    check_choice(
        &[("application/json", pet()), ("application/x-www-form-urlencoded", other)],
        &["application/json", "application/x-www-form-urlencoded"],
    );
}

/// Content type and body of the request, or the problems of the arguments.
#[track_caller]
fn sent(tool: &Tool, given: &Value) -> Result<(String, String), String> {
    let validators = arguments::Validators::default();
    validators.prepare(tool).unwrap();
    let given = given.as_object().unwrap().clone();
    let request = arguments::check(tool, &validators, given)
        .and_then(|given| request::build(harness::plan(tool), &given));
    let request = request.map_err(|problems| {
        problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    })?;
    let content_type = request.headers.iter().find(|(name, _)| *name == "content-type");
    let content_type = content_type.map(|(_, value)| value.to_string()).unwrap_or_default();
    Ok((content_type, String::from_utf8(request.body.unwrap_or_default()).unwrap()))
}

#[test]
fn the_chosen_media_type_is_sent() {
    let patch = json!({"type": "object"});
    let compiled = body(&[
        ("application/json-patch+json", patch.clone()),
        ("application/merge-patch+json", patch),
    ]);
    let tool = tool(&compiled);
    assert_eq!(tool.exact_schema, None);
    assert_eq!(
        tool.input_schema["properties"]["contentType"],
        json!({
            "type": "string",
            "enum": ["application/json-patch+json", "application/merge-patch+json"],
            "default": "application/json-patch+json",
            "description": "Media type of the body."
        })
    );
    let sent = |given| sent(tool, &given).unwrap();
    let (text, json) = ("{\"a\":1}".to_owned(), "application/json-patch+json".to_owned());
    assert_eq!(sent(json!({"body": {"a": 1}})), (json, text.clone()));
    let merge = "application/merge-patch+json";
    assert_eq!(sent(json!({"body": {"a": 1}, "contentType": merge})), (merge.to_owned(), text));
}

/// A body with a schema of its own for each of three media types.
fn upload() -> Compiled {
    body(&[
        (
            "multipart/form-data",
            json!({"type": "object", "required": ["file", "name"], "properties": {
                "file": {"type": "string", "format": "binary"},
                "name": {"type": "string"},
                "pet": pet(),
                "kind": {"type": "string", "default": "form"}
            }}),
        ),
        (
            "application/json",
            json!({"type": "object", "required": ["url", "name"], "properties": {
                "name": {"type": "string"},
                "url": {"type": "string"},
                "pet": pet(),
                "contentType": {"type": "string"},
                "kind": {"type": "integer"}
            }}),
        ),
        ("text/uri-list", json!({"type": "string"})),
    ])
}

#[test]
fn arguments_that_differ_are_offered_in_all_forms() {
    let compiled = upload();
    let schema = &tool(&compiled).input_schema;
    let names: Vec<_> = schema["properties"].as_object().unwrap().keys().collect();
    assert_eq!(
        names,
        ["name", "url", "pet", "contentType", "kind", "file", "body", "bodyContentType"]
    );
    assert_eq!(schema.get("required"), None);
    assert_eq!(schema.get("allOf"), None);
    assert_eq!(
        schema["properties"]["kind"],
        json!({"anyOf": [{"type": "integer"}, {"type": "string", "default": "form"}]})
    );
    assert_eq!(
        schema["properties"]["bodyContentType"]["description"],
        "Media type of the body. Not all of them take every argument: `name` (required), `url` \
         (required), `pet`, `contentType`, `kind` with `application/json`; `name` (required), \
         `pet`, `kind`, `file` (required) with `multipart/form-data`; `body` with `text/uri-list`."
    );
}

#[test]
fn arguments_are_checked_against_the_chosen_media_type() {
    let compiled = upload();
    let tool = tool(&compiled);
    let sent = |given: Value| sent(tool, &given);
    let (json, text) =
        sent(json!({"name": "n", "url": "u", "contentType": "c", "kind": 1})).unwrap();
    assert_eq!(json, "application/json");
    assert_eq!(text, r#"{"name":"n","url":"u","contentType":"c","kind":1}"#);
    let form = json!({"bodyContentType": "multipart/form-data", "name": "n", "file": "aGk="});
    let (multipart, text) = sent(form).unwrap();
    assert!(multipart.starts_with("multipart/form-data; boundary="), "{multipart}");
    assert!(text.contains("\r\n\r\nhi\r\n") && text.contains("\r\n\r\nform\r\n"), "{text}");
    let list = json!({"bodyContentType": "text/uri-list", "body": "a:b"});
    assert_eq!(sent(list), Ok(("text/uri-list".to_owned(), "a:b".to_owned())));
    let refused = |given: Value, part: &str| {
        let problems = sent(given).unwrap_err();
        assert!(problems.contains(part), "{problems}");
    };
    refused(json!({"name": "n"}), "`url` is required");
    refused(
        json!({"name": "n", "url": "u", "file": "aGk="}),
        "/file: belongs to `multipart/form-data`: set `bodyContentType` to it",
    );
    refused(json!({"name": "n", "url": "u", "kind": "form"}), "/kind: expected integer");
    refused(json!({"bodyContentType": "multipart/form-data", "name": "n"}), "`file` is required");
    refused(
        json!({"bodyContentType": "text/uri-list", "name": "n"}),
        "/name: belongs to `application/json` and `multipart/form-data`: set `bodyContentType` to one of them",
    );
    refused(json!({"bodyContentType": "image/png"}), "/bodyContentType: expected one of");
    refused(json!({"name": "n", "url": "u", "nam": 1}), "did you mean `name`");
}

#[test]
fn the_choice_is_a_choice_in_every_profile() {
    for profile in ["full", "minimal"] {
        let operation = json!({"requestBody": {"required": true, "content": {
            "application/json": {"schema": {"type": "object", "properties": {"a": pet()}}},
            "text/plain": {"schema": {"type": "string"}}
        }}});
        let compiled = compile(&operation, &json!({"schemaProfile": profile}));
        let tool = tool(&compiled);
        assert!(tool.exact_schema.is_some(), "{profile}");
        let plain = json!({"contentType": "text/plain", "body": "x"});
        assert_eq!(sent(tool, &plain), Ok(("text/plain".to_owned(), "x".to_owned())));
        let wrong = json!({"contentType": "text/plain", "a": {"name": "x"}});
        assert!(sent(tool, &wrong).is_err(), "{profile}");
    }
}

#[test]
fn what_an_annotation_says_of_a_body_is_about_one_media_type() {
    let content = json!({
        "application/json": {"schema": pet()}, "text/uri-list": {"schema": {"type": "string"}}
    });
    let operation = json!({"x-agent": {}, "requestBody": {"content": content}});
    let compiled = compile(&operation, &json!({}));
    assert_eq!(tool(&compiled).input_schema["properties"].get("contentType"), None);
}

fn answers(responses: &Value, options: &Value) -> Compiled {
    compile(&json!({"responses": responses}), options)
}

fn answer(status: u16, media_type: &str, body: &Value) -> UpstreamResponse {
    let headers: Headers = [("content-type", media_type)].into_iter().collect();
    UpstreamResponse { status, headers, body: body.to_string().into_bytes() }
}

fn render(tool: &Tool, answer: UpstreamResponse) -> ToolResult {
    let arguments = serde_json::Map::new();
    response::render(harness::plan(tool), &arguments, Ok(answer), &response::Context::default())
}

#[track_caller]
fn check_rendered(tool: &Tool, status: u16, media_type: &str, expected: &str) {
    let all = json!({"a": 1, "b": 2, "c": 3});
    let result = render(tool, answer(status, media_type, &all));
    let [Content::Text(text), ..] = result.content.as_slice() else { panic!("{result:?}") };
    assert_eq!(text, expected, "{status} {media_type}");
}

/// An object that hides one of its properties.
fn hiding(name: &str) -> Value {
    let mut schema = json!({"type": "object", "properties": {"a": {}, "b": {}, "c": {}}});
    schema["properties"][name] = json!({"x-agent": {"exclude": true}});
    schema
}

fn content(types: &[(&str, Value)]) -> Value {
    let types = types.iter().map(|(name, schema)| ((*name).to_owned(), json!({"schema": schema})));
    json!({"description": "d", "content": types.collect::<serde_json::Map<_, _>>()})
}

#[test]
fn answers_are_shown_by_the_schema_of_their_status() {
    let json = |name| content(&[("application/json", hiding(name))]);
    let compiled = answers(
        &json!({"default": json("c"), "200": json("a"), "201": json("b"), "2XX": json("c")}),
        &json!({}),
    );
    let tool = tool(&compiled);
    check_rendered(tool, 200, "application/json", "- **b**: 2\n- **c**: 3");
    check_rendered(tool, 201, "application/json", "- **a**: 1\n- **c**: 3");
    check_rendered(tool, 206, "application/json", "- **a**: 1\n- **b**: 2");
    let plain =
        answers(&json!({"200": json("a"), "default": json("b"), "404": json("c")}), &json!({}));
    let plain = self::tool(&plain);
    assert!(harness::plan(plain).response.cases.is_empty());
    check_rendered(plain, 202, "application/json", "- **b**: 2\n- **c**: 3");
}

#[test]
fn answers_are_shown_by_the_schema_of_their_media_type() {
    let compiled = answers(
        &json!({"200": content(&[
            ("application/vnd.b+json", hiding("b")), ("application/json", hiding("a"))
        ])}),
        &json!({}),
    );
    let tool = tool(&compiled);
    let accept = &harness::plan(tool).response.accept;
    assert_eq!(accept, "application/json, application/vnd.b+json;q=0.5");
    check_rendered(tool, 200, "application/json", "- **b**: 2\n- **c**: 3");
    check_rendered(tool, 200, "Application/Vnd.B+JSON; charset=utf-8", "- **a**: 1\n- **c**: 3");
    check_rendered(tool, 200, "application/problem+json", "- **b**: 2\n- **c**: 3");
}

#[test]
fn a_first_success_without_a_body_leaves_the_others_theirs() {
    let compiled = answers(
        &json!({"200": {"description": "d"}, "201": content(&[("application/json", hiding("b"))])}),
        &json!({}),
    );
    let tool = tool(&compiled);
    check_rendered(tool, 200, "application/json", "- **a**: 1\n- **b**: 2\n- **c**: 3");
    check_rendered(tool, 201, "application/json", "- **a**: 1\n- **c**: 3");
}

#[test]
fn equal_schemas_need_no_cases() {
    let json = |schema: Value| content(&[("application/json", schema)]);
    let inline = json!({"type": "object", "properties": {"name": {"type": "string"}}});
    for responses in [
        json!({"200": json(pet()), "201": json(pet()), "2XX": json(pet())}),
        json!({"200": json(pet()), "201": json(inline), "204": {"description": "d"}}),
    ] {
        let compiled = answers(&responses, &json!({}));
        assert!(harness::plan(tool(&compiled)).response.cases.is_empty(), "{responses}");
    }
}

#[test]
fn results_of_several_forms_have_no_output_schema() {
    let structured = json!({"structuredContent": true});
    let json = |schema: Value| content(&[("application/json", schema)]);
    let list = json!({"type": "array", "items": pet()});
    let same = answers(&json!({"200": json(pet()), "201": json(pet())}), &structured);
    assert!(tool(&same).output_schema.is_some());
    let compiled = answers(&json!({"200": json(list), "202": json(hiding("a"))}), &structured);
    let tool = tool(&compiled);
    assert_eq!(tool.output_schema, None);
    let result = render(tool, answer(202, "application/json", &json!({"a": 1, "b": 2})));
    assert_eq!(result.structured, Some(json!({"b": 2})));
}

#[test]
fn alternatives_that_overlap_can_be_given() {
    let open = |name: &str| {
        json!({"type": "object", "required": ["kind"],
            "properties": {"kind": {"type": "string"}, name: {"type": "string"}}})
    };
    let alternatives = json!([open("a"), open("b")]);
    let operation = json!({"requestBody": {"required": true, "content": {
        "application/json": {"schema": {"oneOf": alternatives}}
    }}});
    for profile in ["portable", "full", "minimal"] {
        let compiled = compile(&operation, &json!({"schemaProfile": profile}));
        let tool = tool(&compiled);
        let shown = &tool.input_schema["properties"]["body"];
        let keywords = ["oneOf", "anyOf"].map(|key| shown.get(key).is_some());
        let expected = match profile {
            "portable" => [false, true],
            "full" => [true, false],
            _ => [false, false],
        };
        assert_eq!(keywords, expected, "{profile}");
        assert!(sent(tool, &json!({"body": {"kind": "k", "a": "x"}})).is_ok(), "{profile}");
        assert!(sent(tool, &json!({"body": {"a": "x"}})).is_err(), "{profile}");
    }
}
