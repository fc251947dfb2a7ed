use std::time::Duration;

use serde_json::{Value, json};

use super::*;
use crate::lifecycle::world::World;

fn document(skills: &Value) -> Value {
    json!({
        "openapi": "3.1.0",
        "info": { "title": "T", "version": "1" },
        "servers": [{ "url": "https://api.test/v1" }],
        "paths": { "/a": { "get": { "operationId": "a", "x-agent": {}, "responses": {} } } },
        "x-agent": { "skills": skills },
    })
}

fn linking(href: &str) -> Value {
    document(&json!([{ "name": "guide", "description": "d", "href": href }]))
}

#[track_caller]
fn check_path(href: &str, expected: &str) {
    let mut world = World::new(&linking(href), &[(expected, "The text.")]);
    let sent = world.pass(1_000);
    assert_eq!(sent, ["/docs/openapi.json", expected]);
    assert!(world.skill("guide").unwrap().contains("The text."));
}

#[test]
fn a_text_is_fetched_from_the_server_of_the_document() {
    check_path("guide.md", "/docs/guide.md");
    check_path("/guide.md?v=2#part", "/guide.md?v=2");
    check_path("https://api.test/x.md", "/x.md");
    check_path("http://API.test:80/x.md", "/x.md");
}

#[test]
fn requests_for_texts_are_of_the_upstream_and_limited() {
    let mut world = World::new(&linking("guide.md"), &[]);
    world.pass(1_000);
    let request = &world.sent[1];
    assert_eq!((request.cluster.as_str(), request.authority.as_str()), ("api", "api.test"));
    assert_eq!((request.timeout, request.max_size), (Duration::from_secs(1), 1 << 20));
    let accept = request.headers.iter().find(|(name, _)| name == "accept").unwrap();
    assert_eq!(accept.1, "text/markdown, text/plain;q=0.9, */*;q=0.1");
}

#[test]
fn other_servers_are_not_asked_and_the_tools_are_there() {
    for href in
        ["https://evil.test/x.md", "//api.test.evil/x", "https://api.test:8443/x", "file:///x"]
    {
        let mut world = World::new(&linking(href), &[]);
        assert_eq!(world.pass(1_000), ["/docs/openapi.json"], "{href}");
        assert_eq!(world.skill("guide"), None);
        assert_eq!(world.set().unwrap().tool_count(), 1);
    }
}

#[test]
fn the_document_may_come_from_elsewhere_than_the_api() {
    let source = json!({
        "path": "/d/openapi.json", "cluster": "docs", "authority": "docs.test",
        "headers": { "x-key": "k" },
    });
    let skills = json!([
        { "name": "one", "description": "d", "href": "one.md" },
        { "name": "two", "description": "d", "href": "https://api.test/two.md" },
    ]);
    let mut world = World::configured(source, None, &[]);
    world.file("/d/openapi.json", 200, &document(&skills).to_string());
    world.pass(1_000);
    let asked: Vec<_> = world
        .sent
        .iter()
        .map(|it| (it.cluster.as_str(), it.path.as_str(), it.headers[0].0.as_str()))
        .collect();
    assert_eq!(
        asked,
        [
            ("docs", "/d/openapi.json", "x-key"),
            ("docs", "/d/one.md", "x-key"),
            ("api", "/two.md", "x-client")
        ]
    );
}

#[test]
fn links_of_an_inline_document_start_at_the_api_and_failures_are_retried() {
    let inline = json!({ "inline": linking("guide.md").to_string() });
    let mut world = World::configured(inline, None, &[]);
    assert_eq!(world.pass(1_000), ["/v1/guide.md"]);
    assert_eq!((world.skill("guide"), world.set().unwrap().tool_count()), (None, 1));
    world.file("/v1/guide.md", 200, "Late.");
    assert_eq!(world.pass(59_000).len(), 0);
    assert_eq!(world.pass(2_000), ["/v1/guide.md"]);
    assert!(world.skill("guide").unwrap().contains("Late."));
    assert_eq!(world.pass(200_000).len(), 0);
}

