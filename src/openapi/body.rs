//! Request bodies, responses and their media types.

use serde_json::{Map, Value};

use super::Node;
use super::reader::Reader;
use crate::json::Pointer;

/// A Request Body Object.
#[derive(Debug, Clone)]
pub struct RequestBody<'d> {
    /// `required`.
    pub required: bool,
    /// `description`; from OpenAPI 3.1 on, one beside a reference wins.
    pub description: Option<&'d str>,
    /// Media types in document order.
    pub content: Vec<MediaType<'d>>,
    /// Place of the object, behind references.
    pub pointer: Pointer,
}

/// One media type of a body.
#[derive(Debug, Clone)]
pub struct MediaType<'d> {
    /// Key of `content`, as written; may hold parameters or be a range such as `image/*`.
    pub name: &'d str,
    /// `schema`, not resolved.
    pub schema: Option<Node<'d>>,
    /// `itemSchema` of a stream (OpenAPI 3.2 §4.14), not resolved.
    pub item_schema: Option<Node<'d>>,
    /// `encoding`.
    pub encoding: Option<&'d Map<String, Value>>,
    /// Place of the Media Type Object, behind references.
    pub pointer: Pointer,
}

/// One response of an operation.
#[derive(Debug, Clone)]
pub struct Response<'d> {
    /// The status codes it describes.
    pub status: StatusPattern,
    /// `description`; from OpenAPI 3.1 on, one beside a reference wins.
    pub description: Option<&'d str>,
    /// Media types in document order; empty for no body.
    pub content: Vec<MediaType<'d>>,
    /// Header Objects by name, references followed.
    pub headers: Vec<(&'d str, Node<'d>)>,
    /// Place of the object, behind references.
    pub pointer: Pointer,
}

/// The status codes a response describes (OpenAPI 3.1 §4.8.16).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatusPattern {
    /// One code, 100 to 599.
    Code(u16),
    /// All codes with this first digit, for instance `2XX`.
    Range(u8),
    /// Every other code.
    Default,
}

impl StatusPattern {
    /// Reads a key of `responses`.
    fn parse(text: &str) -> Option<Self> {
        if text == "default" {
            return Some(Self::Default);
        }
        let first = text.bytes().next().filter(|byte| (b'1'..=b'5').contains(byte))?;
        if text.len() == 3 && text.get(1..)?.eq_ignore_ascii_case("xx") {
            return Some(Self::Range(first - b'0'));
        }
        let code = (text.len() == 3 && text.bytes().all(|byte| byte.is_ascii_digit()))
            .then(|| text.parse().ok())??;
        Some(Self::Code(code))
    }

    /// Whether it describes `status`; `Default` describes all.
    pub fn matches(self, status: u16) -> bool {
        match self {
            Self::Code(code) => code == status,
            Self::Range(digit) => status / 100 == u16::from(digit),
            Self::Default => true,
        }
    }
}

impl<'d> Reader<'d> {
    pub(super) fn request_body(&mut self, reference: Node<'d>) -> Option<RequestBody<'d>> {
        let description = self.sibling_description(&reference);
        let node = self.resolve(reference)?;
        Some(RequestBody {
            required: self.flag(&node, "required").unwrap_or(false),
            description: description.or_else(|| self.prose(&node, "description")),
            content: self.content(&node),
            pointer: node.pointer,
        })
    }

    pub(super) fn responses(&mut self, operation: &Node<'d>) -> Vec<Response<'d>> {
        let Some(responses) = self.object(operation, "responses") else { return Vec::new() };
        responses.members().filter_map(|(key, node)| self.response(key, node)).collect()
    }

    fn response(&mut self, key: &str, reference: Node<'d>) -> Option<Response<'d>> {
        if key.starts_with("x-") {
            return None;
        }
        let Some(status) = StatusPattern::parse(key) else {
            let message = format!(
                "`{key}` is not a status code, a range such as `2XX` or `default`: it is ignored"
            );
            self.warn(&reference, message);
            return None;
        };
        let description = self.sibling_description(&reference);
        let node = self.resolve(reference)?;
        Some(Response {
            status,
            description: description.or_else(|| self.prose(&node, "description")),
            content: self.content(&node),
            headers: self.headers(&node),
            pointer: node.pointer,
        })
    }

    fn headers(&mut self, response: &Node<'d>) -> Vec<(&'d str, Node<'d>)> {
        let Some(headers) = self.object(response, "headers") else { return Vec::new() };
        headers.members().filter_map(|(name, header)| Some((name, self.resolve(header)?))).collect()
    }

    fn content(&mut self, owner: &Node<'d>) -> Vec<MediaType<'d>> {
        let Some(content) = self.object(owner, "content") else { return Vec::new() };
        content.members().filter_map(|(name, entry)| self.media_type(name, entry)).collect()
    }

    fn media_type(&mut self, name: &'d str, entry: Node<'d>) -> Option<MediaType<'d>> {
        let node = if entry.value.is_null() { entry } else { self.resolve(entry)? };
        Some(MediaType {
            name,
            schema: node.present("schema"),
            item_schema: node.present("itemSchema"),
            encoding: self.object(&node, "encoding").and_then(|node| node.value.as_object()),
            pointer: node.pointer,
        })
    }
}
