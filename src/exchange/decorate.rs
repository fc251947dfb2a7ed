//! What every upstream request carries besides what the tool asks for.
//!
//! Nothing propagates by itself: the caller's headers reach the API only when the operator lists
//! them in `forwardHeaders`; the request id and the W3C trace context always do.

use std::borrow::Cow;

use super::credentials::Secrets;
use crate::config::Upstream;
use crate::http::{Field, Headers, UpstreamRequest};
use crate::mcp::Trace;
use crate::tool::CredentialPlan;

const USER_AGENT: &str = concat!("openapi-mcp-filter/", env!("CARGO_PKG_VERSION"));

/// An API behind the same gateway answers fastest without compression. Without the field it could
/// choose one that cannot be read here.
const ACCEPT_ENCODING: &str = "identity";

/// Adds the operator's headers, the credentials, the request id, the trace context and the time
/// limit. Returns what must not be shown.
///
/// Precedence, lowest first: the tool's own headers, `forwardHeaders`, `headers` of the upstream,
/// its `credentials`.
pub(super) fn decorate(
    request: &mut UpstreamRequest,
    credentials: &[Vec<CredentialPlan>],
    caller: &Headers,
    trace: &Trace,
    upstream: Option<&Upstream>,
) -> Secrets {
    let mut secrets = Secrets::default();
    if let Some(upstream) = upstream {
        for name in &upstream.forward_headers {
            if let Some(value) = caller.get(name) {
                set(&mut request.headers, name, value);
            }
        }
        for (name, value) in &upstream.headers {
            set(&mut request.headers, name, value);
        }
        secrets = super::credentials::add(request, credentials, caller, upstream);
        request.timeout.get_or_insert(upstream.timeout);
    }
    let fields = &mut request.headers;
    add(fields, "x-request-id", caller.get("x-request-id").map(owned));
    add(fields, "traceparent", trace.traceparent.as_deref().map(owned));
    add(fields, "tracestate", trace.tracestate.as_deref().map(owned));
    add(fields, "user-agent", Some(Cow::Borrowed(USER_AGENT)));
    add(fields, "accept-encoding", Some(Cow::Borrowed(ACCEPT_ENCODING)));
    secrets
}

fn owned(text: &str) -> Cow<'static, str> {
    Cow::Owned(text.to_owned())
}

/// Adds a field where there is none of that name.
fn add(fields: &mut Vec<Field>, name: &'static str, value: Option<Cow<'static, str>>) {
    if let Some(value) = value
        && !fields.iter().any(|(field, _)| field == name)
    {
        fields.push((Cow::Borrowed(name), value));
    }
}

/// Sets a field, in place of one of that name. A value with control characters is left out.
pub(super) fn set(fields: &mut Vec<Field>, name: &str, value: &str) {
    if value.chars().any(char::is_control) {
        return;
    }
    match fields.iter_mut().find(|(field, _)| field == name) {
        Some((_, current)) => *current = owned(value),
        None => fields.push((owned(name), owned(value))),
    }
}
