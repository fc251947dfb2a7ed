//! Whose session it is, how long it lives, and that nobody's edit is lost.

use openapi_mcp_filter::config::Config;
use openapi_mcp_filter::exchange::Step;
use openapi_mcp_filter::http::UpstreamRequest;
use serde_json::{Value, json};

use super::desk::{Answer, Called, Desk, Process, answer, configuration, silent};
use super::document;

fn schema() -> Value {
    json!({"type": "object", "properties": {
        "name": {"type": "string"}, "qty": {"type": "integer"},
    }})
}

fn api(request: &UpstreamRequest) -> Answer {
    tagged(request, &[])
}

/// An API that sends these headers with its documents.
fn tagged(request: &UpstreamRequest, headers: &[(&str, &str)]) -> Answer {
    match (&*request.method, request.path.contains("/schema")) {
        ("GET", true) => answer(200, &[], &schema()),
        ("GET", false) => answer(200, headers, &json!({"name": "old"})),
        _ => answer(200, &[], &Value::Null),
    }
}

fn on(id: &str, extra: &Value) -> Value {
    let mut arguments = json!({"set": "s", "id": id});
    arguments.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
    arguments
}

fn set(path: &str, value: &Value) -> (&'static str, Value) {
    ("rec_setFieldValue", on("1", &json!({"path": path, "value": value})))
}

fn read() -> (&'static str, Value) {
    ("rec_getData", on("1", &json!({})))
}

fn save() -> (&'static str, Value) {
    ("rec_saveForm", on("1", &json!({})))
}

fn header<'r>(request: &'r UpstreamRequest, name: &str) -> Option<&'r str> {
    request.headers.iter().find(|(known, _)| known == name).map(|(_, value)| &**value)
}

