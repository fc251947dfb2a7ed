//! Members of values and the functions of the language.

mod list;
mod text;

pub(super) use text::encode as encode_component;

use super::convert::{number_literal, number_text};
use super::evaluate::Evaluator;
use super::value::Js;
use super::{Failure, Fuel};

/// Objects and functions that every expression sees.
pub(super) fn is_global(name: &str) -> bool {
    matches!(
        name,
        "Array"
            | "Object"
            | "Math"
            | "JSON"
            | "String"
            | "Number"
            | "Boolean"
            | "parseInt"
            | "parseFloat"
            | "isNaN"
            | "encodeURIComponent"
    )
}

/// `object[key]`; a member of `undefined` or `null` throws.
pub(super) fn member<'a>(fuel: &Fuel, object: &Js<'a>, key: &str) -> Result<Js<'a>, Failure> {
    Ok(match object {
        Js::Undefined | Js::Null => return Err(Failure::Thrown),
        Js::Object(members) => members.get(key, fuel)?.unwrap_or(Js::Undefined),
        Js::Parent(parent) if key == "data" => Js::of(parent.data),
        Js::Parent(parent) if key == "parent" => parent.parent.map_or(Js::Undefined, Js::Parent),
        Js::List(items) if key == "length" => length(items.len()),
        Js::List(items) => match key.parse() {
            Ok(index) => items.get(index),
            Err(_) if list::NAMES.contains(&key) => Js::Native("method"),
            Err(_) => Js::Undefined,
        },
        Js::Text(_) | Js::Made(_) => text::member(fuel, object.as_str().unwrap_or_default(), key)?,
        _ => Js::Undefined,
    })
}

/// `object.key(arguments)`
pub(super) fn call<'a>(
    evaluator: &mut Evaluator<'a>,
    object: &Js<'a>,
    key: &str,
    arguments: &[Js<'a>],
) -> Result<Js<'a>, Failure> {
    let fuel = evaluator.fuel;
    match object {
        Js::List(items) => list::call(evaluator, items, key, arguments),
        Js::Text(_) | Js::Made(_) => {
            text::call(fuel, object.as_str().unwrap_or_default(), key, arguments)
        }
        Js::Native(global) => static_call(fuel, global, key, arguments),
        Js::Number(_) | Js::Exact(_) if key == "toFixed" => fixed(fuel, object, arguments),
        Js::Undefined | Js::Null => Err(Failure::Thrown),
        _ if key == "toString" => Ok(Js::text(&*object.to_text(fuel)?)),
        _ => Err(Failure::Thrown),
    }
}

/// `name(arguments)` of a function that every expression sees.
pub(super) fn convert<'a>(
    fuel: &Fuel,
    name: &str,
    arguments: &[Js<'a>],
) -> Result<Js<'a>, Failure> {
    let given = !arguments.is_empty();
    let value = argument(arguments, 0);
    Ok(match name {
        "String" if !given => Js::Text(""),
        "String" => Js::text(&*value.to_text(fuel)?),
        "Number" if !given => Js::Number(0.0),
        "Number" => Js::Number(value.to_number(fuel)?),
        "Boolean" => Js::Bool(value.is_truthy()),
        "isNaN" => Js::Bool(value.to_number(fuel)?.is_nan()),
        "parseFloat" => Js::Number(leading_number(&value.to_text(fuel)?, true)),
        "parseInt" => Js::Number(leading_number(&value.to_text(fuel)?, false)),
        "encodeURIComponent" => Js::text(encode_component(fuel, &value.to_text(fuel)?)?),
        _ => return Err(Failure::Thrown),
    })
}

/// The number that a text starts with; NaN when it starts with none.
fn leading_number(text: &str, with_fraction: bool) -> f64 {
    let text = text.trim_start();
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1.0, digits),
        None => (1.0, text.strip_prefix('+').unwrap_or(text)),
    };
    let mut points = usize::from(!with_fraction);
    let end = digits.find(|c: char| {
        points += usize::from(c == '.');
        !(c.is_ascii_digit() || (c == '.' && points == 1))
    });
    let number = digits.get(..end.unwrap_or(digits.len())).and_then(number_literal);
    number.map_or(f64::NAN, |number| sign * number)
}

