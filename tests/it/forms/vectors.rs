//! The golden vectors of editor groups: names, sessions and requests; sentences are ours.

use openapi_mcp_filter::http::{UpstreamError, UpstreamRequest};
use serde_json::{Value, json};

use super::desk::{Answer, Called, Desk, Process, answer, configuration};
use crate::vectors;

fn golden(name: &str) -> Value {
    vectors::read(format!("{}/tests/golden/{name}", env!("CARGO_MANIFEST_DIR")).as_ref())
}

fn desk(document: &Value, options: &Value) -> Desk {
    let config = configuration(&json!({"identity": {"header": "x-identity"}}), &json!({}));
    Desk::with(&Process::new(), document, options, config)
}

/// Headers of a recorded call; a call without an identity is of one caller, too.
fn headers(call: &Value) -> Vec<(String, String)> {
    let identity = call.pointer("/ctx/identity").and_then(Value::as_str).unwrap_or("nobody");
    let mut headers = vec![("x-identity".to_owned(), identity.to_owned())];
    for (name, value) in
        call.pointer("/ctx/headers").and_then(Value::as_object).into_iter().flatten()
    {
        headers.push((name.clone(), value.as_str().unwrap().to_owned()));
    }
    headers
}

fn run(desk: &Desk, call: &Value, upstream: impl FnMut(&UpstreamRequest) -> Answer) -> Called {
    let headers = headers(call);
    let headers: Vec<_> =
        headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let tool = call["tool"].as_str().unwrap();
    desk.call_with(&headers, (tool, call["args"].clone()), upstream)
}

/// Method, target, body and headers as recorded. The vectors forward every header of the call, a
/// route only those of its upstream.
#[track_caller]
fn check_request(ours: &UpstreamRequest, recorded: &Value) {
    let expected = vectors::expected_request(&json!({"expectedRequest": recorded}));
    assert_eq!(ours.method, expected["method"]);
    assert_eq!(ours.path, expected["target"]);
    let body = ours.body.as_ref().map(|body| String::from_utf8(body.clone()).unwrap());
    assert_eq!(json!(body), expected["body"]);
    for (name, value) in expected["headers"].as_object().unwrap() {
        if name != "x-k" {
            let found = ours.headers.iter().find(|(known, _)| known == name);
            assert_eq!(found.map(|(_, value)| value.as_str()), value.as_str(), "{name}");
        }
    }
}

/// The lines that describe fields, without the sentences of errors.
fn lines(text: &str) -> Vec<&str> {
    text.lines()
        .map(|line| line.split_once(" — ").map_or(line, |(line, _)| line))
        .filter(|line| line.trim_start().starts_with("- /") && !line.starts_with("- /name:"))
        .collect()
}

#[track_caller]
fn check_result(call: &Value, ours: &Called) {
    let expected = &call["result"];
    assert_eq!(ours.is_error, expected["isError"] == true, "{call}: {ours:?}");
    let Some(text) = expected["text"].as_str().filter(|_| !ours.is_error) else { return };
    let tool = call["tool"].as_str().unwrap();
    if tool.ends_with("getData") {
        let parse = |text: &str| serde_json::from_str::<Value>(text).unwrap();
        assert_eq!(parse(&ours.text), parse(text), "{call}");
    } else if tool.ends_with("describeState") {
        assert_eq!(lines(&ours.text), lines(text), "{call}");
    }
}

/// Calls that go otherwise on purpose: case, call and why.
const OTHERWISE: [(&str, usize, &str); 1] = [(
    "schema fetch failure is an error result and the next call retries",
    4,
    "a value that the schema of the parameter forbids is refused before anything is sent",
)];

#[test]
fn calls_of_a_group_go_as_recorded() {
    let content = golden("18-editor-group.json");
    let mut checked = 0;
    for case in content["cases"].as_array().unwrap().iter().filter(|it| it.get("calls").is_some()) {
        let document = case.get("doc").or(content.get("doc")).unwrap();
        let desk = desk(document, &case["options"]);
        for (index, call) in case["calls"].as_array().unwrap().iter().enumerate() {
            let title = case["title"].as_str().unwrap();
            if OTHERWISE.iter().any(|it| (it.0, it.1) == (title, index)) {
                let ours = run(&desk, call, super::desk::silent);
                ours.fails_with(&["rec"]);
                continue;
            }
            let ours = run(&desk, call, |_| match vectors::answer(call) {
                Some((status, headers, body)) => {
                    let headers: Vec<_> =
                        headers.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
                    let mut found = answer(status, &headers, &Value::Null)?;
                    found.body = body;
                    Ok(found)
                }
                None => Err(UpstreamError::ConnectionFailed),
            });
            match ours.requests.last() {
                Some(request) => check_request(request, &call["expectedRequest"]),
                None => assert!(call["expectedRequest"].is_null(), "{call}: {ours:?}"),
            }
            check_result(call, &ours);
            checked += 1;
        }
    }
    assert_eq!(checked, 15);
}

