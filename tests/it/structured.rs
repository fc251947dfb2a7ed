//! Structured results are valid against the output schema that the same client was shown, whatever
//! the API answers and whichever revision the client speaks.

use openapi_mcp_filter::config::{Config, Lint, ViewOptions};
use openapi_mcp_filter::exchange::{self, Step};
use openapi_mcp_filter::http::{Headers, UpstreamResponse};
use openapi_mcp_filter::openapi::Document;
use openapi_mcp_filter::toolset::{self, Contents, Family, Listing, Meta, ToolSet};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::documents::annotated;
use crate::forms::desk;
use crate::harness;

const META: Meta = Meta { page_size: 100, ttl_ms: 0, cache_private: false };
const REVISIONS: [(&str, Family); 4] = [
    ("2025-03-26", Family::Basic),
    ("2025-06-18", Family::Structured),
    ("2025-11-25", Family::Structured),
    ("2026-07-28", Family::Modern),
];

/// The tools of a document that is not refused.
fn tools(document: &Value) -> Option<ToolSet> {
    let document = Document::from_value(document.clone()).unwrap();
    let options =
        ViewOptions { structured_content: true, lint: Lint::Off, ..ViewOptions::default() };
    let set = harness::compile(&document, &options, None).set?;
    Some(ToolSet::open(toolset::encode(&Contents::from(set), &META)).unwrap())
}

fn listed(set: &ToolSet, family: Family) -> Vec<Value> {
    let page = set.list(Listing::Tools, family, None).unwrap();
    let mut page: Value = serde_json::from_slice(&page).unwrap();
    page["tools"].take().as_array().unwrap().clone()
}

/// An answer of an API: its media type and body.
fn answers() -> impl Strategy<Value = (&'static str, String)> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        "[a-z]{0,3}".prop_map(Value::from),
    ];
    let value = leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            2 => prop::collection::vec(("[a-e]", inner.clone()), 0..5)
                .prop_map(|members| members.into_iter().collect()),
            1 => prop::collection::vec(inner, 0..4).prop_map(Value::from),
        ]
    });
    prop_oneof![
        8 => value.prop_map(|value| ("application/json", value.to_string())),
        1 => Just(("application/json", "{".to_owned())),
        1 => Just(("application/json", String::new())),
        1 => Just(("text/plain", "text".to_owned())),
        1 => Just(("text/markdown", "# Text".to_owned())),
        1 => Just(("image/png", "png".to_owned())),
    ]
}

/// The result of a call that reaches the API; `None` when its arguments are refused.
fn call(set: &ToolSet, tool: &str, revision: &str, answer: &(&str, String)) -> Option<Value> {
    let mut params = json!({ "name": tool, "arguments": { "id": "x" } });
    let mut headers = vec![
        ("content-type", "application/json"),
        ("accept", "application/json, text/event-stream"),
        ("mcp-protocol-version", revision),
    ];
    if revision == "2026-07-28" {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": revision,
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": { "name": "tests", "version": "1" },
        });
        headers.extend([("mcp-method", "tools/call"), ("mcp-name", tool)]);
    }
    let message = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
    let config = json!({ "upstreams": [{ "name": "api", "cluster": "api", "document": { "path": "/" } }],
        "routes": [{ "path": "/mcp" }] });
    let config = Config::parse(config.to_string().as_bytes()).unwrap();
    let headers: Headers = headers.into_iter().collect();
    let step =
        exchange::start(&headers, message.to_string().as_bytes(), set, (&desk::forms(config), 0));
    let Step::Call(_, pending) = step else { return None };
    let headers = [("content-type", answer.0)].into_iter().collect();
    let body = answer.1.clone().into_bytes();
    let Step::Reply(reply, _) = pending.resume(Ok(UpstreamResponse { status: 200, headers, body }))
    else {
        panic!("one call only")
    };
    Some(serde_json::from_slice::<Value>(&reply.body).unwrap()["result"].take())
}

/// Whether the result fits the listed tool; an error needs no structure.
fn check(tool: &Value, result: &Value, revision: &str, family: Family) {
    let structured = result.get("structuredContent");
    let schema = tool.get("outputSchema");
    assert!(family > Family::Basic || (structured.is_none() && schema.is_none()), "{result}");
    if family == Family::Structured {
        assert!(schema.is_none_or(|schema| schema["type"] == "object"), "{revision}: {tool}");
        assert!(structured.is_none_or(Value::is_object), "{revision}: {result}");
    }
    if let (Some(schema), false) = (schema, result["isError"] == true) {
        let validator = jsonschema::draft202012::new(schema).unwrap();
        let value = structured.unwrap_or_else(|| panic!("{revision}: {tool} gives {result}"));
        assert!(validator.is_valid(value), "{revision}: {value} against {schema}");
    }
}

proptest! {
    #[test]
    fn structured_results_are_valid_in_every_revision(
        document in annotated(),
        answers in prop::collection::vec(answers(), 1..4),
    ) {
        let set = tools(&document);
        for (revision, family) in set.iter().flat_map(|_| REVISIONS) {
            let set = set.as_ref().unwrap();
            for tool in listed(set, family) {
                for answer in &answers {
                    let result = call(set, tool["name"].as_str().unwrap(), revision, answer);
                    if let Some(result) = result {
                        check(&tool, &result, revision, family);
                    }
                }
            }
        }
    }
}

#[test]
fn most_made_up_calls_have_structured_results() {
    use proptest::strategy::ValueTree;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let (mut structured, mut filled) = (0, 0);
    for _ in 0..60 {
        let document = annotated().new_tree(&mut runner).unwrap().current();
        let answer = answers().new_tree(&mut runner).unwrap().current();
        let Some(set) = tools(&document) else { continue };
        for tool in listed(&set, Family::Modern) {
            let result = call(&set, tool["name"].as_str().unwrap(), "2026-07-28", &answer);
            let value = result.as_ref().and_then(|result| result.get("structuredContent"));
            structured += usize::from(value.is_some());
            filled += usize::from(value.is_some_and(|it| *it != json!({}) && !it.is_null()));
        }
    }
    assert!(structured > 80 && filled > 20, "{structured} {filled}");
}
