mod golden;
mod plan;
mod property;

use expect_test::{Expect, expect};
use serde_json::{Value, json};

use super::*;
use crate::tool::{Content, Detailed, ResponsePlan};

fn operation(method: &str, response: ResponsePlan) -> OperationPlan {
    OperationPlan {
        upstream: "api".into(),
        pointer: "/paths/~1b/get".into(),
        method: method.into(),
        base_path: String::new(),
        path: "/b".into(),
        parameters: Vec::new(),
        body: None,
        server: None,
        credentials: Vec::new(),
        response,
    }
}

fn answer(status: u16, headers: &[(&str, &str)], body: impl Into<Vec<u8>>) -> UpstreamResponse {
    UpstreamResponse { status, headers: headers.iter().copied().collect(), body: body.into() }
}

fn plain() -> ResponsePlan {
    plan::with_schema(&json!({}))
}

fn run(
    response: ResponsePlan,
    arguments: &Value,
    value: &Value,
    context: &Context<'_>,
) -> ToolResult {
    let answer = answer(200, &[("content-type", "application/json")], value.to_string());
    render(&operation("GET", response), arguments.as_object().unwrap(), Ok(answer), context)
}

fn text_of(result: &ToolResult) -> &str {
    match result.content.first() {
        Some(Content::Text(text)) => text,
        other => panic!("expected a text, got {other:?}"),
    }
}

#[track_caller]
fn check_json(response: ResponsePlan, value: Value, expected: Expect) {
    expected.assert_eq(text_of(&run(response, &json!({}), &value, &Context::default())));
}

#[track_caller]
fn check_answer(method: &str, answer: UpstreamResponse, is_error: bool, expected: Expect) {
    let context = Context { authority: Some("api.test"), ..Context::default() };
    let result = render(&operation(method, plain()), &Map::new(), Ok(answer), &context);
    let blocks = result.content.iter().map(|block| match block {
        Content::Text(text) => text.clone(),
        other => format!("{other:?}"),
    });
    expected.assert_eq(&blocks.collect::<Vec<_>>().join("\n---\n"));
    assert_eq!(result.is_error, is_error);
}

