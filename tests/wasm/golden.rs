//! The golden vectors through the built module: what a client sees and what reaches the API.

use std::rc::Rc;

use serde_json::{Map, Value, json};

use super::gateway::{Failure, Gateway, Outcome, Request, pairs};
use super::host::{Answer, Dispatched, Personality, Process};
use super::vectors::{self, Check, Exceptions, Subject, Tally, report, with_order};

/// Numbers of the vector files that are run.
const FILES: [&str; 20] = [
    "01", "02", "03", "04", "05", "06", "07", "08", "09", "10", "11", "12", "13", "14", "15", "16",
    "17", "18", "20", "22",
];
const REVISION: &str = "2026-07-28";

#[test]
fn the_vectors_hold_for_the_module() {
    let exceptions = Exceptions::load();
    let mut calls = 0;
    for path in vectors::files("golden") {
        let file = path.file_name().unwrap().to_str().unwrap().to_owned();
        if !FILES.iter().any(|number| file.starts_with(&format!("{number}-"))) {
            continue;
        }
        let content = vectors::read(&path);
        let mut tally = Tally::default();
        for case in content["cases"].as_array().unwrap() {
            let document = case.get("doc").or(content.get("doc")).unwrap();
            for check in check_case(&file, case, document) {
                calls += usize::from(check.subject.0 == "call");
                exceptions.judge(check, &mut tally);
            }
        }
        report(&format!("wasm {file}: {} passed, {} excepted", tally.passed, tally.excepted));
        exceptions.add(tally);
    }
    report(&format!("wasm: {calls} requests and results of calls"));
    assert!(calls > 300, "{calls}");
    exceptions.finish(|entry| entry["what"] == "configuration");
}

#[test]
fn linked_skills_of_the_vectors_are_served() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/20b-next-linked-skills.json");
    let content = vectors::read(path.as_ref());
    let case = &content["cases"][0];
    let mut served = Served::start(&case["doc"], &case["options"]).unwrap();
    let mut asked = Vec::new();
    for _ in 0..40 {
        served.gateway.pass(50);
        for call in served.gateway.calls() {
            let url = format!("https://api.test{}", call.header(":path").unwrap());
            let text = content["files"].get(&url).and_then(Value::as_str);
            let status = if text.is_some() { "200" } else { "404" };
            let headers = pairs(&[(":status", status)]);
            let body = text.unwrap_or_default().as_bytes().to_vec();
            served.gateway.vm.answer(call.token, Answer { headers, body }).unwrap();
            asked.push((url, call.header("accept").unwrap().to_owned()));
        }
    }
    let wanted = case["requests"].as_array().unwrap().iter();
    let wanted = wanted.filter(|it| it["url"].as_str().unwrap().starts_with("https://api.test/"));
    assert_eq!(json!(asked), wanted.map(|it| json!([it["url"], it["accept"]])).collect::<Value>());
    // One is on another server and one is not there; the tools that the skills name do not exist.
    let skills = case["skills"].as_array().unwrap().iter();
    let skills = skills.filter(|it| !["c", "gone"].contains(&it["name"].as_str().unwrap()));
    for skill in skills.clone() {
        let text = skill["file"]["text"].as_str().unwrap();
        let text = text.replace("\n\nTools: t1, t2", "").replace("\n\nTools: t1", "");
        assert_eq!(served.file(skill["file"]["uri"].as_str().unwrap()), json!(text));
    }
    assert_eq!(served.files().len(), skills.count());
}

