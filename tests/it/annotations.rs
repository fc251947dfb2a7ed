//! Annotations that say something odd: what has no effect is reported, what is meant is understood.

use openapi_mcp_filter::call::arguments::{self, Validators};
use openapi_mcp_filter::call::request;
use openapi_mcp_filter::catalog::Severity;
use openapi_mcp_filter::json::Problem;
use serde_json::{Value, json};

use crate::catalog::{check_finding, compile, document, input, plan};
use crate::harness::{self, Compiled};

fn answer(schema: &Value) -> Value {
    json!({"200": {"description": "ok", "content": {"application/json": {"schema": schema}}}})
}

#[test]
fn settings_without_an_effect_are_reported() {
    let row = json!({"type": "object", "properties": {"id": {}}});
    let rows = json!({"type": "object", "properties": {"list": {"type": "array", "items": row}}});
    let query = json!([{"in": "query", "name": "q", "required": true, "schema": {}}]);
    let cases = [
        (json!({"body": "compact"}), json!({}), "/body", "no request body"),
        (json!({"bodyFields": ["a"]}), json!({}), "/bodyFields", "no request body"),
        (json!({"response": {"detailed": true}}), json!({}), "/detailed", "without `concise`"),
        (
            json!({"response": {"rows": "/rows"}}),
            json!({"responses": answer(&rows)}),
            "/response/rows",
            "`rows`",
        ),
        (
            json!({"response": {"rows": "/list", "concise": ["id", "name"]}}),
            json!({"responses": answer(&rows)}),
            "/response/concise",
            "`name`",
        ),
        (
            json!({"params": {"q": {"exclude": true}}}),
            json!({"parameters": query}),
            "/x-agent",
            "the API requires it",
        ),
        (json!({"params": {"no": {}}}), json!({}), "/params/no", "no parameter"),
        (
            json!({}),
            json!({"responses": answer(&json!({"type": "object", "x-agent": {"exclude": true}}))}),
            "/x-agent",
            "hides nothing",
        ),
        (
            json!({}),
            json!({"responses": answer(&json!({"items": {"x-agent": {"exclude": true}}}))}),
            "/x-agent",
            "hides nothing",
        ),
        (json!({"fixed": {"no": 1}}), json!({}), "/fixed/no", "sent in the query"),
    ];
    for (annotation, mut operation, at, part) in cases {
        operation["x-agent"] = annotation;
        let compiled = compile(&operation, &json!({}));
        assert_eq!(compiled.problems.len(), 1, "{operation}: {:?}", compiled.problems);
        check_finding(&compiled, Severity::Warning, at, part);
        assert_eq!(compiled.tools().len(), 1, "{operation}");
        assert!(compile(&operation, &json!({"strict": true})).set.is_none(), "{operation}");
    }
}

#[test]
fn open_answers_and_wanted_exclusions_are_not_reported() {
    let open = json!({"type": "object", "additionalProperties": {}, "properties": {"a": {}}});
    let query = json!([{"in": "query", "name": "q", "required": true, "schema": {}}]);
    for operation in [
        json!({"x-agent": {"response": {"rows": "/r"}}, "responses": answer(&open)}),
        json!({"x-agent": {"response": {"rows": "/r"}}, "responses": answer(&json!({}))}),
        json!({"x-agent": {"response": {"rows": "/r"}}}),
        json!({"x-agent": {"fixed": {"q": 1}, "params": {"q": {"exclude": true}}}, "parameters": query}),
        json!({"x-agent": {"params": {"q": {"exclude": true, "required": false}}}, "parameters": query}),
    ] {
        assert_eq!(compile(&operation, &json!({})).problems, [], "{operation}");
    }
}

#[test]
fn a_default_that_its_schema_refuses_is_reported() {
    let operation = json!({
        "x-agent": {"params": {
            "over": {"default": 12, "maximum": 10},
            "other": {"default": "z", "enum": ["a"]},
            "list": {"default": "z", "enum": ["a"]},
            "fine": {"default": 10, "maximum": 10}
        }},
        "parameters": [
            {"in": "query", "name": "over", "schema": {"type": "integer"}},
            {"in": "query", "name": "other", "schema": {"type": "string"}},
            {"in": "query", "name": "list", "schema": {"type": "array", "items": {}}},
            {"in": "query", "name": "fine", "schema": {"type": "integer"}},
            {"in": "query", "name": "own", "schema": {"type": "integer", "default": "x"}}
        ]
    });
    let compiled = compile(&operation, &json!({}));
    assert_eq!(compiled.problems.len(), 4, "{:?}", compiled.problems);
    for (default, name) in
        [("12", "over"), ("\"z\"", "other"), ("[\"z\"]", "list"), ("\"x\"", "own")]
    {
        let part = format!("the default `{default}` of the parameter `{name}`");
        check_finding(&compiled, Severity::Warning, "/parameters/", &part);
    }
}

