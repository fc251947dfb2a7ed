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

/// Members of a message, its `params` and its `_meta`: the last of each may have the next in it.
const TOP: &[&str] = &["jsonrpc", "id", "method", "result", "error", "params"];
const PARAMS: &[&str] = &["name", "arguments", "cursor", "uri", "protocolVersion", "_meta"];
const META: &[&str] = &[VERSION, CAPABILITIES, "traceparent", "tracestate", "baggage"];

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
    let mut levels = const { [Members::new(TOP), Members::new(PARAMS), Members::new(META)] };
    cursor
        .members(&mut levels)
        .and_then(|()| cursor.end())
        .map_err(|Malformed| anonymous(Failure::syntax(&cursor::syntax(text))))?;
    let [top, inner, meta] = &mut levels;
    let duplicate = top.duplicate;
    let [version, id, method, result, error, params] = top.values;

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
    let params =
        read_params(params, inner, meta).map_err(|failure| Invalid { failure, id: valid_id })?;
    Ok(Message::Request(Request { id, method, params }))
}

/// The parameters, where `params` has this text.
fn read_params<'a>(
    text: Option<&'a str>,
    params: &mut Members<'a>,
    meta: &mut Members<'a>,
) -> Result<Params<'a>, Failure> {
    check_object(text, params, "params")?;
    let [name, arguments, cursor, uri, protocol_version, text] = params.values;
    check_object(text, meta, "params._meta")?;
    let [version, capabilities, traceparent, tracestate, baggage, _] = meta.values;
    let meta = RequestMeta { version, capabilities, traceparent, tracestate, baggage };
    Ok(Params { name, arguments, cursor, uri, protocol_version, meta })
}

/// Checks that a value is an object, where it is there. Members that are `null` count as absent.
fn check_object<'a>(
    text: Option<&'a str>,
    members: &mut Members<'a>,
    place: &str,
) -> Result<(), Failure> {
    if text.is_some_and(|text| text != "null" && !text.starts_with('{')) {
        return Err(Failure::form(format!("`{place}` must be an object")));
    }
    if let Some(key) = members.duplicate {
        return Err(Failure::request(400, format!("the key {} is twice in `{place}`", quote(key))));
    }
    for value in &mut members.values {
        if value.is_some_and(|text| text == "null") {
            *value = None;
        }
    }
    Ok(())
}

/// What is wrong with a body that does not start as an object.
#[cold]
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
