//! What the agent is told when the API fails, and that no edit is lost.

use openapi_mcp_filter::http::{UpstreamError, UpstreamRequest, UpstreamResponse};
use serde_json::{Value, json};

use super::desk::{Answer, Desk, Process, answer, configuration, silent};
use super::document;

fn schema() -> Value {
    json!({"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}}})
}

/// An API that is well.
fn well(request: &UpstreamRequest) -> Answer {
    match (&*request.method, request.path.contains("/schema")) {
        ("GET", true) => answer(200, &[], &schema()),
        ("GET", false) => answer(200, &[], &json!({"name": "old"})),
        _ => answer(200, &[], &Value::Null),
    }
}

fn record() -> Value {
    json!({"set": "s", "id": "1"})
}

fn with(extra: &Value) -> Value {
    let mut arguments = record();
    arguments.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
    arguments
}

fn set(value: &str) -> (&'static str, Value) {
    ("rec_setFieldValue", with(&json!({"path": "/name", "value": value})))
}

#[track_caller]
fn check_open(desk: &Desk, fails: impl Fn(&UpstreamRequest) -> Answer, parts: &[&str]) {
    desk.call("u", ("rec_describeState", record()), fails).fails_with(parts);
    // Nothing is kept of the failure.
    let data = desk.call("u", ("rec_getData", record()), well).succeeds().data();
    assert_eq!(data, json!({"name": "old"}));
}

#[test]
fn a_schema_that_does_not_come_is_reported_and_asked_for_again() {
    type Fault<'p> = (Answer, &'p [&'p str]);
    let text = |body: &str| {
        answer(200, &[], &Value::Null)
            .map(|answer| UpstreamResponse { body: body.into(), ..answer })
    };
    let large = json!({"description": "x".repeat(2 << 10)});
    let no_schema = "the answer of `GET /sets/{set}/schema` is no JSON Schema of an object";
    let faults: [Fault<'_>; 11] = [
        (answer(200, &[], &json!({"results": []})), &[no_schema, "`properties`"]),
        (answer(200, &[], &json!([{"type": "object"}])), &[no_schema, "no JSON object"]),
        (answer(200, &[], &json!({"type": "about:blank"})), &[no_schema, "`type`"]),
        (answer(200, &[], &json!({})), &[no_schema]),
        (text("Hello"), &[no_schema, "no JSON"]),
        (answer(404, &[], &json!({"message": "no such set"})), &["schema", "404", "no such set"]),
        (answer(500, &[], &json!("oops")), &["schema", "500", "oops"]),
        (answer(204, &[], &Value::Null), &["schema"]),
        (answer(200, &[], &large), &["schema", "limits.editor.maxSchema"]),
        (Err(UpstreamError::Timeout), &["schema", "time limit", "safe to try again"]),
        (Err(UpstreamError::ConnectionFailed), &["schema", "could not be reached"]),
    ];
    for (fault, parts) in faults {
        let config = configuration(&json!({}), &json!({"editor": {"maxSchema": "1KiB"}}));
        let desk = Desk::with(&Process::new(), &document(), &json!({}), config);
        check_open(&desk, |_| fault.clone(), parts);
    }
}

#[test]
fn a_document_that_does_not_come_is_reported() {
    let faults = [
        (answer(403, &[], &json!({"message": "not yours"})), ["403", "not yours"]),
        (answer(200, &[], &Value::Null), ["document", "JSON"]),
        (answer(200, &[], &json!("text")), ["document", "it is no JSON object"]),
        (answer(200, &[], &json!([{"name": "old"}])), ["document", "it is no JSON object"]),
        (answer(200, &[], &json!(7)), ["document", "it is no JSON object"]),
        (answer(302, &[("location", "https://else.test/")], &Value::Null), ["302", "not followed"]),
    ];
    for (fault, parts) in faults {
        let desk = Desk::new(&Process::new(), &document());
        let api = |request: &UpstreamRequest| {
            if request.path.contains("/schema") { well(request) } else { fault.clone() }
        };
        check_open(&desk, api, &parts);
    }
}

#[test]
fn edits_are_kept_when_a_save_fails() {
    let desk = Desk::new(&Process::new(), &document());
    desk.call("u", set("new"), well).succeeds();
    let save = || ("rec_saveForm", record());
    let failed = desk.call("u", save(), |_| answer(500, &[], &json!({"message": "full"})));
    failed.fails_with(&["500", "full"]);
    desk.call("u", save(), |_| Err(UpstreamError::ConnectionFailed)).fails_with(&["reached"]);
    desk.call("u", save(), |_| Err(UpstreamError::Timeout)).fails_with(&["time limit"]);
    let data = desk.call("u", ("rec_getData", record()), silent).succeeds().data();
    assert_eq!(data, json!({"name": "new"}));
    let saved = desk.call("u", save(), well).succeeds();
    assert_eq!(saved.requests[0].body.as_deref(), Some(br#"{"name":"new"}"#.as_slice()));
}

#[test]
fn an_invalid_document_is_not_sent() {
    let desk = Desk::new(&Process::new(), &document());
    desk.call(
        "u",
        ("draft_setFieldValue", json!({"id": "1", "path": "/qty", "value": -1})),
        silent,
    )
    .succeeds();
    desk.call("u", ("draft_saveForm", json!({"id": "1"})), silent).fails_with(&[]);
}

#[test]
fn a_failed_reload_leaves_the_session_and_can_be_repeated() {
    let desk = Desk::new(&Process::new(), &document());
    desk.call("u", set("new"), well).succeeds();
    let reload = || ("rec_reloadForm", record());
    desk.call("u", reload(), |_| answer(503, &[], &json!("later"))).fails_with(&["503"]);
    let data = desk.call("u", ("rec_getData", record()), silent).succeeds().data();
    assert_eq!(data, json!({"name": "new"}));
    let again = desk.call("u", reload(), well).succeeds();
    assert_eq!(again.sent(), ["GET /v1/sets/s/schema?mime=schema", "GET /v1/sets/s/recs/1"]);
    let data = desk.call("u", ("rec_getData", record()), silent).succeeds().data();
    assert_eq!(data, json!({"name": "old"}));
}

#[test]
fn a_damaged_or_foreign_session_is_dropped() {
    let process = Process::new();
    let desk = Desk::new(&process, &document());
    let damages: [fn(&mut Vec<u8>); 2] =
        [|value| value.truncate(value.len() - 1), |value| *value = b"foreign".to_vec()];
    for damage in damages {
        desk.call("u", set("new"), well).succeeds();
        for key in process.keys("/session/") {
            damage(&mut process.values.borrow_mut().get_mut(&key).unwrap().0);
        }
        desk.call("u", ("rec_saveForm", record()), silent).fails_with(&["Nothing was saved"]);
        let data = desk.call("u", ("rec_getData", record()), well).succeeds().data();
        assert_eq!(data, json!({"name": "old"}));
    }
}

#[test]
fn a_session_that_is_gone_is_never_saved_from() {
    let process = Process::new();
    let desk = Desk::new(&process, &document());
    desk.call("u", set("new"), well).succeeds();
    // As after a restart of the gateway.
    process.values.borrow_mut().clear();
    desk.call("u", ("rec_saveForm", record()), silent).fails_with(&["no session", "describeState"]);
}

#[test]
fn every_call_that_opens_a_form_says_that_it_holds_no_edits() {
    let path = || with(&json!({"path": "/name"}));
    let calls = [
        ("rec_getData", record()),
        ("rec_describeState", record()),
        ("rec_getFieldSuggestions", path()),
        set("other"),
        ("rec_setData", with(&json!({"data": {"name": "other"}}))),
    ];
    let process = Process::new();
    let desk = Desk::new(&process, &document());
    for call in calls {
        process.values.borrow_mut().clear();
        let opened = desk.call("u", call.clone(), well);
        assert!(opened.notes[0].contains("opened anew"), "{opened:?}");
        let again = desk.call("u", call, silent);
        assert!(again.notes.is_empty(), "it is told once: {again:?}");
    }
}

#[test]
fn what_is_said_of_sessions_is_in_the_language_of_the_route() {
    let process = Process::new();
    let route = json!({ "locale": "fr" });
    let config = configuration(&route, &json!({}));
    let desk = Desk::with(&process, &document(), &route, config);
    desk.call("u", ("rec_saveForm", record()), silent).fails_with(&["pas de session"]);
    let opened = desk.call("u", ("rec_describeState", record()), well);
    assert!(opened.notes[0].contains("formulaire à nouveau"), "{opened:?}");
}

#[test]
fn a_save_whose_session_ends_meanwhile_is_reported_all_the_same() {
    let process = Process::new();
    let desk = Desk::new(&process, &document());
    desk.call("u", set("new"), well).succeeds();
    let saved = desk.call("u", ("rec_saveForm", record()), |_| {
        process.values.borrow_mut().clear();
        answer(200, &[], &Value::Null)
    });
    assert!(!saved.is_error, "{saved:?}");
}

#[test]
fn values_that_the_path_cannot_take_are_refused_before_anything_is_sent() {
    let desk = Desk::new(&Process::new(), &document());
    for value in ["", ".", "..", "a/../b"] {
        let arguments = json!({"set": "s", "id": value});
        desk.call("u", ("rec_describeState", arguments), silent).fails_with(&["id"]);
    }
    desk.call("u", ("rec_describeState", json!({"set": "s"})), silent).fails_with(&["id"]);
    desk.call("u", ("rec_describeState", with(&json!({"x": 1}))), silent).fails_with(&["x"]);
}
