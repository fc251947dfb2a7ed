//! getData and setData: the document as a whole.

use serde_json::{Map, Value, json};

use super::{
    Answer, Env, errors,
    paths::{self, list},
    words,
    write::{
        changes, check_given, commit, keep_concealed, keep_guarded, keep_locked, structural_key,
        visible,
    },
};
use crate::editor::state::{Form, Session, StateNode, View, Write, findings};

/// Answers getData.
pub(super) fn get(view: &View<'_>, path: &str, env: &Env<'_>) -> Answer {
    let Some(node) = paths::resolve(view, path) else {
        return Answer::failed(paths::not_found(view, path, env));
    };
    if node.key.starts_with('$') && node.shares_data() {
        return Answer::failed(no_data(node, env));
    }
    let valid = view.is_valid();
    let answer = match node.value() {
        Some(data) => json!({ "data": data, "valid": valid }),
        None => json!({ "unset": true, "valid": valid }),
    };
    let text = answer.to_string();
    if text.len() > env.limits.text_bytes {
        let size = text.len().to_string();
        return Answer::failed(words::TOO_MUCH.say(env.locale, &[&size, paths::shown(&node.path)]));
    }
    Answer::done(text, answer)
}

fn no_data(node: &StateNode<'_>, env: &Env<'_>) -> String {
    let mut fields = Vec::new();
    node.walk(&mut |below| {
        if !below.shares_data() && below.data_path.len() > node.data_path.len() {
            let is_first = !fields
                .iter()
                .any(|known: &String| crate::editor::state::is_within(&below.path, known));
            if is_first {
                fields.push(below.path.clone());
            }
        }
    });
    let whole = if node.data_path.is_empty() {
        words::DOCUMENT.say(env.locale, &[])
    } else {
        node.data_path.clone()
    };
    words::NO_DATA_OF_ITS_OWN.say(env.locale, &[&node.path, &whole, &list(fields, env)])
}

/// Answers setData.
pub(super) fn set(
    form: &Form,
    session: &mut Session,
    data: &Map<String, Value>,
    merge: bool,
    env: &Env<'_>,
) -> Answer {
    let written = try_set(form, session, data, merge, env);
    written.unwrap_or_else(Answer::failed)
}

fn try_set(
    form: &Form,
    session: &mut Session,
    data: &Map<String, Value>,
    merge: bool,
    env: &Env<'_>,
) -> Result<Answer, String> {
    let given = Value::Object(data.clone());
    if let Some((key, at)) = structural_key(&given, "") {
        return Err(words::SEGMENT_IN_DATA.say(env.locale, &[&key, &at]));
    }
    let before = findings(form, session);
    let view = View::new(form, session, &before, env.context);
    let shown = visible(&view);
    let old = session.data.clone();
    check_given(form, ("", &view.root.known), &given, env)?;
    let mut next = session.clone();
    if merge {
        merge_into(&mut next.data, &given);
    } else {
        next.data = given;
        keep_guarded(&view, "", &mut next.data);
    }
    keep_locked(form, view.document, &mut next.data);
    keep_concealed(form, (&view, &view.root), &mut next.data, env)?;
    next.activated.retain(|activation| is_union_path(&activation.path));
    next.activated.iter_mut().for_each(|activation| activation.explicit = false);
    super::suggest::forget(&mut next);
    let write = Write { field: None, replaced: Some("") };
    let (next, after) = commit(form, &view, next, write, env)?;
    *session = next;
    let view = View::new(form, session, &after, env.context);
    Ok(answer(form, &view, &old, data, &shown, merge, env))
}

fn is_union_path(path: &str) -> bool {
    path.ends_with("/$oneOf")
}

/// Puts given members into an object, recursively; everything else is replaced.
fn merge_into(target: &mut Value, given: &Value) {
    match (target, given) {
        (Value::Object(target), Value::Object(given)) => {
            for (key, value) in given {
                merge_into(target.entry(key).or_insert(Value::Null), value);
            }
        }
        (target, given) => *target = given.clone(),
    }
}

fn answer(
    form: &Form,
    view: &View<'_>,
    old: &Value,
    data: &Map<String, Value>,
    shown: &[(String, bool)],
    merge: bool,
    env: &Env<'_>,
) -> Answer {
    let listed = errors::whole(view, env);
    let mut lines = if listed.is_empty() {
        vec![words::VALID.say(env.locale, &[])]
    } else {
        let head = words::INVALID_WITH.say(env.locale, &[&listed.len().to_string()]);
        vec![head, errors::lines(&listed)]
    };
    let known = &form.layout().node(form.layout().root().root).property_keys;
    let (fields, unknown): (Vec<_>, Vec<_>) = data.keys().partition(|key| known.contains(*key));
    let (kept, dropped): (Vec<_>, Vec<_>) =
        unknown.iter().copied().partition(|key| view.document.get(key.as_str()).is_some());
    let removed: Vec<String> = match old {
        Value::Object(old) if !merge => {
            let gone = old.keys().filter(|key| !data.contains_key(*key));
            gone.filter(|key| view.document.get(key.as_str()).is_none()).cloned().collect()
        }
        _ => Vec::new(),
    };
    let mut tell = |phrase: &crate::editor::state::Phrase, keys: Vec<String>| {
        if !keys.is_empty() {
            let count = keys.len().to_string();
            lines.push(phrase.say(env.locale, &[&count, &list(keys, env)]));
        }
    };
    let names = |keys: &[&String]| keys.iter().map(|key| (*key).clone()).collect::<Vec<_>>();
    tell(&words::STORED, names(&fields));
    tell(&words::DROPPED, removed);
    tell(&words::UNKNOWN_KEPT, names(&kept));
    tell(&words::UNKNOWN_DROPPED, names(&dropped));
    lines.extend(changes(shown, view, None, env));
    let structured = json!({
        "valid": view.is_valid(),
        "errors": errors::structured(&listed),
        "stored": names(&fields),
        "unknown": names(&unknown),
    });
    Answer::done(lines.join("\n"), structured)
}
