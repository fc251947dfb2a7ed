//! Evaluates syntax trees.

use std::cmp::Ordering;
use std::rc::Rc;

use super::methods;
use super::syntax::{Binary, Body, Element, Expr, Member, Pattern, Statement, Unary};
use super::value::{Js, deeper};
use super::{Failure, Fuel, Scope};

/// Deepest nesting of operations at any moment.
pub(super) const MAX_DEPTH: usize = 160;
/// Most variables that are visible at any place.
const MAX_VARIABLES: u16 = 200;

/// A function of an expression and the variables it sees.
#[derive(Debug)]
pub(super) struct Closure<'a> {
    parameters: &'a [Pattern],
    body: &'a Body,
    variables: Variables<'a>,
    depth: u8,
}

impl Closure<'_> {
    pub(super) fn depth(&self) -> u8 {
        self.depth
    }
}

/// Variables, the innermost first.
pub(super) type Variables<'a> = Option<Rc<Variable<'a>>>;

#[derive(Debug)]
pub(super) struct Variable<'a> {
    name: &'a str,
    value: Js<'a>,
    outer: Variables<'a>,
    /// Number of variables from here outwards.
    count: u16,
    /// How deeply values are nested in the variables from here outwards.
    depth: u8,
}

/// Evaluation of one expression.
#[derive(Debug)]
pub(super) struct Evaluator<'a> {
    pub(super) scope: &'a Scope<'a>,
    pub(super) alias: Option<&'static str>,
    pub(super) fuel: &'a Fuel,
    pub(super) depth: usize,
}

