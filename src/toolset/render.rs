//! JSON fragments of a tool set, written without building a tree.

use base64::{Engine, prelude::BASE64_STANDARD};
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::Family;
use crate::json::escape;
use crate::tool::Tool;

/// `_meta` key of a tool's example arguments.
const EXAMPLES: &str = "x-agent/examples";

/// The `tools/list` entry of a tool for one family of revisions (MCP 2026-07-28 `Tool`).
pub(super) fn entry(tool: &Tool, family: Family) -> Vec<u8> {
    let mut out = Vec::new();
    out.extend_from_slice(b"{\"name\":");
    push_text(&mut out, &tool.name);
    if let Some(title) = tool.title.as_ref().filter(|_| family > Family::Basic) {
        push_member(&mut out, "title", title);
    }
    push_member(&mut out, "description", &tool.description);
    push_member(&mut out, "inputSchema", &tool.input_schema);
    if let Some(schema) = output_schema(tool, family) {
        push_member(&mut out, "outputSchema", &schema);
    }
    if !tool.annotations.is_empty() {
        push_member(&mut out, "annotations", &tool.annotations);
    }
    if !tool.examples.is_empty() {
        out.extend_from_slice(b",\"_meta\":{");
        push_text(&mut out, EXAMPLES);
        out.push(b':');
        push_json(&mut out, &tool.examples);
        out.push(b'}');
    }
    out.push(b'}');
    out
}

/// What a call needs and the entry for [`Family::Modern`] does not show: the two objects, one after
/// the other, have the members of a [`Tool`].
pub(super) fn rest(tool: &Tool) -> Vec<u8> {
    let mut out = b"{\"plan\":".to_vec();
    push_json(&mut out, &tool.plan);
    push_member(&mut out, "paramHeaders", &tool.param_headers);
    push_member(&mut out, "examples", &tool.examples);
    if let Some(schema) = &tool.exact_schema {
        push_member(&mut out, "exactSchema", schema);
    }
    if tool.annotations.is_empty() {
        push_member(&mut out, "annotations", &tool.annotations);
    }
    out.push(b'}');
    out
}

/// Whether revisions before 2026-07-28 get the structured result of a tool as `{"result": …}`:
/// their `outputSchema` must be one of an object.
pub(super) fn wraps(schema: &Value) -> bool {
    schema.get("type").and_then(Value::as_str) != Some("object")
}

fn output_schema(tool: &Tool, family: Family) -> Option<std::borrow::Cow<'_, Value>> {
    use std::borrow::Cow;
    let schema = tool.output_schema.as_ref()?;
    match family {
        Family::Basic => None,
        Family::Structured if wraps(schema) => Some(Cow::Owned(wrapped(schema))),
        Family::Structured | Family::Modern => Some(Cow::Borrowed(schema)),
    }
}

/// The schema of `{"result": …}`. Definitions move to the root, where `#/$defs/…` finds them.
fn wrapped(schema: &Value) -> Value {
    let mut inner = schema.clone();
    let mut root = Map::new();
    if let Value::Object(map) = &mut inner {
        for key in ["$schema", "$defs"] {
            if let Some(value) = map.shift_remove(key) {
                root.insert(key.to_owned(), value);
            }
        }
    }
    root.insert("type".to_owned(), json!("object"));
    root.insert("properties".to_owned(), json!({ "result": inner }));
    root.insert("required".to_owned(), json!(["result"]));
    Value::Object(root)
}

/// The server's name and version (MCP `Implementation`).
pub(super) fn server_info(title: &str, version: &str) -> Vec<u8> {
    let mut out = b"{\"name\":".to_vec();
    push_text(&mut out, title);
    push_member(&mut out, "version", version);
    out.push(b'}');
    out
}

/// Writes a further member of an object.
pub(super) fn push_member<T: Serialize + ?Sized>(out: &mut Vec<u8>, key: &str, value: &T) {
    out.push(b',');
    push_text(out, key);
    out.push(b':');
    push_json(out, value);
}

/// Writes a JSON string.
pub fn push_text(out: &mut Vec<u8>, text: &str) {
    escape::pieces(text, &mut |piece| out.extend_from_slice(piece.as_bytes()));
}

/// Writes bytes as a JSON string in Base64 (RFC 4648 §4).
pub fn push_blob(out: &mut Vec<u8>, data: &[u8]) {
    out.push(b'"');
    let start = out.len();
    out.resize(start + data.len().div_ceil(3) * 4, b'=');
    let written = out
        .get_mut(start..)
        .and_then(|space| BASE64_STANDARD.encode_slice(data, space).ok())
        .unwrap_or_default();
    out.truncate(start + written);
    out.push(b'"');
}

fn push_json<T: Serialize + ?Sized>(out: &mut Vec<u8>, value: &T) {
    // Nothing that is written here has a fallible representation, and a `Vec` takes everything.
    let _ = serde_json::to_writer(out, value);
}
