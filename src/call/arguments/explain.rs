//! Violations in words.

use std::borrow::Cow;

use jsonschema::{
    ValidationError, Validator,
    error::{TypeKind, ValidationErrorKind as Kind},
};
use serde_json::{Map, Value, json};

use super::{compile, cost};
use crate::{
    json::{Pointer, Problem},
    suggest::nearest,
};

/// What is said of a value that a schema refuses whatever it is.
pub(super) const NOT_ALLOWED: &str = "is not allowed here";
/// Problems told about; the others are counted.
const MAX_PROBLEMS: usize = 20;
/// Characters of a message.
const MAX_MESSAGE: usize = 400;
/// Characters of a place.
const MAX_PLACE: usize = 200;
/// Names or values listed in one message.
const MAX_LISTED: usize = 12;
/// Characters of one value or name.
const MAX_VALUE: usize = 60;

/// Problems found so far.
#[derive(Default)]
pub(super) struct Report {
    problems: Vec<Problem>,
    more: usize,
}

impl Report {
    /// Adds a problem at a pointer, unless it is there already.
    pub(super) fn push(&mut self, at: &str, message: impl AsRef<str>) {
        let message = shorten(message.as_ref(), MAX_MESSAGE).into_owned();
        let problem = Problem::new(shorten(at, MAX_PLACE), message);
        if self.problems.contains(&problem) {
            return;
        }
        if self.problems.len() < MAX_PROBLEMS {
            self.problems.push(problem);
        } else {
            self.more += 1;
        }
    }

    /// The problems, and how many there are besides.
    pub(super) fn finish(mut self) -> Vec<Problem> {
        if self.more > 0 {
            self.problems.push(Problem::new("", format!("and {} more problems", self.more)));
        }
        self.problems
    }

    /// Adds what is wrong with a value that a validator refused. `at` is the value's own place.
    pub(super) fn explain(
        &mut self,
        schema: &Value,
        validator: &Validator,
        value: &Value,
        at: &str,
    ) {
        if cost::is_affordable(cost::recursive_alternatives(schema), value) {
            for error in validator.iter_errors(value) {
                self.describe(schema, &error, at);
            }
        } else {
            self.point_out(schema, value, at);
        }
    }

    /// Adds which members are wrong, when saying more would take too long.
    fn point_out(&mut self, schema: &Value, value: &Value, at: &str) {
        const MESSAGE: &str =
            "does not match its schema, and is too large or too deeply nested to say where";
        let known = self.problems.len();
        let properties = schema.get("properties").and_then(Value::as_object);
        for (name, member) in value.as_object().into_iter().flatten() {
            let Some(property) = properties.and_then(|properties| properties.get(name)) else {
                continue;
            };
            let defs = schema.get("$defs").cloned().unwrap_or_else(|| json!({}));
            let alone = json!({ "$defs": defs, "allOf": [property] });
            if compile(&alone).is_ok_and(|validator| !validator.is_valid(member)) {
                self.push(&[at, Pointer::root().join(name).as_str()].concat(), MESSAGE);
            }
        }
        if self.problems.len() == known {
            self.push(at, MESSAGE);
        }
    }

    /// Adds one violation.
    fn describe(&mut self, schema: &Value, error: &ValidationError<'_>, at: &str) {
        let place = [at, error.instance_path().as_str()].concat();
        match error.kind() {
            Kind::AdditionalProperties { unexpected }
            | Kind::UnevaluatedProperties { unexpected } => {
                let known = known_names(schema, error);
                for name in unexpected {
                    self.push(&place, unknown(name, &known, place.is_empty()));
                }
            }
            Kind::Required { property } => {
                let name = property.as_str().unwrap_or_default();
                let what = if place.is_empty() { "argument" } else { "property" };
                self.push(&place, format!("{what} `{}` is required", shorten(name, MAX_VALUE)));
            }
            Kind::AnyOf { context } | Kind::OneOfNotValid { context } => {
                match only_branch(error, context) {
                    Some(branch) => branch.iter().for_each(|e| self.describe(schema, e, at)),
                    None => self.push(&place, alternatives(schema, error, context)),
                }
            }
            _ => self.push(&place, message(schema, error)),
        }
    }
}

