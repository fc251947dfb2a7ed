//! Checks the arguments of a call before anything is sent (JSON Schema 2020-12).
//!
//! The `jsonschema` crate gives verdicts and places; the messages are written here, for a reader who
//! can only correct the arguments.

mod cost;
mod defaults;
mod explain;
mod foreign;
mod numbers;

use std::cell::OnceCell;

use jsonschema::Validator;
use serde_json::{Map, Value};

use self::{defaults::Defaults, explain::Report};
use crate::{
    json::{Pointer, Problem},
    pattern,
    tool::{BodyShape, Tool},
};

/// The compiled schemas of one tool, made on first use; belongs to exactly one [`Tool`].
#[derive(Default)]
pub struct Validators {
    arguments: OnceCell<Compiled>,
    body: OnceCell<Compiled>,
    output: OnceCell<Option<Validator>>,
}

impl std::fmt::Debug for Validators {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Validators").finish_non_exhaustive()
    }
}

impl Validators {
    /// Compiles the schemas now, to find out at load whether they can be used.
    ///
    /// # Errors
    /// What the validator says about a schema that it cannot use, with the pointer in that schema.
    pub fn prepare(&self, tool: &Tool) -> Result<(), Problem> {
        self.arguments(tool).validator.as_ref().map_err(Clone::clone)?;
        if let Some((_, schema)) = compact_body(tool) {
            self.body(schema).validator.as_ref().map_err(Clone::clone)?;
        }
        Ok(())
    }

    /// The output schema, if it can be used.
    pub(super) fn output(&self, schema: &Value) -> Option<&Validator> {
        self.output.get_or_init(|| compile(schema).ok()).as_ref()
    }

    fn arguments(&self, tool: &Tool) -> &Compiled {
        self.arguments.get_or_init(|| Compiled::new(tool.checked_schema()))
    }

    fn body(&self, schema: &Value) -> &Compiled {
        self.body.get_or_init(|| Compiled::new(schema))
    }
}

/// Checks arguments against the input schema of a tool, and a compact body against its own schema.
///
/// Returns the arguments as they are to be sent: absent properties with a default are filled in
/// (a default of `null` is not), integers written with a fraction or exponent are plain integers.
///
/// # Errors
/// All violations up to a limit, each with its pointer in the arguments, the root being the empty
/// pointer. Messages name what is allowed and never repeat long values.
pub fn check(
    tool: &Tool,
    validators: &Validators,
    arguments: Map<String, Value>,
) -> Result<Map<String, Value>, Vec<Problem>> {
    pattern::bounded(|| check_bounded(tool, validators, arguments))
}

fn check_bounded(
    tool: &Tool,
    validators: &Validators,
    arguments: Map<String, Value>,
) -> Result<Map<String, Value>, Vec<Problem>> {
    let mut value = Value::Object(arguments);
    numbers::normalize(&mut value);
    let mut report = Report::default();
    validators.arguments(tool).check(tool.checked_schema(), &mut value, "", &mut report);
    if let Some((argument, schema)) = compact_body(tool)
        && let Some(body) = value.get_mut(argument).filter(|body| !body.is_null())
    {
        let at = Pointer::root().join(argument);
        validators.body(schema).check(schema, body, at.as_str(), &mut report);
    }
    match (report.finish(), value) {
        (problems, Value::Object(arguments)) if problems.is_empty() => Ok(arguments),
        (mut problems, _) => {
            foreign::explain(tool, &mut problems);
            Err(problems)
        }
    }
}

/// The argument that is the whole body, and the schema of its own that it must match.
fn compact_body(tool: &Tool) -> Option<(&str, &Value)> {
    let body = tool.plan.operation()?.body.as_ref()?;
    match &body.shape {
        BodyShape::Whole { argument } => Some((argument, body.schema.as_ref()?)),
        BodyShape::Flat { .. } => None,
    }
}

/// One schema, ready to use.
struct Compiled {
    validator: Result<Validator, Problem>,
    defaults: Defaults,
}

impl Compiled {
    fn new(schema: &Value) -> Self {
        Self { validator: compile(schema), defaults: Defaults::find(schema) }
    }

    fn check(&self, schema: &Value, value: &mut Value, at: &str, report: &mut Report) {
        self.defaults.fill(value);
        match &self.validator {
            Ok(validator) if validator.is_valid(value) => {}
            Ok(validator) => report.explain(schema, validator, value, at),
            Err(problem) => {
                let message = format!("cannot be checked, the API's schema has a fault: {problem}");
                report.push(at, message);
            }
        }
    }
}

/// Compiles a self-contained schema.
fn compile(schema: &Value) -> Result<Validator, Problem> {
    pattern::options().build(schema).map_err(|error| {
        let message = error.masked().to_string();
        Problem::new(error.instance_path().as_str(), explain::shorten(&message, 200))
    })
}

#[cfg(test)]
mod tests;
