//! The bytes of a plugin configuration as a value.

use serde_json::Value;

use super::structpb;
use crate::json::{self, Problem};

/// Reads text that holds an object, else a serialized `google.protobuf.Struct`.
///
/// The two cannot be confused: the wire form of any field of a `Struct` has control characters that
/// neither YAML nor JSON allows.
pub(super) fn read(bytes: &[u8]) -> Result<Value, Problem> {
    if bytes.trim_ascii().is_empty() {
        return Err(Problem::new("", "the configuration is empty; expected YAML or JSON text"));
    }
    let text = json::parse_text(bytes);
    match text {
        Ok(Value::Object(_)) => text,
        Ok(_) | Err(_) => structpb::decode(bytes).map_or(text, Ok),
    }
}
