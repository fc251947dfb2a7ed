//! The schemas that describe one place of a document.

use std::cell::Cell;

use serde_json::{Map, Value};

use crate::editor::state::Form;

/// Schemas that one write may look at. What comes after that counts as read-only.
const EFFORT: usize = 2_000_000;

/// Schemas that describe one place, those that they refer to among them.
pub(super) type Set<'f> = Vec<&'f Map<String, Value>>;

/// Finds the schemas of places.
#[derive(Debug)]
pub(super) struct Places<'f> {
    form: &'f Form,
    schema: &'f Value,
    left: Cell<usize>,
}

impl<'f> Places<'f> {
    pub(super) fn of(form: &'f Form) -> Self {
        Self { form, schema: form.layout().schema(), left: Cell::new(EFFORT) }
    }

    pub(super) fn root(&self, value: &Value) -> Set<'f> {
        self.expand(vec![self.schema], value)
    }

    /// Whether what these schemas describe must not be written.
    pub(super) fn is_locked(&self, set: &Set<'f>) -> bool {
        let says = |value: bool| {
            move |schema: &&Map<String, Value>| schema.get("readOnly") == Some(&Value::Bool(value))
        };
        let is_free = |schema: &&Map<String, Value>| {
            let layout = schema.get("layout").and_then(Value::as_object);
            schema.contains_key("const") || layout.as_ref().is_some_and(says(false))
        };
        self.left.get() == 0 || (set.iter().any(says(true)) && !set.iter().any(is_free))
    }

    /// The schemas of a member with a value.
    pub(super) fn member(&self, set: &Set<'f>, key: &str, value: &Value) -> Set<'f> {
        let mut found = Vec::new();
        for schema in set {
            let known = found.len();
            found.extend(schema.get("properties").and_then(|named| named.get(key)));
            let patterns = schema.get("patternProperties").and_then(Value::as_object);
            let matching = patterns.into_iter().flatten();
            found.extend(
                matching.filter(|it| self.form.matches(it.0, key)).map(|(_, schema)| schema),
            );
            if found.len() == known {
                found.extend(schema.get("additionalProperties"));
            }
        }
        if found.is_empty() {
            found.extend(set.iter().filter_map(|schema| schema.get("unevaluatedProperties")));
        }
        self.expand(found, value)
    }

    /// The schemas of an item with a value.
    pub(super) fn item(&self, set: &Set<'f>, index: usize, value: &Value) -> Set<'f> {
        let item = |schema: &&'f Map<String, Value>| {
            let prefix = schema.get("prefixItems").and_then(|prefix| prefix.get(index));
            prefix.or_else(|| schema.get("items"))
        };
        let mut found: Vec<_> = set.iter().filter_map(item).collect();
        if found.is_empty() {
            found.extend(set.iter().filter_map(|schema| schema.get("unevaluatedItems")));
        }
        self.expand(found, value)
    }

    /// Schemas with all that apply beside them to a value. Of alternatives those that may describe
    /// it, or all when none does.
    fn expand(&self, mut open: Vec<&'f Value>, value: &Value) -> Set<'f> {
        let mut set: Set<'f> = Vec::new();
        while let Some(schema) = open.pop() {
            let Value::Object(schema) = schema else { continue };
            if self.left.get() == 0 || set.iter().any(|known| std::ptr::eq(*known, schema)) {
                continue;
            }
            self.left.set(self.left.get() - 1);
            set.push(schema);
            open.extend(self.target(schema));
            open.extend(list(schema, "allOf"));
            for keyword in ["anyOf", "oneOf"] {
                let fitting = list(schema, keyword).iter().filter(|it| self.fits(it, value));
                let known = open.len();
                open.extend(fitting);
                if open.len() == known {
                    open.extend(list(schema, keyword));
                }
            }
        }
        set
    }

    fn target(&self, schema: &'f Map<String, Value>) -> Option<&'f Value> {
        self.schema.pointer(schema.get("$ref")?.as_str()?.strip_prefix('#')?)
    }

    /// Whether an alternative may describe a value, as its type, names and constants tell.
    fn fits(&self, schema: &'f Value, value: &Value) -> bool {
        const LONGEST_CHAIN: usize = 16;
        let mut schema = schema;
        for _ in 0..LONGEST_CHAIN {
            let Some(keywords) = schema.as_object() else { return true };
            if !has_type(keywords, value) || !has_members(keywords, value) {
                return false;
            }
            let Some(target) = self.target(keywords) else { return true };
            schema = target;
        }
        true
    }
}

/// Whether the items of an array are told by their places.
pub(super) fn is_tuple(set: &Set<'_>) -> bool {
    set.iter().any(|schema| schema.contains_key("prefixItems"))
}

/// Whether schemas describe a member by its name.
pub(super) fn names(set: &Set<'_>, key: &str) -> bool {
    set.iter().any(|schema| schema.get("properties").is_some_and(|named| named.get(key).is_some()))
}

fn list<'f>(schema: &'f Map<String, Value>, keyword: &str) -> &'f [Value] {
    schema.get(keyword).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn has_type(schema: &Map<String, Value>, value: &Value) -> bool {
    let is = |name: &Value| match name.as_str() {
        Some("null") => value.is_null(),
        Some("boolean") => value.is_boolean(),
        Some("number" | "integer") => value.is_number(),
        Some("string") => value.is_string(),
        Some("array") => value.is_array(),
        Some("object") => value.is_object(),
        _ => true,
    };
    let is_constant = |schema: &Map<String, Value>, value: &Value| {
        schema.get("const").is_none_or(|constant| constant == value)
            && schema
                .get("enum")
                .and_then(Value::as_array)
                .is_none_or(|values| values.contains(value))
    };
    let is_type = match schema.get("type") {
        Some(Value::Array(names)) => names.iter().any(is),
        Some(name) => is(name),
        None => true,
    };
    is_type && is_constant(schema, value)
}

fn has_members(schema: &Map<String, Value>, value: &Value) -> bool {
    let Some(members) = value.as_object() else { return true };
    let is_there = |name: &Value| name.as_str().is_none_or(|name| members.contains_key(name));
    let tells = |(name, schema): (&String, &Value)| {
        let constant = schema.get("const").or_else(|| schema.get("enum"));
        match (constant, members.get(name)) {
            (Some(_), Some(value)) => schema.as_object().is_none_or(|it| has_type(it, value)),
            _ => true,
        }
    };
    let properties = schema.get("properties").and_then(Value::as_object);
    list(schema, "required").iter().all(is_there) && properties.into_iter().flatten().all(tells)
}

/// Whether a schema marks anything as read-only.
pub(in crate::editor::state) fn has_locks(schema: &Value) -> bool {
    match schema {
        Value::Object(members) => {
            members.get("readOnly") == Some(&Value::Bool(true)) || members.values().any(has_locks)
        }
        Value::Array(items) => items.iter().any(has_locks),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}
