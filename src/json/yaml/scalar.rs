//! The core schema (YAML 1.2.2 §10.3): which plain scalars are null, booleans and numbers.

use serde_json::{Number, Value};

/// The value of a plain scalar without a tag. What JSON has no number for stays text.
pub(super) fn resolve(text: String) -> Value {
    match text.as_str() {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        _ => number(&text).map_or(Value::String(text), Value::Number),
    }
}

/// The number that a scalar denotes, with its digits.
fn number(text: &str) -> Option<Number> {
    if let Some(digits) = text.strip_prefix("0x") {
        return radix(digits, 16);
    }
    if let Some(digits) = text.strip_prefix("0o") {
        return radix(digits, 8);
    }
    decimal(text)?.parse().ok()
}

fn radix(digits: &str, radix: u32) -> Option<Number> {
    if digits.starts_with(['+', '-']) {
        return None;
    }
    u128::from_str_radix(digits, radix).ok()?.to_string().parse().ok()
}

/// A decimal number in JSON's spelling: no `+`, no leading zeros, digits around the point.
fn decimal(text: &str) -> Option<String> {
    let (sign, rest) = match text.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    };
    let (mantissa, exponent) = match rest.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (rest, None),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    let exponent_digits =
        exponent.map(|exponent| exponent.strip_prefix(['+', '-']).unwrap_or(exponent));
    let well_formed = !(whole.is_empty() && fraction.is_none_or(str::is_empty))
        && is_digits(whole)
        && is_digits(fraction.unwrap_or_default())
        && exponent_digits.is_none_or(|digits| !digits.is_empty() && is_digits(digits));
    if !well_formed {
        return None;
    }
    let mut out = String::from(sign);
    out.push_str(or_zero(whole.trim_start_matches('0')));
    if let Some(fraction) = fraction {
        out.push('.');
        out.push_str(or_zero(fraction));
    }
    if let Some(exponent) = exponent {
        out.push('e');
        out.push_str(exponent);
    }
    Some(out)
}

fn is_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

fn or_zero(digits: &str) -> &str {
    if digits.is_empty() { "0" } else { digits }
}
