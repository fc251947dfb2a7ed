use super::*;
use crate::tool::{Content, ToolResult};

#[track_caller]
fn check_result(era: &str, name: &str, result: ToolResult, expected: &Value) {
    let call = call(&json!({"era": era, "method": "tools/call", "params": {"name": name}}));
    let reply = reply(&call.envelope, result);
    assert_eq!((reply.status, body_of(&reply)["id"].clone()), (200, json!(1)));
    assert_eq!(body_of(&reply)["result"], *expected);
}

fn structured(value: Value) -> ToolResult {
    ToolResult { structured: Some(value), ..ToolResult::text("t") }
}

#[test]
fn a_text_is_written_for_both_eras() {
    let text = "a \"b\"\n\u{1}é\u{1f600}";
    let content = json!([{"type": "text", "text": text}]);
    check_result("2025-11-25", "other", ToolResult::text(text), &json!({"content": content}));
    check_result(
        "modern",
        "other",
        ToolResult::text(text),
        &json!({
            "content": content,
            "resultType": "complete",
            "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "Books", "version": "1.2.3"}},
        }),
    );
}

#[test]
fn an_error_says_so() {
    let expected = json!({"content": [{"type": "text", "text": "no"}], "isError": true});
    check_result("none", "other", ToolResult::error("no"), &expected);
}

#[test]
fn structured_content_follows_the_revision() {
    let content = json!([{"type": "text", "text": "t"}]);
    let modern = |value: &Value| {
        json!({
            "content": content, "structuredContent": value, "resultType": "complete",
            "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "Books", "version": "1.2.3"}},
        })
    };
    let object = json!({"id": "b", "n": 1.50});
    for (name, value, legacy) in [
        // the output schema is that of an object, or there is none
        ("get_book", object.clone(), object.clone()),
        ("other", object.clone(), object.clone()),
        ("other", json!([1]), json!({"result": [1]})),
        ("other", Value::Null, json!({"result": null})),
        // the output schema is that of a list, so everything is wrapped
        ("list_books", json!([{}]), json!({"result": [{}]})),
        ("list_books", object.clone(), json!({"result": object})),
    ] {
        check_result("modern", name, structured(value.clone()), &modern(&value));
        for era in ["2025-06-18", "2025-11-25"] {
            let expected = json!({"content": content, "structuredContent": legacy});
            check_result(era, name, structured(value.clone()), &expected);
        }
        check_result("2025-03-26", name, structured(value), &json!({"content": content}));
    }
}

#[test]
fn blocks_of_all_kinds() {
    let resource = |mime_type: &str, data: &[u8]| Content::Resource {
        uri: "u:1".to_owned(),
        mime_type: mime_type.to_owned(),
        data: data.to_owned(),
    };
    let result = ToolResult {
        content: vec![
            Content::Image { data: vec![1, 2, 3], mime_type: "image/png".to_owned() },
            Content::Audio { data: vec![1], mime_type: "audio/wav".to_owned() },
            resource("application/vnd.x+json; charset=utf-8", b"{}"),
            resource("text/csv", b"\xff"),
            resource("application/pdf", b"%"),
            resource("application/octet-stream", b""),
        ],
        ..ToolResult::default()
    };
    let expected = json!({"content": [
        {"type": "image", "mimeType": "image/png", "data": "AQID"},
        {"type": "audio", "mimeType": "audio/wav", "data": "AQ=="},
        {"type": "resource", "resource": {
            "uri": "u:1", "mimeType": "application/vnd.x+json; charset=utf-8", "text": "{}"}},
        {"type": "resource", "resource": {"uri": "u:1", "mimeType": "text/csv", "blob": "/w=="}},
        {"type": "resource", "resource": {"uri": "u:1", "mimeType": "application/pdf", "blob": "JQ=="}},
        {"type": "resource", "resource": {
            "uri": "u:1", "mimeType": "application/octet-stream", "blob": ""}},
    ]});
    check_result("2025-11-25", "other", result, &expected);
}

#[test]
fn a_page_can_read_the_answer_to_a_call() {
    let call = call(&json!({
        "era": "modern", "method": "tools/call", "params": {"name": "other"},
        "headers": {"origin": "https://app.example.com"},
    }));
    let reply = reply(&call.envelope, ToolResult::default());
    let allowed = ("access-control-allow-origin", "https://app.example.com".to_owned());
    assert!(reply.headers.contains(&allowed));
}

