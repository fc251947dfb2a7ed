//! The golden vectors of editor groups on whatever serves them: names, sessions and requests;
//! sentences are ours.

use serde_json::{Value, json};

use super::vectors::{self, Answer};

/// A request that reached the API.
#[derive(Debug)]
pub(crate) struct Sent {
    pub(crate) method: String,
    pub(crate) target: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Option<String>,
}

/// What became of a call.
#[derive(Debug)]
pub(crate) struct Called {
    pub(crate) text: String,
    pub(crate) is_error: bool,
    pub(crate) requests: Vec<Sent>,
}

/// The API: `None` for a failure of the network.
pub(crate) type Upstream<'u> = &'u mut dyn FnMut(&Sent) -> Option<Answer>;

/// Something that serves the tools of one document, and tells callers apart by `x-identity`.
pub(crate) trait Served {
    fn call(
        &mut self,
        headers: &[(&str, &str)],
        call: (&str, &Value),
        upstream: Upstream<'_>,
    ) -> Called;
}

/// Serves a document on a route with these options.
pub(crate) type Serve<'s> = &'s dyn Fn(&Value, &Value) -> Box<dyn Served>;

fn golden(name: &str) -> Value {
    vectors::read(format!("{}/tests/golden/{name}", env!("CARGO_MANIFEST_DIR")).as_ref())
}

fn ok(body: &Value) -> Option<Answer> {
    respond(200, body)
}

#[allow(clippy::unnecessary_wraps, reason = "what an API answers with")]
fn respond(status: u16, body: &Value) -> Option<Answer> {
    let body = if body.is_null() { Vec::new() } else { body.to_string().into_bytes() };
    Some((status, vec![("content-type".to_owned(), "application/json".to_owned())], body))
}

fn silent(request: &Sent) -> Option<Answer> {
    panic!("unexpected {request:?}")
}

/// Runs a recorded call; one without an identity is of one caller, too.
fn run(served: &mut dyn Served, call: &Value, upstream: Upstream<'_>) -> Called {
    let identity = call.pointer("/ctx/identity").and_then(Value::as_str).unwrap_or("nobody");
    let own = call.pointer("/ctx/headers").and_then(Value::as_object).into_iter().flatten();
    let own = own.map(|(name, value)| (name.as_str(), value.as_str().unwrap()));
    let headers: Vec<_> = [("x-identity", identity)].into_iter().chain(own).collect();
    served.call(&headers, (call["tool"].as_str().unwrap(), &call["args"]), upstream)
}

/// Method, target, body and headers as recorded. The vectors forward every header of the call, a
/// route only those of its upstream.
#[track_caller]
fn check_request(ours: &Sent, recorded: &Value) {
    let expected = vectors::expected_request(&json!({"expectedRequest": recorded}));
    assert_eq!(ours.method, expected["method"]);
    assert_eq!(ours.target, expected["target"]);
    assert_eq!(json!(ours.body), expected["body"]);
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

pub(crate) fn calls_of_a_group_go_as_recorded(serve: Serve<'_>) {
    let content = golden("18-editor-group.json");
    let mut checked = 0;
    for case in content["cases"].as_array().unwrap().iter().filter(|it| it.get("calls").is_some()) {
        let document = case.get("doc").or(content.get("doc")).unwrap();
        let mut served = serve(document, &case["options"]);
        for (index, call) in case["calls"].as_array().unwrap().iter().enumerate() {
            let title = case["title"].as_str().unwrap();
            if OTHERWISE.iter().any(|it| (it.0, it.1) == (title, index)) {
                let ours = run(&mut *served, call, &mut silent);
                assert!(ours.is_error && ours.text.contains("rec"), "{ours:?}");
                continue;
            }
            let ours = run(&mut *served, call, &mut |_| vectors::answer(call));
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

pub(crate) fn the_flow_of_a_session_is_as_recorded(serve: Serve<'_>) {
    let content = golden("18b-editor-flow.json");
    let mut served = serve(&content["doc"], &json!({"profiles": ["w"]}));
    for step in content["steps"].as_array().unwrap() {
        let note = step["note"].as_str().unwrap_or_default();
        let mut schema = content["schema"].clone();
        if note.starts_with("reload") {
            schema["properties"]["added"] = json!({"type": "string", "title": "Added"});
        }
        let failure = json!({"message": "nope".repeat(60)});
        let ours = run(&mut *served, step, &mut |request| match (
            request.method.as_str(),
            request.target.contains("/schema"),
        ) {
            ("GET", true) => ok(&schema),
            ("GET", false) => ok(&content["document"]),
            _ if note.starts_with("409") => respond(409, &failure),
            _ if note.starts_with("API message") => respond(500, &failure),
            _ => ok(&Value::Null),
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
            assert!(ours.text.contains("reloadForm") && ours.text.contains("nope"), "{ours:?}");
        }
        check_result(step, &ours);
    }
}

pub(crate) fn records_whose_values_hold_separators_have_sessions_of_their_own(serve: Serve<'_>) {
    let content = golden("23-hazards.json");
    let hazard = &content["observations"][0];
    let mut served = serve(&hazard["doc"], &json!({}));
    let steps = hazard["steps"].as_array().unwrap();
    let wanted = [
        ("GET /v1/a/a%3Ab/b/c", None),
        ("GET /v1/a/a/b/b%3Ac", Some("/v1/a/a/b/b%3Ac")),
        ("PUT /v1/a/a/b/b%3Ac", None),
    ];
    for (step, (sent, name)) in steps.iter().zip(wanted) {
        let ours = run(&mut *served, step, &mut |request| match request.method.as_str() {
            "GET" => ok(&json!({"name": request.target})),
            _ => ok(&Value::Null),
        });
        assert!(!ours.is_error, "{ours:?}");
        let [request] = &ours.requests[..] else { panic!("{ours:?}") };
        assert_eq!([request.method.as_str(), &request.target].join(" "), sent);
        if let Some(name) = name {
            let read: Value = serde_json::from_str(&ours.text).unwrap();
            assert_eq!(read["data"], json!({"name": name}));
        }
    }
}

pub(crate) fn a_path_parameter_may_be_called_like_an_argument_of_the_tools(serve: Serve<'_>) {
    let content = golden("23-hazards.json");
    let hazard = &content["observations"][1];
    for name in
        ["path", "value", "suggestionIndex", "data", "merge", "query", "action", "index", "body"]
    {
        let text = hazard["doc"].to_string();
        let text = text.replace("{path}", &format!("{{{name}}}"));
        let text = text.replace("\"name\":\"path\"", &format!("\"name\":\"{name}\""));
        let mut served = serve(&serde_json::from_str(&text).unwrap(), &json!({}));
        let argument = if name == "body" { name.to_owned() } else { format!("{name}__path") };
        let mut call = json!({"tool": "e_setFieldValue", "args": {"path": "/name", "value": "V"}});
        call["args"][&argument] = json!("f/1");
        let set = run(&mut *served, &call, &mut |_| ok(&json!({"name": "old"})));
        assert!(!set.is_error, "{name}: {set:?}");
        assert_eq!(set.requests[0].target, "/v1/files/f%2F1", "{name}");
        let read = json!({"tool": "e_getData", "args": {&argument: "f/1"}});
        let read = run(&mut *served, &read, &mut silent);
        let read: Value = serde_json::from_str(&read.text).unwrap();
        assert_eq!(read["data"], json!({"name": "V"}), "{name}");
    }
}