#[test]
fn workers_share_sessions() {
    let process = Process::new();
    let workers = [0; 3].map(|_| Desk::new(&process, &document()));
    workers[0].call("u", ("rec_describeState", on("1", &json!({}))), api).succeeds();
    workers[1].call("u", set("/name", &json!("new")), silent).succeeds();
    workers[2].call("u", set("/qty", &json!(3)), silent).succeeds();
    let saved = workers[0].call("u", save(), api).succeeds();
    assert_eq!(saved.sent(), ["PUT /v1/sets/s/recs/1"]);
    assert_eq!(saved.requests[0].body.as_deref(), Some(br#"{"name":"new","qty":3}"#.as_slice()));
}

#[test]
fn callers_and_records_have_sessions_of_their_own() {
    let desk = Desk::new(&Process::new(), &document());
    desk.call("u", set("/name", &json!("new")), api).succeeds();
    assert_eq!(desk.call("v", read(), api).succeeds().data(), json!({"name": "old"}));
    let other = desk.call("u", ("rec_getData", on("2", &json!({}))), api).succeeds();
    assert_eq!(other.data(), json!({"name": "old"}));
    assert_eq!(desk.call("u", read(), silent).succeeds().data(), json!({"name": "new"}));
}

#[test]
fn a_schema_is_fetched_once_for_all_records_of_a_caller() {
    let process = Process::new();
    let workers = [0; 2].map(|_| Desk::new(&process, &document()));
    let mut fetched = 0;
    for number in 0..200 {
        let call = ("rec_getData", on(&number.to_string(), &json!({})));
        let called = workers[number % 2].call("u", call, api).succeeds();
        fetched += called.sent().iter().filter(|line| line.contains("schema")).count();
    }
    assert_eq!(fetched, 1);
    let other = workers[0].call("v", read(), api).succeeds();
    assert_eq!(other.requests.len(), 2, "another caller may not see this schema");
    assert_eq!(process.keys("/schema/").len(), 1, "equal schemas are stored once");
}

#[test]
fn callers_are_told_apart_as_configured() {
    let limits = json!({});
    let open = |route: Value, headers: &[(&str, &str)], process: &std::rc::Rc<Process>| -> Called {
        let config = configuration(&route, &limits);
        let desk = Desk::with(process, &document(), &json!({}), config);
        desk.call_with(headers, read(), api)
    };
    let process = Process::new();
    let header = || json!({"identity": {"header": "x-user"}});
    open(header(), &[], &process).fails_with(&["`x-user`", "`identity`"]);
    open(header(), &[("x-user", " ")], &process).fails_with(&["`identity`"]);
    open(header(), &[("x-user", "a"), ("x-user", "b")], &process).fails_with(&["more than once"]);
    let property = || json!({"identity": {"property": ["metadata", "claims", "sub"]}});
    open(property(), &[], &process).fails_with(&["`metadata.claims.sub`", "`identity`"]);
    process.properties.borrow_mut().insert("metadata.claims.sub".into(), b"me".to_vec());
    open(property(), &[], &process).succeeds();
    open(json!({"identity": "anonymous"}), &[], &process).succeeds();
    let none = || json!({"identity": null});
    open(none(), &[("x-user", "u"), ("accept-language", "fr")], &process)
        .fails_with(&["`identity`"]);
    let [first, again, other] = [("Bearer a", 2), ("Bearer a", 0), ("Bearer b", 2)];
    for (token, requests) in [first, again, other] {
        let called = open(none(), &[("authorization", token)], &process).succeeds();
        assert_eq!(called.requests.len(), requests, "{token}");
    }
    let stored = process.values.borrow();
    let text: Vec<u8> = stored.iter().flat_map(|(k, (v, _))| [k.as_bytes(), v].concat()).collect();
    assert!(!String::from_utf8_lossy(&text).contains("Bearer"), "credentials are not kept");
}

#[test]
fn forwarded_headers_go_with_every_request() {
    let desk = Desk::new(&Process::new(), &document());
    let caller = [("x-user", "u"), ("authorization", "Bearer t"), ("x-secret", "s")];
    let opened = desk.call_with(&caller, read(), api).succeeds();
    let saved = desk.call_with(&caller, save(), api).succeeds();
    for request in opened.requests.iter().chain(&saved.requests) {
        assert_eq!(header(request, "authorization"), Some("Bearer t"));
        assert_eq!(header(request, "x-secret"), None);
    }
}

#[test]
fn credentials_of_the_caller_are_blanked_in_later_calls_too() {
    let mut document = document();
    document["security"] = json!([{"key": []}, {"token": []}]);
    document["components"] = json!({"securitySchemes": {
        "key": {"type": "apiKey", "in": "query", "name": "key"},
        "token": {"type": "http", "scheme": "bearer"},
    }});
    let config = json!({
        "upstreams": [{
            "name": "api", "cluster": "api", "authority": "api.test",
            "document": {"inline": "x"},
            "credentials": {"key": {"forward": "x-key"}, "token": {"forward": true}},
        }],
        "routes": [{"path": "/mcp", "identity": {"header": "x-user"}}],
    });
    let config = Config::parse(config.to_string().as_bytes()).unwrap();
    let desk = Desk::with(&Process::new(), &document, &json!({}), std::rc::Rc::new(config));
    let callers: [(&[(&str, &str)], &str); 2] = [
        (&[("x-user", "k"), ("x-key", "s3cr t")], "/v1/sets?key=s3cr+t and s3cr t"),
        (&[("x-user", "t"), ("authorization", "Bearer t0ken")], "t0ken"),
    ];
    for (headers, repeated) in callers {
        let opened = desk.call_with(headers, read(), |request| {
            let sent = request.path.contains("key=s3cr+t") || repeated == "t0ken";
            assert!(sent, "{request:?}");
            if request.path.contains("/schema") {
                return answer(200, &[], &schema());
            }
            answer(200, &[], &json!({"name": repeated}))
        });
        let again = desk.call_with(headers, read(), silent);
        for called in [opened, again] {
            let name = called.succeeds().data()["name"].as_str().unwrap().to_owned();
            assert!(name.contains("[credential]"), "{name}");
            assert!(!name.contains("s3cr") && !name.contains("t0ken"), "{name}");
        }
    }
}

#[test]
fn an_edit_during_a_save_is_kept() {
    let process = Process::new();
    let workers = [0; 2].map(|_| Desk::new(&process, &document()));
    workers[0].call("u", set("/name", &json!("one")), api).succeeds();
    let Step::Call(request, pending) = workers[0].start(&[("x-user", "u")], save()) else {
        panic!("the save is not sent")
    };
    workers[1].call("u", set("/name", &json!("two")), silent).succeeds();
    let Step::Reply(reply, _) = pending.resume(api(&request)) else { panic!("not answered") };
    Called::read(&reply.body, Vec::new()).succeeds();
    assert_eq!(workers[1].call("u", read(), silent).succeeds().data(), json!({"name": "two"}));
    let again = workers[0].call("u", save(), api).succeeds();
    assert_eq!(again.requests[0].body.as_deref(), Some(br#"{"name":"two"}"#.as_slice()));
}

#[test]
fn a_reload_during_a_save_keeps_the_version_that_it_loaded() {
    let process = Process::new();
    let workers = [0; 2].map(|_| Desk::new(&process, &document()));
    let first = |request: &UpstreamRequest| tagged(request, &[("etag", "\"1\"")]);
    let second = answer(200, &[("etag", "\"2\"")], &json!({"name": "mine"}));
    // The answer to the save says the version, or it is read afterwards.
    for answers in [vec![second.clone()], vec![answer(204, &[], &Value::Null), second]] {
        let reload = || ("rec_reloadForm", on("1", &json!({})));
        workers[0].call("u", reload(), first).succeeds();
        workers[0].call("u", set("/name", &json!("mine")), silent).succeeds();
        let mut step = workers[0].start(&[("x-user", "u")], save());
        let count = answers.len();
        for (index, answer) in answers.into_iter().enumerate() {
            let Step::Call(_, pending) = step else { panic!("nothing is sent") };
            if index + 1 == count {
                workers[1].call("u", reload(), first).succeeds();
            }
            step = pending.resume(answer);
        }
        let Step::Reply(reply, _) = step else { panic!("not answered") };
        let saved = Called::read(&reply.body, Vec::new()).succeeds();
        if count == 1 {
            assert!(saved.notes[0].contains("loaded again"), "{saved:?}");
        }
        assert_eq!(workers[1].call("u", read(), silent).succeeds().data(), json!({"name": "old"}));
        let next = workers[1].call("u", save(), |_| answer(412, &[], &Value::Null));
        assert_eq!(header(&next.requests[0], "if-match"), Some("\"1\""));
    }
}

#[test]
fn a_form_is_saved_by_one_call_at_a_time() {
    let process = Process::new();
    let workers = [0; 2].map(|_| Desk::new(&process, &document()));
    let save = || ("draft_saveForm", json!({"id": "1"}));
    let name = json!({"id": "1", "path": "/name", "value": "a"});
    workers[0].call("u", ("draft_setFieldValue", name.clone()), silent).succeeds();
    let Step::Call(_, pending) = workers[0].start(&[("x-user", "u")], save()) else {
        panic!("the save is not sent")
    };
    workers[1].call("u", save(), silent).fails_with(&["being saved", "nothing was sent"]);
    workers[0].call("u", ("draft_reloadForm", json!({"id": "1"})), silent).succeeds();
    workers[0].call("u", ("draft_setFieldValue", name), silent).succeeds();
    workers[1].call("u", save(), silent).fails_with(&["being saved"]);
    let Step::Reply(reply, _) = pending.resume(answer(500, &[], &Value::Null)) else {
        panic!("not answered")
    };
    Called::read(&reply.body, Vec::new()).fails_with(&["500"]);
    // A call that is never answered blocks the form for its time only.
    let Step::Call(_, lost) = workers[0].start(&[("x-user", "u")], save()) else {
        panic!("the save is not sent")
    };
    drop(lost);
    workers[1].call("u", save(), silent).fails_with(&["35 seconds"]);
    process.now.set(process.now.get() + 35_000);
    let created = |_: &UpstreamRequest| answer(201, &[], &Value::Null);
    workers[1].call("u", save(), created).succeeds();
}

#[test]
fn two_calls_that_open_a_session_share_it() {
    let process = Process::new();
    let workers = [0; 2].map(|_| Desk::new(&process, &document()));
    let Step::Call(first, pending) = workers[0].start(&[("x-user", "u")], set("/qty", &json!(1)))
    else {
        panic!("nothing is fetched")
    };
    workers[1].call("u", set("/name", &json!("new")), api).succeeds();
    let Step::Reply(reply, _) = pending.resume(api(&first)) else {
        panic!("the document is fetched although the session is there")
    };
    Called::read(&reply.body, Vec::new()).succeeds();
    let data = workers[1].call("u", read(), silent).succeeds().data();
    assert_eq!(data, json!({"name": "new", "qty": 1}));
}

#[test]
fn saves_are_on_condition_of_the_version_that_was_loaded() {
    type Case<'c> = (&'c [(&'c str, &'c str)], Option<&'c str>, Option<&'c str>);
    let weak = [("etag", "W/\"1\"")];
    let dated = [("etag", "W/\"1\""), ("last-modified", "Mon, 30 Nov 2026 10:00:00 GMT")];
    let cases: [Case<'_>; 4] = [
        (&[("etag", "\"1\"")], Some("\"1\""), None),
        (&dated, None, Some("Mon, 30 Nov 2026 10:00:00 GMT")),
        (&weak, None, None),
        (&[], None, None),
    ];
    for (headers, tag, date) in cases {
        let desk = Desk::new(&Process::new(), &document());
        desk.call("u", set("/name", &json!("new")), |it| tagged(it, headers)).succeeds();
        let saved = desk.call("u", save(), |_| answer(200, &[("etag", "\"2\"")], &Value::Null));
        let saved = saved.succeeds();
        assert_eq!(header(&saved.requests[0], "if-match"), tag);
        assert_eq!(header(&saved.requests[0], "if-unmodified-since"), date);
        let again = desk.call("u", save(), |_| answer(204, &[], &Value::Null)).succeeds();
        assert_eq!(header(&again.requests[0], "if-match"), Some("\"2\""));
    }
}

#[test]
fn a_save_whose_answer_has_no_version_is_read_to_learn_it() {
    let theirs = json!({"name": "theirs"});
    let cases = [
        // What was saved, with members that the API adds: its version is taken.
        (answer(200, &[("etag", "\"2\"")], &json!({"name": "new", "at": 1})), "\"2\""),
        // Somebody else's document, or none: the former version stays, which the API refuses.
        (answer(200, &[("etag", "\"3\"")], &theirs), "\"1\""),
        (answer(500, &[("etag", "\"3\"")], &json!({"name": "new"})), "\"1\""),
        (answer(200, &[], &json!({"name": "new"})), "\"1\""),
    ];
    for (found, expected) in cases {
        let desk = Desk::new(&Process::new(), &document());
        desk.call("u", set("/name", &json!("new")), |it| tagged(it, &[("etag", "\"1\"")]))
            .succeeds();
        let saved = desk.call("u", save(), |request| match &*request.method {
            "PUT" => answer(204, &[], &Value::Null),
            _ => found.clone(),
        });
        let saved = saved.succeeds();
        assert_eq!(saved.sent(), ["PUT /v1/sets/s/recs/1", "GET /v1/sets/s/recs/1"]);
        let next = desk.call("u", save(), |_| answer(200, &[("etag", "\"9\"")], &Value::Null));
        assert_eq!(header(&next.succeeds().requests[0], "if-match"), Some(expected));
    }
}

#[test]
fn a_conflict_is_said_and_nothing_is_overwritten() {
    for status in [409, 412] {
        let desk = Desk::new(&Process::new(), &document());
        desk.call("u", set("/name", &json!("new")), |it| tagged(it, &[("etag", "\"1\"")]))
            .succeeds();
        let conflict =
            desk.call("u", save(), |_| answer(status, &[], &json!({"message": "stale"})));
        conflict.fails_with(&["stale", "reloadForm"]);
        assert_eq!(desk.call("u", read(), silent).succeeds().data(), json!({"name": "new"}));
        let reload = ("rec_reloadForm", on("1", &json!({})));
        desk.call("u", reload, |it| tagged(it, &[("etag", "\"2\"")])).succeeds();
        desk.call("u", set("/name", &json!("newer")), silent).succeeds();
        let saved = desk.call("u", save(), api).succeeds();
        assert_eq!(header(&saved.requests[0], "if-match"), Some("\"2\""));
    }
}

#[test]
fn the_session_holds_what_the_api_made_of_the_document() {
    let desk = Desk::new(&Process::new(), &document());
    let returns = |document: Value| {
        desk.call("u", set("/name", &json!("new")), api).succeeds();
        desk.call("u", save(), |_| answer(200, &[], &document)).succeeds();
        desk.call("u", read(), silent).succeeds().data()
    };
    assert_eq!(returns(json!({"ok": true})), json!({"name": "new"}));
    assert_eq!(returns(json!([1])), json!({"name": "new"}));
    let normalized = json!({"name": "NEW", "_rev": 2});
    assert_eq!(returns(normalized.clone()), normalized);
}

#[test]
fn what_was_created_is_not_created_again_by_accident() {
    let desk = Desk::new(&Process::new(), &document());
    let draft = |verb: &str, extra: Value| {
        let mut arguments = json!({"id": "1"});
        arguments.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        (["draft_", verb].concat(), arguments)
    };
    let run = |(tool, arguments): (String, Value), api: fn(&UpstreamRequest) -> Answer| {
        desk.call("u", (&tool, arguments), api)
    };
    let save = || draft("saveForm", json!({}));
    let name = |name: &str| draft("setFieldValue", json!({"path": "/name", "value": name}));
    let created: fn(&UpstreamRequest) -> Answer =
        |_| answer(201, &[], &json!({"name": "a", "id": 7}));
    run(name("a"), silent).succeeds();
    run(save(), |_| answer(500, &[], &Value::Null)).fails_with(&["500"]);
    let first = run(save(), created).succeeds();
    assert!(first.text.contains("reloadForm"), "{first:?}");
    run(save(), silent).fails_with(&["created", "reloadForm"]);
    run(name("a"), silent).succeeds();
    run(save(), silent).fails_with(&["nothing was sent"]);
    run(name("b"), silent).succeeds();
    assert_eq!(run(save(), created).succeeds().sent(), ["POST /v1/drafts/1"]);
    run(save(), silent).fails_with(&["nothing was sent"]);
    run(draft("reloadForm", json!({})), silent).succeeds();
    run(name("b"), silent).succeeds();
    assert_eq!(run(save(), created).succeeds().sent(), ["POST /v1/drafts/1"]);
}

#[test]
fn a_declared_schema_that_changes_keeps_the_data() {
    let process = Process::new();
    let draft = |extra: Value| {
        let mut arguments = json!({"id": "1"});
        arguments.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        arguments
    };
    let old = Desk::new(&process, &document());
    let edit = draft(json!({"path": "/name", "value": "n"}));
    old.call("u", ("draft_setFieldValue", edit), silent).succeeds();
    let mut changed = document();
    let body = "/paths/~1drafts~1{id}/post/requestBody/content/application~1json/schema/properties";
    changed.pointer_mut(body).unwrap()["added"] = json!({"type": "string"});
    let new = Desk::new(&process, &changed);
    let described = new.call("u", ("draft_describeState", draft(json!({}))), silent).succeeds();
    assert!(described.text.contains("/added"), "{described:?}");
    assert!(described.notes[0].contains("has changed"), "{described:?}");
    let read = new.call("u", ("draft_getData", draft(json!({}))), silent).succeeds();
    assert_eq!(read.data(), json!({"name": "n"}));
    assert!(read.notes.is_empty(), "it is told once");
}

#[test]
fn a_document_that_another_schema_changed_is_shown_before_it_is_saved() {
    let edited = json!({"id": "1", "data": {"name": "n", "qty": 1}});
    let id = || json!({"id": "1"});
    let cases = [
        (json!({"name": {"type": "string"}}), Some("/qty"), json!({"name": "n"})),
        (
            json!({"name": {"type": "string"}, "qty": {"type": "integer"}, "new": {"const": 3}}),
            Some("/new"),
            json!({"name": "n", "qty": 1, "new": 3}),
        ),
        (
            json!({"name": {"type": "string"}, "qty": {"type": "number"}}),
            None,
            json!({"name": "n", "qty": 1}),
        ),
    ];
    for (properties, place, expected) in cases {
        let process = Process::new();
        let old = Desk::new(&process, &document());
        old.call("u", ("draft_setData", edited.clone()), silent).succeeds();
        let mut changed = document();
        let body = "/paths/~1drafts~1{id}/post/requestBody/content/application~1json/schema";
        *changed.pointer_mut(body).unwrap() = json!({
            "type": "object", "additionalProperties": false, "properties": properties,
            "required": properties.as_object().unwrap().keys().collect::<Vec<_>>(),
        });
        let new = Desk::new(&process, &changed);
        if let Some(place) = place {
            let refused = new.call("u", ("draft_saveForm", id()), silent);
            refused.fails_with(&["Nothing was sent", place, "describeState"]);
            assert!(refused.notes[0].contains("has changed"), "{refused:?}");
        }
        let saved = new.call("u", ("draft_saveForm", id()), api).succeeds();
        let sent = saved.requests[0].body.as_deref().unwrap();
        assert_eq!(serde_json::from_slice::<Value>(sent).unwrap(), expected);
    }
}

#[test]
fn what_the_form_leaves_out_is_told_when_it_takes_a_document_over() {
    let closed = json!({"type": "object", "additionalProperties": false, "properties": {
        "name": {"type": "string"},
    }});
    let loaded = json!({"name": "n", "rev": 7});
    let api = |request: &UpstreamRequest| {
        answer(200, &[], if request.path.contains("/schema") { &closed } else { &loaded })
    };
    let process = Process::new();
    let desk = Desk::new(&process, &document());
    let opened = desk.call("u", read(), api).succeeds();
    assert_eq!(opened.data(), json!({"name": "n"}));
    assert!(opened.notes[1].contains("/rev"), "{opened:?}");
    assert!(desk.call("u", read(), silent).succeeds().notes.is_empty(), "it is told once");
    let reloaded = desk.call("u", ("rec_reloadForm", on("1", &json!({}))), api).succeeds();
    assert!(reloaded.text.contains("/rev"), "{reloaded:?}");
    // The same when another schema takes the edits over.
    let process = Process::new();
    let desk = Desk::new(&process, &document());
    desk.call("u", set("/qty", &json!(1)), super::sessions::api).succeeds();
    process.values.borrow_mut().retain(|key, _| !key.contains("/schema"));
    let other = Desk::new(&process, &document());
    let adopted = other.call("u", read(), api).succeeds();
    assert_eq!(adopted.data(), json!({"name": "old"}));
    assert!(adopted.notes[0].contains("has changed"), "{adopted:?}");
    assert!(adopted.notes[1].contains("/qty"), "{adopted:?}");
}

#[test]
fn a_fetched_schema_is_used_until_it_is_lost_or_reloaded() {
    let process = Process::new();
    let desk = Desk::new(&process, &document());
    desk.call("u", set("/name", &json!("new")), api).succeeds();
    process.now.set(process.now.get() + 20 * 60_000);
    desk.call("u", read(), silent).succeeds();
    // Another worker has not compiled it, and it is gone from shared data.
    process.values.borrow_mut().retain(|key, _| !key.contains("/schema"));
    let other = Desk::new(&process, &document());
    let called = other.call("u", read(), |_| {
        answer(200, &[], &json!({"type": "object", "properties": {"other": {"type": "string"}}}))
    });
    let called = called.succeeds();
    assert_eq!(called.sent(), ["GET /v1/sets/s/schema?mime=schema"]);
    assert_eq!(called.data(), json!({"name": "new"}));
    assert!(called.notes[0].contains("has changed"), "{called:?}");
}

#[test]
fn a_session_lives_for_its_time_after_its_last_use() {
    let process = Process::new();
    let config = configuration(&json!({}), &json!({"sessions": {"ttl": "10m"}}));
    let desk = Desk::with(&process, &document(), &json!({}), config);
    desk.call("u", set("/name", &json!("new")), api).succeeds();
    for _ in 0..3 {
        process.now.set(process.now.get() + 9 * 60_000);
        assert_eq!(desk.call("u", read(), silent).succeeds().data(), json!({"name": "new"}));
    }
    process.now.set(process.now.get() + 10 * 60_000);
    desk.call("u", save(), silent).fails_with(&["no session"]);
    assert_eq!(process.keys("/session/").len(), 1);
    for _ in 0..2_000 {
        desk.sweep();
    }
    assert!(process.keys("/session/").is_empty(), "its memory is given back");
}

#[test]
fn sessions_are_bounded_in_number_and_size() {
    let process = Process::new();
    let limits = json!({"sessions": {"maxCount": 64, "maxSize": "2KiB"}});
    let desk = Desk::with(&process, &document(), &json!({}), configuration(&json!({}), &limits));
    for number in 0..2_000 {
        let call = ("draft_describeState", json!({"id": number.to_string()}));
        desk.call("u", call, silent).succeeds();
    }
    assert!(process.keys("/session/").len() <= 64);
    let long = json!({"id": "1", "path": "/name", "value": "x".repeat(3_000)});
    desk.call("u", ("draft_setFieldValue", long), silent).fails_with(&["limits.sessions.maxSize"]);
    let data = desk.call("u", ("draft_getData", json!({"id": "1"})), silent).succeeds().data();
    assert_eq!(data, json!({}));
}

#[test]
fn structured_content_is_given_where_the_route_asks() {
    let options = json!({"structuredContent": true});
    let config = configuration(&options, &json!({}));
    let desk = Desk::with(&Process::new(), &document(), &options, config);
    let read = desk.call("u", ("draft_getData", json!({"id": "1"})), silent).succeeds();
    assert!(read.structured.is_some_and(|it| it.is_object()));
    let plain = Desk::new(&Process::new(), &document());
    let read = plain.call("u", ("draft_getData", json!({"id": "1"})), silent).succeeds();
    assert_eq!(read.structured, None);
}

fn suggesting(url: &str) -> Value {
    json!({"type": "object", "properties": {"city": {"type": "string", "layout": {"getItems": {
        "url": url, "itemsResults": "body.results", "itemTitle": "item.label", "itemValue": "item.code",
    }}}}})
}

#[track_caller]
fn suggestions(url: &str, query: &Value) -> Called {
    suggestions_with(url, query, &json!({}))
}

#[track_caller]
fn suggestions_with(url: &str, query: &Value, record: &Value) -> Called {
    let desk = Desk::new(&Process::new(), &document());
    let mut arguments = on("1", &json!({"path": "/city"}));
    if !query.is_null() {
        arguments["query"] = query.clone();
    }
    let caller = [("x-user", "u"), ("authorization", "Bearer t")];
    desk.call_with(&caller, ("rec_getFieldSuggestions", arguments), |request| {
        if request.path.contains("/schema") {
            answer(200, &[], &suggesting(url))
        } else if request.path.contains("/recs/") {
            answer(200, &[], record)
        } else {
            answer(200, &[], &json!({"results": [{"label": "Brest", "code": "29019"}]}))
        }
    })
}

#[test]
fn suggestions_come_from_the_api_with_the_callers_credentials() {
    let cases = [
        ("cities?q={q}", json!("bre"), "GET /v1/cities?q=bre"),
        ("/geo/cities", Value::Null, "GET /geo/cities"),
        ("./cities/../towns.json", Value::Null, "GET /v1/towns.json"),
        ("https://api.test/cities?x=1", Value::Null, "GET /cities?x=1"),
    ];
    for (url, query, sent) in cases {
        let called = suggestions(url, &query).succeeds();
        assert_eq!(called.sent().last().unwrap(), sent);
        assert_eq!(header(called.requests.last().unwrap(), "authorization"), Some("Bearer t"));
        assert!(called.text.contains("Brest") && called.text.contains("29019"), "{called:?}");
    }
}

#[test]
fn what_a_record_holds_cannot_change_where_suggestions_come_from() {
    for (url, value, sent) in [
        ("cities?c=${rootData.v}", "x&admin=1#", Some("GET /v1/cities?c=x%26admin%3D1%23")),
        ("cities/${rootData.v}/x", "a?x=1", Some("GET /v1/cities/a%3Fx%3D1/x")),
        ("${rootData.v}/x", "https://api.test/v1/sets/s", Some("GET /v1/sets/s/x")),
        ("${rootData.v}/x", "https://else.test", None),
        ("${rootData.v}/x", "//else.test", None),
        ("cities/${rootData.v}", "..", None),
        ("cities/${rootData.other}", "", None),
    ] {
        let called = suggestions_with(url, &Value::Null, &json!({ "v": value }));
        let asked = called.sent().get(2).cloned();
        assert_eq!(asked.as_deref(), sent, "{url} {value}: {called:?}");
        assert_eq!(called.text.contains("Brest"), sent.is_some(), "{called:?}");
    }
}

#[test]
fn suggestions_from_elsewhere_are_not_asked_for() {
    for url in [
        "https://else.test/cities",
        "//else.test/cities",
        "http://api.test:81/x",
        "ftp://api.test/x",
    ] {
        let called = suggestions(url, &Value::Null);
        assert_eq!(called.requests.len(), 2, "{called:?}");
        assert!(called.is_error, "{called:?}");
    }
}
