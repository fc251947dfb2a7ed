//! Writing into the document of a session: all or nothing.

use serde_json::{Map, Value};

use super::{
    Env,
    paths::{list, shown},
    words,
};
use crate::editor::{
    layout::{NodeId, Type},
    state::{
        Finding, Form, Known, Lock, Locked, Session, StateNode, Status, View, Write, depth,
        is_within, put, remove, settle,
    },
};

/// Brings a session with new data to rest, if what must not be written is as before and the limits
/// hold. Answers the session and what is wrong with it.
pub(super) fn commit(
    form: &Form,
    before: &View<'_>,
    mut next: Session,
    write: Write<'_>,
    env: &Env<'_>,
) -> Result<(Session, Vec<Finding>), String> {
    check_limits(&next.data, env)?;
    let target = write.field.unwrap_or_default();
    let hidden = guard_shown(before, target, &next.data, env)?;
    guard_locked(form, before.document, &next.data, env)?;
    let entered = next.data.clone();
    let found = settle(form, &mut next, env.context, write)
        .map_err(|()| words::RESTLESS.say(env.locale, &[]))?;
    let after = View::new(form, &next, &found, env.context);
    let is_shown =
        |node: &&&StateNode<'_>| after.root.find(&node.path).is_some_and(StateNode::is_writable);
    if let Some(node) = hidden.iter().find(|node| !is_shown(node)) {
        return Err(refusal(node, env));
    }
    guard_new(before, &after, target, &entered, env)?;
    check_limits(&next.data, env)?;
    if next.status == Status::Created && next.data != *before.document {
        next.status = Status::Ready;
    }
    Ok((next, found))
}

/// Checks size, depth and array lengths of a document.
pub(super) fn check_limits(document: &Value, env: &Env<'_>) -> Result<(), String> {
    let exceeds = |is: usize, most: usize| is > most;
    let numbers = |is: usize, most: usize| [is.to_string(), most.to_string()];
    let bytes = document.to_string().len();
    let limits = env.limits;
    if exceeds(bytes, limits.document_bytes) {
        let [is, most] = numbers(bytes, limits.document_bytes);
        return Err(words::TOO_LARGE.say(env.locale, &[&is, &most]));
    }
    let levels = depth(document);
    if exceeds(levels, limits.depth) {
        let [is, most] = numbers(levels, limits.depth);
        return Err(words::TOO_DEEP.say(env.locale, &[&is, &most]));
    }
    let items = longest(document);
    if exceeds(items, limits.array_length) {
        let [is, most] = numbers(items, limits.array_length);
        return Err(words::TOO_LONG.say(env.locale, &[&is, &most]));
    }
    Ok(())
}

/// Length of the longest array.
fn longest(value: &Value) -> usize {
    match value {
        Value::Array(items) => items.iter().map(longest).fold(items.len(), usize::max),
        Value::Object(members) => members.values().map(longest).max().unwrap_or(0),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    }
}

/// Whether a node keeps its value whatever is written.
fn is_guarded(node: &StateNode<'_>) -> bool {
    !node.is_writable() && !node.component.kind.is_composite() && !node.shares_data()
}

/// Refuses new values of fields that must not be written, where the write to `target` leaves no
/// doubt which values they had. Answers those that are not shown: the write may be what shows them.
fn guard_shown<'n, 's>(
    view: &'n View<'s>,
    target: &str,
    entered: &Value,
    env: &Env<'_>,
) -> Result<Vec<&'n StateNode<'s>>, String> {
    let mut refused = None;
    let mut hidden = Vec::new();
    each(&view.root, target, false, &mut |node, is_item| {
        let is_constant = node.node.constant.is_some();
        if is_item || is_constant || !is_guarded(node) || refused.is_some() {
            return;
        }
        let at = &node.data_path;
        let (old, new) = (view.document.pointer(at), entered.pointer(at));
        let is_gone = new.is_none_or(Value::is_null) && old.is_none_or(Value::is_null);
        if is_gone || old == new {
            return;
        }
        if node.is_visible() {
            refused = Some(refusal(node, env));
        } else {
            hidden.push(node);
        }
    });
    refused.map_or(Ok(hidden), Err)
}

/// Refuses values that were entered for fields that must not be written and were not there before:
/// in arrays only values that some item had.
fn guard_new(
    before: &View<'_>,
    after: &View<'_>,
    target: &str,
    entered: &Value,
    env: &Env<'_>,
) -> Result<(), String> {
    let mut known: Vec<(NodeId, &Value)> = Vec::new();
    each(&before.root, target, false, &mut |node, is_item| {
        if is_item
            && is_guarded(node)
            && let Some(value) = before.document.pointer(&node.data_path)
        {
            known.push((node.id, value));
        }
    });
    let mut refused = None;
    each(&after.root, target, false, &mut |node, is_item| {
        if refused.is_some() || !is_guarded(node) {
            return;
        }
        let Some(new) = entered.pointer(&node.data_path).filter(|new| !new.is_null()) else {
            return;
        };
        let is_known = || known.iter().any(|(id, value)| *id == node.id && *value == new);
        let was_there = before.document.pointer(&node.data_path) == Some(new)
            || (is_item && is_known())
            || (!is_item && node.node.constant.is_none() && before.root.find(&node.path).is_some());
        if !was_there && node.node.constant.as_ref() != Some(new) {
            refused = Some(refusal(node, env));
        }
    });
    refused.map_or(Ok(()), Err)
}

