//! YAML 1.2 text as JSON values.
//!
//! Only what JSON can hold: one document, core schema scalars (YAML 1.2.2 §10.3), scalar keys.
//! Anchors, aliases and merge keys are resolved within a budget; parsing never recurses.

mod builder;
mod flow;
mod scalar;

use serde_json::Value;
use yaml_rust2::parser::{Event, Parser};
use yaml_rust2::scanner::Marker;

use super::{Problem, order_keys};
use builder::Builder;

/// What a text may cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Deepest nesting of objects and lists.
    pub max_depth: usize,
    /// Most values, with every alias counted as all that it stands for; 64 bytes of text count as
    /// one more value.
    pub max_nodes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { max_depth: 128, max_nodes: 2_000_000 }
    }
}

/// Parses one YAML document. Objects have ECMAScript key order, numbers keep their digits, and keys
/// that are not strings become their text.
///
/// # Errors
/// The first problem, without a place; its message has line and column.
pub fn parse(text: &str, limits: Limits) -> Result<Value, Problem> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    refuse_control_characters(text)?;
    let mut value = match read(text, limits) {
        Err(problem) if problem.message.starts_with("invalid indentation") => {
            read(&flow::indented(text), limits)
        }
        other => other,
    }?;
    order_keys(&mut value);
    Ok(value)
}

fn read(text: &str, limits: Limits) -> Result<Value, Problem> {
    let mut parser = Parser::new_from_str(text);
    let mut builder = Builder::new(limits);
    let mut documents = 0;
    loop {
        let (event, mark) =
            parser.next_token().map_err(|error| problem(*error.marker(), error.info()))?;
        match event {
            Event::StreamEnd => break,
            Event::DocumentStart if documents > 0 => {
                return Err(problem(mark, "expected one document, found a second one"));
            }
            Event::DocumentStart => documents += 1,
            event => builder.take(event).map_err(|message| problem(mark, &message))?,
        }
    }
    builder.finish().ok_or_else(|| Problem::new("", "the text is empty"))
}

/// The parser takes a zero byte for the end of the text, and the character set of YAML (§5.1) has
/// none of these.
fn refuse_control_characters(text: &str) -> Result<(), Problem> {
    let refused = |byte: u8| byte < b' ' && !matches!(byte, b'\t' | b'\n' | b'\r');
    let Some(at) = text.bytes().position(refused) else { return Ok(()) };
    let before = text.get(..at).unwrap_or_default();
    let line = before.matches('\n').count() + 1;
    let column = before.chars().rev().take_while(|&c| c != '\n').count() + 1;
    Err(located(line, column, "control characters are not allowed in YAML"))
}

fn problem(mark: Marker, message: &str) -> Problem {
    located(mark.line(), mark.col() + 1, message)
}

fn located(line: usize, column: usize, message: &str) -> Problem {
    Problem::new("", format!("{message} at line {line} column {column}"))
}

#[cfg(test)]
mod tests;