/// One violation that does not consist of others, in words.
fn message(schema: &Value, error: &ValidationError<'_>) -> String {
    match error.kind() {
        Kind::Type { kind } => {
            format!("expected {}, found {}", types(kind), type_of(error.instance()))
        }
        Kind::Enum { options } => format!("expected {}", one_of(options)),
        Kind::Constant { expected_value } => format!("expected {}", show(expected_value)),
        Kind::Minimum { limit } => format!("must be at least {}", plain(limit)),
        Kind::Maximum { limit } => format!("must be at most {}", plain(limit)),
        Kind::ExclusiveMinimum { limit } => format!("must be more than {}", plain(limit)),
        Kind::ExclusiveMaximum { limit } => format!("must be less than {}", plain(limit)),
        Kind::MultipleOf { multiple_of } => format!("must be a multiple of {}", plain(multiple_of)),
        Kind::MinLength { limit } => format!("must have at least {}", count(*limit, "character")),
        Kind::MaxLength { limit } => format!("must have at most {}", count(*limit, "character")),
        Kind::MinItems { limit } => format!("must have at least {}", count(*limit, "element")),
        Kind::MaxItems { limit } => format!("must have at most {}", count(*limit, "element")),
        Kind::AdditionalItems { limit } => format!("must have at most {limit} elements"),
        Kind::MinProperties { limit } => {
            format!("must have at least {}", count(*limit, "property"))
        }
        Kind::MaxProperties { limit } => format!("must have at most {}", count(*limit, "property")),
        Kind::UniqueItems => "must not have equal elements".to_owned(),
        Kind::Contains => {
            "has too few or too many elements of the kind the schema asks for".to_owned()
        }
        Kind::UnevaluatedItems { .. } => "has elements the schema does not allow".to_owned(),
        Kind::Pattern { pattern } => {
            format!("must match the pattern `{}`", shorten(pattern, 120))
        }
        Kind::BacktrackLimitExceeded { .. } | Kind::RegexEngineFailure { .. } => {
            "is too complex to compare with the pattern of its schema".to_owned()
        }
        Kind::Format { format } => {
            format!("must be a valid `{}`{}", shorten(format, MAX_VALUE), example(format))
        }
        Kind::FalseSchema => NOT_ALLOWED.to_owned(),
        Kind::Not { .. } => "must not match what the schema excludes".to_owned(),
        Kind::OneOfMultipleValid { context } => {
            format!("matches several of {} alternatives that exclude each other", context.len())
        }
        Kind::PropertyNames { error: inner } => {
            let name = inner.instance().as_str().unwrap_or_default();
            format!("property name `{}`: {}", shorten(name, MAX_VALUE), message(schema, inner))
        }
        Kind::AnyOf { context } | Kind::OneOfNotValid { context } => {
            alternatives(schema, error, context)
        }
        Kind::Required { property } => {
            format!(
                "property `{}` is required",
                shorten(property.as_str().unwrap_or_default(), MAX_VALUE)
            )
        }
        Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
            let known = known_names(schema, error);
            unexpected.first().map(|name| unknown(name, &known, false)).unwrap_or_default()
        }
        other => format!("does not satisfy `{}`", other.keyword()),
    }
}

/// A name that is not known, with the nearest known one or all of them.
fn unknown(name: &str, known: &[&str], root: bool) -> String {
    let what = if root { "argument" } else { "property" };
    let name = shorten(name, MAX_VALUE);
    match nearest(&name, known) {
        Some(near) => format!("unknown {what} `{name}`; did you mean `{near}`?"),
        None if known.is_empty() => format!("unknown {what} `{name}`; none is allowed here"),
        None => format!(
            "unknown {what} `{name}`; known: {}",
            listed(known.len(), known.iter().map(|name| format!("`{name}`")))
        ),
    }
}

/// The property names the schema of a violated `additionalProperties` knows.
fn known_names<'s>(schema: &'s Value, error: &ValidationError<'_>) -> Vec<&'s str> {
    let keyword = error.schema_path().as_str();
    let parent = keyword.rsplit_once('/').map_or("", |(parent, _)| parent);
    let properties = schema.pointer(parent).and_then(|s| s.get("properties"));
    properties
        .and_then(Value::as_object)
        .map(Map::keys)
        .into_iter()
        .flatten()
        .map(String::as_str)
        .collect()
}

/// The branch that was meant, when all others are of another type.
fn only_branch<'e>(
    error: &ValidationError<'_>,
    branches: &'e [Vec<ValidationError<'static>>],
) -> Option<&'e [ValidationError<'static>]> {
    let mut fitting = branches.iter().filter(|branch| !is_other_type(error, branch));
    let branch = fitting.next()?;
    fitting.next().is_none().then_some(branch.as_slice())
}

/// Whether a branch fails because the value as a whole has another type.
fn is_other_type(error: &ValidationError<'_>, branch: &[ValidationError<'static>]) -> bool {
    branch.iter().any(|e| {
        matches!(e.kind(), Kind::Type { .. }) && e.instance_path() == error.instance_path()
    })
}

