//! The expressions of schemas: the subset of JavaScript that they use, evaluated over JSON values.
//!
//! Expressions have no side effects and reach nothing but the variables of a [`Scope`] and the pure
//! functions of the language: no clock, no randomness, no globals. Length and nesting of an
//! expression, the steps of its evaluation and the room its values take are bounded.

mod address;
mod convert;
mod evaluate;
mod lexer;
mod methods;
mod parser;
mod syntax;
#[cfg(test)]
mod tests;
mod value;

use std::cell::Cell;

use serde_json::Value;

pub use self::address::Gap;
use self::evaluate::Evaluator;
use self::syntax::Body;
use self::value::{Js, List};
use crate::json::Problem;

/// Most steps of one evaluation.
const MAX_STEPS: usize = 50_000;
/// Bytes of text that cost as much as one step.
const BYTES_PER_STEP: usize = 32;

/// How the text of an expression is to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Syntax {
    /// An expression (`js-eval`).
    Expression,
    /// The inside of a template literal (`js-tpl`).
    Template,
    /// The body of a function: constants, conditions and `return` (`js-fn`).
    Function,
}

/// A parsed expression.
#[derive(Debug, Clone, PartialEq)]
pub struct Expression {
    source: String,
    alias: Option<&'static str>,
    /// `None` when the text could not be parsed.
    body: Option<Box<Body>>,
}

/// What an expression sees.
#[derive(Debug, Clone, Copy)]
pub struct Scope<'a> {
    /// `data`, and the alias of the place (`value`, `item`, `body`); `None` is `undefined`.
    pub data: Option<&'a Value>,
    /// `rootData`: the whole document.
    pub root: Option<&'a Value>,
    /// `parent`: what encloses the node.
    pub parent: Option<&'a Enclosing<'a>>,
    /// `context`: constants of the form; `None` is an empty object.
    pub context: Option<&'a Value>,
    /// `readOnly`: whether values are only shown.
    pub read_only: bool,
    /// `summary`: whether only a summary is shown.
    pub summary: bool,
    /// What all evaluations of one piece of work may cost together.
    pub fuel: &'a Fuel,
}

/// `parent` of an expression: the data that encloses a node, and what encloses that.
#[derive(Debug, Clone, Copy)]
pub struct Enclosing<'a> {
    /// `parent.data`; `None` is `undefined`.
    pub data: Option<&'a Value>,
    /// `parent.parent`.
    pub parent: Option<&'a Enclosing<'a>>,
}

/// Steps that are left; a step takes some tens of nanoseconds.
#[derive(Debug)]
pub struct Fuel(Cell<usize>);

/// Why an expression has no value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failure {
    /// It could not be parsed; the form's findings say where.
    Syntax,
    /// What JavaScript throws: a member of `undefined`, an unknown name, something not callable.
    Thrown,
    /// It needs more steps, depth or room than an expression may.
    Effort,
}

impl Fuel {
    /// Fuel for so many steps.
    pub fn new(steps: usize) -> Self {
        Self(Cell::new(steps))
    }

    fn spend(&self, steps: usize) -> Result<(), Failure> {
        let left = self.0.get().checked_sub(steps);
        self.0.set(left.unwrap_or(0));
        left.map(|_| ()).ok_or(Failure::Effort)
    }

    fn spend_text(&self, bytes: usize) -> Result<(), Failure> {
        self.spend(bytes / BYTES_PER_STEP)
    }
}

impl Expression {
    /// Reads an expression of the place `at`. One that cannot be read is reported and fails whenever
    /// it is evaluated.
    pub fn parse(
        syntax: Syntax,
        source: &str,
        alias: Option<&'static str>,
        at: &str,
        findings: &mut Vec<Problem>,
    ) -> Self {
        let body = match syntax {
            Syntax::Expression => parser::expression(source).map(Body::Expression),
            Syntax::Template => parser::template(source).map(Body::Expression),
            Syntax::Function => parser::function(source).map(Body::Block),
        };
        if let Err(fault) = &body {
            let message = format!(
                "the expression {} cannot be used: {} at character {}",
                quoted(source),
                fault.what,
                source.get(..fault.at).unwrap_or(source).chars().count() + 1
            );
            findings.push(Problem::new(at, message));
        }
        let source = source.chars().take(parser::MAX_LENGTH).collect();
        Self { source, alias, body: body.ok().map(Box::new) }
    }

    /// The text of the expression.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The value of the expression; `None` is `undefined`.
    ///
    /// # Errors
    /// It throws, cannot be parsed or takes too much.
    pub fn value(&self, scope: &Scope<'_>) -> Result<Option<Value>, Failure> {
        self.evaluate(scope, &|value, fuel| value.to_json(fuel))
    }

    /// The value of an expression that finds a list in the data. A list that is there takes no
    /// steps, however long it is.
    ///
    /// # Errors
    /// As for [`Expression::value`].
    pub fn list(&self, scope: &Scope<'_>) -> Result<Option<Value>, Failure> {
        self.evaluate(scope, &|value, fuel| match value {
            Js::List(List::Data(items)) => Ok(Some(Value::Array(items.to_vec()))),
            value => value.to_json(fuel),
        })
    }

    /// Whether the value is truthy; false when there is none.
    pub fn holds(&self, scope: &Scope<'_>) -> bool {
        self.evaluate(scope, &|value, _| Ok(value.is_truthy())).unwrap_or(false)
    }

    fn evaluate<T>(
        &self,
        scope: &Scope<'_>,
        finish: &dyn Fn(&Js<'_>, &Fuel) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        self.run(scope, &mut |evaluator, body| {
            finish(&evaluator.body(body, &None)?, evaluator.fuel)
        })
    }

    /// Works with the fuel of one expression, which is taken from the fuel of the scope.
    fn run<T, E: From<Failure>>(
        &self,
        scope: &Scope<'_>,
        work: &mut dyn for<'a> FnMut(&mut Evaluator<'a>, &'a Body) -> Result<T, E>,
    ) -> Result<T, E> {
        let body = self.body.as_deref().ok_or(Failure::Syntax)?;
        let steps = scope.fuel.0.get().min(MAX_STEPS);
        let fuel = Fuel::new(steps);
        let mut evaluator = Evaluator { scope, alias: self.alias, fuel: &fuel, depth: 0 };
        let result = work(&mut evaluator, body);
        // at least one, so that even failing expressions come to an end
        scope.fuel.spend((steps - fuel.0.get()).max(1))?;
        result
    }
}

/// The start of an expression, in one line of backticks.
fn quoted(source: &str) -> String {
    let start: String =
        source.chars().take(80).map(|c| if c.is_control() { ' ' } else { c }).collect();
    let dots = if start.chars().count() < source.chars().count() { "…" } else { "" };
    format!("`{start}{dots}`")
}
