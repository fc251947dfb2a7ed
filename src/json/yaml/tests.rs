use proptest::prelude::*;

use super::*;
use crate::json::parse_text;

#[track_caller]
fn check(yaml: &str, json: &str) {
    let value = parse(yaml, Limits::default());
    assert_eq!(value.map(|value| value.to_string()), Ok(json.to_owned()), "{yaml}");
}

#[track_caller]
fn check_refused(yaml: &str, message: &str) {
    assert_eq!(parse(yaml, Limits::default()), Err(Problem::new("", message)), "{yaml}");
}

#[test]
fn plain_scalars_follow_the_core_schema() {
    for (yaml, json) in [
        ("~", "null"),
        ("null", "null"),
        ("Null", "null"),
        ("nUll", r#""nUll""#),
        ("true", "true"),
        ("FALSE", "false"),
        ("yes", r#""yes""#),
        ("no", r#""no""#),
        ("NO", r#""NO""#),
        ("on", r#""on""#),
        ("off", r#""off""#),
        ("y", r#""y""#),
        ("2024-01-01", r#""2024-01-01""#),
        ("2024-01-01T10:00:00Z", r#""2024-01-01T10:00:00Z""#),
        ("12:30:45", r#""12:30:45""#),
        ("1.2.3", r#""1.2.3""#),
        ("1_000", r#""1_000""#),
        ("'1'", r#""1""#),
        (r#""true""#, r#""true""#),
    ] {
        check(&format!("a: {yaml}"), &format!(r#"{{"a":{json}}}"#));
    }
}

#[test]
fn numbers_keep_their_digits_and_get_jsons_spelling() {
    for (yaml, json) in [
        ("0", "0"),
        ("-0", "-0"),
        ("+12", "12"),
        ("007", "7"),
        ("00", "0"),
        ("12345678901234567890123", "12345678901234567890123"),
        ("1.50", "1.50"),
        ("0.1000000000000000055511151231257827", "0.1000000000000000055511151231257827"),
        ("1.", "1.0"),
        (".5", "0.5"),
        ("-.5", "-0.5"),
        ("1e3", "1e+3"),
        ("1.5E-3", "1.5e-3"),
        ("0x1F", "31"),
        ("0o17", "15"),
        ("0xFFFFFFFFFFFFFFFFFF", "4722366482869645213695"),
    ] {
        check(&format!("[{yaml}]"), &format!("[{json}]"));
    }
}

#[test]
fn what_json_has_no_number_for_is_text() {
    for yaml in
        [".inf", "-.INF", ".nan", ".", "+", "1e", "e5", "0x", "0xG", "0x+1", "1.2e+", "--1", "-0x1"]
    {
        let value = parse(&format!("a: {yaml}"), Limits::default());
        assert_eq!(value, Ok(serde_json::json!({ "a": yaml })));
    }
}

#[test]
fn keys_are_their_text_in_ecmascript_order() {
    check(
        "b: 1\n404: x\ntrue: y\n200: z\n1.50: w\n~: v\n",
        r#"{"200":"z","404":"x","b":1,"true":"y","1.50":"w","~":"v"}"#,
    );
}

#[test]
fn blocks_flows_and_quotes_are_read() {
    check("a: |\n  x\n   y\nb: >-\n  p\n  q\n", r#"{"a":"x\n y\n","b":"p q"}"#);
    check("{a: [1, {b: 'it''s'}], \"c\": \"\\u00e9\\n\"}", r#"{"a":[1,{"b":"it's"}],"c":"é\n"}"#);
    check(
        "%YAML 1.2\n---\na:\n- b\n-\n- c: d\n  e: f\n...\n",
        r#"{"a":["b",null,{"c":"d","e":"f"}]}"#,
    );
    check("\u{feff}a: b # note\r\nc: d\r\n", r#"{"a":"b","c":"d"}"#);
    check("- a: {x: }\n- [k: v]\n", r#"[{"a":{"x":null}},[{"k":"v"}]]"#);
}

#[test]
fn braces_and_quotes_may_close_below_their_key() {
    check("a:\n  b: {\n    c: 1\n  }\n  d: 2\n", r#"{"a":{"b":{"c":1},"d":2}}"#);
    check("a:\n- b: [\n  1,\n  {\"c\":\"}\"}\n  ]\n- 2\n", r#"{"a":[{"b":[1,{"c":"}"}]},2]}"#);
    check("a:\n  b: \"x\n y\n\n  \"\n  c: {}\n", r#"{"a":{"b":"x y\n","c":{}}}"#);
    check(
        "a:\n  t: |\n    {\n     b\"\n  u: it's {\n    [x\n  v: 'it''s {' # {\n  w: &z !!map {\n  }\n  x: 1\n",
        r#"{"a":{"t":"{\n b\"\n","u":"it's { [x","v":"it's {","w":{},"x":1}}"#,
    );
    check(
        "a: {\n  \"b\\\"{\": it's,\n  c:x: 'y',\n  d: [']']\n}\n",
        r#"{"a":{"b\"{":"it's","c:x":"y","d":["]"]}}"#,
    );
}

#[test]
fn aliases_stand_for_what_they_refer_to() {
    check(
        "a: &x {b: [1]}\nc: *x\nd: [*x, *x]",
        r#"{"a":{"b":[1]},"c":{"b":[1]},"d":[{"b":[1]},{"b":[1]}]}"#,
    );
    check("a: &k name\n*k : 1", r#"{"a":"name","name":1}"#);
    check("a: &x 1\nb: &x 2\nc: *x", r#"{"a":1,"b":2,"c":2}"#);
    check("a: &x\nb: *x", r#"{"a":null,"b":null}"#);
}

#[test]
fn merge_keys_add_what_is_not_there() {
    let base = "- &a {x: 1, y: 1}\n- &b {x: 2, z: 2}\n";
    check(&format!("{base}- {{<<: *a, y: 3}}"), r#"[{"x":1,"y":1},{"x":2,"z":2},{"x":1,"y":3}]"#);
    check(&format!("{base}- {{y: 3, <<: *a}}"), r#"[{"x":1,"y":1},{"x":2,"z":2},{"y":3,"x":1}]"#);
    check(
        &format!("{base}- {{<<: [*a, *b]}}"),
        r#"[{"x":1,"y":1},{"x":2,"z":2},{"x":1,"y":1,"z":2}]"#,
    );
    check("{\"<<\": 1}", r#"{"<<":1}"#);
    check_refused(
        "<<: 1",
        "expected an object, or a list of objects, to merge with `<<` at line 1 column 5",
    );
}

#[test]
fn core_tags_decide_and_others_are_refused() {
    check(
        "[!!str 12, ! 12, !!int 12, !!float 1.5, !!bool true, !!null ~]",
        r#"["12","12",12,1.5,true,null]"#,
    );
    check("!!map {a: !!seq [1]}", r#"{"a":[1]}"#);
    check_refused("a: !!int x", "`x` is not what its tag says at line 1 column 10");
    check_refused("a: !Ref x", "the tag `!Ref` does not fit here at line 1 column 9");
    check_refused(
        "a: !!set {b}",
        "the tag `tag:yaml.org,2002:set` does not fit here at line 1 column 10",
    );
}

#[test]
fn what_json_cannot_hold_is_refused_with_its_place() {
    check_refused("a: 1\nb: 2\na: 3\n", "duplicate key `a` at line 3 column 1");
    check_refused(
        "a: 1\n? [x]\n: 2",
        "expected a string as key, found a list or an object at line 2 column 3",
    );
    check_refused(
        "a: &x [*x]",
        "an alias cannot stand inside the value that it refers to at line 1 column 8",
    );
    check_refused(
        "a: 1\n---\nb: 1\n",
        "expected one document, found a second one at line 2 column 1",
    );
    check_refused("", "the text is empty");
    check_refused("# nothing\n", "the text is empty");
    check_refused(
        "a: b\nc: \"x\u{1}\"",
        "control characters are not allowed in YAML at line 2 column 6",
    );
    check_refused("a: 1\0b", "control characters are not allowed in YAML at line 1 column 5");
}

#[test]
fn malformed_text_is_refused_with_its_place() {
    for (yaml, place) in [
        ("a: [1, 2", "line 2 column 1"),
        ("a: b\n c: d", "line 2"),
        ("a: *nope", "line 1"),
        ("a: 'x", "line"),
    ] {
        let problem = parse(yaml, Limits::default()).unwrap_err();
        assert!(problem.message.contains(&format!(" at {place}")), "{yaml}: {problem}");
    }
}

#[test]
fn nesting_is_limited() {
    let nested = |levels: usize| format!("{}1{}", "[".repeat(levels), "]".repeat(levels));
    assert!(parse(&nested(128), Limits::default()).is_ok());
    check_refused(&nested(129), "nested deeper than 128 levels at line 1 column 129");
    let far_too_deep = parse(&nested(10_000), Limits::default());
    assert!(far_too_deep.unwrap_err().message.contains(" at line 1 column "));
    let block: String = (0..2_000).map(|level| " ".repeat(level) + "a:\n").collect();
    assert!(parse(&block, Limits::default()).is_err());
}

#[test]
fn an_alias_bomb_runs_out_of_budget() {
    let list = |level: usize| {
        let below = level.checked_sub(1).map_or("x".to_owned(), |below| format!("*a{below}"));
        format!("a{level}: &a{level} [{}]", vec![below; 9].join(", "))
    };
    let bomb = (0..40).map(list).collect::<Vec<_>>().join("\n");
    let problem = parse(&bomb, Limits::default()).unwrap_err();
    assert!(problem.message.starts_with("more than 2000000 values"), "{problem}");
}

#[test]
fn long_text_behind_aliases_counts() {
    let limits = Limits { max_nodes: 1_000, ..Limits::default() };
    let text = "x".repeat(6_400);
    let aliases = "- *a\n".repeat(20);
    assert!(parse(&format!("- &a {text}\n"), limits).is_ok());
    assert!(parse(&format!("- &a {text}\n{aliases}"), limits).is_err());
}

#[test]
fn nested_anchors_count_for_the_copies_that_are_kept() {
    let limits = Limits { max_nodes: 1_000, ..Limits::default() };
    let items = vec!["1"; 100].join(",");
    let nested = (0..20).fold(format!("[{items}]"), |inner, id| format!("&a{id} [{inner}]"));
    assert!(parse(&nested, limits).is_err());
}

#[test]
fn json_is_told_from_yaml_by_its_first_characters() {
    let read = |text: &[u8]| parse_text(text).map(|value| value.to_string());
    assert_eq!(read(b"\xef\xbb\xbf {\"a\": 1e2}"), Ok(r#"{"a":1e+2}"#.to_owned()));
    assert_eq!(read(b"{a: 1, b: [x,]}"), Ok(r#"{"a":1,"b":["x"]}"#.to_owned()));
    assert_eq!(read(b"{\"a\": 1, b: 2}"), Ok(r#"{"a":1,"b":2}"#.to_owned()));
    assert_eq!(read(b"a: 1"), Ok(r#"{"a":1}"#.to_owned()));
    assert_eq!(
        parse_text(b"{\"a\": 1,,}"),
        Err(Problem::new("", "key must be a string at line 1 column 9"))
    );
    assert_eq!(
        parse_text(b"a: \xff"),
        Err(Problem::new("", "the text is not UTF-8 from byte 3 on"))
    );
}

/// The public case: unquoted dates, country codes and response codes.
#[test]
fn a_document_in_yaml_keeps_dates_country_codes_and_status_codes() {
    let case = include_str!("../../../tests/cases/22-yaml-scalars.json");
    let case: Value = serde_json::from_str(case).unwrap();
    let document = parse_text(case["docRaw"]["text"].as_str().unwrap().as_bytes()).unwrap();
    let operation = &document["paths"]["/x"]["get"];
    assert_eq!(operation["parameters"][0]["schema"]["default"], "2024-01-01");
    assert_eq!(operation["parameters"][1]["schema"]["enum"], serde_json::json!(["NO", "SE", "ON"]));
    assert_eq!(operation["parameters"][2]["name"], "y");
    assert_eq!(operation["responses"]["200"]["description"], "ok");
    assert_eq!(document["info"]["version"].to_string(), "1.0");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn any_text_is_read_or_refused(text in "\\PC{0,80}") {
        let _ = parse(&text, Limits::default());
    }

    #[test]
    fn any_mixture_of_indicators_is_read_or_refused(
        text in "([-?:,\\[\\]{}#&*!|>'\"%@` \n\t\r~<=.a0]|---|\\.\\.\\.|: |- |\\? |<<: |&a |\\*a|!!str |\\\\x4|\u{85}|\u{feff}|\u{10ffff}){0,40}",
    ) {
        let _ = parse(&text, Limits::default());
    }

    #[test]
    fn json_is_yaml(value in json_value()) {
        let text = value.to_string();
        prop_assert_eq!(parse(&text, Limits::default()), parse_text(text.as_bytes()));
    }
}

fn json_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "[ -~é]{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 6, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            proptest::collection::btree_map("[a-z0-9 ]{1,6}", inner, 1..6)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
    .prop_map(|value| Value::Array(vec![value]))
}
