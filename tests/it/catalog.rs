//! What one annotated operation becomes, rule by rule.

use openapi_mcp_filter::catalog::Severity;
use openapi_mcp_filter::tool::{BodyShape, Source};
use serde_json::{Value, json};

use crate::harness::{self, Compiled};

/// Compiles a document with one path; `operation` is the method `post` of `/p/{id}`.
pub(crate) fn compile(operation: &Value, options: &Value) -> Compiled {
    Compiled::of(&document(operation), &harness::options(options), None)
}

pub(crate) fn document(operation: &Value) -> Value {
    let mut operation = operation.clone();
    let map = operation.as_object_mut().unwrap();
    map.entry("operationId").or_insert(json!("op"));
    map.entry("x-agent").or_insert(json!({}));
    json!({
        "openapi": "3.1.0",
        "info": {"title": "T", "version": "1"},
        "servers": [{"url": "https://api.test/v1"}],
        "paths": {"/p/{id}": {
            "parameters": [{"in": "path", "name": "id", "required": true, "schema": {"type": "string"}}],
            "post": operation
        }},
        "components": {"schemas": {
            "Row": {"type": "object", "required": ["id"], "additionalProperties": false, "properties": {
                "id": {"type": "string"},
                "secret": {"type": "string", "x-agent": {"exclude": true}},
                "parent": {"$ref": "#/components/schemas/Row"}
            }}
        }}
    })
}

fn json_body(schema: &Value) -> Value {
    json!({"required": true, "content": {"application/json": {"schema": schema}}})
}

/// The plan of the only tool.
#[track_caller]
pub(crate) fn plan(compiled: &Compiled) -> Value {
    let [tool] = compiled.tools() else { panic!("{:?}", compiled.problems) };
    serde_json::to_value(harness::plan(tool)).unwrap()
}

#[track_caller]
pub(crate) fn input(compiled: &Compiled) -> Value {
    let [tool] = compiled.tools() else { panic!("{:?}", compiled.problems) };
    tool.input_schema.clone()
}

#[track_caller]
pub(crate) fn check_finding(compiled: &Compiled, severity: Severity, at: &str, part: &str) {
    let found = compiled.problems.iter().any(|found| {
        found.severity == severity
            && found.problem.at.contains(at)
            && found.problem.message.contains(part)
    });
    assert!(found, "{:?}", compiled.problems);
}

#[test]
fn headers_of_the_connection_are_no_arguments() {
    let header = |name: &str| json!({"in": "header", "name": name, "schema": {"type": "string"}});
    let operation =
        json!({"parameters": [header("Host"), header("Accept-Encoding"), header("X-A")]});
    let compiled = compile(&operation, &json!({}));
    let properties = input(&compiled)["properties"].clone();
    assert_eq!(properties.as_object().unwrap().keys().collect::<Vec<_>>(), ["id", "X-A"]);
    check_finding(
        &compiled,
        Severity::Warning,
        "/parameters/0",
        "`Host` belongs to the connection",
    );
}

#[test]
fn fixed_values_go_where_the_parameter_or_property_is_declared() {
    let operation = json!({
        "x-agent": {"fixed": {"id": "7", "X-Mode": "m", "sid": "c", "kind": "k", "free": [1, 2]}},
        "parameters": [
            {"in": "header", "name": "X-Mode", "schema": {"type": "string"}},
            {"in": "cookie", "name": "sid", "schema": {"type": "string"}}
        ],
        "requestBody": json_body(&json!({
            "type": "object", "required": ["kind", "name"],
            "properties": {"kind": {"type": "string"}, "name": {"type": "string"}}
        }))
    });
    let compiled = compile(&operation, &json!({}));
    let plan = plan(&compiled);
    let places: Vec<_> = plan["parameters"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| (it["name"].as_str().unwrap(), it["place"].as_str().unwrap()))
        .collect();
    assert_eq!(
        places,
        [("id", "path"), ("X-Mode", "header"), ("sid", "cookie"), ("free", "query")]
    );
    assert_eq!(plan["body"]["fixed"], json!({"kind": "k"}));
    assert_eq!(
        input(&compiled),
        json!({"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"],
            "additionalProperties": false})
    );
    check_finding(&compiled, Severity::Warning, "/x-agent/fixed/free", "`free`");
}