#[test]
fn failures_say_what_happened_and_whether_to_try_again() {
    let errors = [
        UpstreamError::UnknownUpstream,
        UpstreamError::Unavailable,
        UpstreamError::ConnectionFailed,
        UpstreamError::ConnectionClosed,
        UpstreamError::ProtocolError,
        UpstreamError::Timeout,
        UpstreamError::TooLarge { limit: 1000 },
        UpstreamError::Truncated,
    ];
    let mut texts = Vec::new();
    for method in ["GET", "PUT", "POST"] {
        for error in errors {
            let plan = operation(method, plain());
            let result = render(&plan, &Map::new(), Err(error), &Context::default());
            assert!(result.is_error);
            texts.push(format!("{method} {}", text_of(&result)));
        }
    }
    let mut distinct = texts.clone();
    distinct.sort();
    distinct.dedup();
    assert_eq!(distinct.len(), texts.len());
    expect![[r"
        GET Request failed: the gateway has no route to this API, so nothing was sent. Trying again will not help: the operator has to correct the gateway's configuration.
        GET Request failed: no instance of the API can take requests at the moment, so nothing was sent. It is safe to try again later.
        GET Request failed: the API could not be reached, so nothing was sent. It is safe to try again later.
        GET Request failed: the API closed the connection before it answered. The request only reads, so it is safe to try again.
        GET Request failed: what the API answered is not valid HTTP. The request only reads, so it is safe to try again.
        GET Request failed: the API did not answer within the time limit. The request only reads, so it is safe to try again.
        GET Request failed: the API's answer is larger than the limit of 1000 bytes. Ask for less, for instance a smaller page, fewer fields or a narrower filter.
        GET Request failed: the API's answer broke off before its end (connection lost, time limit or size limit). The request only reads, so it is safe to try again.
        PUT Request failed: the gateway has no route to this API, so nothing was sent. Trying again will not help: the operator has to correct the gateway's configuration.
        PUT Request failed: no instance of the API can take requests at the moment, so nothing was sent. It is safe to try again later.
        PUT Request failed: the API could not be reached, so nothing was sent. It is safe to try again later.
        PUT Request failed: the API closed the connection before it answered. The API may have carried the request out; repeating it has the same effect as doing it once, so it is safe to try again.
        PUT Request failed: what the API answered is not valid HTTP. The API may have carried the request out; repeating it has the same effect as doing it once, so it is safe to try again.
        PUT Request failed: the API did not answer within the time limit. The API may have carried the request out; repeating it has the same effect as doing it once, so it is safe to try again.
        PUT Request failed: the API's answer is larger than the limit of 1000 bytes. The API did answer, so it has probably carried the request out: check that before trying again.
        PUT Request failed: the API's answer broke off before its end (connection lost, time limit or size limit). The API may have carried the request out; repeating it has the same effect as doing it once, so it is safe to try again.
        POST Request failed: the gateway has no route to this API, so nothing was sent. Trying again will not help: the operator has to correct the gateway's configuration.
        POST Request failed: no instance of the API can take requests at the moment, so nothing was sent. It is safe to try again later.
        POST Request failed: the API could not be reached, so nothing was sent. It is safe to try again later.
        POST Request failed: the API closed the connection before it answered. The API may have carried the request out: check that before trying again, or it may happen twice.
        POST Request failed: what the API answered is not valid HTTP. The API may have carried the request out: check that before trying again, or it may happen twice.
        POST Request failed: the API did not answer within the time limit. The API may have carried the request out: check that before trying again, or it may happen twice.
        POST Request failed: the API's answer is larger than the limit of 1000 bytes. The API did answer, so it has probably carried the request out: check that before trying again.
        POST Request failed: the API's answer broke off before its end (connection lost, time limit or size limit). The API may have carried the request out: check that before trying again, or it may happen twice."]].assert_eq(&texts.join("\n"));
}

#[test]
fn redirects_are_reported_and_not_followed() {
    let redirect = |status, target| answer(status, &[("location", target)], "");
    check_answer(
        "GET",
        redirect(301, "https://api.test/v2/b?x=1"),
        true,
        expect!["HTTP 301: the API redirects to /v2/b?x=1; redirects are not followed"],
    );
    check_answer(
        "GET",
        redirect(302, "https://u:p@evil.test/login?token=s"),
        true,
        expect![
            "HTTP 302: the API redirects to https://evil.test/login; redirects are not followed"
        ],
    );
    check_answer(
        "GET",
        answer(304, &[], ""),
        true,
        expect!["HTTP 304: not modified, there is no new content"],
    );
    check_answer(
        "GET",
        answer(300, &[("retry-after", "3")], "x"),
        true,
        expect![[r"
        HTTP 300: the API redirects without saying where to
        Retry-After: 3"]],
    );
}

#[test]
fn errors_carry_what_the_api_says() {
    let problem = answer(
        429,
        &[("content-type", "application/problem+json"), ("retry-after", "30")],
        r#"{"title":"slow down"}"#,
    );
    check_answer(
        "GET",
        problem,
        true,
        expect![[r#"
        HTTP 429: {"title":"slow down"}
        Retry-After: 30"#]],
    );
    let page = "<!doctype html>\n<title>Bad gateway</title><h1>502</h1><p>try &amp; wait";
    check_answer(
        "GET",
        answer(502, &[], page),
        true,
        expect![[r"
        HTTP 502: Bad gateway
        502
        try & wait"]],
    );
    check_answer(
        "GET",
        answer(500, &[("content-type", "image/png")], [0xFF, 0]),
        true,
        expect!["HTTP 500: (2 bytes that are not text)"],
    );
    check_answer(
        "GET",
        answer(500, &[("content-encoding", "zstd")], "x"),
        true,
        expect!["HTTP 500: (a body with coding zstd)"],
    );
    check_answer(
        "GET",
        answer(0, &[], "x"),
        true,
        expect![
            "Request failed: what the API answered is not valid HTTP. The request only reads, so it is safe to try again."
        ],
    );
}

#[test]
fn an_error_body_is_cut_between_characters() {
    let plan = ResponsePlan { max_error_length: 4, ..plain() };
    let answer = answer(500, &[], "a😀😀");
    let result = render(&operation("GET", plan), &Map::new(), Ok(answer), &Context::default());
    assert_eq!(text_of(&result), "HTTP 500: a😀…");
}

#[test]
fn unreadable_answers_say_that_the_api_answered() {
    let body = |kind, coding, body: &[u8]| {
        answer(201, &[("content-type", kind), ("content-encoding", coding)], body)
    };
    check_answer(
        "POST",
        body("application/json", "", b"{\"a\":\n 1,}"),
        true,
        expect![
            "Invalid JSON response: trailing comma at line 2 column 4. (The API answered HTTP 201.)"
        ],
    );
    check_answer(
        "GET",
        body("application/json", "", "[".repeat(10_000).as_bytes()),
        true,
        expect![
            "Invalid JSON response: nested deeper than 128 levels at line 1 column 128. (The API answered HTTP 201.)"
        ],
    );
    check_answer(
        "GET",
        body("text/plain", "gzip", b"plain"),
        true,
        expect![
            "The API's answer cannot be read: it is not valid gzip data. (The API answered HTTP 201.)"
        ],
    );
    check_answer(
        "GET",
        body("text/plain", "zstd", b"plain"),
        true,
        expect![
            "The API's answer cannot be read: it is compressed as `zstd`, which was not asked for: only gzip, deflate and br can be read. (The API answered HTTP 201.)"
        ],
    );
}

#[test]
fn a_decoded_body_over_the_limit_is_refused() {
    let bomb = miniz_oxide::deflate::compress_to_vec_zlib(&vec![b'a'; 10_000], 9);
    let answer = answer(200, &[("content-encoding", "deflate")], bomb);
    let context = Context { max_body: 9_999, ..Context::default() };
    let result = render(&operation("POST", plain()), &Map::new(), Ok(answer), &context);
    expect!["Request failed: the API's answer is larger than the limit of 9999 bytes. The API did answer, so it has probably carried the request out: check that before trying again. (The API answered HTTP 200.)"].assert_eq(text_of(&result));
}

#[test]
fn media_become_blocks_of_their_kind() {
    let body = |kind, body: &[u8]| answer(200, &[("content-type", kind)], body);
    check_answer(
        "GET",
        body("image/PNG", &[0x89, 1]),
        false,
        expect![[r#"Image { data: [137, 1], mime_type: "image/png" }"#]],
    );
    check_answer(
        "GET",
        body("audio/wav", b"RIFF"),
        false,
        expect![[r#"Audio { data: [82, 73, 70, 70], mime_type: "audio/wav" }"#]],
    );
    check_answer(
        "GET",
        body("application/pdf; x=y", b"%PDF"),
        false,
        expect![[
            r#"Resource { uri: "ni:///sha-256;MV1Cm3cUzttq0ErDEkAUUldpJjBFfzyIJTxb7OrHYCc", mime_type: "application/pdf", data: [37, 80, 68, 70] }"#
        ]],
    );
    check_answer("GET", body("application/x-thing", b"text"), false, expect!["text"]);
    check_answer(
        "GET",
        body("application/x-thing", &[0xFF]),
        false,
        expect![[
            r#"Resource { uri: "ni:///sha-256;qBAK5qoZQNC2Y7sxzUZhQuu9vVGHExuS2TgYmHgy64k", mime_type: "application/x-thing", data: [255] }"#
        ]],
    );
    check_answer(
        "GET",
        answer(200, &[], [b'a', 0]),
        false,
        expect![[
            r#"Resource { uri: "ni:///sha-256;_-mq6qKi1QSBdN8LgFme8Bl-wCTEsFG8mGDP9Y73-fM", mime_type: "application/octet-stream", data: [97, 0] }"#
        ]],
    );
    check_answer(
        "GET",
        body("text/event-stream", b"data: 1\n\n"),
        false,
        expect![[r"
        data: 1

    "]],
    );
    check_answer(
        "GET",
        body("application/x-ndjson", b"{\"a\":1}\n{\"a\":2}\n"),
        false,
        expect![[r#"
            {"a":1}
            {"a":2}
        "#]],
    );
    check_answer("GET", body("text/plain;charset=latin1", b"caf\xE9"), false, expect!["café"]);
    check_answer(
        "GET",
        body("application/json", b"\xEF\xBB\xBF{\"a\":\"\\ud800\"}"),
        false,
        expect!["- **a**: �"],
    );
}

#[test]
fn a_sequence_of_json_texts_stays_as_it_is() {
    let render = |body: &str| {
        let answer = answer(200, &[("content-type", "application/json-seq")], body);
        render(&operation("GET", plain()), &Map::new(), Ok(answer), &Context::default())
    };
    assert_eq!(text_of(&render("\x1e{\"a\":1}\n")), "- **a**: 1");
    assert_eq!(text_of(&render("\x1e1\n\x1e2\n")), "\x1e1\n\x1e2\n");
}

#[test]
fn useful_header_fields_follow_the_body() {
    let created = answer(201, &[("location", "/b/1"), ("etag", "W/\"1\"")], "");
    check_answer(
        "POST",
        created,
        false,
        expect![[r#"
        OK
        ---
        Location: /b/1
        ETag: W/"1""#]],
    );
    let head = answer(200, &[("content-type", "text/plain"), ("content-length", "7")], "");
    check_answer(
        "HEAD",
        head,
        false,
        expect![[r"
        OK
        ---
        Content-Type: text/plain
        Content-Length: 7"]],
    );
}

#[test]
fn a_body_over_the_binary_limit_is_refused() {
    let context = Context { max_binary: 3, ..Context::default() };
    let answer = answer(200, &[("content-type", "image/png")], "1234");
    let result = render(&operation("GET", plain()), &Map::new(), Ok(answer), &context);
    expect!["The API answered 4 bytes of image/png; at most 3 bytes are passed on. (The API answered HTTP 200.)"].assert_eq(text_of(&result));
}

/// A schema whose field `s` is hidden wherever a schema can say so.
fn secretive() -> ResponsePlan {
    let hidden = json!({"x-agent": {"exclude": true}});
    let object = json!({"properties": {"s": hidden}});
    let deep = json!({"properties": {"s": hidden, "w": {"items": object}}});
    plan::with_schema(&json!({
        "allOf": [{"properties": {"all": object}}],
        "anyOf": [{"properties": {"any": {"anyOf": [object, {"type": "null"}]}}}],
        "properties": {
            "list": {"items": {"items": deep}},
            "tuple": {"prefixItems": [{}, object], "items": {}},
            "pattern": {"patternProperties": {"^s": hidden, "t$": {}, "^o": object, "o$": {"properties": {"t": hidden}}}},
            "map": {"properties": {"known": {}}, "additionalProperties": object},
            "none": {"properties": {"known": {}}, "additionalProperties": hidden},
        },
    }))
}

#[test]
fn excluded_fields_are_hidden_at_every_depth() {
    let object = json!({"s": "SECRET", "v": 1});
    let value = json!({
        "all": object,
        "any": object,
        "list": [[object], [{"s": "SECRET", "w": [object]}]],
        "tuple": ["x", object, ["y"]],
        "pattern": {"s1": "SECRET", "st": "SECRET", "o": {"s": "SECRET", "t": "SECRET", "v": 1}, "x": 1},
        "map": {"known": 1, "other": object},
        "none": {"known": 1, "other": "SECRET"},
    });
    assert_eq!(value.to_string().matches("SECRET").count(), 12);
    check_json(
        secretive(),
        value.clone(),
        expect![[r#"
            - **all**:
              - **v**: 1
            - **any**:
              - **v**: 1
            - **list**: {"v":1}, {"w":[{"v":1}]}
            - **tuple**:
              - x
              -
                - **v**: 1
              - y
            - **pattern**:
              - **o**:
                - **v**: 1
              - **x**: 1
            - **map**:
              - **known**: 1
              - **other**:
                - **v**: 1
            - **none**:
              - **known**: 1"#]],
    );
    let plan = ResponsePlan { structured: true, ..secretive() };
    let result = run(plan, &json!({}), &value, &Context::default());
    expect![[r#"{"all":{"v":1},"any":{"v":1},"list":[[{"v":1}],[{"w":[{"v":1}]}]],"tuple":["x",{"v":1},["y"]],"pattern":{"o":{"v":1},"x":1},"map":{"known":1,"other":{"v":1}},"none":{"known":1}}"#]].assert_eq(&result.structured.unwrap().to_string());
}

#[test]
fn excluded_rows_and_hints_are_hidden() {
    let hidden = json!({"x-agent": {"exclude": true}});
    let schema = json!({"properties": {"rows": hidden, "meta": {"properties": {"hints": hidden}}}});
    let plan =
        ResponsePlan { rows: Some("rows".into()), hints: true, ..plan::with_schema(&schema) };
    check_json(
        plan,
        json!({"a": 1, "rows": [{"x": 1}], "meta": {"hints": ["h"], "b": 2}}),
        expect![[r"
            - **a**: 1
            - **meta**:
              - **b**: 2"]],
    );
}

#[test]
fn a_column_without_a_schema_is_found_in_any_row() {
    let rows = json!([{"a": 1}, {"b": 2, "a": null}, {}, "x", {"c": [true, {"k": "|"}], "a": 3}]);
    check_json(
        plain(),
        rows,
        expect![[r#"
        | a | b | c |
        | --- | --- | --- |
        | 1 |  |  |
        |  | 2 |  |
        |  |  |  |
        | 3 |  | true, {"k":"\|"} |"#]],
    );
    check_json(plain(), json!([{}, {}]), expect!["_(rows without fields: 2)_"]);
}

#[test]
fn structured_content_keeps_numbers_and_projects_rows() {
    let plan = ResponsePlan {
        rows: Some("rows".into()),
        concise: Some(vec!["b".into(), "a".into()]),
        detailed: Some(Detailed::All),
        format_argument: Some("format".into()),
        structured: true,
        ..plain()
    };
    let body = r#"{"n":1.50,"rows":[{"a":12345678901234567890,"b":1,"c":2},7]}"#;
    let render = |format: &str| {
        let answer = answer(200, &[("content-type", "application/json")], body);
        let arguments = json!({"format": format});
        let arguments = arguments.as_object().unwrap();
        let plan = operation("GET", plan.clone());
        render(&plan, arguments, Ok(answer), &Context::default()).structured.unwrap().to_string()
    };
    assert_eq!(render("concise"), r#"{"n":1.50,"rows":[{"b":1,"a":12345678901234567890},7]}"#);
    assert_eq!(render("detailed"), body);
}

#[test]
fn what_is_not_json_has_no_structured_content() {
    let plan = ResponsePlan { structured: true, ..plain() };
    for (kind, body) in [("text/plain", "x"), ("application/json", ""), ("application/json", "{")] {
        let answer = answer(200, &[("content-type", kind)], body);
        let result =
            render(&operation("GET", plan.clone()), &Map::new(), Ok(answer), &Context::default());
        assert_eq!(result.structured, None);
    }
}

#[test]
fn a_text_over_the_limit_ends_with_a_note() {
    let context = Context { max_text: 60, ..Context::default() };
    let rows: Vec<_> = (0..50).map(|n| json!({"n": n, "t": "text"})).collect();
    let render = |value: Value| text_of(&run(plain(), &json!({}), &value, &context)).to_owned();
    expect![[r"
        | n | t |
        | --- | --- |
        | 0 | text |
        | 1 | text |
        > … 48 more rows left out: the answer is too long, ask for less"]]
    .assert_eq(&render(json!(rows)));
    expect![[r"
        - **list**:
          -
            - **n**: 0
            - **t**: text
          -

        > … the rest is left out: the answer is longer than 60 bytes, ask for less"]]
    .assert_eq(&render(json!({"list": rows})));
    expect![[r"
        - 0
        - 1
        - 2
        - 3
        - 4
        - 5
        - 6
        - 7
        - 8
        - 9
        - 10
        - 11
        - 12
        - 13

        > … the rest is left out: the answer is longer than 60 bytes, ask for less"]]
    .assert_eq(&render(json!((0..50).collect::<Vec<_>>())));
    let long = "one line\n".repeat(20);
    let answer = answer(200, &[("content-type", "text/plain")], long);
    let result = super::render(&operation("GET", plain()), &Map::new(), Ok(answer), &context);
    expect![[r"
        one line
        one line
        one line
        one line
        one line
        one line

        > … the rest is left out: the answer is longer than 60 bytes, ask for less"]]
    .assert_eq(text_of(&result));
}

#[test]
fn many_columns_are_bounded_by_the_limit() {
    let rows: Vec<_> = (0..2_000)
        .map(|row| (0..10).map(|n| (format!("k{row}_{n}"), json!(n))).collect::<Map<_, _>>())
        .collect();
    let result = run(plain(), &json!({}), &json!(rows), &Context::default());
    assert!(text_of(&result).len() < (1 << 20) + 8192);
}

#[test]
fn deep_values_are_rendered_to_the_end() {
    let mut value = json!("end");
    for _ in 0..120 {
        value = json!({"k": value});
    }
    let result = run(plain(), &json!({}), &value, &Context::default());
    assert!(text_of(&result).ends_with("- **k**: end"));
}
