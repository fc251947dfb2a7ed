//! Values in the styles of OpenAPI (3.1 §4.8.12.3 and 3.2 “Style Values”; RFC 6570).
//!
//! The styles are defined for scalars, arrays of scalars and objects of scalars. What is nested
//! deeper is written by one rule: an array of scalars as its elements joined with commas, anything
//! else as JSON text; both are then data, not delimiters. `deepObject` nests objects as
//! `name[a][b]` and repeats arrays. Null members are left out (RFC 6570 §2.3).

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::escape::{self, Keep};
use crate::tool::Style;

/// One `name=value` of a query, cookie or form.
pub(super) struct Pair<'a> {
    /// Name before any brackets.
    pub name: &'a str,
    /// Keys in brackets after the name (`deepObject`).
    pub keys: &'a [&'a str],
    /// The value in pieces.
    pub atoms: &'a [Cow<'a, str>],
    /// What stands between the pieces: `,`, ` ` or `|`.
    pub delimiter: char,
}

impl Pair<'_> {
    /// Appends the name with its brackets.
    pub(super) fn push_name(&self, out: &mut String, keep: Keep) {
        escape::push(out, self.name, keep);
        for key in self.keys {
            escape::push(out, "[", keep);
            escape::push(out, key, keep);
            escape::push(out, "]", keep);
        }
    }

    /// Appends the value.
    pub(super) fn push_value(&self, out: &mut String, keep: Keep) {
        for (position, atom) in self.atoms.iter().enumerate() {
            if position > 0 {
                out.push_str(delimiter(self.delimiter, keep));
            }
            escape::push(out, atom, keep);
        }
    }
}

/// A delimiter as it is written: a comma is never encoded, a space or bar must be in a URL.
fn delimiter(delimiter: char, keep: Keep) -> &'static str {
    match (delimiter, keep) {
        (' ', Keep::All) => " ",
        (' ', _) => "%20",
        ('|', Keep::All) => "|",
        ('|', _) => "%7C",
        _ => ",",
    }
}

/// Hands the pairs of a query, cookie or form value to `sink`, in order.
pub(super) fn pairs(
    name: &str,
    style: Style,
    explode: bool,
    value: &Value,
    sink: &mut dyn FnMut(Pair<'_>),
) {
    let delimiter = match style {
        Style::SpaceDelimited => ' ',
        Style::PipeDelimited => '|',
        _ => ',',
    };
    let mut emit = |name: &str, atoms: &[Cow<'_, str>]| {
        sink(Pair { name, keys: &[], atoms, delimiter });
    };
    match value {
        Value::Null => {}
        Value::Object(_) if style == Style::DeepObject => deep(name, &mut Vec::new(), value, sink),
        Value::Object(members) if explode => {
            members.iter().filter(is_present).for_each(|(key, member)| emit(key, &[flat(member)]));
        }
        Value::Object(members) => emit(name, &alternating(members)),
        Value::Array(items) if explode || style == Style::DeepObject => {
            items.iter().filter(|item| !item.is_null()).for_each(|item| emit(name, &[flat(item)]));
        }
        Value::Array(items) => emit(name, &elements(items)),
        Value::Bool(_) | Value::Number(_) | Value::String(_) => emit(name, &[flat(value)]),
    }
}

/// `deepObject`: one pair for every leaf.
#[cold]
fn deep<'v>(name: &str, keys: &mut Vec<&'v str>, value: &'v Value, sink: &mut dyn FnMut(Pair<'_>)) {
    match value {
        Value::Null => {}
        Value::Object(members) => {
            for (key, member) in members {
                keys.push(key);
                deep(name, keys, member, sink);
                keys.pop();
            }
        }
        Value::Array(items) => {
            for item in items.iter().filter(|item| !item.is_null()) {
                sink(Pair { name, keys, atoms: &[flat(item)], delimiter: ',' });
            }
        }
        Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            sink(Pair { name, keys, atoms: &[flat(value)], delimiter: ',' });
        }
    }
}

/// Appends a path or header value in style `simple`, `label` or `matrix`.
pub(super) fn push_segment(
    out: &mut String,
    name: &str,
    style: Style,
    explode: bool,
    value: &Value,
    keep: Keep,
) {
    let (prefix, separator) = match style {
        Style::Label => (".", if explode { "." } else { "," }),
        Style::Matrix => (";", if explode { ";" } else { "," }),
        _ => ("", ","),
    };
    out.push_str(prefix);
    let named = style == Style::Matrix;
    match value {
        Value::Object(members) if explode => {
            push_members(out, members, separator, keep);
        }
        Value::Array(items) if explode && named => {
            push_repeated(out, name, &elements(items), keep);
        }
        Value::Array(items) => {
            push_matrix_name(out, name, named, false, keep);
            push_joined(out, &elements(items), separator, keep);
        }
        Value::Object(members) => {
            push_matrix_name(out, name, named, false, keep);
            push_joined(out, &alternating(members), ",", keep);
        }
        _ => {
            let text = flat(value);
            push_matrix_name(out, name, named, text.is_empty(), keep);
            escape::push(out, &text, keep);
        }
    }
}

#[cold]
fn push_matrix_name(out: &mut String, name: &str, named: bool, bare: bool, keep: Keep) {
    if named {
        escape::push(out, name, keep);
        out.push_str(if bare { "" } else { "=" });
    }
}

fn push_joined(out: &mut String, atoms: &[Cow<'_, str>], separator: &str, keep: Keep) {
    for (position, atom) in atoms.iter().enumerate() {
        out.push_str(if position > 0 { separator } else { "" });
        escape::push(out, atom, keep);
    }
}

fn push_repeated(out: &mut String, name: &str, atoms: &[Cow<'_, str>], keep: Keep) {
    for (position, atom) in atoms.iter().enumerate() {
        out.push_str(if position > 0 { ";" } else { "" });
        push_matrix_name(out, name, true, atom.is_empty(), keep);
        escape::push(out, atom, keep);
    }
}

#[cold]
fn push_members(out: &mut String, members: &Map<String, Value>, separator: &str, keep: Keep) {
    for (position, (key, member)) in members.iter().filter(is_present).enumerate() {
        out.push_str(if position > 0 { separator } else { "" });
        escape::push(out, key, keep);
        out.push('=');
        escape::push(out, &flat(member), keep);
    }
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "the shape `Iterator::filter` needs")]
fn is_present(member: &(&String, &Value)) -> bool {
    !member.1.is_null()
}

fn elements(items: &[Value]) -> Vec<Cow<'_, str>> {
    items.iter().filter(|item| !item.is_null()).map(flat).collect()
}

/// Keys and values of an object, alternating.
fn alternating(members: &Map<String, Value>) -> Vec<Cow<'_, str>> {
    members
        .iter()
        .filter(is_present)
        .flat_map(|(key, member)| [Cow::Borrowed(key.as_str()), flat(member)])
        .collect()
}

/// The text of one value inside a flat style.
pub(super) fn flat(value: &Value) -> Cow<'_, str> {
    match value {
        Value::String(text) => Cow::Borrowed(text),
        Value::Number(number) => Cow::Borrowed(number.as_str()),
        Value::Bool(true) => Cow::Borrowed("true"),
        Value::Bool(false) => Cow::Borrowed("false"),
        Value::Null => Cow::Borrowed("null"),
        Value::Array(items) if items.iter().all(is_scalar) => Cow::Owned(elements(items).join(",")),
        Value::Array(_) | Value::Object(_) => Cow::Owned(value.to_string()),
    }
}

fn is_scalar(value: &Value) -> bool {
    !matches!(value, Value::Array(_) | Value::Object(_))
}
