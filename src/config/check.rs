//! Values with a syntax: headers, names, addresses, locales.

use serde_json::Value;
use url::Url;

use super::words::{expected, hint, list, quote};

/// What the target of a dispatched call is.
pub(super) const CLUSTER: &str = "a cluster name, or `host:port` on nginx and Kong";

/// Header fields that belong to the connection or to the body that the filter writes.
const RESERVED_HEADERS: &[&str] = &[
    "accept-encoding",
    "connection",
    "content-length",
    "content-type",
    "host",
    "keep-alive",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// A non-empty string.
pub(super) fn text<'v>(value: &'v Value, what: &str) -> Result<&'v str, String> {
    match value {
        Value::String(text) if !text.is_empty() => Ok(text),
        Value::Number(_) | Value::Bool(_) => {
            Err(format!("{}; put it in quotes", expected(what, value)))
        }
        _ => Err(expected(what, value)),
    }
}

/// `true` or `false`.
pub(super) fn flag(value: &Value) -> Result<bool, String> {
    value.as_bool().ok_or_else(|| expected("`true` or `false`", value))
}

/// One of a few names.
pub(super) fn one_of<T: Copy>(value: &Value, choices: &[(&str, T)]) -> Result<T, String> {
    let name = value.as_str();
    if let Some((_, choice)) = choices.iter().find(|(known, _)| Some(*known) == name) {
        return Ok(*choice);
    }
    let names: Vec<_> = choices.iter().map(|(name, _)| *name).collect();
    let hint = name.map(|name| hint(name, &names)).unwrap_or_default();
    Err(format!("{}{hint}", expected(&format!("one of {}", list(&names)), value)))
}

/// The name of an upstream: it appears in logs and metrics.
pub(super) fn name(value: &Value) -> Result<String, String> {
    identifier(value, "a name of letters, digits, `_`, `.` and `-`, at most 64")
}

/// The name of a tool, to which a prefix may come.
pub(super) fn tool_name(value: &Value) -> Result<String, String> {
    identifier(value, "a tool name of letters, digits, `_`, `.` and `-`, at most 64")
}

/// A shared-memory zone; empty for none.
pub(super) fn zone(value: &Value) -> Result<String, String> {
    if value.as_str() == Some("") {
        return Ok(String::new());
    }
    identifier(value, "a zone name of letters, digits, `_`, `.` and `-`, at most 64")
}

/// A prefix of tool names; may be empty.
pub(super) fn name_prefix(value: &Value) -> Result<String, String> {
    const WHAT: &str = "letters, digits, `_`, `.` and `-`, at most 48";
    match value.as_str() {
        Some(prefix) if prefix.len() <= 48 && prefix.bytes().all(is_name_byte) => {
            Ok(prefix.to_owned())
        }
        _ => Err(expected(WHAT, value)),
    }
}

fn identifier(value: &Value, what: &str) -> Result<String, String> {
    let name = text(value, what)?;
    if name.len() <= 64 && name.bytes().all(is_name_byte) {
        Ok(name.to_owned())
    } else {
        Err(expected(what, value))
    }
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-')
}

/// The target of a dispatched call: a cluster, or `host:port`.
pub(super) fn cluster(value: &Value) -> Result<String, String> {
    let cluster = text(value, CLUSTER)?;
    if cluster.contains("://") {
        return Err(expected("a cluster without a scheme", value));
    }
    if cluster.contains(|c: char| c.is_whitespace() || c.is_control()) {
        return Err(expected("a cluster without white space", value));
    }
    Ok(cluster.to_owned())
}

/// `host` or `host:port` (RFC 3986 §3.2, without user information).
pub(super) fn authority(value: &Value) -> Result<String, String> {
    let what = "`host` or `host:port`";
    let authority = text(value, what)?;
    if is_authority(authority) { Ok(authority.to_owned()) } else { Err(expected(what, value)) }
}

/// Whether a text can stand in `:authority`.
pub(super) fn is_authority(authority: &str) -> bool {
    let (host, port) = split_port(authority);
    is_host(host) && port.is_none_or(|port| port.parse::<u16>().is_ok_and(|port| port > 0))
}

/// Host and port of an authority; a colon inside brackets does not separate.
pub(super) fn split_port(authority: &str) -> (&str, Option<&str>) {
    match authority.rsplit_once(':') {
        Some((host, port)) if !port.ends_with(']') => (host, Some(port)),
        _ => (authority, None),
    }
}

fn is_host(host: &str) -> bool {
    match host.strip_prefix('[').and_then(|host| host.strip_suffix(']')) {
        Some(address) => address.parse::<std::net::Ipv6Addr>().is_ok(),
        None => !host.is_empty() && host.len() <= 253 && host.bytes().all(is_name_byte),
    }
}

