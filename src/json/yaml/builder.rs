//! Parser events → one value, with an explicit stack.

use std::collections::BTreeMap;

use hashbrown::HashSet;
use serde_json::{Map, Value};
use yaml_rust2::parser::{Event, Tag};
use yaml_rust2::scanner::TScalarStyle;

use super::{Limits, scalar};

/// Bytes of text that cost as much as one value.
const TEXT_UNIT: usize = 64;

/// A value under construction.
pub(super) struct Builder {
    limits: Limits,
    stack: Vec<Open>,
    anchors: BTreeMap<usize, Anchored>,
    /// Cost of all values made so far.
    spent: usize,
    done: Option<Value>,
}

/// A list or an object that has not ended.
struct Open {
    kind: Kind,
    anchor: usize,
    /// What was spent before it began.
    before: usize,
}

enum Kind {
    List(Vec<Value>),
    Object(Object),
}

#[derive(Default)]
struct Object {
    map: Map<String, Value>,
    key: Option<Key>,
    /// Keys that came from a merge: a later key of the object itself replaces them.
    merged: HashSet<String>,
}

enum Key {
    Name(String),
    Merge,
}

struct Anchored {
    value: Value,
    cost: usize,
    /// Whether it is a plain scalar whose text is this, to stand as a key.
    text: Option<String>,
}

impl Builder {
    pub(super) fn new(limits: Limits) -> Self {
        Self { limits, stack: Vec::new(), anchors: BTreeMap::new(), spent: 0, done: None }
    }

    /// The value, if there was any.
    pub(super) fn finish(self) -> Option<Value> {
        self.done
    }

    /// Takes the next event.
    pub(super) fn take(&mut self, event: Event) -> Result<(), String> {
        match event {
            Event::Scalar(text, style, anchor, tag) => self.scalar(text, style, anchor, tag),
            Event::Alias(anchor) => self.alias(anchor),
            Event::SequenceStart(anchor, tag) => {
                check_tag(tag.as_ref(), "seq")?;
                self.open(Kind::List(Vec::new()), anchor)
            }
            Event::MappingStart(anchor, tag) => {
                check_tag(tag.as_ref(), "map")?;
                self.open(Kind::Object(Object::default()), anchor)
            }
            Event::SequenceEnd | Event::MappingEnd => self.close(),
            _ => Ok(()),
        }
    }

    fn scalar(
        &mut self,
        text: String,
        style: TScalarStyle,
        anchor: usize,
        tag: Option<Tag>,
    ) -> Result<(), String> {
        let cost = 1 + text.len() / TEXT_UNIT;
        self.spend(cost)?;
        let plain = style == TScalarStyle::Plain;
        if anchor > 0 {
            let value = resolve(text.clone(), plain, tag.as_ref())?;
            self.remember(anchor, value, cost, Some(text.clone()))?;
        }
        if self.awaits_key() {
            let merges = plain && tag.is_none() && text == "<<";
            return self.set_key(if merges { Key::Merge } else { Key::Name(text) });
        }
        let value = resolve(text, plain, tag.as_ref())?;
        self.put(value)
    }

    fn alias(&mut self, anchor: usize) -> Result<(), String> {
        let Some(anchored) = self.anchors.get(&anchor) else {
            return Err("an alias cannot stand inside the value that it refers to".to_owned());
        };
        let cost = anchored.cost;
        if self.awaits_key() {
            let Some(text) = anchored.text.clone() else { return Err(complex_key()) };
            self.spend(cost)?;
            return self.set_key(Key::Name(text));
        }
        self.spend(cost)?;
        let value = self.anchors.get(&anchor).map(|anchored| anchored.value.clone());
        self.put(value.unwrap_or_default())
    }

    fn open(&mut self, kind: Kind, anchor: usize) -> Result<(), String> {
        if self.awaits_key() {
            return Err(complex_key());
        }
        if self.stack.len() >= self.limits.max_depth {
            return Err(format!("nested deeper than {} levels", self.limits.max_depth));
        }
        let before = self.spent;
        self.spend(1)?;
        self.stack.push(Open { kind, anchor, before });
        Ok(())
    }

    fn close(&mut self) -> Result<(), String> {
        let Some(Open { kind, anchor, before }) = self.stack.pop() else { return Ok(()) };
        let value = match kind {
            Kind::List(items) => Value::Array(items),
            Kind::Object(object) => Value::Object(object.map),
        };
        if anchor > 0 {
            self.remember(anchor, value.clone(), self.spent - before, None)?;
        }
        self.put(value)
    }

