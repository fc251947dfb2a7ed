//! What of a loaded document stays as it was, and what a write may show.

use super::*;

/// What a save sends, which is possible.
#[track_caller]
fn sent(desk: &mut Desk) -> Value {
    let Step::Save(sent) = desk.step("saveForm", json!({})) else { panic!("not valid") };
    sent
}

fn record() -> Value {
    json!({
        "type": "object", "required": ["note"],
        "properties": {
            "note": {"type": "string"}, "closed": {"type": "string", "default": "no"},
            "maybe": {"type": ["string", "null"]},
            "names": {"type": "array", "items": {"type": "string"}},
            "rows": {"type": "array", "items": {"type": "object", "properties": {"a": {"type": "string"}}}},
            "place": {"type": "object", "properties": {"town": {"type": "string"}}},
            "title": {"type": "string"},
        },
    })
}

#[test]
fn empty_values_that_were_loaded_are_sent_back() {
    let document = json!({"note": "", "closed": "", "maybe": "", "names": [], "rows": [{"a": ""}],
        "place": {}, "title": "t"});
    let mut desk = Desk::new(record(), document.clone());
    assert_eq!(desk.session.data, document);
    assert_eq!(sent(&mut desk), document);
    desk.text("setFieldValue", json!({"path": "/title", "value": "u"}));
    let mut expected = document;
    expected["title"] = json!("u");
    assert_eq!(sent(&mut desk), expected);
    // What the agent empties is none.
    desk.text("setFieldValue", json!({"path": "/title", "value": ""}));
    assert_eq!(desk.session.data.get("title"), None);
    // What the API returns counts as loaded.
    desk.save(SaveOutcome::Saved {
        returned: Some(json!({"note": "n", "title": ""})),
        validator: None,
    });
    assert_eq!(desk.session.data["title"], json!(""));
}

#[test]
fn a_write_may_set_what_it_shows() {
    let schema = json!({"type": "object", "properties": {
        "kind": {"type": "string"},
        "hp": {"type": "integer", "layout": {"if": "parent.data.kind === 'car'"}},
    }});
    let mut desk = Desk::new(schema, json!({"kind": "bike"}));
    desk.refuses("setData", json!({"data": {"hp": 3}}), "/hp is not part of the form");
    desk.refuses("setData", json!({"data": {"kind": "boat", "hp": 3}}), "/hp is not part");
    desk.text("setData", json!({"data": {"kind": "car", "hp": 3}}));
    assert_eq!(desk.session.data, json!({"kind": "car", "hp": 3}));
}

#[test]
fn overlapping_variants_may_match_together() {
    let object = |name: &str| json!({"type": "object", "properties": {name: {"type": "string"}}});
    let union = |extra: Value| {
        let mut union = json!({"oneOf": [{"$ref": "#/$defs/A"}, object("b")]});
        union.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        json!({"type": "object", "properties": {"u": union}, "$defs": {"A": object("a")}})
    };
    let document = json!({"u": {"b": "x"}});
    let mut desk = Desk::new(union(json!({"x-overlaps": true})), document.clone());
    assert_eq!(sent(&mut desk), document);
    desk.text("setFieldValue", json!({"path": "/u/$oneOf", "value": 1}));
    desk.text("setFieldValue", json!({"path": "/u/$oneOf/1/b", "value": "y"}));
    assert_eq!(sent(&mut desk), json!({"u": {"b": "y"}}));
    let answer = desk.call("setData", json!({"data": {"u": {"a": 1, "b": 2}}}));
    assert!(answer.text.contains("/b: must be string"), "{}", answer.text);
    let mut strict = Desk::new(union(json!({})), document);
    assert!(matches!(strict.step("saveForm", json!({})), Step::Answer(_)));
}
