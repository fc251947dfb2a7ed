//! The words for each kind of violation.

use super::*;

#[test]
fn every_keyword_has_words() {
    for (schema, value, expected) in [
        (json!({"type": "string"}), "3", "expected string, found number"),
        (json!({"type": ["string", "null"]}), "3", "expected null or string, found number"),
        (json!({"enum": ["en", "fr"]}), "\"de\"", "expected one of `en`, `fr`"),
        (json!({"const": 1}), "2", "expected `1`"),
        (json!({"minimum": 1}), "0", "must be at least 1"),
        (json!({"maximum": 1.50}), "2", "must be at most 1.5"),
        (json!({"exclusiveMinimum": 0}), "0", "must be more than 0"),
        (json!({"exclusiveMaximum": 3}), "3", "must be less than 3"),
        (json!({"multipleOf": 2}), "3", "must be a multiple of 2"),
        (json!({"minLength": 2}), "\"a\"", "must have at least 2 characters"),
        (json!({"maxLength": 1}), "\"ab\"", "must have at most 1 character"),
        (json!({"pattern": "^a+$"}), "\"b\"", "must match the pattern `^a+$`"),
        (json!({"format": "hostname"}), "\"a b\"", "must be a valid `hostname`"),
        (json!({"minItems": 1}), "[]", "must have at least 1 element"),
        (json!({"maxItems": 1}), "[1,2]", "must have at most 1 element"),
        (json!({"uniqueItems": true}), "[1,1]", "must not have equal elements"),
        (
            json!({"contains": {"const": 1}}),
            "[2]",
            "has too few or too many elements of the kind the schema asks for",
        ),
        (json!({"minProperties": 1}), "{}", "must have at least 1 property"),
        (json!({"maxProperties": 0}), "{\"a\":1}", "must have at most 0 properties"),
        (json!({"required": ["k"]}), "{}", "property `k` is required"),
        (
            json!({"propertyNames": {"maxLength": 1}}),
            "{\"ab\":1}",
            "property name `ab`: must have at most 1 character",
        ),
        (json!({"not": {}}), "1", "must not match what the schema excludes"),
        (json!({"dependentRequired": {"a": ["b"]}}), "{\"a\":1}", "property `b` is required"),
        (json!(false), "1", "is not allowed here"),
    ] {
        let arguments = format!(r#"{{"v":{value}}}"#);
        let schema = object_schema(json!({ "v": schema }));
        let problems = run(&tool(schema.clone(), None), &arguments).unwrap_err();
        let expected = format!("/v: {expected}");
        assert!(problems.contains(&expected), "{schema} {value}: {problems:?}");
    }
}

#[test]
fn all_violations_are_named() {
    let mut schema = object_schema(json!({
        "bookId": {"type": "string"}, "n": {"type": "integer", "minimum": 1},
        "lang": {"type": "string", "enum": ["en", "fr"]}, "verbose": {"type": "boolean"}}));
    schema["required"] = json!(["bookId", "n"]);
    refuses(
        &schema,
        r#"{"bookId":3,"n":0,"lang":"de","nope":1,"verbose":"true"}"#,
        &[
            "/bookId: expected string, found number",
            "/n: must be at least 1",
            "/lang: expected one of `en`, `fr`",
            "/verbose: expected boolean, found string",
            "unknown argument `nope`; known: `bookId`, `n`, `lang`, `verbose`",
        ],
    );
    refuses(
        &schema,
        r#"{"book_id":"b"}"#,
        &[
            "argument `bookId` is required",
            "argument `n` is required",
            "unknown argument `book_id`; did you mean `bookId`?",
        ],
    );
}

#[test]
fn alternatives_say_what_is_missing() {
    let schema = |v: Value| object_schema(json!({ "v": v }));
    for (alternatives, value, expected) in [
        (
            json!({"oneOf": [{"const": "asc", "title": "A"}, {"const": "desc"}]}),
            "\"up\"",
            "/v: expected one of `asc`, `desc`",
        ),
        (
            json!({"anyOf": [{"type": "string"}, {"type": "integer"}]}),
            "{}",
            "/v: expected string or integer, found object",
        ),
        (
            json!({"anyOf": [{"type": "object", "required": ["k"]}, {"type": "null"}]}),
            "{}",
            "/v: property `k` is required",
        ),
        (
            json!({"oneOf": [
                {"properties": {"op": {"const": "and"}, "of": {"type": "array"}}, "required": ["op", "of"]},
                {"properties": {"op": {"const": "not"}, "of": {"type": "object"}}, "required": ["op", "of"]},
            ]}),
            r#"{"op":"not","of":[1]}"#,
            "/v: matches none of 2 alternatives; the closest, number 2, says /of: expected object, found array",
        ),
        (
            json!({"oneOf": [{"minimum": 1}, {"minimum": 2}]}),
            "3",
            "/v: matches several of 2 alternatives that exclude each other",
        ),
    ] {
        refuses(&schema(alternatives), &format!(r#"{{"v":{value}}}"#), &[expected]);
    }
}

#[test]
fn messages_and_their_number_are_bounded() {
    let long = "x".repeat(10_000);
    let many: Vec<String> = (0..100).map(|n| format!("value {n} {long}")).collect();
    let schema = object_schema(json!({
        "e": {"enum": many}, "l": {"items": {"type": "string"}}, "p": {"pattern": format!("^{long}")}}));
    let items = vec!["1"; 100].join(",");
    let arguments = format!(r#"{{"e":"{long}","l":[{items}],"p":"y{long}","{long}":1,"a\nb":1}}"#);
    let problems = run(&tool(schema, None), &arguments).unwrap_err();
    assert_eq!(problems.len(), 21);
    assert_eq!(problems.last().unwrap(), "and 84 more problems");
    for problem in &problems {
        assert!(problem.chars().count() < 700, "{}", problem.len());
        assert!(!problem.contains('\n'));
    }
}
