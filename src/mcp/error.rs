//! JSON-RPC errors and their HTTP statuses (MCP 2026-07-28 `basic/transports`, `schema`).

use crate::{
    http::Reply,
    mcp::{Revision, reply},
    toolset::push_text,
};

const PARSE_ERROR: i32 = -32700;
const INVALID_REQUEST: i32 = -32600;
const METHOD_NOT_FOUND: i32 = -32601;
const INVALID_PARAMS: i32 = -32602;
const INTERNAL_ERROR: i32 = -32603;
/// Missing resource, up to 2025-11-25.
const RESOURCE_NOT_FOUND: i32 = -32002;
const HEADER_MISMATCH: i32 = -32020;
const UNSUPPORTED_VERSION: i32 = -32022;

/// Longest part of the client's input that a message repeats, in bytes.
const MAX_QUOTE: usize = 128;

/// A request that gets a JSON-RPC error.
#[derive(Debug)]
pub(super) struct Failure {
    status: u16,
    code: i32,
    message: String,
    /// The `data` member as JSON.
    data: Option<Vec<u8>>,
}

impl Failure {
    /// The body is not JSON.
    #[cold]
    pub(super) fn syntax(message: &str) -> Self {
        Self::new(400, PARSE_ERROR, format!("the body is not JSON: {message}"))
    }

    /// The message, or the HTTP request around it, is not one that is accepted here.
    #[cold]
    pub(super) fn request(status: u16, message: impl Into<String>) -> Self {
        Self::new(status, INVALID_REQUEST, message.into())
    }

    /// The server has no such method in this revision. Older clients read the error only from a
    /// successful HTTP response.
    #[cold]
    pub(super) fn method(method: &str, revision: Revision) -> Self {
        let status = if revision.is_modern() { 404 } else { 200 };
        Self::new(status, METHOD_NOT_FOUND, format!("no method {} here", quote(method)))
    }

    /// The parameters do not have the form that all requests share, `_meta` included.
    #[cold]
    pub(super) fn form(message: impl Into<String>) -> Self {
        Self::new(400, INVALID_PARAMS, message.into())
    }

    /// A parameter of the method is wrong.
    #[cold]
    pub(super) fn params(message: impl Into<String>) -> Self {
        Self::new(200, INVALID_PARAMS, message.into())
    }

    /// Nothing is served under a URI.
    #[cold]
    pub(super) fn resource(uri: &str, revision: Revision) -> Self {
        let code = if revision.is_modern() { INVALID_PARAMS } else { RESOURCE_NOT_FOUND };
        let mut data = b"{\"uri\":".to_vec();
        push_text(&mut data, uri);
        data.push(b'}');
        let message = format!("no resource is served at {}", quote(uri));
        Self { data: Some(data), ..Self::new(200, code, message) }
    }

    /// A header does not say what the body says.
    #[cold]
    pub(super) fn header(message: String) -> Self {
        Self::new(400, HEADER_MISMATCH, message)
    }

    /// The client speaks another revision.
    #[cold]
    pub(super) fn version(requested: &str) -> Self {
        let modern = Revision::MODERN.as_str();
        let mut data = format!("{{\"supported\":[\"{modern}\"],\"requested\":").into_bytes();
        push_text(&mut data, requested);
        data.push(b'}');
        let message = format!(
            "protocol version {} is not supported: use {modern}, or negotiate 2025-11-25, \
             2025-06-18 or 2025-03-26 with `initialize`",
            quote(requested)
        );
        Self { data: Some(data), ..Self::new(400, UNSUPPORTED_VERSION, message) }
    }

    /// Something is wrong on this side.
    #[cold]
    pub(super) fn internal(message: impl Into<String>) -> Self {
        Self::new(200, INTERNAL_ERROR, message.into())
    }

    /// Nothing can be served yet.
    #[cold]
    pub(super) fn unavailable(reason: &str) -> Self {
        Self::new(503, INTERNAL_ERROR, reason.to_owned())
    }

    /// The body is larger than the limit.
    #[cold]
    pub(super) fn too_large(limit: usize) -> Self {
        Self::request(413, format!("the body is larger than {limit} bytes"))
    }

    /// The reply; without the request's id when it is not known.
    #[cold]
    pub(super) fn reply(&self, id: Option<&str>, origin: Option<&str>) -> Reply {
        let mut body = b"{\"jsonrpc\":\"2.0\"".to_vec();
        if let Some(id) = id {
            body.extend_from_slice(b",\"id\":");
            body.extend_from_slice(id.as_bytes());
        }
        body.extend_from_slice(
            format!(",\"error\":{{\"code\":{},\"message\":", self.code).as_bytes(),
        );
        push_text(&mut body, &self.message);
        if let Some(data) = &self.data {
            body.extend_from_slice(b",\"data\":");
            body.extend_from_slice(data);
        }
        body.extend_from_slice(b"}}");
        reply::json(self.status, body, origin)
    }

    fn new(status: u16, code: i32, message: String) -> Self {
        Self { status, code, message, data: None }
    }
}

/// The client's input in backticks, shortened.
#[cold]
pub(super) fn quote(input: &str) -> String {
    let (shown, more) = match input.get(..input.floor_char_boundary(MAX_QUOTE)) {
        Some(shown) if shown.len() < input.len() => (shown, "…"),
        Some(_) | None => (input, ""),
    };
    format!("`{shown}{more}`")
}
