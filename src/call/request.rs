//! The one upstream request of a tool call (OpenAPI 3.0–3.2 Parameter and Request Body Objects).
//!
//! Arguments can fill in the places the plan gives them and nothing else: they never change the
//! target's scheme, host, base path or number of path segments, never end a query value or header
//! field early, and never set a header field that belongs to the connection or the gateway.

mod body;
mod escape;
mod form;
mod headers;
mod multipart;
mod style;
mod target;

use std::borrow::Cow;

use serde_json::{Map, Value};

use crate::{
    http::{UpstreamRequest, common},
    json::{Pointer, Problem},
    media::{Coding, coding},
    tool::{OperationPlan, ParameterPlan, Place, Source},
};

/// Builds the upstream request from arguments that were checked
/// ([`crate::call::arguments::check`]).
///
/// Query values are written as `application/x-www-form-urlencoded` (a space is `+`), path values
/// with everything but unreserved characters encoded, header values as they are in UTF-8. A `null`
/// argument counts as absent, except inside a body.
///
/// # Errors
/// Every value that cannot be sent safely where it belongs, by its place in the arguments: path
/// values that would empty or leave their segment, control characters in headers, cookie values
/// that need escaping, binary values that are not base64.
pub fn build(
    plan: &OperationPlan,
    arguments: &Map<String, Value>,
) -> Result<UpstreamRequest, Vec<Problem>> {
    let mut problems = Vec::new();
    let bound: Vec<Bound<'_>> =
        plan.parameters.iter().filter_map(|p| Bound::new(p, arguments)).collect();
    let path = target::build(plan, &bound, &mut problems);
    let body = plan.body.as_ref().map(|body| body.chosen(arguments));
    let body = body.and_then(|body| body::build(body, arguments, &mut problems));
    let (content_type, body) = body.unzip();
    let headers = headers::build(&plan.response.accept, content_type, &bound, &mut problems);
    if problems.is_empty() {
        Ok(UpstreamRequest {
            upstream: plan.upstream.clone(),
            server: plan.server.clone(),
            method: common(&plan.method),
            path,
            headers,
            body,
            timeout: None,
        })
    } else {
        Err(problems)
    }
}

/// A parameter with the value it gets in this call.
struct Bound<'a> {
    plan: &'a ParameterPlan,
    value: Cow<'a, Value>,
}

impl<'a> Bound<'a> {
    /// Binds a parameter; `None` when nothing is to be sent for it.
    fn new(plan: &'a ParameterPlan, arguments: &'a Map<String, Value>) -> Option<Self> {
        let value = match &plan.source {
            Source::Argument(name) => Cow::Borrowed(arguments.get(name).filter(|v| !v.is_null())?),
            Source::Fixed(value) => fixed(value),
            Source::Selection { argument, fallback } => {
                match (arguments.get(argument).filter(|v| selects(v)), fallback) {
                    (Some(selected), _) => Cow::Borrowed(selected),
                    (None, fallback) => fixed(fallback.as_ref()?),
                }
            }
        };
        Some(Self { plan, value })
    }

    /// A problem with the value, at the argument it came from.
    #[cold]
    fn problem(&self, message: &str) -> Problem {
        let name = match &self.plan.source {
            Source::Argument(argument) | Source::Selection { argument, .. } => argument,
            Source::Fixed(_) => &self.plan.name,
        };
        Problem::new(Pointer::root().join(name), message)
    }
}

/// A fixed value: `null` was written on purpose and is sent as text.
fn fixed(value: &Value) -> Cow<'_, Value> {
    if value.is_null() { Cow::Owned(Value::from("null")) } else { Cow::Borrowed(value) }
}

/// Whether a value of the generated projection argument selects anything.
fn selects(value: &Value) -> bool {
    !value.is_null() && value.as_array().is_none_or(|fields| !fields.is_empty())
}

/// The text of a `content` value: JSON for JSON media types and structures, else the scalar.
#[cold]
fn content<'v>(media_type: &str, value: &'v Value) -> Cow<'v, str> {
    match value {
        Value::Array(_) | Value::Object(_) => Cow::Owned(value.to_string()),
        _ if coding(media_type) == Coding::Json => Cow::Owned(value.to_string()),
        _ => style::flat(value),
    }
}

#[cfg(test)]
mod tests;
