//! One schema with what its references say, without copies.

use std::cell::OnceCell;

use serde_json::{Map, Value};

use super::Type;
use crate::json::Pointer;

/// Longest chain of references.
const MAX_CHAIN: usize = 32;
/// Most schemas that are looked at to find a type.
const MAX_SEARCH: usize = 1_000;

/// A schema and the targets of its references; keywords of the first win.
#[derive(Debug, Clone)]
pub(super) struct Fragment<'s> {
    root: &'s Value,
    at: Pointer,
    layers: Vec<Layer<'s>>,
    /// Whether an alternative that is only `null` was taken off.
    null_alternative: bool,
    data_type: OnceCell<Option<Type>>,
}

#[derive(Debug, Clone)]
struct Layer<'s> {
    at: Pointer,
    keywords: &'s Map<String, Value>,
    /// A union that the next layer is an alternative of.
    skipped: Option<&'static str>,
}

impl<'s> Fragment<'s> {
    /// The schema at a place; one that is not an object has no keywords.
    pub(super) fn new(root: &'s Value, at: Pointer, schema: &'s Value) -> Self {
        let mut fragment = Self {
            root,
            at: at.clone(),
            layers: Vec::new(),
            null_alternative: false,
            data_type: OnceCell::new(),
        };
        fragment.add(at, schema);
        fragment
    }

    fn add(&mut self, at: Pointer, schema: &'s Value) {
        let mut next = Some((at, schema));
        while let Some((at, Value::Object(keywords))) = next
            && self.layers.len() < MAX_CHAIN
        {
            let alternative = alternative(keywords);
            let reference = keywords.get("$ref").and_then(Value::as_str);
            next = match (alternative, reference) {
                (Some((union, index, schema)), _) => {
                    self.null_alternative = true;
                    Some((at.join(union).join(index), schema))
                }
                (None, Some(reference)) => self.target(reference),
                (None, None) => None,
            };
            let skipped = alternative.map(|(union, ..)| union);
            self.layers.push(Layer { at, keywords, skipped });
        }
    }

    fn target(&self, reference: &str) -> Option<(Pointer, &'s Value)> {
        let path = reference.strip_prefix('#')?;
        let segments = path.split('/').skip(1).map(|s| s.replace("~1", "/").replace("~0", "~"));
        let at = segments.fold(Pointer::root(), |at, segment| at.join(segment));
        Some((at, self.root.pointer(path)?))
    }

    /// A schema inside this one.
    pub(super) fn inner(&self, at: Pointer, schema: &'s Value) -> Self {
        Self::new(self.root, at, schema)
    }

    /// The place that is referred from.
    pub(super) fn at(&self) -> &Pointer {
        &self.at
    }

    /// The place and those of the references' targets.
    pub(super) fn pointers(&self) -> Vec<String> {
        let mut pointers: Vec<String> =
            self.layers.iter().map(|layer| layer.at.as_str().to_owned()).collect();
        if pointers.is_empty() {
            pointers.push(self.at.as_str().to_owned());
        }
        pointers
    }

