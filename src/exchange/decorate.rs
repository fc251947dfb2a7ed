//! What every upstream request carries besides what the tool asks for.
//!
//! Nothing propagates by itself: the caller's headers reach the API only when the operator lists
//! them in `forwardHeaders`; the request id and the W3C trace context always do.

use crate::config::Config;
use crate::http::{Headers, UpstreamRequest};
use crate::mcp::Trace;

const USER_AGENT: &str = concat!("openapi-mcp-filter/", env!("CARGO_PKG_VERSION"));

/// Adds the operator's headers, the request id, the trace context and the time limit.
///
/// Precedence, lowest first: the tool's own headers, `forwardHeaders`, `headers` of the upstream.
pub(super) fn decorate(
    request: &mut UpstreamRequest,
    caller: &Headers,
    trace: &Trace,
    config: &Config,
) {
    let fields = &mut request.headers;
    if let Some(upstream) = config.upstreams.iter().find(|u| u.name == request.upstream) {
        for name in &upstream.forward_headers {
            if let Some(value) = caller.get(name) {
                set(fields, name, value);
            }
        }
        for (name, value) in &upstream.headers {
            set(fields, name, value);
        }
        request.timeout.get_or_insert(upstream.timeout);
    }
    let context = [
        ("x-request-id", caller.get("x-request-id")),
        ("traceparent", trace.traceparent.as_deref()),
        ("tracestate", trace.tracestate.as_deref()),
        ("user-agent", Some(USER_AGENT)),
    ];
    for (name, value) in context {
        if let Some(value) = value
            && !fields.iter().any(|(field, _)| field == name)
        {
            fields.push((name.to_owned(), value.to_owned()));
        }
    }
}

/// Sets a field, in place of one of that name. A value with control characters is left out.
fn set(fields: &mut Vec<(String, String)>, name: &str, value: &str) {
    if value.chars().any(char::is_control) {
        return;
    }
    match fields.iter_mut().find(|(field, _)| field == name) {
        Some((_, current)) => value.clone_into(current),
        None => fields.push((name.to_owned(), value.to_owned())),
    }
}