/// A path that starts with `/`, as it appears in a request, without query.
pub(super) fn path(value: &Value) -> Result<String, String> {
    let path = request_path(value)?;
    if path.contains('?') { Err(expected("a path without a query", value)) } else { Ok(path) }
}

/// A path that starts with `/`, as it appears in a request, query allowed.
pub(super) fn request_path(value: &Value) -> Result<String, String> {
    let path = text(value, "a path that starts with `/`")?;
    if !path.starts_with('/') {
        return Err(expected("a path that starts with `/`", value));
    }
    if path.contains('#') || !path.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(expected("a percent-encoded path without a fragment", value));
    }
    Ok(path.to_owned())
}

/// An absolute http or https URL that other URLs are built on.
pub(super) fn base_url(value: &Value) -> Result<Url, String> {
    let what = "an absolute `http` or `https` URL";
    let url = Url::parse(text(value, what)?).map_err(|_| expected(what, value))?;
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
        return Err(expected(what, value));
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(expected("a URL without a query or fragment", value));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("expected a URL without user name and password".to_owned());
    }
    Ok(url)
}

/// What the addresses of files start with: a base URL up to a `/`.
pub(super) fn location(value: &Value) -> Result<Url, String> {
    let url = base_url(value)?;
    if !url.path().ends_with('/') {
        return Err(expected("a URL that ends with `/`", value));
    }
    Ok(url)
}

/// The name of a header field that may be set on a call to the API, in lower case.
pub(super) fn header_name(name: &str) -> Result<String, String> {
    if !is_token(name) {
        return Err(format!("{} is not a header name", quote(name)));
    }
    let name = name.to_ascii_lowercase();
    if RESERVED_HEADERS.contains(&name.as_str()) {
        return Err(format!("{} is set by the gateway itself and cannot be chosen", quote(&name)));
    }
    Ok(name)
}

/// The name of a request header to copy to the API, in lower case.
pub(super) fn forwarded_header(value: &Value) -> Result<String, String> {
    let name = text(value, "a header name")?;
    match name {
        "*" => Err("name the headers one by one; `*` is not supported".to_owned()),
        _ if name.eq_ignore_ascii_case("accept") => {
            Err("`accept` of an MCP request does not describe the API's answer".to_owned())
        }
        _ => header_name(name),
    }
}

/// The value of a header field (RFC 9110 §5.5). It may be a secret: messages do not show it.
pub(super) fn header_value(value: &Value) -> Result<String, String> {
    let Value::String(text) = value else {
        return Err("expected a string; put the value in quotes".to_owned());
    };
    if text.contains(|c: char| c.is_control() && c != '\t') {
        return Err("expected a value without line breaks and control characters".to_owned());
    }
    if text.trim() != text {
        return Err("expected a value without white space around it".to_owned());
    }
    Ok(text.clone())
}

/// A token (RFC 9110 §5.6.2).
pub(super) fn is_token(name: &str) -> bool {
    let is_token_byte =
        |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !name.is_empty() && name.bytes().all(is_token_byte)
}

/// A language tag (the shape of RFC 5646: subtags of letters and digits).
pub(super) fn locale(value: &Value) -> Result<String, String> {
    let what = "a language tag such as `en` or `fr-CA`";
    let locale = text(value, what)?;
    let mut subtags = locale.split('-');
    let language = subtags.next().unwrap_or_default();
    let good = (2..=8).contains(&language.len())
        && language.bytes().all(|byte| byte.is_ascii_alphabetic())
        && subtags.all(|subtag| {
            (1..=8).contains(&subtag.len()) && subtag.bytes().all(|b| b.is_ascii_alphanumeric())
        })
        && locale.len() <= 64;
    if good { Ok(locale.to_owned()) } else { Err(expected(what, value)) }
}

/// An origin as browsers send it, in its serialized form.
pub(super) fn origin(value: &Value) -> Result<String, String> {
    let what = "an origin such as `https://app.example.com`";
    let origin = text(value, what)?;
    let Some((scheme, authority)) = origin.split_once("://") else {
        return Err(expected(what, value));
    };
    if let Some((authority, _)) = authority.split_once(['/', '?', '#']) {
        return Err(format!(
            "expected an origin without a path; write {}",
            quote(&format!("{scheme}://{authority}"))
        ));
    }
    if !is_scheme(scheme) || !is_authority(authority) {
        return Err(expected(what, value));
    }
    let url = Url::parse(origin).map_err(|_| expected(what, value))?;
    let serialized = url.origin();
    Ok(if serialized.is_tuple() {
        serialized.ascii_serialization()
    } else {
        origin.to_ascii_lowercase()
    })
}

fn is_scheme(scheme: &str) -> bool {
    scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.'))
}
