//! Methods of strings. Lengths and places count UTF-16 units.

use super::{argument, found, index, length, slice_range};
use crate::editor::expression::value::Js;
use crate::editor::expression::{Failure, Fuel};

/// The methods there are.
const NAMES: &[&str] = &[
    "includes",
    "startsWith",
    "endsWith",
    "indexOf",
    "lastIndexOf",
    "toUpperCase",
    "toLowerCase",
    "trim",
    "trimStart",
    "trimEnd",
    "split",
    "slice",
    "substring",
    "charAt",
    "concat",
    "replace",
    "replaceAll",
    "repeat",
    "padStart",
    "padEnd",
    "toString",
];

/// `text[key]`
pub(super) fn member<'a>(fuel: &Fuel, text: &str, key: &str) -> Result<Js<'a>, Failure> {
    if NAMES.contains(&key) {
        return Ok(Js::Native("method"));
    }
    fuel.spend_text(text.len())?;
    if key == "length" {
        return Ok(length(text.encode_utf16().count()));
    }
    let unit = key.parse().ok().and_then(|index| text.encode_utf16().nth(index));
    Ok(unit.map_or(Js::Undefined, |unit| made(&[unit])))
}

/// `text.key(arguments)`
pub(super) fn call<'a>(
    fuel: &Fuel,
    text: &str,
    key: &str,
    arguments: &[Js<'a>],
) -> Result<Js<'a>, Failure> {
    fuel.spend_text(text.len())?;
    let first = argument(arguments, 0);
    let other = first.to_text(fuel)?;
    Ok(match key {
        "includes" => Js::Bool(text.contains(&*other)),
        "startsWith" => Js::Bool(text.starts_with(&*other)),
        "endsWith" => Js::Bool(text.ends_with(&*other)),
        "indexOf" => found(text.find(&*other).map(|at| units_before(text, at))),
        "lastIndexOf" => found(text.rfind(&*other).map(|at| units_before(text, at))),
        "toUpperCase" => Js::text(text.to_uppercase()),
        "toLowerCase" => Js::text(text.to_lowercase()),
        "trim" => Js::text(text.trim()),
        "trimStart" => Js::text(text.trim_start()),
        "trimEnd" => Js::text(text.trim_end()),
        "toString" => Js::text(text),
        "concat" => Js::text([text, &other].concat()),
        "split" => return split(fuel, text, &first, &other, arguments),
        "replace" | "replaceAll" => replace(fuel, text, &other, key, arguments)?,
        "repeat" => {
            let times = usize::try_from(index(fuel, arguments, 0, 0)?);
            let times = times.map_err(|_| Failure::Thrown)?;
            fuel.spend_text(text.len().saturating_mul(times))?;
            Js::text(text.repeat(times))
        }
        "padStart" | "padEnd" => pad(fuel, text, key, arguments)?,
        _ => {
            let units: Vec<u16> = text.encode_utf16().collect();
            part(fuel, &units, key, arguments)?
        }
    })
}

fn units_before(text: &str, at: usize) -> usize {
    text.get(..at).unwrap_or_default().encode_utf16().count()
}

fn made<'a>(units: &[u16]) -> Js<'a> {
    Js::text(String::from_utf16_lossy(units))
}

/// `slice`, `substring` and `charAt`
fn part<'a>(
    fuel: &Fuel,
    units: &[u16],
    key: &str,
    arguments: &[Js<'a>],
) -> Result<Js<'a>, Failure> {
    let clamp = |index: i64| usize::try_from(index.max(0)).unwrap_or(usize::MAX).min(units.len());
    let range = match key {
        "slice" => slice_range(fuel, arguments, units.len())?,
        "substring" => {
            let start = clamp(index(fuel, arguments, 0, 0)?);
            let end = clamp(index(fuel, arguments, 1, i64::MAX)?);
            start.min(end)..start.max(end)
        }
        "charAt" => {
            let at = index(fuel, arguments, 0, 0)?;
            let start = if at < 0 { units.len() } else { clamp(at) };
            start..(start + 1).min(units.len())
        }
        _ => return Err(Failure::Thrown),
    };
    Ok(made(units.get(range).unwrap_or_default()))
}

fn split<'a>(
    fuel: &Fuel,
    text: &str,
    separator: &Js<'a>,
    separator_text: &str,
    arguments: &[Js<'a>],
) -> Result<Js<'a>, Failure> {
    let limit = index(fuel, arguments, 1, i64::MAX)?;
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let part = |part: &str| {
        fuel.spend(1)?;
        Ok(Js::text(part))
    };
    let parts: Result<Vec<Js<'a>>, Failure> = match separator {
        Js::Undefined => Ok(vec![Js::text(text)]),
        _ if separator_text.is_empty() => {
            text.chars().take(limit).map(|c| part(c.encode_utf8(&mut [0; 4]))).collect()
        }
        _ => text.split(separator_text).take(limit).map(part).collect(),
    };
    Js::list(parts?)
}

fn replace<'a>(
    fuel: &Fuel,
    text: &str,
    from: &str,
    key: &str,
    arguments: &[Js<'a>],
) -> Result<Js<'a>, Failure> {
    let to = argument(arguments, 1);
    if matches!(to, Js::Closure(_)) {
        return Err(Failure::Thrown);
    }
    let to = to.to_text(fuel)?;
    let times = if key == "replace" { 1 } else { text.len() + 1 };
    fuel.spend_text(text.len().saturating_add(to.len().saturating_mul(times)))?;
    Ok(Js::text(text.replacen(from, &to, times)))
}

fn pad<'a>(fuel: &Fuel, text: &str, key: &str, arguments: &[Js<'a>]) -> Result<Js<'a>, Failure> {
    let wanted = usize::try_from(index(fuel, arguments, 0, 0)?).unwrap_or_default();
    let missing = wanted.saturating_sub(text.encode_utf16().count());
    fuel.spend_text(missing)?;
    let filler = match argument(arguments, 1) {
        Js::Undefined => " ".to_owned(),
        filler => filler.to_text(fuel)?.into_owned(),
    };
    let padding: String = filler.chars().cycle().take(missing).collect();
    let parts = if key == "padStart" { [&padding, text] } else { [text, &padding] };
    Ok(Js::text(parts.concat()))
}

/// `encodeURIComponent(text)`
pub(in crate::editor::expression) fn encode(fuel: &Fuel, text: &str) -> Result<String, Failure> {
    fuel.spend_text(text.len())?;
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.!~*'()".contains(&byte) {
            out.push(char::from(byte));
        } else {
            const DIGITS: [char; 16] =
                ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'A', 'B', 'C', 'D', 'E', 'F'];
            let digit = |value: u8| DIGITS.get(usize::from(value)).copied().unwrap_or_default();
            out.extend(['%', digit(byte >> 4), digit(byte & 15)]);
        }
    }
    Ok(out)
}
