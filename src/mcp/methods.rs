//! The methods (MCP 2026-07-28 and 2025-11-25 `schema`, skills extension).

use std::{borrow::Cow, rc::Rc};

use serde_json::{Map, Value};

use super::{
    Envelope, Found, Revision, ToolCall, Trace, cursor,
    directory::{self, Outcome},
    error::{Failure, quote},
    header,
    message::{Params, Request},
    modern,
};
use crate::{
    http::Headers,
    json::{
        self,
        tree::{self, Tree},
    },
    toolset::{Family, Lifetime, Listing, ToolSet},
};

/// How a request is answered.
#[derive(Debug)]
pub(super) enum Answer {
    /// With this `result` object.
    Result(Rc<[u8]>),
    /// With what a tool returns.
    Call(Box<ToolCall>),
    /// With this `result` object of a tool that stands for others.
    Found(Vec<u8>, Found),
}

/// Answers a request, or says what call would.
pub(super) fn answer(
    request: &Request<'_>,
    headers: &Headers,
    tools: &ToolSet,
) -> Result<Answer, Failure> {
    let revision = modern::revision(request, headers)?;
    let family = revision.family();
    let params = &request.params;
    let result = match (&*request.method, revision.is_modern()) {
        ("tools/call", _) => {
            return call(request, headers, tools, revision);
        }
        ("tools/list", _) => list(tools, Listing::Tools, family, params)?,
        ("server/discover", true) => discover(tools).into(),
        ("initialize", false) => initialize(params, tools)?.into(),
        ("ping", false) => b"{}".as_slice().into(),
        _ if tools.has_skills() => skills(request, tools, revision)?,
        _ => return Err(Failure::method(&request.method, revision)),
    };
    Ok(Answer::Result(result))
}

/// The methods of a server with skills.
#[cold]
fn skills(request: &Request<'_>, tools: &ToolSet, revision: Revision) -> Result<Rc<[u8]>, Failure> {
    let family = revision.family();
    let params = &request.params;
    let uri = || required(params.uri, "uri");
    match &*request.method {
        "resources/list" => list(tools, Listing::Resources, family, params),
        "skills/list" => list(tools, Listing::Skills, family, params),
        "resources/read" => {
            let uri = uri()?;
            let result = tools.read(&uri, family);
            result.map(Rc::from).ok_or_else(|| Failure::resource(&uri, revision))
        }
        "skills/get" => {
            let uri = uri()?;
            let result = tools.skill(&uri, family);
            result.map(Rc::from).ok_or_else(|| unknown("skill", &uri))
        }
        "resources/directory/read" => {
            let uri = uri()?;
            let page = optional(params.cursor, "cursor")?.unwrap_or_default();
            let result = tools.directory(&uri, family).filter(|_| page.is_empty());
            result.map(Rc::from).ok_or_else(|| unknown("directory", &uri))
        }
        method => Err(Failure::method(method, revision)),
    }
}

fn call(
    request: &Request<'_>,
    headers: &Headers,
    tools: &ToolSet,
    revision: Revision,
) -> Result<Answer, Failure> {
    let params = &request.params;
    let name = required(params.name, "name")?;
    let found = tools.tool(&name).map_err(|error| Failure::internal(error.to_string()))?;
    let (tool, arguments, advice) = match (found, tools.role(&name)) {
        (Some(tool), _) => {
            let arguments = arguments(params.arguments)?;
            if revision.is_modern() {
                header::check_params(headers, &tool.tool.param_headers, &arguments)?;
            }
            (tool, arguments, None)
        }
        (None, Some(role)) => {
            let arguments = arguments(params.arguments)?;
            match directory::call(role, arguments, tools, revision.family())? {
                Outcome::Result(result) => return Ok(answered(result, name, false)),
                Outcome::Refusal(result) => return Ok(answered(result, name, true)),
                Outcome::Operation(tool, arguments) => {
                    (tool, arguments, Some(directory::advice(tools)))
                }
            }
        }
        (None, None) => return Err(unknown("tool", &name)),
    };
    let envelope = Envelope::new(request.id, revision, &tool, tools, header::origin(headers));
    let trace = Trace::read(&params.meta, headers);
    Ok(Answer::Call(Box::new(ToolCall { envelope, tool, arguments, advice, trace })))
}

