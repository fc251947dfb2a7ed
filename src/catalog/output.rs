//! The schema of structured results: what remains of the response after hiding and projection.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::schema;
use crate::json::Problem;
use crate::openapi::schema::{Direction, extract};
use crate::openapi::{Document, Node};
use crate::pattern;
use crate::tool::{Detailed, Property, ResponsePlan, Shape};

/// Keywords that a result may violate after hiding and projection, or because an API is looser than
/// its document.
const DROPPED: [&str; 27] = [
    "required",
    "enum",
    "const",
    "format",
    "pattern",
    "minLength",
    "maxLength",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minItems",
    "maxItems",
    "uniqueItems",
    "contains",
    "minContains",
    "maxContains",
    "minProperties",
    "maxProperties",
    "propertyNames",
    "dependentRequired",
    "dependentSchemas",
    "unevaluatedProperties",
    "unevaluatedItems",
    "not",
    "default",
];

/// The schema of what a tool returns as structured content.
///
/// Every result of the documented types is valid: hidden properties are gone, nothing is required,
/// nothing is closed, values may be null.
///
/// # Errors
/// What [`extract`] finds.
pub(super) fn schema(
    document: &Document,
    node: &Node<'_>,
    plan: &ResponsePlan,
) -> Result<Value, Vec<Problem>> {
    let mut schema = schema::inline_root(extract(document, node, Direction::Output)?);
    let mut hider = Hider { shapes: &plan.shape, defs: Map::new(), done: BTreeSet::new() };
    if let Some(Value::Object(defs)) =
        schema.as_object_mut().and_then(|map| map.shift_remove("$defs"))
    {
        hider.defs = defs;
    }
    hider.hide(&mut schema, 0);
    if let Some(map) = schema.as_object_mut().filter(|_| !hider.defs.is_empty()) {
        map.insert("$defs".to_owned(), hider.defs.into());
    }
    schema::walk(&mut schema, &mut relax);
    project(&mut schema, plan);
    settle_root(&mut schema);
    schema::drop_unused_definitions(&mut schema);
    Ok(schema)
}

/// Whether some value that says nothing is valid, so that every success can have one.
pub(super) fn accepts_nothing(schema: &Value) -> bool {
    let validator = pattern::options().build(schema);
    validator.is_ok_and(|it| it.is_valid(&json!({})) || it.is_valid(&Value::Null))
}

/// Removes what the shapes hide.
struct Hider<'p> {
    shapes: &'p [Shape],
    defs: Map<String, Value>,
    /// Definitions that are done, each for one node.
    done: BTreeSet<(String, usize)>,
}

impl Hider<'_> {
    fn hide(&mut self, schema: &mut Value, node: usize) {
        let shapes = self.shapes;
        let (Some(shape), Some(map)) = (shapes.get(node), schema.as_object_mut()) else { return };
        if let Some(name) = map.get("$ref").and_then(Value::as_str).and_then(schema::target) {
            self.hide_definition(name, node);
        }
        for key in ["allOf", "anyOf", "oneOf"] {
            let list = map.get_mut(key).and_then(Value::as_array_mut);
            list.into_iter().flatten().for_each(|part| self.hide(part, node));
        }
        for key in ["if", "then", "else"] {
            if let Some(part) = map.get_mut(key) {
                self.hide(part, node);
            }
        }
        if let Some(Value::Object(properties)) = map.get_mut("properties") {
            self.hide_properties(properties, shape);
        }
        if let Some(Value::Object(patterns)) = map.get_mut("patternProperties") {
            patterns.retain(|text, value| {
                let known = shape.patterns.iter().find(|(pattern, _)| pattern == text);
                self.keep(value, known.map(|(_, property)| property))
            });
        }
        if let Some(value) = map.get_mut("additionalProperties")
            && !self.keep(value, shape.additional.as_deref())
        {
            map.shift_remove("additionalProperties");
        }
        if let (Some(items), Some(node)) = (map.get_mut("items"), shape.items) {
            self.hide(items, node);
        }
        let prefix = map.get_mut("prefixItems").and_then(Value::as_array_mut);
        for (item, &node) in prefix.into_iter().flatten().zip(&shape.prefix_items) {
            self.hide(item, node);
        }
    }

    fn hide_properties(&mut self, properties: &mut Map<String, Value>, shape: &Shape) {
        properties.retain(|name, value| {
            let known = shape.properties.iter().find(|property| property.name == *name);
            self.keep(value, known)
        });
    }

    /// Whether a property stays; hides what is inside it.
    fn keep(&mut self, value: &mut Value, property: Option<&Property>) -> bool {
        let Some(property) = property else { return true };
        if let Some(node) = property.node {
            self.hide(value, node);
        }
        !property.exclude
    }

    fn hide_definition(&mut self, name: String, node: usize) {
        if !self.done.insert((name.clone(), node)) {
            return;
        }
        let Some(mut definition) = self.defs.get_mut(&name).map(std::mem::take) else { return };
        self.hide(&mut definition, node);
        if let Some(place) = self.defs.get_mut(&name) {
            *place = definition;
        }
    }
}

