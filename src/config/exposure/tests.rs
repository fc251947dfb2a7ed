use serde_json::json;

use super::*;
use crate::config::ViewOptions;

/// The exposure of a route, or what is wrong with it.
fn read(text: &str) -> Result<Exposure, String> {
    let text = format!(
        "{{upstreams: [{{cluster: c, document: {{path: /}}}}], routes: [{{exposure: {text}}}]}}"
    );
    let config = crate::config::Config::parse(text.as_bytes());
    config
        .map(|mut config| config.routes.remove(0).view.exposure)
        .map_err(|problems| problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))
}

#[test]
fn annotated_operations_are_exposed_by_default() {
    assert_eq!(ViewOptions::default().exposure, Exposure::default());
    assert_eq!(read("annotated"), Ok(Exposure::default()));
}

#[test]
fn words_stand_for_rules() {
    for (word, rules) in [
        ("annotated", "{include: annotated}"),
        ("all", "{}"),
        ("all", "{include: all, search: false, deprecated: true, readOnly: false}"),
        ("readOnly", "{readOnly: true}"),
        ("search", "{search: true}"),
        ("search", "{search: {}}"),
    ] {
        assert_eq!(read(word), read(rules), "{rules}");
    }
    assert_eq!(read("all"), Ok(Exposure::all()));
}

#[test]
fn every_key_is_read() {
    let read = read(
        "{include: [{methods: [get, PATCH], tags: [a b]}, {paths: [/x/**]}], \
          exclude: [{operationIds: ['admin/*']}], readOnly: true, deprecated: false, \
          search: {searchTool: a, describeTool: b, callTool: c, maxResults: 3}}",
    );
    let list = |items: &[&str]| items.iter().map(|&item| item.to_owned()).collect();
    let expected = Exposure {
        include: Include::Matching(vec![
            Selector {
                methods: list(&["GET", "PATCH"]),
                tags: list(&["a b"]),
                ..Selector::default()
            },
            Selector { paths: list(&["/x/**"]), ..Selector::default() },
        ]),
        exclude: vec![Selector { operation_ids: list(&["admin/*"]), ..Selector::default() }],
        read_only: true,
        deprecated: false,
        search: Some(Search {
            search_tool: "a".into(),
            describe_tool: "b".into(),
            call_tool: "c".into(),
            max_results: 3,
        }),
    };
    assert_eq!(read, Ok(expected));
}

#[test]
fn problems_say_where_and_what() {
    let at = "routes[0].exposure";
    for (text, problem) in [
        (
            "everything",
            ": expected an object, or one of `annotated`, `all`, `readOnly`, `search`, found `everything`",
        ),
        (
            "[]",
            ": expected an object, or one of `annotated`, `all`, `readOnly`, `search`, found a list",
        ),
        ("{includes: []}", ".includes: unknown key; did you mean `include`?"),
        ("{include: []}", ".include: expected at least one selector, found an empty list"),
        ("{include: x}", ".include: expected a list of selectors, `all` or `annotated`, found `x`"),
        ("{exclude: x}", ".exclude: expected a list, found `x`"),
        (
            "{exclude: [{}]}",
            ".exclude[0]: expected at least one of `methods`, `tags`, `paths`, `operationIds` with a value",
        ),
        (
            "{include: [{tag: [a]}, {tags: [a]}]}",
            ".include[0].tag: unknown key; did you mean `tags`?",
        ),
        ("{include: [{tags: a}]}", ".include[0].tags: expected a list, found `a`"),
        (
            "{include: [{methods: ['g t']}]}",
            ".include[0].methods[0]: expected an HTTP method such as `get`, found `g t`",
        ),
        ("{include: [{methods: [get, GET]}]}", ".include[0].methods[1]: `GET` is repeated"),
        (
            "{include: [{paths: [repos]}]}",
            ".include[0].paths[0]: expected a path that starts with `/`, with `*` and `**` for anything, found `repos`",
        ),
        (
            "{include: [{paths: ['/a**']}]}",
            ".include[0].paths[0]: expected a path that starts with `/`, with `*` and `**` for anything, found `/a**`: `**` stands for whole segments",
        ),
        (
            "{include: [{operationIds: [1]}]}",
            ".include[0].operationIds[0]: expected an `operationId`, with `*` for anything, found the number `1`; put it in quotes",
        ),
        (
            "{search: yes please}",
            ".search: expected an object, `true` or `false`, found `yes please`",
        ),
        (
            "{search: {callTool: 'a b'}}",
            ".search.callTool: expected a tool name of letters, digits, `_`, `.` and `-`, at most 64, found `a b`",
        ),
        (
            "{search: {callTool: search_operations}}",
            ".search.callTool: `search_operations` is the name of the tool `searchTool` already",
        ),
        (
            "{search: {maxResults: 51}}",
            ".search.maxResults: expected a whole number from 1 to 50, found the number `51`",
        ),
        ("{readOnly: 1}", ".readOnly: expected `true` or `false`, found the number `1`"),
    ] {
        let found = read(text).unwrap_err();
        let found = found.lines().next().unwrap().to_owned();
        assert_eq!(found, format!("{at}{problem}"), "{text}");
    }
}

const SUBJECT: Subject<'_> = Subject {
    method: "GET",
    path: "/repos/{owner}",
    tags: &["repos", "beta"],
    operation_id: Some("repos/get"),
    deprecated: false,
    annotated: false,
};

#[track_caller]
fn check(rules: &str, subject: Subject<'_>, expected: bool) {
    assert_eq!(read(rules).unwrap().takes(&subject), expected, "{rules} {subject:?}");
}

#[test]
fn a_selector_needs_one_of_each_of_its_lists() {
    for (selector, fits) in [
        (json!({ "methods": ["post", "get"] }), true),
        (json!({ "methods": ["post"] }), false),
        (json!({ "tags": ["beta"] }), true),
        (json!({ "tags": ["Beta"] }), false),
        (json!({ "tags": ["beta"], "methods": ["post"] }), false),
        (json!({ "tags": ["beta"], "paths": ["/repos/*"] }), true),
        (json!({ "operationIds": ["repos/*"] }), true),
        (json!({ "operationIds": ["repos"] }), false),
    ] {
        check(&json!({ "include": [selector] }).to_string(), SUBJECT, fits);
        check(&json!({ "exclude": [selector] }).to_string(), SUBJECT, !fits);
    }
    let anonymous = Subject { operation_id: None, ..SUBJECT };
    check("{include: [{operationIds: ['*']}]}", anonymous, false);
}

#[test]
fn annotations_and_deprecation_count_where_the_rules_say_so() {
    let annotated = Subject { annotated: true, ..SUBJECT };
    let deprecated = Subject { deprecated: true, ..SUBJECT };
    check("annotated", SUBJECT, false);
    check("annotated", annotated, true);
    check("{include: annotated, exclude: [{tags: [repos]}]}", annotated, false);
    check("{include: [{tags: [x]}]}", annotated, false);
    check("all", deprecated, true);
    check("{deprecated: false}", deprecated, false);
    check("{deprecated: false}", SUBJECT, true);
}
