//! The request target: base path, path template and query in one string.

use std::borrow::Cow;

use serde_json::Value;

use super::{
    Bound, Place, content,
    escape::{self, Keep},
    style::{self, Pair},
};
use crate::{
    json::{Pointer, Problem},
    tool::{OperationPlan, Style},
};

/// Builds the request target; it always starts with the base path, and its path has the segments
/// of the template: no argument can add one or remove one.
pub(super) fn build(
    plan: &OperationPlan,
    bound: &[Bound<'_>],
    problems: &mut Vec<Problem>,
) -> String {
    let mut out = String::with_capacity(plan.base_path.len() + plan.path.len() + 32 * bound.len());
    let template = plan.path.split_once('#').map_or(plan.path.as_str(), |(path, _)| path);
    let (path, query) = template.split_once('?').unwrap_or((template, ""));
    out.push_str(&plan.base_path);
    for segment in without_dots(path.trim_start_matches('/')).split('/') {
        out.push('/');
        push_segment(&mut out, segment, bound, problems);
    }
    if !query.is_empty() {
        out.push('?');
        escape::push_literal_query(&mut out, query);
    }
    push_query(&mut out, !query.is_empty(), bound);
    out
}

/// The template without `.` and `..` segments, which cannot lead above the base path.
fn without_dots(path: &str) -> Cow<'_, str> {
    let suspicious = path.bytes().any(|byte| matches!(byte, b'.' | b'%'));
    if !suspicious || path.split('/').all(|segment| dots(segment) == 0) {
        return Cow::Borrowed(path);
    }
    let mut kept = Vec::new();
    let mut segments = path.split('/').peekable();
    while let Some(segment) = segments.next() {
        match dots(segment) {
            0 => kept.push(segment),
            1 => {}
            _ => drop(kept.pop()),
        }
        if dots(segment) > 0 && segments.peek().is_none() {
            kept.push("");
        }
    }
    Cow::Owned(kept.join("/"))
}

/// How many dots a path segment consists of, 0 when it is not `.` or `..`; servers may decode it
/// first, or drop what follows a `;`.
fn dots(segment: &str) -> usize {
    if !matches!(segment.as_bytes().first(), Some(b'.' | b'%')) {
        return 0;
    }
    let name = segment.split_once(';').map_or(segment, |(name, _)| name);
    if name.len() > "%2e%2e".len() {
        return 0;
    }
    match name.to_ascii_lowercase().replace("%2e", ".").as_str() {
        "." => 1,
        ".." => 2,
        _ => 0,
    }
}

/// Appends one segment of the template with its values.
fn push_segment(out: &mut String, segment: &str, bound: &[Bound<'_>], problems: &mut Vec<Problem>) {
    let (start, known) = (out.len(), problems.len());
    let mut rest = segment;
    let mut last = None;
    while let Some((literal, name, after)) = placeholder(rest) {
        escape::push_literal(out, literal);
        rest = after;
        let Some(parameter) =
            bound.iter().find(|b| b.plan.place == Place::Path && b.plan.name == name)
        else {
            let at = Pointer::root().join(name);
            problems.push(Problem::new(at, "the path needs a value here and got none"));
            continue;
        };
        push_value(out, parameter, problems);
        last = Some(parameter);
    }
    escape::push_literal(out, rest);
    let written = out.get(start..).unwrap_or_default();
    if let Some(parameter) = last
        && problems.len() == known
        && (written.is_empty() || dots(written) > 0)
    {
        problems.push(parameter.problem("must not make a path segment empty, `.` or `..`"));
    }
}

/// Splits at the first `{name}`.
fn placeholder(text: &str) -> Option<(&str, &str, &str)> {
    let (literal, tail) = text.split_once('{')?;
    let (name, after) = tail.split_once('}')?;
    Some((literal, name, after))
}

fn push_value(out: &mut String, parameter: &Bound<'_>, problems: &mut Vec<Problem>) {
    let plan = parameter.plan;
    if is_hazard(&parameter.value) {
        problems.push(parameter.problem("must not be `.` or `..` or hold them as a path segment"));
    }
    if parameter.value.as_str() == Some("") && plan.style != Style::Matrix {
        problems.push(parameter.problem("must not be empty, it is part of the path"));
    }
    let keep = if plan.allow_reserved { Keep::Segment } else { Keep::Unreserved };
    if let Some(media_type) = &plan.content {
        escape::push(out, &content(media_type, &parameter.value), keep);
    } else {
        style::push_segment(out, &plan.name, plan.style, plan.explode, &parameter.value, keep);
    }
}

/// Whether a server that decodes before it splits the path could take a text as `..`.
fn is_hazard(value: &Value) -> bool {
    match value {
        Value::String(text) => {
            text.as_bytes().contains(&b'.')
                && text.split(['/', '\\']).any(|part| matches!(part, "." | ".."))
        }
        Value::Array(items) => items.iter().any(is_hazard),
        Value::Object(members) => members.values().any(is_hazard),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// Appends the query in binding order.
fn push_query(out: &mut String, mut started: bool, bound: &[Bound<'_>]) {
    for parameter in bound {
        let plan = parameter.plan;
        let keep = if plan.allow_reserved { Keep::Query } else { Keep::Form };
        let mut pair = |pair: Pair<'_>| {
            out.push(if std::mem::replace(&mut started, true) { '&' } else { '?' });
            pair.push_name(out, Keep::Form);
            out.push('=');
            pair.push_value(out, keep);
        };
        match (plan.place, &plan.content) {
            (Place::Query, None) => {
                style::pairs(&plan.name, plan.style, plan.explode, &parameter.value, &mut pair);
            }
            (Place::Query, Some(media_type)) => pair(Pair {
                name: &plan.name,
                keys: &[],
                atoms: &[content(media_type, &parameter.value)],
                delimiter: ',',
            }),
            (Place::Querystring, media_type) => {
                let form = media_type.as_deref().is_none_or(super::body::is_form);
                if form && parameter.value.is_object() {
                    style::pairs("", Style::Form, true, &parameter.value, &mut pair);
                } else {
                    out.push(if std::mem::replace(&mut started, true) { '&' } else { '?' });
                    let media_type = media_type.as_deref().unwrap_or_default();
                    escape::push(out, &content(media_type, &parameter.value), Keep::Unreserved);
                }
            }
            (Place::Path | Place::Header | Place::Cookie, _) => {}
        }
    }
}
