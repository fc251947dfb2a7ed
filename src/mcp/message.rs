//! The JSON-RPC message in a body (JSON-RPC 2.0 §4; MCP `basic`).

use std::borrow::Cow;

use super::{
    error::{Failure, quote},
    fields::{self, Fault, Fields},
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
    let members = ["jsonrpc", "id", "method", "params", "result", "error"];
    let Fields { values, duplicate } =
        fields::read(text, members).map_err(|fault| anonymous(not_a_message(fault)))?;
    let [version, id, method, params, result, error] = values;

    let valid_id = id.filter(|id| is_id(id) && duplicate != Some("id"));
    let refuse =
        |message: &str| Err(Invalid { failure: Failure::request(400, message), id: valid_id });
    if let Some(key) = duplicate {
        return refuse(&format!("the key `{key}` is there twice"));
    }
    if version.and_then(fields::string).as_deref() != Some("2.0") {
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
    let Some(method) = fields::string(method) else { return refuse("`method` must be a string") };
    let Some(id) = valid_id else { return Ok(Message::Notification) };
    let params = Params::read(params).map_err(|failure| Invalid { failure, id: valid_id })?;
    Ok(Message::Request(Request { id, method, params }))
}

impl<'a> Params<'a> {
    fn read(params: Option<&'a str>) -> Result<Self, Failure> {
        let names = ["_meta", "name", "arguments", "cursor", "uri", "protocolVersion"];
        let [meta, name, arguments, cursor, uri, protocol_version] =
            object(params, names, "params")?;
        let meta = RequestMeta::read(meta)?;
        Ok(Self { name, arguments, cursor, uri, protocol_version, meta })
    }
}

impl<'a> RequestMeta<'a> {
    fn read(meta: Option<&'a str>) -> Result<Self, Failure> {
        let names = [VERSION, CAPABILITIES, "traceparent", "tracestate", "baggage"];
        let [version, capabilities, traceparent, tracestate, baggage] =
            object(meta, names, "params._meta")?;
        Ok(Self { version, capabilities, traceparent, tracestate, baggage })
    }
}

/// The members of an object that may be absent; `null` counts as absent.
fn object<'a, const N: usize>(
    value: Option<&'a str>,
    names: [&'static str; N],
    place: &str,
) -> Result<[Option<&'a str>; N], Failure> {
    let Some(text) = value.filter(|text| *text != "null") else { return Ok([None; N]) };
    let fields = fields::read(text, names)
        .map_err(|_| Failure::form(format!("`{place}` must be an object")))?;
    match fields.duplicate {
        Some(key) => {
            Err(Failure::request(400, format!("the key {} is twice in `{place}`", quote(key))))
        }
        None => Ok(fields.values.map(|value| value.filter(|text| *text != "null"))),
    }
}

fn not_a_message(fault: Fault) -> Failure {
    match fault {
        Fault::Syntax(message) => Failure::syntax(&message),
        Fault::Array => {
            Failure::request(400, "batches are not supported: send one message in one request")
        }
        Fault::Scalar => Failure::request(400, "the message must be an object"),
    }
}

/// A string, or an integer written as one.
fn is_id(raw: &str) -> bool {
    if raw.starts_with('"') {
        return fields::string(raw).is_some();
    }
    let digits = raw.strip_prefix('-').unwrap_or(raw);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}
