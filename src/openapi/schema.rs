//! Schemas of a document as self-contained JSON Schema 2020-12.
//!
//! [`extract`] works in two steps: `convert` translates every schema that is reached, once, with
//! references between them; `pack` then decides which of them stand under `$defs` and which are
//! written in place. The work is linear in the schemas reached, so nothing expands exponentially.

mod check;
mod convert;
mod dialect;
mod discriminator;
mod keyword;
mod merge;
mod pack;
#[cfg(test)]
mod tests;
mod visibility;
pub mod walk;

pub use merge::{is_plain_object, open, portable};

use serde_json::{Map, Value};

use super::{Document, Node};
use crate::json::Problem;

/// Which way values of a schema travel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// To the API: `readOnly` properties are left out, also of `required`.
    Input,
    /// From the API: `writeOnly` properties are left out, also of `required`.
    Output,
    /// Both ways, as an editor has it: only `required` leaves `readOnly` properties out, keywords of
    /// others are kept, and alternatives without a title get the name of their schema.
    Both,
}

/// Several schemas that share their definitions.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Bundle {
    /// The schemas in the order of the nodes; they refer to `#/$defs/…`.
    pub schemas: Vec<Value>,
    /// The definitions, for the `$defs` of the schema that the others are placed in.
    pub definitions: Map<String, Value>,
}

/// One schema as self-contained JSON Schema 2020-12, with `$defs` where it recurses or repeats
/// itself.
///
/// The dialect of OpenAPI 3.0 (§4.7.24) is translated: `nullable`, boolean bounds, `example`, ignored
/// siblings of `$ref`; so are the leftovers of older drafts that documents of every version carry.
/// Only keywords of JSON Schema and `x-mcp-header` are kept, except for [`Direction::Both`].
///
/// # Errors
/// Every keyword with an impossible value, every reference that cannot be followed or that loops
/// without entering the value, and too large a schema; each with its place.
pub fn extract(
    document: &Document,
    node: &Node<'_>,
    direction: Direction,
) -> Result<Value, Vec<Problem>> {
    let bundle = extract_all(document, std::slice::from_ref(node), direction)?;
    let schema = bundle.schemas.into_iter().next().unwrap_or(Value::Bool(true));
    Ok(with_definitions(schema, bundle.definitions))
}

/// Several schemas as [`extract`] makes them, with shared definitions: for schemas that become
/// parts of one schema.
///
/// # Errors
/// As for [`extract`].
pub fn extract_all(
    document: &Document,
    nodes: &[Node<'_>],
    direction: Direction,
) -> Result<Bundle, Vec<Problem>> {
    let graph = convert::convert(document, nodes, direction)?;
    pack::pack(graph)
}

/// Adds definitions to a schema that refers to them.
fn with_definitions(schema: Value, definitions: Map<String, Value>) -> Value {
    match schema {
        Value::Object(mut map) if !definitions.is_empty() => {
            map.insert("$defs".to_owned(), Value::Object(definitions));
            Value::Object(map)
        }
        schema => schema,
    }
}
