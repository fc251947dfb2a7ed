//! `formatMinimum` and its kin: ranges of dates and times, which JSON Schema leaves to extensions.

use jsonschema::{Keyword, ValidationError};
use serde_json::{Map, Value};

/// The keywords.
pub(super) const KEYWORDS: [&str; 4] =
    ["formatMinimum", "formatMaximum", "formatExclusiveMinimum", "formatExclusiveMaximum"];

/// One end of a range. Texts of one format are compared as text.
struct Range {
    keyword: &'static str,
    limit: Option<String>,
}

/// The check that a keyword asks for; none unless the format is one of dates and times.
pub(super) fn keyword(
    keyword: &'static str,
    schema: &Map<String, Value>,
    limit: &Value,
) -> Box<dyn for<'i> Keyword<'i>> {
    let format = schema.get("format").and_then(Value::as_str).unwrap_or_default();
    let applies = matches!(format, "date" | "date-time" | "time");
    let limit = limit.as_str().filter(|_| applies).map(str::to_owned);
    Box::new(Range { keyword, limit })
}

/// The keyword of plain numbers that says the same, for messages.
pub(super) fn numeric(keyword: &str) -> &'static str {
    match keyword {
        "formatMinimum" => "minimum",
        "formatMaximum" => "maximum",
        "formatExclusiveMinimum" => "exclusiveMinimum",
        _ => "exclusiveMaximum",
    }
}

impl<'i> Keyword<'i> for Range {
    fn validate(&self, instance: &'i Value) -> Result<(), ValidationError<'i>> {
        if self.is_valid(instance) {
            Ok(())
        } else {
            Err(ValidationError::custom(self.limit.clone().unwrap_or_default()))
        }
    }

    fn is_valid(&self, instance: &'i Value) -> bool {
        let (Some(limit), Some(text)) = (&self.limit, instance.as_str()) else { return true };
        match self.keyword {
            "formatMinimum" => text >= limit.as_str(),
            "formatMaximum" => text <= limit.as_str(),
            "formatExclusiveMinimum" => text > limit.as_str(),
            _ => text < limit.as_str(),
        }
    }
}