/// Why a value matches none of several alternatives.
fn alternatives(
    schema: &Value,
    error: &ValidationError<'_>,
    branches: &[Vec<ValidationError<'static>>],
) -> String {
    if let Some(options) = options(error, branches) {
        return format!("expected {}", one_of(&Value::Array(options)));
    }
    if branches.iter().all(|branch| is_other_type(error, branch)) {
        return format!(
            "expected {}, found {}",
            wanted(error, branches),
            type_of(error.instance())
        );
    }
    let fitting = branches.iter().enumerate().filter(|(_, branch)| !is_other_type(error, branch));
    let Some((position, branch)) = fitting.min_by_key(|(_, branch)| distance(branch)) else {
        return "matches none of the alternatives".to_owned();
    };
    let depth = error.instance_path().as_str().len();
    let reasons = branch.iter().take(3).map(|reason| {
        let place = reason.instance_path().as_str().get(depth..).unwrap_or_default();
        let place = shorten(place, MAX_VALUE);
        let separator = if place.is_empty() { "" } else { ": " };
        format!("{place}{separator}{}", message(schema, reason))
    });
    format!(
        "matches none of {} alternatives; the closest, number {}, says {}",
        branches.len(),
        position + 1,
        reasons.collect::<Vec<_>>().join(", "),
    )
}

/// The allowed values, when every alternative is a fixed value or a list of them.
fn options(
    error: &ValidationError<'_>,
    branches: &[Vec<ValidationError<'static>>],
) -> Option<Vec<Value>> {
    let mut options = Vec::new();
    for branch in branches {
        let here = |e: &&ValidationError<'_>| e.instance_path() == error.instance_path();
        let choice = branch.iter().filter(here).find_map(|e| match e.kind() {
            Kind::Constant { expected_value } => Some(vec![(**expected_value).clone()]),
            Kind::Enum { options } => options.as_array().cloned(),
            _ => None,
        })?;
        options.extend(choice);
    }
    Some(options)
}

/// The types of the alternatives.
fn wanted(error: &ValidationError<'_>, branches: &[Vec<ValidationError<'static>>]) -> String {
    let mut names: Vec<String> = Vec::new();
    for reason in branches.iter().flatten() {
        if let (Kind::Type { kind }, true) =
            (reason.kind(), reason.instance_path() == error.instance_path())
        {
            let name = types(kind);
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    names.join(" or ")
}

/// How far a value is from a branch: a wrong fixed value or type weighs most, it marks another kind.
fn distance(branch: &[ValidationError<'static>]) -> usize {
    let weight = |e: &ValidationError<'_>| match e.kind() {
        Kind::Constant { .. } | Kind::Enum { .. } => 100,
        Kind::Type { .. } | Kind::FalseSchema => 10,
        Kind::AdditionalProperties { unexpected } => 2 * unexpected.len(),
        _ => 1,
    };
    branch.iter().map(weight).sum()
}

fn types(kind: &TypeKind) -> String {
    match kind {
        TypeKind::Single(single) => single.to_string(),
        TypeKind::Multiple(several) => {
            several.iter().map(|name| name.to_string()).collect::<Vec<_>>().join(" or ")
        }
    }
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn one_of(options: &Value) -> String {
    let options = options.as_array().map(Vec::as_slice).unwrap_or_default();
    let list = listed(options.len(), options.iter().map(show));
    if options.len() == 1 { list } else { format!("one of {list}") }
}

/// The first of several texts, and how many there are.
fn listed(total: usize, texts: impl Iterator<Item = String>) -> String {
    let mut list = texts.take(MAX_LISTED).collect::<Vec<_>>().join(", ");
    if total > MAX_LISTED {
        list.extend([", … (", &total.to_string(), " in all)"]);
    }
    list
}

/// A value of the schema, shortened: a string without quotes unless it looks like another value.
fn show(value: &Value) -> String {
    let json = value.to_string();
    let text = value.as_str().filter(|text| serde_json::from_str::<Value>(text).is_err());
    format!("`{}`", shorten(text.filter(|text| !text.is_empty()).unwrap_or(&json), MAX_VALUE))
}

/// A limit of the schema.
fn plain(limit: &Value) -> String {
    shorten(&limit.to_string(), MAX_VALUE).into_owned()
}

fn count(limit: u64, noun: &str) -> String {
    match (limit, noun) {
        (1, _) => format!("1 {noun}"),
        (_, "property") => format!("{limit} properties"),
        _ => format!("{limit} {noun}s"),
    }
}

/// What a well-known format looks like.
fn example(format: &str) -> &'static str {
    match format {
        "date" => ", like 2024-01-31",
        "date-time" => ", like 2024-01-31T12:00:00Z",
        "time" => ", like 12:00:00Z",
        "duration" => ", like P1DT12H",
        "uuid" => ", like 123e4567-e89b-12d3-a456-426614174000",
        "uri" => ", like https://example.org/path",
        "email" => ", like name@example.org",
        _ => "",
    }
}

/// A text of at most `limit` characters on one line.
pub(super) fn shorten(text: &str, limit: usize) -> Cow<'_, str> {
    if text.len() <= limit && !text.contains(char::is_control) {
        return Cow::Borrowed(text);
    }
    let mut characters = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    let mut short: String = characters.by_ref().take(limit).collect();
    if characters.next().is_some() {
        short.push('…');
    }
    Cow::Owned(short)
}
