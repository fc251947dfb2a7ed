//! setFieldValue: one field, or the variant of a union.

use serde_json::{Value, json};

use super::{
    Answer, Choice, Env, describe, errors,
    line::{plain, type_name, value as value_text},
    paths::{self, shown},
    suggest, words,
    write::{
        changes, check_given, commit, keep_concealed, keep_guarded, keep_locked, refusal,
        set as set_at, structural_key, visible, with_value,
    },
};
use crate::editor::{
    expression::{Fuel, Scope},
    layout::{Kind, Type},
    state::{
        Activation, Form, STEPS, Session, StateNode, View, Write, deactivate, findings, is_union,
        remove,
    },
};

/// Answers setFieldValue.
pub(super) fn set(
    form: &Form,
    session: &mut Session,
    path: &str,
    choice: &Choice,
    env: &Env<'_>,
) -> Answer {
    let written = match choice {
        Choice::Value(value) => try_set(form, session, path, Entry::Whole(value.clone()), env),
        Choice::Suggestion(index) => suggest::chosen(session, path, *index, env)
            .and_then(|value| try_set(form, session, path, Entry::Chosen(value), env)),
    };
    written.unwrap_or_else(Answer::failed)
}

/// What is entered into a field.
enum Entry {
    /// Its value.
    Whole(Value),
    /// A suggestion, which is added where a field takes several.
    Chosen(Value),
}

impl Entry {
    /// The value of the field, and whether the suggestion was added to others.
    fn value(self, node: &StateNode<'_>) -> (Value, bool) {
        let chosen = match self {
            Self::Whole(value) => return (value, false),
            Self::Chosen(value) => value,
        };
        let component = node.component;
        if !component.multiple || component.items.is_none() {
            return (chosen, false);
        }
        match (&component.separator, node.value()) {
            (None, Some(Value::Array(known))) => {
                let others = known.iter().filter(|known| **known != chosen).cloned();
                (others.chain([chosen.clone()]).collect(), true)
            }
            (None, _) => (Value::Array(vec![chosen]), true),
            (Some(separator), Some(Value::String(known))) if !known.is_empty() => {
                let chosen = plain(&chosen);
                let others = known.split(separator.as_str()).filter(|known| *known != chosen);
                let all: Vec<&str> = others.chain([chosen.as_str()]).collect();
                (all.join(separator).into(), true)
            }
            (Some(_), _) => (chosen, true),
        }
    }
}

/// What a write starts from: the session with the field's list item opened.
fn try_set(
    form: &Form,
    session: &mut Session,
    path: &str,
    entry: Entry,
    env: &Env<'_>,
) -> Result<Answer, String> {
    let before = findings(form, session);
    let mut next = session.clone();
    open_item(form, session, &mut next, path, env);
    let view = View::new(form, &next, &before, env.context);
    let node = paths::resolve(&view, path).ok_or_else(|| paths::not_found(&view, path, env))?;
    let (value, is_added) = entry.value(node);
    if let Some((key, at)) = structural_key(&value, "") {
        return Err(words::SEGMENT_IN_DATA.say(env.locale, &[&key, &at]));
    }
    if !node.is_writable() {
        return Err(refusal(node, env));
    }
    let shown_before = visible(&view);
    let mut entered = prepare(form, &view, node, value, env)?;
    let (target, is_variant) = (node.path.clone(), is_union(node.node));
    let kind = type_name(node.component.kind);
    let replaced = (!is_variant
        && (node.component.kind.is_composite() || !node.children.is_empty()))
    .then_some(target.as_str());
    let former = entered.variant.map_or_else(Vec::new, |to| former_keys(form, &view, node, to));
    let mut changed = Session {
        data: std::mem::take(&mut entered.data),
        activated: next.activated.clone(),
        ..session.clone()
    };
    entered.activate(&target, node, &mut changed.activated);
    let write = Write { field: Some(&target), replaced };
    let (changed, after) = commit(form, &view, changed, write, env)?;
    let object = node.data_path.clone();
    *session = changed;
    suggest::forget_changed(form, session, &after, env);
    let mut answer = answer(form, session, &after, (&target, kind, is_variant), &shown_before, env);
    if is_added {
        answer.text.push('\n');
        answer.text.push_str(&words::CHOICE_ADDED.say(env.locale, &[shown(&target)]));
    }
    answer.text.push_str(&became_of(former, session.data.pointer(&object), env));
    Ok(answer)
}

