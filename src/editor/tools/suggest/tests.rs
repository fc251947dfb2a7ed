use serde_json::{Value, json};

use super::super::{Command, Env, Step, fetched, tests::Desk};
use crate::editor::state::{Limits, Locale};

/// A form whose field `/a` is chosen from a list, with fields that the list may depend on.
fn desk(items: Value, document: Value) -> Desk {
    desk_within(items, document, Limits::default())
}

fn desk_within(items: Value, document: Value, limits: Limits) -> Desk {
    let text = json!({"type": "string"});
    let choice = json!({"type": "string", "layout": {"getItems": items}});
    let schema = json!({"type": "object", "properties": {
        "a": choice, "c": text, "all": {"type": "object", "properties": {"b": choice, "c": text}}},
        "allOf": [{"properties": {"set": {"type": "object", "properties": {"href": text}}}}]});
    Desk::within(schema, document, limits)
}

#[track_caller]
fn asks(desk: &mut Desk, path: &str, query: Option<&str>) -> String {
    match desk.step("getFieldSuggestions", json!({"path": path, "query": query})) {
        Step::Fetch(request) => request.url,
        other => panic!("{other:?}"),
    }
}

#[test]
fn addresses_of_lists_are_resolved_against_the_api() {
    let check = |url: &str, query: Value, expected: &str| {
        let schema = json!({"type": "object", "properties": {
            "a": {"type": "string", "layout": {"getItems": {"url": url}}}}});
        let mut desk = Desk::new(schema, json!({}));
        match desk.step("getFieldSuggestions", json!({"path": "/a", "query": query})) {
            Step::Fetch(request) => assert_eq!(request.url, expected),
            other => panic!("{other:?}"),
        }
    };
    check("items", json!(null), "https://api.test/v1/items");
    check("/items?x=1", json!(null), "https://api.test/items?x=1");
    check("https://other.test/i", json!("t"), "https://other.test/i");
    check("items?q={q}&n=5", json!(null), "https://api.test/v1/items?n=5");
    check("items?n=5&q=*{q}*", json!("a b"), "https://api.test/v1/items?n=5&q=*a+b*");
}

#[test]
fn values_in_an_address_stay_in_their_place() {
    let check = |url: &str, c: &str, query: Option<&str>, expected: &str| {
        let mut desk = desk(json!({"url": url}), json!({"c": c}));
        assert_eq!(asks(&mut desk, "/a", query), expected);
    };
    let start = "https://api.test/v1/";
    check("i?c=${rootData.c}", "x&admin=1", None, &format!("{start}i?c=x%26admin%3D1"));
    check("i?c=${rootData.c}&q={q}", "x&y+ #", Some("z"), &format!("{start}i?c=x%26y%2B+%23&q=z"));
    check("i/${rootData.c}?s=1", "a?x=1#", None, &format!("{start}i/a%3Fx%3D1%23?s=1"));
    check("i/${rootData.c}/s", "a/b", None, &format!("{start}i/a%2Fb/s"));
    check("${rootData.c}/s", "https://api.test/d", None, "https://api.test/d/s");
    check("${rootData.c}/s", "/d?e=1", None, "https://api.test/d%3Fe=1/s");
    // a placeholder in a value is no placeholder
    check("i?c=${rootData.c}&q={q}", "{q}", None, &format!("{start}i?c=%7Bq%7D"));
    check("i?q={q}&c=${rootData.c}", "{q}", Some("t"), &format!("{start}i?q=t&c=%7Bq%7D"));
    check("./j/../i.json?c=${rootData.c}", "1", None, &format!("{start}i.json?c=1"));
}

#[test]
fn values_that_would_lead_elsewhere_are_refused() {
    for (url, c) in [
        ("i/${rootData.c}/s", ".."),
        ("i/${rootData.c}/s", "../../admin"),
        ("${rootData.c}/s", "/v1/../admin"),
    ] {
        let mut desk = desk(json!({"url": url}), json!({"c": c}));
        desk.refuses("getFieldSuggestions", json!({"path": "/a"}), "lead to another place");
    }
}

#[test]
fn parameters_that_the_schema_sets_hold_one_value() {
    let items = json!({"url": "i?s=1", "searchParams": {
        "c": "${rootData.c}", "no": "${rootData.all.c}", "t": "*{q}*"}});
    let mut desk = desk(items, json!({"c": "{q}&s=2"}));
    assert_eq!(asks(&mut desk, "/a", None), "https://api.test/v1/i?s=1&c=%7Bq%7D%26s%3D2");
    let searched = "https://api.test/v1/i?s=1&c=%7Bq%7D%26s%3D2&t=*x*";
    assert_eq!(asks(&mut desk, "/a", Some("x")), searched);
}