#[test]
fn fixed_properties_of_a_compact_body_are_not_asked_for() {
    let operation = json!({
        "x-agent": {"body": "compact", "fixed": {"kind": "k"}},
        "requestBody": json_body(&json!({
            "type": "object", "required": ["kind"],
            "properties": {"kind": {"type": "string"}, "name": {"type": "string"}}
        }))
    });
    let compiled = compile(&operation, &json!({}));
    let body = &plan(&compiled)["body"];
    assert_eq!(body["schema"]["required"], json!([]));
    let description = input(&compiled)["properties"]["body"]["description"].to_string();
    assert!(description.contains("name?") && !description.contains("kind"), "{description}");
}

#[test]
fn alternatives_are_one_body_argument_and_all_of_is_merged_for_strict_clients() {
    let either = json!({"oneOf": [
        {"type": "object", "properties": {"a": {"type": "string"}}}, {"type": "string"}
    ]});
    let compiled = compile(&json!({"requestBody": json_body(&either)}), &json!({}));
    assert_eq!(input(&compiled)["properties"]["body"], either);
    assert_eq!(input(&compiled)["required"], json!(["id", "body"]));
    let both = json!({"allOf": [
        {"type": "object", "properties": {"a": {"type": "string"}}}, {"required": ["a"]}
    ]});
    let operation = json!({"requestBody": json_body(&both)});
    let portable = input(&compile(&operation, &json!({})));
    assert_eq!(portable["properties"]["a"], json!({"type": "string"}));
    let full = input(&compile(&operation, &json!({"schemaProfile": "full"})));
    assert_eq!(full["properties"]["body"], both);
}

#[test]
fn names_that_strict_clients_refuse_are_cleaned_and_restored_in_the_plan() {
    let operation = json!({
        "parameters": [{"in": "query", "name": "filter[a]", "schema": {"type": "string"}}],
        "requestBody": json_body(&json!({
            "type": "object", "properties": {"filter.a": {}, "filter a": {}, "filter_a": {}}
        }))
    });
    let compiled = compile(&operation, &json!({}));
    let [tool] = compiled.tools() else { panic!("{:?}", compiled.problems) };
    let plan = harness::plan(tool);
    assert_eq!(plan.parameters[1].name, "filter[a]");
    assert_eq!(plan.parameters[1].source, Source::Argument("filter_a".into()));
    let Some(BodyShape::Flat { properties }) = plan.body.as_ref().map(|body| &body.shape) else {
        panic!("{:?}", plan.body)
    };
    let pairs = [
        ("filter.a", "filter.a"),
        ("filter_a__body", "filter a"),
        ("filter_a__body_2", "filter_a"),
    ];
    let expected: Vec<_> = pairs.iter().map(|(a, b)| ((*a).into(), (*b).into())).collect();
    assert_eq!(*properties, expected);
    let full = input(&compile(&operation, &json!({"schemaProfile": "full"})));
    assert!(full["properties"].get("filter[a]").is_some(), "{full}");
}

#[test]
fn definitions_of_all_arguments_stand_at_the_root() {
    let row = json!({"$ref": "#/components/schemas/Row"});
    let operation = json!({
        "parameters": [
            {"in": "query", "name": "q", "content": {"application/json": {"schema": row}}}
        ],
        "requestBody": json_body(&json!({"type": "object", "properties": {"a": row, "b": row}}))
    });
    let schema = input(&compile(&operation, &json!({})));
    assert_eq!(schema["$defs"].as_object().unwrap().len(), 1, "{schema}");
    jsonschema::draft202012::new(&schema).unwrap();
    assert!(!schema.to_string().contains("x-agent"));
}

