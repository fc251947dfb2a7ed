//! The request target: base path, path template and query in one string.

use serde_json::Value;

use super::{
    Bound, Place, content,
    escape::{self, Keep},
    style::{self, Pair},
};
use crate::{
    json::{Pointer, Problem},
    tool::{
        OperationPlan, Style,
        template::{Segment, dots},
    },
};

/// Builds the request target; it always starts with the base path, and its path has the segments
/// of the template: no argument can add one or remove one.
pub(super) fn build(
    plan: &OperationPlan,
    bound: &[Bound<'_>],
    problems: &mut Vec<Problem>,
) -> String {
    let template = &plan.path;
    let mut out = String::with_capacity(plan.base_path.len() + template.len() + 32 * bound.len());
    out.push_str(&plan.base_path);
    for segment in &template.segments {
        push_segment(&mut out, segment, bound, problems);
    }
    out.push_str(&template.rest);
    push_query(&mut out, template.has_query, bound);
    out
}

/// Appends one segment of the template with its values.
fn push_segment(
    out: &mut String,
    segment: &Segment,
    bound: &[Bound<'_>],
    problems: &mut Vec<Problem>,
) {
    out.push_str(&segment.lead);
    let (start, known) = (out.len(), problems.len());
    let mut last = None;
    for (literal, name) in &segment.pieces {
        out.push_str(literal);
        let Some(parameter) =
            bound.iter().find(|b| b.plan.place == Place::Path && b.plan.name == *name)
        else {
            let at = Pointer::root().join(name);
            problems.push(Problem::new(at, "the path needs a value here and got none"));
            continue;
        };
        push_value(out, parameter, problems);
        last = Some(parameter);
    }
    out.push_str(&segment.rest);
    let written = out.get(start..).unwrap_or_default();
    if let Some(parameter) = last
        && problems.len() == known
        && (written.is_empty() || dots(written) > 0)
    {
        problems.push(parameter.problem("must not make a path segment empty, `.` or `..`"));
    }
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