/// `Array.isArray(…)` and the like.
fn static_call<'a>(
    fuel: &Fuel,
    global: &str,
    key: &str,
    arguments: &[Js<'a>],
) -> Result<Js<'a>, Failure> {
    let value = argument(arguments, 0);
    match (global, key) {
        ("Array", "isArray") => Ok(Js::Bool(matches!(value, Js::List(_)))),
        ("Object", "keys" | "values" | "entries") => entries(fuel, &value, key),
        ("JSON", "stringify") => {
            let Some(json) = value.to_json(fuel)? else { return Ok(Js::Undefined) };
            let json = json.to_string();
            fuel.spend_text(json.len())?;
            Ok(Js::text(json))
        }
        ("Math", _) => math(fuel, key, arguments),
        _ => Err(Failure::Thrown),
    }
}

fn entries<'a>(fuel: &Fuel, object: &Js<'a>, what: &str) -> Result<Js<'a>, Failure> {
    let Js::Object(members) = object else {
        return if object.is_nullish() { Err(Failure::Thrown) } else { Js::list(Vec::new()) };
    };
    fuel.spend(members.len())?;
    let parts = members.iter().map(|(key, value)| {
        if what == "values" {
            return Ok(value);
        }
        fuel.spend_text(key.len())?;
        match what {
            "keys" => Ok(Js::text(key)),
            _ => Js::list(vec![Js::text(key), value]),
        }
    });
    Js::list(parts.collect::<Result<_, _>>()?)
}

fn math<'a>(fuel: &Fuel, key: &str, arguments: &[Js<'a>]) -> Result<Js<'a>, Failure> {
    let first = argument(arguments, 0).to_number(fuel)?;
    Ok(Js::Number(match key {
        "floor" => first.floor(),
        "ceil" => first.ceil(),
        // halves go up, also below zero
        "round" => (first + 0.5).floor(),
        "trunc" => first.trunc(),
        "abs" => first.abs(),
        "max" | "min" => {
            let is_max = key == "max";
            let mut result = if is_max { f64::NEG_INFINITY } else { f64::INFINITY };
            for value in arguments {
                let number = value.to_number(fuel)?;
                if number.is_nan() || (number > result) == is_max {
                    result = number;
                }
            }
            result
        }
        _ => return Err(Failure::Thrown),
    }))
}

fn fixed<'a>(fuel: &Fuel, number: &Js<'a>, arguments: &[Js<'a>]) -> Result<Js<'a>, Failure> {
    let number = number.to_number(fuel)?;
    let digits = index(fuel, arguments, 0, 0)?;
    match usize::try_from(digits) {
        Ok(digits) if digits <= 100 && number.abs() < 1e21 => {
            Ok(Js::text(format!("{number:.digits$}")))
        }
        Ok(digits) if digits <= 100 => Ok(Js::text(number_text(number))),
        _ => Err(Failure::Thrown),
    }
}

/// The argument at a position; `undefined` when it is not given.
fn argument<'a>(arguments: &[Js<'a>], position: usize) -> Js<'a> {
    arguments.get(position).cloned().unwrap_or(Js::Undefined)
}

/// A whole number given as argument.
#[allow(
    clippy::cast_possible_truncation,
    reason = "saturates, and NaN becomes 0, as in JavaScript"
)]
fn index(fuel: &Fuel, arguments: &[Js<'_>], position: usize, default: i64) -> Result<i64, Failure> {
    match argument(arguments, position) {
        Js::Undefined => Ok(default),
        value => Ok(value.to_number(fuel)? as i64),
    }
}

/// `start` and `end` of `slice`: negative ones count from the end.
fn slice_range(
    fuel: &Fuel,
    arguments: &[Js<'_>],
    length: usize,
) -> Result<std::ops::Range<usize>, Failure> {
    let from_end = |index: i64| {
        let length = i64::try_from(length).unwrap_or(i64::MAX);
        let index = if index < 0 { index.saturating_add(length) } else { index };
        usize::try_from(index.clamp(0, length)).unwrap_or_default()
    };
    let start = from_end(index(fuel, arguments, 0, 0)?);
    let end = from_end(index(fuel, arguments, 1, i64::MAX)?);
    Ok(start..end.max(start))
}

#[allow(clippy::cast_precision_loss, reason = "nothing here has 2⁵³ parts")]
fn length<'a>(length: usize) -> Js<'a> {
    Js::Number(length as f64)
}

/// An index that was found, else −1.
fn found<'a>(place: Option<usize>) -> Js<'a> {
    place.map_or(Js::Number(-1.0), length)
}
