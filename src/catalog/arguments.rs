//! The arguments of a tool: their names, their schemas, and the input schema they make up.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::names;
use super::schema::{self, Definitions};
use crate::json;

/// Collects arguments in the order in which agents see them.
#[derive(Debug)]
pub(super) struct Arguments {
    properties: Map<String, Value>,
    required: Vec<String>,
    definitions: Definitions,
    has_clean_names: bool,
    /// The schema of the arguments as the document has it.
    whole: Option<Value>,
    /// Arguments that other ones decide about, and the conditions that say how.
    dependent: Vec<String>,
    conditions: Vec<Value>,
}

/// Where an argument comes from, in case its name is taken.
#[derive(Debug, Clone, Copy)]
pub(super) enum Kind {
    /// A parameter; the text is its place.
    Parameter(&'static str),
    /// A property of the request body, or the body itself.
    Body,
}

impl Arguments {
    /// No arguments yet; `has_clean_names` restricts names to what strict clients accept.
    pub(super) fn new(has_clean_names: bool) -> Self {
        Self {
            properties: Map::new(),
            required: Vec::new(),
            definitions: Definitions::default(),
            has_clean_names,
            whole: None,
            dependent: Vec::new(),
            conditions: Vec::new(),
        }
    }

    /// Whether there is no argument yet.
    pub(super) fn is_empty(&self) -> bool {
        self.properties.is_empty()
    }

    /// Takes a closed object schema as it is; only generated arguments are added to it.
    pub(super) fn take_whole(&mut self, schema: Value) {
        self.whole = Some(schema);
    }

    /// Adds an argument and returns its name: `wanted`, or another one when that is taken.
    pub(super) fn add(
        &mut self,
        wanted: &str,
        kind: Kind,
        mut schema: Value,
        is_required: bool,
    ) -> String {
        let name = self.free_name(wanted, kind);
        self.definitions.take(&mut schema);
        self.properties.insert(name.clone(), schema);
        if is_required {
            self.required.push(name.clone());
        }
        name
    }

    /// Takes the definitions of a schema that becomes part of an argument or a condition.
    pub(super) fn take_definitions(&mut self, schema: &mut Value) {
        self.definitions.take(schema);
    }

    /// Makes what is valid for some arguments depend on others, in the checked schema alone.
    pub(super) fn depend(&mut self, names: Vec<String>, conditions: Vec<Value>) {
        self.dependent = names;
        self.conditions = conditions;
    }

    /// Adds an argument that the compiler makes up; `alternative` is its name when an API argument
    /// is called `wanted`.
    pub(super) fn generate(&mut self, wanted: &str, alternative: &str, schema: Value) -> String {
        let whole = self.whole.as_ref().and_then(|whole| whole.get("properties"));
        let taken = |name: &str| {
            self.properties.contains_key(name) || whole.is_some_and(|it| it.get(name).is_some())
        };
        let name = if taken(wanted) { alternative } else { wanted };
        let name = names::unique(name.to_owned(), taken);
        self.properties.insert(name.clone(), schema);
        name
    }

    /// Makes an argument required.
    pub(super) fn require(&mut self, name: &str) {
        if !self.required.iter().any(|known| known == name) {
            self.required.push(name.to_owned());
        }
    }

    /// The input schema: a closed object with every definition at its root; and the schema that
    /// arguments are checked against, where that says more.
    pub(super) fn into_schemas(mut self) -> (Value, Option<Value>) {
        let conditions = std::mem::take(&mut self.conditions);
        let dependent = std::mem::take(&mut self.dependent);
        let is_verbatim = self.whole.is_some();
        let mut offered = self.into_schema();
        if conditions.is_empty() {
            if !is_verbatim {
                schema::drop_unused_definitions(&mut offered);
            }
            return (offered, None);
        }
        let mut exact = offered.clone();
        if let Some(Value::Object(properties)) = exact.get_mut("properties") {
            for name in dependent {
                properties.insert(name, json!({}));
            }
        }
        if let Some(map) = exact.as_object_mut() {
            map.insert("allOf".to_owned(), conditions.into());
        }
        schema::drop_unused_definitions(&mut exact);
        schema::drop_unused_definitions(&mut offered);
        (offered, Some(exact))
    }