#[cold]
fn answered(result: Vec<u8>, tool: Cow<'_, str>, is_refused: bool) -> Answer {
    Answer::Found(result, Found { tool: tool.into_owned(), is_refused })
}

fn list(
    tools: &ToolSet,
    listing: Listing,
    family: Family,
    params: &Params<'_>,
) -> Result<Rc<[u8]>, Failure> {
    let cursor = optional(params.cursor, "cursor")?;
    let page = tools.list(listing, family, cursor.as_deref());
    page.map_err(|error| Failure::params(error.to_string()))
}

#[cold]
fn discover(tools: &ToolSet) -> Vec<u8> {
    let mut out =
        format!("{{\"supportedVersions\":[\"{}\"]", Revision::MODERN.as_str()).into_bytes();
    push_offer(&mut out, tools);
    out.extend_from_slice(tools.closing(Family::Modern, Lifetime::Modern));
    out
}

/// Agrees on the version that the client asks for, else offers the newest that has `initialize`.
#[cold]
fn initialize(params: &Params<'_>, tools: &ToolSet) -> Result<Vec<u8>, Failure> {
    let asked = required(params.protocol_version, "protocolVersion")?;
    let revision = Revision::find_legacy(&asked).unwrap_or(Revision::NEWEST_LEGACY);
    let mut out = format!("{{\"protocolVersion\":\"{}\"", revision.as_str()).into_bytes();
    push_offer(&mut out, tools);
    out.extend_from_slice(b",\"serverInfo\":");
    out.extend_from_slice(tools.server_info_json());
    out.push(b'}');
    Ok(out)
}

/// Writes the capabilities and the instructions.
fn push_offer(out: &mut Vec<u8>, tools: &ToolSet) {
    out.extend_from_slice(b",\"capabilities\":{\"tools\":{}");
    if tools.has_skills() {
        out.extend_from_slice(
            b",\"resources\":{},\"extensions\":{\"io.modelcontextprotocol/skills\":\
              {\"directoryRead\":true}}",
        );
    }
    out.push(b'}');
    if let Some(text) = tools.instructions_json() {
        out.extend_from_slice(b",\"instructions\":");
        out.extend_from_slice(text);
    }
}

#[cold]
fn unknown(what: &str, name: &str) -> Failure {
    Failure::params(format!("no {what} {} is served here", quote(name)))
}

fn arguments(raw: Option<&str>) -> Result<Map<String, Value>, Failure> {
    let Some(raw) = raw else { return Ok(Map::new()) };
    match tree::parse_strictly(raw) {
        Some(Tree::Object(arguments)) => Ok(tree::to_map(arguments)),
        Some(_) => Err(Failure::params("`arguments` must be an object")),
        None => Err(unreadable(raw)),
    }
}

#[cold]
fn unreadable(arguments: &str) -> Failure {
    let error = json::parse(arguments.as_bytes()).err();
    let error = error.map_or_else(|| "not JSON".to_owned(), |error| error.to_string());
    Failure::params(format!("`arguments`: {error}"))
}

fn required<'a>(raw: Option<&'a str>, name: &str) -> Result<Cow<'a, str>, Failure> {
    optional(raw, name)?.ok_or_else(|| Failure::params(format!("`{name}` is missing")))
}

fn optional<'a>(raw: Option<&'a str>, name: &str) -> Result<Option<Cow<'a, str>>, Failure> {
    let Some(raw) = raw else { return Ok(None) };
    let text = cursor::string(raw);
    text.map(Some).ok_or_else(|| Failure::params(format!("`{name}` must be a string")))
}
