//! Paths: of the form as describeState lists them, or of the data as getData shows it.

use std::collections::VecDeque;

use super::{Env, words};
use crate::editor::state::{StateNode, View};

/// Most names listed in one sentence.
pub(super) const MOST_NAMED: usize = 12;

/// The path as it is shown.
pub(super) fn shown(path: &str) -> &str {
    if path.is_empty() { "/" } else { path }
}

/// The node that a path denotes: as a path of the form, else as a place of the data, else as both
/// one after the other.
pub(super) fn resolve<'v, 's>(view: &'v View<'s>, path: &str) -> Option<&'v StateNode<'s>> {
    let root = &view.root;
    let written = path.trim();
    let path = normal(path);
    if path.is_empty() {
        return Some(root);
    }
    // a name may be empty, so the whole path comes first
    root.find(written)
        .or_else(|| root.find(path))
        .or_else(|| at_data(root, path))
        .or_else(|| mixed(root, path))
}

fn normal(path: &str) -> &str {
    let path = path.trim();
    if path == "/" { "" } else { path.strip_suffix('/').unwrap_or(path) }
}

/// The shown node that holds the data at a place; one that is open for editing is preferred.
fn at_data<'v, 's>(root: &'v StateNode<'s>, place: &str) -> Option<&'v StateNode<'s>> {
    let mut summary = None;
    let mut queue = VecDeque::from([root]);
    while let Some(node) = queue.pop_front() {
        if node.is_visible() && !node.key.starts_with('$') && is_at(&node.data_path, place) {
            if !node.summary {
                return Some(node);
            }
            summary = summary.or(Some(node));
        }
        let below = |child: &&StateNode<'s>| leads_to(&child.data_path, place);
        queue.extend(node.children.iter().filter(below));
    }
    summary
}

fn is_at(data_path: &str, place: &str) -> bool {
    data_path == place || (data_path.contains('~') && unescape(data_path) == place)
}

fn leads_to(data_path: &str, place: &str) -> bool {
    data_path.contains('~')
        || place
            .strip_prefix(data_path)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn unescape(pointer: &str) -> String {
    pointer.replace("~1", "/").replace("~0", "~")
}

/// A place of the data up to the first segment of the form, which starts with `$`, and from there a
/// path of the form.
fn mixed<'v, 's>(root: &'v StateNode<'s>, path: &str) -> Option<&'v StateNode<'s>> {
    let (data, form) = path.split_once("/$")?;
    let node = if data.is_empty() { root } else { at_data(root, data)? };
    node.find(&[&node.path, "/$", form].concat())
}

/// The closed item of a list that a path leads into: path of the list and index of the item.
pub(super) fn closed_item(view: &View<'_>, path: &str) -> Option<(String, usize)> {
    let mut prefix = normal(path);
    loop {
        if let Some(node) = resolve(view, prefix).filter(|_| !prefix.is_empty()) {
            return outermost_closed(&view.root, &node.path);
        }
        prefix = prefix.rsplit_once('/')?.0;
    }
}

fn outermost_closed(node: &StateNode<'_>, path: &str) -> Option<(String, usize)> {
    for (index, child) in node.children.iter().enumerate() {
        if crate::editor::state::is_within(path, &child.path) {
            if child.summary && !node.summary {
                return Some((node.path.clone(), index));
            }
            return outermost_closed(child, path);
        }
    }
    None
}

/// Why there is no node at a path, and where to look.
pub(super) fn not_found(view: &View<'_>, path: &str, env: &Env<'_>) -> String {
    let quoted = serde_json::Value::String(path.chars().take(200).collect()).to_string();
    if view.root.value().is_some_and(|document| document.pointer(normal(path)).is_some()) {
        return words::NOT_SHOWN.say(env.locale, &[&quoted]);
    }
    let visible = view.root.children.iter().filter(|child| child.is_visible());
    let names: Vec<String> = visible.map(name).collect();
    words::NOT_FOUND.say(env.locale, &[&quoted, &list(names, env)])
}

fn name(node: &StateNode<'_>) -> String {
    let title = node.component.label.as_ref().or(node.component.title.as_ref());
    title.map_or_else(|| node.path.clone(), |title| format!("{} ({title})", node.path))
}

/// Some names, and how many there are besides.
pub(super) fn list(mut names: Vec<String>, env: &Env<'_>) -> String {
    let more = names.len().saturating_sub(MOST_NAMED);
    names.truncate(MOST_NAMED);
    if more > 0 {
        names.push(words::AND_MORE.say(env.locale, &[&more.to_string()]));
    }
    names.join(", ")
}
