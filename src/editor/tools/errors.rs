//! What is wrong, by place.

use serde_json::{Value, json};

use super::{Env, paths::shown, words};
use crate::{
    editor::state::{Fault, Finding, StateNode, View, is_within},
    json::Pointer,
};

/// An error as it is listed: place and sentence.
pub(super) type Listed = (String, String);

/// The sentence about a finding.
pub(super) fn sentence(finding: &Finding, env: &Env<'_>) -> String {
    let text = finding.words.clone().unwrap_or_else(|| finding.fault.say(env.locale));
    text.replace(['\n', '\r'], " ")
}

/// The sentence about a node.
pub(super) fn of_node(view: &View<'_>, node: &StateNode<'_>, env: &Env<'_>) -> Option<String> {
    let error = node.error.as_ref()?;
    view.findings.get(error.finding).map(|finding| {
        let text = sentence(finding, env);
        if error.deeper { [&target(finding), ": ", &text].concat() } else { text }
    })
}

/// Errors of the nodes at and below a path.
pub(super) fn scoped(view: &View<'_>, path: &str, env: &Env<'_>) -> Vec<Listed> {
    let mut listed = Vec::new();
    view.root.walk(&mut |node| {
        if node.is_visible()
            && is_within(&node.path, path)
            && let Some(text) = of_node(view, node, env)
        {
            listed.push((node.path.clone(), text));
        }
    });
    listed
}

/// Errors of the whole form: those of nodes in order, then those that no node tells about.
pub(super) fn whole(view: &View<'_>, env: &Env<'_>) -> Vec<Listed> {
    let mut listed = Vec::new();
    let mut told = std::collections::BTreeSet::new();
    view.root.walk(&mut |node| {
        let Some(error) = node.error.as_ref().filter(|error| node.is_visible() && !error.deeper)
        else {
            return;
        };
        if let Some(finding) = view.findings.get(error.finding) {
            listed.push((node.path.clone(), sentence(finding, env)));
            told.insert(node.data_path.clone());
        }
    });
    for finding in view.active_findings() {
        let place = target(finding);
        if told.insert(place.clone()) {
            listed.push((place, sentence(finding, env)));
        }
    }
    listed
}

/// The place that a finding is about.
fn target(finding: &Finding) -> String {
    match &finding.fault {
        Fault::Required(key) => [&finding.at, Pointer::root().join(key).as_str()].concat(),
        _ => finding.at.clone(),
    }
}

/// Lines of a list of errors.
pub(super) fn lines(listed: &[Listed]) -> String {
    let lines: Vec<String> =
        listed.iter().map(|(path, text)| format!("- {}: {text}", shown(path))).collect();
    lines.join("\n")
}

/// Errors as data.
pub(super) fn structured(listed: &[Listed]) -> Value {
    let errors = listed.iter();
    errors.map(|(path, text)| json!({ "path": shown(path), "message": text })).collect()
}

/// What is wrong at and below a path, and whether anything is wrong elsewhere.
pub(super) fn summary(view: &View<'_>, path: &str, env: &Env<'_>) -> String {
    let here = scoped(view, path, env);
    let mut text = if here.is_empty() {
        words::NO_ERROR_HERE.say(env.locale, &[])
    } else {
        let head = words::ERRORS_HERE.say(env.locale, &[&here.len().to_string()]);
        [&head, "\n", &lines(&here)].concat()
    };
    let elsewhere = whole(view, env).len().saturating_sub(here.len());
    text.push('\n');
    text.push_str(&match (view.is_valid(), elsewhere) {
        (true, _) => words::VALID.say(env.locale, &[]),
        (false, 0) => words::INVALID.say(env.locale, &[]),
        (false, _) => words::ERRORS_ELSEWHERE.say(env.locale, &[&elsewhere.to_string()]),
    });
    text
}