/// Refuses other values at the places that the schema marks as read-only, whether or not the form has
/// fields for them.
fn guard_locked(form: &Form, old: &Value, new: &Value, env: &Env<'_>) -> Result<(), String> {
    let Some(locked) = Locked::of(form) else { return Ok(()) };
    locked.check(old, new).map_err(|lock| match lock {
        Lock::Value(at) => words::READ_ONLY_FIELD.say(env.locale, &[shown(at.as_str())]),
        Lock::Items(at) => words::READ_ONLY_ITEMS.say(env.locale, &[shown(at.as_str())]),
    })
}

/// Takes over values at places that the schema marks as read-only where new data leaves them out.
pub(super) fn keep_locked(form: &Form, old: &Value, next: &mut Value) {
    if let Some(locked) = Locked::of(form) {
        locked.carry(old, next);
    }
}

/// Takes over values that must not be written when what encloses them is replaced without them by a
/// write to `target`. Items of an array that is replaced have no such values: which is which is not
/// known.
pub(super) fn keep_guarded(view: &View<'_>, target: &str, next: &mut Value) {
    let mut kept = Vec::new();
    each(&view.root, target, false, &mut |node, is_item| {
        let is_constant = node.node.constant.is_some();
        if !is_item && !is_constant && is_guarded(node) && next.pointer(&node.data_path).is_none() {
            kept.push(node.data_path.clone());
        }
    });
    for place in kept {
        let parent = place.rsplit_once('/').map_or("", |(parent, _)| parent);
        let is_object = next.pointer(parent).is_some_and(Value::is_object);
        if let Some(value) = view.document.pointer(&place).filter(|_| is_object) {
            set(view, next, &place, Some(value.clone()));
        }
    }
}

/// Refuses a value for a node that has something in it that is not for the agent.
pub(super) fn check_given(
    form: &Form,
    (path, known): (&str, &Known),
    given: &Value,
    env: &Env<'_>,
) -> Result<(), String> {
    let hidden = form.concealed();
    match hidden.first_in(given, known) {
        Some(place) => {
            Err(words::CONCEALED_FIELD.say(env.locale, &[&[path, place.as_str()].concat()]))
        }
        None => Ok(()),
    }
}

/// Keeps what is not for the agent when the value of a node is replaced.
pub(super) fn keep_concealed(
    form: &Form,
    (view, node): (&View<'_>, &StateNode<'_>),
    next: &mut Value,
    env: &Env<'_>,
) -> Result<(), String> {
    let Some(old) = view.document.pointer(&node.data_path) else { return Ok(()) };
    let mut nothing = Value::Null;
    let new = next.pointer_mut(&node.data_path).unwrap_or(&mut nothing);
    if form.concealed().carry(old, new, &node.known) {
        return Ok(());
    }
    Err(words::CONCEALS.say(env.locale, &[shown(&node.path)]))
}

/// Visits nodes with whether they are in an item of an array that a write to `target` may have
/// moved: one inside a single item moves none.
fn each<'n, 's>(
    node: &'n StateNode<'s>,
    target: &str,
    is_item: bool,
    visit: &mut dyn FnMut(&'n StateNode<'s>, bool),
) {
    visit(node, is_item);
    let is_array = matches!(node.value(), Some(Value::Array(_)));
    let is_fixed = target != node.path && is_within(target, &node.path);
    let below = is_item || (is_array && !is_fixed);
    for child in &node.children {
        each(child, target, below, visit);
    }
}

/// Why a field is not written.
pub(super) fn refusal(node: &StateNode<'_>, env: &Env<'_>) -> String {
    let path = shown(&node.path);
    match (&node.node.constant, node.is_visible()) {
        (Some(constant), _) => words::FIXED_FIELD.say(env.locale, &[path, &constant.to_string()]),
        (None, true) => words::READ_ONLY_FIELD.say(env.locale, &[path]),
        (None, false) => words::HIDDEN_FIELD.say(env.locale, &[path]),
    }
}

/// A document with the value of a node written into it; `None` removes it.
pub(super) fn with_value(
    view: &View<'_>,
    document: &Value,
    node: &StateNode<'_>,
    value: Option<Value>,
) -> Value {
    let mut document = document.clone();
    if node.shares_data() {
        merge_part(view, &mut document, node, value);
    } else {
        set(view, &mut document, &node.data_path, value);
    }
    document
}