impl<'a> Evaluator<'a> {
    /// The value of a function's body, or of an expression.
    pub(super) fn body(
        &mut self,
        body: &'a Body,
        variables: &Variables<'a>,
    ) -> Result<Js<'a>, Failure> {
        match body {
            Body::Expression(expr) => self.eval(expr, variables),
            Body::Block(statements) => {
                let mut variables = variables.clone();
                Ok(self.block(statements, &mut variables)?.unwrap_or(Js::Undefined))
            }
        }
    }

    fn block(
        &mut self,
        statements: &'a [Statement],
        variables: &mut Variables<'a>,
    ) -> Result<Option<Js<'a>>, Failure> {
        Ok(match self.returned(statements, variables)? {
            Some((Some(expr), variables)) => Some(self.eval(expr, &variables)?),
            Some((None, _)) => Some(Js::Undefined),
            None => None,
        })
    }

    /// What a function returns: the expression, if there is one, and the variables that it sees.
    pub(super) fn returned(
        &mut self,
        statements: &'a [Statement],
        variables: &mut Variables<'a>,
    ) -> Result<Option<(Option<&'a Expr>, Variables<'a>)>, Failure> {
        for statement in statements {
            match statement {
                Statement::Return(expr) => return Ok(Some((expr.as_ref(), variables.clone()))),
                Statement::Constant(pattern, expr) => {
                    let value = self.eval(expr, variables)?;
                    bind(self.fuel, pattern, value, variables)?;
                }
                Statement::If(condition, then, otherwise) => {
                    let holds = self.eval(condition, variables)?.is_truthy();
                    let branch = if holds { then } else { otherwise };
                    let result = self.returned(branch, &mut variables.clone())?;
                    if result.is_some() {
                        return Ok(result);
                    }
                }
            }
        }
        Ok(None)
    }

    /// The value of an expression.
    pub(super) fn eval(
        &mut self,
        expr: &'a Expr,
        variables: &Variables<'a>,
    ) -> Result<Js<'a>, Failure> {
        self.fuel.spend(1)?;
        if self.depth == MAX_DEPTH {
            return Err(Failure::Effort);
        }
        self.depth += 1;
        let value = match expr {
            Expr::Null => Ok(Js::Null),
            Expr::Bool(value) => Ok(Js::Bool(*value)),
            Expr::Number(number) => Ok(Js::Number(*number)),
            Expr::Text(text) => Ok(Js::Text(text)),
            Expr::Name(name) => self.name(name, variables),
            Expr::Template(parts) => self.template(parts, variables),
            Expr::Array(elements) => self.elements(elements, variables).and_then(Js::list),
            Expr::Object(members) => self.object(members, variables),
            Expr::Unary(operator, operand) => self.unary(*operator, operand, variables),
            Expr::Binary(operator, left, right) => self.binary(*operator, left, right, variables),
            Expr::Conditional(parts) => self.conditional(parts, variables),
            Expr::Member { .. } | Expr::Call { .. } => {
                self.link(expr, variables).map(|link| link.unwrap_or(Js::Undefined))
            }
            Expr::Chain(inner) => self.eval(inner, variables),
            Expr::Arrow(parameters, body) => closure(parameters, body, variables),
        };
        self.depth -= 1;
        if let Ok(Js::Exact(number)) = &value {
            self.fuel.spend_text(number.as_str().len())?;
        }
        value
    }

    fn name(&self, name: &'a str, variables: &Variables<'a>) -> Result<Js<'a>, Failure> {
        let mut next = variables.as_deref();
        while let Some(variable) = next {
            if variable.name == name {
                return Ok(variable.value.clone());
            }
            next = variable.outer.as_deref();
        }
        let scope = self.scope;
        Ok(match name {
            "undefined" => Js::Undefined,
            "data" => Js::of(scope.data),
            _ if self.alias == Some(name) => Js::of(scope.data),
            "rootData" => Js::of(scope.root),
            "parent" => scope.parent.map_or(Js::Undefined, Js::Parent),
            "context" => match scope.context {
                Some(context) => Js::of(Some(context)),
                None => Js::object(Vec::new())?,
            },
            "readOnly" => Js::Bool(scope.read_only),
            "summary" => Js::Bool(scope.summary),
            "validates" => Js::Bool(true),
            "options" => self.options()?,
            "display" => display(self.fuel)?,
            "NaN" => Js::Number(f64::NAN),
            "Infinity" => Js::Number(f64::INFINITY),
            _ if methods::is_global(name) => Js::Native(name),
            _ => return Err(Failure::Thrown),
        })
    }

    fn options(&self) -> Result<Js<'a>, Failure> {
        Js::object(vec![
            ("readOnly".into(), Js::Bool(self.scope.read_only)),
            ("summary".into(), Js::Bool(self.scope.summary)),
            ("context".into(), Js::of(self.scope.context)),
        ])
    }

    fn template(
        &mut self,
        parts: &'a [Expr],
        variables: &Variables<'a>,
    ) -> Result<Js<'a>, Failure> {
        let mut text = String::new();
        for part in parts {
            let value = self.eval(part, variables)?;
            text.push_str(&value.to_text(self.fuel)?);
        }
        Ok(Js::text(text))
    }

    fn elements(
        &mut self,
        elements: &'a [Element],
        variables: &Variables<'a>,
    ) -> Result<Vec<Js<'a>>, Failure> {
        let mut values = Vec::with_capacity(elements.len());
        for element in elements {
            let value = self.eval(&element.value, variables)?;
            match value {
                Js::List(items) if element.spread => {
                    self.fuel.spend(items.len())?;
                    values.extend(items.iter());
                }
                _ if element.spread => return Err(Failure::Thrown),
                value => values.push(value),
            }
        }
        Ok(values)
    }

    fn object(
        &mut self,
        members: &'a [Member],
        variables: &Variables<'a>,
    ) -> Result<Js<'a>, Failure> {
        let mut entries = Vec::with_capacity(members.len());
        for member in members {
            match member {
                Member::Entry(key, value) => {
                    let key = self.eval(key, variables)?;
                    let key: Rc<str> = Rc::from(&*key.to_text(self.fuel)?);
                    entries.push((key, self.eval(value, variables)?));
                }
                Member::Spread(expr) => {
                    if let Js::Object(spread) = self.eval(expr, variables)? {
                        self.fuel.spend(spread.len())?;
                        entries.extend(spread.iter().map(|(key, value)| (key.into(), value)));
                    }
                }
            }
        }
        Js::object(entries)
    }

    fn unary(
        &mut self,
        operator: Unary,
        operand: &'a Expr,
        variables: &Variables<'a>,
    ) -> Result<Js<'a>, Failure> {
        let value = match self.eval(operand, variables) {
            // the one operator that unknown names may be given to
            Err(Failure::Thrown) if operator == Unary::TypeOf && is_name(operand) => Js::Undefined,
            value => value?,
        };
        Ok(match operator {
            Unary::Not => Js::Bool(!value.is_truthy()),
            Unary::Minus => Js::Number(-value.to_number(self.fuel)?),
            Unary::Plus => Js::Number(value.to_number(self.fuel)?),
            Unary::Void => Js::Undefined,
            Unary::TypeOf => Js::Text(type_of(&value)),
        })
    }

    fn binary(
        &mut self,
        operator: Binary,
        left: &'a Expr,
        right: &'a Expr,
        variables: &Variables<'a>,
    ) -> Result<Js<'a>, Failure> {
        let left = self.eval(left, variables)?;
        let decided = match operator {
            Binary::And => !left.is_truthy(),
            Binary::Or => left.is_truthy(),
            Binary::Nullish => !left.is_nullish(),
            _ => false,
        };
        if decided {
            return Ok(left);
        }
        let right = self.eval(right, variables)?;
        self.operate(operator, left, right)
    }

    fn operate(&self, operator: Binary, left: Js<'a>, right: Js<'a>) -> Result<Js<'a>, Failure> {
        let fuel = self.fuel;
        Ok(Js::Bool(match operator {
            Binary::And | Binary::Or | Binary::Nullish => return Ok(right),
            Binary::Same => left.is_same(&right, fuel)?,
            Binary::NotSame => !left.is_same(&right, fuel)?,
            Binary::Equal => left.is_equal(&right, fuel)?,
            Binary::NotEqual => !left.is_equal(&right, fuel)?,
            Binary::Less => left.order(&right, fuel)? == Some(Ordering::Less),
            Binary::Greater => left.order(&right, fuel)? == Some(Ordering::Greater),
            Binary::LessEqual => left.order(&right, fuel)?.is_some_and(Ordering::is_le),
            Binary::GreaterEqual => left.order(&right, fuel)?.is_some_and(Ordering::is_ge),
            Binary::In => match &right {
                Js::Object(members) => members.get(&left.to_text(fuel)?, fuel)?.is_some(),
                _ => return Err(Failure::Thrown),
            },
            Binary::Add if !(is_number_like(&left) && is_number_like(&right)) => {
                let text = [left.to_text(fuel)?, right.to_text(fuel)?].concat();
                return Ok(Js::text(text));
            }
            _ => {
                let (left, right) = (left.to_number(fuel)?, right.to_number(fuel)?);
                return Ok(Js::Number(calculate(operator, left, right)));
            }
        }))
    }

    fn conditional(
        &mut self,
        parts: &'a [Expr; 3],
        variables: &Variables<'a>,
    ) -> Result<Js<'a>, Failure> {
        let [condition, then, otherwise] = parts;
        let holds = self.eval(condition, variables)?.is_truthy();
        self.eval(if holds { then } else { otherwise }, variables)
    }

    /// A link of a chain of members and calls; `None` when `?.` ended the chain.
    fn link(
        &mut self,
        expr: &'a Expr,
        variables: &Variables<'a>,
    ) -> Result<Option<Js<'a>>, Failure> {
        match expr {
            Expr::Member { object, key, optional } => {
                let Some(object) = self.next_link(object, variables)? else { return Ok(None) };
                if *optional && object.is_nullish() {
                    return Ok(None);
                }
                let key = self.eval(key, variables)?;
                methods::member(self.fuel, &object, &key.to_text(self.fuel)?).map(Some)
            }
            Expr::Call { callee, arguments, optional } => {
                self.call(callee, arguments, *optional, variables)
            }
            expr => self.eval(expr, variables).map(Some),
        }
    }

    /// [`Self::link`] one level deeper.
    fn next_link(
        &mut self,
        expr: &'a Expr,
        variables: &Variables<'a>,
    ) -> Result<Option<Js<'a>>, Failure> {
        self.fuel.spend(1)?;
        if self.depth == MAX_DEPTH {
            return Err(Failure::Effort);
        }
        self.depth += 1;
        let link = self.link(expr, variables);
        self.depth -= 1;
        link
    }

    fn call(
        &mut self,
        callee: &'a Expr,
        arguments: &'a [Element],
        optional: bool,
        variables: &Variables<'a>,
    ) -> Result<Option<Js<'a>>, Failure> {
        let Expr::Member { object, key, optional: optional_member } = callee else {
            let Some(function) = self.next_link(callee, variables)? else { return Ok(None) };
            if optional && function.is_nullish() {
                return Ok(None);
            }
            let arguments = self.elements(arguments, variables)?;
            return self.apply(&function, arguments).map(Some);
        };
        let Some(object) = self.next_link(object, variables)? else { return Ok(None) };
        if *optional_member && object.is_nullish() {
            return Ok(None);
        }
        let key = self.eval(key, variables)?;
        let key = key.to_text(self.fuel)?;
        let function = methods::member(self.fuel, &object, &key)?;
        if optional && function.is_nullish() {
            return Ok(None);
        }
        let arguments = self.elements(arguments, variables)?;
        match function {
            Js::Closure(_) => self.apply(&function, arguments),
            _ => methods::call(self, &object, &key, &arguments),
        }
        .map(Some)
    }

    /// Calls a function.
    pub(super) fn apply(
        &mut self,
        function: &Js<'a>,
        arguments: Vec<Js<'a>>,
    ) -> Result<Js<'a>, Failure> {
        let closure = match function {
            Js::Closure(closure) => closure,
            Js::Native(name) => return methods::convert(self.fuel, name, &arguments),
            _ => return Err(Failure::Thrown),
        };
        let mut variables = closure.variables.clone();
        let mut arguments = arguments.into_iter();
        for parameter in closure.parameters {
            let argument = arguments.next().unwrap_or(Js::Undefined);
            bind(self.fuel, parameter, argument, &mut variables)?;
        }
        self.fuel.spend(1)?;
        self.body(closure.body, &variables)
    }
}

