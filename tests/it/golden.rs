//! The golden vectors: documents with the tools, instructions and refusals that follow from them.
//!
//! `exceptions.json` lists where our value differs on purpose. An exception that is not needed fails
//! the test as much as a difference that is not listed.

use openapi_mcp_filter::catalog::Severity;
use serde_json::{Value, json};

use crate::harness::{self, Compiled};
use crate::vectors::{self, Check, Exceptions, Subject, Tally, report, with_order};
use crate::{calls, compositions};

#[test]
fn tools_and_refusals_equal_the_vectors() {
    let exceptions = Exceptions::load();
    for path in vectors::files("golden") {
        let file = path.file_name().unwrap().to_str().unwrap().to_owned();
        let content = vectors::read(&path);
        let Some(cases) = content.get("cases").and_then(Value::as_array) else { continue };
        // Linked skills need files beside the document: they are tested with the vocabulary.
        if content.get("files").is_some() {
            continue;
        }
        let mut tally = Tally::default();
        for case in cases {
            // Without a document it is about the schemas of forms.
            let Some(document) = case.get("doc").or(content.get("doc")) else { continue };
            for check in check_case(&file, case, document) {
                exceptions.judge(check, &mut tally);
            }
        }
        report(&format!("{file}: {} passed, {} excepted", tally.passed, tally.excepted));
        exceptions.add(tally);
    }
    exceptions.finish(|entry| {
        entry["file"] != compositions::FILE
            && entry["what"] != "configuration"
            && entry.get("tool").or(entry.get("what")).is_some()
    });
}

fn check_case(file: &str, case: &Value, document: &Value) -> Vec<Check> {
    let given = case.get("options").cloned().unwrap_or(json!({}));
    let options = harness::options(&given);
    let base_url = harness::base_url(&given);
    let compiled = Compiled::of(document, &options, base_url.as_ref());
    let check = |subject: Subject, expected: Value, ours: Value| Check {
        file: file.to_owned(),
        case: case["title"].as_str().unwrap().to_owned(),
        subject,
        expected,
        ours,
    };
    let mut checks = vec![check_load(case, &compiled, &check)];
    if case.get("refused").is_some() {
        return checks;
    }
    // Tools and calls of editor groups are compared in `forms`.
    let is_group = file.starts_with("18-");
    let list = |key: &str| case.get(key).and_then(Value::as_array).filter(|_| !is_group);
    for expected in list("tools").into_iter().flatten() {
        let name = expected["name"].as_str().unwrap();
        let ours = compiled.tool(name).map_or(Value::Null, harness::listed);
        let (expected, ours) = (with_order(expected), with_order(&ours));
        checks.push(check(("tool", name.into()), json!({"tool": expected}), json!({"tool": ours})));
    }
    if let Some(set) = &compiled.set {
        if let Some(expected) = case.get("instructions") {
            checks.push(check(
                ("what", "instructions".into()),
                expected.clone(),
                json!(set.instructions),
            ));
        }
        if let Some(expected) = case.get("skills").and_then(Value::as_array)
            && expected.iter().all(|skill| skill.get("file").is_some())
        {
            let expected = expected.iter().map(|skill| skill["file"]["text"].clone()).collect();
            let ours = set.skills.iter().map(|skill| skill.text.clone().into()).collect();
            checks.push(check(
                ("what", "skills".into()),
                Value::Array(expected),
                Value::Array(ours),
            ));
        }
    }
    for (index, call) in list("calls").into_iter().flatten().enumerate() {
        for (expected, ours) in calls::run(call, &compiled) {
            checks.push(check(("call", index.into()), expected, ours));
        }
    }
    checks
}

fn check_load(
    case: &Value,
    compiled: &Compiled,
    check: &dyn Fn(Subject, Value, Value) -> Check,
) -> Check {
    let refused = case.get("refused").and_then(Value::as_array);
    let mut ours = json!({"listed": compiled.names(), "findings": compiled.refusals()});
    let expected = match refused {
        Some(reasons) if compiled.set.is_none() => {
            let missing: Vec<_> =
                reasons.iter().filter(|reason| !is_given(reason, compiled)).collect();
            if missing.is_empty() { ours.clone() } else { json!({"refused": missing}) }
        }
        Some(reasons) => {
            let named = reasons.iter().filter(|reason| {
                compiled.problems.iter().any(|f| mentions(&f.problem.to_string(), &reason["names"]))
            });
            ours["named"] = named.count().into();
            json!({"refused": reasons})
        }
        None => json!({"listed": compiled.names(), "findings": []}),
    };
    let warns = case.get("warns").and_then(Value::as_array).into_iter().flatten();
    for names in warns {
        let is_warned = compiled.problems.iter().any(|found| {
            found.severity == Severity::Warning && mentions(&found.problem.message, names)
        });
        assert!(is_warned, "{}: no warning about {names}", case["title"]);
    }
    check(("what", "load".into()), expected, ours)
}

/// Whether a refusal is at the expected place and mentions what it should.
fn is_given(reason: &Value, compiled: &Compiled) -> bool {
    let at = reason["at"].as_str().unwrap();
    compiled.problems.iter().any(|found| {
        let problem = &found.problem;
        found.severity == Severity::Refused
            && (problem.at == at || problem.at.starts_with(&format!("{at}/")) || at.is_empty())
            && mentions(&problem.to_string(), &reason["names"])
    }) || reason["names"].as_array().unwrap().iter().all(|name| {
        !at.is_empty()
            && is_given(&json!({"at": at, "names": []}), compiled)
            && compiled.problems.iter().any(|found| {
                found.problem.at.starts_with(at)
                    && mentions(&found.problem.to_string(), &json!([name]))
            })
    })
}

fn mentions(text: &str, names: &Value) -> bool {
    let pointer_form = |name: &str| name.replace('~', "~0").replace('/', "~1");
    names.as_array().unwrap().iter().all(|name| {
        let name = name.as_str().unwrap();
        text.contains(name) || text.contains(&pointer_form(name))
    })
}
