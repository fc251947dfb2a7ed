//! A body schema as the document has it, for clients that take all of JSON Schema 2020-12.

use serde_json::{Map, Value};

use super::context::Context;
use crate::config::SchemaProfile;
use crate::openapi::{Document, Node};
use crate::pattern;

const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";
/// Keywords whose members are schemas by name.
const NAMED: [&str; 4] = ["properties", "patternProperties", "$defs", "dependentSchemas"];
/// Keywords whose value is no schema.
const DATA: [&str; 6] = ["enum", "const", "default", "example", "examples", "required"];
/// Keywords that mean something else in another place, or that need the document around them.
const BOUND: [&str; 5] = ["$id", "$dynamicRef", "$dynamicAnchor", "$recursiveRef", "$vocabulary"];

/// The schema as it stands, when it can be the input schema of a tool: an object closed by
/// `additionalProperties: false`, so that its properties are all there is to send, whose references
/// stay inside it.
pub(super) fn schema(context: &Context<'_>, node: &Node<'_>) -> Option<Value> {
    let document = context.document;
    let is_asked = context.options.schema_profile == SchemaProfile::Full;
    if !is_asked || !document.version().is_2020_12() {
        return None;
    }
    let node = document.resolve(node.clone()).ok()?;
    let map = node.value.as_object()?;
    let has_properties =
        map.get("properties").and_then(Value::as_object).is_some_and(|it| !it.is_empty());
    let is_closed = map.get("additionalProperties") == Some(&Value::Bool(false));
    let is_object = map.get("type").and_then(Value::as_str) == Some("object");
    if !(has_properties && is_closed && is_object) {
        return None;
    }
    let copy = Copy { document, root: node.pointer.as_str() }.of(&node)?;
    pattern::options().build(&copy).is_ok().then_some(copy)
}

/// Copies a schema out of a document.
struct Copy<'d> {
    document: &'d Document,
    /// Place of the schema that becomes the root.
    root: &'d str,
}

impl Copy<'_> {
    /// `None` when the schema means something else outside the document.
    fn of(&self, node: &Node<'_>) -> Option<Value> {
        match node.value {
            Value::Object(map) => self.object(map, node),
            Value::Array(items) => {
                let copies = items.iter().enumerate().map(|(index, value)| {
                    self.of(&Node { value, pointer: node.pointer.join(index) })
                });
                Some(Value::Array(copies.collect::<Option<_>>()?))
            }
            other => Some(other.clone()),
        }
    }

    fn object(&self, map: &Map<String, Value>, node: &Node<'_>) -> Option<Value> {
        let mut copy = Map::new();
        for (key, value) in map {
            let key_name = key.as_str();
            if is_extension(key_name) {
                continue;
            }
            let value = match key_name {
                "$ref" => Value::String(self.reference(value.as_str()?, node)?),
                "$schema" if value != DIALECT => return None,
                "readOnly" if value == &Value::Bool(true) => return None,
                _ if BOUND.contains(&key_name) => return None,
                _ if DATA.contains(&key_name) => value.clone(),
                _ if NAMED.contains(&key_name) => self.named(value, node, key_name)?,
                _ => self.of(&Node { value, pointer: node.pointer.join(key_name) })?,
            };
            copy.insert(key.clone(), value);
        }
        Some(Value::Object(copy))
    }

    fn named(&self, value: &Value, node: &Node<'_>, key: &str) -> Option<Value> {
        let place = node.pointer.join(key);
        let copies = value.as_object()?.iter().map(|(name, value)| {
            Some((name.clone(), self.of(&Node { value, pointer: place.join(name) })?))
        });
        Some(Value::Object(copies.collect::<Option<_>>()?))
    }

    /// A reference to the same place, seen from the root of the copy.
    fn reference(&self, reference: &str, node: &Node<'_>) -> Option<String> {
        let target = self.document.target(reference, &node.pointer).ok()?;
        let inner = target.pointer.as_str().strip_prefix(self.root)?;
        let is_plain = inner.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'%');
        (is_plain && (inner.is_empty() || inner.starts_with('/'))).then(|| ["#", inner].concat())
    }
}

fn is_extension(key: &str) -> bool {
    key.starts_with("x-") && key != "x-mcp-header"
}
