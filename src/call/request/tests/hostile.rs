//! Values that try to leave their place.

use proptest::prelude::*;

use super::*;
use crate::http::is_reserved_header;

fn path_fields() -> Value {
    json!({"path": "/b/{id}/p", "parameters": [parameter("path", "id", "simple", false)]})
}

#[test]
fn path_values_stay_in_their_segment() {
    for (value, expected) in [
        ("a/b é?#", "a%2Fb%20%C3%A9%3F%23"),
        ("%2e%2e", "%252e%252e"),
        ("%252e", "%25252e"),
        ("a\\b", "a%5Cb"),
        ("x?y#z", "x%3Fy%23z"),
        ("//evil.test/", "%2F%2Fevil.test%2F"),
        ("https://evil.test", "https%3A%2F%2Fevil.test"),
        ("a\r\nX: y", "a%0D%0AX%3A%20y"),
        ("a!'()*~-_.z", "a%21%27%28%29%2A~-_.z"),
        ("...", "..."),
        ("a..b", "a..b"),
    ] {
        assert_eq!(send(path_fields(), json!({ "id": value })).path, format!("/v1/b/{expected}/p"));
    }
}

#[test]
fn path_values_that_would_leave_their_segment_are_refused() {
    for value in [
        json!("."),
        json!(".."),
        json!("../x"),
        json!("a/../b"),
        json!("..\\x"),
        json!(""),
        json!([]),
        json!([".."]),
        json!({"a": ".."}),
    ] {
        let problems = refused(path_fields(), json!({ "id": value }));
        assert!(problems.starts_with("/id: must not"), "{value}: {problems}");
    }
    assert_eq!(refused(path_fields(), json!({})), "/id: the path needs a value here and got none");
    assert_eq!(
        refused(path_fields(), json!({"id": null})),
        "/id: the path needs a value here and got none"
    );
}

#[test]
fn segments_made_of_several_parts_are_checked_as_a_whole() {
    let fields = |path: &str, style: &str| {
        json!({"path": path, "parameters": [
            parameter("path", "a", style, false), parameter("path", "b", style, false)]})
    };
    for (path, style, arguments) in [
        ("/x/.{a}", "label", json!({"a": ""})),
        ("/x/{a}%2e", "label", json!({"a": ""})),
        ("/x/{a}{b}", "label", json!({"a": "", "b": ""})),
        ("/x/{a};{b}", "label", json!({"a": "", "b": "c"})),
    ] {
        assert!(refused(fields(path, style), arguments).starts_with("/a: must not"), "{path}");
    }
    assert_eq!(
        send(fields("/x/{a}.json/{a}-{b}", "simple"), json!({"a": "u", "b": "v w"})).path,
        "/v1/x/u.json/u-v%20w"
    );
}

#[test]
fn templates_cannot_leave_the_base_path() {
    for (base, path, expected) in [
        ("/v1", "/../up?fixed=1", "/v1/up?fixed=1&q=1"),
        ("", "//evil.test/x", "/evil.test/x?q=1"),
        ("/v1", "/a/./b/%2E%2e/c", "/v1/a/c?q=1"),
        ("/v1", "/a/..", "/v1/?q=1"),
        ("/v1", "/", "/v1/?q=1"),
        ("/v1", "/a/", "/v1/a/?q=1"),
        ("/v1", "/a b|é/%20#frag{x}", "/v1/a%20b%7C%C3%A9/%20?q=1"),
        ("/v1", "/a{b", "/v1/a%7Bb?q=1"),
        ("/myapp/v2", "/users", "/myapp/v2/users?q=1"),
    ] {
        let fields = json!({"basePath": base, "path": path,
            "parameters": [parameter("query", "q", "form", true)]});
        assert_eq!(send(fields, json!({"q": 1})).path, expected, "{path}");
    }
}

#[test]
fn header_values_hold_no_control_characters() {
    let fields = json!({"parameters": [parameter("header", "X-Trace", "simple", false)]});
    for value in ["ok\r\nX-Admin: true", "a\nb", "a\0", "a\tb", "a\u{7f}", "a\u{85}b"] {
        let problems = refused(fields.clone(), json!({ "X-Trace": value }));
        assert!(problems.starts_with("/X-Trace: is sent as a header and must not"), "{problems}");
    }
    let request = send(fields, json!({"X-Trace": "Marić"}));
    assert_eq!(header(&request, "x-trace"), Some("Marić"));
}

#[test]
fn reserved_headers_are_never_set_by_parameters() {
    for name in [
        "Accept",
        "Content-Type",
        "AUTHORIZATION",
        "Host",
        "Content-Length",
        "TE",
        "Transfer-Encoding",
        "Connection",
        "Upgrade",
        "Proxy-Authorization",
        ":path",
        "x-envoy-retry-on",
        "Keep-Alive",
        "Trailer",
    ] {
        assert!(is_reserved_header(name), "{name}");
        let fields = json!({"parameters": [parameter("header", name, "simple", false)]});
        let request = send(fields, json!({ name: "evil" }));
        assert_eq!(request.headers, [("accept".into(), "application/json".into())]);
    }
    for name in ["X-Accept", "hostname", "Prox", "é"] {
        assert!(!is_reserved_header(name), "{name}");
    }
    let fields = json!({"parameters": [parameter("header", "a b", "simple", false)]});
    assert!(refused(fields, json!({"a b": "x"})).contains("name that cannot be sent"));
}

