//! Texts that are made for a request: URLs, in which values of the data stay in their place.
//!
//! What the schema itself writes goes into a URL as it is: the text around holes, string literals in
//! holes, and constants of the form (`context`). Everything else is data and is percent-encoded, so
//! that it is one value of a query or part of one segment of a path. There are two exceptions: data
//! at the very start may be a whole URL, absolute or from the root of the API; and what the
//! expression encodes with `encodeURIComponent` is not encoded again.

use super::convert::number_text;
use super::evaluate::{Evaluator, MAX_DEPTH, Variables};
use super::methods::encode_component;
use super::syntax::{Binary, Body, Element, Expr};
use super::{Expression, Failure, Fuel, Scope};

/// Why a text cannot be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Gap {
    /// A value in it is not set: the names that lead to the first one that is not, as in
    /// `rootData`, `a`, `b`; no names when it is more than a path.
    Unset(Vec<String>),
    /// A value in it would lead to another place of the path.
    Astray,
    /// It cannot be evaluated.
    Failed(Failure),
}

impl From<Failure> for Gap {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

impl Expression {
    /// The URL that the expression makes, perhaps a relative one. Data is encoded for its place.
    ///
    /// # Errors
    /// A value in it is not set or would lead astray, or the expression fails.
    pub fn url(&self, scope: &Scope<'_>) -> Result<String, Gap> {
        self.made(scope, true)
    }

    /// The text that the expression makes when all values in it are set.
    ///
    /// # Errors
    /// A value in it is not set, or the expression fails.
    pub fn filled(&self, scope: &Scope<'_>) -> Result<String, Gap> {
        self.made(scope, false)
    }

    fn made(&self, scope: &Scope<'_>, is_url: bool) -> Result<String, Gap> {
        let encodes = self.source.contains(ENCODE);
        self.run(scope, &mut |evaluator, body| {
            let mut out = Text { is_url, encodes, ..Text::default() };
            match body {
                Body::Expression(expr) => evaluator.write(expr, &None, &mut out)?,
                Body::Block(statements) => match evaluator.returned(statements, &mut None)? {
                    Some((Some(expr), variables)) => evaluator.write(expr, &variables, &mut out)?,
                    _ => return Err(Gap::Unset(Vec::new())),
                },
            }
            out.finish()
        })
    }
}

/// The function that encodes a value for a URL.
const ENCODE: &str = "encodeURIComponent";

/// A text in the making.
#[derive(Debug, Default)]
struct Text {
    is_url: bool,
    /// The expression encodes some of its values itself.
    encodes: bool,
    out: String,
    /// The same with one letter for each value of the data.
    shape: String,
    /// Length of the whole URL that data put at the start.
    head: usize,
    in_query: bool,
}

impl Text {
    /// Appends what the schema writes.
    fn literal(&mut self, text: &str) {
        self.out.push_str(text);
        self.shape.push_str(text);
        self.in_query |= text.contains(['?', '#']);
    }

    /// Appends a value of the data.
    fn value(&mut self, text: &str, fuel: &Fuel) -> Result<(), Gap> {
        if !self.is_url {
            self.out.push_str(text);
            return Ok(());
        }
        if self.out.is_empty() && is_whole(text) {
            return self.whole(text);
        }
        let encoded =
            if self.encodes { encode_rest(text, fuel)? } else { encode_component(fuel, text)? };
        self.encoded(text, &encoded)
    }

    /// Appends a whole URL.
    fn whole(&mut self, url: &str) -> Result<(), Gap> {
        let is_odd = |c: char| c.is_control() || c == '\\';
        if url.contains(is_odd) || climbs(before_query(url)) {
            return Err(Gap::Astray);
        }
        self.out.push_str(url);
        self.shape.push('x');
        self.head = url.len();
        Ok(())
    }

