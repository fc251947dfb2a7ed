//! What is not for the agent: not shown, not set, and in the document all the same.

use super::*;
use crate::{editor::state::Hidden, tool::Shape};

fn form_schema() -> Value {
    json!({
        "type": "object",
        "required": ["name", "owner"],
        "properties": {
            "name": {"type": "string"},
            "owner": {"type": "string"},
            "cost": {"type": "integer", "minimum": 0, "default": 9},
            "address": {"type": "object", "properties": {
                "city": {"type": "string"}, "geo": {"type": "string"}
            }},
            "rows": {"type": "array", "items": {"type": "object", "properties": {
                "a": {"type": "string"}, "key": {"type": "string"}
            }}},
            "pets": {"type": "array", "items": {"type": "object", "oneOf": [
                {"title": "cat", "properties": {
                    "kind": {"const": "cat"}, "chip": {"type": "string"}, "lives": {"type": "integer"}
                }},
                {"title": "dog", "properties": {"kind": {"const": "dog"}}}
            ]}}
        }
    })
}

fn shapes() -> Vec<Shape> {
    let hidden = |name: &str| json!({"name": name, "exclude": true});
    serde_json::from_value(json!([
        {"properties": [
            hidden("cost"), hidden("extra"), {"name": "address", "node": 1},
            {"name": "rows", "node": 2}, {"name": "pets", "node": 4}
        ]},
        {"properties": [hidden("geo")]},
        {"items": 3},
        {"properties": [hidden("key")]},
        {"items": 5},
        {"properties": [hidden("chip")]}
    ]))
    .unwrap()
}

fn document() -> Value {
    json!({"name": "n", "cost": 5, "extra": {"any": "s3cret"},
        "address": {"city": "c", "geo": "s3cret"},
        "rows": [{"a": "1", "key": "s3cret1"}, {"a": "2", "key": "s3cret2"}],
        "pets": [{"kind": "cat", "chip": "s3cret", "lives": 9}]})
}

fn desk_with(document: Value) -> Desk {
    let fixed = json!({"owner": "agents s3cret"});
    let hidden = Hidden::new(&shapes(), fixed.as_object());
    let form = Form::compile(&form_schema(), &CompileOptions::default()).unwrap();
    Desk::of(form.concealing(hidden), document, Limits::default())
}

fn desk() -> Desk {
    desk_with(document())
}

/// The document as it is saved.
#[track_caller]
fn saved(desk: &mut Desk) -> Value {
    match desk.step("saveForm", json!({})) {
        Step::Save(document) => document,
        other => panic!("{other:?}"),
    }
}

#[test]
fn nothing_tells_of_it() {
    let mut desk = desk();
    let calls = [
        ("describeState", json!({})),
        ("describeState", json!({"path": "/rows/0"})),
        ("describeState", json!({"path": "/rows/7"})),
        ("describeState", json!({"path": "/address"})),
        ("getData", json!({})),
        ("getData", json!({"path": "/rows"})),
        ("getData", json!({"path": "/pets/0"})),
        ("setFieldValue", json!({"path": "/name", "value": "m"})),
        ("setFieldValue", json!({"path": "/address", "value": {"city": "d"}})),
        ("setFieldValue", json!({"path": "/pets/0/$oneOf", "value": 0})),
        ("editArray", json!({"path": "/rows", "action": "add"})),
        ("setData", json!({"data": {"name": "o"}})),
    ];
    for (tool, arguments) in calls {
        let answer = desk.call(tool, arguments.clone());
        let text = [answer.text, answer.structured.unwrap_or_default().to_string()].concat();
        for word in ["s3cret", "cost", "extra", "geo", "key (", "key\"", "key:", "chip", "owner"] {
            assert!(!text.contains(word), "{tool} {arguments}: {word} in {text}");
        }
    }
    let cities = desk.call("getData", json!({"path": "/address"})).structured.unwrap();
    assert_eq!(cities["data"], json!({"city": "d"}));
}

#[test]
fn it_has_no_path() {
    let mut desk = desk();
    for path in ["/cost", "/extra", "/extra/any", "/address/geo", "/rows/0/key", "/owner"] {
        for tool in ["getData", "describeState", "getFieldSuggestions"] {
            desk.refuses(tool, json!({"path": path}), "there is no field");
            let answer = desk.call(tool, json!({"path": path}));
            assert!(!answer.text.contains("although the data has"), "{}", answer.text);
        }
        desk.refuses("setFieldValue", json!({"path": path, "value": "x"}), "there is no field");
    }
}

#[test]
fn it_is_neither_set_nor_guessed() {
    let mut desk = desk();
    // Whether the value is right makes no difference.
    for cost in [5, 6] {
        desk.refuses("setData", json!({"data": {"cost": cost}}), "/cost is not part of the form");
    }
    desk.refuses("setData", json!({"data": {"owner": "agents s3cret"}}), "/owner is not");
    desk.refuses("setData", json!({"data": {"extra": null}}), "/extra is not part");
    let given = |path: &str, value: Value| json!({"path": path, "value": value});
    desk.refuses("setFieldValue", given("/address", json!({"geo": "s3cret"})), "/address/geo");
    desk.refuses("setFieldValue", given("/rows/1", json!({"key": "x"})), "/rows/1/key");
    desk.refuses("setFieldValue", given("/rows", json!([{}, {"key": "x"}])), "/rows/1/key");
    let add = json!({"path": "/rows", "action": "add", "value": {"a": "3", "key": "x"}});
    desk.refuses("editArray", add, "/rows/2/key");
}