#[test]
fn annotations_beside_references_to_a_parameter_win_key_by_key() {
    let operation = json!({
        "x-agent": {"params": {"q": {"default": "third"}}},
        "parameters": [{"$ref": "#/components/parameters/R", "x-agent": {
            "description": "second", "default": "second"
        }}]
    });
    let mut document = document(&operation);
    document["components"]["parameters"] = json!({
        "R": {"$ref": "#/components/parameters/Q", "x-agent": {"name": "renamed", "maximum": 9}},
        "Q": {"in": "query", "name": "q", "schema": {"type": "string"}, "x-agent": {
            "name": "first", "description": "first", "required": true
        }}
    });
    let compiled = Compiled::of(&document, &harness::options(&json!({})), None);
    assert_eq!(
        input(&compiled)["properties"]["renamed"],
        json!({"type": "string", "description": "second", "default": "third", "maximum": 9})
    );
    assert_eq!(input(&compiled)["required"], json!(["id", "renamed"]));
    assert_eq!(compiled.problems, []);
}

#[test]
fn header_names_in_annotations_ignore_case() {
    let operation = json!({
        "x-agent": {"fixed": {"x-mode": "m"}, "params": {"X-NOTE": {"name": "note"}}},
        "parameters": [
            {"in": "header", "name": "X-Mode", "schema": {"type": "string"}},
            {"in": "header", "name": "X-Note", "schema": {"type": "string"}},
            {"in": "query", "name": "x-NOTE", "schema": {"type": "string"}}
        ]
    });
    let compiled = compile(&operation, &json!({}));
    let names: Vec<_> =
        input(&compiled)["properties"].as_object().unwrap().keys().cloned().collect();
    assert_eq!(names, ["id", "note", "x-NOTE"]);
    let fixed = &plan(&compiled)["parameters"][3];
    assert_eq!((&fixed["place"], &fixed["name"]), (&json!("header"), &json!("X-Mode")));
    assert_eq!(compiled.problems, []);
}

#[test]
fn lint_findings_are_at_the_description_they_are_about() {
    let text = json!({"description": "one of \"z\""});
    let operation = json!({
        "x-agent": {"params": {"a": text}},
        "parameters": [
            {"in": "query", "name": "a", "schema": {"enum": ["x"]}},
            {"in": "query", "name": "b", "schema": {"enum": ["x"]}, "x-agent": text}
        ]
    });
    let compiled = compile(&operation, &json!({}));
    let places: Vec<_> = compiled.problems.iter().map(|found| found.problem.at.as_str()).collect();
    let path = "/paths/~1p~1{id}/post";
    let expected = ["/x-agent/params/a/description", "/parameters/1/x-agent/description"]
        .map(|at| format!("{path}{at}"));
    assert_eq!(places, expected);
}

#[test]
fn a_linked_text_that_cannot_be_read_never_refuses_the_document() {
    let mut document = document(&json!({}));
    document["x-agent"] = json!({"skills": [{"name": "s", "description": "S.", "href": "s.md"}]});
    for strict in [false, true] {
        let options = harness::options(&json!({"strict": strict}));
        let compiled = Compiled::of(&document, &options, None);
        check_finding(
            &compiled,
            Severity::Warning,
            "/x-agent/skills/0/href",
            "`s.md` cannot be read",
        );
        assert_eq!((compiled.tools().len(), compiled.set.unwrap().skills.len()), (1, 0));
    }
}

#[test]
fn an_excluded_path_parameter_leaves_the_operation_out() {
    let excluded = json!({"x-agent": {"params": {"id": {"exclude": true}}}});
    let compiled = compile(&excluded, &json!({}));
    assert!(compiled.tools().is_empty());
    check_finding(&compiled, Severity::Skipped, "/x-agent", "`fixed`");
    let fixed = json!({"x-agent": {"params": {"id": {"exclude": true}}, "fixed": {"id": "7"}}});
    assert_eq!(compile(&fixed, &json!({})).problems, []);
}

/// The first tool's request for these arguments, or what is wrong with them.
fn request(compiled: &Compiled, given: &Value) -> Result<(String, Option<Vec<u8>>), String> {
    let [tool] = compiled.tools() else { panic!("{:?}", compiled.problems) };
    let given = given.as_object().unwrap().clone();
    let text =
        |problems: Vec<Problem>| problems.iter().map(ToString::to_string).collect::<String>();
    let given = arguments::check(tool, &Validators::default(), given).map_err(text)?;
    let request = request::build(harness::plan(tool), &given).map_err(text)?;
    Ok((request.path, request.body))
}

fn compact(schema: &Value) -> Compiled {
    let body = json!({"content": {"application/json": {"schema": schema}}});
    compile(&json!({"x-agent": {"body": "compact"}, "requestBody": body}), &json!({}))
}

