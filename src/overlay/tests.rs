use serde_json::json;

use super::*;

fn overlay(actions: &Value) -> Value {
    json!({ "overlay": "1.1.0", "info": { "title": "t", "version": "1" }, "actions": actions })
}

/// The document after these actions, or every problem.
fn apply(document: &Value, actions: &Value) -> Result<(Value, Vec<String>), Vec<String>> {
    let lines = |problems: Vec<Problem>| problems.iter().map(ToString::to_string).collect();
    let overlay =
        Overlay::parse(overlay(actions).to_string().as_bytes(), "overlays[0]").map_err(lines)?;
    let finished = Application::new(document.clone(), vec![overlay]).finish();
    finished.map(|(document, remarks)| (document, lines(remarks))).map_err(lines)
}

fn library() -> Value {
    json!({
        "a": { "x": 1, "b-c": "text", "d'e\"f": true, "é": null },
        "list": [
            { "name": "one", "n": 1, "deep": { "x": [7] } },
            { "name": "two", "n": 2.0, "flag": true },
            { "name": "three", "n": 10 },
        ],
        "limit": 2,
    })
}

/// The places that a path selects, as pointers.
fn select(path: &str) -> Result<Vec<String>, String> {
    let path = Path::parse(path)?;
    let document = library();
    let places = query::places(&document, &path)?;
    Ok(places.iter().map(|place| place::shown(place).replace('/', " ").trim().to_owned()).collect())
}

#[test]
fn paths_select_what_rfc_9535_says() {
    for (path, places) in [
        ("$", &[""][..]),
        ("$.a.x", &["a x"]),
        ("$['a']['x']", &["a x"]),
        ("$ ['a'] [ 'x' , \"b-c\" ]", &["a x", "a b-c"]),
        ("$.a.b-c", &["a b-c"]),
        ("$.a['d\\'e\"f']", &["a d'e\"f"]),
        ("$.a[\"d'e\\\"f\"]", &["a d'e\"f"]),
        ("$.a.é", &["a é"]),
        ("$.a['\\u00e9']", &["a é"]),
        ("$.missing", &[]),
        ("$.limit.x", &[]),
        ("$.a.*", &["a x", "a b-c", "a d'e\"f", "a é"]),
        ("$.list[0].name", &["list 0 name"]),
        ("$.list[-1].name", &["list 2 name"]),
        ("$.list[3]", &[]),
        ("$.list[-4]", &[]),
        ("$.list[2,0,2].n", &["list 0 n", "list 2 n"]),
        ("$..x", &["a x", "list 0 deep x"]),
        ("$..['x'][0]", &["list 0 deep x 0"]),
        (
            "$.list..*",
            &[
                "list 0",
                "list 1",
                "list 2",
                "list 0 name",
                "list 0 n",
                "list 0 deep",
                "list 0 deep x",
                "list 0 deep x 0",
                "list 1 name",
                "list 1 n",
                "list 1 flag",
                "list 2 name",
                "list 2 n",
            ],
        ),
        ("$.list[?@.flag]", &["list 1"]),
        ("$.list[?(@.flag)]", &["list 1"]),
        ("$.list[?!@.flag].n", &["list 0 n", "list 2 n"]),
        ("$.list[?@.name == 'one']", &["list 0"]),
        ("$.list[?'one'==@.name]", &["list 0"]),
        ("$.list[?@.name != \"one\"].n", &["list 1 n", "list 2 n"]),
        ("$.list[?@.n == 2]", &["list 1"]),
        ("$.list[?@.n < $.limit]", &["list 0"]),
        ("$.list[?@.n >= $.limit && @.n <= 5]", &["list 1"]),
        ("$.list[?@.n > 5 || @.name == 'one' && @.n == 1].name", &["list 0 name", "list 2 name"]),
        ("$.list[?(@.n > 5 || @.n == 1) && !(@.name == 'one')].n", &["list 2 n"]),
        ("$.list[?@.flag == true].n", &["list 1 n"]),
        ("$.list[?@.flag == @.other].n", &["list 0 n", "list 2 n"]),
        ("$.list[?@.name > 'p'].n", &["list 1 n", "list 2 n"]),
        ("$.list[?@.name < 5]", &[]),
        ("$.list[?@..x]", &["list 0"]),
        ("$.list[?@.deep.x[?@ == 7]]", &["list 0"]),
        ("$.a[?@ == null]", &["a é"]),
        ("$[?@.x == 1]", &["a"]),
    ] {
        let mut places: Vec<String> = places.iter().map(|&place| place.to_owned()).collect();
        let mut found = select(path).unwrap();
        places.sort();
        found.sort();
        assert_eq!(found, places, "{path}");
    }
}

