use serde_json::{Value, json};

use crate::lifecycle::world::World;

/// A document whose operation `a` has a parameter with this schema.
fn with_schema(schema: &Value) -> Value {
    let parameter = json!({ "name": "q", "in": "query", "schema": schema });
    json!({
        "openapi": "3.0.3", "info": { "title": "T", "version": "1" }, "servers": [{ "url": "/v1" }],
        "paths": {
            "/a": { "get": { "operationId": "a", "x-agent": {}, "parameters": [parameter], "responses": {} } },
            "/b": { "get": { "operationId": "b", "x-agent": {}, "responses": {} } },
        },
    })
}

fn referring(to: &str) -> Value {
    with_schema(&json!({ "$ref": to }))
}

fn world(source: Value, document: &Value, files: &[(&str, &str)]) -> World {
    let mut all = json!({ "path": "/docs/openapi.json", "refresh": "60s", "timeout": "1s" });
    all.as_object_mut().unwrap().extend(source.as_object().unwrap().clone());
    let mut world = World::configured(all, Some(document), files);
    world.pass(1_000);
    world
}

#[track_caller]
fn check_tools(world: &World, expected: &[&str]) {
    assert_eq!(world.tools(), expected, "{}", world.reason());
}

#[test]
fn files_are_fetched_once_and_become_part_of_the_document() {
    let files = [
        ("/docs/a.yaml", "{$ref: m/b.yaml#/b}"),
        ("/docs/m/b.yaml", "b: {type: integer, description: from b}"),
    ];
    let mut world = world(json!({}), &referring("a.yaml"), &files);
    let paths: Vec<_> = world.sent.iter().map(|sent| sent.path.as_str()).collect();
    assert_eq!(paths, ["/docs/openapi.json", "/docs/a.yaml", "/docs/m/b.yaml"]);
    check_tools(&world, &["a", "b"]);
    assert!(world.list().contains("from b"));
    // A file that changes makes the tools change.
    world.file("/docs/m/b.yaml", 200, "b: {type: integer, description: now other}");
    world.pass(65_000);
    assert!(world.list().contains("now other"), "{}", world.list());
    let before = world.sent.len();
    world.pass(63_000);
    assert_eq!(world.sent.len(), before + 3, "all are asked again, once");
}

#[test]
fn requests_for_files_are_those_of_the_server_they_are_on() {
    let source = json!({
        "headers": { "x-key": "own" },
        "references": [{ "location": "https://schemas.test/v1/", "cluster": "schemas", "headers": { "x-other": "o" } }],
    });
    let document = with_schema(&json!({ "allOf": [
        { "$ref": "a.json" }, { "$ref": "https://schemas.test/v1/b.json?x=1#/c" },
        { "$ref": "https://schemas.test/v2/c.json" },
        { "$ref": "https://schemas.test/v1/..%2fv2/c.json" },
    ] }));
    let files = [("/docs/a.json", "{}"), ("/v1/b.json?x=1", "{\"c\":{}}")];
    let world = world(source, &document, &files);
    let sent: Vec<_> = world.sent[1..]
        .iter()
        .map(|it| {
            (it.cluster.as_str(), it.authority.as_str(), it.path.as_str(), it.headers[0].0.as_str())
        })
        .collect();
    assert_eq!(
        sent,
        [
            ("api", "api.test", "/docs/a.json", "x-key"),
            ("schemas", "schemas.test", "/v1/b.json?x=1", "x-other"),
        ]
    );
    check_tools(&world, &["b"]);
}

#[test]
fn nothing_else_is_ever_fetched() {
    for address in [
        "http://169.254.169.254/latest/meta-data",
        "file:///etc/passwd",
        "//other.test/a.json",
        "http://api.test:8080/a.json",
        "ftp://api.test/a.json",
        "https://api.test.evil.test/",
        "https://user@evil.test/#api.test",
    ] {
        let world = world(json!({}), &referring(address), &[]);
        assert_eq!(world.sent.len(), 1, "{address}");
        check_tools(&world, &["b"]);
    }
}