    /// The value of a keyword.
    pub(super) fn get(&self, keyword: &str) -> Option<&'s Value> {
        self.find(keyword).map(|(_, value)| value)
    }

    /// The value of a keyword and where it is.
    pub(super) fn find(&self, keyword: &str) -> Option<(Pointer, &'s Value)> {
        self.layers
            .iter()
            .filter(|layer| layer.skipped != Some(keyword))
            .find_map(|layer| Some((layer, layer.keywords.get(keyword)?)))
            .map(|(layer, value)| (layer.at.join(keyword), value))
    }

    /// Where the schema is that has a keyword.
    pub(super) fn place_of(&self, keyword: &str) -> Option<&Pointer> {
        self.layers
            .iter()
            .find(|layer| layer.skipped != Some(keyword) && layer.keywords.contains_key(keyword))
            .map(|layer| &layer.at)
    }

    pub(super) fn text(&self, keyword: &str) -> Option<&'s str> {
        self.get(keyword)?.as_str()
    }

    /// The keywords in their order, those of the first schema first.
    pub(super) fn keywords(&self) -> Vec<&'s str> {
        let mut keywords: Vec<&'s str> = Vec::new();
        for layer in &self.layers {
            for keyword in layer.keywords.keys() {
                if layer.skipped != Some(keyword) && !keywords.contains(&keyword.as_str()) {
                    keywords.push(keyword);
                }
            }
        }
        keywords
    }

    /// The schemas in a list.
    pub(super) fn list(&self, keyword: &str) -> Vec<Fragment<'s>> {
        let Some((at, Value::Array(schemas))) = self.find(keyword) else { return Vec::new() };
        let schemas = schemas.iter().enumerate();
        schemas.map(|(index, schema)| self.inner(at.join(index), schema)).collect()
    }

    /// The schemas of a map by name.
    pub(super) fn map(&self, keyword: &str) -> Vec<(&'s str, Fragment<'s>)> {
        let Some((at, Value::Object(schemas))) = self.find(keyword) else { return Vec::new() };
        let schemas = schemas.iter();
        schemas.map(|(name, schema)| (name.as_str(), self.inner(at.join(name), schema))).collect()
    }

    /// The schema that a keyword holds.
    pub(super) fn one(&self, keyword: &str) -> Option<Fragment<'s>> {
        let (at, schema) = self.find(keyword)?;
        Some(self.inner(at, schema))
    }

    /// Whether `null` is a value beside those of the type.
    pub(super) fn is_nullable(&self) -> bool {
        let names = self.get("type").and_then(Value::as_array);
        self.null_alternative
            || names.is_some_and(|names| names.len() > 1 && names.iter().any(|name| name == "null"))
    }

    /// The type, without `null`; `None` when there is none or more than one.
    pub(super) fn data_type(&self) -> Option<Type> {
        *self.data_type.get_or_init(|| self.find_type(&mut MAX_SEARCH.clone()))
    }

    fn find_type(&self, left: &mut usize) -> Option<Type> {
        *left = left.checked_sub(1)?;
        match self.get("type") {
            Some(Value::String(name)) => return parse_type(name),
            Some(Value::Array(names)) => {
                let mut types = names.iter().filter(|name| *name != "null");
                let only = types.next().and_then(Value::as_str).and_then(parse_type);
                return only.filter(|_| types.next().is_none());
            }
            _ => {}
        }
        if self.get("properties").is_some() || self.get("patternProperties").is_some() {
            return Some(Type::Object);
        }
        if let Some(Value::Array(values)) = self.get("enum") {
            return agreed(values.iter().filter(|value| !value.is_null()).map(type_of_value));
        }
        ["allOf", "anyOf", "oneOf"].into_iter().find_map(|keyword| {
            let Some((at, Value::Array(schemas))) = self.find(keyword) else { return None };
            let schemas = schemas.iter().enumerate();
            agreed(schemas.map(|(index, s)| self.inner(at.join(index), s).find_type(left)))
        })
    }
}

/// The union of two alternatives of which one is only `null`, and the other one.
fn alternative(keywords: &Map<String, Value>) -> Option<(&'static str, usize, &Value)> {
    ["anyOf", "oneOf"].into_iter().find_map(|union| {
        let Value::Array(alternatives) = keywords.get(union)? else { return None };
        let is_null = |schema: &Value| schema.get("type").is_some_and(|name| name == "null");
        match alternatives.as_slice() {
            [null, other] if is_null(null) && !is_null(other) => Some((union, 1, other)),
            [other, null] if is_null(null) && !is_null(other) => Some((union, 0, other)),
            _ => None,
        }
    })
}

fn parse_type(name: &str) -> Option<Type> {
    Some(match name {
        "string" => Type::String,
        "integer" => Type::Integer,
        "number" => Type::Number,
        "boolean" => Type::Boolean,
        "object" => Type::Object,
        "array" => Type::Array,
        _ => return None,
    })
}

fn type_of_value(value: &Value) -> Option<Type> {
    Some(match value {
        Value::String(_) => Type::String,
        Value::Number(_) => Type::Number,
        Value::Bool(_) => Type::Boolean,
        Value::Null | Value::Array(_) | Value::Object(_) => return None,
    })
}

/// The type that all have.
fn agreed(mut types: impl Iterator<Item = Option<Type>>) -> Option<Type> {
    let first = types.next()??;
    types.all(|other| other == Some(first)).then_some(first)
}
