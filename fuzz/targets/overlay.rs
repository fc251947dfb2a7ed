//! `JSONPath` targets of overlays: one on each line, which in turn updates, removes, or copies from
//! the first one.
#![no_main]

use std::sync::LazyLock;

use fuzz::API;
use libfuzzer_sys::fuzz_target;
use openapi_mcp_filter::{
    json,
    overlay::{Application, Overlay},
};
use serde_json::{Value, json};

static DOCUMENT: LazyLock<Value> =
    LazyLock::new(|| json::parse(API.as_bytes()).expect("the document is JSON"));

fuzz_target!(|input: &[u8]| {
    let Ok(text) = std::str::from_utf8(input) else { return };
    let first = text.lines().next().unwrap_or_default();
    let actions = text.lines().take(6).enumerate().map(|(index, target)| match index % 3 {
        0 => json!({"target": target, "update": {"x": [1], "tags": ["a"]}}),
        1 => json!({"target": target, "copy": first}),
        _ => json!({"target": target, "remove": true}),
    });
    let overlay = json!({
        "overlay": "1.1.0",
        "info": {"title": "t", "version": "1"},
        "actions": actions.collect::<Vec<_>>()
    });
    if let Ok(overlay) = Overlay::parse(overlay.to_string().as_bytes(), "overlay") {
        let _ = Application::new(DOCUMENT.clone(), vec![overlay]).finish();
    }
});
