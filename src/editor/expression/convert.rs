//! Conversions and comparisons of JavaScript.

use std::borrow::Cow;
use std::cmp::Ordering;

use super::value::Js;
use super::{Failure, Fuel};
use crate::json::number;

/// The value of a number literal.
pub(super) fn number_literal(text: &str) -> Option<f64> {
    let hexadecimal = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    match hexadecimal {
        Some(digits) => u32::from_str_radix(digits, 16).ok().map(f64::from),
        None => decimal(&text.replace('_', "")),
    }
}

/// Digits, point and exponent; not the words that Rust reads as numbers.
fn decimal(text: &str) -> Option<f64> {
    let plain = text.bytes().all(|b| b.is_ascii_digit() || b".eE+-".contains(&b));
    if plain { text.parse().ok() } else { None }
}

/// A number as JavaScript writes it.
pub(super) fn number_text(number: f64) -> String {
    if number.is_nan() {
        "NaN".to_owned()
    } else if number.is_infinite() {
        if number > 0.0 { "Infinity" } else { "-Infinity" }.to_owned()
    } else {
        number::canonical(&format!("{number:e}")).into_owned()
    }
}

/// A string as a number.
pub(super) fn text_number(text: &str) -> f64 {
    match text.trim() {
        "" => 0.0,
        "Infinity" | "+Infinity" => f64::INFINITY,
        "-Infinity" => f64::NEG_INFINITY,
        text => number_literal(text).unwrap_or(f64::NAN),
    }
}

impl Js<'_> {
    pub(super) fn is_truthy(&self) -> bool {
        match self {
            Self::Undefined | Self::Null => false,
            Self::Bool(value) => *value,
            Self::Number(_) | Self::Exact(_) => {
                let number = self.plain_number();
                !(number == 0.0 || number.is_nan())
            }
            Self::Text(text) => !text.is_empty(),
            Self::Made(text) => !text.is_empty(),
            _ => true,
        }
    }

    /// The number that the value is, without conversion; NaN for everything else.
    fn plain_number(&self) -> f64 {
        match self {
            Self::Number(number) => *number,
            Self::Exact(number) => decimal(number.as_str()).unwrap_or(f64::NAN),
            _ => f64::NAN,
        }
    }

    /// `Number(value)`
    pub(super) fn to_number(&self, fuel: &Fuel) -> Result<f64, Failure> {
        Ok(match self {
            Self::Null => 0.0,
            Self::Bool(value) => f64::from(u8::from(*value)),
            Self::Number(_) | Self::Exact(_) => self.plain_number(),
            Self::Text(_) | Self::Made(_) | Self::List(_) => text_number(&self.to_text(fuel)?),
            _ => f64::NAN,
        })
    }

    /// `String(value)`
    pub(super) fn to_text(&self, fuel: &Fuel) -> Result<Cow<'_, str>, Failure> {
        fuel.spend(1)?;
        Ok(match self {
            Self::Undefined => "undefined".into(),
            Self::Null => "null".into(),
            Self::Bool(true) => "true".into(),
            Self::Bool(false) => "false".into(),
            Self::Number(number) => number_text(*number).into(),
            Self::Exact(number) => number::canonical(number.as_str()),
            Self::Text(text) => {
                fuel.spend_text(text.len())?;
                (*text).into()
            }
            Self::Made(text) => {
                fuel.spend_text(text.len())?;
                Cow::Borrowed(text)
            }
            Self::List(_) => self.join(",", fuel)?.into(),
            Self::Closure(_) | Self::Native(_) => "function".into(),
            Self::Object(_) | Self::Parent(_) => "[object Object]".into(),
        })
    }

    /// `array.join(separator)`
    pub(super) fn join(&self, separator: &str, fuel: &Fuel) -> Result<String, Failure> {
        let mut out = String::new();
        let Self::List(items) = self else { return Ok(out) };
        fuel.spend(items.len())?;
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                fuel.spend_text(separator.len())?;
                out.push_str(separator);
            }
            if !item.is_nullish() {
                out.push_str(&item.to_text(fuel)?);
            }
        }
        Ok(out)
    }

    /// `===`
    pub(super) fn is_same(&self, other: &Self, fuel: &Fuel) -> Result<bool, Failure> {
        Ok(match (self, other) {
            (Self::Undefined, Self::Undefined) | (Self::Null, Self::Null) => true,
            (Self::Bool(a), Self::Bool(b)) => a == b,
            (Self::Number(_) | Self::Exact(_), Self::Number(_) | Self::Exact(_)) => {
                fuel.spend_text(self.digits() + other.digits())?;
                self.plain_number().partial_cmp(&other.plain_number()) == Some(Ordering::Equal)
            }
            (Self::List(a), Self::List(b)) => a.is(b),
            (Self::Object(a), Self::Object(b)) => a.is(b),
            (Self::Parent(a), Self::Parent(b)) => std::ptr::eq(*a, *b),
            (Self::Native(a), Self::Native(b)) => a == b,
            _ => match (self.as_str(), other.as_str()) {
                (Some(a), Some(b)) if a.len() == b.len() => {
                    fuel.spend_text(a.len())?;
                    a == b
                }
                _ => false,
            },
        })
    }

    /// Length of a number as it is written in the data.
    fn digits(&self) -> usize {
        if let Self::Exact(number) = self { number.as_str().len() } else { 0 }
    }

    /// `==`
    pub(super) fn is_equal(&self, other: &Self, fuel: &Fuel) -> Result<bool, Failure> {
        if self.is_nullish() || other.is_nullish() {
            return Ok(self.is_nullish() && other.is_nullish());
        }
        let is_object = |value: &Self| matches!(value, Self::List(_) | Self::Object(_));
        let is_text = |value: &Self| value.as_str().is_some();
        Ok(match (is_object(self), is_object(other)) {
            (false, false) if !(is_text(self) && is_text(other)) => {
                self.to_number(fuel)?.partial_cmp(&other.to_number(fuel)?) == Some(Ordering::Equal)
            }
            (true, false) if is_text(other) => self.to_text(fuel)? == other.to_text(fuel)?,
            (false, true) if is_text(self) => self.to_text(fuel)? == other.to_text(fuel)?,
            _ => self.is_same(other, fuel)?,
        })
    }

    /// `<` and its relatives; `None` when a number is NaN.
    pub(super) fn order(&self, other: &Self, fuel: &Fuel) -> Result<Option<Ordering>, Failure> {
        if let (Some(a), Some(b)) = (self.as_str(), other.as_str()) {
            fuel.spend_text(a.len().min(b.len()))?;
            return Ok(Some(a.encode_utf16().cmp(b.encode_utf16())));
        }
        Ok(self.to_number(fuel)?.partial_cmp(&other.to_number(fuel)?))
    }
}
