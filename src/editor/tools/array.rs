//! editArray: items of arrays.

use serde_json::{Value, json};

use super::{
    Action, Answer, Env, describe, errors, field,
    paths::{self, shown},
    suggest, words,
    write::{check_given, commit, refusal, structural_key, with_value},
};
use crate::editor::{
    layout::{EditMode, Kind},
    state::{Activation, Form, Session, StateNode, View, Write, findings, is_within},
};

/// Answers editArray.
pub(super) fn edit(
    form: &Form,
    session: &mut Session,
    path: &str,
    action: &Action,
    index: Option<f64>,
    env: &Env<'_>,
) -> Answer {
    let edited = try_edit(form, session, path, action, index, env);
    edited.unwrap_or_else(Answer::failed)
}

fn try_edit(
    form: &Form,
    session: &mut Session,
    path: &str,
    action: &Action,
    index: Option<f64>,
    env: &Env<'_>,
) -> Result<Answer, String> {
    let before = findings(form, session);
    let view = View::new(form, session, &before, env.context);
    let node = paths::resolve(&view, path).ok_or_else(|| paths::not_found(&view, path, env))?;
    check(node, env)?;
    let mut items = match view.document.pointer(&node.data_path) {
        Some(Value::Array(items)) => items.clone(),
        _ => Vec::new(),
    };
    let place = place(node, items.len(), action, index, env)?;
    let mut next = session.clone();
    shift(&mut next.activated, &node.path, place, matches!(action, Action::Add(_)));
    if let Action::Add(value) = action {
        let value = item(form, node, value.as_ref(), env)?;
        let known = form.concealed().item(&node.known, place);
        check_given(form, (&[&node.path, "/", &place.to_string()].concat(), &known), &value, env)?;
        items.insert(place.min(items.len()), value);
        open(node, place, &mut next.activated);
    } else if place < items.len() {
        items.remove(place);
    }
    next.data = with_value(&view, &session.data, node, Some(Value::Array(items)));
    let target = node.path.clone();
    suggest::forget(&mut next);
    let write = Write { field: Some(&target), replaced: None };
    let (next, after) = commit(form, &view, next, write, env)?;
    *session = next;
    Ok(answer(form, session, &after, (&target, place), action, env))
}

fn check(node: &StateNode<'_>, env: &Env<'_>) -> Result<(), String> {
    let path = shown(&node.path);
    if node.key == "$patternProperties" {
        let object = shown(node.path.strip_suffix("/$patternProperties").unwrap_or(path));
        return Err(words::IS_A_MAP.say(env.locale, &[path, object]));
    }
    if node.component.kind != Kind::List {
        return Err(words::NOT_AN_ARRAY.say(env.locale, &[path, node.component.kind.name()]));
    }
    if node.read_only { Err(refusal(node, env)) } else { Ok(()) }
}

fn place(
    node: &StateNode<'_>,
    count: usize,
    action: &Action,
    index: Option<f64>,
    env: &Env<'_>,
) -> Result<usize, String> {
    let is_add = matches!(action, Action::Add(_));
    let path = shown(&node.path);
    if !is_add && count == 0 {
        return Err(words::NOTHING_TO_REMOVE.say(env.locale, &[path]));
    }
    let last = if is_add { count } else { count - 1 };
    let Some(index) = index else { return Ok(last) };
    field::whole(index).filter(|index| *index <= last).ok_or_else(|| {
        let parts = [index.to_string(), path.to_owned(), count.to_string(), last.to_string()];
        words::OUT_OF_BOUNDS.say(env.locale, &parts.each_ref().map(String::as_str))
    })
}

/// The new item; one for a union has to name one of its variants, or nothing.
fn item(
    form: &Form,
    node: &StateNode<'_>,
    value: Option<&Value>,
    env: &Env<'_>,
) -> Result<Value, String> {
    let layout = form.layout();
    let root = node.node.trees.first().map(|id| layout.node(layout.tree(*id).root));
    let Some(value) = value else {
        let is_object =
            root.is_some_and(|root| root.data_type == Some(crate::editor::layout::Type::Object));
        return Ok(if is_object { json!({}) } else { Value::Null });
    };
    if let Some((key, at)) = structural_key(value, "") {
        return Err(words::SEGMENT_IN_DATA.say(env.locale, &[&key, &at]));
    }
    let unions = root.into_iter().flat_map(|root| &root.children).map(|id| layout.node(*id));
    for union in unions {
        let Some(tag) = union.discriminator.as_ref().and_then(|name| value.get(name)) else {
            continue;
        };
        let tags: Vec<String> = union
            .trees
            .iter()
            .filter_map(|id| layout.tree(*id).tag.as_ref().map(Value::to_string))
            .collect();
        if !tags.contains(&tag.to_string()) {
            let name = union.discriminator.as_deref().unwrap_or_default();
            let parts = [name, &tag.to_string(), &paths::list(tags, env)];
            return Err(words::UNKNOWN_TAG.say(env.locale, &parts));
        }
    }
    Ok(value.clone())
}

fn open(node: &StateNode<'_>, place: usize, activated: &mut Vec<Activation>) {
    let is_inline =
        node.component.list.as_ref().is_some_and(|list| list.edit_mode == EditMode::Inline);
    if !is_inline {
        activated.retain(|activation| activation.path != node.path);
        activated.push(Activation { path: node.path.clone(), index: place, explicit: true });
    }
}

/// Moves what is activated in and below the items after a place.
fn shift(activated: &mut Vec<Activation>, list: &str, place: usize, is_add: bool) {
    let moved = |index: usize| {
        if is_add {
            Some(if index >= place { index + 1 } else { index })
        } else if index == place {
            None
        } else {
            Some(if index > place { index - 1 } else { index })
        }
    };
    let shifted = activated.drain(..).filter_map(|mut activation| {
        if activation.path == list {
            activation.index = moved(activation.index)?;
        } else if is_within(&activation.path, list) {
            let rest = activation.path.get(list.len() + 1..)?;
            let (index, below) = rest.split_once('/').unwrap_or((rest, ""));
            let index = moved(index.parse().ok()?)?;
            let slash = if below.is_empty() { "" } else { "/" };
            activation.path = format!("{list}/{index}{slash}{below}");
        }
        Some(activation)
    });
    *activated = shifted.collect();
}

fn answer(
    form: &Form,
    session: &mut Session,
    after: &[crate::editor::state::Finding],
    (path, place): (&str, usize),
    action: &Action,
    env: &Env<'_>,
) -> Answer {
    let mut memory = std::mem::take(&mut session.shown);
    let view = View::new(form, session, after, env.context);
    let node = view.root.find(path).unwrap_or(&view.root);
    let count = node.value().and_then(Value::as_array).map_or(0, Vec::len);
    let is_add = matches!(action, Action::Add(_));
    let head = if is_add { words::ADDED } else { words::REMOVED };
    let mut lines = vec![head.say(env.locale, &[&place.to_string(), &count.to_string()])];
    if let Some(item) = node.children.get(place).filter(|_| is_add) {
        lines.push(words::ITEM_FIELDS.say(env.locale, &[]));
        lines.push(describe::tree(form, &view, item, false, &mut memory, env));
    }
    lines.push(errors::summary(&view, path, env));
    let structured = json!({
        "path": shown(path),
        "index": place,
        "length": count,
        "valid": view.is_valid(),
        "errors": errors::structured(&errors::scoped(&view, path, env)),
    });
    session.shown = memory;
    Answer::done(lines.join("\n"), structured)
}