#[test]
fn the_flow_of_a_session_is_as_recorded() {
    let content = golden("18b-editor-flow.json");
    let desk = desk(&content["doc"], &json!({"profiles": ["w"]}));
    for step in content["steps"].as_array().unwrap() {
        let note = step["note"].as_str().unwrap_or_default();
        let mut schema = content["schema"].clone();
        if note.starts_with("reload") {
            schema["properties"]["added"] = json!({"type": "string", "title": "Added"});
        }
        let ours = run(&desk, step, |request| {
            let failure = json!({"message": "nope".repeat(60)});
            match (request.method.as_str(), request.path.contains("/schema")) {
                ("GET", true) => answer(200, &[], &schema),
                ("GET", false) => answer(200, &[], &content["document"]),
                _ if note.starts_with("409") => answer(409, &[], &failure),
                _ if note.starts_with("API message") => answer(500, &[], &failure),
                _ => answer(200, &[], &Value::Null),
            }
        });
        let expected = step["requests"].as_array().unwrap();
        assert_eq!(ours.requests.len(), expected.len(), "{step}: {ours:?}");
        for (ours, expected) in ours.requests.iter().zip(expected) {
            check_request(ours, expected);
        }
        if let Some(recorded) = step["result"].get("lines") {
            assert_eq!(json!(lines(&ours.text)), *recorded);
        }
        if note.starts_with("409") {
            ours.fails_with(&["reloadForm", "nope"]);
        }
        check_result(step, &ours);
    }
}

#[test]
fn records_whose_values_hold_separators_have_sessions_of_their_own() {
    let content = golden("23-hazards.json");
    let hazard = &content["observations"][0];
    let desk = desk(&hazard["doc"], &json!({}));
    let steps = hazard["steps"].as_array().unwrap();
    let api = |request: &UpstreamRequest| match request.method.as_str() {
        "GET" => answer(200, &[], &json!({"name": request.path})),
        _ => answer(200, &[], &Value::Null),
    };
    let first = run(&desk, &steps[0], api).succeeds();
    assert_eq!(first.sent(), ["GET /v1/a/a%3Ab/b/c"]);
    let second = run(&desk, &steps[1], api).succeeds();
    assert_eq!(second.sent(), ["GET /v1/a/a/b/b%3Ac"]);
    assert_eq!(second.data(), json!({"name": "/v1/a/a/b/b%3Ac"}));
    let saved = run(&desk, &steps[2], api).succeeds();
    assert_eq!(saved.sent(), ["PUT /v1/a/a/b/b%3Ac"]);
}

#[test]
fn a_path_parameter_may_be_called_like_an_argument_of_the_tools() {
    let content = golden("23-hazards.json");
    let hazard = &content["observations"][1];
    for name in
        ["path", "value", "suggestionIndex", "data", "merge", "query", "action", "index", "body"]
    {
        let text = hazard["doc"].to_string();
        let text = text.replace("{path}", &format!("{{{name}}}"));
        let text = text.replace("\"name\":\"path\"", &format!("\"name\":\"{name}\""));
        let desk = desk(&serde_json::from_str(&text).unwrap(), &json!({}));
        let argument = if name == "body" { name.to_owned() } else { format!("{name}__path") };
        let mut call = json!({"tool": "e_setFieldValue", "args": {"path": "/name", "value": "V"}});
        call["args"][&argument] = json!("f/1");
        let set = run(&desk, &call, |_| answer(200, &[], &json!({"name": "old"}))).succeeds();
        assert_eq!(set.sent(), ["GET /v1/files/f%2F1"], "{name}");
        let read = json!({"tool": "e_getData", "args": {&argument: "f/1"}});
        let data = run(&desk, &read, super::desk::silent).succeeds().data();
        assert_eq!(data, json!({"name": "V"}), "{name}");
    }
}