#[test]
fn cookie_values_that_need_escaping_are_refused() {
    let fields = json!({"parameters": [parameter("cookie", "c", "cookie", true)]});
    for value in [json!("a;b"), json!("a b"), json!("é"), json!("a\r\n"), json!({"k;v": 1})] {
        let problems = refused(fields.clone(), json!({ "c": value }));
        assert!(problems.starts_with("/c: is sent as a cookie"), "{problems}");
    }
}

#[test]
fn all_problems_are_named_at_once() {
    let fields = json!({"method": "POST", "path": "/b/{id}", "parameters": [
        parameter("path", "id", "simple", false), parameter("header", "h", "simple", false)],
        "body": {"mediaType": "image/png", "shape": {"whole": {"argument": "a/b"}},
            "required": true}});
    let problems = refused(fields, json!({"id": "..", "h": "\n", "a/b": "!"}));
    let places: Vec<_> =
        problems.lines().map(|line| line.split_once(':').unwrap().0.to_owned()).collect();
    assert_eq!(places, ["/id", "/a~1b", "/h"]);
}

/// Any JSON value, with a taste for what is dangerous in URLs and headers.
fn value() -> impl Strategy<Value = Value> {
    let text = prop_oneof![
        "[./%2eEfF;?#&=+\\\\\r\n \t:@,|\\[\\]a]{0,8}",
        any::<String>(),
        Just("..".to_owned()),
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(|n| json!(n)),
        text.clone().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 4, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((text.clone(), inner), 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// A plan that uses every place and style.
fn every_style(explode: bool, reserved: bool) -> Value {
    let mut parameters = vec![
        parameter("path", "p0", "simple", explode),
        parameter("path", "p1", "label", explode),
        parameter("path", "p2", "matrix", explode),
        parameter("query", "q0", "form", explode),
        parameter("query", "q1", "deepObject", explode),
        parameter("query", "q2", "pipeDelimited", explode),
        parameter("query", "q3", "spaceDelimited", explode),
        parameter("header", "h0", "simple", explode),
        parameter("cookie", "c0", "form", explode),
        parameter("cookie", "c1", "cookie", explode),
    ];
    for parameter in &mut parameters {
        parameter["allowReserved"] = json!(reserved);
    }
    json!({"path": "/a/{p0}/x{p1}/{p2}.json", "parameters": parameters, "method": "POST",
        "body": {"mediaType": "multipart/form-data", "shape": {"whole": {"argument": "body"}},
            "required": false}})
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2_000) })]

    #[test]
    fn requests_keep_their_structure(
        values in prop::collection::vec(value(), 11),
        explode: bool,
        reserved: bool,
    ) {
        let names = ["p0", "p1", "p2", "q0", "q1", "q2", "q3", "h0", "c0", "c1", "body"];
        let mut arguments: Map<String, Value> =
            names.iter().map(|name| (*name).to_owned()).zip(values).collect();
        let plan = plan(every_style(explode, reserved));
        if let Err(problems) = build(&plan, &arguments) {
            for problem in problems {
                arguments.insert(problem.at.split('/').nth(1).unwrap().to_owned(), json!({"a": 1}));
            }
        }
        let request = build(&plan, &arguments).unwrap();
        let (path, query) = request.path.split_once('?').unwrap_or((&request.path, ""));
        prop_assert!(path.starts_with("/v1/a/"));
        prop_assert_eq!(path.split('/').count(), 6);
        prop_assert!(path.split('/').skip(1).all(|s| !matches!(s, "" | "." | "..")), "{}", path);
        prop_assert!(request.path.bytes().all(|b| b.is_ascii_graphic() && b != b'#'), "{}", path);
        let strange = query.contains(['"', '<', '>', '\\', '^', '`', '{', '|', '}']);
        prop_assert!(!strange, "{}", query);
        for (name, value) in &request.headers {
            prop_assert!(!value.bytes().any(|b| b.is_ascii_control()), "{name}: {value:?}");
        }
    }

    #[test]
    fn single_values_reach_a_form_decoder_unchanged(text: String) {
        let fields = json!({"parameters": [parameter("query", "q", "form", true)]});
        let target = send(fields, json!({ "q": text.as_str() })).path;
        let url = url::Url::parse(&format!("https://h.test{target}")).unwrap();
        let pairs: Vec<_> = url.query_pairs().into_owned().collect();
        prop_assert_eq!(pairs, [("q".to_owned(), text)]);
    }
}
