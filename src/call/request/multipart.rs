//! `multipart/*` bodies (RFC 7578, OpenAPI 3.1 §4.8.14.3 and §4.8.15).

use std::borrow::Cow;

use serde_json::Value;
use sha2::{Digest, Sha256};

use super::{
    body::{self, Member},
    content,
    escape::Keep,
    form, headers, style,
};
use crate::{
    json::{Pointer, Problem},
    tool::{BodyPlan, PropertyEncoding},
};

/// One part: its header fields and its content.
struct Part {
    head: String,
    content: Vec<u8>,
}

/// Writes the members as parts; an array becomes one part per element. Returns the boundary, which
/// is derived from the content, and the body.
#[cold]
pub(super) fn encode(
    plan: &BodyPlan,
    members: &[Member<'_>],
    problems: &mut Vec<Problem>,
) -> (String, Vec<u8>) {
    let mut parts = Vec::with_capacity(members.len());
    for member in members {
        let encoding = form::encoding_of(plan, member.name);
        push_parts(&mut parts, member, encoding, problems);
    }
    let boundary = boundary(&parts);
    let mut out = Vec::with_capacity(parts.iter().map(|p| p.content.len() + 256).sum());
    for part in &parts {
        for piece in ["--", &boundary, "\r\n", &part.head, "\r\n"] {
            out.extend_from_slice(piece.as_bytes());
        }
        out.extend_from_slice(&part.content);
        out.extend_from_slice(b"\r\n");
    }
    for piece in ["--", &boundary, "--\r\n"] {
        out.extend_from_slice(piece.as_bytes());
    }
    (boundary, out)
}

fn push_parts(
    parts: &mut Vec<Part>,
    member: &Member<'_>,
    encoding: Option<&PropertyEncoding>,
    problems: &mut Vec<Problem>,
) {
    match (member.value, encoding) {
        (Value::Null, _) => {}
        (value, Some(PropertyEncoding { style: Some(style), explode, .. })) => {
            style::pairs(member.name, *style, *explode, value, &mut |pair| {
                let (mut name, mut text) = (String::new(), String::new());
                pair.push_name(&mut name, Keep::All);
                pair.push_value(&mut text, Keep::All);
                parts.push(Part { head: head(&name, None, encoding), content: text.into_bytes() });
            });
        }
        (Value::Array(items), _) => {
            for (position, item) in items.iter().enumerate() {
                let at = member.at.join(position);
                parts.extend(part(member.name, item, &at, encoding, problems));
            }
        }
        (value, _) => parts.extend(part(member.name, value, &member.at, encoding, problems)),
    }
}

fn part(
    name: &str,
    value: &Value,
    at: &Pointer,
    encoding: Option<&PropertyEncoding>,
    problems: &mut Vec<Problem>,
) -> Option<Part> {
    let given = encoding.and_then(|e| e.content_type.as_deref());
    if encoding.is_some_and(|e| e.binary) {
        let content = body::bytes_of(value, at, problems)?;
        let media_type = given.unwrap_or("application/octet-stream");
        return Some(Part { head: head(name, Some(media_type), encoding), content });
    }
    let structure = value.is_array() || value.is_object();
    let media_type = given.or(structure.then_some("application/json"));
    let text: Cow<'_, str> = content(media_type.unwrap_or_default(), value);
    Some(Part { head: head(name, media_type, encoding), content: text.into_owned().into_bytes() })
}

/// The header fields of a part, each ended with a line break.
fn head(name: &str, media_type: Option<&str>, encoding: Option<&PropertyEncoding>) -> String {
    let mut head = String::from("Content-Disposition: form-data; name=\"");
    push_quoted(&mut head, name);
    head.push('"');
    if encoding.is_some_and(|e| e.binary) {
        head.push_str("; filename=\"");
        push_quoted(&mut head, name);
        head.push('"');
    }
    head.push_str("\r\n");
    if let Some(media_type) = media_type {
        push_field(&mut head, "Content-Type", media_type);
    }
    for (name, value) in encoding.map(|e| e.headers.as_slice()).unwrap_or_default() {
        push_field(&mut head, name, value);
    }
    head
}

/// Appends a field, unless it could not be one.
fn push_field(head: &mut String, name: &str, value: &str) {
    if headers::is_token(name) && !value.chars().any(char::is_control) {
        for piece in [name, ": ", value, "\r\n"] {
            head.push_str(piece);
        }
    }
}

/// Appends a name inside quotes (WHATWG HTML “multipart/form-data encoding algorithm”).
fn push_quoted(out: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            '"' => out.push_str("%22"),
            '\r' => out.push_str("%0D"),
            '\n' => out.push_str("%0A"),
            c => out.push(c),
        }
    }
}

/// A boundary that no part contains, the same for the same parts.
fn boundary(parts: &[Part]) -> String {
    let mut digest = Sha256::new();
    for part in parts {
        digest.update(&part.head);
        digest.update(part.content.len().to_le_bytes());
        digest.update(&part.content);
    }
    let mut seed = digest.finalize();
    loop {
        let mut boundary = String::from("part-");
        for byte in seed.iter().take(16) {
            for digit in [byte >> 4, byte & 15] {
                boundary.extend(char::from_digit(digit.into(), 16));
            }
        }
        let needle = boundary.as_bytes();
        if !parts.iter().any(|p| p.content.windows(needle.len()).any(|w| w == needle)) {
            return boundary;
        }
        seed = Sha256::digest(seed);
    }
}