fn check_case(file: &str, case: &Value, document: &Value) -> Vec<Check> {
    let options = case.get("options").cloned().unwrap_or(json!({}));
    let check = |subject: Subject, expected: Value, ours: Value| Check {
        file: file.to_owned(),
        case: case["title"].as_str().unwrap().to_owned(),
        subject,
        expected,
        ours,
    };
    let Some(mut served) = Served::start(document, &options) else {
        return vec![check(("what", "configuration".into()), json!("taken"), json!("refused"))];
    };
    served.gateway.pass(2_000);
    // No vector has the files that its document refers to.
    for call in served.gateway.calls() {
        let headers = pairs(&[(":status", "404")]);
        served.gateway.vm.answer(call.token, Answer { headers, body: Vec::new() }).unwrap();
    }
    served.gateway.pass(2_000);
    let Some(tools) = served.tools() else {
        assert_refusal_is_logged(file, case, &served.gateway.vm.state().logs);
        return Vec::new();
    };
    let mut checks = Vec::new();
    // Tools and calls of editor groups are compared in `sessions`.
    let is_group = file.starts_with("18-");
    let list = |key: &str| case.get(key).and_then(Value::as_array).filter(|_| !is_group);
    for expected in list("tools").into_iter().flatten() {
        let ours = tools.iter().find(|tool| tool["name"] == expected["name"]);
        let ours = ours.map_or(Value::Null, as_recorded);
        let pair = (json!({"tool": with_order(expected)}), json!({"tool": with_order(&ours)}));
        checks.push(check(("tool", expected["name"].clone()), pair.0, pair.1));
    }
    if let Some(expected) = case.get("instructions") {
        let ours = served.request("server/discover", json!({}))["result"]["instructions"].take();
        let ours = if ours.is_null() { json!("") } else { ours };
        checks.push(check(("what", "instructions".into()), expected.clone(), ours));
    }
    if let Some(expected) = case.get("skills").and_then(Value::as_array)
        && expected.iter().all(|skill| skill.get("file").is_some())
    {
        let expected = expected.iter().map(|skill| skill["file"]["text"].clone()).collect();
        let ours = served.files().iter().map(|uri| served.file(uri)).collect();
        checks.push(check(("what", "skills".into()), expected, ours));
    }
    for (index, call) in list("calls").into_iter().flatten().enumerate() {
        for (expected, ours) in served.call(call, &tools) {
            checks.push(check(("call", index.into()), expected, ours));
        }
    }
    checks
}

/// Where the vectors refuse a document, too, the log names everything that they name.
fn assert_refusal_is_logged(file: &str, case: &Value, logs: &[String]) {
    let refusals =
        logs.iter().filter(|line| line.contains("effect=document_refused")).collect::<Vec<_>>();
    assert!(!refusals.is_empty(), "{file}: {}: refused without a reason", case["title"]);
    for reason in case.get("refused").and_then(Value::as_array).into_iter().flatten() {
        for name in reason["names"].as_array().unwrap() {
            let name = name.as_str().unwrap();
            let is_named = refusals.iter().any(|line| line.contains(name));
            assert!(is_named, "{file}: {}: no word of `{name}` in {refusals:#?}", case["title"]);
        }
    }
}

/// A tool as the vectors record it.
fn as_recorded(tool: &Value) -> Value {
    let mut tool = tool.clone();
    let map = tool.as_object_mut().unwrap();
    if let Some(mut meta) = map.shift_remove("_meta") {
        map.insert("examples".to_owned(), meta["x-agent/examples"].take());
    }
    tool
}

/// A gateway with one document.
pub struct Served {
    pub gateway: Gateway,
}

impl Served {
    pub fn start(document: &Value, options: &Value) -> Option<Self> {
        let process = Rc::new(Process::default());
        process.now.set(1_700_000_000_000);
        let mut route = json!({ "path": "/mcp" });
        let mut upstream = json!({
            "name": "api", "cluster": "api", "authority": "api.test",
            "document": { "inline": document.to_string() },
        });
        for (key, value) in options.as_object().into_iter().flatten() {
            match key.as_str() {
                "baseUrl" => upstream["baseUrl"] = value.clone(),
                "profile" if options.get("profiles").is_none() => {
                    route["profiles"] = json!([value]);
                }
                "profile" => {}
                _ => route[key] = value.clone(),
            }
        }
        let config =
            json!({ "upstreams": [upstream], "routes": [route], "store": { "zone": "mcp" } });
        let mut vm = super::host::Vm::start(Personality::Envoy, &process);
        let is_taken = vm.configure(&config.to_string()).unwrap();
        is_taken.then(|| Self { gateway: Gateway { vm, personality: Personality::Envoy } })
    }

    /// The answer to a request of the latest revision.
    fn request(&mut self, method: &str, params: Value) -> Value {
        self.exchange(method, params, |_| panic!("nothing may be sent")).reply().json()
    }

