//! Descriptions that contradict the schema they describe.
//!
//! An annotation may reword the description of an argument but not change its schema. An agent
//! believes the description, and the call then fails the schema.

use std::collections::BTreeSet;

use serde_json::Value;

use super::words::{list, quote};
use crate::json::{Pointer, Problem};

/// Longest quoted value that counts, in characters.
const QUOTED: usize = 60;

/// Characters after an opening mark in which its closing mark is looked for.
const WINDOW: usize = 400;

/// An argument whose description an annotation wrote.
#[derive(Debug, Clone)]
pub struct Subject<'a> {
    /// Name of the tool.
    pub tool: &'a str,
    /// Name of the argument.
    pub argument: &'a str,
    /// Its description.
    pub description: &'a str,
    /// Its schema.
    pub schema: &'a Value,
    /// Place of the annotation in the document.
    pub pointer: &'a Pointer,
}

/// What a description gets wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Code {
    /// A single quoted example for an argument that is an array.
    ScalarExampleForArray,
    /// "comma-separated" for an argument that is an array.
    CommaSeparatedArray,
    /// A quoted value that the enumeration does not allow.
    QuotedValueNotInEnum,
}

/// One contradiction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Name of the tool.
    pub tool: String,
    /// Name of the argument.
    pub argument: String,
    /// What is wrong.
    pub code: Code,
    /// Where, and what to write instead.
    pub problem: Problem,
}

impl Code {
    /// The stable name of the rule.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ScalarExampleForArray => "scalar-example-for-array",
            Self::CommaSeparatedArray => "comma-separated-array",
            Self::QuotedValueNotInEnum => "quoted-value-not-in-enum",
        }
    }
}

/// The contradictions of one argument, at most one of each code.
pub fn check(subject: &Subject<'_>) -> Vec<Finding> {
    let text = subject.description;
    let quoted = quoted_values(text);
    let array = is_array(subject.schema);
    let mut findings = Vec::new();
    if let Some(first) = quoted.first().filter(|_| array && !shows_array(text)) {
        findings.push(subject.finding(
            Code::ScalarExampleForArray,
            &format!(
                "is an array, but its description shows the single value `{first}`; show an array \
                 such as `[\"{first}\"]`"
            ),
        ));
    }
    if array && says_comma_separated(text) {
        findings.push(subject.finding(
            Code::CommaSeparatedArray,
            "is an array, but its description says comma-separated; ask for an array with one \
             value per element",
        ));
    }
    findings.extend(subject.strays(&quoted));
    findings
}

impl Subject<'_> {
    fn strays(&self, quoted: &[&str]) -> Option<Finding> {
        let allowed = allowed_values(self.schema)?;
        let allowed: Vec<&str> = allowed.iter().map(String::as_str).collect();
        let known: BTreeSet<&str> = allowed.iter().copied().collect();
        let strays: Vec<&str> =
            quoted.iter().copied().filter(|text| !known.contains(text)).collect();
        if strays.is_empty() {
            return None;
        }
        Some(self.finding(
            Code::QuotedValueNotInEnum,
            &format!(
                "does not allow {}, which its description quotes; allowed: {}",
                list(&strays, ", ", " and "),
                list(&allowed, ", ", " and ")
            ),
        ))
    }

    fn finding(&self, code: Code, message: &str) -> Finding {
        let (tool, argument) = (self.tool, self.argument);
        Finding {
            tool: tool.to_owned(),
            argument: argument.to_owned(),
            code,
            problem: Problem::new(
                self.pointer.as_str(),
                format!(
                    "argument {} of tool {} {message} [{}]",
                    quote(argument),
                    quote(tool),
                    code.as_str()
                ),
            ),
        }
    }
}

fn is_array(schema: &Value) -> bool {
    match schema.get("type") {
        Some(Value::String(name)) => name == "array",
        Some(Value::Array(names)) => names.iter().any(|name| name == "array"),
        _ => false,
    }
}

/// The values of `enum`, else of `items.enum`, as text.
fn allowed_values(schema: &Value) -> Option<Vec<String>> {
    let values = schema.get("enum").or_else(|| schema.get("items")?.get("enum"))?.as_array()?;
    Some(values.iter().map(|v| v.as_str().map_or_else(|| v.to_string(), str::to_owned)).collect())
}

/// Whether the text shows an array with quoted elements.
fn shows_array(text: &str) -> bool {
    text.split('[').skip(1).any(|rest| rest.trim_start().starts_with(['"', '\'']))
}

fn says_comma_separated(text: &str) -> bool {
    let text = text.to_lowercase();
    text.match_indices("comma").any(|(at, word)| {
        let rest = text.get(at + word.len()..).unwrap_or_default();
        let mut chars = rest.chars();
        chars.next().is_some_and(|c| c == '-' || c.is_whitespace())
            && chars.as_str().starts_with("separated")
    })
}

/// Values between two equal quotation marks on one line, except long ones.
///
/// Apostrophes are told apart by what is around them: see [`opens`] and [`quoted_value`].
fn quoted_values(text: &str) -> Vec<&str> {
    let mut values = Vec::new();
    let mut rest = text;
    let mut before = None;
    while let Some(c) = rest.chars().next() {
        rest = rest.get(c.len_utf8()..).unwrap_or_default();
        let opens = opens(c, before, rest);
        if let Some(value) = opens.then(|| quoted_value(rest, c)).flatten() {
            rest = rest.get(value.len() + 1..).unwrap_or_default();
            values.extend((1..=QUOTED).contains(&value.chars().count()).then_some(value));
        }
        before = Some(c);
    }
    values
}

/// Whether `mark`, between `before` and `rest`, opens a quotation.
///
/// After a letter or digit it does not (`l'heure`). Neither does an apostrophe before white space
/// (`` the `users`' names ``), in a possessive after anything else (`` the `user`'s name ``) or before
/// a decade (`'90s`).
fn opens(mark: char, before: Option<char>, rest: &str) -> bool {
    if before.is_some_and(char::is_alphanumeric) {
        return false;
    }
    let ends_word = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '\'');
    let ends_after_s = |rest: &str| rest.strip_prefix('s').is_some_and(ends_word);
    let is_possessive =
        || ends_after_s(rest) && before.is_some_and(|before| !before.is_whitespace());
    let decade = rest.strip_prefix(|c: char| c.is_ascii_digit());
    let is_decade = || {
        decade
            .and_then(|rest| rest.strip_prefix(|c: char| c.is_ascii_digit()))
            .is_some_and(ends_after_s)
    };
    match mark {
        '"' => true,
        '\'' => !rest.starts_with(char::is_whitespace) && !is_possessive() && !is_decade(),
        _ => false,
    }
}

/// The value up to the closing mark, if there is one near enough; a single mark before a letter
/// closes nothing.
fn quoted_value(text: &str, mark: char) -> Option<&str> {
    let line = text.char_indices().take(WINDOW).take_while(|(_, c)| *c != '\n');
    let closing = line.filter(|(_, c)| *c == mark).map(|(at, _)| at).find(|at| {
        let next = text.get(at + 1..).and_then(|rest| rest.chars().next());
        mark == '"' || !next.is_some_and(char::is_alphanumeric)
    })?;
    text.get(..closing)
}
