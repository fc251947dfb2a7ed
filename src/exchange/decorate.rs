//! What every upstream request carries besides what the tool asks for.
//!
//! Nothing propagates by itself: the caller's headers reach the API only when the operator lists
//! them in `forwardHeaders`; the request id and the W3C trace context always do.

use super::credentials::Secrets;
use crate::config::Upstream;
use crate::http::{Headers, UpstreamRequest};
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
    let context = [
        ("x-request-id", caller.get("x-request-id")),
        ("traceparent", trace.traceparent.as_deref()),
        ("tracestate", trace.tracestate.as_deref()),
        ("user-agent", Some(USER_AGENT)),
        ("accept-encoding", Some(ACCEPT_ENCODING)),
    ];
    for (name, value) in context {
        if let Some(value) = value
            && !fields.iter().any(|(field, _)| field == name)
        {
            fields.push((name.to_owned(), value.to_owned()));
        }
    }
    secrets
}

/// Sets a field, in place of one of that name. A value with control characters is left out.
pub(super) fn set(fields: &mut Vec<(String, String)>, name: &str, value: &str) {
    if value.chars().any(char::is_control) {
        return;
    }
    match fields.iter_mut().find(|(field, _)| field == name) {
        Some((_, current)) => value.clone_into(current),
        None => fields.push((name.to_owned(), value.to_owned())),
    }
}
