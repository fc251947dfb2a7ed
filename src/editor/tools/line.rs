//! The line of one field: `- /path (type, attributes) label="…" value=… help="…" — error`.

use serde_json::Value;

use super::{Env, errors, paths::shown};
use crate::editor::{
    layout::{Component, Item, Kind, Node},
    state::{Choosable, Source, StateNode, View, fixed, is_union, options},
};

/// Longest value in a line, as JSON in UTF-16 units.
const LONGEST_VALUE: usize = 1000;
/// Longest help in a line of another field than the one asked for.
const LONGEST_HELP: usize = 300;
/// Longest list of titled values in a line.
const LONGEST_TITLED: usize = 600;
/// Longest list of plain values in a line.
const LONGEST_PLAIN: usize = 200;

/// Length as JavaScript counts it.
pub(super) fn length(text: &str) -> usize {
    text.encode_utf16().count()
}

/// The line of a node; `whole` shows long help too.
pub(super) fn line(view: &View<'_>, node: &StateNode<'_>, whole: bool, env: &Env<'_>) -> String {
    let mut line = format!("- {} ({})", shown(&node.path), meta(node, env));
    let component = node.component;
    for (name, text) in [("label", &component.label), ("title", &component.title)] {
        if let Some(text) = text {
            line.extend([" ", name, "=", &quoted(text)]);
        }
    }
    if !node.children.iter().any(StateNode::is_visible) {
        line.push_str(" value=");
        line.push_str(&value(node.value()));
    }
    if let Some(help) = &component.help {
        line.push_str(&help_text(help, &node.path, whole));
    }
    if let Some(error) = errors::of_node(view, node, env) {
        line.push_str(" — ");
        line.push_str(&error);
    }
    line
}

pub(super) fn quoted(text: &str) -> String {
    Value::String(text.to_owned()).to_string()
}

fn help_text(help: &str, path: &str, whole: bool) -> String {
    let count = length(help);
    if whole || count <= LONGEST_HELP {
        return format!(" help={}", quoted(help));
    }
    format!(" help=<{count} chars — describeState {} to read it>", shown(path))
}

/// A value as JSON; a long one is only measured.
pub(super) fn value(value: Option<&Value>) -> String {
    let Some(value) = value else { return "undefined".to_owned() };
    let text = value.to_string();
    let count = length(&text);
    if count <= LONGEST_VALUE {
        return text;
    }
    let read = "call getData with this path to read it";
    match value {
        Value::Array(items) => format!("<array of {} items, {count} chars — {read}>", items.len()),
        Value::Object(_) => format!("<object, {count} chars — {read}>"),
        _ => format!("<string, {count} chars>"),
    }
}

/// The name of a component in lines.
pub(super) fn type_name(kind: Kind) -> &'static str {
    match kind {
        Kind::TextField => "text",
        Kind::NumberField => "number",
        Kind::Checkbox => "boolean",
        Kind::DatePicker => "date",
        Kind::DateTimePicker => "datetime",
        Kind::TimePicker => "time",
        Kind::OneOfSelect => "variant-selector",
        Kind::List => "array",
        Kind::FileInput => "file",
        Kind::VerticalTabs => "tabs",
        other => other.name(),
    }
}

fn meta(node: &StateNode<'_>, env: &Env<'_>) -> String {
    let mut parts = vec![type_name(node.component.kind).to_owned()];
    let flags = [
        (node.node.required, "required"),
        (node.read_only, "readOnly"),
        (node.error.is_some(), "error"),
        (node.modified, "modified"),
    ];
    parts.extend(flags.iter().filter(|(on, _)| *on).map(|(_, name)| (*name).to_owned()));
    parts.extend(constraints(node.node, node.component));
    parts.extend(values(node, env));
    if let (Kind::List, Some(Value::Array(items))) = (node.component.kind, node.value()) {
        parts.push(format!("{} items", items.len()));
    }
    parts.join(", ")
}

/// What a value has to satisfy, as `name=value`.
pub(super) fn constraints(node: &Node, component: &Component) -> Vec<String> {
    let all = component.attributes.iter().chain(&node.constraints);
    all.map(|(name, value)| match value {
        Value::String(text) => format!("{name}={text}"),
        other => format!("{name}={other}"),
    })
    .collect()
}

fn values(node: &StateNode<'_>, env: &Env<'_>) -> Option<String> {
    if is_union(node.node) {
        return None;
    }
    let known = match &node.items {
        Source::None => return None,
        Source::Blocked { .. } => return Some("suggestions once another field is set".to_owned()),
        Source::Url(_) | Source::Astray(_) => None,
        Source::Fixed(items) => return Some(fixed_values(items)),
        Source::List(list) if list.iter().any(Value::is_object) => None,
        Source::List(list) => {
            let known = node.component.items.as_ref().map(|it| options(it, list, env.context));
            known.filter(|known| known.rest == 0).map(|known| known.list)
        }
    };
    let listed = known.and_then(|known| closed_values(&known));
    Some(listed.map_or_else(|| "suggestions".to_owned(), |list| format!("values={list}")))
}

/// What a line says about values that the schema itself gives.
pub(super) fn fixed_values(items: &[Item]) -> String {
    let has_heading = items.iter().any(|item| item.value.is_none());
    let listed = closed_values(&fixed(items)).filter(|_| !has_heading);
    listed.map_or_else(|| "suggestions".to_owned(), |list| format!("values={list}"))
}

/// The values of a short list of scalars, with their titles where these say more.
pub(super) fn closed_values(known: &[Choosable]) -> Option<String> {
    let is_scalar = |option: &Choosable| {
        !matches!(option.value, Value::Null | Value::Array(_) | Value::Object(_))
    };
    if known.is_empty() || !known.iter().all(is_scalar) || known.len() > LONGEST_TITLED {
        return None;
    }
    let says_more =
        |option: &Choosable| plain(&option.value).to_lowercase() != option.title.to_lowercase();
    let values = || known.iter().map(|option| option.value.to_string());
    if known.iter().any(says_more) {
        let titled = known.iter().map(|option| {
            if says_more(option) {
                format!("{} ({})", option.value, option.title)
            } else {
                option.value.to_string()
            }
        });
        let text = format!("[{}]", titled.collect::<Vec<_>>().join(", "));
        if length(&text) <= LONGEST_TITLED {
            return Some(text);
        }
    }
    let text = format!("[{}]", values().collect::<Vec<_>>().join(","));
    (length(&text) <= LONGEST_PLAIN).then_some(text)
}

/// A scalar without the quotes of JSON.
pub(super) fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