#[test]
fn ids_come_back_as_they_were() {
    for id in
        ["9007199254740993", "-0", "\"007\"", r#""\u00e9/\/""#, "\"\"", "123456789012345678901"]
    {
        let body = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
        let Received::Reply(reply) = receive(&Headers::default(), body.as_bytes(), &tools(false))
        else {
            panic!("a call")
        };
        let expected = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#);
        assert_eq!(String::from_utf8(reply.body).unwrap(), expected);
    }
}

#[test]
fn pages_follow_each_other_in_every_worker() {
    let names = |reply: &Reply| {
        let tools = body_of(reply)["result"]["tools"].clone();
        tools.as_array().unwrap().iter().map(|tool| tool["name"].clone()).collect::<Vec<_>>()
    };
    let page = |params: Value| {
        // Each request meets a tool set that was opened anew.
        let (headers, body) =
            request(&json!({"era": "modern", "method": "tools/list", "params": params}));
        let Received::Reply(reply) = receive(&headers, &body, &tools(false)) else {
            panic!("a call")
        };
        reply
    };
    let first = page(json!({}));
    assert_eq!(names(&first), ["list_books", "get_book"]);
    let second = page(json!({"cursor": body_of(&first)["result"]["nextCursor"]}));
    assert_eq!(names(&second), ["other"]);
    assert_eq!(body_of(&second)["result"].get("nextCursor"), None);
    assert_eq!(first, page(json!({"cursor": null})));
}

#[test]
fn unavailable_names_the_request_where_it_can() {
    let answer = |body: &str, wait: u64| {
        let reply = unavailable(
            &Headers::default(),
            body.as_bytes(),
            "the document is being read",
            Duration::from_millis(wait),
        );
        let retry =
            reply.headers.iter().find(|(name, _)| *name == "retry-after").unwrap().1.clone();
        (reply.status, retry, body_of(&reply))
    };
    let error = json!({"code": -32603, "message": "the document is being read"});
    assert_eq!(
        answer(r#"{"jsonrpc":"2.0","id":"a","method":"tools/list"}"#, 1500),
        (503, "2".to_owned(), json!({"jsonrpc": "2.0", "id": "a", "error": error}))
    );
    let anonymous = json!({"jsonrpc": "2.0", "error": error});
    assert_eq!(answer("{", 0), (503, "1".to_owned(), anonymous.clone()));
    assert_eq!(
        answer(r#"{"jsonrpc":"2.0","method":"notifications/x"}"#, 5000),
        (503, "5".to_owned(), anonymous)
    );
}

#[test]
fn too_large_names_the_limit() {
    let reply = too_large(&Headers::default(), 1024);
    assert_eq!(reply.status, 413);
    assert!(body_of(&reply)["error"]["message"].as_str().unwrap().contains("1024"));
}

#[test]
fn trace_context_comes_from_meta_else_from_headers() {
    const PARENT: &str = "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01";
    const OTHER: &str = "00-1af7651916cd43dd8448eb211c80319c-10f067aa0ba902b7-00";
    let trace = |meta: Value, headers: Value| {
        let mut params = json!({"name": "other"});
        params["_meta"] = meta;
        let row =
            json!({"era": "none", "method": "tools/call", "params": params, "headers": headers});
        let Trace { traceparent, tracestate, baggage } = call(&row).trace;
        [traceparent, tracestate, baggage].map(Option::unwrap_or_default)
    };
    for (meta, headers, expected) in [
        (json!({}), json!({}), ["", "", ""]),
        (
            json!({"traceparent": PARENT, "tracestate": "a=1,b@c=2", "baggage": "k=v;p=1, l=%20"}),
            json!({"traceparent": OTHER, "tracestate": "z=9", "baggage": "x=y"}),
            [PARENT, "a=1,b@c=2", "k=v;p=1, l=%20"],
        ),
        (json!({}), json!({"traceparent": OTHER, "tracestate": "z=9"}), [OTHER, "z=9", ""]),
        // states belong to their parent
        (json!({"traceparent": PARENT}), json!({"tracestate": "z=9"}), [PARENT, "", ""]),
        (json!({"tracestate": "a=1"}), json!({}), ["", "", ""]),
        // what is malformed does not count
        (json!({"traceparent": 5}), json!({"traceparent": OTHER}), [OTHER, "", ""]),
        (json!({"traceparent": format!("{PARENT}-x")}), json!({}), ["", "", ""]),
        (json!({"traceparent": PARENT.to_uppercase()}), json!({}), ["", "", ""]),
        (json!({"traceparent": PARENT.replacen("00-", "ff-", 1)}), json!({}), ["", "", ""]),
        (
            json!({"traceparent": PARENT.replacen("00-", "01-", 1) + "-more"}),
            json!({}),
            ["01-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01-more", "", ""],
        ),
        (
            json!({"traceparent": format!("00-{}-00f067aa0ba902b7-01", "0".repeat(32))}),
            json!({}),
            ["", "", ""],
        ),
        (json!({"baggage": "k=v\r\nx: y"}), json!({"baggage": "x=y"}), ["", "", "x=y"]),
        (json!({"traceparent": PARENT, "tracestate": "a"}), json!({}), [PARENT, "", ""]),
        (
            json!({"traceparent": PARENT, "tracestate": format!("a={}", "x".repeat(512))}),
            json!({}),
            [PARENT, "", ""],
        ),
        (json!({}), json!({"traceparent": [PARENT, OTHER]}), ["", "", ""]),
    ] {
        assert_eq!(trace(meta.clone(), headers), expected, "{meta}");
    }
}
