//! Which operations become tools without `x-agent`.

use openapi_mcp_filter::catalog::{Compiler, Input, Severity};
use openapi_mcp_filter::config::{Config, ViewOptions};
use openapi_mcp_filter::openapi::Document;
use serde_json::{Value, json};

use crate::harness::Compiled;

/// The options of a route with this exposure.
pub(crate) fn options(exposure: &Value, more: &Value) -> ViewOptions {
    let mut route = json!({ "exposure": exposure });
    route.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let config = json!({
        "upstreams": [{ "cluster": "api", "document": { "path": "/" } }],
        "routes": [route],
    });
    let config = Config::parse(config.to_string().as_bytes()).unwrap_or_else(|e| panic!("{e:?}"));
    config.routes[0].view.clone()
}

fn document(paths: &Value) -> Value {
    json!({
        "openapi": "3.1.0",
        "info": { "title": "T", "version": "1" },
        "servers": [{ "url": "https://api.test" }],
        "paths": paths,
    })
}

fn books() -> Value {
    let id = json!([{ "in": "path", "name": "id", "required": true, "schema": {} }]);
    document(&json!({
        "/books": {
            "get": { "operationId": "books/list", "tags": ["books"] },
            "post": { "operationId": "books/create", "tags": ["books", "write"] },
            "query": {},
        },
        "/books/{id}": {
            "parameters": id,
            "get": { "tags": ["books"], "deprecated": true },
            "delete": { "tags": ["books", "write"], "x-agent": { "name": "burn" } },
        },
        "/search": {
            "post": { "x-agent": { "annotations": { "readOnlyHint": true } } },
            "get": { "x-agent": [
                { "name": "look" },
                { "name": "log", "annotations": { "readOnlyHint": false } },
            ] },
        },
    }))
}

#[track_caller]
fn check(exposure: &Value, names: &[&str]) {
    let compiled = Compiled::of(&books(), &options(exposure, &json!({})), None);
    assert_eq!(compiled.refusals(), Vec::<String>::new());
    assert_eq!(compiled.names(), names, "{exposure}");
}

#[test]
fn rules_say_which_operations_become_tools() {
    let all = ["books_list", "books_create", "get_books_id", "burn", "look", "log", "post_search"];
    check(&json!("all"), &all);
    check(&json!("annotated"), &["burn", "look", "log", "post_search"]);
    check(&json!("readOnly"), &["books_list", "get_books_id", "look", "post_search"]);
    check(
        &json!({ "deprecated": false, "include": [{ "tags": ["books"] }] }),
        &["books_list", "books_create", "burn"],
    );
    check(
        &json!({ "include": [{ "paths": ["/books/*"] }, { "operationIds": ["*/list"] }] }),
        &["books_list", "get_books_id", "burn"],
    );
    check(
        &json!({ "exclude": [{ "tags": ["write"] }, { "paths": ["/search"] }] }),
        &["books_list", "get_books_id"],
    );
    check(
        &json!({ "include": [{ "methods": ["get"], "tags": ["books"] }] }),
        &["books_list", "get_books_id"],
    );
}

#[test]
fn an_operation_without_a_description_for_agents_says_that_it_is_deprecated() {
    let compiled = Compiled::of(&books(), &options(&json!("all"), &json!({})), None);
    let description = |name| compiled.tool(name).unwrap().description.clone();
    assert!(description("get_books_id").ends_with("\n\nDeprecated: prefer another operation."));
    assert!(!description("books_list").contains("Deprecated"));
}

#[test]
fn profiles_apply_to_what_rules_take() {
    let mut document = books();
    document["x-agent"] = json!({ "profiles": { "read": {}, "write": {} } });
    document["tags"] = json!([
        { "name": "write", "x-agent": { "profiles": ["write"] } },
    ]);
    let names = |profile: &str| {
        let options = options(
            &json!({ "include": [{ "tags": ["books"] }] }),
            &json!({
                "profiles": [profile],
            }),
        );
        Compiled::of(&document, &options, None).names().join(" ")
    };
    assert_eq!(names("read"), "books_list get_books_id");
    assert_eq!(names("write"), "books_list books_create get_books_id burn");
}

#[test]
fn names_that_are_taken_are_replaced_where_nobody_chose_them() {
    let taken = document(&json!({
        "/a": { "get": { "operationId": "read" } },
        "/b": { "get": { "operationId": "Read" } },
        "/c": { "get": { "operationId": "get_b" } },
        "/d": { "get": { "operationId": "d", "x-agent": { "name": "read" } } },
    }));
    let compiled = Compiled::of(&taken, &options(&json!("all"), &json!({})), None);
    assert_eq!(compiled.names(), ["get_a", "get_b", "get_c", "read"]);
    let warnings: Vec<_> =
        compiled.problems.iter().map(|found| found.problem.to_string()).collect();
    assert_eq!(
        warnings,
        [
            "/paths/~1a/get: the tool name `read` is taken, this one is `get_a`",
            "/paths/~1b/get: the tool name `read` is taken, this one is `get_b`",
            "/paths/~1c/get: the tool name `get_b` is taken, this one is `get_c`",
        ]
    );
}

#[test]
fn names_of_another_upstream_are_replaced_too() {
    let document = Document::from_value(document(&json!({
        "/a": { "get": { "operationId": "read" } },
    })))
    .unwrap();
    let input = |upstream| Input {
        upstream,
        document: Some(&document),
        document_url: None,
        base_url: None,
        servers: &[],
        credentials: &[],
        linked: &[],
    };
    let inputs = vec![input("a"), input("b"), input("c")];
    let outcome = Compiler::new(inputs, &options(&json!("all"), &json!({}))).finish();
    let tools = outcome.set.unwrap().tools;
    let names: Vec<_> = tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(names, ["read", "get_a", "get_a_2"]);
}

#[test]
fn a_selector_that_fits_nothing_is_reported() {
    let exposure = json!({
        "include": [{ "tags": ["books"] }, { "tags": ["bocks"] }],
        "exclude": [{ "paths": ["/admin/**"] }],
    });
    let compiled = Compiled::of(&books(), &options(&exposure, &json!({})), None);
    let found: Vec<_> = compiled.problems.iter().map(|it| it.problem.to_string()).collect();
    assert!(compiled.problems.iter().all(|it| it.severity == Severity::Warning));
    assert_eq!(
        found,
        [
            "`exposure.include[1]` fits no operation of this document",
            "`exposure.exclude[0]` fits no operation of this document",
        ]
    );
}
