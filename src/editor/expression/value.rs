//! Values of JavaScript, borrowed from JSON where they can be.

use std::rc::Rc;

use serde_json::{Map, Number, Value};

use super::evaluate::Closure;
use super::{Enclosing, Failure, Fuel};

/// Deepest nesting of arrays, objects and functions that expressions make.
pub(super) const MAX_DEPTH: u8 = 48;

/// Names that are compared with another in one step.
const NAMES_PER_STEP: usize = 16;

/// A value during evaluation.
#[derive(Debug, Clone)]
pub(super) enum Js<'a> {
    Undefined,
    Null,
    Bool(bool),
    Number(f64),
    /// A number of the data, with all its digits.
    Exact(&'a Number),
    Text(&'a str),
    Made(Rc<str>),
    List(List<'a>),
    Object(Members<'a>),
    Closure(Rc<Closure<'a>>),
    /// A function of the language that was not called, or `Array`, `Object`, `Math` …
    Native(&'a str),
    Parent(&'a Enclosing<'a>),
}

/// An array.
#[derive(Debug, Clone)]
pub(super) enum List<'a> {
    Data(&'a [Value]),
    Made(Rc<Vec<Js<'a>>>, u8),
}

/// An object.
#[derive(Debug, Clone)]
pub(super) enum Members<'a> {
    Data(&'a Map<String, Value>),
    Made(Rc<Vec<(Rc<str>, Js<'a>)>>, u8),
}

impl<'a> Js<'a> {
    /// A value of the data; `None` is `undefined`.
    pub(super) fn of(value: Option<&'a Value>) -> Self {
        match value {
            None => Self::Undefined,
            Some(Value::Null) => Self::Null,
            Some(Value::Bool(value)) => Self::Bool(*value),
            Some(Value::Number(number)) => Self::Exact(number),
            Some(Value::String(text)) => Self::Text(text),
            Some(Value::Array(items)) => Self::List(List::Data(items)),
            Some(Value::Object(members)) => Self::Object(Members::Data(members)),
        }
    }

    pub(super) fn text(text: impl Into<Rc<str>>) -> Self {
        Self::Made(text.into())
    }

    /// A new array.
    pub(super) fn list(items: Vec<Js<'a>>) -> Result<Self, Failure> {
        let depth = deeper(items.iter())?;
        Ok(Self::List(List::Made(Rc::new(items), depth)))
    }

    /// A new object; later members replace earlier ones of the same name.
    pub(super) fn object(entries: Vec<(Rc<str>, Js<'a>)>) -> Result<Self, Failure> {
        let depth = deeper(entries.iter().map(|(_, value)| value))?;
        let mut places: hashbrown::HashMap<Rc<str>, usize> = hashbrown::HashMap::new();
        let mut members: Vec<(Rc<str>, Js<'a>)> = Vec::with_capacity(entries.len());
        for (key, value) in entries {
            let place = *places.entry(key.clone()).or_insert(members.len());
            match members.get_mut(place) {
                Some(member) => member.1 = value,
                None => members.push((key, value)),
            }
        }
        Ok(Self::Object(Members::Made(Rc::new(members), depth)))
    }

    /// How deeply made values are nested in this one.
    pub(super) fn depth(&self) -> u8 {
        match self {
            Self::List(List::Made(_, depth)) | Self::Object(Members::Made(_, depth)) => *depth,
            Self::Closure(closure) => closure.depth(),
            _ => 0,
        }
    }

    pub(super) fn as_str(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Made(text) => Some(text),
            _ => None,
        }
    }

    pub(super) fn is_nullish(&self) -> bool {
        matches!(self, Self::Undefined | Self::Null)
    }

    /// As JSON, as `JSON.stringify` sees it; `None` for `undefined` and functions.
    pub(super) fn to_json(&self, fuel: &Fuel) -> Result<Option<Value>, Failure> {
        fuel.spend(1)?;
        Ok(Some(match self {
            Self::Undefined | Self::Closure(_) | Self::Native(_) => return Ok(None),
            Self::Null => Value::Null,
            Self::Bool(value) => Value::Bool(*value),
            Self::Number(number) => json_number(*number),
            Self::Exact(number) => {
                fuel.spend_text(number.as_str().len())?;
                Value::Number((*number).clone())
            }
            Self::Text(_) | Self::Made(_) => {
                let text = self.as_str().unwrap_or_default();
                fuel.spend_text(text.len())?;
                Value::String(text.to_owned())
            }
            Self::List(items) => {
                let items = items.iter().map(|item| item.to_json(fuel));
                let items = items.map(|item| Ok(item?.unwrap_or(Value::Null)));
                Value::Array(items.collect::<Result<_, _>>()?)
            }
            Self::Object(members) => {
                let mut map = Map::new();
                for (key, value) in members.iter() {
                    fuel.spend_text(key.len())?;
                    if let Some(value) = value.to_json(fuel)? {
                        map.insert((*key).to_owned(), value);
                    }
                }
                Value::Object(map)
            }
            Self::Parent(parent) => {
                let data = Js::of(parent.data).to_json(fuel)?;
                Value::Object(data.into_iter().map(|data| ("data".to_owned(), data)).collect())
            }
        }))
    }
}

/// One more than the deepest of some values.
pub(super) fn deeper<'v, 'a: 'v>(values: impl Iterator<Item = &'v Js<'a>>) -> Result<u8, Failure> {
    let depth = values.map(Js::depth).max().unwrap_or(0) + 1;
    if depth > MAX_DEPTH { Err(Failure::Effort) } else { Ok(depth) }
}

/// JSON has no NaN and no infinity; integers are written without a point.
fn json_number(number: f64) -> Value {
    super::convert::number_text(number).parse::<Number>().map_or(Value::Null, Value::Number)
}

impl<'a> List<'a> {
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Data(items) => items.len(),
            Self::Made(items, _) => items.len(),
        }
    }

    pub(super) fn get(&self, index: usize) -> Js<'a> {
        match self {
            Self::Data(items) => Js::of(items.get(index)),
            Self::Made(items, _) => items.get(index).cloned().unwrap_or(Js::Undefined),
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = Js<'a>> + '_ {
        (0..self.len()).map(|index| self.get(index))
    }

    /// Whether both are one and the same array.
    pub(super) fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Data(a), Self::Data(b)) => std::ptr::eq(*a, *b),
            (Self::Made(a, _), Self::Made(b, _)) => Rc::ptr_eq(a, b),
            _ => false,
        }
    }
}

impl<'a> Members<'a> {
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Data(members) => members.len(),
            Self::Made(members, _) => members.len(),
        }
    }

    pub(super) fn get(&self, key: &str, fuel: &Fuel) -> Result<Option<Js<'a>>, Failure> {
        Ok(match self {
            Self::Data(members) => members.get(key).map(|value| Js::of(Some(value))),
            Self::Made(members, _) => {
                fuel.spend(members.len() / NAMES_PER_STEP)?;
                members.iter().find(|(name, _)| &**name == key).map(|(_, value)| value.clone())
            }
        })
    }

    /// Keys and values in order.
    pub(super) fn iter(&self) -> Box<dyn Iterator<Item = (&str, Js<'a>)> + '_> {
        match self {
            Self::Data(members) => {
                let entries = members.iter();
                Box::new(entries.map(|(key, value)| (key.as_str(), Js::of(Some(value)))))
            }
            Self::Made(members, _) => {
                Box::new(members.iter().map(|(key, value)| (&**key, value.clone())))
            }
        }
    }

    /// Whether both are one and the same object.
    pub(super) fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Data(a), Self::Data(b)) => std::ptr::eq(*a, *b),
            (Self::Made(a, _), Self::Made(b, _)) => Rc::ptr_eq(a, b),
            _ => false,
        }
    }
}
