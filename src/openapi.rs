//! OpenAPI documents: versions, references, operations, and schemas made self-contained.
//!
//! Swagger 2.0 is converted first. What other files hold is taken in, see [`Document::link`].
//!
//! Everything borrows from the parsed document. Nothing here knows `x-agent`; its raw values are
//! handed on. What a fault costs is decided by the caller: every fault carries its JSON Pointer and
//! is returned with the operation it belongs to.

mod body;
#[cfg(test)]
mod corpus;
mod endpoint;
mod files;
mod identifiers;
mod operation;
mod parameter;
mod reader;
mod reference;
pub mod schema;
mod security;
mod server;
mod swagger;
mod template;
#[cfg(test)]
mod tests;
mod uri;

pub use body::{MediaType, RequestBody, Response, StatusPattern};
pub use endpoint::Endpoint;
pub use files::Reach;
pub use operation::Operation;
pub use parameter::Parameter;
pub use security::{SchemeKind, SecurityScheme};
pub use server::Server;
pub(crate) use uri::decode;

use std::cell::{OnceCell, RefCell};

use hashbrown::HashSet;
use serde_json::{Map, Value};

use crate::json::{self, Pointer, Problem};
use files::Files;
use identifiers::Identifiers;

/// A parsed OpenAPI document of a supported version.
#[derive(Debug)]
pub struct Document {
    root: Value,
    version: Version,
    identifiers: OnceCell<Identifiers>,
    files: Files,
    /// What is needed to convert further files, when the document is written for Swagger 2.0.
    swagger: Option<Box<swagger::Defaults>>,
    remarks: Vec<Problem>,
    /// Regular expressions that compile: to find that out takes long, and documents repeat them.
    good_patterns: RefCell<HashSet<String>>,
}

/// Version of the OpenAPI Specification a document is written for; patch versions do not matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Version {
    /// OpenAPI 3.0: schemas are a dialect of their own, siblings of `$ref` are ignored.
    V3_0,
    /// OpenAPI 3.1: schemas are JSON Schema 2020-12.
    V3_1,
    /// OpenAPI 3.2, and later minor versions, which are compatible by the specification's promise.
    V3_2,
}

/// A place in a document.
#[derive(Debug, Clone)]
pub struct Node<'d> {
    /// The value there.
    pub value: &'d Value,
    /// Where it is; unique, so it identifies the node.
    pub pointer: Pointer,
}

impl Document {
    /// Parses the text of a document, JSON or YAML.
    ///
    /// # Errors
    /// Text that cannot be parsed, and what [`Document::from_value`] refuses.
    pub fn parse(text: &[u8]) -> Result<Self, Problem> {
        Self::from_value(Self::parse_text(text)?)
    }

    /// The value that the text of a document, JSON or YAML, stands for.
    ///
    /// # Errors
    /// Text that cannot be parsed.
    pub fn parse_text(text: &[u8]) -> Result<Value, Problem> {
        json::parse_text(text).map_err(|problem| {
            let message = format!("neither JSON nor YAML: {}", problem.message);
            Problem::new(problem.at, message)
        })
    }

    /// This document with what was found before it was read.
    #[must_use]
    pub fn with_remarks(self, remarks: Vec<Problem>) -> Self {
        Self { remarks, ..self }
    }

    /// What was found before it was read, and costs nothing.
    pub fn remarks(&self) -> &[Problem] {
        &self.remarks
    }

    /// Checks the version and the outermost structure of a parsed document.
    ///
    /// # Errors
    /// Neither an OpenAPI 3 nor a Swagger 2.0 document; `info` or `paths` is not an object.
    pub fn from_value(mut root: Value) -> Result<Self, Problem> {
        let is_old = root.as_object().is_some_and(swagger::is_swagger_2);
        let old = root.as_object_mut().filter(|_| is_old);
        let swagger = old.map(|map| Box::new(swagger::convert(map)));
        let Some(map) = root.as_object() else {
            let found = if root.is_string() { ", found other text" } else { "" };
            let message = format!("expected an OpenAPI document, which is an object{found}");
            return Err(Problem::new("", message));
        };
        let version = Version::of(map)?;
        for key in ["info", "paths", "components"] {
            if map.get(key).is_some_and(|value| !value.is_object() && !value.is_null()) {
                return Err(Problem::new(format!("/{key}"), "expected an object"));
            }
        }
        if !["paths", "components", "webhooks"].iter().any(|key| map.contains_key(*key)) {
            let message = "expected `paths`, `components` or `webhooks`; the document has none";
            return Err(Problem::new("", message));
        }
        let (identifiers, files) = (OnceCell::new(), Files::default());
        let (remarks, good_patterns) = (Vec::new(), RefCell::default());
        Ok(Self { root, version, identifiers, files, swagger, remarks, good_patterns })
    }