#[test]
fn texts_are_refreshed_with_the_document_and_news_are_published() {
    let mut world = World::new(&linking("guide.md"), &[("/docs/guide.md", "One.")]);
    world.pass(1_000);
    let before = world.set().unwrap();
    let sent = world.pass(61_000);
    assert_eq!(sent, ["/docs/openapi.json", "/docs/guide.md"]);
    let conditional =
        |request: &DocumentRequest| request.headers.iter().any(|(n, _)| n == "if-none-match");
    assert!(world.sent[2..].iter().all(conditional));
    assert_eq!(world.set().unwrap().digest(), before.digest());
    world.file("/docs/guide.md", 200, "Two.");
    world.pass(61_000);
    assert!(world.skill("guide").unwrap().contains("Two."));
    world.file("/docs/guide.md", 500, "");
    world.pass(61_000);
    assert!(world.skill("guide").unwrap().contains("Two."), "the last good text stays");
}

#[test]
fn a_failed_text_comes_back_at_the_next_refresh() {
    let mut world = World::new(&linking("guide.md"), &[]);
    world.pass(1_000);
    assert_eq!((world.skill("guide"), world.set().unwrap().tool_count()), (None, 1));
    world.file("/docs/guide.md", 200, "Here.");
    assert_eq!(world.pass(50_000).len(), 0);
    world.pass(12_000);
    assert!(world.skill("guide").unwrap().contains("Here."));
}

#[test]
fn unusable_texts_are_failures() {
    let latin = "caf\u{e9}".chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect();
    for body in [vec![b'x'; (1 << 20) + 1], latin, Vec::new()] {
        let mut world = World::new(&linking("guide.md"), &[]);
        world.files.insert("/docs/guide.md".to_owned(), (200, body));
        world.pass(1_000);
        assert_eq!((world.skill("guide"), world.set().unwrap().tool_count()), (None, 1));
    }
}

#[test]
fn a_text_without_an_answer_is_waited_for_only_so_long() {
    let mut world = World::new(&linking("guide.md"), &[("/docs/guide.md", "Late.")]);
    world.silent.push("/docs/guide.md".to_owned());
    world.pass(1_500);
    assert!(world.set().is_none());
    assert!(!world.leader.busy(), "waiting is no work");
    world.pass(1_000);
    assert_eq!((world.skill("guide"), world.set().unwrap().tool_count()), (None, 1));
    let late = world.sent[1].clone();
    world.answer(&late);
    world.pass(100);
    assert!(world.skill("guide").unwrap().contains("Late."));
}

#[test]
fn many_texts_are_fetched_several_at_a_time_and_only_so_many() {
    let skill = |i: usize| json!({ "name": format!("s{i}"), "description": "d", "href": format!("{i}.md") });
    let skills: Vec<_> = (0..70).map(skill).collect();
    let mut world = World::new(&document(&json!(skills)), &[]);
    for i in 0..70 {
        world.file(&format!("/docs/{i}.md"), 200, "Text.");
    }
    world.silent = (0..64).map(|i| format!("/docs/{i}.md")).collect();
    world.pass(300);
    assert_eq!(world.sent.len(), 1 + 8);
    world.silent.clear();
    let sent = world.sent.split_off(1);
    for request in &sent {
        world.answer(request);
    }
    world.pass(1_500);
    assert_eq!(sent.len() + world.sent.len(), 1 + 64);
    let there = (0..70).filter(|i| world.skill(&format!("s{i}")).is_some()).count();
    assert_eq!(there, 64);
}

#[test]
fn texts_that_nobody_links_to_any_more_are_forgotten() {
    let mut world = World::new(&linking("guide.md"), &[("/docs/guide.md", "One.")]);
    world.pass(1_000);
    world.file("/docs/openapi.json", 200, &document(&json!([])).to_string());
    world.pass(61_000);
    assert_eq!(world.skill("guide"), None);
    assert_eq!(world.pass(61_000), ["/docs/openapi.json"]);
}

#[test]
fn an_answer_that_nobody_waits_for_is_harmless() {
    let mut world = World::new(&linking("guide.md"), &[]);
    world.pass(1_000);
    let mut stray = world.sent[1].clone();
    stray.subject = Subject::Text(Place { server: Server::Api, path: "/other".to_owned() });
    world.answer(&stray);
    stray.upstream = 7;
    world.answer(&stray);
    world.pass(100);
    assert_eq!(world.set().unwrap().tool_count(), 1);
}
