//! The expressions of schemas: the subset of JavaScript that they use, evaluated over JSON values.
//!
//! Nothing but the variables of a [`Scope`] can be reached; work and depth are bounded.

use serde_json::Value;

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
}

/// `parent` of an expression: the data that encloses a node, and what encloses that.
#[derive(Debug, Clone, Copy)]
pub struct Enclosing<'a> {
    /// `parent.data`; `None` is `undefined`.
    pub data: Option<&'a Value>,
    /// `parent.parent`.
    pub parent: Option<&'a Enclosing<'a>>,
}

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

impl Expression {
    /// The text of the expression.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The value of the expression; `None` is `undefined`.
    ///
    /// # Errors
    /// It throws, cannot be parsed or takes too much.
    pub fn value(&self, scope: &Scope<'_>) -> Result<Option<Value>, Failure> {
        let _ = (scope, self.alias);
        Err(Failure::Syntax)
    }

    /// Whether the value is truthy; false when there is none.
    pub fn holds(&self, scope: &Scope<'_>) -> bool {
        let _ = scope;
        false
    }

    /// The value as JavaScript converts it to a string.
    ///
    /// # Errors
    /// As for [`Expression::value`].
    pub fn text(&self, scope: &Scope<'_>) -> Result<String, Failure> {
        let _ = scope;
        Err(Failure::Syntax)
    }
}