/// Removes what results may violate, and lets every value be null.
fn relax(map: &mut Map<String, Value>) {
    for key in DROPPED {
        map.shift_remove(key);
    }
    for key in ["if", "then", "else"] {
        map.shift_remove(key);
    }
    for key in ["additionalProperties", "items"] {
        if map.get(key) == Some(&Value::Bool(false)) {
            map.shift_remove(key);
        }
    }
    schema::open_alternatives(map);
    match map.get_mut("type") {
        Some(Value::Array(types)) if !types.iter().any(|item| item == "null") => {
            types.push("null".into());
        }
        Some(text @ Value::String(_)) if *text != "null" => *text = json!([text.take(), "null"]),
        _ => {}
    }
}

/// Removes the fields that no presentation returns.
fn project(schema: &mut Value, plan: &ResponsePlan) {
    let Some(fields) = returned(plan) else { return };
    let row = match &plan.rows {
        Some(rows) => {
            let list = schema.get_mut("properties").and_then(|found| found.get_mut(rows));
            list.and_then(|list| list.get_mut("items"))
        }
        None if schema.get("items").is_some() => schema.get_mut("items"),
        None => Some(schema),
    };
    let properties = row.and_then(|row| row.get_mut("properties")).and_then(Value::as_object_mut);
    if let Some(properties) = properties {
        properties.retain(|name, _| fields.contains(&name.as_str()));
    }
}

/// The fields that may be returned; `None` for any.
fn returned(plan: &ResponsePlan) -> Option<Vec<&str>> {
    let concise = plan.concise.as_ref().filter(|_| plan.fields_argument.is_none())?;
    let detailed = match (&plan.format_argument, &plan.detailed) {
        (None, _) => &[][..],
        (Some(_), Some(Detailed::Fields(fields))) => fields,
        (Some(_), _) => return None,
    };
    Some(concise.iter().chain(detailed).map(String::as_str).collect())
}

/// An object stays an object at the root, for the protocol revisions that know nothing else; any
/// other root type is left open.
fn settle_root(schema: &mut Value) {
    let is_object = schema::has_type(schema, "object");
    let Some(map) = schema.as_object_mut() else {
        *schema = json!({});
        return;
    };
    if is_object {
        map.insert("type".to_owned(), "object".into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schema_that_allows_nothing_is_known() {
        assert!(accepts_nothing(&json!({ "type": "object" })));
        assert!(accepts_nothing(&json!({ "type": ["array", "null"] })));
        assert!(!accepts_nothing(&json!(false)));
        assert!(!accepts_nothing(&json!({ "type": "object", "allOf": [{ "type": "array" }] })));
        assert!(!accepts_nothing(&json!({ "$ref": "#/$defs/gone" })));
    }
}
