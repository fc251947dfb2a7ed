//! Form sessions in shared data: several VMs, one session.

use std::rc::Rc;

use serde_json::{Value, json};

use super::gateway::{Gateway, Request, ok_json, pairs};
use super::host::{Answer, Dispatched, Personality, Process};
use super::{BOTH, configuration};

/// A document of records: `rec` is loaded and saved, `draft` is made.
fn document() -> Value {
    let id =
        json!({ "name": "id", "in": "path", "required": true, "schema": { "type": "string" } });
    let body = json!({ "content": { "application/json": { "schema": {
        "type": "object", "properties": {
            "name": { "type": "string" }, "count": { "type": "integer" },
        },
    } } } });
    json!({
        "openapi": "3.1.0",
        "info": { "title": "Records", "version": "1" },
        "servers": [{ "url": "https://api.test/v1" }],
        "paths": {
            "/schema": { "get": { "operationId": "schema", "responses": {} } },
            "/recs/{id}": {
                "parameters": [&id],
                "get": { "operationId": "read", "responses": {} },
                "put": { "operationId": "save", "requestBody": &body, "responses": {}, "x-agent": {
                    "name": "rec", "editor": { "schemaOperation": "schema", "readOperation": "read" },
                } },
            },
            "/drafts/{id}": { "parameters": [&id], "post": {
                "operationId": "add", "requestBody": &body, "responses": {},
                "x-agent": { "name": "draft", "editor": true },
            } },
        },
    })
}

fn process() -> Rc<Process> {
    let process = Rc::new(Process::default());
    process.now.set(1_700_000_000_000);
    process
}

fn inline(extra: &Value) -> String {
    let upstream = json!([{ "name": "api", "cluster": "api", "authority": "api.test",
        "forwardHeaders": ["authorization"], "document": { "inline": document().to_string() } }]);
    let routes = json!([{ "path": "/mcp", "identity": { "header": "x-user" } }]);
    let mut config = json!({ "upstreams": upstream, "routes": routes });
    super::merge(&mut config, extra);
    configuration(&config)
}

fn gateways(
    count: usize,
    personality: Personality,
    process: &Rc<Process>,
    extra: &Value,
) -> Vec<Gateway> {
    let config = inline(extra);
    let mut gateways: Vec<_> =
        (0..count).map(|_| Gateway::new(personality, process, &config)).collect();
    for _ in 0..40 {
        process.now.set(process.now.get() + 50);
        for gateway in &mut gateways {
            gateway.vm.tick().unwrap();
        }
    }
    gateways
}

/// An API that is well.
fn api(call: &Dispatched) -> Answer {
    let schema = json!({ "type": "object", "properties": {
        "name": { "type": "string" }, "count": { "type": "integer" },
    } });
    match (call.header(":method").unwrap(), call.header(":path").unwrap()) {
        ("GET", "/v1/schema") => ok_json(&schema),
        ("GET", _) => ok_json(&json!({ "name": "old" })),
        _ => ok_json(&json!({})),
    }
}

fn silent(call: &Dispatched) -> Answer {
    panic!("unexpected {call:?}")
}

struct Result {
    text: String,
    is_error: bool,
}

fn call(
    gateway: &mut Gateway,
    (tool, arguments): (&str, Value),
    upstream: impl FnMut(&Dispatched) -> Answer,
) -> Result {
    let request = Request::call(tool, &arguments).with("x-user", "u");
    let reply = gateway.exchange(request, upstream).reply().json();
    let result = reply.get("result").unwrap_or_else(|| panic!("{reply}"));
    let text = result["content"][0]["text"].as_str().unwrap().to_owned();
    Result { text, is_error: result["isError"] == true }
}

fn set(path: &str, value: &Value) -> (&'static str, Value) {
    ("rec_setFieldValue", json!({ "id": "1", "path": path, "value": value }))
}

fn data(gateway: &mut Gateway, tool: &str, id: &str) -> Value {
    let read = call(gateway, (tool, json!({ "id": id })), silent);
    serde_json::from_str::<Value>(&read.text).unwrap()["data"].take()
}

#[track_caller]
fn succeeds(result: Result) -> Result {
    assert!(!result.is_error, "{}", result.text);
    result
}

#[test]
fn two_vms_alternate_on_one_session() {
    for personality in BOTH {
        let process = process();
        let mut both = gateways(2, personality, &process, &json!({}));
        succeeds(call(&mut both[0], set("/name", &json!("new")), api));
        for number in 0..20 {
            succeeds(call(&mut both[number % 2], set("/count", &json!(number)), silent));
        }
        let mut body = Vec::new();
        succeeds(call(&mut both[1], ("rec_saveForm", json!({ "id": "1" })), |sent| {
            body.clone_from(&sent.body);
            api(sent)
        }));
        assert_eq!(
            serde_json::from_slice::<Value>(&body).unwrap(),
            json!({ "name": "new", "count": 19 })
        );
    }
}

