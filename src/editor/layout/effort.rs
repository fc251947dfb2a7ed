//! Schemas that take no end of work are refused before anything walks along their references.

use hashbrown::HashMap;
use serde_json::{Map, Value};

use crate::json::{Pointer, Problem};

/// Longest chain of schemas within schemas and of references.
const MAX_DEPTH: usize = 100;
/// Most schemas that apply to one value.
const MAX_IN_PLACE: usize = 5_000;

/// Checks that references do not lead back without entering the value, that chains of them are
/// short, and that not too many schemas apply to one value.
pub(super) fn check(schema: &Value) -> Vec<Problem> {
    let mut effort =
        Effort { schema, weights: HashMap::new(), depths: HashMap::new(), problems: Vec::new() };
    effort.depth(schema, &Pointer::root(), 0);
    effort.problems
}

struct Effort<'s> {
    schema: &'s Value,
    /// How many schemas apply in place; `None` while that is being found out.
    weights: HashMap<*const Value, Option<usize>>,
    /// How long chains below a schema are; 0 while that is being found out.
    depths: HashMap<*const Value, usize>,
    problems: Vec<Problem>,
}

impl<'s> Effort<'s> {
    /// How long chains below a schema are, which is itself at this level of one.
    fn depth(&mut self, schema: &'s Value, at: &Pointer, level: usize) -> usize {
        let Value::Object(keywords) = schema else { return 0 };
        let known = self.depths.get(&std::ptr::from_ref(schema)).copied();
        if let Some(depth) = known.filter(|depth| level + depth <= MAX_DEPTH) {
            return depth;
        }
        if level > MAX_DEPTH {
            self.problem(at, "more than 100 schemas and references lead into one another");
            return 0;
        }
        self.weight(schema, at, 0);
        self.depths.insert(std::ptr::from_ref(schema), 0);
        let mut depth = 0;
        for (place, inner, _) in edges(self.schema, keywords, at) {
            if !self.problems.is_empty() {
                break;
            }
            depth = depth.max(self.depth(inner, &place, level + 1) + 1);
        }
        self.depths.insert(std::ptr::from_ref(schema), depth);
        depth
    }

    /// How many schemas apply to a value that a schema applies to.
    fn weight(&mut self, schema: &'s Value, at: &Pointer, level: usize) -> usize {
        let Value::Object(keywords) = schema else { return 1 };
        match self.weights.get(&std::ptr::from_ref(schema)) {
            Some(Some(weight)) => return *weight,
            Some(None) => {
                self.problem(
                    at,
                    "the reference leads back to its own schema without entering the value, so \
                     validation would never end",
                );
                return 1;
            }
            None if level > MAX_DEPTH => {
                self.problem(at, "more than 100 schemas and references lead into one another");
                return 1;
            }
            None => {}
        }
        self.weights.insert(std::ptr::from_ref(schema), None);
        let mut weight = 1;
        for (place, inner, in_place) in edges(self.schema, keywords, at) {
            if in_place && self.problems.is_empty() {
                weight += self.weight(inner, &place, level + 1);
            }
            if weight > MAX_IN_PLACE {
                self.problem(at, "more than 5000 schemas describe one value");
                break;
            }
        }
        self.weights.insert(std::ptr::from_ref(schema), Some(weight));
        weight
    }

    fn problem(&mut self, at: &Pointer, message: &str) {
        if self.problems.is_empty() {
            self.problems.push(Problem::new(at.clone(), message));
        }
    }
}

/// The schemas that a schema leads to, their places, and whether they apply to the same value.
fn edges<'s>(
    root: &'s Value,
    keywords: &'s Map<String, Value>,
    at: &Pointer,
) -> Vec<(Pointer, &'s Value, bool)> {
    let mut edges = Vec::new();
    for (keyword, value) in keywords {
        let place = at.join(keyword);
        match (keyword.as_str(), value) {
            ("$ref", Value::String(reference)) => {
                let target = reference.strip_prefix('#').and_then(|path| root.pointer(path));
                edges.extend(target.map(|target| (place, target, true)));
            }
            ("not" | "if" | "then" | "else", schema) => edges.push((place, schema, true)),
            ("allOf" | "anyOf" | "oneOf", Value::Array(schemas)) => {
                let schemas = schemas.iter().enumerate();
                edges.extend(schemas.map(|(index, schema)| (place.join(index), schema, true)));
            }
            ("prefixItems", Value::Array(schemas)) => {
                let schemas = schemas.iter().enumerate();
                edges.extend(schemas.map(|(index, schema)| (place.join(index), schema, false)));
            }
            ("dependentSchemas", Value::Object(schemas)) => {
                edges.extend(schemas.iter().map(|(name, s)| (place.join(name), s, true)));
            }
            ("properties" | "patternProperties", Value::Object(schemas)) => {
                edges.extend(schemas.iter().map(|(name, s)| (place.join(name), s, false)));
            }
            (
                "items"
                | "additionalProperties"
                | "unevaluatedItems"
                | "unevaluatedProperties"
                | "contains"
                | "propertyNames"
                | "contentSchema",
                schema,
            ) => edges.push((place, schema, false)),
            _ => {}
        }
    }
    edges
}