/// Writes the members of an object that a part of the form stands for; those of its own that are
/// not given are removed.
fn merge_part(view: &View<'_>, document: &mut Value, node: &StateNode<'_>, value: Option<Value>) {
    let given = match value {
        Some(Value::Object(given)) => given,
        _ => Map::new(),
    };
    let mut object = document.pointer(&node.data_path).cloned().unwrap_or_default();
    if !object.is_object() {
        object = Value::Object(Map::new());
    }
    if let Some(members) = object.as_object_mut() {
        for key in node.node.property_keys.iter().filter(|key| !given.contains_key(*key)) {
            remove(members, key);
        }
        members.extend(given);
    }
    set(view, document, &node.data_path, Some(object));
}

/// Writes at a place of the document; what is missing on the way is made.
pub(super) fn set(view: &View<'_>, document: &mut Value, place: &str, value: Option<Value>) {
    let mut at = String::new();
    let mut here = document;
    let mut segments = place.split('/').skip(1).peekable();
    if segments.peek().is_none() {
        *here = value.unwrap_or(Value::Null);
        return;
    }
    while let Some(segment) = segments.next() {
        let key = segment.replace("~1", "/").replace("~0", "~");
        if !here.is_object() && !here.is_array() {
            *here = if is_array_at(&view.root, &at) {
                Value::Array(Vec::new())
            } else {
                Value::Object(Map::new())
            };
        }
        at = [&at, "/", segment].concat();
        if segments.peek().is_none() {
            put(here, &key, value);
            return;
        }
        let Some(next) = enter(here, &key) else { return };
        here = next;
    }
}

fn is_array_at(node: &StateNode<'_>, place: &str) -> bool {
    if node.data_path == place && node.node.data_type == Some(Type::Array) {
        return true;
    }
    node.children
        .iter()
        .any(|child| place.starts_with(&child.data_path) && is_array_at(child, place))
}

/// The member or item that a place leads through, made when it is missing.
fn enter<'v>(value: &'v mut Value, key: &str) -> Option<&'v mut Value> {
    match value {
        Value::Object(members) => Some(members.entry(key).or_insert(Value::Null)),
        Value::Array(items) => {
            let index: usize = key.parse().ok().filter(|index| *index <= items.len())?;
            if index == items.len() {
                items.push(Value::Null);
            }
            items.get_mut(index)
        }
        _ => None,
    }
}

/// A segment of paths that stands in data as a key: the key and its place.
pub(super) fn structural_key(value: &Value, place: &str) -> Option<(String, String)> {
    match value {
        Value::Object(members) => members.iter().find_map(|(key, value)| {
            let at = [place, "/", key].concat();
            if is_structural(key) { Some((key.clone(), at)) } else { structural_key(value, &at) }
        }),
        Value::Array(items) => items.iter().enumerate().find_map(|(index, item)| {
            structural_key(item, &[place, "/", &index.to_string()].concat())
        }),
        _ => None,
    }
}

fn is_structural(key: &str) -> bool {
    let numbered = key.strip_prefix("$comp-").or_else(|| key.strip_prefix("$slot-"));
    key == "$oneOf"
        || numbered.is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
}

/// Which fields appeared and disappeared with a write; those below `except` do not count.
pub(super) fn changes(
    before: &[(String, bool)],
    after: &View<'_>,
    except: Option<&str>,
    env: &Env<'_>,
) -> Vec<String> {
    let counts = |path: &str| except.is_none_or(|except| !is_within(path, except));
    let after = visible(after);
    let missing_in = |some: &[(String, bool)], others: &[(String, bool)]| -> Vec<String> {
        let known: std::collections::BTreeSet<&str> =
            others.iter().map(|(path, _)| path.as_str()).collect();
        let gone = some.iter().filter(|(path, owns)| *owns && !known.contains(path.as_str()));
        gone.filter(|(path, _)| counts(path)).map(|(path, _)| path.clone()).collect()
    };
    let mut lines = Vec::new();
    let appeared = missing_in(&after, before);
    let disappeared = missing_in(before, &after);
    for (paths, phrase) in [(appeared, words::APPEARED), (disappeared, words::DISAPPEARED)] {
        if !paths.is_empty() {
            let count = paths.len().to_string();
            lines.push(phrase.say(env.locale, &[&count, &list(paths, env)]));
        }
    }
    lines
}

/// Paths of the shown nodes, and whether they have data of their own.
pub(super) fn visible(view: &View<'_>) -> Vec<(String, bool)> {
    let mut paths = Vec::new();
    view.root.walk(&mut |node| {
        if node.is_visible() {
            paths.push((node.path.clone(), !node.shares_data()));
        }
    });
    paths
}
