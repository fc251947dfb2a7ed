//! Brings a fetched schema into the shape that [`super::layout::compile`] reads.

mod compat;
mod release;
#[cfg(test)]
mod tests;

use serde_json::{Map, Value};

/// Marks a `oneOf` whose variants a valid document may match several of.
pub const OVERLAPS: &str = "x-overlaps";

/// Columns with this meaning hold the name of an attached file.
const ATTACHMENT: &str = "http://schema.org/DigitalDocument";

/// Translates the older keywords for forms (`x-fromUrl`, `x-display`, `x-if` …), and hides what an
/// agent cannot fill in: attached files, unless they are text fields, and columns that the API
/// computes (`x-extension`). Only properties of the document itself are hidden. Nobody is asked for
/// values that are `readOnly`.
pub fn prepare(schema: &Value) -> Value {
    let mut schema = schema.clone();
    compat::translate(&mut schema, 0);
    let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
    for property in properties.into_iter().flat_map(Map::values_mut) {
        if let Value::Object(property) = property {
            hide(property);
        }
    }
    release::release(&mut schema);
    schema
}

fn hide(property: &mut Map<String, Value>) {
    let mut layout = match property.get_mut("layout") {
        Some(Value::Object(layout)) => std::mem::take(layout),
        Some(component @ Value::String(_)) => {
            Map::from_iter([("comp".to_owned(), component.take())])
        }
        _ => Map::new(),
    };
    let is_text = layout.get("comp").and_then(Value::as_str) == Some("text-field");
    let is_attachment = property.get("x-refersTo").and_then(Value::as_str) == Some(ATTACHMENT);
    if (is_attachment && !is_text) || property.contains_key("x-extension") {
        layout.insert("comp".to_owned(), "none".into());
    }
    if !layout.is_empty() {
        property.insert("layout".to_owned(), Value::Object(layout));
    }
}
