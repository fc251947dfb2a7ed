//! Validation: what is wrong with a document, and where in document and schema.

use jsonschema::{
    JsonType, ValidationError, Validator,
    error::{TypeKind, ValidationErrorKind as Kind},
};
use serde_json::Value;

use super::{
    growth::Growth,
    message::{Fault, plain},
    range,
};
use crate::{editor::prepare::OVERLAPS, pattern};

/// Most violations that are looked at.
const MAX_FINDINGS: usize = 2_000;

/// One violation.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::editor) struct Finding {
    /// JSON Pointer into the document.
    pub(in crate::editor) at: String,
    /// JSON Pointer into the schema of the schema that is violated; that of the keyword for unions.
    pub(in crate::editor) schema: String,
    /// What is wrong.
    pub(in crate::editor) fault: Fault,
    /// What the schema itself says about it (`errorMessage`).
    pub(in crate::editor) words: Option<String>,
    /// Unions that the violated schema is a branch of, from the outside in.
    pub(in crate::editor) branches: Vec<Branch>,
}

/// A branch of a union that validation went through.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::editor) struct Branch {
    /// JSON Pointer into the document.
    pub(in crate::editor) at: String,
    /// JSON Pointer into the schema, of the keyword.
    pub(in crate::editor) schema: String,
    /// Index of the branch.
    pub(in crate::editor) index: usize,
}

/// Everything wrong with a document, in the order of places; one finding without a place when telling more would take too
/// long.
pub(super) fn findings(
    validator: &Validator,
    growth: Growth,
    schema: &Value,
    document: &Value,
) -> Vec<Finding> {
    pattern::bounded(|| {
        if validator.is_valid(document) {
            return Vec::new();
        }
        let mut collector = Collector { schema, findings: Vec::new(), branches: Vec::new() };
        let mut is_tolerable = growth.allows(document);
        if is_tolerable {
            for error in validator.iter_errors(document) {
                if !collector.is_tolerable(&error) {
                    is_tolerable = false;
                    collector.add(&error);
                }
            }
        }
        if collector.findings.is_empty() && !is_tolerable {
            collector.push("", "", Fault::Alternatives);
        }
        in_order(&mut collector.findings);
        collector.findings
    })
}

/// Sorts findings by their places.
pub(super) fn in_order(findings: &mut [Finding]) {
    findings.sort_by(|a, b| a.at.cmp(&b.at));
}

/// Levels of arrays and objects.
pub(in crate::editor) fn depth(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        Value::Object(members) => 1 + members.values().map(depth).max().unwrap_or(0),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    }
}

struct Collector<'s> {
    schema: &'s Value,
    findings: Vec<Finding>,
    branches: Vec<Branch>,
}

impl Collector<'_> {
    fn push(&mut self, at: &str, schema: &str, fault: Fault) {
        if self.findings.len() < MAX_FINDINGS {
            let words = self.words(schema, &fault);
            let branches = self.branches.clone();
            let (at, schema) = (at.to_owned(), schema.to_owned());
            self.findings.push(Finding { at, schema, fault, words, branches });
        }
    }

    /// What `errorMessage` beside the violated keyword says: one text for all, or one per keyword or
    /// missing property.
    fn words(&self, schema: &str, fault: &Fault) -> Option<String> {
        let keyword = match fault {
            Fault::Required(_) => "required",
            Fault::Unexpected(_) => "additionalProperties",
            Fault::Alternatives => schema.rsplit('/').next().unwrap_or_default(),
            Fault::Keyword(keyword, _) => keyword,
            Fault::Hidden => "",
        };
        let schema = if *fault == Fault::Alternatives { parent(schema) } else { schema };
        let mut words = self.schema.pointer(schema)?.get("errorMessage")?;
        if let Some(own) = words.get(keyword) {
            words = own;
        }
        if let Fault::Required(key) = fault {
            words = words.get(key).unwrap_or(words);
        }
        words.as_str().map(str::to_owned)
    }

    /// Whether all that is wrong is that overlapping variants match together.
    fn is_tolerable(&self, error: &ValidationError<'_>) -> bool {
        match error.kind() {
            Kind::OneOfMultipleValid { .. } => {
                let union = self.schema.pointer(parent(error.schema_path().as_str()));
                union.is_some_and(|union| union.get(OVERLAPS).is_some())
            }
            Kind::AnyOf { context } | Kind::OneOfNotValid { context } => context
                .iter()
                .any(|it| !it.is_empty() && it.iter().all(|error| self.is_tolerable(error))),
            _ => false,
        }
    }

    fn add(&mut self, error: &ValidationError<'_>) {
        let at = error.instance_path().as_str();
        let keyword = error.schema_path().as_str();
        let schema = parent(keyword);
        match error.kind() {
            Kind::Required { property } => {
                self.push(at, schema, Fault::Required(plain(property)));
            }
            Kind::AdditionalProperties { unexpected }
            | Kind::UnevaluatedProperties { unexpected } => {
                for key in unexpected {
                    self.push(at, schema, Fault::Unexpected(key.clone()));
                }
            }
            Kind::AnyOf { context } | Kind::OneOfNotValid { context } => {
                self.add_union(at, keyword, context);
            }
            Kind::OneOfMultipleValid { .. } => self.push(at, keyword, Fault::Alternatives),
            kind => {
                let fault = fault(kind);
                self.push(at, schema, fault);
            }
        }
    }

    /// Adds what is wrong with each branch, then that none matches. A branch that is only there for
    /// `null` is no alternative.
    fn add_union(&mut self, at: &str, keyword: &str, context: &[Vec<ValidationError<'static>>]) {
        let is_null = |branch: &&Vec<ValidationError<'static>>| is_null_only(at, branch);
        if context.len() == 2 && context.iter().any(|branch| is_null(&branch)) {
            for error in context.iter().filter(|branch| !is_null(branch)).flatten() {
                self.add(error);
            }
            return;
        }
        for (index, branch) in context.iter().enumerate() {
            self.branches.push(Branch { at: at.to_owned(), schema: keyword.to_owned(), index });
            for error in branch {
                self.add(error);
            }
            self.branches.pop();
        }
        self.push(at, keyword, Fault::Alternatives);
    }
}