#[test]
fn what_is_no_path_is_refused_with_its_place() {
    for (path, problem) in [
        ("", "expected `$` at character 1"),
        ("info", "expected `$` at character 1"),
        ("$.", "expected a name, `*` or `[` at character 3"),
        ("$.1a", "expected a name, `*` or `[` at character 3"),
        ("$a", "expected `.`, `[` or the end at character 2"),
        ("$[", "expected a name in quotes, a number, `*` or `?` at character 3"),
        ("$[a]", "expected a name in quotes, a number, `*` or `?` at character 3"),
        ("$[1.5]", "expected a name in quotes, a number, `*` or `?` at character 3"),
        ("$['a'", "expected `,` or `]` at character 6"),
        ("$['é", "expected the end of the text in quotes at character 3"),
        ("$['\\x']", "expected a text with valid escapes at character 7"),
        ("$[0:2]", "slices are not supported, at character 4"),
        ("$[:2]", "slices are not supported, at character 3"),
        ("$[?length(@) > 1]", "functions are not supported, at character 4"),
        ("$.a.length()", "functions are not supported, at character 11"),
        (
            "$[?@.a ==]",
            "expected `@`, `$`, a text in quotes, a number, `true`, `false` or `null` at character 10",
        ),
        ("$[?'a']", "expected a comparison such as `==` at character 7"),
        ("$[?(@.a]", "expected `)` at character 8"),
        (
            "$[?@.* == 1]",
            "expected a query of names and indices alone in a comparison at character 12",
        ),
    ] {
        let found = select(path).unwrap_err();
        assert!(found.ends_with(problem), "{path}: {found}");
        assert!(found.contains(&format!("`{path}`")), "{found}");
    }
    let deep = format!("$[?{}@{}]", "(".repeat(100), ")".repeat(100));
    assert_eq!(select(&deep).unwrap_err(), "filters are nested more than 16 levels deep");
}

#[track_caller]
fn check(actions: &Value, expected: &Value) {
    let (document, remarks) = apply(&library(), actions).unwrap();
    assert_eq!(remarks, Vec::<String>::new());
    assert_eq!(&document, expected);
}

/// [`library`], changed.
fn changed(change: impl FnOnce(&mut Value)) -> Value {
    let mut document = library();
    change(&mut document);
    document
}

#[test]
fn objects_are_merged_lists_appended_and_the_rest_replaced() {
    check(
        &json!([{ "target": "$", "update": {
            "a": { "x": "new", "y": { "z": 1 } },
            "list": [4],
            "limit": null,
        } }]),
        &changed(|it| {
            it["a"]["x"] = json!("new");
            it["a"]["y"] = json!({ "z": 1 });
            it["list"].as_array_mut().unwrap().push(json!(4));
            it["limit"] = json!(null);
        }),
    );
    check(
        &json!([{ "target": "$.list", "update": { "n": 4 } }, { "target": "$.limit", "update": "x" }]),
        &changed(|it| {
            it["list"].as_array_mut().unwrap().push(json!({ "n": 4 }));
            it["limit"] = json!("x");
        }),
    );
    check(
        &json!([{ "target": "$.list[?@.n >= 2]", "update": { "x-agent": {} } }]),
        &changed(|it| {
            it["list"][1]["x-agent"] = json!({});
            it["list"][2]["x-agent"] = json!({});
        }),
    );
}

#[test]
fn removed_places_do_not_shift_each_other() {
    check(
        &json!([{ "target": "$.list[0,2]", "remove": true, "update": {} }]),
        &changed(|it| it["list"] = json!([library()["list"][1]])),
    );
    check(
        &json!([{ "target": "$.list..*", "remove": true }, { "target": "$.a", "remove": true }]),
        &json!({ "list": [], "limit": 2 }),
    );
}

#[test]
fn a_copy_is_an_update_with_a_value_of_the_document() {
    check(
        &json!([{ "target": "$.list[0]", "copy": "$.a" }, { "target": "$.list[1]" }]),
        &changed(|it| {
            for (key, value) in library()["a"].as_object().unwrap() {
                it["list"][0][key] = value.clone();
            }
        }),
    );
}