#[test]
fn header_marks_of_arguments_are_collected() {
    let operation = json!({"parameters": [
        {"in": "query", "name": "region", "schema": {"type": "string", "x-mcp-header": "Region"}},
        {"in": "query", "name": "bad", "schema": {"type": "string", "x-mcp-header": "a b"}}
    ]});
    let compiled = compile(&operation, &json!({}));
    let [tool] = compiled.tools() else { panic!("{:?}", compiled.problems) };
    assert_eq!(Value::Object(tool.param_headers.clone()), json!({"region": "Region"}));
    check_finding(&compiled, Severity::Warning, "/post", "`bad`");
}

#[test]
fn defaults_of_arrays_are_arrays_and_null_defaults_are_none() {
    let list = json!({"type": "array", "items": {"type": "string"}, "default": "a"});
    let operation = json!({
        "x-agent": {"params": {"m": {"default": "b", "enum": ["b"], "maximum": 3}}},
        "parameters": [
            {"in": "query", "name": "l", "schema": list},
            {"in": "query", "name": "m", "schema": list},
            {"in": "query", "name": "n", "schema": {"type": "integer", "default": null}}
        ]
    });
    let schema = input(&compile(&operation, &json!({})));
    let properties = &schema["properties"];
    assert_eq!(properties["l"]["default"], json!(["a"]));
    assert_eq!(
        properties["m"],
        json!({"type": "array", "default": ["b"],
            "items": {"type": "string", "enum": ["b"], "maximum": 3}})
    );
    assert_eq!(properties["n"], json!({"type": "integer"}));
}

#[test]
fn hidden_fields_are_in_no_output_schema_however_deep() {
    let row = json!({"$ref": "#/components/schemas/Row"});
    let schema = json!({"type": "object", "required": ["rows"], "properties": {
        "rows": {"type": "array", "items": row},
        "one": {"oneOf": [row, {"type": "null"}]},
        "map": {"type": "object", "additionalProperties": row}
    }});
    let operation = json!({"responses": {"200": {"description": "ok",
        "content": {"application/json": {"schema": schema}}}}});
    let compiled = compile(&operation, &json!({"structuredContent": true}));
    let [tool] = compiled.tools() else { panic!("{:?}", compiled.problems) };
    let output = tool.output_schema.as_ref().unwrap();
    assert!(!output.to_string().contains("secret"), "{output}");
    assert_eq!(output["type"], "object");
    let validator = jsonschema::draft202012::new(output).unwrap();
    for value in
        [json!({}), json!({"rows": null, "new": 1}), json!({"rows": [{"parent": {"x": 1}}]})]
    {
        assert!(validator.is_valid(&value), "{value}");
    }
}

#[test]
fn markdown_results_have_no_output_schema() {
    let operation = json!({"responses": {"200": {"description": "ok", "content": {
        "application/json": {"schema": {"type": "object"}}, "text/markdown": {}
    }}}});
    let compiled = compile(&operation, &json!({"structuredContent": true}));
    let [tool] = compiled.tools() else { panic!("{:?}", compiled.problems) };
    assert_eq!(tool.output_schema, None);
    assert_eq!(plan(&compiled)["response"]["accept"], "text/markdown");
    assert_eq!(plan(&compiled)["response"]["structured"], false);
}

#[test]
fn the_accepted_types_are_those_of_the_first_successful_response() {
    let types = |content: Value| json!({"description": "x", "content": content});
    let cases = [
        (json!({}), "application/json"),
        (json!({"204": types(json!({}))}), "application/json"),
        (json!({"default": types(json!({"text/csv": {}}))}), "text/csv"),
        (json!({"2XX": types(json!({"application/hal+json": {}}))}), "application/hal+json"),
        (
            json!({"201": types(json!({"text/csv": {}})), "200": types(json!({
                "text/html": {}, "application/hal+json": {}, "application/json; charset=utf-8": {}
            }))}),
            "application/json, application/hal+json",
        ),
        (json!({"400": types(json!({"text/csv": {}}))}), "application/json"),
    ];
    for (responses, expected) in cases {
        let compiled = compile(&json!({"responses": responses}), &json!({}));
        assert_eq!(plan(&compiled)["response"]["accept"], expected, "{responses}");
    }
}

