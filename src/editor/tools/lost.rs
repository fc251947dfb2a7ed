//! What a form leaves out of a document that it takes over.

use serde_json::Value;

use super::{Env, paths, words};
use crate::editor::state::Form;
use crate::json::Pointer;

/// Longest name of a place.
const LONGEST: usize = 120;

/// The sentence about members that were there and are not in the form's document any more; none
/// when nothing is missing. Empty values do not count.
pub(super) fn note(form: &Form, before: &Value, after: &Value, env: &Env<'_>) -> Option<String> {
    let mut lost = Vec::new();
    let hidden = form.concealed();
    if hidden.is_empty() {
        collect(before, after, &Pointer::root(), &mut lost);
    } else {
        let mut before = before.clone();
        hidden.strip(&mut before, &hidden.root());
        collect(&before, after, &Pointer::root(), &mut lost);
    }
    let count = lost.len();
    let named = lost.into_iter().map(|place| paths::shown(&place).chars().take(LONGEST).collect());
    let parts = [count.to_string(), paths::list(named.collect(), env)];
    (count > 0).then(|| words::LEFT_OUT.say(env.locale, &parts.each_ref().map(String::as_str)))
}

fn collect(before: &Value, after: &Value, at: &Pointer, lost: &mut Vec<String>) {
    match (before, after) {
        (Value::Object(before), Value::Object(after)) => {
            for (key, value) in before {
                match after.get(key) {
                    Some(after) => collect(value, after, &at.join(key), lost),
                    None if is_blank(value) => {}
                    None => lost.push(at.join(key).to_string()),
                }
            }
        }
        (Value::Array(before), Value::Array(after)) => {
            for (index, (before, after)) in before.iter().zip(after).enumerate() {
                collect(before, after, &at.join(index), lost);
            }
        }
        (Value::Object(_) | Value::Array(_), Value::Null) if !is_blank(before) => {
            lost.push(at.to_string());
        }
        _ => {}
    }
}

/// The places whose values differ, in words; none when all are equal. Empty values are like none.
pub(super) fn altered(form: &Form, before: &Value, after: &Value, env: &Env<'_>) -> Option<String> {
    let hidden = form.concealed();
    let mut documents = [before.clone(), after.clone()];
    for document in &mut documents {
        hidden.strip(document, &hidden.root());
    }
    let [before, after] = &documents;
    let mut places = Vec::new();
    compare(Some(before), Some(after), &Pointer::root(), &mut places);
    let named = places.iter().map(|place| paths::shown(place).chars().take(LONGEST).collect());
    (!places.is_empty()).then(|| paths::list(named.collect(), env))
}

fn compare(
    before: Option<&Value>,
    after: Option<&Value>,
    at: &Pointer,
    differing: &mut Vec<String>,
) {
    match (before, after) {
        (before, after) if before == after => {}
        (Some(Value::Object(before)), Some(Value::Object(after))) => {
            for (key, value) in before {
                compare(Some(value), after.get(key), &at.join(key), differing);
            }
            for (key, value) in after.iter().filter(|(key, _)| !before.contains_key(*key)) {
                compare(None, Some(value), &at.join(key), differing);
            }
        }
        (Some(Value::Array(before)), Some(Value::Array(after))) if before.len() == after.len() => {
            for (index, (before, after)) in before.iter().zip(after).enumerate() {
                compare(Some(before), Some(after), &at.join(index), differing);
            }
        }
        (before, after) if before.is_none_or(is_blank) && after.is_none_or(is_blank) => {}
        _ => differing.push(at.to_string()),
    }
}

/// Whether there is no value at any depth.
fn is_blank(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.iter().all(is_blank),
        Value::Object(members) => members.values().all(is_blank),
        Value::Bool(_) | Value::Number(_) => false,
    }
}