    /// The whole document as parsed.
    pub fn root(&self) -> &Value {
        &self.root
    }

    /// The version of the specification it is written for.
    pub fn version(&self) -> Version {
        self.version
    }

    /// `info.title`; empty when the document has none.
    pub fn title(&self) -> &str {
        self.info("title")
    }

    /// `info.version`; empty when the document has none.
    pub fn api_version(&self) -> &str {
        self.info("version")
    }

    /// The Tag Objects that have a name, in order: name, object, place.
    pub fn tags(&self) -> impl Iterator<Item = (&str, &Value, Pointer)> {
        let tags = self.root.get("tags").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        tags.iter().enumerate().filter_map(|(index, tag)| {
            let name = tag.get("name")?.as_str()?;
            Some((name, tag, Pointer::root().join("tags").join(index)))
        })
    }

    fn info(&self, key: &str) -> &str {
        self.root.get("info").and_then(|info| info.get(key)).and_then(Value::as_str).unwrap_or("")
    }

    fn root_node(&self) -> Node<'_> {
        Node { value: &self.root, pointer: Pointer::root() }
    }
}

impl Version {
    /// Whether schemas are JSON Schema 2020-12 and siblings of `$ref` count.
    pub fn is_2020_12(self) -> bool {
        self >= Self::V3_1
    }

    fn of(root: &Map<String, Value>) -> Result<Self, Problem> {
        if let Some(version) = root.get("swagger") {
            let version = version_text(version).unwrap_or_default();
            let message = format!(
                "this is a Swagger `{version}` document, expected Swagger 2.0 or OpenAPI 3.0, 3.1 \
                 or 3.2"
            );
            return Err(Problem::new("/swagger", message));
        }
        let Some(version) = root.get("openapi") else {
            let message = "not an OpenAPI document: expected the field `openapi` with the version \
                           of the specification, 3.0, 3.1 or 3.2 (or `swagger: \"2.0\"`)";
            return Err(Problem::new("", message));
        };
        let version = version_text(version).unwrap_or_default();
        let mut parts = version.split('.');
        match (parts.next(), parts.next().and_then(|minor| minor.parse::<u8>().ok())) {
            (Some("3"), Some(0)) => Ok(Self::V3_0),
            (Some("3"), Some(1)) => Ok(Self::V3_1),
            (Some("3"), Some(_)) => Ok(Self::V3_2),
            _ => Err(Problem::new(
                "/openapi",
                format!("the OpenAPI version is `{version}`, expected 3.0, 3.1 or 3.2"),
            )),
        }
    }
}

/// A version as text; unquoted in YAML it is a number.
fn version_text(version: &Value) -> Option<String> {
    match version {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

impl<'d> Node<'d> {
    /// The member `key` of an object.
    pub fn get(&self, key: &str) -> Option<Node<'d>> {
        let value = self.value.get(key)?;
        Some(Node { value, pointer: self.pointer.join(key) })
    }

    /// A present member; `null`, which YAML gives for an empty field, counts as absent.
    fn present(&self, key: &str) -> Option<Node<'d>> {
        self.get(key).filter(|member| !member.value.is_null())
    }

    /// The elements of an array; none for any other value.
    pub fn elements(&self) -> impl Iterator<Item = Node<'d>> {
        let items = self.value.as_array().map_or(&[][..], Vec::as_slice);
        items
            .iter()
            .enumerate()
            .map(|(index, value)| Node { value, pointer: self.pointer.join(index) })
    }

    /// The members of an object; none for any other value.
    pub fn members(&self) -> impl Iterator<Item = (&'d str, Node<'d>)> {
        self.value
            .as_object()
            .into_iter()
            .flatten()
            .map(|(key, value)| (key.as_str(), Node { value, pointer: self.pointer.join(key) }))
    }

    /// The text of `$ref`, if this is a reference.
    pub fn reference(&self) -> Option<&'d str> {
        self.value.get("$ref").and_then(Value::as_str)
    }
}
