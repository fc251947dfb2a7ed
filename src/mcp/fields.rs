//! Picks a few members out of a JSON object and leaves their values as text, so that nothing is
//! built that the request does not need.

use std::{borrow::Cow, fmt};

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

/// Why members could not be picked.
#[derive(Debug)]
pub(super) enum Fault {
    /// Not JSON; the parser's message.
    Syntax(String),
    /// JSON, but an array.
    Array,
    /// JSON, but neither an object nor an array.
    Scalar,
}

/// The values of `names` in an object, in that order, as JSON text.
#[derive(Debug)]
pub(super) struct Fields<'a, const N: usize> {
    pub(super) values: [Option<&'a str>; N],
    /// A name that came more than once.
    pub(super) duplicate: Option<&'static str>,
}

/// Reads an object. Nesting needs no stack: values are skipped, not parsed.
pub(super) fn read<'a, const N: usize>(
    text: &'a str,
    names: [&'static str; N],
) -> Result<Fields<'a, N>, Fault> {
    let mut values = [None; N];
    let duplicate = pick(text, &names, &mut values)?;
    Ok(Fields { values, duplicate })
}

/// The text of a JSON string; `None` when it is something else or not Unicode.
pub(super) fn string(raw: &str) -> Option<Cow<'_, str>> {
    let inner = raw.strip_prefix('"')?.strip_suffix('"')?;
    if inner.contains('\\') {
        serde_json::from_str(raw).ok().map(Cow::Owned)
    } else {
        Some(Cow::Borrowed(inner))
    }
}

fn pick<'a>(
    text: &'a str,
    names: &[&'static str],
    values: &mut [Option<&'a str>],
) -> Result<Option<&'static str>, Fault> {
    let syntax = |error: serde_json::Error| Fault::Syntax(error.to_string());
    let mut parser = serde_json::Deserializer::from_str(text);
    let first = text.trim_ascii_start().bytes().next();
    if first != Some(b'{') {
        serde::Deserialize::deserialize(&mut parser).map(|IgnoredAny| ()).map_err(syntax)?;
        parser.end().map_err(syntax)?;
        return Err(if first == Some(b'[') { Fault::Array } else { Fault::Scalar });
    }
    let mut picker = Picker { names, values, duplicate: None };
    parser.deserialize_map(&mut picker).map_err(syntax)?;
    let duplicate = picker.duplicate;
    parser.end().map_err(syntax)?;
    Ok(duplicate)
}

struct Picker<'p, 'a> {
    names: &'p [&'static str],
    values: &'p mut [Option<&'a str>],
    duplicate: Option<&'static str>,
}

impl<'a> Visitor<'a> for &mut Picker<'_, 'a> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'a>>(self, mut members: A) -> Result<(), A::Error> {
        while let Some(position) = members.next_key_seed(Key(self.names))? {
            let Some(position) = position else {
                members.next_value::<IgnoredAny>()?;
                continue;
            };
            let value = members.next_value::<&RawValue>()?.get();
            if let Some(slot) = self.values.get_mut(position)
                && slot.replace(value).is_some()
            {
                self.duplicate = self.names.get(position).copied();
            }
        }
        Ok(())
    }
}

/// Reads a key as the position of its name.
struct Key<'p>(&'p [&'static str]);

impl<'a> DeserializeSeed<'a> for Key<'_> {
    type Value = Option<usize>;

    fn deserialize<D: Deserializer<'a>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Key<'_> {
    type Value = Option<usize>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E>(self, key: &str) -> Result<Self::Value, E> {
        Ok(self.0.iter().position(|name| *name == key))
    }
}
