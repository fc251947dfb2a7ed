//! The JSON-RPC message in a body (JSON-RPC 2.0 §4; MCP `basic`).

use std::borrow::Cow;

use super::{
    cursor::{self, Cursor, Malformed, Members},
    error::{Failure, quote},
};

/// `_meta` key of the protocol version.
const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
/// `_meta` key of the client's capabilities.
const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";

/// One message. Values are JSON text.
#[derive(Debug)]
pub(super) enum Message<'a> {
    /// A request.
    Request(Request<'a>),
    /// A notification: nothing depends on which.
    Notification,
    /// An answer to a request that this server never sent.
    Response,
}

/// A request.
#[derive(Debug)]
pub(super) struct Request<'a> {
    /// A string or an integer, as it was written.
    pub(super) id: &'a str,
    pub(super) method: Cow<'a, str>,
    pub(super) params: Params<'a>,
}

/// The parameters that the methods take.
#[derive(Debug, Default)]
pub(super) struct Params<'a> {
    pub(super) name: Option<&'a str>,
    pub(super) arguments: Option<&'a str>,
    pub(super) cursor: Option<&'a str>,
    pub(super) uri: Option<&'a str>,
    pub(super) protocol_version: Option<&'a str>,
    pub(super) meta: RequestMeta<'a>,
}

/// The members of `_meta` that matter.
#[derive(Debug, Default)]
pub(super) struct RequestMeta<'a> {
    pub(super) version: Option<&'a str>,
    pub(super) capabilities: Option<&'a str>,
    pub(super) traceparent: Option<&'a str>,
    pub(super) tracestate: Option<&'a str>,
    pub(super) baggage: Option<&'a str>,
}

/// A body without an acceptable message.
#[derive(Debug)]
pub(super) struct Invalid<'a> {
    pub(super) failure: Failure,
    /// The message's id, where it is a valid one.
    pub(super) id: Option<&'a str>,
}

/// Reads the one message of a body.
pub(super) fn read(body: &[u8]) -> Result<Message<'_>, Invalid<'_>> {
    let anonymous = |failure| Invalid { failure, id: None };
    let text = std::str::from_utf8(body).map_err(|error| {
        anonymous(Failure::syntax(&format!("invalid UTF-8 at byte {}", error.valid_up_to())))
    })?;
    let mut cursor = Cursor::new(text);
    let first = cursor.peek();
    if first != Some(b'{') {
        return Err(anonymous(not_an_object(text, first)));
    }
    let mut top = Members::new(&["jsonrpc", "id", "method", "result", "error", "params"]);
    let mut inner = Inner::new();
    top.walk(&mut cursor, &mut |cursor| inner.walk(cursor))
        .and_then(|()| cursor.end())
        .map_err(|Malformed| anonymous(Failure::syntax(&cursor::syntax(text))))?;
    let Members { values, duplicate, .. } = top;
    let [version, id, method, result, error, params] = values;

    let valid_id = id.filter(|id| is_id(id) && duplicate != Some("id"));
    let refuse =
        |message: &str| Err(Invalid { failure: Failure::request(400, message), id: valid_id });
    if let Some(key) = duplicate {
        return refuse(&format!("the key `{key}` is there twice"));
    }
    if version.and_then(cursor::string).as_deref() != Some("2.0") {
        return refuse("`jsonrpc` must be \"2.0\"");
    }
    let Some(method) = method else {
        return match (result, error) {
            (None, None) => refuse("`method` is missing"),
            _ => Ok(Message::Response),
        };
    };
    if id.is_some() && valid_id.is_none() {
        return refuse("`id` must be a string or an integer");
    }
    let Some(method) = cursor::string(method) else { return refuse("`method` must be a string") };
    let Some(id) = valid_id else { return Ok(Message::Notification) };
    let params = inner.params(params).map_err(|failure| Invalid { failure, id: valid_id })?;
    Ok(Message::Request(Request { id, method, params }))
}

/// The members of `params` and of its `_meta`.
struct Inner<'a> {
    params: Members<'a, 6>,
    meta: Members<'a, 5>,
}

impl<'a> Inner<'a> {
    fn new() -> Self {
        Self {
            params: Members::new(&[
                "name",
                "arguments",
                "cursor",
                "uri",
                "protocolVersion",
                "_meta",
            ]),
            meta: Members::new(&[VERSION, CAPABILITIES, "traceparent", "tracestate", "baggage"]),
        }
    }

    fn walk(&mut self, cursor: &mut Cursor<'a>) -> Result<(), Malformed> {
        let meta = &mut self.meta;
        self.params.walk(cursor, &mut |cursor| meta.walk(cursor, &mut Cursor::skip))
    }

    /// The parameters, where `params` has this text.
    fn params(self, text: Option<&str>) -> Result<Params<'a>, Failure> {
        let [name, arguments, cursor, uri, protocol_version, meta] =
            object(text, self.params, "params")?;
        let [version, capabilities, traceparent, tracestate, baggage] =
            object(meta, self.meta, "params._meta")?;
        let meta = RequestMeta { version, capabilities, traceparent, tracestate, baggage };
        Ok(Params { name, arguments, cursor, uri, protocol_version, meta })
    }
}

/// The members of an object that may be absent; `null` counts as absent.
fn object<'a, const N: usize>(
    text: Option<&str>,
    members: Members<'a, N>,
    place: &str,
) -> Result<[Option<&'a str>; N], Failure> {
    let Some(text) = text.filter(|text| *text != "null") else { return Ok([None; N]) };
    if !text.starts_with('{') {
        return Err(Failure::form(format!("`{place}` must be an object")));
    }
    match members.duplicate {
        Some(key) => {
            Err(Failure::request(400, format!("the key {} is twice in `{place}`", quote(key))))
        }
        None => Ok(members.values.map(|value| value.filter(|text| *text != "null"))),
    }
}

/// What is wrong with a body that does not start as an object.
fn not_an_object(text: &str, first: Option<u8>) -> Failure {
    let mut cursor = Cursor::new(text);
    if cursor.skip().and_then(|()| cursor.end()).is_err() {
        return Failure::syntax(&cursor::syntax(text));
    }
    Failure::request(
        400,
        match first {
            Some(b'[') => "batches are not supported: send one message in one request",
            _ => "the message must be an object",
        },
    )
}

/// A string, or an integer written as one.
fn is_id(raw: &str) -> bool {
    if raw.starts_with('"') {
        return cursor::string(raw).is_some();
    }
    let digits = raw.strip_prefix('-').unwrap_or(raw);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}
