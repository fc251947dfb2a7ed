//! Equal documents give equal bytes, whoever compiles them.

use openapi_mcp_filter::catalog::Severity;
use openapi_mcp_filter::config::{Lint, SchemaProfile, ViewOptions};
use openapi_mcp_filter::openapi::Document;
use openapi_mcp_filter::toolset::{self, Contents, Family, Listing, Meta, ToolSet};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::documents::annotated;
use crate::harness;

const META: Meta = Meta { page_size: 3, ttl_ms: 60_000, cache_private: false };

/// The encoded tool set; `None` when the document is refused.
fn encoded(text: &str, options: &ViewOptions) -> Option<Vec<u8>> {
    let document = Document::parse(text.as_bytes()).unwrap();
    let outcome = harness::compile(&document, options, None);
    let is_refused = outcome.problems.iter().any(|found| found.severity == Severity::Refused);
    assert_eq!(outcome.set.is_none(), is_refused, "{:?}", outcome.problems);
    Some(toolset::encode(&Contents::from(outcome.set?), &META))
}

/// All pages of `tools/list`.
fn pages(bytes: Vec<u8>, family: Family) -> Vec<Vec<u8>> {
    let set = ToolSet::open(bytes).unwrap();
    let mut pages = Vec::new();
    let mut cursor: Option<String> = None;
    loop {
        let page = set.list(Listing::Tools, family, cursor.as_deref()).unwrap();
        pages.push(page.to_vec());
        let text = String::from_utf8(page.to_vec()).unwrap();
        let Some((_, rest)) = text.split_once("\"nextCursor\":\"") else { return pages };
        cursor = rest.split_once('"').map(|(cursor, _)| cursor.to_owned());
    }
}

fn options() -> impl Strategy<Value = ViewOptions> {
    let schema = prop_oneof![
        Just(SchemaProfile::Portable),
        Just(SchemaProfile::Full),
        Just(SchemaProfile::Minimal)
    ];
    (any::<bool>(), schema, prop_oneof![Just("en"), Just("fr")], any::<bool>()).prop_map(
        |(structured_content, schema_profile, locale, is_more)| ViewOptions {
            structured_content,
            schema_profile,
            locale: locale.to_owned(),
            profiles: if is_more { vec!["more".to_owned()] } else { Vec::new() },
            lint: Lint::Warn,
            ..ViewOptions::default()
        },
    )
}

proptest! {
    #[test]
    fn a_document_gives_the_same_list_every_time(document in annotated(), options in options()) {
        let text = Value::to_string(&document);
        let first = encoded(&text, &options);
        prop_assert_eq!(&first, &encoded(&text, &options));
        if let Some(bytes) = first {
            for family in [Family::Basic, Family::Structured, Family::Modern] {
                let listed = pages(bytes.clone(), family);
                prop_assert_eq!(listed, pages(bytes.clone(), family));
            }
        }
    }
}

#[test]
fn most_made_up_documents_have_tools() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let has_tools = |_: u32| {
        use proptest::strategy::ValueTree;
        let document = annotated().new_tree(&mut runner).unwrap().current();
        let options = ViewOptions { lint: Lint::Warn, ..ViewOptions::default() };
        let bytes = encoded(&document.to_string(), &options);
        bytes.is_some_and(|bytes| ToolSet::open(bytes).unwrap().tool_count() > 0)
    };
    let count = (0..100).map(has_tools).filter(|has_tools| *has_tools).count();
    assert!(count > 60, "{count}");
}

#[test]
fn every_text_for_agents_is_part_of_the_tool_set() {
    let schema = json!({"type": "object", "properties": {"a": {"type": "string"}}});
    let first = json!({
        "openapi": "3.1.0",
        "info": {"title": "T", "version": "1"},
        "tags": [{"name": "t", "x-agent": {"skill": "Text."}}],
        "paths": {"/a": {"get": {
            "operationId": "a",
            "tags": ["t"],
            "x-agent": {"title": "A", "description": "Text.", "examples": [{}]},
            "responses": {"200": {"content": {"application/json": {"schema": schema}}}}
        }}},
        "x-agent": {"skills": [{"name": "s", "description": "Text.", "body": "Text."}]}
    });
    let options = ViewOptions { structured_content: true, ..ViewOptions::default() };
    let encoded = |document: &Value| encoded(&document.to_string(), &options).unwrap();
    let operation = "/paths/~1a/get";
    for (at, value) in [
        ("/info/title", json!("U")),
        ("/info/version", json!("2")),
        ("/tags/0/x-agent/skill", json!("Other.")),
        ("/x-agent/skills/0/description", json!("Other.")),
        ("/x-agent/skills/0/body", json!("Other.")),
        (&format!("{operation}/x-agent/title"), json!("B")),
        (&format!("{operation}/x-agent/description"), json!("Other.")),
        (&format!("{operation}/x-agent/examples/0"), json!({"b": 1})),
        (
            &format!(
                "{operation}/responses/200/content/application~1json/schema/properties/a/type"
            ),
            json!("integer"),
        ),
    ] {
        let mut changed = first.clone();
        *changed.pointer_mut(at).unwrap() = value;
        assert_ne!(encoded(&changed), encoded(&first), "{at}");
    }
}
