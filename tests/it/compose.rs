//! Several documents as one tool set: the composition vectors.
//!
//! The vectors compose over an index with profiles and skills of its own, which routes do not have:
//! what the index adds (`includes`, its two skills) is left out of the comparison.

use std::collections::BTreeMap;

use openapi_mcp_filter::catalog::{Compiler, Input, Outcome, Severity, links};
use openapi_mcp_filter::config::ViewOptions;
use openapi_mcp_filter::openapi::Document;
use openapi_mcp_filter::vocabulary::skills::Linked;
use serde_json::{Value, json};

use crate::vectors;

/// Documents of the vector by service; those that cannot be read are absent.
fn documents() -> (Vec<String>, BTreeMap<String, Document>, Value) {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/19-compose.json");
    let vector = vectors::read(path.as_ref());
    let services: Vec<String> = vector["services"]
        .as_array()
        .unwrap()
        .iter()
        .map(|id| id.as_str().unwrap().into())
        .collect();
    let documents = services.iter().filter_map(|id| {
        let value = vector["documents"].get(format!("https://d/{id}.json"))?;
        Some((id.clone(), Document::from_value(value.clone()).unwrap()))
    });
    (services.clone(), documents.collect(), vector.clone())
}

fn compose(
    services: &[&str],
    documents: &BTreeMap<String, Document>,
    options: &ViewOptions,
) -> Outcome {
    let inputs = services.iter().map(|&id| Input {
        upstream: id,
        document: documents.get(id),
        document_url: None,
        base_url: None,
        servers: &[],
        credentials: &[],
        linked: &[],
    });
    Compiler::new(inputs.collect(), options).finish()
}

#[test]
fn compositions_equal_the_vectors() {
    let (services, documents, vector) = documents();
    let mut checked = 0;
    for composition in vector["compositions"].as_array().unwrap() {
        let Some(requested) = composition.get("requested") else { continue };
        let names: Vec<String> = requested
            .as_array()
            .unwrap()
            .iter()
            .map(|name| name.as_str().unwrap().into())
            .collect();
        if names == ["all"] || names == ["nothing"] {
            continue;
        }
        let choice = composition.get("options").cloned().unwrap_or(json!({}));
        let chosen = |id: &&str| {
            let only = choice.get("services").and_then(Value::as_array);
            only.is_none_or(|only| only.iter().any(|name| name == id))
        };
        let used: Vec<&str> = services.iter().map(String::as_str).filter(chosen).collect();
        let options = ViewOptions {
            profiles: names,
            name_prefix: choice.get("namePrefix").map(|text| text.as_str().unwrap().to_owned()),
            ..ViewOptions::default()
        };
        let outcome = compose(&used, &documents, &options);
        let set = outcome.set.unwrap();
        let tools: Vec<_> = set.tools.iter().map(|tool| tool.name.clone()).collect();
        assert_eq!(json!(tools), composition["tools"], "{requested} {choice}");
        let own = composition["instructions"].as_str().unwrap();
        let own = own.find("# Alpha").map_or("", |at| &own[at..]);
        if used.len() > 1 {
            assert_eq!(set.instructions, own, "{requested} {choice}");
        }
        for service in composition["services"].as_array().unwrap() {
            let refused = outcome.problems.iter().any(|found| {
                found.origin == service["id"].as_str().unwrap()
                    && (found.severity == Severity::Refused || found.problem.at.is_empty())
            });
            // A document that is not asked for anything is not checked either.
            let is_asked = service["id"] != "bad" || options.profiles == ["read"];
            assert_eq!(refused, is_asked && service["status"] == "error", "{requested} {service}");
        }
        checked += 1;
    }
    assert_eq!(checked, 5);
}

#[test]
fn a_clash_names_both_origins_and_costs_the_later_document() {
    let (_, documents, _) = documents();
    let options = ViewOptions { profiles: vec!["read".into()], ..ViewOptions::default() };
    let outcome = compose(&["alpha", "gamma"], &documents, &options);
    assert_eq!(outcome.set.unwrap().tools.len(), 1);
    let [found] = &outcome.problems[..] else { panic!("{:?}", outcome.problems) };
    assert_eq!((found.severity, found.origin.as_str()), (Severity::Refused, "gamma"));
    let message = &found.problem.message;
    assert!(message.contains("`a_list_x`") && message.contains("`alpha`"), "{message}");
}

#[test]
fn a_profile_that_no_document_declares_is_refused_unless_one_is_missing() {
    let (_, documents, _) = documents();
    let options = ViewOptions { profiles: vec!["zz".into()], ..ViewOptions::default() };
    let outcome = compose(&["alpha", "beta"], &documents, &options);
    assert!(outcome.set.is_none());
    assert!(outcome.problems.iter().all(|found| found.problem.message.contains("`zz`")));
    assert_eq!(outcome.problems.len(), 2);
    let outcome = compose(&["alpha", "gone"], &documents, &options);
    assert_eq!(outcome.set.unwrap().tools.len(), 0);
}

#[test]
fn a_lone_missing_document_gives_no_set() {
    let outcome = compose(&["gone"], &BTreeMap::new(), &ViewOptions::default());
    assert!(outcome.set.is_none());
    assert_eq!(outcome.problems[0].severity, Severity::Refused);
}

#[test]
fn linked_skills_are_asked_for_and_shown_once_fetched() {
    let value = json!({
        "openapi": "3.1.0", "info": {"title": "T", "version": "1"}, "paths": {},
        "servers": [{"url": "https://api.test"}],
        "x-agent": {"skills": [{"name": "guide", "description": "Guide.", "href": "guide.md"}]}
    });
    let document = Document::from_value(value).unwrap();
    let options = ViewOptions::default();
    let mut input = Input {
        upstream: "api",
        document: Some(&document),
        document_url: None,
        base_url: None,
        servers: &[],
        credentials: &[],
        linked: &[],
    };
    let links = links(&[input], &options);
    assert_eq!(links[0][0].href, "guide.md");
    let fetched = [Linked { href: "guide.md".into(), text: Ok("The whole text.".into()) }];
    input.linked = &fetched;
    let set = Compiler::new(vec![input], &options).finish().set.unwrap();
    assert!(set.skills[0].text.contains("The whole text."), "{:?}", set.skills);
}