#[test]
fn an_edit_by_another_vm_during_a_save_is_kept() {
    for personality in BOTH {
        let process = process();
        let mut both = gateways(2, personality, &process, &json!({}));
        succeeds(call(&mut both[0], set("/name", &json!("one")), api));
        let save = Request::call("rec_saveForm", &json!({ "id": "1" })).with("x-user", "u");
        let (id, _) = both[0].send(save);
        let sent = both[0].calls().into_iter().find(|call| call.context == id).unwrap();
        succeeds(call(&mut both[1], set("/name", &json!("two")), silent));
        both[0].vm.answer(sent.token, api(&sent)).unwrap();
        assert_eq!(both[0].reply(id).unwrap().status, 200);
        assert_eq!(data(&mut both[1], "rec_getData", "1"), json!({ "name": "two" }));
    }
}

#[test]
fn faults_of_the_api_are_told_and_lose_nothing() {
    for personality in BOTH {
        let process = process();
        let mut one = gateways(1, personality, &process, &json!({})).remove(0);
        let status = |status: &str| Answer {
            headers: pairs(&[
                (":status", status),
                ("content-type", "application/json"),
                ("x-envoy-upstream-service-time", "1"),
            ]),
            body: b"{\"message\":\"no\"}".to_vec(),
        };
        let describe = || ("rec_describeState", json!({ "id": "1" }));
        for fault in
            [status("404"), status("500"), super::gateway::Failure::Timeout.answer(personality)]
        {
            let told = call(&mut one, describe(), |_| fault.clone());
            assert!(told.is_error && told.text.contains("schema"), "{}", told.text);
        }
        let told = call(&mut one, describe(), |sent| match sent.header(":path") {
            Some("/v1/schema") => api(sent),
            _ => status("403"),
        });
        assert!(told.is_error && told.text.contains("403"), "{}", told.text);
        succeeds(call(&mut one, set("/name", &json!("new")), api));
        let save = || ("rec_saveForm", json!({ "id": "1" }));
        assert!(call(&mut one, save(), |_| status("500")).is_error);
        let told = call(&mut one, save(), |_| super::gateway::Failure::Timeout.answer(personality));
        assert!(told.is_error && told.text.contains("not known whether"), "{}", told.text);
        succeeds(call(&mut one, save(), api));
    }
}

#[test]
fn a_session_survives_a_change_of_the_configuration() {
    for personality in BOTH {
        let process = process();
        let mut old = gateways(1, personality, &process, &json!({})).remove(0);
        succeeds(call(&mut old, set("/name", &json!("new")), api));
        let changed = json!({ "limits": { "requestBody": "8KiB" } });
        let mut new = gateways(1, personality, &process, &changed).remove(0);
        assert_eq!(data(&mut new, "rec_getData", "1"), json!({ "name": "new" }));
    }
}

#[test]
fn a_damaged_session_is_dropped_with_a_log_line() {
    for personality in BOTH {
        let process = process();
        let mut one = gateways(1, personality, &process, &json!({})).remove(0);
        succeeds(call(&mut one, set("/name", &json!("new")), api));
        for (key, (value, _)) in process.data.borrow_mut().iter_mut() {
            if key.contains("/session/") {
                value.truncate(40);
            }
        }
        let told = call(&mut one, ("rec_saveForm", json!({ "id": "1" })), silent);
        assert!(told.is_error && told.text.contains("Nothing was saved"), "{}", told.text);
        assert!(one.vm.state().logs.iter().any(|line| line.contains("session_dropped")));
    }
}

#[test]
fn a_call_that_waited_for_its_view_may_send_several_requests() {
    let process = process();
    let mut one = gateways(1, Personality::Envoy, &process, &json!({})).remove(0);
    let metadata = super::host::serialize(&pairs(&[("namePrefix", "my_")]));
    let name = "xds.route_metadata.filter_metadata.openapi_mcp".to_owned();
    one.vm.state().properties.insert(name, metadata);
    let describe = Request::call("my_rec_describeState", &json!({ "id": "1" }));
    let (id, _) = one.send(describe.with("x-user", "u"));
    let mut sent = Vec::new();
    for _ in 0..40 {
        one.pass(50);
        while let Some(call) = one.calls().first().cloned() {
            sent.push(call.header(":path").unwrap().to_owned());
            one.vm.answer(call.token, api(&call)).unwrap();
        }
    }
    assert_eq!(sent, ["/v1/schema", "/v1/recs/1"]);
    let reply = one.reply(id).unwrap().json();
    assert_eq!(reply["result"]["isError"], Value::Null, "{reply}");
}

#[test]
fn endless_churn_keeps_shared_data_bounded() {
    let process = process();
    let limits = json!({ "limits": { "sessions": { "maxCount": 1_000 } } });
    let mut one = gateways(1, Personality::Envoy, &process, &limits).remove(0);
    let size = |process: &Process| {
        let data = process.data.borrow();
        (data.len(), data.iter().map(|(key, (value, _))| key.len() + value.len()).sum::<usize>())
    };
    let mut levels = Vec::new();
    for number in 0..100_000 {
        let arguments = json!({ "id": number.to_string() });
        let reply = one
            .exchange(Request::call("draft_describeState", &arguments).with("x-user", "u"), silent);
        assert_eq!(reply.reply().status, 200);
        if (number + 1) % 20_000 == 0 {
            levels.push(size(&process));
        }
    }
    let (first, last) = (levels[0], levels[levels.len() - 1]);
    super::vectors::report(&format!("100,000 sessions: {last:?} keys and bytes"));
    assert!(last.0 <= 1_100, "{levels:?}");
    assert!(last.1 < first.1 + first.1 / 20, "{levels:?}");
}