#[test]
fn an_optional_compact_body_can_be_left_out() {
    let compiled = compact(&json!({"type": "object", "required": ["a"], "properties": {"a": {}}}));
    assert_eq!(request(&compiled, &json!({"id": "1"})), Ok(("/v1/p/1".into(), None)));
    let given = request(&compiled, &json!({"id": "1", "body": {"a": 1}})).unwrap();
    assert_eq!(given.1.unwrap(), br#"{"a":1}"#);
    let refused = request(&compiled, &json!({"id": "1", "body": {}})).unwrap_err();
    assert!(refused.starts_with("/body: ") && refused.contains("`a`"), "{refused}");
}

#[test]
fn a_compact_list_is_offered_as_a_list() {
    let list = json!({"type": "array", "items": {"type": "integer"}});
    let compiled = compact(&list);
    assert_eq!(input(&compiled)["properties"]["body"], list);
    let given = request(&compiled, &json!({"id": "1", "body": [1, 2]})).unwrap();
    assert_eq!(given.1.unwrap(), b"[1,2]");
    assert!(
        request(&compiled, &json!({"id": "1", "body": ["x"]})).unwrap_err().contains("/body/0")
    );
}

#[test]
fn generated_arguments_leave_the_names_of_the_api_alone() {
    let query = |name: &str| json!({"in": "query", "name": name, "schema": {"type": "string"}});
    let body = json!({"type": "object", "properties": {"response_detail": {}}});
    let row = json!({"type": "object", "properties": {"a": {}, "b": {}}});
    let operation = json!({
        "x-agent": {"response": {"concise": ["a"], "detailed": true, "selectParam": "select"}},
        "parameters": [query("fields"), query("response_format"), query("select")],
        "requestBody": {"content": {"application/json": {"schema": body}}},
        "responses": answer(&row)
    });
    let compiled = compile(&operation, &json!({}));
    let names: Vec<_> =
        input(&compiled)["properties"].as_object().unwrap().keys().cloned().collect();
    let expected = [
        "id",
        "fields",
        "response_format",
        "response_detail",
        "response_fields",
        "response_detail_2",
    ];
    assert_eq!(names, expected);
    let given =
        json!({"id": "1", "fields": "x", "response_format": "detailed", "response_fields": ["b"]});
    let target = "/v1/p/1?fields=x&response_format=detailed&select=b";
    assert_eq!(request(&compiled, &given).unwrap().0, target);
    let response = &plan(&compiled)["response"];
    assert_eq!(response["fieldsArgument"], "response_fields");
    assert_eq!(response["formatArgument"], "response_detail_2");
}

#[test]
fn fixed_values_that_their_schemas_refuse_are_reported() {
    let body = |schema: &Value| json!({"content": {"application/json": {"schema": schema}}});
    let kind =
        json!({"type": "object", "properties": {"kind": {"$ref": "#/components/schemas/Kind"}}});
    let query = |schema: Value| json!([{"in": "query", "name": "q", "schema": schema}]);
    let limited = || query(json!({"type": "integer", "maximum": 9}));
    let listed = || query(json!({"type": "array", "items": {"enum": ["a", "b"]}}));
    let cases = [
        (json!({"kind": "ship"}), json!({"requestBody": body(&kind)}), Some("kind")),
        (json!({"kind": "boat"}), json!({"requestBody": body(&kind)}), None),
        (json!({"q": 10}), json!({"parameters": limited()}), Some("q")),
        (json!({"q": "many"}), json!({"parameters": limited()}), Some("q")),
        // the same on the wire as a value that is allowed
        (json!({"q": "9"}), json!({"parameters": limited()}), None),
        (json!({"q": "a,b"}), json!({"parameters": listed()}), None),
        (json!({"q": "a,c"}), json!({"parameters": listed()}), Some("q")),
    ];
    for (fixed, mut operation, name) in cases {
        operation["x-agent"] = json!({"fixed": fixed});
        let mut document = document(&operation);
        document["components"] = json!({"schemas": {"Kind": {"type": "string", "enum": ["boat"]}}});
        let compiled = Compiled::of(&document, &harness::options(&json!({})), None);
        assert_eq!(
            compiled.problems.len(),
            usize::from(name.is_some()),
            "{operation}: {:?}",
            compiled.problems
        );
        if let Some(name) = name {
            check_finding(
                &compiled,
                Severity::Warning,
                &["/fixed/", name].concat(),
                "is not allowed",
            );
        }
        assert_eq!(compiled.tools().len(), 1, "{operation}");
    }
}

#[test]
fn labels_that_nothing_can_select_are_reported() {
    let operation = json!({"x-agent": {"profiles": ["edit"]}});
    let compiled = compile(&operation, &json!({}));
    assert_eq!(compiled.tools().len(), 0);
    check_finding(&compiled, Severity::Warning, "/x-agent/profiles", "declares no profiles");
    let asked = compile(&operation, &json!({"profiles": ["edit"]}));
    assert_eq!((asked.tools().len(), asked.problems.len()), (1, 0));
    let other = compile(&operation, &json!({"profiles": ["explore"]}));
    assert_eq!(other.problems, [], "another route may ask for it");
}
