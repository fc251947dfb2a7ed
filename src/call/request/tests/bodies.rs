//! Request bodies in every coding.

use super::*;

fn body_plan(media_type: &str, shape: Value) -> Value {
    json!({"method": "POST", "body": {"mediaType": media_type, "shape": shape, "required": false}})
}

fn whole(media_type: &str) -> Value {
    body_plan(media_type, json!({"whole": {"argument": "body"}}))
}

fn flat(media_type: &str, names: &[&str]) -> Value {
    let pairs: Vec<_> = names.iter().map(|name| json!([name, name])).collect();
    body_plan(media_type, json!({"flat": {"properties": pairs}}))
}

#[track_caller]
fn check(fields: Value, arguments: Value, expected: Option<&str>) -> UpstreamRequest {
    let request = send(fields, arguments);
    let text = request.body.as_ref().map(|body| String::from_utf8_lossy(body).into_owned());
    assert_eq!(text.as_deref(), expected);
    assert_eq!(header(&request, "content-type").is_some(), expected.is_some());
    request
}

#[test]
fn a_flat_body_follows_the_schema_and_fixed_properties_win() {
    let mut fields = body_plan(
        "application/json",
        json!({"flat": {"properties": [["id__body", "id"], ["b", "b"], ["c", "c"]]}}),
    );
    fields["body"]["fixed"] = json!({"b": "fixed", "z": null});
    check(
        fields.clone(),
        json!({"c": null, "b": "given", "id__body": 1.50, "other": 1}),
        Some(r#"{"id":1.5,"c":null,"b":"fixed","z":null}"#),
    );
    check(fields, json!({}), Some(r#"{"b":"fixed","z":null}"#));
}

#[test]
fn an_empty_body_is_sent_only_when_required() {
    let mut fields = flat("application/json", &["a"]);
    check(fields.clone(), json!({}), None);
    fields["body"]["required"] = json!(true);
    check(fields, json!({}), Some("{}"));
    check(whole("application/json"), json!({}), None);
    check(whole("application/json"), json!({"body": null}), None);
}

#[test]
fn a_whole_body_is_sent_as_it_is() {
    for text in
        ["[1,2]", "\"raw\"", "0", "false", r#"{"n":null,"d":1.50,"i":12345678901234567890}"#]
    {
        let value: Value = serde_json::from_str(text).unwrap();
        check(whole("application/json"), json!({ "body": value }), Some(text));
    }
    let mut fields = whole("application/json");
    fields["body"]["fixed"] = json!({"a": 2});
    check(fields, json!({"body": {"a": 1, "b": 3}}), Some(r#"{"b":3,"a":2}"#));
}

#[test]
fn the_declared_media_type_is_sent_unchanged() {
    for media_type in ["application/vnd.api+json", "application/json; charset=utf-8", "Text/CSV"] {
        let request = send(whole(media_type), json!({"body": "x"}));
        assert_eq!(header(&request, "content-type"), Some(media_type));
    }
}

#[test]
fn media_types_have_one_coding() {
    for (media_type, expected) in [
        ("application/json", Coding::Json),
        ("APPLICATION/JSON;charset=utf-8", Coding::Json),
        ("application/merge-patch+json", Coding::Json),
        ("application/x-ndjson", Coding::JsonLines),
        ("application/x-www-form-urlencoded", Coding::Form),
        ("multipart/form-data", Coding::Multipart),
        ("text/markdown", Coding::Text),
        ("application/atom+xml", Coding::Text),
        ("application/xml", Coding::Text),
        ("application/sdp", Coding::Text),
        ("application/octet-stream", Coding::Binary),
        ("image/png", Coding::Binary),
        ("*/*", Coding::Binary),
    ] {
        assert_eq!(coding(media_type), expected, "{media_type}");
    }
}

#[test]
fn text_and_lines_are_sent_as_text() {
    check(whole("text/plain"), json!({"body": "a\nb é"}), Some("a\nb é"));
    check(whole("text/plain"), json!({"body": 1}), Some("1"));
    check(whole("application/x-ndjson"), json!({"body": [{"a": 1}, 2]}), Some("{\"a\":1}\n2\n"));
    check(whole("application/x-ndjson"), json!({"body": "{}\n"}), Some("{}\n"));
}

#[test]
fn binary_bodies_are_base64_arguments() {
    for text in ["SGk_Pz4-", "SGk/Pz4+", "SGk/\nPz4+ "] {
        check(whole("application/octet-stream"), json!({ "body": text }), Some("Hi??>>"));
    }
    check(whole("image/png"), json!({"body": "YQ=="}), Some("a"));
    check(whole("image/png"), json!({"body": "YQ"}), Some("a"));
    check(whole("image/png"), json!({"body": ""}), Some(""));
    for bad in [json!("not base64!"), json!(1), json!({"a": 1}), json!("Y")] {
        assert_eq!(
            refused(whole("image/png"), json!({ "body": bad })),
            "/body: must be bytes as a base64 string"
        );
    }
}

#[test]
fn forms_repeat_arrays_and_write_objects_as_json() {
    let media_type = "application/x-www-form-urlencoded";
    let mut fields = flat(media_type, &["id", "list", "address", "r", "n"]);
    let arguments = json!({"id": "a b&é~*", "list": [1, "x"], "address": {"zip": "99999+1234"},
        "r": "a/b", "n": null});
    check(
        fields.clone(),
        arguments.clone(),
        Some(
            "id=a+b%26%C3%A9%7E*&list=1&list=x&address=%7B%22zip%22%3A%2299999%2B1234%22%7D&r=a%2Fb",
        ),
    );
    fields["body"]["encoding"] = json!([
        ["list", {"style": "pipeDelimited"}],
        ["address", {"style": "deepObject", "explode": true}],
        ["r", {"style": "form", "explode": true, "allowReserved": true}],
    ]);
    check(
        fields,
        arguments,
        Some("id=a+b%26%C3%A9%7E*&list=1%7Cx&address%5Bzip%5D=99999%2B1234&r=a/b"),
    );
    assert_eq!(
        refused(whole(media_type), json!({"body": [1]})),
        "/body: must be an object, it is sent as a form"
    );
}

#[test]
fn multipart_parts_follow_their_encoding() {
    let mut fields = flat("multipart/form-data", &["id", "meta", "files", "tags", "csv", "none"]);
    fields["body"]["encoding"] = json!([
        ["files", {"binary": true, "contentType": "image/png", "headers": [["X-A", "b"], ["X\r", "c"], ["X-B", "\n"]]}],
        ["tags", {"style": "form"}],
        ["csv", {"contentType": "text/csv"}],
    ]);
    let request = send(
        fields.clone(),
        json!({"id": 1, "meta": {"a": "é"}, "files": ["YQ==", "Yg=="], "tags": ["x", "y"],
            "csv": "a,b", "none": null}),
    );
    let content_type = header(&request, "content-type").unwrap();
    let boundary = content_type.strip_prefix("multipart/form-data; boundary=").unwrap();
    let part = |head: &str, content: &str| {
        format!("--{boundary}\r\nContent-Disposition: form-data; name={head}\r\n\r\n{content}\r\n")
    };
    let file = "\"files\"; filename=\"files\"\r\nContent-Type: image/png\r\nX-A: b";
    let expected = [
        part("\"id\"", "1"),
        part("\"meta\"\r\nContent-Type: application/json", r#"{"a":"é"}"#),
        part(file, "a"),
        part(file, "b"),
        part("\"tags\"", "x,y"),
        part("\"csv\"\r\nContent-Type: text/csv", "a,b"),
        format!("--{boundary}--\r\n"),
    ];
    assert_eq!(String::from_utf8(request.body.unwrap()).unwrap(), expected.concat());
    assert_eq!(
        refused(fields, json!({"files": ["YQ==", "%"]})),
        "/files/1: must be bytes as a base64 string"
    );
}

#[test]
fn the_boundary_depends_on_the_parts_and_is_not_in_them() {
    let boundary = |arguments: Value| {
        let request = send(whole("multipart/form-data"), json!({ "body": arguments }));
        header(&request, "content-type").unwrap().rsplit_once('=').unwrap().1.to_owned()
    };
    let first = boundary(json!({"a": "1"}));
    assert_eq!(first, boundary(json!({"a": "1"})));
    assert_ne!(first, boundary(json!({"a": "2"})));
    assert_ne!(boundary(json!({"ab": "c"})), boundary(json!({"a": "bc"})));
}

#[test]
fn names_cannot_leave_their_quotes() {
    let request = send(whole("multipart/form-data"), json!({"body": {"a\"\r\nX: y": 1}}));
    let body = String::from_utf8(request.body.unwrap()).unwrap();
    assert!(body.contains("name=\"a%22%0D%0AX: y\"\r\n\r\n1\r\n"), "{body}");
}