/// Declares the variables of a pattern.
fn bind<'a>(
    fuel: &Fuel,
    pattern: &'a Pattern,
    value: Js<'a>,
    variables: &mut Variables<'a>,
) -> Result<(), Failure> {
    match pattern {
        Pattern::Name(name) => declare(variables, name, value),
        Pattern::Object(members) => {
            for (key, name) in members {
                let member = methods::member(fuel, &value, key)?;
                declare(variables, name, member)?;
            }
            Ok(())
        }
        Pattern::Array(names) => {
            let Js::List(items) = value else { return Err(Failure::Thrown) };
            for (index, name) in names.iter().enumerate() {
                declare(variables, name, items.get(index))?;
            }
            Ok(())
        }
    }
}

fn declare<'a>(variables: &mut Variables<'a>, name: &'a str, value: Js<'a>) -> Result<(), Failure> {
    let (count, depth) = variables.as_ref().map_or((0, 0), |outer| (outer.count, outer.depth));
    if count == MAX_VARIABLES {
        return Err(Failure::Effort);
    }
    let depth = depth.max(value.depth());
    let outer = variables.take();
    *variables = Some(Rc::new(Variable { name, value, outer, count: count + 1, depth }));
    Ok(())
}

fn closure<'a>(
    parameters: &'a [Pattern],
    body: &'a Body,
    variables: &Variables<'a>,
) -> Result<Js<'a>, Failure> {
    let outer = variables.as_ref().map_or(0, |variable| variable.depth);
    let depth = deeper(std::iter::empty())?.max(outer + 1);
    if depth > super::value::MAX_DEPTH {
        return Err(Failure::Effort);
    }
    let variables = variables.clone();
    Ok(Js::Closure(Rc::new(Closure { parameters, body, variables, depth })))
}

