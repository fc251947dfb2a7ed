//! Methods of arrays. None of them changes the array.

use super::{argument, found, index, slice_range};
use crate::editor::expression::evaluate::Evaluator;
use crate::editor::expression::value::{Js, List};
use crate::editor::expression::{Failure, Fuel};

/// The methods there are.
pub(super) const NAMES: &[&str] = &[
    "includes",
    "indexOf",
    "join",
    "slice",
    "concat",
    "reverse",
    "at",
    "flat",
    "some",
    "every",
    "find",
    "findIndex",
    "filter",
    "map",
    "flatMap",
    "reduce",
    "toString",
];

/// `items.key(arguments)`
pub(super) fn call<'a>(
    evaluator: &mut Evaluator<'a>,
    items: &List<'a>,
    key: &str,
    arguments: &[Js<'a>],
) -> Result<Js<'a>, Failure> {
    let fuel = evaluator.fuel;
    fuel.spend(items.len())?;
    let first = argument(arguments, 0);
    Ok(match key {
        "includes" => Js::Bool(position(fuel, items, &first)?.is_some()),
        "indexOf" => found(position(fuel, items, &first)?),
        "join" => {
            let separator = match &first {
                Js::Undefined => ",".into(),
                separator => separator.to_text(fuel)?,
            };
            Js::text(Js::List(items.clone()).join(&separator, fuel)?)
        }
        "toString" => Js::text(Js::List(items.clone()).join(",", fuel)?),
        "slice" => {
            let range = slice_range(fuel, arguments, items.len())?;
            return Js::list(range.map(|index| items.get(index)).collect());
        }
        "concat" => {
            let mut all: Vec<_> = items.iter().collect();
            for argument in arguments {
                append(fuel, &mut all, argument.clone())?;
            }
            return Js::list(all);
        }
        "reverse" => {
            let mut all: Vec<_> = items.iter().collect();
            all.reverse();
            return Js::list(all);
        }
        "at" => {
            let place = index(fuel, arguments, 0, 0)?;
            let length = i64::try_from(items.len()).unwrap_or(i64::MAX);
            let place = if place < 0 { place.saturating_add(length) } else { place };
            usize::try_from(place).map_or(Js::Undefined, |place| items.get(place))
        }
        "flat" => {
            let mut all = Vec::new();
            for item in items.iter() {
                append(fuel, &mut all, item)?;
            }
            return Js::list(all);
        }
        "reduce" => return reduce(evaluator, items, arguments),
        _ if NAMES.contains(&key) => return each(evaluator, items, key, &first),
        _ => return Err(Failure::Thrown),
    })
}

/// Appends a value, or the items of an array.
fn append<'a>(fuel: &Fuel, all: &mut Vec<Js<'a>>, value: Js<'a>) -> Result<(), Failure> {
    match value {
        Js::List(items) => {
            fuel.spend(items.len())?;
            all.extend(items.iter());
        }
        value => all.push(value),
    }
    Ok(())
}

fn position(fuel: &Fuel, items: &List<'_>, value: &Js<'_>) -> Result<Option<usize>, Failure> {
    for (index, item) in items.iter().enumerate() {
        if item.is_same(value, fuel)? {
            return Ok(Some(index));
        }
    }
    Ok(None)
}

/// The methods that call a function for each item.
fn each<'a>(
    evaluator: &mut Evaluator<'a>,
    items: &List<'a>,
    key: &str,
    function: &Js<'a>,
) -> Result<Js<'a>, Failure> {
    let mut results = Vec::new();
    for (index, item) in items.iter().enumerate() {
        let arguments = vec![item.clone(), super::length(index), Js::List(items.clone())];
        let result = evaluator.apply(function, arguments)?;
        match (key, result.is_truthy()) {
            ("some", true) => return Ok(Js::Bool(true)),
            ("every", false) => return Ok(Js::Bool(false)),
            ("find", true) => return Ok(item),
            ("findIndex", true) => return Ok(super::length(index)),
            ("filter", true) => results.push(item),
            ("map", _) => results.push(result),
            ("flatMap", _) => append(evaluator.fuel, &mut results, result)?,
            _ => {}
        }
    }
    match key {
        "some" => Ok(Js::Bool(false)),
        "every" => Ok(Js::Bool(true)),
        "find" => Ok(Js::Undefined),
        "findIndex" => Ok(found(None)),
        _ => Js::list(results),
    }
}

fn reduce<'a>(
    evaluator: &mut Evaluator<'a>,
    items: &List<'a>,
    arguments: &[Js<'a>],
) -> Result<Js<'a>, Failure> {
    let function = argument(arguments, 0);
    let mut rest = items.iter().enumerate();
    let mut result = match arguments.get(1) {
        Some(initial) => initial.clone(),
        None => rest.next().ok_or(Failure::Thrown)?.1,
    };
    for (index, item) in rest {
        result = evaluator.apply(&function, vec![result, item, super::length(index)])?;
    }
    Ok(result)
}
