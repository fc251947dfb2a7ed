use serde_json::{Value, json};

use crate::http::UpstreamError;
use crate::lifecycle::world::{STANDING, World};
use crate::lifecycle::{Effect, Subject};

fn document() -> Value {
    json!({
        "openapi": "3.1.0",
        "info": { "title": "T", "version": "1" },
        "servers": [{ "url": "https://api.test/v1" }],
        "paths": { "/a": { "get": {} }, "/b": { "get": {} } },
    })
}

fn overlay(target: &str, update: &Value) -> String {
    json!({
        "overlay": "1.0.0",
        "info": { "title": "t", "version": "1" },
        "actions": [{ "target": target, "update": update }],
    })
    .to_string()
}

/// A world with one overlay that is fetched and an inline one after it.
fn world(files: &[(&str, &str)]) -> World {
    let upstream = json!({
        "cluster": "api",
        "authority": "api.test",
        "document": { "path": "/docs/openapi.json" },
        "overlays": [
            { "path": "/agents.yaml", "refresh": "10s", "headers": { "x-key": "k" } },
            { "inline": overlay("$.paths.*.get['x-agent']", &json!({ "title": "Title" })) },
        ],
    });
    World::of_upstream(&upstream, Some(&document()), files)
}

fn exposing(path: &str, name: &str) -> String {
    overlay(&format!("$.paths['{path}'].get"), &json!({ "x-agent": { "name": name } }))
}

#[track_caller]
fn check_tool(world: &World, name: &str, title: &str) {
    let set = world.set().unwrap();
    let tool = set.tool(name).unwrap().unwrap();
    assert_eq!((set.tool_count(), tool.tool.title.as_deref()), (1, Some(title)));
}

#[test]
fn overlays_are_applied_in_order_and_refreshed_by_themselves() {
    let mut world = world(&[("/agents.yaml", &exposing("/a", "first"))]);
    assert_eq!(world.pass(500), ["/docs/openapi.json", "/agents.yaml"]);
    assert!(world.sent[1].headers.contains(&("x-key".to_owned(), "k".to_owned())));
    check_tool(&world, "first", "Title");
    world.file("/agents.yaml", 200, &exposing("/b", "second"));
    assert_eq!(world.pass(11_000), ["/agents.yaml"]);
    check_tool(&world, "second", "Title");
    world.file("/agents.yaml", 500, "");
    world.pass(30_000);
    check_tool(&world, "second", "Title");
}

#[test]
fn without_its_overlay_a_document_is_missing() {
    let mut world = world(&[]);
    world.pass(500);
    assert!(world.set().is_none());
    let reason = world.reason();
    let expected =
        "overlays[0]: HTTP status 404 for `/agents.yaml` of `api.test`; check `path` and";
    assert!(reason.contains(expected), "{reason}");
    world.file("/agents.yaml", 200, &exposing("/a", "a"));
    world.pass(2_000);
    check_tool(&world, "a", "Title");
}

#[test]
fn a_document_waits_for_an_overlay_that_is_under_way() {
    let mut world = world(&[("/agents.yaml", &exposing("/a", "a"))]);
    world.silent.push("/agents.yaml".to_owned());
    world.pass(500);
    assert!(world.set().is_none());
    let request = world.sent[1].clone();
    assert_eq!(request.subject, Subject::Overlay(0));
    world.outcome(&request, Err(UpstreamError::Timeout));
    world.silent.clear();
    world.pass(2_000);
    check_tool(&world, "a", "Title");
}

#[test]
fn everything_that_is_wrong_with_overlays_refuses_the_document() {
    for (text, reason) in [
        ("- x", "refused: overlays[0]: expected an overlay, which is an object"),
        (
            "overlay: 1.0.0",
            "refused: overlays[0].info: expected an object with `title` and `version` (and 1 more",
        ),
        (
            &overlay("$.paths", &json!([1])),
            "refused: overlays[0].actions[0]: at `/paths`: a list cannot be merged into an object",
        ),
        (
            &overlay("$", &json!({ "openapi": "4" })),
            "refused: /openapi: the OpenAPI version is `4`",
        ),
    ] {
        let mut world = world(&[("/agents.yaml", text)]);
        world.pass(500);
        let found = world.reason();
        assert!(found.contains(reason), "{found}");
    }
}

#[test]
fn actions_are_applied_one_at_a_time() {
    let mut world = world(&[("/agents.yaml", &exposing("/a", "a"))]);
    let mut slices = 0;
    while world.set().is_none() {
        world.now += 50;
        slices += usize::from(world.leader.busy());
        for effect in world.leader.tick(world.now, STANDING, &world.store, &mut || true) {
            let Effect::Fetch(request) = effect else { continue };
            world.answer(&request);
        }
        assert!(slices < 100);
    }
    assert!(slices > 5, "{slices}");
}
