//! The schemas of a document as a graph: what applies to one value, and what to its parts.
//!
//! For walking a response schema node by node. Nodes are identified by their place, so a walk that
//! remembers the places it has seen ends also on recursive schemas.

use serde_json::Value;

use crate::json::{Pointer, Problem};
use crate::openapi::{Document, Node};

/// How many schemas may apply to one value.
const MAX_IN_PLACE: usize = 1_000;

/// How a value is divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part<'d> {
    /// The property of this name.
    Property(&'d str),
    /// Properties whose names match this regular expression.
    Pattern(&'d str),
    /// All other properties (`additionalProperties`, `unevaluatedProperties`).
    Additional,
    /// The items of an array that no `Item` describes (`items`, `unevaluatedItems`).
    Items,
    /// The item at this index (`prefixItems`).
    Item(usize),
}

/// The schema that stands for a node: the one behind references that say nothing else.
///
/// # Errors
/// Located at the reference that cannot be followed, runs in a circle or leads to no schema.
pub fn identity<'d>(document: &'d Document, node: Node<'d>) -> Result<Node<'d>, Problem> {
    match lone_reference(document, &node) {
        None => Ok(node),
        Some(reference) => {
            let target = document.target(reference, &node.pointer)?;
            target_schema(document, target, node.pointer.join("$ref"))
        }
    }
}

/// The schema that the target of the reference at `at` stands for.
pub(super) fn target_schema<'d>(
    document: &'d Document,
    target: Node<'d>,
    at: Pointer,
) -> Result<Node<'d>, Problem> {
    const MAX_CHAIN: usize = 64;
    let mut last = target;
    for _ in 0..MAX_CHAIN {
        match lone_reference(document, &last) {
            Some(reference) => last = document.target(reference, &last.pointer)?,
            None if is_schema(&last) => return Ok(last),
            None => {
                let message = "the reference leads to something that is not a schema";
                return Err(Problem::new(at, message));
            }
        }
    }
    Err(Problem::new(at, "the reference only leads to other references, in a circle"))
}

/// The reference of a schema that says nothing else.
fn lone_reference<'d>(document: &Document, node: &Node<'d>) -> Option<&'d str> {
    let is_alone = node.value.as_object().is_some_and(|map| map.len() == 1);
    node.reference().filter(|_| is_alone || !document.version().is_2020_12())
}

/// Whether a place can hold a schema; the document itself cannot.
fn is_schema(node: &Node<'_>) -> bool {
    !node.pointer.as_str().is_empty() && (node.value.is_object() || node.value.is_boolean())
}

/// The schemas that apply to the value that `node` describes: itself, and through `$ref`, `allOf`,
/// `anyOf`, `oneOf`, `if`, `then`, `else` and `dependentSchemas` the others, each once.
///
/// # Errors
/// A reference that cannot be followed, or more schemas than a value can reasonably have.
pub fn in_place<'d>(document: &'d Document, node: &Node<'d>) -> Result<Vec<Node<'d>>, Problem> {
    let mut found: Vec<Node<'d>> = Vec::new();
    let mut pending = vec![node.clone()];
    while let Some(next) = pending.pop() {
        if found.iter().any(|known| known.pointer == next.pointer) {
            continue;
        }
        if found.len() == MAX_IN_PLACE {
            let message = format!("more than {MAX_IN_PLACE} schemas describe one value");
            return Err(Problem::new(node.pointer.clone(), message));
        }
        let mut more = alongside(document, &next)?;
        more.reverse();
        pending.extend(more);
        found.push(next);
    }
    Ok(found)
}

/// The parts of the value that `node` describes, with a schema of each, in document order. One part
/// comes several times where several schemas describe it.
///
/// # Errors
/// As for [`in_place`].
pub fn children<'d>(
    document: &'d Document,
    node: &Node<'d>,
) -> Result<Vec<(Part<'d>, Node<'d>)>, Problem> {
    let mut parts = Vec::new();
    for schema in in_place(document, node)? {
        for (part, child) in own_children(document, &schema) {
            parts.push((part, identity(document, child)?));
        }
    }
    Ok(parts)
}

/// Schemas that `node` itself applies to the same value.
fn alongside<'d>(document: &'d Document, node: &Node<'d>) -> Result<Vec<Node<'d>>, Problem> {
    let mut more = Vec::new();
    if let Some(reference) = node.reference() {
        more.push(document.target(reference, &node.pointer)?);
        if !document.version().is_2020_12() {
            return Ok(more);
        }
    }
    if let Some(reference) = node.value.get("$dynamicRef").and_then(Value::as_str) {
        more.push(document.target(reference, &node.pointer)?);
    }
    for key in ["allOf", "anyOf", "oneOf"] {
        more.extend(node.get(key).iter().flat_map(Node::elements));
    }
    more.extend(["if", "then", "else"].into_iter().filter_map(|key| node.get(key)));
    let dependent = node.get("dependentSchemas");
    more.extend(dependent.iter().flat_map(Node::members).map(|(_, schema)| schema));
    Ok(more)
}

fn own_children<'d>(document: &'d Document, node: &Node<'d>) -> Vec<(Part<'d>, Node<'d>)> {
    if node.reference().is_some() && !document.version().is_2020_12() {
        return Vec::new();
    }
    let mut parts = Vec::new();
    let properties = node.get("properties").map(|it| document.named_schemas(it));
    let properties = properties.iter().flat_map(Node::members);
    parts.extend(properties.map(|(name, schema)| (Part::Property(name), schema)));
    let patterns = node.get("patternProperties");
    let patterns = patterns.iter().flat_map(Node::members);
    parts.extend(patterns.map(|(pattern, schema)| (Part::Pattern(pattern), schema)));
    for key in ["additionalProperties", "unevaluatedProperties"] {
        parts.extend(node.get(key).map(|schema| (Part::Additional, schema)));
    }
    for key in ["prefixItems", "items"] {
        let items = node.get(key);
        let items = items.iter().flat_map(Node::elements).enumerate();
        parts.extend(items.map(|(index, schema)| (Part::Item(index), schema)));
    }
    for key in ["items", "unevaluatedItems"] {
        let items = node.get(key).filter(|items| !items.value.is_array());
        parts.extend(items.map(|schema| (Part::Items, schema)));
    }
    parts.retain(|(_, schema)| schema.value.is_object());
    parts
}
