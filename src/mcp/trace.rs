//! Trace context of a call (W3C Trace Context level 1, W3C Baggage; MCP 2026-07-28 `_meta`).

use super::{
    cursor,
    header::{Field, field},
    message::RequestMeta,
};
use crate::http::Headers;

/// Longest `tracestate` that is passed on, in bytes.
const MAX_STATE: usize = 512;
/// Longest `baggage` that is passed on, in bytes.
const MAX_BAGGAGE: usize = 8192;

/// Trace context for the upstream request; what is not well-formed is left out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Trace {
    /// `traceparent`.
    pub traceparent: Option<String>,
    /// `tracestate`; only with the `traceparent` that it came with.
    pub tracestate: Option<String>,
    /// `baggage`.
    pub baggage: Option<String>,
}

impl Trace {
    /// The context in `_meta`, else the one in the headers.
    pub(super) fn read(meta: &RequestMeta<'_>, headers: &Headers) -> Self {
        let is_sent = |name| headers.get_bytes(name).is_some();
        let is_traced = meta.traceparent.is_some() || is_sent("traceparent");
        if is_traced || meta.baggage.is_some() || is_sent("baggage") {
            Self::read_some(meta, headers)
        } else {
            Self::default()
        }
    }

    fn read_some(meta: &RequestMeta<'_>, headers: &Headers) -> Self {
        let stated = |raw: Option<&str>| raw.and_then(cursor::string).map(String::from);
        let sent = |name| match field(headers, name) {
            Field::Text(text) => Some(text.to_owned()),
            Field::Absent | Field::Invalid => None,
        };
        let (traceparent, tracestate) = match stated(meta.traceparent)
            .filter(|text| is_traceparent(text))
        {
            Some(parent) => (Some(parent), stated(meta.tracestate)),
            None => (sent("traceparent").filter(|text| is_traceparent(text)), sent("tracestate")),
        };
        let tracestate =
            tracestate.filter(|text| traceparent.is_some() && is_list(text, MAX_STATE));
        let baggage = [stated(meta.baggage), sent("baggage")]
            .into_iter()
            .flatten()
            .find(|text| is_list(text, MAX_BAGGAGE));
        Self { traceparent, tracestate, baggage }
    }
}

/// `version "-" trace-id "-" parent-id "-" flags`, lower-case hexadecimal, ids not all zero.
fn is_traceparent(text: &str) -> bool {
    let mut parts = text.split('-');
    let mut hex = |length: usize| {
        parts.next().filter(|part| {
            part.len() == length
                && part.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
        })
    };
    let [version, trace, parent, flags] = [hex(2), hex(32), hex(16), hex(2)];
    let nonzero = |part: Option<&str>| part.is_some_and(|part| part.bytes().any(|b| b != b'0'));
    let known = match version {
        None | Some("ff") => false,
        Some("00") => parts.next().is_none(),
        Some(_) => true,
    };
    known && nonzero(trace) && nonzero(parent) && flags.is_some()
}

/// A list of `key=value` members in printable ASCII.
fn is_list(text: &str, limit: usize) -> bool {
    let printable = text.bytes().all(|byte| matches!(byte, b' '..=b'~'));
    let members = || text.split(',').map(str::trim).filter(|member| !member.is_empty());
    let well_formed = |member: &str| {
        member.split_once('=').is_some_and(|(key, _)| {
            !key.is_empty() && !key.trim_end().contains([' ', '"', '\\', ';'])
        })
    };
    text.len() <= limit && printable && members().all(well_formed) && members().next().is_some()
}
