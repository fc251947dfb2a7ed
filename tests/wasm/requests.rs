//! One request: what reaches the API and what the client gets.

use std::rc::Rc;

use serde_json::{Value, json};

use super::gateway::{Failure, Gateway, Outcome, Request, ok_json, pairs};
use super::host::{Answer, Exchange, Personality, Process};
use super::{BOTH, configuration, document};

fn ready(personality: Personality) -> Gateway {
    let process = Rc::new(Process::default());
    process.now.set(1_700_000_000_000);
    let mut gateway = Gateway::new(personality, &process, &configuration(&json!({})));
    assert_eq!(gateway.serve(&document()), 1);
    gateway
}

#[track_caller]
fn text(outcome: Outcome) -> (bool, String) {
    let reply = outcome.reply();
    assert_eq!(reply.status, 200);
    let result = reply.json()["result"].clone();
    let is_error = result["isError"].as_bool().unwrap_or(false);
    (is_error, result["content"][0]["text"].as_str().unwrap().to_owned())
}

fn never(_: &super::host::Dispatched) -> Answer {
    panic!("nothing may be sent")
}

#[test]
fn other_paths_pass_untouched() {
    for personality in BOTH {
        let mut gateway = ready(personality);
        for request in [
            Request::plain("GET", "/"),
            Request::plain("GET", "/mcp/more"),
            Request::post("/pets", b"{}"),
        ] {
            assert!(matches!(gateway.exchange(request, never), Outcome::Passed));
        }
    }
}

#[test]
fn tools_are_listed_and_called() {
    for personality in BOTH {
        let mut gateway = ready(personality);
        let list = gateway.exchange(Request::list(), never).reply().json();
        let names = list["result"]["tools"].as_array().unwrap();
        assert_eq!(names.iter().map(|t| &t["name"]).collect::<Vec<_>>(), ["get_pet", "add_pet"]);
        let call = Request::call("get_pet", &json!({ "id": "a/b", "verbose": true }))
            .with("authorization", "Bearer t")
            .with("cookie", "secret=1")
            .with("x-request-id", "r-1");
        let (is_error, text) = text(gateway.exchange(call, |request| {
            assert_eq!((request.cluster.as_str(), request.timeout), ("api", 2_000));
            let expected = pairs(&[
                (":method", "GET"),
                (":path", "/v1/pets/a%2Fb?verbose=true"),
                (":authority", "api.test"),
                ("authorization", "Bearer t"),
                ("x-client", "mcp"),
                ("accept-encoding", "identity"),
                ("x-request-id", "r-1"),
            ]);
            for pair in expected {
                assert!(request.headers.contains(&pair), "{pair:?} in {:?}", request.headers);
            }
            assert_eq!(request.header("cookie"), None);
            ok_json(&json!({ "name": "Rex" }))
        }));
        assert!(!is_error);
        assert_eq!(text, "- **name**: Rex");
    }
}