fn is_name(expr: &Expr) -> bool {
    matches!(expr, Expr::Name(_))
}

fn is_number_like(value: &Js<'_>) -> bool {
    matches!(value, Js::Undefined | Js::Null | Js::Bool(_) | Js::Number(_) | Js::Exact(_))
}

fn type_of(value: &Js<'_>) -> &'static str {
    match value {
        Js::Undefined => "undefined",
        Js::Bool(_) => "boolean",
        Js::Number(_) | Js::Exact(_) => "number",
        Js::Text(_) | Js::Made(_) => "string",
        Js::Closure(_) | Js::Native(_) => "function",
        Js::Null | Js::List(_) | Js::Object(_) | Js::Parent(_) => "object",
    }
}

fn calculate(operator: Binary, left: f64, right: f64) -> f64 {
    match operator {
        Binary::Add => left + right,
        Binary::Subtract => left - right,
        Binary::Multiply => left * right,
        Binary::Divide => left / right,
        _ => left % right,
    }
}

/// `display`: a screen 1000 pixels wide.
fn display<'a>(fuel: &Fuel) -> Result<Js<'a>, Failure> {
    const FLAGS: &[(&str, bool)] = &[
        ("xs", false),
        ("sm", false),
        ("md", true),
        ("lg", false),
        ("xl", false),
        ("xxl", false),
        ("smAndUp", true),
        ("mdAndUp", true),
        ("lgAndUp", false),
        ("xlAndUp", false),
        ("smAndDown", false),
        ("mdAndDown", true),
        ("lgAndDown", true),
        ("xlAndDown", true),
        ("mobile", true),
    ];
    fuel.spend(FLAGS.len())?;
    let mut entries: Vec<(Rc<str>, Js<'a>)> =
        FLAGS.iter().map(|(name, value)| (Rc::from(*name), Js::Bool(*value))).collect();
    entries.push(("name".into(), Js::Text("md")));
    entries.push(("width".into(), Js::Number(1000.0)));
    Js::object(entries)
}