#[test]
fn a_list_that_needs_another_field_names_it() {
    let check = |url: &str, path: &str, named: &str| {
        let mut desk = desk(json!({"url": url}), json!({"all": {}}));
        let text = desk.text("getFieldSuggestions", json!({"path": path}));
        assert!(text.contains(named) && text.contains("first"), "{text}");
        let line = format!("{path} (select, suggestions once another field is set)");
        let state = desk.text("describeState", json!({}));
        assert!(state.contains(&line), "{state}");
    };
    check("i?c=${rootData.c}", "/a", "depends on /c, which");
    check("i/${parent.data.c}", "/a", "depends on /c, which");
    check("i/${parent.data.c}", "/all/b", "depends on /all/c, which");
    check("i/${parent.parent.data.c}", "/all/b", "`i/${parent.parent.data.c}`");
    check("${rootData.set.href}/x", "/a", "depends on /$allOf-0/set, which");
    check("i?c=${rootData.gone}", "/a", "`i?c=${rootData.gone}`");
    check("i?c=${rootData.c.trim()}", "/a", "`i?c=${rootData.c.trim()}`");
}

#[test]
fn a_list_is_fetched_once_and_searched_here() {
    let mut desk = desk(json!({"url": "items"}), json!({}));
    let body = json!([{"key": 1, "title": "One"}, {"key": 2, "title": "Two"}]);
    let answer = desk.fetch("/a", Some("ONE"), body);
    assert!(answer.text.ends_with("- [0] One (1) — value=1"), "{}", answer.text);
    let text = desk.text("getFieldSuggestions", json!({"path": "/a"}));
    assert!(text.contains("- [1] One (1)") && text.contains("- [2] Two (2)"), "{text}");
}

#[test]
fn lists_are_kept_for_a_minute_by_query_and_field() {
    let mut desk = desk(json!({"url": "items?q={q}"}), json!({}));
    desk.now = 1000;
    let answer = desk.fetch("/a", Some("o"), json!(["One", "Two"]));
    assert!(answer.text.contains("[1] Two"), "{}", answer.text);
    desk.now = 1059;
    // the server has searched: what it gave is not searched again
    let again = desk.text("getFieldSuggestions", json!({"path": "/a", "query": "o"}));
    assert!(again.contains("[2] One") && again.contains("[3] Two"), "{again}");
    desk.fetch("/a", Some("other"), json!(["Other"]));
    desk.fetch("/all/b", Some("o"), json!(["Three"]));
    desk.fetch("/a", None, json!(["One", "Two", "Three"]));
    assert_eq!(desk.session.lists.len(), 4);
    desk.now = 1060;
    desk.fetch("/a", Some("o"), json!(["One"]));
    assert_eq!(desk.session.lists.len(), 4);
    // a clock that was set back
    desk.now = 10;
    desk.fetch("/a", Some("o"), json!(["One"]));
    assert_eq!(desk.session.lists.len(), 1);
}

#[test]
fn kept_lists_are_bounded() {
    let mut desk = desk(json!({"url": "items?q={q}"}), json!({}));
    for query in 0..20 {
        desk.fetch("/a", Some(&query.to_string()), json!(["One"]));
    }
    assert_eq!(desk.session.lists.len(), 8);
    for query in 0..9 {
        let long = [query.to_string(), "x".repeat(6_000)].concat();
        desk.fetch("/a", Some("q"), json!([long, "b"]));
        desk.session.lists.last_mut().unwrap().source.push('2');
    }
    assert!(desk.session.lists.len() < 6, "{}", desk.session.lists.len());
    desk.fetch("/a", Some("q"), json!(["x".repeat(70_000)]));
    assert!(desk.session.lists.is_empty());
}

#[test]
fn a_list_of_an_address_that_is_another_one_meanwhile_is_not_given() {
    let mut desk = desk(json!({"url": "i/${rootData.c}"}), json!({"c": "1"}));
    let old = asks(&mut desk, "/a", None);
    desk.text("setFieldValue", json!({"path": "/c", "value": "2"}));
    let command = Command::GetFieldSuggestions { path: "/a".into(), query: None };
    let limits = Limits::default();
    let env = Env { now: 0, ..super::super::tests::env(&limits, Locale::En) };
    let body = (old.as_str(), Ok(json!(["x"])));
    let answer = fetched(&desk.form, &mut desk.session, &command, &env, body);
    assert!(answer.is_error && answer.text.contains("again"), "{}", answer.text);
    assert!(desk.session.lists.is_empty());
}