    /// Appends a value that is encoded.
    fn encoded(&mut self, value: &str, encoded: &str) -> Result<(), Gap> {
        if self.is_url && !self.in_query && climbs(value) {
            return Err(Gap::Astray);
        }
        self.out.push_str(encoded);
        self.shape.push('x');
        Ok(())
    }

    fn finish(mut self) -> Result<String, Gap> {
        if !self.is_url {
            return Ok(self.out);
        }
        if self.out.len() > self.head {
            // more text belongs to the path of the URL at the start, which ends where the data does
            let (head, rest) = self.out.split_at_checked(self.head).unwrap_or_default();
            self.out = [&head.replace('?', "%3F").replace('#', "%23"), rest].concat();
        }
        let dots = |url: &str| {
            before_query(url).split(['/', '\\']).filter(|segment| is_dots(segment)).count()
        };
        if dots(&self.out) == dots(&self.shape) { Ok(self.out) } else { Err(Gap::Astray) }
    }
}

fn is_whole(text: &str) -> bool {
    let starts = |prefix: &str| {
        text.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix))
    };
    text.starts_with('/') || starts("http://") || starts("https://")
}

fn before_query(url: &str) -> &str {
    url.split(['?', '#']).next().unwrap_or_default()
}

/// Whether a segment stands for another place, for the parser of URLs or for a server that decodes
/// first.
fn is_dots(segment: &str) -> bool {
    segment.len() <= 6
        && matches!(segment.to_ascii_lowercase().replace("%2e", ".").as_str(), "." | "..")
}

/// Whether a value has segments that stand for another place, however they are written.
fn climbs(value: &str) -> bool {
    if !value.contains(['.', '%']) {
        return false;
    }
    let value = value.to_ascii_lowercase().replace("%2f", "/").replace("%5c", "/");
    value.split(['/', '\\']).any(is_dots)
}

/// Encodes what is not yet encoded.
fn encode_rest(text: &str, fuel: &Fuel) -> Result<String, Failure> {
    let mut parts = text.split('%');
    let mut out = encode_component(fuel, parts.next().unwrap_or_default())?;
    for part in parts {
        let code = part.get(..2).filter(|code| code.bytes().all(|b| b.is_ascii_hexdigit()));
        out.push_str(if code.is_some() { "%" } else { "%25" });
        out.push_str(&encode_component(fuel, part)?);
    }
    Ok(out)
}

impl<'a> Evaluator<'a> {
    /// Appends the text of an expression.
    fn write(
        &mut self,
        expr: &'a Expr,
        variables: &Variables<'a>,
        to: &mut Text,
    ) -> Result<(), Gap> {
        self.fuel.spend(1)?;
        if self.depth == MAX_DEPTH {
            return Err(Failure::Effort.into());
        }
        self.depth += 1;
        let done = self.write_parts(expr, variables, to);
        self.depth -= 1;
        done
    }

    fn write_parts(
        &mut self,
        expr: &'a Expr,
        variables: &Variables<'a>,
        to: &mut Text,
    ) -> Result<(), Gap> {
        match expr {
            Expr::Text(text) => {
                self.fuel.spend_text(text.len())?;
                to.literal(text);
                Ok(())
            }
            Expr::Template(parts) => {
                parts.iter().try_for_each(|part| self.write(part, variables, to))
            }
            Expr::Binary(Binary::Add, left, right) if is_text(left) || is_text(right) => {
                self.write(left, variables, to)?;
                self.write(right, variables, to)
            }
            Expr::Binary(operator @ (Binary::And | Binary::Or | Binary::Nullish), left, right) => {
                let value = self.eval(left, variables)?;
                let is_left = match operator {
                    Binary::And => !value.is_truthy(),
                    Binary::Or => value.is_truthy(),
                    _ => !value.is_nullish(),
                };
                self.write(if is_left { left } else { right }, variables, to)
            }
            Expr::Conditional(parts) => {
                let [condition, then, otherwise] = &**parts;
                let holds = self.eval(condition, variables)?.is_truthy();
                self.write(if holds { then } else { otherwise }, variables, to)
            }
            Expr::Call { callee, arguments, .. } if is_encoding(callee) && to.is_url => {
                let [Element { spread: false, value }] = arguments.as_slice() else {
                    return Err(Failure::Thrown.into());
                };
                let value = self.set_value(value, variables)?;
                let encoded = encode_component(self.fuel, &value)?;
                to.encoded(&value, &encoded)
            }
            _ if variables.is_none() && is_constant(expr) => self.write_constant(expr, to),
            _ => {
                let value = self.set_value(expr, variables)?;
                if value.is_empty() && to.is_url && !to.in_query {
                    return Err(self.unset(expr, variables));
                }
                to.value(&value, self.fuel)
            }
        }
    }

