//! Which era a message belongs to, and what every request proves from 2026-07-28 on
//! (MCP 2026-07-28 `basic/versioning`, `basic/transports`).

use super::{
    Revision, cursor,
    error::Failure,
    header::{self, Field},
    message::Request,
};
use crate::http::Headers;

/// Header of the protocol version.
const VERSION: &str = "mcp-protocol-version";

/// The revision of a request.
///
/// # Errors
/// When the request names a revision that is not spoken here, or breaks the rules of its own.
pub(super) fn revision(request: &Request<'_>, headers: &Headers) -> Result<Revision, Failure> {
    if request.params.meta.version.is_none() {
        if request.method == "initialize" {
            return Ok(Revision::NEWEST_LEGACY);
        }
        match announced(headers)? {
            None => return Ok(Revision::V2025_03_26),
            Some(Revision::V2026_07_28) => {}
            Some(legacy) => return Ok(legacy),
        }
    }
    check(request, headers)?;
    Ok(Revision::MODERN)
}

/// Whether a notification can be accepted: its header names no unknown revision.
#[cold]
pub(super) fn notification(headers: &Headers) -> Result<(), Failure> {
    announced(headers).map(|_| ())
}

/// Whether a response can be accepted: servers send no requests from 2026-07-28 on.
#[cold]
pub(super) fn response(headers: &Headers) -> Result<(), Failure> {
    match announced(headers)? {
        Some(Revision::V2026_07_28) => {
            Err(Failure::request(400, "a response to no request: `method` is missing"))
        }
        _ => Ok(()),
    }
}

/// The revision that the version header names, if it is there.
fn announced(headers: &Headers) -> Result<Option<Revision>, Failure> {
    match header::field(headers, VERSION) {
        Field::Absent => Ok(None),
        Field::Text(text) => Revision::find(text).map(Some).ok_or_else(|| Failure::version(text)),
        Field::Invalid => {
            Err(Failure::header(format!("the header `{VERSION}` is there twice or is not text")))
        }
    }
}

/// The order matters: the version is compared before it is looked up, the method before the name.
fn check(request: &Request<'_>, headers: &Headers) -> Result<(), Failure> {
    let params = &request.params;
    let version = params.meta.version.and_then(cursor::string).ok_or_else(|| {
        Failure::form(
            "`params._meta` must have `io.modelcontextprotocol/protocolVersion`, a string",
        )
    })?;
    if !params.meta.capabilities.is_some_and(|value| value.starts_with('{')) {
        return Err(Failure::form(
            "`params._meta` must have `io.modelcontextprotocol/clientCapabilities`, an object",
        ));
    }
    header::check(headers, VERSION, &version)?;
    if version != Revision::MODERN.as_str() {
        return Err(Failure::version(&version));
    }
    header::check(headers, "mcp-method", &request.method)?;
    let named = match &*request.method {
        "tools/call" | "prompts/get" => params.name,
        "resources/read" => params.uri,
        _ => return Ok(()),
    };
    header::check_encoded(headers, "mcp-name", named.and_then(cursor::string).as_deref())
}