#[test]
fn long_lists_say_how_many_are_not_shown() {
    let items = json!({"url": "items", "itemsResults": "body.results",
        "itemTitle": "item.label", "itemValue": "item.code", "itemKey": "item.code"});
    let body = |count: usize| {
        let item = |n| json!({"code": format!("c{n}"), "label": format!("Label {n}"), "more": [n]});
        json!({"results": (0..count).map(item).collect::<Vec<_>>()})
    };
    let mut many = desk(items.clone(), json!({}));
    let answer = many.fetch("/a", None, body(20_000));
    assert!(answer.text.starts_with("1000 suggestion(s)"), "{}", answer.text);
    assert!(answer.text.ends_with("19000 more are not shown; narrow the list with `query`"));
    assert!(answer.text.contains("- [999] Label 999 (c999) — value=\"c999\""));
    let answer = many.fetch("/a", Some("label 19999"), body(20_000));
    assert!(answer.text.ends_with("Label 19999 (c19999) — value=\"c19999\""), "{}", answer.text);
    // the text of an answer has room for some of them
    let limits = Limits { text_bytes: 1000, ..Limits::default() };
    let mut short = desk_within(items, json!({}), limits);
    let answer = short.fetch("/a", None, body(300));
    assert!(answer.text.len() <= 1000 && !answer.text.contains("`path`"), "{}", answer.text);
    let listed = answer.text.matches("- [").count();
    assert!(answer.text.starts_with(&format!("{listed} suggestion(s)")), "{}", answer.text);
    assert!(answer.text.contains(&format!("{} more", 300 - listed)), "{}", answer.text);
    assert_eq!(answer.structured.unwrap()["suggestions"].as_array().unwrap().len(), listed);
    assert_eq!(short.session.suggestions[0].values.len(), listed);
}

#[test]
fn a_list_that_takes_too_much_is_said_to() {
    let items = json!({"url": "items", "itemsResults": "body.map(i => ({...i}))"});
    let body = json!(vec![json!({"value": "v"}); 30_000]);
    let answer = desk(items, json!({})).fetch("/a", None, body.clone());
    assert!(answer.is_error && answer.text.contains("too long"), "{}", answer.text);
    let items = json!({"url": "items", "itemValue": "item.value.padEnd(2000)"});
    let answer = desk(items, json!({})).fetch("/a", None, body);
    assert!(answer.text.contains("more are not shown"), "{}", answer.text);
}

#[test]
fn what_is_remembered_of_lists_is_bounded() {
    let field = json!({"type": "object", "layout": {"getItems": {"url": "items"}}});
    let schema = json!({"type": "object", "properties": {"a": field, "b": field}});
    let mut desk = Desk::new(schema, json!({}));
    let item = |n: u32| json!({"title": n, "text": "x".repeat(3000)});
    let body = json!((0..100).map(item).collect::<Vec<_>>());
    for path in ["/a", "/b"] {
        let answer = desk.fetch(path, None, body.clone());
        assert!(answer.text.contains("more are not shown"), "{}", answer.text);
    }
    let arguments = json!({"path": "/a", "suggestionIndex": 0});
    desk.refuses("setFieldValue", arguments, "may have changed");
    desk.text("setFieldValue", json!({"path": "/b", "suggestionIndex": 0}));
}

#[test]
fn suggestions_are_added_to_fields_that_take_several() {
    let fixed = json!({"type": "array", "items": {"type": "string", "enum": ["a", "b", "c"]}});
    let joined = json!({"type": "string", "separator": ";",
        "layout": {"comp": "combobox", "items": ["a", "b", "c"], "separator": ";"}});
    let computed = json!({"type": "array", "items": {"type": "string"},
        "layout": {"getItems": "['a', 'b', 'c']"}});
    for (schema, start, expected) in [
        (fixed.clone(), json!(["a"]), json!(["a", "b"])),
        (fixed.clone(), json!(["b", "c"]), json!(["c", "b"])),
        (fixed, json!(null), json!(["b"])),
        (computed, json!(["a"]), json!(["a", "b"])),
        (joined, json!("a;c"), json!("a;c;b")),
    ] {
        let schema = json!({"type": "object", "properties": {"e": schema}});
        let mut desk = Desk::new(schema, json!({"e": start}));
        let is_array = expected.is_array();
        assert_eq!(
            desk.text("describeState", json!({})).contains("takes a list of values"),
            is_array
        );
        desk.text("getFieldSuggestions", json!({"path": "/e"}));
        let said = desk.text("setFieldValue", json!({"path": "/e", "suggestionIndex": 1}));
        assert!(said.contains("/e takes several values"), "{said}");
        assert_eq!(desk.session.data["e"], expected);
    }
}
