//! What actions do to a document (Overlay 1.1 §4.4.3).

use std::collections::BTreeSet;

use serde_json::Value;

use super::path::Path;
use super::place::{self, Place};
use super::query;

/// Levels of nesting that a document may have, as after parsing.
const DEEPEST: usize = 128;

/// What overlays may still add to a document, in bytes as they would be written.
#[derive(Debug)]
pub(super) struct Growth(usize);

impl Default for Growth {
    fn default() -> Self {
        Self(32 << 20)
    }
}

impl Growth {
    fn spend(&mut self, size: usize) -> Result<(), String> {
        match self.0.checked_sub(size) {
            Some(rest) => {
                self.0 = rest;
                Ok(())
            }
            None => Err("the overlays add more than 32 MiB to the document".to_owned()),
        }
    }
}

/// Removes values, the last one first, so that the other places stay right.
pub(super) fn remove(document: &mut Value, places: &BTreeSet<Place>) -> Result<(), String> {
    for place in places.iter().rev() {
        let Some((parent, segment)) = place::split(place) else {
            return Err("the whole document cannot be removed".to_owned());
        };
        match place::find(document, parent) {
            Some(Value::Array(items)) => {
                if let Some(index) = segment.parse().ok().filter(|index| *index < items.len()) {
                    items.remove(index);
                }
            }
            Some(Value::Object(map)) => drop(map.shift_remove(&place::name(segment))),
            _ => {}
        }
    }
    Ok(())
}

/// Merges a value into every place.
pub(super) fn update(
    document: &mut Value,
    places: &BTreeSet<Place>,
    value: &Value,
    growth: &mut Growth,
) -> Result<(), String> {
    let (size, depth) = measure(value);
    check_kinds(document, places)?;
    for place in places {
        growth.spend(size)?;
        if place::depth(place) + depth > DEEPEST {
            let at = place::shown(place);
            return Err(format!(
                "at `{at}`: the document would be more than {DEEPEST} levels deep"
            ));
        }
        match place::find(document, place) {
            Some(Value::Array(items)) if !value.is_array() => items.push(value.clone()),
            Some(target) => merge(target, value, &mut place.clone())?,
            None => {}
        }
    }
    Ok(())
}

/// The only value that a path selects.
pub(super) fn copied(
    document: &mut Value,
    from: &Path,
    growth: &mut Growth,
) -> Result<Value, String> {
    let places = query::places(document, from)?;
    let count = places.len();
    let place = places.into_iter().next().filter(|_| count == 1);
    let Some(value) = place.and_then(|place| place::find(document, &place)) else {
        return Err(format!("`copy` selects {count} values, expected exactly one"));
    };
    growth.spend(measure(value).0)?;
    Ok(value.clone())
}

/// Objects property by property, lists one after the other, anything else replaced.
fn merge(target: &mut Value, value: &Value, at: &mut Place) -> Result<(), String> {
    match (target, value) {
        (Value::Object(target), Value::Object(map)) => {
            for (name, value) in map {
                match target.get_mut(name) {
                    Some(member) => {
                        let length = at.len();
                        place::push_name(at, name);
                        merge(member, value, at)?;
                        at.truncate(length);
                    }
                    None => {
                        target.insert(name.clone(), value.clone());
                    }
                }
            }
        }
        (Value::Array(target), Value::Array(items)) => target.extend(items.iter().cloned()),
        (target, value) if is_plain(target) && is_plain(value) => *target = value.clone(),
        (target, value) => {
            return Err(format!(
                "at `{}`: {} cannot be merged into {}; remove it first",
                place::shown(at),
                kind(value),
                kind(target)
            ));
        }
    }
    Ok(())
}

/// Targets of one update are all objects, all lists, or all neither.
fn check_kinds(document: &mut Value, places: &BTreeSet<Place>) -> Result<(), String> {
    let mut first: Option<&str> = None;
    for place in places {
        let Some(value) = place::find(document, place) else { continue };
        let kind = kind(value);
        let first = *first.get_or_insert(kind);
        if first != kind {
            let at = place::shown(place);
            return Err(format!("at `{at}`: the target selects {kind}, and {first} before"));
        }
    }
    Ok(())
}

fn is_plain(value: &Value) -> bool {
    !value.is_object() && !value.is_array()
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Object(_) => "an object",
        Value::Array(_) => "a list",
        _ => "a plain value",
    }
}

/// About how many bytes a value takes, and how many levels it has.
fn measure(value: &Value) -> (usize, usize) {
    let mut size = 8;
    let mut depth = 0;
    let mut inner = |child: &Value, name: usize| {
        let (child_size, child_depth) = measure(child);
        size += child_size + name;
        depth = depth.max(child_depth);
    };
    match value {
        Value::Object(map) => map.iter().for_each(|(name, child)| inner(child, name.len())),
        Value::Array(items) => items.iter().for_each(|child| inner(child, 0)),
        Value::String(text) => size += text.len(),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
    (size, depth + 1)
}
