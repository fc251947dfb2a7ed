//! Several documents as one tool set: the composition vector and what it leaves open.

use std::collections::BTreeMap;

use openapi_mcp_filter::catalog::{Compiler, Input, Outcome, Severity, links};
use openapi_mcp_filter::config::ViewOptions;
use openapi_mcp_filter::openapi::Document;
use openapi_mcp_filter::vocabulary::skills::Linked;
use serde_json::{Value, json};

use crate::compositions::{self, skill_id};
use crate::vectors::{Exceptions, Tally};

fn documents() -> BTreeMap<String, Document> {
    let (_, documents) = compositions::read();
    let documents = documents.into_iter();
    documents.map(|(id, value)| (id, Document::from_value(value).unwrap())).collect()
}

fn compose(
    services: &[impl AsRef<str>],
    documents: &BTreeMap<String, Document>,
    options: &ViewOptions,
) -> Outcome {
    let inputs = services.iter().map(|id| Input {
        upstream: id.as_ref(),
        document: documents.get(id.as_ref()),
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
    let exceptions = Exceptions::load();
    let mut tally = Tally::default();
    let documents = documents();
    for composition in compositions::read().0 {
        let options = ViewOptions {
            profiles: composition.profiles.clone(),
            name_prefix: composition.prefix.clone(),
            ..ViewOptions::default()
        };
        let outcome = compose(&composition.services, &documents, &options);
        let set = outcome.set.unwrap();
        let tools: Value = set.tools.iter().map(|tool| tool.name.clone()).collect();
        let skills: Value = set.skills.iter().map(|it| skill_id(&it.uri)).collect();
        let left_out = |id: &str| {
            outcome.problems.iter().any(|found| {
                found.origin == id
                    && (found.severity == Severity::Refused || found.problem.at.is_empty())
            })
        };
        let faulty = composition.services.iter().map(String::as_str).filter(|id| left_out(id));
        let faulty: Value = faulty.collect();
        for (what, ours) in [
            ("tools", tools),
            ("instructions", set.instructions.into()),
            ("skills", skills),
            ("faulty", faulty),
        ] {
            exceptions.judge(composition.check(what, ours), &mut tally);
        }
    }
    exceptions.add(tally);
    exceptions.finish(|entry| entry["file"] == compositions::FILE);
}

#[test]
fn a_clash_names_both_origins_and_costs_the_later_document() {
    let documents = documents();
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
    let documents = documents();
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