/// Opens the list item that a path leads into when it leads nowhere otherwise.
fn open_item(form: &Form, session: &Session, next: &mut Session, path: &str, env: &Env<'_>) {
    const DEEPEST: usize = 8;
    for _ in 0..DEEPEST {
        let tried = next.clone();
        let view = View::new(form, &tried, &[], env.context);
        if paths::resolve(&view, path).is_some() {
            return;
        }
        let Some((list, index)) = paths::closed_item(&view, path) else { break };
        next.activated.retain(|activation| activation.path != list);
        next.activated.push(Activation { path: list, index, explicit: true });
    }
    next.activated.clone_from(&session.activated);
}

/// New data and what it means for the activations.
struct Entered {
    data: Value,
    variant: Option<usize>,
    closes: bool,
}

impl Entered {
    fn activate(&self, path: &str, node: &StateNode<'_>, activated: &mut Vec<Activation>) {
        if self.closes {
            deactivate(activated, path);
        }
        if let Some(index) = self.variant {
            activated.retain(|activation| activation.path != node.path);
            activated.push(Activation { path: path.to_owned(), index, explicit: true });
        }
    }
}

fn prepare(
    form: &Form,
    view: &View<'_>,
    node: &StateNode<'_>,
    value: Value,
    env: &Env<'_>,
) -> Result<Entered, String> {
    if is_union(node.node) {
        let index = variant(form, node, &value, env)?;
        let data = without_variant(form, view, node);
        return Ok(Entered { data, variant: Some(index), closes: false });
    }
    let value = transformed(view, node, value, env);
    check_empty(node, &value, env)?;
    check_given(form, (&node.path, &node.known), &value, env)?;
    let is_kept = !value.is_null() || node.node.nullable;
    let mut data = with_value(view, view.document, node, is_kept.then_some(value));
    keep_guarded(view, &node.path, &mut data);
    keep_locked(form, view.document, &mut data);
    keep_concealed(form, (view, node), &mut data, env)?;
    Ok(Entered { data, variant: None, closes: node.component.kind == Kind::List })
}

/// Refuses empty lists and objects for fields that take one plain value: they would clear it.
fn check_empty(node: &StateNode<'_>, value: &Value, env: &Env<'_>) -> Result<(), String> {
    let is_empty = match value {
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    };
    let is_plain = matches!(
        node.node.data_type,
        Some(Type::String | Type::Number | Type::Integer | Type::Boolean)
    );
    if !is_empty || !is_plain {
        return Ok(());
    }
    let parts = [shown(&node.path), type_name(node.component.kind), &value.to_string()];
    Err(words::WRONG_TYPE.say(env.locale, &parts))
}

/// The document, without what the active variant of a union holds if the form wants that.
fn without_variant(form: &Form, view: &View<'_>, node: &StateNode<'_>) -> Value {
    let mut data = view.document.clone();
    let former = node.active.filter(|_| node.component.empty_data);
    let former = former.and_then(|index| node.node.trees.get(index));
    if let Some(tree) = former.map(|id| form.layout().tree(*id))
        && let Some(Value::Object(members)) = data.pointer_mut(&node.data_path)
    {
        for key in &form.layout().node(tree.root).property_keys {
            remove(members, key);
        }
    }
    if !data.pointer(&node.data_path).is_some_and(Value::is_object) {
        set_at(view, &mut data, &node.data_path, Some(json!({})));
    }
    data
}

