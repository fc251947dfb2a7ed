//! What actions do to a document (Overlay 1.1 §4.4.3).

use serde_json::Value;

use super::path::Path;
use super::query::{self, Key, Place};
use crate::json::Pointer;

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

/// Removes values; those of an array from its end, so that the other places stay right.
pub(super) fn remove(document: &mut Value, places: &mut [Place]) -> Result<(), String> {
    places.sort_unstable_by(|left, right| right.cmp(left));
    for place in places {
        let Some((key, parent)) = place.split_last() else {
            return Err("the whole document cannot be removed".to_owned());
        };
        match (find(document, parent), key) {
            (Some(Value::Array(items)), Key::Index(index)) if *index < items.len() => {
                items.remove(*index);
            }
            (Some(Value::Object(map)), Key::Name(name)) => {
                map.shift_remove(name);
            }
            _ => {}
        }
    }
    Ok(())
}

/// Merges a value into every place.
pub(super) fn update(
    document: &mut Value,
    places: &[Place],
    value: &Value,
    growth: &mut Growth,
) -> Result<(), String> {
    let (size, depth) = measure(value);
    check_kinds(document, places)?;
    for place in places {
        growth.spend(size)?;
        if place.len() + depth > DEEPEST {
            let at = pointer(place);
            return Err(format!(
                "at `{at}`: the document would be more than {DEEPEST} levels deep"
            ));
        }
        if let Some(target) = find(document, place) {
            let mut at = place.clone();
            match target {
                Value::Array(items) if !value.is_array() => items.push(value.clone()),
                target => merge(target, value, &mut at)?,
            }
        }
    }
    Ok(())
}

/// The only value that a path selects.
pub(super) fn copied(document: &Value, from: &Path, growth: &mut Growth) -> Result<Value, String> {
    let places = query::places(document, from)?;
    let [place] = places.as_slice() else {
        let count = places.len();
        return Err(format!("`copy` selects {count} values, expected exactly one"));
    };
    let found = place.iter().try_fold(document, |value, key| match key {
        Key::Index(index) => value.get(*index),
        Key::Name(name) => value.get(name.as_str()),
    });
    let Some(value) = found else { return Ok(Value::Null) };
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
                        at.push(Key::Name(name.clone()));
                        merge(member, value, at)?;
                        at.pop();
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
                pointer(at),
                kind(value),
                kind(target)
            ));
        }
    }
    Ok(())
}

/// Targets of one update are all objects, all lists, or all neither.
fn check_kinds(document: &mut Value, places: &[Place]) -> Result<(), String> {
    let mut first: Option<&str> = None;
    for place in places {
        let Some(value) = find(document, place) else { continue };
        let kind = kind(value);
        if *first.get_or_insert(kind) != kind {
            let at = pointer(place);
            let first = first.unwrap_or_default();
            return Err(format!("at `{at}`: the target selects {kind}, and {first} before"));
        }
    }
    Ok(())
}

fn find<'v>(document: &'v mut Value, place: &[Key]) -> Option<&'v mut Value> {
    place.iter().try_fold(document, |value, key| match key {
        Key::Index(index) => value.get_mut(*index),
        Key::Name(name) => value.get_mut(name.as_str()),
    })
}

fn pointer(place: &[Key]) -> Pointer {
    place.iter().fold(Pointer::root(), |at, key| match key {
        Key::Index(index) => at.join(index),
        Key::Name(name) => at.join(name),
    })
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
