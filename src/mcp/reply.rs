//! Replies, written straight to bytes.

use std::rc::Rc;

use serde_json::Value;

use super::Revision;
use crate::{
    http::Reply,
    media::essence,
    tool::{Content, ToolResult},
    toolset::{Family, Lifetime, OpenTool, ToolSet, push_blob, push_text},
};

/// What the answer to a tool call needs to know of the request.
#[derive(Debug, Clone)]
pub struct Envelope {
    id: String,
    revision: Revision,
    wraps_result: bool,
    closing: Rc<[u8]>,
    origin: Option<String>,
}

impl Envelope {
    /// The id of the request as JSON text: a string or an integer.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The revision that the client speaks.
    pub fn revision(&self) -> Revision {
        self.revision
    }

    pub(super) fn new(
        id: &str,
        revision: Revision,
        tool: &OpenTool,
        tools: &ToolSet,
        origin: Option<&str>,
    ) -> Self {
        Self {
            id: id.to_owned(),
            revision,
            wraps_result: tool.wraps_result,
            closing: Rc::clone(tools.closing(revision.family(), Lifetime::Unsaid)),
            origin: origin.map(str::to_owned),
        }
    }
}

/// Writes what a tool returned for the revision of the request (MCP `CallToolResult`).
pub fn reply(envelope: &Envelope, result: ToolResult) -> Reply {
    let mut out = Vec::with_capacity(capacity(&result) + envelope.closing.len());
    open(&mut out, &envelope.id);
    out.extend_from_slice(b"{\"content\":[");
    for (index, block) in result.content.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        push_content(&mut out, block);
    }
    out.push(b']');
    if let Some(value) = &result.structured {
        push_structured(&mut out, value, envelope);
    }
    if result.is_error {
        out.extend_from_slice(b",\"isError\":true");
    }
    out.extend_from_slice(&envelope.closing);
    out.push(b'}');
    json(200, out, envelope.origin.as_deref())
}

/// The reply with a finished `result` object.
pub(super) fn result(id: &str, result: &[u8], origin: Option<&str>) -> Reply {
    let mut out = Vec::with_capacity(result.len() + id.len() + 40);
    open(&mut out, id);
    out.extend_from_slice(result);
    out.push(b'}');
    json(200, out, origin)
}

/// The reply to a notification or a response: nothing.
#[cold]
pub(super) fn accepted(origin: Option<&str>) -> Reply {
    let mut reply = Reply { status: 202, headers: Vec::new(), body: Vec::new() };
    allow_origin(&mut reply, origin);
    reply
}

/// A reply with a JSON body.
pub(super) fn json(status: u16, body: Vec<u8>, origin: Option<&str>) -> Reply {
    let content_type = ("content-type", "application/json".to_owned());
    let mut reply = Reply { status, headers: vec![content_type], body };
    allow_origin(&mut reply, origin);
    reply
}

/// Lets the page of an accepted origin read a reply (Fetch, CORS protocol).
pub(super) fn allow_origin(reply: &mut Reply, origin: Option<&str>) {
    if let Some(origin) = origin {
        reply.headers.push(("access-control-allow-origin", origin.to_owned()));
        reply.headers.push(("vary", "Origin".to_owned()));
    }
}

fn open(out: &mut Vec<u8>, id: &str) {
    out.extend_from_slice(b"{\"jsonrpc\":\"2.0\",\"id\":");
    out.extend_from_slice(id.as_bytes());
    out.extend_from_slice(b",\"result\":");
}

/// Bytes that the reply will have, roughly: text with a few escapes, Base64, the rest.
fn capacity(result: &ToolResult) -> usize {
    let size = |block: &Content| match block {
        Content::Text(text) => text.len() + text.len() / 8 + 32,
        Content::Image { data, .. } | Content::Audio { data, .. } => data.len() / 3 * 4 + 96,
        Content::Resource { data, uri, .. } => data.len() / 3 * 4 + uri.len() + 128,
    };
    result.content.iter().map(size).sum::<usize>() + 128
}

fn push_content(out: &mut Vec<u8>, block: &Content) {
    match block {
        Content::Text(text) => {
            out.extend_from_slice(b"{\"type\":\"text\",\"text\":");
            push_text(out, text);
            out.push(b'}');
        }
        Content::Image { data, mime_type } => push_media(out, "image", data, mime_type),
        Content::Audio { data, mime_type } => push_media(out, "audio", data, mime_type),
        Content::Resource { uri, mime_type, data } => push_resource(out, uri, mime_type, data),
    }
}

#[cold]
fn push_media(out: &mut Vec<u8>, kind: &str, data: &[u8], mime_type: &str) {
    out.extend_from_slice(b"{\"type\":\"");
    out.extend_from_slice(kind.as_bytes());
    out.extend_from_slice(b"\",\"mimeType\":");
    push_text(out, mime_type);
    out.extend_from_slice(b",\"data\":");
    push_blob(out, data);
    out.push(b'}');
}

#[cold]
fn push_resource(out: &mut Vec<u8>, uri: &str, mime_type: &str, data: &[u8]) {
    out.extend_from_slice(b"{\"type\":\"resource\",\"resource\":{\"uri\":");
    push_text(out, uri);
    out.extend_from_slice(b",\"mimeType\":");
    push_text(out, mime_type);
    let text = std::str::from_utf8(data).ok().filter(|_| is_textual(mime_type));
    if let Some(text) = text {
        out.extend_from_slice(b",\"text\":");
        push_text(out, text);
    } else {
        out.extend_from_slice(b",\"blob\":");
        push_blob(out, data);
    }
    out.extend_from_slice(b"}}");
}

/// Before 2026-07-28 `structuredContent` is an object, and 2025-03-26 has none.
fn push_structured(out: &mut Vec<u8>, value: &Value, envelope: &Envelope) {
    let wrap = match envelope.revision.family() {
        Family::Basic => return,
        Family::Structured => envelope.wraps_result || !value.is_object(),
        Family::Modern => false,
    };
    out.extend_from_slice(if wrap {
        b",\"structuredContent\":{\"result\":".as_slice()
    } else {
        b",\"structuredContent\":"
    });
    // A value has a JSON form, and a `Vec` takes everything.
    let _ = serde_json::to_writer(&mut *out, value);
    if wrap {
        out.push(b'}');
    }
}

/// Whether bytes of this media type are meant to be read as text.
fn is_textual(mime_type: &str) -> bool {
    let essence = essence(mime_type).to_ascii_lowercase();
    let known =
        ["application/json", "application/xml", "application/yaml", "application/javascript"];
    essence.starts_with("text/")
        || essence.ends_with("+json")
        || essence.ends_with("+xml")
        || known.contains(&essence.as_str())
}