#[test]
fn a_target_that_is_not_there_is_no_fault_but_said() {
    let actions =
        json!([{ "target": "$.x", "remove": true }, { "target": "$.limit", "update": 3 }]);
    let (document, remarks) = apply(&library(), &actions).unwrap();
    assert_eq!(document["limit"], 3);
    assert_eq!(remarks, ["overlays[0].actions[0].target: `$.x` selects nothing"]);
}

#[test]
fn what_cannot_be_applied_is_refused_all_at_once() {
    let deep = (0..100).fold(json!(1), |inner, _| json!([inner]));
    for (actions, expected) in [
        (
            json!([
                { "target": "$.a", "update": { "x": [1] } },
                { "target": "$", "remove": true },
                { "target": "$.limit", "copy": "$.list[*]" },
                { "target": "$.limit", "copy": "$.none" },
            ]),
            "overlays[0].actions[0]: at `/a/x`: a list cannot be merged into a plain value; remove it first\n\
             overlays[0].actions[1]: the whole document cannot be removed\n\
             overlays[0].actions[2]: `copy` selects 3 values, expected exactly one\n\
             overlays[0].actions[3]: `copy` selects 0 values, expected exactly one",
        ),
        (
            json!([{ "target": "$.*", "update": 1 }]),
            "overlays[0].actions[0]: at `/limit`: the target selects a plain value, and an object before",
        ),
        (
            json!([{ "target": "$.a", "update": { "x": {} } }]),
            "overlays[0].actions[0]: at `/a/x`: an object cannot be merged into a plain value; remove it first",
        ),
        (
            json!([
                { "target": "$.list[0].deep", "update": { "y": deep } },
                { "target": format!("$.list[0].deep.y{}", "[0]".repeat(60)), "update": deep },
            ]),
            "overlays[0].actions[1]: at `/list/0/deep/yDEEP`: the document would be more than 128 levels deep",
        ),
    ] {
        let found = apply(&library(), &actions).unwrap_err().join("\n");
        assert_eq!(found, expected.replace("DEEP", &"/0".repeat(60)));
    }
}

#[test]
fn copies_of_copies_end() {
    let copies: Vec<_> = (0..40)
        .map(|index| json!({ "target": "$.list", "copy": "$.list", "description": index.to_string() }))
        .collect();
    let found = apply(&library(), &json!(copies)).unwrap_err();
    assert!(found[0].ends_with("the overlays add more than 32 MiB to the document"), "{found:?}");
}

#[test]
fn an_overlay_is_checked_as_a_whole() {
    let text = "
overlay: 1.2.0
info: { title: 1, versions: '1' }
extends: {}
action: []
actions:
- 1
- { target: 2, remove: x, update: {} }
- { updates: {} }
- { target: $., description: 1 }
- { updates: {} }
";
    let problems = Overlay::parse(text.as_bytes(), "overlays[1]").unwrap_err();
    let lines: Vec<_> = problems.iter().map(ToString::to_string).collect();
    assert_eq!(
        lines.join("\n"),
        "\
overlays[1].overlay: expected the version of the Overlay Specification, `1.0.0` or `1.1.0`
overlays[1].action: unknown key; did you mean `actions`?
overlays[1].info.versions: unknown key; did you mean `version`?
overlays[1].info.title: expected a string
overlays[1].info.version: missing; expected a string
overlays[1].extends: expected a string
overlays[1].actions[0]: expected an action, which is an object
overlays[1].actions[1].target: expected a JSONPath, which is a string
overlays[1].actions[1].remove: expected `true` or `false`
overlays[1].actions[2].updates: unknown key; did you mean `update`?
overlays[1].actions[2].target: missing; expected a JSONPath
overlays[1].actions[3].description: expected a string
overlays[1].actions[3].target: `$.` is no JSONPath: expected a name, `*` or `[` at character 3
overlays[1].actions[4]: this action is repeated
overlays[1].actions[4].updates: unknown key; did you mean `update`?
overlays[1].actions[4].target: missing; expected a JSONPath"
    );
    let problems = Overlay::parse(b"- a", "overlays[0]").unwrap_err();
    assert_eq!(problems[0].to_string(), "overlays[0]: expected an overlay, which is an object");
    assert!(Overlay::parse(b"{\"a\": ", "overlays[0]").is_err());
}

proptest::proptest! {
    #[test]
    fn any_text_is_a_path_or_refused(text in "[$@.\\[\\]'\"a-c0-9*?!&|=<>():, \\\\é-]{0,24}") {
        let _ = select(&text);
        let _ = select(&format!("$[?{text}]"));
    }
}