#[test]
fn it_is_saved_as_it_was_loaded() {
    let mut desk = desk();
    let mut expected = document();
    expected["owner"] = json!("agents s3cret");
    assert_eq!(saved(&mut desk), expected);
    desk.text("setFieldValue", json!({"path": "/address", "value": {"city": "d"}}));
    desk.text("setFieldValue", json!({"path": "/rows/1", "value": {"a": "b"}}));
    expected["address"]["city"] = json!("d");
    expected["rows"][1]["a"] = json!("b");
    assert_eq!(saved(&mut desk), expected);
    // As a whole, without and with what the agent sees of it.
    let seen = desk.call("getData", json!({})).structured.unwrap()["data"].clone();
    desk.text("setData", json!({"data": seen, "merge": false}));
    assert_eq!(saved(&mut desk), expected);
    desk.text("setFieldValue", json!({"path": "/", "value": seen}));
    assert_eq!(saved(&mut desk), expected);
    // Items keep theirs when they are moved, and take it with them when they go.
    let turned = json!([{"a": "b"}, {"a": "new"}, {"a": "1"}]);
    desk.text("setFieldValue", json!({"path": "/rows", "value": turned}));
    let rows = json!([{"a": "b", "key": "s3cret2"}, {"a": "new"}, {"a": "1", "key": "s3cret1"}]);
    assert_eq!(saved(&mut desk)["rows"], rows);
    desk.text("editArray", json!({"path": "/rows", "action": "remove", "index": 0}));
    desk.text("setData", json!({"data": {"rows": [{"a": "1"}]}}));
    assert_eq!(saved(&mut desk)["rows"], json!([{"a": "1", "key": "s3cret1"}]));
    desk.text("setFieldValue", json!({"path": "/rows", "value": null}));
    assert_eq!(saved(&mut desk).get("rows"), None);
}

#[test]
fn a_write_that_would_lose_it_is_refused() {
    let mut desk = desk();
    let given = |path: &str, value: Value| json!({"path": path, "value": value});
    let says = "must be kept";
    desk.refuses("setFieldValue", given("/address", Value::Null), says);
    desk.refuses("setFieldValue", given("/address", json!("Q")), says);
    desk.refuses("setFieldValue", given("/rows/0", Value::Null), says);
    desk.refuses("setFieldValue", given("/rows", json!([{"a": "1"}, {"a": "other"}])), says);
    desk.refuses("setData", json!({"data": {"name": "m"}, "merge": false}), says);
    desk.refuses("setData", json!({"data": {"address": null}}), says);
}

#[test]
fn defaults_and_empty_values_do_not_touch_it() {
    let mut bare = json!({"name": "n", "extra": "", "address": {"city": "c", "geo": null}});
    let mut desk = desk_with(bare.clone());
    desk.text("setFieldValue", json!({"path": "/name", "value": "n"}));
    bare["owner"] = json!("agents s3cret");
    assert_eq!(desk.session.data, bare);
    assert_eq!(left_out(&desk.form, &bare, &desk.session, &desk.env()), None);
}

#[test]
fn what_is_wrong_with_it_is_told_of_what_holds_it() {
    let mut wrong = document();
    wrong["cost"] = json!(-77);
    wrong["rows"][1]["key"] = json!(404);
    let mut desk = desk_with(wrong);
    let text = desk.text("describeState", json!({}));
    assert!(text.contains("- /: something here that is not shown"), "{text}");
    assert!(text.contains("- /rows/1: something here that is not shown"), "{text}");
    for word in ["cost", "-77", "404", "key", ">= 0"] {
        assert!(!text.contains(word), "{text}");
    }
    desk.refuses("saveForm", json!({}), "not shown");
    let mut desk = desk_with(json!({"owner": "theirs"}));
    let text = desk.text("describeState", json!({}));
    assert!(text.contains("/name: a value is required"), "{text}");
}

/// The value with a secret under every `c`.
fn with_secrets(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(with_secrets),
        Value::Object(members) => {
            members.values_mut().for_each(with_secrets);
            members.insert("c".to_owned(), json!("s3cret"));
        }
        _ => {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    /// Any commands on any form whose documents hide every `c`: no answer tells of it, and that of
    /// the document itself stays as it is.
    #[test]
    fn no_command_shows_or_changes_it(schema in schema(), mut document in value(), commands in prop::collection::vec((any::<u16>(), command()), 1..10)) {
        let everywhere = json!([{"items": 0, "properties": [{"name": "c", "exclude": true},
            {"name": "a", "node": 0}, {"name": "b", "node": 0}, {"name": "d", "node": 0},
            {"name": "t", "node": 0}]}]);
        let shapes: Vec<Shape> = serde_json::from_value(everywhere).unwrap();
        let Ok(form) = Form::compile(&schema, &CompileOptions::default()) else { return Ok(()) };
        let form = form.concealing(Hidden::new(&shapes, None));
        with_secrets(&mut document);
        let limits = Limits::default();
        let env = env(&limits, Locale::En);
        let loaded = Loaded { data: Some(document), validator: None };
        let Ok(mut session) = open(&form, loaded, &env) else { return Ok(()) };
        let hidden = session.data.get("c").cloned();
        for (pick, command) in commands {
            let command = &aimed(&form, &session, &env, pick, command);
            let before = session.data.clone();
            if let Step::Answer(answer) = apply(&form, &mut session, command, &env) {
                let text = [answer.text, answer.structured.unwrap_or_default().to_string()];
                prop_assert!(!text.concat().contains("s3cret"), "{text:?}");
                prop_assert!(!answer.is_error || session.data == before);
            }
            prop_assert!(hidden.is_none() || session.data.get("c") == hidden.as_ref());
        }
    }
}