#[test]
fn servers_of_an_operation_count_when_they_are_where_the_upstream_is() {
    let with = |url: &str| compile(&json!({"servers": [{"url": url}]}), &json!({}));
    assert_eq!(plan(&with("https://api.test/v2/"))["basePath"], "/v2");
    assert_eq!(plan(&with("/v3"))["basePath"], "/v3");
    let elsewhere = with("https://files.test");
    assert!(elsewhere.tools().is_empty() && elsewhere.set.is_some());
    check_finding(&elsewhere, Severity::Skipped, "/post/servers/0", "`https://files.test`");
}

#[test]
fn the_query_of_the_base_url_is_sent_unless_the_operation_declares_it() {
    let query = json!([{"in": "query", "name": "v", "schema": {"type": "string"}}]);
    let operation = json!({"parameters": query, "servers": [{"url": "/v2/?v=1&k=a%20b"}]});
    let plan = plan(&compile(&operation, &json!({})));
    assert_eq!(plan["basePath"], "/v2");
    let sent = plan["parameters"].as_array().unwrap().iter();
    let sent: Vec<_> = sent.map(|it| (&it["name"], &it["source"])).collect();
    assert_eq!(sent[1], (&json!("v"), &json!({"argument": "v"})));
    assert_eq!(sent[2], (&json!("k"), &json!({"fixed": "a b"})));
    assert_eq!(sent.len(), 3);
}

#[test]
fn strict_refuses_the_document_for_anything_found() {
    let operations = [
        json!({"x-agent": {"params": {"nothing": {}}}}),
        json!({"x-agent": {"profiles": ["nowhere"]}}),
        json!({"parameters": [{"in": "query", "name": "q", "schema": {"$ref": "#/nothing"}}]}),
        json!({"x-agent": {"response": {"concise": ["nothing"]}}, "responses": {"200": {
            "description": "ok",
            "content": {"application/json": {"schema": {"properties": {"a": {}}}}}
        }}}),
    ];
    for operation in operations {
        let mut document = document(&operation);
        document["x-agent"] = json!({"profiles": {"p": {}}});
        let lenient = Compiled::of(&document, &harness::options(&json!({})), None);
        assert!(lenient.set.is_some() && !lenient.problems.is_empty(), "{operation}");
        let strict = Compiled::of(&document, &harness::options(&json!({"strict": true})), None);
        assert!(strict.set.is_none(), "{operation}");
        assert!(strict.problems.iter().all(|found| found.severity == Severity::Refused));
    }
}

#[test]
fn tools_with_one_name_refuse_the_document_and_name_both_places() {
    let operation = json!({"x-agent": [{"name": "a"}, {"name": "b"}]});
    let mut document = document(&operation);
    document["paths"]["/q"] = json!({"get": {"x-agent": {"name": "b"}, "responses": {}}});
    let compiled = Compiled::of(&document, &harness::options(&json!({})), None);
    assert!(compiled.set.is_none());
    check_finding(&compiled, Severity::Refused, "/paths/~1q/get/x-agent", "/post/x-agent/1");
}

#[test]
fn explicit_names_that_are_too_long_are_refused() {
    let long = "x".repeat(65);
    let compiled = compile(&json!({"x-agent": {"name": long}}), &json!({}));
    assert!(compiled.set.is_none());
    check_finding(&compiled, Severity::Refused, "/x-agent/name", "65 characters");
}

#[test]
fn files_of_a_form_are_base64_arguments() {
    let operation = json!({"requestBody": {"content": {
        "multipart/form-data": {
            "schema": {"type": "object", "required": ["file"], "properties": {
                "file": {"type": "string", "format": "binary"}, "note": {"type": "string"}
            }},
            "encoding": {"file": {"contentType": "image/png"}}
        }
    }}});
    let compiled = compile(&operation, &json!({}));
    let schema = input(&compiled);
    assert_eq!(
        schema["properties"]["file"],
        json!({"type": "string", "contentEncoding": "base64"})
    );
    let body = &plan(&compiled)["body"];
    assert_eq!(body["encoding"], json!([["file", {"contentType": "image/png", "binary": true}]]));
    assert_eq!(body["mediaType"], "multipart/form-data");
    let text = json!({"requestBody": {"content": {"text/plain": {}}}});
    assert_eq!(input(&compile(&text, &json!({})))["properties"]["body"], json!({"type": "string"}));
}

