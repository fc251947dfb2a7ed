//! Security schemes, and which of them an operation wants.

use serde_json::Value;

use super::{Document, Node};
use crate::json::Pointer;
use crate::tool::Place;

/// A Security Scheme Object (OpenAPI 3.1 §4.8.27).
#[derive(Debug, Clone)]
pub struct SecurityScheme<'d> {
    /// Key in `components.securitySchemes`.
    pub name: &'d str,
    /// How its credential is sent.
    pub kind: SchemeKind<'d>,
    /// Place of the object.
    pub pointer: Pointer,
}

/// How the credential of a scheme is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SchemeKind<'d> {
    /// A key under a name in a header, in the query or in a cookie.
    ApiKey(Place, &'d str),
    /// `authorization` with this scheme; OAuth 2.0 and `OpenID` Connect tokens are `Bearer`.
    Http(&'d str),
    /// By the connection.
    MutualTls,
    /// Not known here.
    Unknown,
}

impl Document {
    /// The security schemes of the document, in its order.
    pub fn security_schemes(&self) -> Vec<SecurityScheme<'_>> {
        let schemes = self.root_node().get("components").and_then(|it| it.get("securitySchemes"));
        let members = schemes.iter().flat_map(Node::members);
        let read = members.filter_map(|(name, node)| {
            let node = self.resolve(node).ok()?;
            Some(SecurityScheme { name, kind: kind(node.value), pointer: node.pointer })
        });
        read.collect()
    }

    /// The alternatives of an operation, each a list of schemes that are all needed; those of the
    /// document where it has none of its own (OpenAPI 3.1 §4.8.10 `security`).
    pub(super) fn security<'d>(&'d self, operation: &Node<'d>) -> Vec<Vec<&'d str>> {
        let own = operation.value.get("security").or_else(|| self.root().get("security"));
        let alternatives = own.and_then(Value::as_array).into_iter().flatten();
        let names = |requirement: &'d Value| {
            requirement.as_object().into_iter().flatten().map(|(name, _)| name.as_str()).collect()
        };
        alternatives.map(names).collect()
    }
}

fn kind(scheme: &Value) -> SchemeKind<'_> {
    let text = |key| scheme.get(key).and_then(Value::as_str);
    match (text("type"), text("in"), text("name"), text("scheme")) {
        (Some("apiKey"), Some("header"), Some(name), _) => SchemeKind::ApiKey(Place::Header, name),
        (Some("apiKey"), Some("query"), Some(name), _) => SchemeKind::ApiKey(Place::Query, name),
        (Some("apiKey"), Some("cookie"), Some(name), _) => SchemeKind::ApiKey(Place::Cookie, name),
        (Some("http"), _, _, Some(scheme)) => SchemeKind::Http(canonical(scheme)),
        (Some("oauth2" | "openIdConnect"), ..) => SchemeKind::Http("Bearer"),
        (Some("mutualTLS"), ..) => SchemeKind::MutualTls,
        _ => SchemeKind::Unknown,
    }
}

/// The usual spelling of the usual schemes.
fn canonical(scheme: &str) -> &str {
    let usual = ["Bearer", "Basic"].into_iter().find(|it| it.eq_ignore_ascii_case(scheme));
    usual.unwrap_or(scheme)
}