    fn exchange(
        &mut self,
        method: &str,
        mut params: Value,
        upstream: impl FnMut(&Dispatched) -> Answer,
    ) -> Outcome {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": REVISION,
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": { "name": "tests", "version": "1" },
        });
        let name = params.get("name").or(params.get("uri")).and_then(Value::as_str);
        let name = name.map(str::to_owned);
        let message = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let mut request = Request::mcp(&message)
            .with("mcp-protocol-version", REVISION)
            .with("mcp-method", method);
        if let Some(name) = name {
            request = request.with("mcp-name", &name);
        }
        self.gateway.exchange(request, upstream)
    }

    /// The listed tools; `None` when the document is refused.
    fn tools(&mut self) -> Option<Vec<Value>> {
        let mut answer = self.request("tools/list", json!({}));
        match answer["result"]["tools"].take() {
            Value::Array(tools) => Some(tools),
            _ => None,
        }
    }

    fn files(&mut self) -> Vec<String> {
        let answer = self.request("resources/list", json!({}));
        let files = answer["result"]["resources"].as_array().into_iter().flatten();
        files.map(|file| file["uri"].as_str().unwrap().to_owned()).collect()
    }

    fn file(&mut self, uri: &str) -> Value {
        let mut answer = self.request("resources/read", json!({ "uri": uri }));
        answer["result"]["contents"][0]["text"].take()
    }

    /// Runs a call; pairs of what is expected and what is ours, for the request and for the result.
    fn call(&mut self, call: &Value, tools: &[Value]) -> Vec<(Value, Value)> {
        let name = call["tool"].as_str().unwrap();
        if !tools.iter().any(|tool| tool["name"] == name) {
            return vec![(json!({ "tool": name }), json!({ "tool": null }))];
        }
        let mut sent = Value::Null;
        let arguments = call.get("args").filter(|args| args.is_object()).cloned();
        let params = json!({ "name": name, "arguments": arguments.unwrap_or(json!({})) });
        let outcome = self.exchange("tools/call", params, |request| {
            sent = described(request);
            answer(call)
        });
        let reply = outcome.reply().json();
        let (request, ours) = (vectors::expected_request(call), recorded(&reply["result"]));
        let is_sent = !sent.is_null();
        let mut checks = vec![(request.clone(), sent)];
        if (is_sent && !call["upstreamResponse"].is_null()) || (!is_sent && request.is_null()) {
            checks.push((vectors::expected_result(call, &ours), ours));
        }
        checks
    }
}

/// A request as the vectors record it.
fn described(request: &Dispatched) -> Value {
    let headers = request.headers.iter();
    let own = ["user-agent", "accept-encoding"];
    let headers =
        headers.filter(|(name, _)| !name.starts_with(':') && !own.contains(&name.as_str()));
    let headers: Map<_, _> =
        headers.map(|(name, value)| (name.clone(), value.clone().into())).collect();
    let body = (!request.body.is_empty()).then(|| String::from_utf8_lossy(&request.body));
    json!({
        "method": request.header(":method"),
        "target": request.header(":path"),
        "headers": headers,
        "body": body,
    })
}

fn answer(call: &Value) -> Answer {
    if call["upstreamResponse"].is_null() {
        return Answer { headers: pairs(&[(":status", "204")]), body: Vec::new() };
    }
    let Some((status, headers, body)) = vectors::answer(call) else {
        return Failure::Refused.answer(Personality::Envoy);
    };
    let status = status.to_string();
    let mut all = pairs(&[(":status", &status), ("x-envoy-upstream-service-time", "1")]);
    all.extend(headers);
    Answer { headers: all, body }
}

/// A result as the vectors record it.
fn recorded(result: &Value) -> Value {
    let texts = result["content"].as_array().unwrap().iter();
    let texts: Vec<_> = texts.map(|block| block["text"].as_str().unwrap()).collect();
    let mut recorded = json!({ "text": texts.join("\n") });
    if result["isError"] == true {
        recorded["isError"] = json!(true);
    }
    if let Some(structured) = result.get("structuredContent") {
        recorded["structuredContent"] = structured.clone();
    }
    recorded
}