#[test]
fn files_of_an_inline_document_are_where_the_api_is() {
    let inline = |to: &str, base: &str| {
        let mut document = referring(to);
        document["servers"][0]["url"] = base.into();
        json!({ "inline": document.to_string(), "maxFiles": 1 })
    };
    for (to, base, path) in [
        ("a.json", "/v1", "/v1/a.json"),
        ("../a.json", "https://public.test/v1/", "/a.json"),
        ("https://api.test/x/a.json", "/v1", "/x/a.json"),
    ] {
        let files = [(path, r#"{"type": "integer", "description": "from a"}"#)];
        let mut world = World::configured(inline(to, base), None, &files);
        world.pass(1_000);
        let sent: Vec<_> = world.sent.iter().map(|it| (&*it.cluster, &*it.path)).collect();
        assert_eq!(sent, [("api", path)]);
        assert!(world.list().contains("from a"), "{to}");
    }
    let mut world = World::configured(inline("https://public.test/a.json", "/v1"), None, &[]);
    world.pass(1_000);
    assert!(world.sent.is_empty());
    check_tools(&world, &["b"]);
}

#[test]
fn a_file_that_is_missing_or_unreadable_costs_its_operations_until_it_comes() {
    for bad in ["", "{", "%"] {
        let mut world = world(json!({}), &referring("a.json"), &[]);
        check_tools(&world, &["b"]);
        world.file("/docs/a.json", 200, bad);
        world.pass(65_000);
        check_tools(&world, &["b"]);
        world.file("/docs/a.json", 200, "{}");
        world.pass(65_000);
        check_tools(&world, &["a", "b"]);
    }
}

#[test]
fn documents_over_a_limit_are_refused_with_its_name() {
    let chain = |i: usize| {
        (format!("/docs/{i}.json"), json!({ "$ref": format!("{}.json", i + 1) }).to_string())
    };
    let mut files: Vec<_> = (0..6).map(chain).collect();
    files.push(("/docs/6.json".to_owned(), json!({ "type": "string" }).to_string()));
    let files: Vec<_> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let wide: Vec<_> = (0..7).map(|i| json!({ "$ref": format!("{i}.json") })).collect();
    let wide = with_schema(&json!({ "anyOf": wide }));
    let deep = referring("0.json");
    for (source, document, limit) in [
        (json!({ "maxFiles": 6 }), &wide, "`document.maxFiles` (6)"),
        (json!({ "maxFiles": 0 }), &deep, "`document.maxFiles` (0)"),
        (json!({ "maxDepth": 6 }), &deep, "`document.maxDepth`"),
        (json!({ "maxSize": "1KiB", "maxFiles": 7 }), &deep, ""),
        (json!({ "maxFiles": 7, "maxDepth": 7 }), &deep, ""),
        (json!({ "maxFiles": 7 }), &wide, ""),
    ] {
        let world = world(source.clone(), document, &files);
        if limit.is_empty() {
            check_tools(&world, &["a", "b"]);
        } else {
            check_tools(&world, &[]);
            assert!(world.reason().contains(limit), "{source}: {}", world.reason());
        }
    }
}

#[test]
fn the_size_of_all_files_together_is_limited() {
    let wide: Vec<_> = (0..3).map(|i| json!({ "$ref": format!("{i}.json") })).collect();
    let text = json!({ "description": "x".repeat(400) }).to_string();
    let files = [("/docs/0.json", text.as_str()), ("/docs/1.json", &text), ("/docs/2.json", &text)];
    let world =
        world(json!({ "maxSize": "1KiB" }), &with_schema(&json!({ "allOf": wide })), &files);
    check_tools(&world, &[]);
    assert!(world.reason().contains("`document.maxSize`"), "{}", world.reason());
}

#[test]
fn thousands_of_files_come_several_at_a_time_without_waiting_for_ticks() {
    let parts: Vec<_> = (0..2_000).map(|i| json!({ "$ref": format!("{i}.json") })).collect();
    let document = with_schema(&json!({ "properties": { "p": { "anyOf": parts } } }));
    let mut world = World::configured(
        json!({ "path": "/docs/openapi.json", "maxFiles": 2_000 }),
        Some(&document),
        &[],
    );
    for i in 0..2_000 {
        world.file(&format!("/docs/{i}.json"), 200, &json!({ "const": i }).to_string());
    }
    world.silent = (0..2_000).map(|i| format!("/docs/{i}.json")).collect();
    world.pass(300);
    assert_eq!(world.sent.len(), 1 + 8);
    world.silent.clear();
    for request in world.sent.clone().iter().skip(1) {
        world.answer(request);
    }
    world.pass(200);
    assert_eq!(world.sent.len(), 1 + 2_000);
    check_tools(&world, &["a", "b"]);
}
