//! What the keywords of JSON Schema 2020-12 hold.

use serde_json::Value;

/// What the value of a keyword is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A schema for the same value.
    InPlace,
    /// A list of schemas for the same value.
    InPlaceList,
    /// Schemas for the same value by name.
    InPlaceMap,
    /// A schema for a part of the value.
    Child,
    /// A list of schemas for parts of the value.
    ChildList,
    /// Schemas for parts of the value by name.
    ChildMap,
    /// A number.
    Number,
    /// A whole number that is not negative.
    Count,
    /// A regular expression.
    Pattern,
    /// Text that has an effect.
    Text,
    /// True or false, with an effect.
    Flag,
    /// Names.
    Names,
    /// Lists of names by name.
    NamesMap,
    /// Text that only informs.
    Prose,
    /// True or false that only informs.
    Mark,
    /// Any value.
    Data,
    /// Any number of values.
    DataList,
}

/// The kind of a keyword that is kept; `None` for every other key.
pub(super) fn kind(keyword: &str) -> Option<Kind> {
    Some(match keyword {
        "not" | "if" | "then" | "else" => Kind::InPlace,
        "allOf" | "anyOf" | "oneOf" => Kind::InPlaceList,
        "dependentSchemas" => Kind::InPlaceMap,
        "items"
        | "contains"
        | "additionalProperties"
        | "propertyNames"
        | "unevaluatedItems"
        | "unevaluatedProperties"
        | "contentSchema" => Kind::Child,
        "prefixItems" => Kind::ChildList,
        "properties" | "patternProperties" => Kind::ChildMap,
        "multipleOf" | "maximum" | "exclusiveMaximum" | "minimum" | "exclusiveMinimum" => {
            Kind::Number
        }
        "maxLength" | "minLength" | "maxItems" | "minItems" | "maxContains" | "minContains"
        | "maxProperties" | "minProperties" => Kind::Count,
        "pattern" => Kind::Pattern,
        "format" => Kind::Text,
        "uniqueItems" => Kind::Flag,
        "required" => Kind::Names,
        "dependentRequired" => Kind::NamesMap,
        "title" | "description" | "$comment" | "contentEncoding" | "contentMediaType"
        | "x-mcp-header" => Kind::Prose,
        "deprecated" => Kind::Mark,
        "const" | "default" => Kind::Data,
        "enum" | "examples" => Kind::DataList,
        _ => return None,
    })
}

/// Whether a keyword only informs: it can be replaced beside a reference without changing what is
/// valid.
pub(super) fn is_annotation(keyword: &str) -> bool {
    matches!(
        keyword,
        "title"
            | "description"
            | "$comment"
            | "default"
            | "examples"
            | "deprecated"
            | "x-mcp-header"
    )
}

/// Calls `visit` for each schema directly inside a schema.
pub(super) fn for_each_subschema(schema: &mut Value, visit: &mut dyn FnMut(&mut Value)) {
    let Value::Object(map) = schema else { return };
    for (key, value) in map.iter_mut() {
        match kind(key) {
            Some(Kind::InPlace | Kind::Child) => visit(value),
            Some(Kind::InPlaceList | Kind::ChildList) => {
                value.as_array_mut().into_iter().flatten().for_each(&mut *visit);
            }
            Some(Kind::InPlaceMap | Kind::ChildMap) => {
                value
                    .as_object_mut()
                    .into_iter()
                    .for_each(|map| map.values_mut().for_each(&mut *visit));
            }
            _ => {}
        }
    }
}
