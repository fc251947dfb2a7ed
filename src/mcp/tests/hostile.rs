use proptest::prelude::*;

use super::*;

/// The status and the error code of the reply to a body without a version header.
fn answer(body: &[u8]) -> (u16, Value) {
    match receive(&Headers::default(), body, &tools(true)) {
        Received::Reply(reply) | Received::Found(reply, _) => {
            (reply.status, body_of(&reply)["error"]["code"].clone())
        }
        Received::Call(_) => (0, Value::Null),
    }
}

fn nested(prefix: &str, suffix: &str) -> Vec<u8> {
    [prefix, &"[".repeat(10_000), &"]".repeat(10_000), suffix].concat().into_bytes()
}

#[test]
fn deep_nesting_is_an_error_or_is_skipped() {
    let head = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":"#;
    for (body, expected) in [
        (nested("", ""), (400, json!(-32600))),
        (nested(head, "}"), (400, json!(-32602))),
        (
            nested(&format!(r#"{head}{{"name":"other","arguments":{{"a":"#), "}}}"),
            (200, json!(-32602)),
        ),
        (nested(&format!(r#"{head}{{"name":"other","arguments":"#), "}}"), (200, json!(-32602))),
        (nested(&format!(r#"{head}{{"name":"other","_meta":{{"a":"#), "}}}"), (0, Value::Null)),
        (nested(&format!(r#"{head}{{"name":"#), "}}"), (200, json!(-32602))),
        (nested(r#"{"jsonrpc":"2.0","id":"#, r#","method":"ping"}"#), (400, json!(-32600))),
        (nested(r#"{"jsonrpc":"2.0","id":1,"method":"ping","x":"#, "}"), (200, Value::Null)),
        (b"{\"a\":".repeat(10_000), (400, json!(-32700))),
    ] {
        assert_eq!(answer(&body), expected);
    }
}

#[test]
fn ten_megabytes_are_read_in_one_go() {
    let text = "x".repeat(10_000_000);
    let body = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"other","arguments":{{"q":"{text}"}}}}}}"#
    );
    let Received::Call(call) = receive(&Headers::default(), body.as_bytes(), &tools(false)) else {
        panic!("no call")
    };
    assert_eq!(call.arguments["q"].as_str().unwrap().len(), text.len());
    assert_eq!(
        answer(format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{text}"}}"#).as_bytes()),
        (200, json!(-32601))
    );
    assert_eq!(answer(text.as_bytes()), (400, json!(-32700)));
}

#[test]
fn a_quoted_name_is_cut_between_characters() {
    let name = "é".repeat(1000);
    let body = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"a{name}"}}"#);
    let Received::Reply(reply) = receive(&Headers::default(), body.as_bytes(), &tools(false))
    else {
        panic!("a call")
    };
    let message = body_of(&reply)["error"]["message"].as_str().unwrap().to_owned();
    assert_eq!(message, format!("no method `a{}…` here", "é".repeat(63)));
}

#[test]
fn text_that_is_not_utf8_is_not_json() {
    for body in [
        b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}".as_slice(),
        b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"x\":\"\xc3\"}",
        b"\xed\xa0\x80",
        b"\xef\xbb\xbf{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}",
    ] {
        assert_eq!(answer(body), (400, json!(-32700)));
    }
}

#[test]
fn bytes_in_headers_are_a_mismatch() {
    let row = json!({"era": "modern", "method": "tools/call", "params": {"name": "other"}});
    let (headers, body) = fields(&row);
    for name in ["mcp-method", "mcp-name", "mcp-protocol-version"] {
        let mut bytes = headers.clone();
        bytes.iter_mut().find(|(other, _)| other == name).unwrap().1 = vec![0xff];
        let Received::Reply(reply) = receive(&Headers::new(bytes), &body, &tools(false)) else {
            panic!("a call")
        };
        assert_eq!((reply.status, &body_of(&reply)["error"]["code"]), (400, &json!(-32020)));
    }
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "\\PC{0,6}".prop_map(Value::from),
        Just(json!("2.0")),
        Just(json!("tools/call")),
        Just(json!("other")),
    ];
    let key = prop_oneof![
        Just("jsonrpc"),
        Just("id"),
        Just("method"),
        Just("params"),
        Just("_meta"),
        Just("name"),
        Just("arguments"),
        Just("cursor"),
        Just("uri"),
        Just("traceparent"),
        Just("io.modelcontextprotocol/protocolVersion"),
    ];
    leaf.prop_recursive(4, 32, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((key.clone(), inner), 0..6).prop_map(|members| {
                members.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
            }),
        ]
    })
}

fn check_any(headers: &Headers, body: &[u8]) {
    let reply = match gate(headers, &[]) {
        Ok(()) => match receive(headers, body, &tools(true)) {
            Received::Reply(reply) | Received::Found(reply, _) => reply,
            Received::Call(call) => reply(&call.envelope, crate::tool::ToolResult::text("t")),
        },
        Err(reply) => reply,
    };
    if !reply.body.is_empty() {
        assert_eq!(body_of(&reply)["jsonrpc"], "2.0");
    }
    unavailable(headers, body, "later", Duration::ZERO);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_bytes_get_an_answer(body: Vec<u8>, value: Vec<u8>) {
        let (headers, _) = fields(&json!({"era": "none", "method": "x"}));
        check_any(&Headers::new(headers.clone()), &body);
        for name in ["origin", "accept", "content-type", "mcp-name", "mcp-protocol-version"] {
            let more = (name.to_owned(), value.clone());
            let all = headers.iter().cloned().chain([more]);
            check_any(&Headers::new(all), &body);
        }
    }

    #[test]
    fn any_json_gets_an_answer(body in any_json()) {
        let (headers, _) = request(&json!({"era": "none", "method": "x"}));
        check_any(&headers, body.to_string().as_bytes());
        let (headers, _) = request(&json!({"era": "modern", "method": "tools/call"}));
        check_any(&headers, body.to_string().as_bytes());
    }
}

/// Bytes of JSON tokens in any order, and JSON with one byte changed.
fn almost_json() -> impl Strategy<Value = String> {
    let token = prop_oneof![
        Just("{"),
        Just("}"),
        Just("["),
        Just("]"),
        Just(","),
        Just(":"),
        Just("\"a\""),
        Just("\"\\u00e9\\n\""),
        Just("\"\\x\""),
        Just("\"\t\""),
        Just("\""),
        Just("-0"),
        Just("01"),
        Just("1.5e+3"),
        Just("1."),
        Just("-"),
        Just("true"),
        Just("nul"),
        Just("null"),
        Just(" "),
        Just("\n"),
    ];
    let changed = (any_json(), any::<prop::sample::Index>(), "[{}\\[\\],:\"\\\\0-9a-z.+ -]")
        .prop_map(|(value, place, other)| {
            let mut text = value.to_string();
            let at = place.index(text.len());
            if text.is_char_boundary(at) && text.is_char_boundary(at + 1) {
                text.replace_range(at..=at, &other);
            }
            text
        });
    prop_oneof![prop::collection::vec(token, 0..12).prop_map(|tokens| tokens.concat()), changed]
}

proptest! {
    #[test]
    fn the_cursor_takes_what_the_parser_takes(text in almost_json()) {
        let mut cursor = cursor::Cursor::new(&text);
        let taken = cursor.skip().and_then(|()| cursor.end()).is_ok();
        let parsed = serde_json::from_str::<serde::de::IgnoredAny>(&text);
        prop_assert_eq!(taken, parsed.is_ok(), "{}", text);
        let mut members = [cursor::Members::new(&["a", "params"])];
        let mut cursor = cursor::Cursor::new(&text);
        let walked = cursor.members(&mut members).and_then(|()| cursor.end());
        prop_assert_eq!(walked.is_ok(), parsed.is_ok() && text.trim_ascii_start().starts_with('{'), "{}", text);
    }
}
