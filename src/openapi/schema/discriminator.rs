//! Discriminators (OpenAPI 3.1 §4.8.25): alternatives that say which value selects them, and
//! inheritance that does not run in circles.

use serde_json::{Map, Value, json};

use super::Direction;
use super::convert::{Converter, Spot};
use crate::openapi::Node;

impl<'d> Converter<'d> {
    /// Whether a schema is the base of its own alternatives: they refer back to it in `allOf`.
    ///
    /// As such a base it means only its own properties; otherwise validation would never end.
    pub(super) fn is_base(&self, schema: &Node<'d>) -> bool {
        if schema.get("discriminator").is_none() {
            return false;
        }
        let alternatives = ["oneOf", "anyOf"].into_iter().filter_map(|key| schema.get(key));
        let mut alternatives = alternatives.flat_map(|list| list.elements().collect::<Vec<_>>());
        alternatives.any(|alternative| self.extends(alternative, schema))
    }

    fn extends(&self, schema: Node<'d>, base: &Node<'d>) -> bool {
        let Some(all_of) = self.document.resolve(schema).ok().and_then(|s| s.get("allOf")) else {
            return false;
        };
        all_of
            .elements()
            .any(|part| self.document.resolve(part).is_ok_and(|part| part.pointer == base.pointer))
    }

    /// Makes the discriminator of a schema part of its translation.
    ///
    /// Towards the API and in forms each alternative is tied to the values that select it, so that exactly one
    /// matches. One that the alternatives inherit says no values for sure: they may overlap then,
    /// as a base does with what extends it.
    pub(super) fn discriminator(&mut self, node: &Node<'d>, out: &mut Map<String, Value>) {
        let Some(discriminator) = node.get("discriminator") else {
            if self.direction == Direction::Input
                && !out.contains_key("anyOf")
                && node.get("oneOf").is_some_and(|list| self.inherit_discriminator(&list))
                && let Some(alternatives) = out.shift_remove("oneOf")
            {
                out.insert("anyOf".to_owned(), alternatives);
            }
            return;
        };
        let property = discriminator.value.get("propertyName").and_then(Value::as_str);
        let Some(property) = property.filter(|_| self.direction != Direction::Output) else {
            return;
        };
        for key in ["oneOf", "anyOf"] {
            let (Some(source), Some(Value::Array(out))) = (node.get(key), out.get_mut(key)) else {
                continue;
            };
            for (alternative, translated) in source.elements().zip(out.iter_mut()) {
                let values = self.selecting_values(&alternative, &discriminator);
                if !values.is_empty() && !self.is_selective(&alternative, property) {
                    tie(translated, property, values);
                }
            }
            let mut seen: Vec<Value> = Vec::new();
            for alternative in std::mem::take(out) {
                if !seen.contains(&alternative) {
                    seen.push(alternative);
                }
            }
            *out = seen;
        }
    }

    /// Gives alternatives that are objects without a title the names of their schemas, for forms.
    pub(super) fn title_alternatives(&self, node: &Node<'d>, out: &mut Map<String, Value>) {
        let (Some(source), Some(Value::Array(out))) = (node.get("oneOf"), out.get_mut("oneOf"))
        else {
            return;
        };
        for (alternative, translated) in source.elements().zip(out.iter_mut()) {
            let name = alternative.reference().and_then(|it| it.rsplit('/').next());
            let (Some(name), Value::Object(translated)) = (name, translated) else { continue };
            let Ok(target) = self.document.resolve(alternative.clone()) else { continue };
            let has = |key: &str| target.get(key).is_some();
            if !has("title") && (has("properties") || has("allOf")) {
                translated.entry("title").or_insert_with(|| name.into());
            }
        }
    }

    /// Whether a schema is being translated as the base of one of its alternatives.
    pub(super) fn is_used_as_base(&self, node: &Node<'d>, spot: Spot<'_, 'd>) -> bool {
        self.key_of(spot.owner).is_some_and(|key| key.base && key.place == node.pointer)
    }

    /// Whether two of the alternatives have a discriminator themselves or from a schema that they
    /// extend.
    fn inherit_discriminator(&self, alternatives: &Node<'d>) -> bool {
        let has_one = |node: Node<'d>| {
            self.document.resolve(node).is_ok_and(|node| node.get("discriminator").is_some())
        };
        let inherits = |node: &Node<'d>| {
            let own = self.document.resolve(node.clone()).ok();
            let all_of = own.and_then(|node| node.get("allOf"));
            has_one(node.clone()) || all_of.iter().flat_map(Node::elements).any(has_one)
        };
        alternatives.elements().filter(inherits).nth(1).is_some()
    }

    /// The keys of `mapping` that select an alternative; without any, the name of its schema does.
    fn selecting_values(&self, alternative: &Node<'d>, discriminator: &Node<'d>) -> Vec<&'d str> {
        let Some(reference) = alternative.reference() else { return Vec::new() };
        let Ok(target) = self.document.target(reference, &alternative.pointer) else {
            return Vec::new();
        };
        let name = reference.strip_prefix("#/components/schemas/").filter(|it| !it.contains('/'));
        let mapping = discriminator.get("mapping");
        let mapped = mapping.iter().flat_map(Node::members).filter(|(_, entry)| {
            entry.value.as_str().is_some_and(|text| self.is_mapped_to(text, entry, &target))
        });
        let values: Vec<_> = mapped.map(|(value, _)| value).collect();
        if values.is_empty() { name.into_iter().collect() } else { values }
    }

    /// A mapping names a component, or refers to a schema.
    fn is_mapped_to(&self, text: &str, entry: &Node<'d>, target: &Node<'d>) -> bool {
        target.pointer.as_str().strip_prefix("/components/schemas/") == Some(text)
            || self.document.target(text, &entry.pointer).is_ok_and(|n| n.pointer == target.pointer)
    }

    /// Whether an alternative itself limits the property to one value.
    fn is_selective(&self, alternative: &Node<'d>, property: &str) -> bool {
        const BUDGET: usize = 64;
        let mut pending = vec![alternative.clone()];
        for _ in 0..BUDGET {
            let Some(Ok(schema)) = pending.pop().map(|node| self.document.resolve(node)) else {
                return false;
            };
            let own = schema.get("properties").and_then(|properties| properties.get(property));
            if let Some(own) = own.and_then(|own| self.document.resolve(own).ok())
                && is_single(own.value)
            {
                return true;
            }
            pending.extend(schema.get("allOf").iter().flat_map(Node::elements));
        }
        false
    }
}

/// Whether a schema allows one value only.
fn is_single(schema: &Value) -> bool {
    let values = schema.get("enum").and_then(Value::as_array);
    schema.get("const").is_some() || values.is_some_and(|values| values.len() == 1)
}

/// Adds the values that select an alternative.
fn tie(alternative: &mut Value, property: &str, values: Vec<&str>) {
    let Value::Object(map) = alternative else { return };
    let value = match values.as_slice() {
        [value] => json!({ "const": value }),
        values => json!({ "enum": values }),
    };
    let properties = map.entry("properties").or_insert_with(|| json!({}));
    if let Value::Object(properties) = properties {
        properties.entry(property).or_insert(value);
    }
}
