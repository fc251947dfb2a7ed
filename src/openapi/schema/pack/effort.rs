//! How much work a schema is for a validator.
//!
//! References that double, each schema naming the next one twice for the same value, are small as text
//! and endless as work.

use serde_json::{Map, Value};

use crate::openapi::schema::keyword::{Kind, kind};

/// Most schemas that may be applied along one path into a value.
pub(super) const MAX: u64 = 100_000;

/// How many schemas are applied along one path into a value at most. `effort_of` says it for the
/// definition behind a reference.
pub(super) fn effort(schema: &Value, effort_of: &dyn Fn(&str) -> u64) -> u64 {
    let Value::Object(map) = schema else { return 1 };
    map.iter().fold(1, |sum, (keyword, value)| {
        sum.saturating_add(match (keyword.as_str(), kind(keyword)) {
            ("$ref", _) => value.as_str().map_or(0, effort_of),
            // A value has one schema of each name, so they do not add up.
            (_, Some(Kind::ChildMap)) => {
                members(value).map(|s| effort(s, effort_of)).max().unwrap_or(0)
            }
            (_, Some(Kind::ChildList)) => {
                items(value).map(|s| effort(s, effort_of)).max().unwrap_or(0)
            }
            (_, Some(Kind::InPlace | Kind::Child)) => effort(value, effort_of),
            (_, Some(Kind::InPlaceList)) => total(items(value), effort_of),
            (_, Some(Kind::InPlaceMap)) => total(members(value), effort_of),
            _ => 0,
        })
    })
}

fn total<'s>(schemas: impl Iterator<Item = &'s Value>, effort_of: &dyn Fn(&str) -> u64) -> u64 {
    schemas.fold(0, |sum, schema| sum.saturating_add(effort(schema, effort_of)))
}

fn members(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_object().into_iter().flat_map(Map::values)
}

fn items(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}