/// Members of the object of a union that only its active variant knows, once another one is active.
fn former_keys(form: &Form, view: &View<'_>, node: &StateNode<'_>, next: usize) -> Vec<String> {
    let known = |index: usize| -> &[String] {
        let tree = node.node.trees.get(index).map(|id| form.layout().tree(*id));
        tree.map_or(&[], |tree| &form.layout().node(tree.root).property_keys)
    };
    let object = node.path.strip_suffix("/$oneOf").and_then(|path| view.root.find(path));
    let own = object.map_or(&[][..], |object| &object.node.children);
    let is_own = |key: &String| {
        own.iter().map(|id| form.layout().node(*id)).any(|it| !it.shares_data() && it.key == *key)
    };
    let members = view.document.pointer(&node.data_path).and_then(Value::as_object);
    let keys = members.into_iter().flat_map(serde_json::Map::keys);
    let is_former = |key: &&String| {
        let is_left = |former| former != next && known(former).contains(key);
        node.active.is_some_and(is_left) && !known(next).contains(key) && !is_own(key)
    };
    keys.filter(is_former).cloned().collect()
}

/// Lines about the members of a former variant.
fn became_of(former: Vec<String>, object: Option<&Value>, env: &Env<'_>) -> String {
    let is_there = |key: &String| object.is_some_and(|object| object.get(key).is_some());
    let (kept, gone): (Vec<_>, Vec<_>) = former.into_iter().partition(is_there);
    let mut text = String::new();
    for (keys, phrase) in [(gone, words::FORMER_REMOVED), (kept, words::FORMER_KEPT)] {
        if !keys.is_empty() {
            let count = keys.len().to_string();
            text.push('\n');
            text.push_str(&phrase.say(env.locale, &[&count, &paths::list(keys, env)]));
        }
    }
    text
}

/// The index of a variant that a value names.
fn variant(
    form: &Form,
    node: &StateNode<'_>,
    value: &Value,
    env: &Env<'_>,
) -> Result<usize, String> {
    let number = match value {
        Value::Number(number) => number.as_f64().and_then(whole),
        Value::String(text) => text.parse().ok(),
        _ => None,
    };
    let mut indices = node.component.variants.iter().filter_map(|variant| variant.index);
    let index = number.filter(|number| indices.any(|index| index == *number));
    index.ok_or_else(|| {
        let variants = node.component.variants.iter().filter_map(|variant| variant.index);
        let titles: Vec<String> =
            variants.map(|index| describe::title(form, node, index)).collect();
        words::VARIANT_EXPECTED.say(env.locale, &[shown(&node.path), &paths::list(titles, env)])
    })
}

/// A number that is an index.
pub(super) fn whole(number: f64) -> Option<usize> {
    let is_index = number.fract() == 0.0 && (0.0..4e9).contains(&number);
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked")]
    is_index.then_some(number as usize)
}

/// What the form makes of a value that is entered.
fn transformed(view: &View<'_>, node: &StateNode<'_>, value: Value, env: &Env<'_>) -> Value {
    let Some(transform) = &node.component.transform else { return value };
    let fuel = Fuel::new(STEPS);
    let scope = Scope {
        data: Some(&value),
        root: Some(view.document),
        parent: None,
        context: Some(env.context),
        read_only: false,
        summary: node.summary,
        fuel: &fuel,
    };
    let made = transform.value(&scope).ok().flatten();
    made.filter(|_| transform.holds(&scope)).unwrap_or(value)
}

fn answer(
    form: &Form,
    session: &mut Session,
    after: &[crate::editor::state::Finding],
    (path, kind, is_variant): (&str, &'static str, bool),
    shown_before: &[(String, bool)],
    env: &Env<'_>,
) -> Answer {
    let mut memory = std::mem::take(&mut session.shown);
    let view = View::new(form, session, after, env.context);
    let node = view.root.find(path);
    let kind = node.map_or(kind, |node| type_name(node.component.kind));
    let value = node.and_then(StateNode::value);
    let mut lines = vec![format!("{} ({kind}) = {}", shown(path), value_text(value))];
    let except = is_variant.then_some(path);
    lines.extend(changes(shown_before, &view, except, env));
    if let Some(branch) = node.and_then(|node| node.children.first()).filter(|_| is_variant) {
        lines.push(words::VARIANT_FIELDS.say(env.locale, &[]));
        lines.push(describe::tree(form, &view, branch, false, &mut memory, env));
    }
    lines.push(errors::summary(&view, path, env));
    let structured = json!({
        "path": shown(path),
        "value": value,
        "valid": view.is_valid(),
        "errors": errors::structured(&errors::scoped(&view, path, env)),
    });
    session.shown = memory;
    Answer::done(lines.join("\n"), structured)
}
