//! MCP on the wire: one Streamable HTTP request in, one reply or one tool call out.
//!
//! Two eras share one endpoint. From 2026-07-28 on every request carries its version in `_meta` and
//! in headers, which must agree. Before that a version is negotiated by `initialize`; the server is
//! stateless for those revisions too, no session is ever issued. JSON-RPC batches (2025-03-26 only)
//! are refused: no known client sends them, and each call in a batch would need its own upstream
//! request. Replies are single JSON objects, never event streams.
//!
//! [`gate()`] comes first, with the request's headers alone; the other functions rely on the `origin`
//! header having passed it.

mod cursor;
mod directory;
mod error;
mod gate;
mod header;
mod message;
mod methods;
mod modern;
mod origin;
mod reply;
mod revision;
mod trace;

use std::rc::Rc;
use std::time::Duration;

use serde_json::{Map, Value};

use crate::{
    http::{Headers, Reply},
    toolset::{OpenTool, ToolSet},
};
use error::Failure;
use message::Message;

pub use gate::gate;
pub use reply::{Envelope, reply};
pub use revision::Revision;
pub use trace::Trace;

/// What a request asks for.
#[derive(Debug)]
pub enum Received {
    /// Nothing more: this is the answer.
    Reply(Reply),
    /// A tool to be called; [`reply()`] writes the answer.
    Call(Box<ToolCall>),
    /// Nothing more: this is the answer of one of the tools that stand for all others.
    Found(Reply, Found),
}

/// A call of one of the tools that stand for all others, which sent nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Name of the tool.
    pub tool: String,
    /// The arguments were refused.
    pub is_refused: bool,
}

/// A call of a tool that exists.
#[derive(Debug)]
pub struct ToolCall {
    /// What the answer needs to know of the request.
    pub envelope: Envelope,
    /// The tool.
    pub tool: Rc<OpenTool>,
    /// The arguments as sent, not yet validated; objects have ECMAScript key order.
    pub arguments: Map<String, Value>,
    /// What the agent can do when the arguments are refused, besides correcting them.
    pub advice: Option<String>,
    /// Trace context for the upstream request.
    pub trace: Trace,
}

/// Reads one request to the MCP endpoint and answers everything but the call of a tool.
pub fn receive(headers: &Headers, body: &[u8], tools: &ToolSet) -> Received {
    let origin = header::origin(headers);
    let message = match message::read(body) {
        Ok(message) => message,
        Err(invalid) => return Received::Reply(invalid.failure.reply(invalid.id, origin)),
    };
    let reply = match &message {
        Message::Notification => modern::notification(headers)
            .map_or_else(|failure| failure.reply(None, origin), |()| reply::accepted(origin)),
        Message::Response => modern::response(headers)
            .map_or_else(|failure| failure.reply(None, origin), |()| reply::accepted(origin)),
        Message::Request(request) => match methods::answer(request, headers, tools) {
            Ok(methods::Answer::Result(result)) => reply::result(request.id, &result, origin),
            Ok(methods::Answer::Call(call)) => return Received::Call(call),
            Ok(methods::Answer::Found(result, found)) => {
                return Received::Found(reply::result(request.id, &result, origin), found);
            }
            Err(failure) => failure.reply(Some(request.id), origin),
        },
    };
    Received::Reply(reply)
}

/// The answer while no tool set can be served: HTTP 503 with `retry-after` in whole seconds, and the
/// id of the request where it can be read.
#[cold]
pub fn unavailable(headers: &Headers, body: &[u8], reason: &str, retry_after: Duration) -> Reply {
    let id = match message::read(body) {
        Ok(Message::Request(request)) => Some(request.id),
        Ok(Message::Notification | Message::Response) => None,
        Err(invalid) => invalid.id,
    };
    let mut reply = Failure::unavailable(reason).reply(id, header::origin(headers));
    let seconds = retry_after.as_secs() + u64::from(retry_after.subsec_nanos() > 0);
    reply.headers.push(("retry-after", seconds.max(1).to_string()));
    reply
}

/// The answer to a body of more than `limit` bytes: HTTP 413.
#[cold]
pub fn too_large(headers: &Headers, limit: usize) -> Reply {
    Failure::too_large(limit).reply(None, header::origin(headers))
}

#[cfg(test)]
mod tests;
