//! Numbers as APIs expect them.

use serde_json::Value;

/// Longest integer that is written out; as in ECMAScript, larger ones keep their exponent.
const MAX_DIGITS: usize = 21;

/// Rewrites every number that is an integer but written with a fraction or an exponent (`10.0`,
/// `1e1`): for JSON Schema it is an integer (2020-12 validation §6.1.1), for many APIs only `10` is.
/// All other numbers keep their text.
pub(super) fn normalize(value: &mut Value) {
    match value {
        Value::Number(number) => {
            if let Some(plain) = integer_text(number.as_str()).and_then(|text| text.parse().ok()) {
                *number = plain;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(normalize),
        Value::Object(members) => members.values_mut().for_each(normalize),
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}

/// The plain digits of an integer written with a fraction or exponent; `None` for other numbers.
fn integer_text(text: &str) -> Option<String> {
    if !text.contains(['.', 'e', 'E']) {
        return None;
    }
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let (sign, whole) = whole.strip_prefix('-').map_or(("", whole), |rest| ("-", rest));
    let fraction = fraction.trim_end_matches('0');
    let digits = [whole, fraction].concat();
    let digits = digits.trim_start_matches('0');
    if digits.is_empty() {
        return Some("0".to_owned());
    }
    let significant = digits.trim_end_matches('0');
    let shift = exponent.parse::<i32>().ok()?.checked_sub(i32::try_from(fraction.len()).ok()?)?;
    let zeros =
        usize::try_from(shift.checked_add(i32::try_from(digits.len() - significant.len()).ok()?)?)
            .ok()?;
    (significant.len().checked_add(zeros)? <= MAX_DIGITS)
        .then(|| [sign, significant, &"0".repeat(zeros)].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_lose_fraction_and_exponent() {
        for (text, expected) in [
            ("10.0", "10"),
            ("1e1", "10"),
            ("1E+1", "10"),
            ("-7.00", "-7"),
            ("0.0", "0"),
            ("-0.0", "0"),
            ("0e9", "0"),
            ("1.50e2", "150"),
            ("1200e-2", "12"),
            ("1e20", "100000000000000000000"),
            ("123456789012345678901.0", "123456789012345678901"),
        ] {
            assert_eq!(integer_text(text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn other_numbers_keep_their_text() {
        for text in [
            "10",
            "-0",
            "1.5",
            "1.50",
            "15e-1",
            "1e21",
            "1e999999999999",
            "-1e-400",
            "1e-2147483648",
        ] {
            assert_eq!(integer_text(text), None, "{text}");
        }
    }
}