    fn into_schema(self) -> Value {
        if let Some(mut whole) = self.whole {
            let properties = whole.get_mut("properties").and_then(Value::as_object_mut);
            if let Some(properties) = properties {
                properties.extend(self.properties);
            }
            return whole;
        }
        let mut properties = Value::Object(self.properties);
        json::order_keys(&mut properties);
        let mut schema =
            json!({"type": "object", "properties": properties, "additionalProperties": false});
        if let Some(map) = schema.as_object_mut() {
            if !self.required.is_empty() {
                map.insert("required".to_owned(), self.required.into());
            }
            if let Some(definitions) = self.definitions.into_map() {
                map.insert("$defs".to_owned(), definitions.into());
            }
        }
        schema
    }

    fn free_name(&self, wanted: &str, kind: Kind) -> String {
        let name = if self.has_clean_names { names::clean(wanted) } else { wanted.to_owned() };
        let taken = |name: &str| self.properties.contains_key(name);
        if !taken(&name) {
            return name;
        }
        let suffix = match kind {
            Kind::Parameter(place) => place,
            Kind::Body => "body",
        };
        let name = [&name, "__", suffix].concat();
        names::unique(if self.has_clean_names { names::shorten(name) } else { name }, taken)
    }
}

/// Takes the arguments that are mirrored in `Mcp-Param-*` headers out of an input schema: argument
/// name → header suffix. Marks that are no header name, or repeat one, are removed and returned.
pub(super) fn param_headers(schema: &mut Value) -> (Map<String, Value>, Vec<String>) {
    let mut headers = Map::new();
    let mut refused = Vec::new();
    let mut known = BTreeSet::new();
    let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
    for (name, property) in properties.into_iter().flatten() {
        let Some(mark) = property.get("x-mcp-header") else { continue };
        let suffix = mark.as_str().filter(|text| is_token(text)).map(str::to_owned);
        match suffix {
            Some(suffix) if known.insert(suffix.to_ascii_lowercase()) => {
                headers.insert(name.clone(), suffix.into());
            }
            _ => {
                refused.push(name.clone());
                if let Some(map) = property.as_object_mut() {
                    map.shift_remove("x-mcp-header");
                }
            }
        }
    }
    (headers, refused)
}

/// `token` of RFC 9110 §5.6.2.
fn is_token(text: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !text.is_empty() && text.bytes().all(is_allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn taken_names_get_the_place_then_a_number() {
        let mut arguments = Arguments::new(true);
        let mut add = |name: &str, kind| arguments.add(name, kind, json!({}), false);
        assert_eq!(add("a[]", Kind::Parameter("path")), "a");
        assert_eq!(add("a", Kind::Parameter("query")), "a__query");
        assert_eq!(add("a", Kind::Body), "a__body");
        assert_eq!(add("a", Kind::Body), "a__body_2");
        assert_eq!(arguments.generate("a", "b", json!({})), "b");
        assert_eq!(arguments.generate("a", "b", json!({})), "b_2");
    }

    #[test]
    fn names_stay_as_they_are_in_the_full_profile() {
        let mut arguments = Arguments::new(false);
        assert_eq!(arguments.add("a[]", Kind::Body, json!({}), true), "a[]");
        assert_eq!(arguments.into_schemas().0["required"], json!(["a[]"]));
    }

    #[test]
    fn header_marks_are_collected_and_wrong_ones_removed() {
        let mut schema = json!({"properties": {
            "a": {"x-mcp-header": "Region"}, "b": {"x-mcp-header": "a b"}, "c": {"x-mcp-header": "REGION"}
        }});
        let (headers, refused) = param_headers(&mut schema);
        assert_eq!(Value::Object(headers), json!({"a": "Region"}));
        assert_eq!(refused, ["b", "c"]);
        assert_eq!(schema["properties"]["b"], json!({}));
    }
}