#[test]
fn a_body_in_parts_without_a_length_is_read_whole() {
    for personality in BOTH {
        let mut gateway = ready(personality);
        let mut request = Request::call("add_pet", &json!({ "name": "Rex" }));
        request.headers.retain(|(name, _)| name != "content-length");
        let mut request = request.with("transfer-encoding", "chunked");
        request.chunked = true;
        let (is_error, _) = text(gateway.exchange(request, |request| {
            assert_eq!(request.body, br#"{"name":"Rex"}"#);
            Answer { headers: pairs(&[(":status", "201")]), body: Vec::new() }
        }));
        assert!(!is_error);
    }
}

#[test]
fn a_body_may_end_with_trailers() {
    let mut gateway = ready(Personality::Envoy);
    let trailing = |mut request: Request| {
        request.headers.retain(|(name, _)| name != "content-length");
        request.trailers = true;
        request
    };
    let listed = gateway.exchange(trailing(Request::list()), never).reply().json();
    assert!(listed["result"]["tools"].is_array());
    let call = trailing(Request::call("add_pet", &json!({ "name": "Rex" })));
    let (is_error, _) = text(gateway.exchange(call, |request| {
        assert_eq!(request.body, br#"{"name":"Rex"}"#);
        Answer { headers: pairs(&[(":status", "201")]), body: Vec::new() }
    }));
    assert!(!is_error);
    let large = trailing(Request::post("/mcp", &vec![b' '; 5_000]));
    assert_eq!(gateway.exchange(large, never).reply().status, 413);
    let foreign = trailing(Request::list()).with("origin", "https://evil.test");
    assert_eq!(gateway.exchange(foreign, never).reply().status, 403);
}

#[test]
fn refusals_are_complete_and_at_once() {
    for personality in BOTH {
        let mut gateway = ready(personality);
        for method in ["GET", "DELETE", "PUT", "HEAD"] {
            let reply = gateway.exchange(Request::plain(method, "/mcp"), never).reply();
            assert_eq!(reply.status, 405, "{method}");
        }
        let origin = Request::list().with("origin", "https://evil.test");
        assert_eq!(gateway.exchange(origin, never).reply().status, 403);
        let empty = Request::post("/mcp", b"").with("content-length", "0");
        assert_eq!(gateway.exchange(empty, never).reply().status, 400);
        let large = Request::post("/mcp", &vec![b' '; 5_000]);
        assert_eq!(gateway.exchange(large, never).reply().status, 413);
        let mut unannounced = Request::post("/mcp", &vec![b' '; 5_000]);
        unannounced.headers.retain(|(name, _)| name != "content-length");
        unannounced.chunked = true;
        let unannounced = unannounced.with("transfer-encoding", "chunked");
        assert_eq!(gateway.exchange(unannounced, never).reply().status, 413);
    }
}

#[test]
fn an_empty_chunked_body_gets_an_answer() {
    for personality in BOTH {
        let mut gateway = ready(personality);
        let mut request = Request::post("/mcp", b"");
        request.headers.retain(|(name, _)| name != "content-length");
        request.chunked = true;
        let request = request.with("transfer-encoding", "chunked");
        let expected = if personality == Personality::Envoy { 400 } else { 502 };
        assert_eq!(gateway.exchange(request, never).reply().status, expected);
    }
}

#[test]
fn a_body_that_the_host_cannot_hand_over_is_too_large() {
    let mut gateway = ready(Personality::Nginx);
    let request = Request::list();
    let exchange = Exchange {
        headers: request.headers.clone(),
        body: request.body.clone(),
        spilled: true,
        ..Exchange::default()
    };
    let id = gateway.vm.open(exchange).unwrap();
    gateway.vm.http("proxy_on_request_headers", id, &[5, 0]).unwrap();
    let size = i32::try_from(request.body.len()).unwrap();
    gateway.vm.http("proxy_on_request_body", id, &[size, 1]).unwrap();
    assert_eq!(gateway.reply(id).unwrap().status, 413);
}

#[test]
fn a_host_that_never_hands_bodies_over_is_pointed_out_once() {
    let mut gateway = ready(Personality::Envoy);
    let hints = |gateway: &mut Gateway| {
        let logs = &gateway.vm.state().logs;
        logs.iter().filter(|line| line.contains("allow_on_headers_stop_iteration")).count()
    };
    let request = Request::list();
    let exchange = Exchange { headers: request.headers, ..Exchange::default() };
    let id = gateway.vm.open(exchange).unwrap();
    gateway.vm.http("proxy_on_request_headers", id, &[5, 0]).unwrap();
    gateway.pass(4_000);
    assert_eq!(hints(&mut gateway), 0);
    gateway.pass(20_000);
    assert_eq!(hints(&mut gateway), 1);

    let mut gateway = ready(Personality::Envoy);
    gateway.exchange(Request::list(), never);
    gateway.pass(20_000);
    assert_eq!(hints(&mut gateway), 0);
}

#[test]
fn each_failure_of_the_api_has_its_own_answer() {
    for personality in BOTH {
        let mut gateway = ready(personality);
        let mut seen = std::collections::BTreeSet::new();
        let failures = [Failure::Refused, Failure::Reset, Failure::Timeout, Failure::MidBody];
        for failure in failures {
            let call = Request::call("get_pet", &json!({ "id": "1" }));
            let (is_error, text) = text(gateway.exchange(call, |_| failure.answer(personality)));
            assert!(is_error, "{failure:?}: {text}");
            assert!(seen.insert(text.clone()), "{failure:?} says the same as another: {text}");
        }
        let big = |_: &_| ok_json(&Value::String("x".repeat(70_000)));
        let (is_error, big) =
            text(gateway.exchange(Request::call("get_pet", &json!({ "id": "1" })), big));
        assert!(is_error && big.contains("65536"), "{big}");
    }
}

#[test]
fn a_cluster_that_is_unknown_or_down_is_an_error_at_once() {
    let mut gateway = ready(Personality::Envoy);
    gateway.vm.state().down_clusters = vec!["api".to_owned()];
    let call = || Request::call("get_pet", &json!({ "id": "1" }));
    let (is_error, down) = text(gateway.exchange(call(), never));
    assert!(is_error);
    gateway.vm.state().unknown_clusters = vec!["api".to_owned()];
    let (is_error, unknown) = text(gateway.exchange(call(), never));
    assert!(is_error && unknown != down);
}

#[test]
fn a_client_that_leaves_keeps_nothing_and_the_late_answer_is_harmless() {
    for personality in BOTH {
        let mut gateway = ready(personality);
        let (id, outcome) = gateway.send(Request::call("get_pet", &json!({ "id": "1" })));
        assert!(matches!(outcome, Outcome::Waiting));
        let token = gateway.calls()[0].token;
        gateway.vm.close(id).unwrap();
        gateway.vm.answer(token, ok_json(&json!({}))).unwrap();
        let again = gateway.exchange(Request::list(), never).reply();
        assert_eq!(again.status, 200);
    }
}

#[test]
fn hostile_bodies_never_trap() {
    let deep = format!("{}{}", "[".repeat(1_500), "]".repeat(1_500));
    let call = |arguments: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"get_pet","arguments":{arguments}}}}}"#
        )
    };
    let bodies = [
        b"\xff\xfe".to_vec(),
        b"{".to_vec(),
        b"null".to_vec(),
        deep.clone().into_bytes(),
        call(&format!(r#"{{"id":{deep}}}"#)).into_bytes(),
        call(r#"{"id":"\ud800"}"#).into_bytes(),
        call(r#"{"id":"a","id":".."}"#).into_bytes(),
        call(r#"{"id":"..","id":".."}"#).into_bytes(),
        call(r#"{"id":"%2e%2e"}"#).into_bytes(),
        call(r#"{"id":"x?y#z"}"#).into_bytes(),
        call(r#"{"id":"a\r\nb: c"}"#).into_bytes(),
        call(r#"{"id":1e400}"#).into_bytes(),
        call("[]").into_bytes(),
        call("{}").into_bytes(),
    ];
    for personality in BOTH {
        let mut gateway = ready(personality);
        for body in &bodies {
            let outcome = gateway.exchange(Request::post("/mcp", body), |request| {
                let path = request.header(":path").unwrap();
                assert!(path.starts_with("/v1/pets/"), "{path}");
                assert!(path.bytes().all(|b| b.is_ascii_graphic()), "{path}");
                assert_eq!(path.matches('/').count(), 3, "{path}");
                assert!(!path.contains("..") && !path.contains('#'), "{path}");
                ok_json(&json!({}))
            });
            let status = outcome.reply().status;
            assert!(matches!(status, 200 | 400), "{status}: {}", String::from_utf8_lossy(body));
        }
    }
}