    /// Appends a constant of the form; in a URL, nothing for one that there is not.
    fn write_constant(&mut self, expr: &'a Expr, to: &mut Text) -> Result<(), Gap> {
        let value = self.eval(expr, &None)?;
        if !value.is_nullish() {
            to.literal(&value.to_text(self.fuel)?);
        } else if !to.is_url {
            return Err(Gap::Unset(Vec::new()));
        }
        Ok(())
    }

    /// The text of a value that is set.
    fn set_value(&mut self, expr: &'a Expr, variables: &Variables<'a>) -> Result<String, Gap> {
        match self.eval(expr, variables) {
            Ok(value) if value.is_nullish() => Err(self.unset(expr, variables)),
            Ok(value) => Ok(value.to_text(self.fuel)?.into_owned()),
            Err(Failure::Thrown) => Err(self.unset(expr, variables)),
            Err(failure) => Err(failure.into()),
        }
    }

    /// What of a path is not set. What encloses a field is never named without a field in it.
    fn unset(&mut self, expr: &'a Expr, variables: &Variables<'a>) -> Gap {
        let mut names: Vec<String> = Vec::new();
        let mut is_found = false;
        for (name, expr) in path(expr).unwrap_or_default() {
            let is_enclosing = name == "data" && names.as_slice() == ["parent"];
            names.push(name);
            match self.eval(expr, variables) {
                _ if is_found => break,
                Ok(value) if value.is_nullish() && is_enclosing => is_found = true,
                Ok(value) if value.is_nullish() => break,
                Ok(_) => {}
                Err(failure) => return failure.into(),
            }
        }
        Gap::Unset(names)
    }
}

/// Whether an expression is a string, whatever its values are.
fn is_text(expr: &Expr) -> bool {
    match expr {
        Expr::Text(_) | Expr::Template(_) => true,
        Expr::Binary(Binary::Add, left, right) => is_text(left) || is_text(right),
        Expr::Call { callee, .. } => is_encoding(callee),
        Expr::Conditional(parts) => {
            let [_, then, otherwise] = &**parts;
            is_text(then) && is_text(otherwise)
        }
        _ => false,
    }
}

fn is_encoding(callee: &Expr) -> bool {
    matches!(callee, Expr::Name(name) if name == ENCODE)
}

/// Whether an expression is a constant of the form.
fn is_constant(expr: &Expr) -> bool {
    path(expr).is_some_and(|path| path.first().is_some_and(|(name, _)| name == "context"))
}

/// The names of a path like `a.b[0]`, each with the expression up to there.
fn path(expr: &Expr) -> Option<Vec<(String, &Expr)>> {
    let mut names = Vec::new();
    let mut next = expr;
    loop {
        match next {
            Expr::Chain(inner) => next = inner,
            Expr::Member { object, key, .. } => {
                let name = match &**key {
                    Expr::Text(name) => name.clone(),
                    Expr::Number(index) => number_text(*index),
                    _ => return None,
                };
                names.push((name, next));
                next = object;
            }
            Expr::Name(name) => {
                names.push((name.clone(), next));
                names.reverse();
                return Some(names);
            }
            _ => return None,
        }
    }
}

#[cfg(test)]
mod tests;
