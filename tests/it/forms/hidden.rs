//! What the answers of the API exclude, and what every save sends, is not for the agent.

use openapi_mcp_filter::http::UpstreamRequest;
use serde_json::{Value, json};

use super::desk::{Answer, Desk, Process, answer, configuration, silent};

/// A document of books: `book` is loaded and saved, for two profiles; `draft` is made.
fn document() -> Value {
    let reference = json!({"schema": {"$ref": "#/components/schemas/Book"}});
    let json = json!({"application/json": reference});
    let responses = json!({"200": {"description": "", "content": json}});
    let book = |profile: &str, name: &str, owner: &str| {
        json!({"profiles": [profile], "name": name, "fixed": {"owner": owner},
            "editor": {"readOperation": "getBook"}})
    };
    json!({
        "openapi": "3.1.0",
        "info": {"title": "T", "version": "1"},
        "servers": [{"url": "https://api.test"}],
        "x-agent": {"profiles": {"a": {}, "b": {}}},
        "paths": {
            "/books/{id}": {
                "parameters": [
                    {"name": "id", "in": "path", "required": true, "schema": {"type": "string"}},
                ],
                "get": {"operationId": "getBook", "responses": responses},
                "put": {
                    "operationId": "saveBook",
                    "requestBody": {"content": json}, "responses": responses,
                    "x-agent": [book("a", "book", "of a"), book("b", "volume", "of b")],
                },
            },
            "/books": {"post": {
                "operationId": "addBook",
                "requestBody": {"content": json}, "responses": responses,
                "x-agent": {"profiles": ["a"], "name": "draft", "editor": true},
            }},
        },
        "components": {"schemas": {"Book": {
            "type": "object", "required": ["owner"], "properties": {
                "title": {"type": "string"},
                "cost": {"type": "integer", "x-agent": {"exclude": true}},
                "owner": {"type": "string"},
            },
        }}},
    })
}

fn api(request: &UpstreamRequest) -> Answer {
    if request.method == "GET" {
        return answer(200, &[], &json!({"title": "old", "cost": 7, "owner": "theirs"}));
    }
    let mut saved = body(request);
    saved["cost"] = json!(8);
    answer(200, &[], &saved)
}

fn desk(process: &std::rc::Rc<Process>, profile: &str) -> Desk {
    let config = configuration(&json!({}), &json!({}));
    Desk::with(process, &document(), &json!({"profiles": [profile]}), config)
}

fn on(extra: &Value) -> Value {
    let mut arguments = json!({"id": "1"});
    arguments.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
    arguments
}

fn body(request: &UpstreamRequest) -> Value {
    serde_json::from_slice(request.body.as_ref().unwrap()).unwrap()
}

#[test]
fn excluded_and_fixed_members_are_saved_unseen() {
    let desk = desk(&Process::new(), "a");
    let described = desk.call("u", ("book_describeState", on(&json!({}))), api).succeeds();
    assert!(described.text.contains("/title"), "{described:?}");
    for word in ["cost", "owner", "theirs"] {
        assert!(!described.text.contains(word), "{described:?}");
    }
    let edit = |title: &str| on(&json!({"path": "/title", "value": title}));
    desk.call("u", ("book_setFieldValue", edit("new")), silent).succeeds();
    let given = on(&json!({"data": {"cost": 1}}));
    desk.call("u", ("book_setData", given), silent).fails_with(&["/cost"]);
    let given = on(&json!({"data": {"owner": "mine"}}));
    desk.call("u", ("book_setData", given), silent).fails_with(&["/owner"]);
    let saved = desk.call("u", ("book_saveForm", on(&json!({}))), api).succeeds();
    let expected = json!({"title": "new", "cost": 7, "owner": "of a"});
    assert_eq!(body(&saved.requests[0]), expected);
    // What the API answered is hidden, too, and saved next time.
    let read = desk.call("u", ("book_getData", on(&json!({}))), silent).succeeds();
    assert_eq!(read.data(), json!({"title": "new"}));
    desk.call("u", ("book_setFieldValue", edit("newer")), silent).succeeds();
    let saved = desk.call("u", ("book_saveForm", on(&json!({}))), api).succeeds();
    assert_eq!(body(&saved.requests[0])["cost"], 8);
}

#[test]
fn views_that_fix_other_values_have_sessions_of_their_own() {
    let process = Process::new();
    let views = [("a", "book", "of a"), ("b", "volume", "of b")];
    let views = views.map(|(view, name, owner)| (desk(&process, view), name, owner));
    for (desk, name, owner) in &views {
        let edit = on(&json!({"path": "/title", "value": owner}));
        desk.call("u", (&format!("{name}_setFieldValue"), edit), api).succeeds();
    }
    for (desk, name, owner) in &views {
        let save = format!("{name}_saveForm");
        let saved = desk.call("u", (&save, on(&json!({}))), api).succeeds();
        assert_eq!(body(&saved.requests[0]), json!({"title": owner, "cost": 7, "owner": owner}));
    }
}

#[test]
fn what_is_created_is_the_agents_own_and_the_answer_to_it_is_not() {
    let desk = desk(&Process::new(), "a");
    let given = json!({"data": {"title": "t", "cost": 3, "owner": "me"}});
    desk.call("u", ("draft_setData", given.clone()), silent).succeeds();
    let described = desk.call("u", ("draft_describeState", json!({})), silent).succeeds();
    assert!(described.text.contains("/cost"), "{described:?}");
    let saved = desk.call("u", ("draft_saveForm", json!({})), api).succeeds();
    assert_eq!(body(&saved.requests[0]), given["data"]);
    let read = desk.call("u", ("draft_getData", json!({})), silent).succeeds();
    assert_eq!(read.data(), given["data"], "the answer has another cost");
}
