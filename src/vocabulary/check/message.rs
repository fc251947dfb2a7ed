//! What a violation of the vocabulary's schema means to the author of the document.

use std::collections::BTreeSet;

use jsonschema::{JsonType, ValidationError, error::TypeKind, error::ValidationErrorKind as Kind};
use serde_json::Value;

use super::super::words::{list, quote};
use crate::json::{Pointer, Problem};
use crate::suggest::nearest;

/// Adds the problems that one violation stands for; `at` is the place of the annotation.
pub(super) fn describe(
    error: &ValidationError<'_>,
    schema: &Value,
    at: &Pointer,
    problems: &mut Vec<Problem>,
) {
    let place = format!("{at}{}", error.instance_path().as_str());
    let holder = holder(error, schema);
    match error.kind() {
        Kind::AdditionalProperties { unexpected } => {
            problems.extend(unexpected.iter().map(|key| {
                Problem::new(
                    format!("{place}{}", Pointer::root().join(key)),
                    unknown_field(key, &known_fields(holder)),
                )
            }));
        }
        Kind::AnyOf { context } => match context.iter().find(|branch| fits(branch, error)) {
            Some(branch) => {
                for error in branch {
                    describe(error, schema, at, problems);
                }
            }
            None => problems.push(Problem::new(place, expected(error, holder))),
        },
        _ => problems.push(Problem::new(place, expected(error, holder))),
    }
}

/// The schema that holds the violated keyword.
fn holder<'s>(error: &ValidationError<'_>, schema: &'s Value) -> Option<&'s Value> {
    let (holder, _) = error.schema_path().as_str().rsplit_once('/')?;
    schema.pointer(holder)
}

/// Whether the author meant this alternative: the value has its type and is wrong further inside.
fn fits(branch: &[ValidationError<'_>], whole: &ValidationError<'_>) -> bool {
    !branch.iter().any(|error| {
        error.instance_path() == whole.instance_path()
            && matches!(error.kind(), Kind::Type { .. } | Kind::Constant { .. })
    })
}

fn known_fields(holder: Option<&Value>) -> Vec<&str> {
    let properties = holder.and_then(|holder| holder.get("properties")).and_then(Value::as_object);
    properties.into_iter().flat_map(|map| map.keys().map(String::as_str)).collect()
}

fn unknown_field(key: &str, known: &[&str]) -> String {
    let perhaps = nearest(key, known).map(|near| format!(", perhaps `{near}`"));
    let known = list(known, ", ", " and ");
    format!("unknown field {}{}; known fields: {known}", quote(key), perhaps.unwrap_or_default())
}

fn expected(error: &ValidationError<'_>, holder: Option<&Value>) -> String {
    let text = |key: &str| holder.and_then(|holder| holder.get(key)).and_then(Value::as_str);
    let found = found(error.instance());
    match (error.kind(), text("errorMessage")) {
        (Kind::Type { .. } | Kind::AnyOf { .. }, Some(message)) => {
            format!("{message}; found {found}")
        }
        (Kind::Not { .. }, Some(message)) => message.to_owned(),
        (Kind::Type { kind }, None) => format!("expected {}; found {found}", type_name(kind)),
        (Kind::Required { property }, message) => required(property, message, holder),
        (Kind::Pattern { pattern }, _) => {
            let hint = text("patternErrorMessage").unwrap_or("expected other characters");
            format!("{hint} (`{pattern}`); found {found}")
        }
        (Kind::Enum { options }, _) => format!("expected {}; found {found}", alternatives(options)),
        (Kind::MaxLength { limit }, _) => format!(
            "expected at most {limit} characters; found {}",
            error.instance().as_str().map_or(0, |text| text.chars().count())
        ),
        (Kind::MinItems { .. } | Kind::MinProperties { .. }, _) => {
            format!("expected at least one entry; found {found}: add one or leave it out")
        }
        (Kind::UniqueItems, _) => {
            format!("expected every entry once; repeated: {}", repeated(error.instance()))
        }
        _ => error.to_string(),
    }
}

fn required(property: &Value, message: Option<&str>, holder: Option<&Value>) -> String {
    let name = property.as_str().unwrap_or_default();
    match message {
        Some(message) if holder.is_some_and(|holder| holder.get("type").is_none()) => {
            message.to_owned()
        }
        _ => format!("the required field `{name}` is missing"),
    }
}

fn type_name(kind: &TypeKind) -> &'static str {
    match kind {
        TypeKind::Single(JsonType::String) => "text",
        TypeKind::Single(JsonType::Boolean) => "`true` or `false`",
        TypeKind::Single(JsonType::Number) => "a number",
        TypeKind::Single(JsonType::Array) => "a list",
        TypeKind::Single(JsonType::Object) => "an object",
        _ => "another type",
    }
}

fn found(value: &Value) -> String {
    match value {
        Value::Null => "`null`".to_owned(),
        Value::Bool(flag) => format!("`{flag}`"),
        Value::Number(number) => format!("the number {}", quote(&number.to_string())),
        Value::String(text) if text.is_empty() => "an empty text".to_owned(),
        Value::String(text) => format!("the text {}", quote(text)),
        Value::Array(items) if items.is_empty() => "an empty list".to_owned(),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(map) if map.is_empty() => "an empty object".to_owned(),
        Value::Object(_) => "an object".to_owned(),
    }
}

fn alternatives(options: &Value) -> String {
    let values: Vec<_> =
        options.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    list(&values, ", ", " or ")
}

/// Entries that occur more than once, each named once.
fn repeated(entries: &Value) -> String {
    let (mut seen, mut repeated) = (BTreeSet::new(), BTreeSet::new());
    for entry in entries.as_array().into_iter().flatten().filter_map(Value::as_str) {
        if !seen.insert(entry) {
            repeated.insert(entry);
        }
    }
    list(&repeated.into_iter().collect::<Vec<_>>(), ", ", " and ")
}
