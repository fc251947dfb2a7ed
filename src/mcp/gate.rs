//! What the head of an HTTP request decides, before its body is read (MCP 2026-07-28
//! `basic/transports`).

use super::{
    error::Failure,
    header::{Field, field, origin},
    origin, reply,
};
use crate::{
    http::{Headers, Reply},
    media::essence,
};

const JSON: &str = "application/json";
/// Request headers that pages may always send.
const ALLOWED_HEADERS: &str = "accept, authorization, content-type, mcp-method, mcp-name, \
    mcp-protocol-version, traceparent, tracestate, baggage";

/// Lets a POST of JSON from an accepted origin pass.
///
/// `headers` include `:method` and `:authority` or `host`; `origins` are the origins that are
/// accepted besides loopback ones on a loopback host.
///
/// # Errors
/// With the whole reply: 403 for other origins, 204 for a preflight request, 405 with `allow` for
/// other methods, 415 for other media types, 406 when the client takes neither JSON nor an event
/// stream.
pub fn gate(headers: &Headers, origins: &[String]) -> Result<(), Reply> {
    if !origin::is_accepted(headers, origins) {
        return Err(
            Failure::request(403, "requests from this origin are not accepted").reply(None, None)
        );
    }
    let refuse =
        |status, message: &str| Failure::request(status, message).reply(None, origin(headers));
    match headers.get(":method") {
        Some("POST") => {}
        Some("OPTIONS") if is_preflight(headers) => return Err(preflight(headers)),
        _ => {
            let mut reply = refuse(405, "only POST is accepted here");
            reply.headers.push(("allow", "POST".to_owned()));
            reply.headers.push(("cache-control", "no-store".to_owned()));
            return Err(reply);
        }
    }
    if !is_json(headers) {
        return Err(refuse(415, "the content type must be application/json"));
    }
    if !takes_answer(headers) {
        return Err(refuse(406, "the client must accept application/json"));
    }
    Ok(())
}

fn is_json(headers: &Headers) -> bool {
    let Field::Text(value) = field(headers, "content-type") else { return false };
    value == JSON || essence(value).eq_ignore_ascii_case(JSON)
}

/// Whether the client takes JSON, an event stream, or says nothing about it.
fn takes_answer(headers: &Headers) -> bool {
    let mut silent = true;
    for value in headers.all("accept") {
        for range in value.split(|&byte| byte == b',').map(<[u8]>::trim_ascii) {
            let range = std::str::from_utf8(range).unwrap_or_default();
            if takes(range) {
                return true;
            }
            silent &= range.is_empty();
        }
    }
    silent
}

fn takes(range: &str) -> bool {
    if range == JSON {
        return true;
    }
    let known = [JSON, "text/event-stream", "application/*", "text/*", "*/*"];
    let refused = range.split(';').skip(1).any(|parameter| {
        let weight = parameter.trim().strip_prefix(['q', 'Q']).and_then(|w| w.strip_prefix('='));
        weight.is_some_and(|weight| weight.bytes().all(|byte| matches!(byte, b'0' | b'.')))
    });
    !refused && known.iter().any(|known| essence(range).eq_ignore_ascii_case(known))
}

fn is_preflight(headers: &Headers) -> bool {
    origin(headers).is_some() && headers.get("access-control-request-method").is_some()
}

/// The page is accepted, so it may send every header that it asks for: `Mcp-Param-*` and the ones
/// that the operator forwards cannot be listed here.
#[cold]
fn preflight(headers: &Headers) -> Reply {
    let mut allowed = ALLOWED_HEADERS.to_owned();
    let asked = headers.get("access-control-request-headers").unwrap_or_default();
    for name in asked.split(',').map(str::trim).filter(|name| is_token(name)) {
        if !ALLOWED_HEADERS.split(", ").any(|known| known.eq_ignore_ascii_case(name)) {
            allowed.push_str(", ");
            allowed.push_str(name);
        }
    }
    let mut reply = Reply { status: 204, headers: Vec::new(), body: Vec::new() };
    reply::allow_origin(&mut reply, origin(headers));
    reply.headers.extend([
        ("access-control-allow-methods", "POST".to_owned()),
        ("access-control-allow-headers", allowed),
        ("access-control-max-age", "7200".to_owned()),
    ]);
    reply
}

/// A header name (RFC 9110 §5.6.2).
fn is_token(name: &str) -> bool {
    !name.is_empty()
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}
