//! The variants of a form, as far as they are told apart.

use serde_json::{Value, json};

use crate::catalog::{overlap, schema};
use crate::openapi::schema::open;

/// Variants that are tied to the value that selects them, with the names of their definitions.
type Known = Vec<(Value, String)>;

/// The schema of a form: with the root in its own place, every variant that a discriminator ties to a
/// value as a schema of its own, and a mark where variants overlap.
pub(super) fn told_apart(schema: Value) -> Value {
    let mut schema = schema::inline_root(schema);
    open_variants(&mut schema);
    overlap::mark(&mut schema);
    schema
}

/// A form takes a keyword from one schema only, so what stands beside a reference would hide the
/// properties of its target.
fn open_variants(schema: &mut Value) {
    let Some(definitions) = schema.get("$defs").cloned() else { return };
    let mut known = Known::new();
    refer(schema, &definitions, &mut known);
    let mut next = 0;
    while let Some((variant, name)) = known.get(next).cloned() {
        next += 1;
        let mut opened = open(variant, Some(&definitions)).map_or(Value::Bool(true), Value::Object);
        refer(&mut opened, &definitions, &mut known);
        if let Some(Value::Object(definitions)) = schema.get_mut("$defs") {
            definitions.insert(name, opened);
        }
    }
    schema::drop_unused_definitions(schema);
}

/// Replaces tied variants by references to definitions that are still to be made.
fn refer(schema: &mut Value, definitions: &Value, known: &mut Known) {
    schema::walk(schema, &mut |map| {
        let variants = map.get_mut("oneOf").and_then(Value::as_array_mut);
        for variant in variants.into_iter().flatten() {
            if variant.get("$ref").is_none() || variant.get("properties").is_none() {
                continue;
            }
            let found = known.iter().find(|(other, _)| other == variant);
            let name = if let Some((_, name)) = found {
                name.clone()
            } else {
                let name = unused_name(definitions, known);
                known.push((variant.clone(), name.clone()));
                name
            };
            *variant = json!({ "$ref": format!("#/$defs/{name}") });
        }
    });
}

fn unused_name(definitions: &Value, known: &Known) -> String {
    let mut names = (known.len()..).map(|number| format!("variant-{number}"));
    let is_used = |name: &String| {
        definitions.get(name).is_some() || known.iter().any(|(_, other)| other == name)
    };
    names.find(|name| !is_used(name)).unwrap_or_default()
}
