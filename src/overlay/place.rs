//! Places in a document: JSON Pointers whose indices have a fixed width, so that their order as text
//! is the one of the items, and that of a value before those in it.

use serde_json::Value;

/// A place; empty for the root.
pub(super) type Place = String;

/// Digits of an index.
const WIDTH: usize = 10;

/// Goes on to an item of a list.
pub(super) fn push_index(place: &mut Place, index: usize) {
    let digits = index.to_string();
    place.push('/');
    place.extend(std::iter::repeat_n('0', WIDTH.saturating_sub(digits.len())));
    place.push_str(&digits);
}

/// Goes on to a member of an object.
pub(super) fn push_name(place: &mut Place, name: &str) {
    place.push('/');
    for c in name.chars() {
        match c {
            '~' => place.push_str("~0"),
            '/' => place.push_str("~1"),
            c => place.push(c),
        }
    }
}

/// The value at a place.
pub(super) fn find<'v>(document: &'v mut Value, place: &str) -> Option<&'v mut Value> {
    place.split('/').skip(1).try_fold(document, |value, segment| match value {
        Value::Array(items) => items.get_mut(segment.parse::<usize>().ok()?),
        Value::Object(map) => map.get_mut(&name(segment)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    })
}

/// The place of the parent, and the last segment.
pub(super) fn split(place: &str) -> Option<(&str, &str)> {
    place.rsplit_once('/')
}

/// The name that a segment stands for.
pub(super) fn name(segment: &str) -> String {
    segment.replace("~1", "/").replace("~0", "~")
}

/// How many steps it is from the root.
pub(super) fn depth(place: &str) -> usize {
    place.bytes().filter(|byte| *byte == b'/').count()
}

/// The place as a JSON Pointer for people.
pub(super) fn shown(place: &str) -> String {
    let mut text = String::new();
    for segment in place.split('/').skip(1) {
        let is_index = segment.len() == WIDTH && segment.bytes().all(|b| b.is_ascii_digit());
        let short = segment.trim_start_matches('0');
        text.push('/');
        text.push_str(match (is_index, short) {
            (true, "") => "0",
            (true, short) => short,
            (false, _) => segment,
        });
    }
    text
}
