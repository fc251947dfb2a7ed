//! Numbers in the notation of JavaScript, with every digit that was sent.

use std::borrow::Cow;

/// `text`, a JSON number, as `Number::toString` of ECMAScript writes it, but without rounding:
/// `1.50` is `1.5`, `12.0` is `12`, and a plain integer keeps all its digits.
pub(crate) fn canonical(text: &str) -> Cow<'_, str> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    if digits.bytes().all(|b| b.is_ascii_digit()) {
        return Cow::Borrowed(if digits == "0" { "0" } else { text });
    }
    if is_plain(digits) {
        return Cow::Borrowed(text.trim_end_matches('0').trim_end_matches('.'));
    }
    match Decimal::parse(digits) {
        Some(decimal) => Cow::Owned(decimal.write(negative)),
        // The exponent has a sign.
        None => match text.split_once(['e', 'E']) {
            Some((mantissa, power)) if power.starts_with(|c: char| c.is_ascii_digit()) => {
                Cow::Owned([mantissa, "e+", power].concat())
            }
            _ => Cow::Borrowed(text),
        },
    }
}

/// Whether a number is written as a fraction which is not zero and needs no exponent.
fn is_plain(digits: &str) -> bool {
    let Some((whole, fraction)) = digits.split_once('.') else { return false };
    fraction.bytes().all(|byte| byte.is_ascii_digit())
        && whole.len() <= 21
        && (whole != "0" || fraction.bytes().take(6).any(|digit| digit != b'0'))
}

/// `0.<digits> × 10^point`, without zeros at either end of the digits.
struct Decimal {
    digits: String,
    point: i64,
}

impl Decimal {
    #[cold]
    fn parse(text: &str) -> Option<Self> {
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let exponent: i64 = exponent.parse().ok().filter(|e: &i64| e.unsigned_abs() < 1 << 32)?;
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all = [whole, fraction].concat();
        let digits = all.trim_start_matches('0');
        let zeros = all.len() - digits.len();
        let point = i64::try_from(whole.len()).ok()? - i64::try_from(zeros).ok()? + exponent;
        Some(Self { digits: digits.trim_end_matches('0').to_owned(), point })
    }

    /// ECMAScript `Number::toString`, steps 6 to 10.
    #[cold]
    fn write(self, negative: bool) -> String {
        if self.digits.is_empty() {
            return "0".to_owned();
        }
        let sign = if negative { "-" } else { "" };
        match (self.point, usize::try_from(self.point)) {
            (1..=21, Ok(point)) => match self.digits.split_at_checked(point) {
                Some((whole, "")) => format!("{sign}{whole}"),
                Some((whole, fraction)) => format!("{sign}{whole}.{fraction}"),
                None => format!("{sign}{:0<point$}", self.digits),
            },
            (-5..=0, _) => {
                let zeros = usize::try_from(-self.point).unwrap_or_default();
                format!("{sign}0.{:0<zeros$}{}", "", self.digits)
            }
            _ => self.exponential(sign),
        }
    }

    fn exponential(&self, sign: &str) -> String {
        let exponent = self.point - 1;
        let plus = if exponent < 0 { "" } else { "+" };
        match self.digits.split_at_checked(1) {
            Some((first, rest)) if !rest.is_empty() => {
                format!("{sign}{first}.{rest}e{plus}{exponent}")
            }
            _ => format!("{sign}{}e{plus}{exponent}", self.digits),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_notation_is_javascripts_and_no_digit_is_lost() {
        for (text, expected) in [
            ("0", "0"),
            ("-0", "0"),
            ("-0.0", "0"),
            ("0e5", "0"),
            ("-7", "-7"),
            ("12345678901234567890123", "12345678901234567890123"),
            ("1.50", "1.5"),
            ("12.0", "12"),
            ("-12.50", "-12.5"),
            ("1E3", "1000"),
            ("1.25e1", "12.5"),
            ("1e20", "100000000000000000000"),
            ("1e+21", "1e+21"),
            ("1.5e300", "1.5e+300"),
            ("1e400", "1e+400"),
            ("1e-6", "0.000001"),
            ("1e-7", "1e-7"),
            ("12e-9", "1.2e-8"),
            ("0.000001230", "0.00000123"),
            ("0.0000010", "0.000001"),
            ("-0.0000001", "-1e-7"),
            ("0.00000012", "1.2e-7"),
            ("100.00", "100"),
            ("123456789012345678901.50", "123456789012345678901.5"),
            ("1234567890123456789012.5", "1.2345678901234567890125e+21"),
            ("0.30000000000000004", "0.30000000000000004"),
            ("123456789.123456789123456789", "123456789.123456789123456789"),
            ("1e99999999999999999999", "1e+99999999999999999999"),
            ("1E-99999999999999999999", "1E-99999999999999999999"),
        ] {
            assert_eq!(canonical(text), expected, "{text}");
        }
    }
}
