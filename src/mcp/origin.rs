//! Which web pages may talk to the endpoint: the defence against DNS rebinding
//! (MCP 2026-07-28 `basic/transports`, security).

use std::net::{Ipv4Addr, Ipv6Addr};

use super::header::{Field, field};
use crate::http::Headers;

/// Whether the request comes from an accepted page or from no page at all.
///
/// Matching Host and Origin prove nothing: a rebinding attack sends both.
pub(super) fn is_accepted(headers: &Headers, allowed: &[String]) -> bool {
    match field(headers, "origin") {
        Field::Absent => true,
        Field::Invalid => false,
        Field::Text(origin) => {
            allowed.iter().any(|other| other == origin)
                || (is_loopback_origin(origin) && is_loopback_host(headers))
        }
    }
}

fn is_loopback_origin(origin: &str) -> bool {
    let authority = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
    authority.is_some_and(is_loopback)
}

fn is_loopback_host(headers: &Headers) -> bool {
    let named = match field(headers, ":authority") {
        Field::Absent => field(headers, "host"),
        other => other,
    };
    matches!(named, Field::Text(authority) if is_loopback(authority))
}

/// Whether `host[:port]` is `localhost` or an address of this machine.
fn is_loopback(authority: &str) -> bool {
    if let Some(rest) = authority.strip_prefix('[') {
        return rest.split_once(']').is_some_and(|(address, port)| {
            is_port(port) && address.parse().is_ok_and(|address: Ipv6Addr| address.is_loopback())
        });
    }
    let (host, port) = authority.split_at(authority.find(':').unwrap_or(authority.len()));
    is_port(port)
        && (host.eq_ignore_ascii_case("localhost")
            || host.parse().is_ok_and(|address: Ipv4Addr| address.is_loopback()))
}

/// Nothing, or a colon and a port.
fn is_port(text: &str) -> bool {
    match text.strip_prefix(':') {
        Some(port) => port.bytes().all(|byte| byte.is_ascii_digit()) && port.parse::<u16>().is_ok(),
        None => text.is_empty(),
    }
}
