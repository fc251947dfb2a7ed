//! Arguments made to hurt.

use super::*;

/// `T = {args: T[], op} | {args: T[], op} | …`: listing every branch's faults is exponential.
fn recursive() -> Value {
    let branch = |op: &str| {
        json!({"type": "object", "required": ["op"], "properties": {
        "args": {"type": "array", "items": {"$ref": "#/$defs/T"}}, "op": {"const": op}}})
    };
    json!({"type": "object", "properties": {"filter": {"$ref": "#/$defs/T"}, "n": {"type": "integer"}},
        "$defs": {"T": {"oneOf": [branch("and"), branch("or"), branch("not"), branch("xor")]}}})
}

fn nested(depth: usize, leaf: &str) -> String {
    let (open, close) = (r#"{"op":"or","args":["#, "]}");
    format!(r#"{{"filter":{}{leaf}{}}}"#, open.repeat(depth), close.repeat(depth))
}

#[test]
fn recursive_alternatives_are_checked_at_any_depth() {
    let tool = tool(recursive(), None);
    for depth in [1, 5, 40, 60] {
        assert!(run(&tool, &nested(depth, r#"{"op":"and"}"#)).is_ok(), "{depth}");
        let problems = run(&tool, &nested(depth, r#"{"op":"maybe"}"#)).unwrap_err();
        assert_eq!(problems.len(), 1, "{problems:?}");
        assert!(problems[0].starts_with("/filter: "), "{problems:?}");
    }
    let problems = run(&tool, &nested(60, "1")).unwrap_err();
    assert!(problems[0].ends_with("too large or too deeply nested to say where"), "{problems:?}");
}

#[test]
fn large_arguments_are_refused_in_few_words() {
    let schema =
        object_schema(json!({"l": {"items": {"type": "string"}}, "ok": {"type": "string"}}));
    let items = vec!["1"; 300_000].join(",");
    let problems = run(&tool(schema, None), &format!(r#"{{"ok":"a","l":[{items}]}}"#)).unwrap_err();
    assert_eq!(
        problems,
        ["/l: does not match its schema, and is too large or too deeply nested to say where"]
    );
}

#[test]
fn the_deepest_json_is_checked() {
    let schema = json!({"type": "object", "properties": {"v": {"$ref": "#/$defs/V"}}, "$defs": {
        "V": {"type": "array", "items": {"$ref": "#/$defs/V"}, "properties": {"d": {"default": 1}}}}});
    let value = format!(r#"{{"v":{}{}}}"#, "[".repeat(120), "]".repeat(120));
    accepts(&schema, &value, &value);
}

#[test]
fn patterns_that_backtrack_are_cut_off() {
    let schema = object_schema(json!({"v": {"pattern": "^(?=(a+)+$)(a|aa)+b\\1$"}}));
    let problems = run(&tool(schema, None), &format!(r#"{{"v":"{}!"}}"#, "a".repeat(50_000)));
    assert_eq!(problems.unwrap_err().len(), 1);
}

#[test]
fn extreme_numbers_are_checked() {
    let schema = object_schema(json!({
        "n": {"type": "number", "maximum": 10}, "i": {"type": "integer"}, "m": {"multipleOf": 3}}));
    for number in ["1e999999999", "1e400", "-1e999999999999999999999", "1e-999999999"] {
        for name in ["n", "i", "m"] {
            let _ = run(&tool(schema.clone(), None), &format!(r#"{{"{name}":{number}}}"#));
        }
    }
    refuses(&schema, r#"{"n":1e400}"#, &["/n: must be at most 10"]);
}

#[test]
fn names_of_object_prototypes_are_ordinary() {
    let schema =
        object_schema(json!({"constructor": {"type": "string"}, "__proto__": {"type": "string"}}));
    accepts(
        &schema,
        r#"{"constructor":"a","__proto__":"b"}"#,
        r#"{"constructor":"a","__proto__":"b"}"#,
    );
    refuses(
        &object_schema(json!({})),
        r#"{"toString":1}"#,
        &["unknown argument `toString`; none is allowed here"],
    );
}
