//! Reads the settings of a `layout`.

use serde_json::{Map, Value};

use super::build::Builder;
use crate::editor::expression::{Expression, Syntax};
use crate::json::{Pointer, Problem};

/// Settings of one `layout`, and where they are.
#[derive(Debug, Clone, Copy)]
pub(super) struct Settings<'s, 'p> {
    pub(super) at: &'p Pointer,
    pub(super) values: Option<&'s Map<String, Value>>,
}

impl<'s> Settings<'s, '_> {
    pub(super) fn get(&self, key: &str) -> Option<&'s Value> {
        self.values?.get(key)
    }

    pub(super) fn text(&self, key: &str) -> Option<&'s str> {
        self.get(key)?.as_str()
    }
}

impl Builder<'_> {
    /// An expression of a setting: a text of the usual syntax of its place, or an object that says
    /// which one it has.
    pub(super) fn expression(
        &mut self,
        value: Option<&Value>,
        usual: Syntax,
        alias: Option<&'static str>,
        at: &Pointer,
    ) -> Option<Expression> {
        let value = value?;
        let (source, syntax) = match value {
            Value::String(source) => (source.as_str(), usual),
            Value::Object(map) => {
                let syntax = match map.get("type").and_then(Value::as_str) {
                    Some("js-eval") => Syntax::Expression,
                    Some("js-tpl") => Syntax::Template,
                    Some("js-fn") => Syntax::Function,
                    _ => usual,
                };
                (map.get("expr").and_then(Value::as_str)?, syntax)
            }
            // conditions may be plain
            Value::Bool(true) => ("true", usual),
            Value::Bool(false) => ("false", usual),
            _ => return None,
        };
        let Some(left) = self.expressions.checked_sub(source.len() + 100) else {
            self.too_much(at, "expressions");
            return None;
        };
        self.expressions = left;
        let mut findings = Vec::new();
        let expression = Expression::parse(syntax, source, alias, at.as_str(), &mut findings);
        for finding in findings {
            self.finding(at, finding.message);
        }
        Some(expression)
    }

    /// An expression with the key of its setting.
    pub(super) fn setting(
        &mut self,
        settings: Settings<'_, '_>,
        key: &str,
        alias: Option<&'static str>,
    ) -> Option<Expression> {
        let value = settings.get(key);
        self.expression(value, Syntax::Expression, alias, &settings.at.join(key))
    }

    pub(super) fn finding(&mut self, at: &Pointer, message: impl Into<String>) {
        const MAX_FINDINGS: usize = 200;
        if self.findings.len() < MAX_FINDINGS {
            self.findings.push(Problem::new(at.clone(), message));
        }
    }

    /// Refuses the schema because of its size.
    pub(super) fn too_much(&mut self, at: &Pointer, what: &str) {
        if self.problems.is_empty() {
            let message = format!("the schema has more {what} than a form may have");
            self.problems.push(Problem::new(at.clone(), message));
        }
    }
}
