use serde_json::{Value, json};

use super::{super::*, cases, check_refused, document, load, names};

/// Cases about names of operations, which the catalog decides.
const CATALOG: [&str; 3] = [
    "duplicate tool names",
    "missing operationId",
    "missing operationId out of profile is ignored",
];

#[test]
fn golden_selections_and_refusals() {
    let cases = cases("11-profiles.json");
    assert_eq!(cases.len(), 18);
    for case in &cases {
        let title = case["title"].as_str().unwrap();
        match load(case) {
            _ if CATALOG.contains(&title) => {}
            Err(problems) => check_refused(title, &case["refused"], &problems),
            Ok(loaded) => {
                assert!(case["refused"].is_null(), "{title}");
                assert_eq!(loaded.offered, names(&case["tools"]), "{title}");
                let rendered = loaded.render("en", &[]);
                assert_eq!(rendered.instructions, case["instructions"], "{title}");
            }
        }
    }
}

fn select(annotation: Value, requested: &[&str]) -> Vec<String> {
    let root = Root::read(&document(&annotation));
    let requested: Vec<_> = requested.iter().map(|&name| name.to_owned()).collect();
    let problems = profiles::select(&root, &requested).err().unwrap_or_default();
    problems.iter().map(ToString::to_string).collect()
}

#[test]
fn every_unknown_request_is_named_with_what_is_declared() {
    assert_eq!(
        select(json!({ "profiles": { "a": {}, "b": {} } }), &["x", "a", "y"]),
        [
            "/x-agent/profiles: the requested profile `x` is not declared; declared: `a` and `b`",
            "/x-agent/profiles: the requested profile `y` is not declared; declared: `a` and `b`",
        ]
    );
}

#[track_caller]
fn include_problems(annotation: &Value, expected: &[&str]) {
    let problems = profiles::include_problems(&Root::read(&document(annotation)));
    let printed: Vec<_> = problems.iter().map(ToString::to_string).collect();
    assert_eq!(printed, expected);
}

#[test]
fn cycles_and_undeclared_includes_are_located() {
    include_problems(
        &json!({ "profiles": {
            "a": { "includes": ["b", "zz"] },
            "b": { "includes": ["c"] },
            "c": { "includes": ["d", "a"] },
            "d": { "includes": ["d"] },
        } }),
        &[
            "/x-agent/profiles/a/includes/1: profile `a` includes `zz`, which is not declared; \
             declared: `a`, `b`, `c` and `d`",
            "/x-agent/profiles/d/includes/0: profile includes form a cycle: `d` → `d`; remove one \
             of them",
            "/x-agent/profiles/c/includes/1: profile includes form a cycle: `a` → `b` → `c` → \
             `a`; remove one of them",
        ],
    );
}

#[test]
fn a_profile_included_twice_is_no_cycle() {
    let diamond = json!({ "profiles": {
        "a": { "includes": ["b", "c"] }, "b": { "includes": ["d"] },
        "c": { "includes": ["d"] }, "d": {},
    } });
    include_problems(&diamond, &[]);
}

#[test]
fn a_long_chain_of_includes_needs_no_stack() {
    let profiles: serde_json::Map<_, _> = (0..20_000)
        .map(|n| (format!("p{n}"), json!({ "includes": [format!("p{}", (n + 1) % 20_000)] })))
        .collect();
    let root = Root::read(&document(&json!({ "profiles": profiles })));
    let problems = profiles::include_problems(&root);
    assert_eq!(problems.len(), 1);
    assert!(problems[0].message.len() < 300, "{}", problems[0]);
    let selection = profiles::select(&root, &[]).unwrap();
    assert!(selection.takes_any(&["p19999".to_owned()]));
}

#[test]
fn labels_that_are_not_declared_are_found_everywhere() {
    let document = json!({
        "tags": [{ "name": "t", "x-agent": { "profiles": ["a", "x"] } }],
        "x-agent": {
            "profiles": { "a": {} },
            "skills": [{ "name": "s", "description": "d", "profiles": ["y"] }],
        },
    });
    let (root, tags) = (Root::read(&document), TagAnnotation::read_all(&document));
    let found = profiles::undeclared_elsewhere(&root, &tags);
    let printed: Vec<_> = found.iter().map(ToString::to_string).collect();
    assert_eq!(
        printed,
        [
            "/x-agent/skills/0/profiles/0: profile `y` is not declared; declared: `a`",
            "/tags/0/x-agent/profiles/1: profile `x` is not declared; declared: `a`",
        ]
    );
    let open = Root::default();
    assert!(profiles::undeclared_elsewhere(&open, &tags).is_empty());
}