/// The pointer without its last segment.
fn parent(pointer: &str) -> &str {
    pointer.rsplit_once('/').map_or("", |(parent, _)| parent)
}

/// Whether all that is wrong with a branch is that the value is not `null`.
fn is_null_only(at: &str, branch: &[ValidationError<'static>]) -> bool {
    let [error] = branch else { return false };
    error.instance_path().as_str() == at
        && matches!(error.kind(), Kind::Type { kind: TypeKind::Single(JsonType::Null) })
}

fn fault(kind: &Kind) -> Fault {
    let limit =
        |keyword, limit: &dyn std::fmt::Display| Fault::Keyword(keyword, Some(limit.to_string()));
    match kind {
        Kind::Type { kind } => Fault::Keyword("type", Some(types(kind))),
        Kind::Constant { expected_value } => limit("const", &expected_value),
        Kind::Enum { .. } => Fault::Keyword("enum", None),
        Kind::Minimum { limit: bound } => limit("minimum", bound),
        Kind::Maximum { limit: bound } => limit("maximum", bound),
        Kind::ExclusiveMinimum { limit: bound } => limit("exclusiveMinimum", bound),
        Kind::ExclusiveMaximum { limit: bound } => limit("exclusiveMaximum", bound),
        Kind::MultipleOf { multiple_of } => limit("multipleOf", multiple_of),
        Kind::MinLength { limit: bound } => limit("minLength", bound),
        Kind::MaxLength { limit: bound } => limit("maxLength", bound),
        Kind::MinItems { limit: bound } => limit("minItems", bound),
        Kind::MaxItems { limit: bound } => limit("maxItems", bound),
        Kind::AdditionalItems { limit: bound } => limit("maxItems", bound),
        Kind::MinProperties { limit: bound } => limit("minProperties", bound),
        Kind::MaxProperties { limit: bound } => limit("maxProperties", bound),
        Kind::Pattern { pattern } => limit("pattern", pattern),
        Kind::Format { format } => limit("format", format),
        Kind::Custom { keyword, message } => limit(range::numeric(keyword), message),
        Kind::UniqueItems => Fault::Keyword("uniqueItems", None),
        Kind::Contains => Fault::Keyword("contains", None),
        Kind::PropertyNames { .. } => Fault::Keyword("propertyNames", None),
        Kind::Not { .. } => Fault::Keyword("not", None),
        Kind::FalseSchema => Fault::Keyword("falseSchema", None),
        _ => Fault::Keyword("schema", None),
    }
}

fn types(kind: &TypeKind) -> String {
    match kind {
        TypeKind::Single(one) => one.to_string(),
        TypeKind::Multiple(set) => {
            let names: Vec<String> = set.iter().map(|one| one.to_string()).collect();
            names.join(", ")
        }
    }
}
