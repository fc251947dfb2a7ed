//! `upstreams[].credentials` and `upstreams[].servers`: with what, and where else, an API is called.

use std::fmt;

use base64::{Engine as _, prelude::BASE64_STANDARD};
use serde_json::Value;
use url::Url;

use super::fields::Fields;
use super::words::{expected, quote};
use super::{check, keys};

/// What is sent for one security scheme of the document.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Credential {
    /// Name of the scheme under `components.securitySchemes`.
    pub scheme: String,
    /// Where its value comes from.
    pub source: CredentialSource,
}

/// Where the value of a credential comes from.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum CredentialSource {
    /// A key or a token.
    Value(Secret),
    /// User name and password, as `basic` authentication writes them (RFC 7617 §2).
    Basic(Secret),
    /// The MCP request: what stands where the API wants it.
    Forward,
    /// A header of the MCP request, in lower case, whose value is the key or the token.
    ForwardHeader(String),
}

/// A text that messages and logs never show.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Secret(String);

impl Secret {
    /// The text itself.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

/// A server of the document that another cluster serves.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Server {
    /// Its origin: scheme, host and port.
    pub origin: String,
    /// Target of the calls.
    pub cluster: String,
    /// `:authority` of the calls.
    pub authority: String,
}

/// The credentials by scheme, in the order of the configuration.
pub(super) fn read_credentials(upstream: &mut Fields<'_, '_>) -> Vec<Credential> {
    let Some(entries) = upstream.entries("credentials") else { return Vec::new() };
    let read = entries.iter().filter_map(|(scheme, value)| {
        let key = format!("credentials.{scheme}");
        if !value.is_object() {
            // It may be the secret itself, which messages do not show.
            upstream.problem(&key, "expected an object with `value`, `username` or `forward`");
            return None;
        }
        let mut fields = upstream.open_at(&key, value, keys::CREDENTIAL)?;
        Some(Credential { scheme: scheme.clone(), source: read_source(&mut fields)? })
    });
    read.collect()
}

fn read_source(fields: &mut Fields<'_, '_>) -> Option<CredentialSource> {
    let given = ["value", "username", "forward"].into_iter().filter(|key| fields.has(key));
    let given: Vec<_> = given.collect();
    match given.as_slice() {
        [] => fields.problem("value", "missing; expected `value`, `username` or `forward`"),
        [_, second, ..] => {
            fields.problem(second, "expected only one of `value`, `username` and `forward`");
        }
        ["username"] => return read_basic(fields),
        ["value"] => {
            refuse_password(fields);
            return fields.read("value", secret).map(|text| CredentialSource::Value(Secret(text)));
        }
        _ => {
            refuse_password(fields);
            return fields.read("forward", forward);
        }
    }
    None
}

fn refuse_password(fields: &mut Fields<'_, '_>) {
    if fields.has("password") {
        fields.problem("password", "has no effect without `username`");
    }
}

fn read_basic(fields: &mut Fields<'_, '_>) -> Option<CredentialSource> {
    let user = fields.read("username", |value| match secret(value)? {
        user if user.contains(':') => Err("expected a user name without `:`".to_owned()),
        user => Ok(user),
    });
    let password = fields.require("password", "a string", check::header_value);
    let pair = [&user?, ":", &password?].concat();
    Some(CredentialSource::Basic(Secret(BASE64_STANDARD.encode(pair))))
}

/// A value that is not empty. Messages do not show it.
fn secret(value: &Value) -> Result<String, String> {
    match check::header_value(value)? {
        text if text.is_empty() => Err("expected a value, found an empty string".to_owned()),
        text => Ok(text),
    }
}

fn forward(value: &Value) -> Result<CredentialSource, String> {
    match value {
        Value::Bool(true) => Ok(CredentialSource::Forward),
        Value::String(_) => check::forwarded_header(value).map(CredentialSource::ForwardHeader),
        _ => Err(expected("`true` or the name of a header of the MCP request", value)),
    }
}

/// The servers, no origin twice.
pub(super) fn read_servers(upstream: &mut Fields<'_, '_>) -> Vec<Server> {
    let mut servers: Vec<Server> = Vec::new();
    for (index, item) in upstream.items("servers").iter().enumerate() {
        let Some(mut fields) = upstream.element("servers", index, item, keys::SERVER) else {
            continue;
        };
        let url = fields.require("url", "an absolute `http` or `https` URL", origin);
        let cluster = fields.require("cluster", check::CLUSTER, check::cluster);
        let authority = fields.read("authority", check::authority);
        let (Some(url), Some(cluster)) = (url, cluster) else { continue };
        let server = Server {
            origin: url.origin().ascii_serialization(),
            authority: authority.unwrap_or_else(|| url.authority().to_owned()),
            cluster,
        };
        if servers.iter().any(|earlier| earlier.origin == server.origin) {
            fields.problem("url", format!("{} is repeated", quote(&server.origin)));
        }
        servers.push(server);
    }
    servers
}

fn origin(value: &Value) -> Result<Url, String> {
    let url = check::base_url(value)?;
    if url.path() == "/" { Ok(url) } else { Err(expected("a URL without a path", value)) }
}
