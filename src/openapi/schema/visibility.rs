//! Properties that do not travel in one direction (`readOnly`, `writeOnly`).

use serde_json::Value;

use super::Direction;
use crate::openapi::{Document, Node};

/// How many schemas are looked at behind one question.
const BUDGET: usize = 64;

/// Whether values of a schema are left out in this direction.
pub(super) fn is_hidden(document: &Document, schema: &Node<'_>, direction: Direction) -> bool {
    direction != Direction::Both && is_marked(document, schema, direction)
}

/// Whether values of a schema do not travel in this direction; an editor sends what it has.
fn is_marked(document: &Document, schema: &Node<'_>, direction: Direction) -> bool {
    let mark = if direction == Direction::Output { "writeOnly" } else { "readOnly" };
    let mut pending = vec![schema.clone()];
    for _ in 0..BUDGET {
        let Some(schema) = pending.pop() else { return false };
        if counts(document, &schema) && schema.value.get(mark) == Some(&Value::Bool(true)) {
            return true;
        }
        push_parts(document, &schema, &mut pending);
    }
    false
}

/// Names of the properties of a schema and its `allOf` parts that cannot be required.
pub(super) fn hidden_properties<'d>(
    document: &'d Document,
    schema: &Node<'d>,
    direction: Direction,
) -> Vec<&'d str> {
    let mut names = Vec::new();
    let mut pending = vec![schema.clone()];
    for _ in 0..BUDGET {
        let Some(schema) = pending.pop() else { break };
        if let Some(properties) = schema.get("properties").filter(|_| counts(document, &schema)) {
            let properties = document.named_schemas(properties);
            let hidden = properties.members().filter(|(_, p)| is_marked(document, p, direction));
            names.extend(hidden.map(|(name, _)| name));
        }
        push_parts(document, &schema, &mut pending);
    }
    names
}

/// In OpenAPI 3.0 nothing beside `$ref` counts.
fn counts(document: &Document, schema: &Node<'_>) -> bool {
    document.version().is_2020_12() || schema.reference().is_none()
}

fn push_parts<'d>(document: &'d Document, schema: &Node<'d>, pending: &mut Vec<Node<'d>>) {
    if let Some(reference) = schema.reference() {
        pending.extend(document.target(reference, &schema.pointer).ok());
    }
    if let Some(all_of) = schema.get("allOf").filter(|_| counts(document, schema)) {
        pending.extend(all_of.elements());
    }
}
