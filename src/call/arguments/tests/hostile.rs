//! Arguments made to hurt.

#![allow(clippy::disallowed_types, reason = "what must not take long is timed")]

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

/// Seconds; in practice a few hundredths.
const SOON: u64 = 20;

#[test]
fn patterns_cost_little_for_long_texts_too() {
    let many_steps = "a?".repeat(3_000) + &"a".repeat(3_000);
    let look_ahead = "(?=.*a)".repeat(5_000);
    let long = format!("\"{}!\"", "a".repeat(500_000));
    let list = format!("[{}]", vec![format!("\"{}!\"", "a".repeat(2_000)); 400].join(","));
    let start = std::time::Instant::now();
    for pattern in [
        "(?=.*[A-Z])(?=.*[0-9])b",
        "(?!(a|aa)+$)b",
        "(?:a?){1000}(?=b)",
        "(?<!a{0,1000})c",
        many_steps.as_str(),
        look_ahead.as_str(),
    ] {
        let schema =
            object_schema(json!({"v": {"pattern": pattern, "items": {"pattern": pattern}}}));
        let tool = tool(schema, None);
        for value in [&long, &list] {
            let _ = run(&tool, &format!(r#"{{"v":{value}}}"#));
        }
    }
    assert!(start.elapsed().as_secs() < SOON, "{:?}", start.elapsed());
}

#[test]
fn ordinary_patterns_take_long_texts() {
    for (pattern, length) in [
        ("^[A-Za-z0-9+/]+=*$", 1_000_000),
        (r"^\S+$", 1_000_000),
        (r"^[\s\S]*$", 500_000),
        ("^[\\u0020-\\uD7FF\\uE000-\\uFFFD\\r\\n\\t]{0,2048}$", 2_048),
        ("^(?=.*[a-z])[a-z]{8,64}$", 64),
        (r"^(?!.*\.\.)[a-z.]{1,253}$", 253),
    ] {
        let schema = object_schema(json!({"v": {"pattern": pattern}}));
        let arguments = json!({"v": "a".repeat(length)}).to_string();
        accepts(&schema, &arguments, &arguments);
    }
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