    /// Keeps an anchored value for its aliases.
    fn remember(
        &mut self,
        anchor: usize,
        value: Value,
        cost: usize,
        text: Option<String>,
    ) -> Result<(), String> {
        self.spend(cost)?;
        self.anchors.insert(anchor, Anchored { value, cost, text });
        Ok(())
    }

    fn spend(&mut self, cost: usize) -> Result<(), String> {
        self.spent = self.spent.saturating_add(cost);
        if self.spent > self.limits.max_nodes {
            return Err(format!(
                "more than {} values once aliases are resolved",
                self.limits.max_nodes
            ));
        }
        Ok(())
    }

    fn awaits_key(&self) -> bool {
        matches!(self.stack.last(), Some(Open { kind: Kind::Object(Object { key: None, .. }), .. }))
    }

    fn set_key(&mut self, key: Key) -> Result<(), String> {
        if let Some(Open { kind: Kind::Object(object), .. }) = self.stack.last_mut() {
            object.check_key(&key)?;
            object.key = Some(key);
        }
        Ok(())
    }

    /// Puts a value where it belongs: into the innermost open list or object.
    fn put(&mut self, value: Value) -> Result<(), String> {
        match self.stack.last_mut().map(|open| &mut open.kind) {
            Some(Kind::List(items)) => items.push(value),
            Some(Kind::Object(object)) => match object.key.take() {
                Some(Key::Name(name)) => {
                    object.map.insert(name, value);
                }
                Some(Key::Merge) => object.merge(value)?,
                None => {}
            },
            None => self.done = Some(value),
        }
        Ok(())
    }
}

impl Object {
    /// Refuses a key that the object has already, unless it came from a merge.
    fn check_key(&mut self, key: &Key) -> Result<(), String> {
        match key {
            Key::Name(name) if self.map.contains_key(name) && !self.merged.remove(name) => {
                Err(format!("duplicate key `{}`", name.escape_debug()))
            }
            _ => Ok(()),
        }
    }

    /// Adds the entries of an object, or of several, that are not there yet
    /// (<https://yaml.org/type/merge.html>).
    fn merge(&mut self, value: Value) -> Result<(), String> {
        let sources = match value {
            Value::Array(sources) => sources,
            source => vec![source],
        };
        for source in sources {
            let Value::Object(source) = source else {
                return Err(
                    "expected an object, or a list of objects, to merge with `<<`".to_owned()
                );
            };
            for (name, value) in source {
                if !self.map.contains_key(&name) {
                    self.merged.insert(name.clone());
                    self.map.insert(name, value);
                }
            }
        }
        Ok(())
    }
}

fn complex_key() -> String {
    "expected a string as key, found a list or an object".to_owned()
}

/// The value of a scalar. With a tag of the core schema it has to be what the tag says.
fn resolve(text: String, plain: bool, tag: Option<&Tag>) -> Result<Value, String> {
    let Some(tag) = tag else {
        return Ok(if plain { scalar::resolve(text) } else { Value::String(text) });
    };
    let name = core_name(tag);
    if name.as_deref() == Some("str") {
        return Ok(Value::String(text));
    }
    let quoted = format!("`{}`", text.escape_debug());
    let value = scalar::resolve(text);
    let fits = match name.as_deref() {
        Some("int" | "float") => value.is_number(),
        Some("bool") => value.is_boolean(),
        Some("null") => value.is_null(),
        _ => return Err(unknown_tag(tag)),
    };
    if fits { Ok(value) } else { Err(format!("{quoted} is not what its tag says")) }
}

fn check_tag(tag: Option<&Tag>, kind: &str) -> Result<(), String> {
    match tag {
        Some(tag) if core_name(tag).as_deref() != Some(kind) => Err(unknown_tag(tag)),
        _ => Ok(()),
    }
}

fn unknown_tag(tag: &Tag) -> String {
    let name = [tag.handle.as_str(), &tag.suffix].concat();
    format!("the tag `{}` does not fit here", name.escape_debug())
}

/// The name of a tag of the core schema; a lone `!` says that a scalar is a string.
fn core_name(tag: &Tag) -> Option<String> {
    let name = [tag.handle.as_str(), &tag.suffix].concat();
    if name == "!" {
        return Some("str".to_owned());
    }
    name.strip_prefix("tag:yaml.org,2002:").map(str::to_owned)
}