#[test]
fn rows_are_found_by_the_written_key_first_and_else_unescaped() {
    let list = json!({"type": "array", "items": {"type": "object", "properties": {"x": {}}}});
    let with = |properties: Value| {
        let operation = json!({
            "x-agent": {"response": {"rows": "/a~1b"}},
            "responses": {"200": {"description": "ok", "content": {"application/json":
                {"schema": {"type": "object", "properties": properties}}}}}
        });
        plan(&compile(&operation, &json!({})))["response"]["rows"].clone()
    };
    assert_eq!(with(json!({"a/b": list, "a~1b": list})), "a~1b");
    assert_eq!(with(json!({"a/b": list})), "a/b");
    assert_eq!(with(json!({})), "a~1b");
}

fn full(schema: &Value, parameters: &Value) -> Compiled {
    let operation = json!({"parameters": parameters, "requestBody": json_body(schema)});
    let mut document = document(&operation);
    let methods = document["paths"]["/p/{id}"].take();
    document["paths"] = json!({"/p": {"post": methods["post"]}});
    Compiled::of(&document, &harness::options(&json!({"schemaProfile": "full"})), None)
}

#[test]
fn a_closed_body_schema_is_the_input_schema_of_the_full_profile() {
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {"address": {"$anchor": "a", "type": "object"}},
        "properties": {
            "name": {"type": "string", "x-note": 1},
            "home": {"$ref": "#/paths/~1p/post/requestBody/content/application~1json/schema/$defs/address"}
        },
        "allOf": [{"anyOf": [{"required": ["name"]}, {"required": ["home"]}]}],
        "if": {"required": ["name"]}, "then": {}, "else": {"required": ["home"]},
        "additionalProperties": false
    });
    let mut expected = schema.clone();
    expected["properties"] =
        json!({"name": {"type": "string"}, "home": {"$ref": "#/$defs/address"}});
    let compiled = full(&schema, &json!([]));
    assert_eq!(input(&compiled), expected);
    let properties = json!([["name", "name"], ["home", "home"]]);
    assert_eq!(plan(&compiled)["body"]["shape"]["flat"]["properties"], properties);
    // With another argument beside it, it is one argument.
    let parameters = json!([{"in": "query", "name": "q", "schema": {"type": "string"}}]);
    let properties = input(&full(&schema, &parameters))["properties"].clone();
    assert_eq!(properties.as_object().unwrap().keys().collect::<Vec<_>>(), ["q", "body"]);
}

#[test]
fn what_means_something_else_outside_the_document_is_not_copied() {
    let closed = |more: Value| {
        let mut schema = json!({"type": "object", "additionalProperties": false,
            "allOf": [{}], "properties": {"a": {}}});
        schema["properties"]["a"] = more;
        input(&full(&schema, &json!([])))
    };
    assert!(closed(json!({"type": "string"})).get("allOf").is_some());
    for bound in [
        json!({"$ref": "#/components/schemas/Row"}),
        json!({"readOnly": true}),
        json!({"$id": "https://x.test/a"}),
        json!({"$schema": "http://json-schema.org/draft-07/schema#"}),
    ] {
        assert!(closed(bound.clone()).get("allOf").is_none(), "{bound}");
    }
}

#[test]
fn paths_that_share_an_operation_are_both_named() {
    let mut document = document(&json!({"x-agent": {"name": "one"}}));
    let item = document["paths"]["/p/{id}"].take();
    document["components"]["pathItems"] = json!({"Shared": item});
    let shared = json!({"$ref": "#/components/pathItems/Shared"});
    document["paths"] = json!({"/p/{id}": shared, "/old/{id}": shared});
    let compiled = Compiled::of(&document, &harness::options(&json!({})), None);
    assert!(compiled.set.is_none());
    let at = "/components/pathItems/Shared/post/x-agent";
    check_finding(&compiled, Severity::Refused, at, "`POST /p/{id}` and of `POST /old/{id}`");
}
