//! Reading annotation values that may be anything: what has the wrong shape reads as absent.

use serde_json::{Map, Value};

use super::Localized;

/// `true`, or a list of names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Choice {
    /// `true`: everything.
    All,
    /// These, in declared order.
    Only(Vec<String>),
}

/// Profiles an operation belongs to.
pub type Profiles = Choice;

impl Choice {
    pub(super) fn read(value: &Value) -> Option<Self> {
        match value {
            Value::Bool(true) => Some(Self::All),
            Value::Array(_) => Some(Self::Only(strings(Some(value)))),
            _ => None,
        }
    }
}

/// The fields of an annotation.
#[derive(Clone, Copy)]
pub(super) struct Fields<'v>(Option<&'v Map<String, Value>>);

impl<'v> Fields<'v> {
    pub(super) fn of(value: Option<&'v Value>) -> Self {
        Self(value.and_then(Value::as_object))
    }

    pub(super) fn get(self, key: &str) -> Option<&'v Value> {
        self.0?.get(key)
    }

    pub(super) fn text(self, key: &str) -> Option<String> {
        self.get(key)?.as_str().map(str::to_owned)
    }

    pub(super) fn flag(self, key: &str) -> Option<bool> {
        self.get(key)?.as_bool()
    }

    pub(super) fn localized(self, key: &str) -> Option<Localized> {
        Localized::read(self.get(key)?)
    }

    pub(super) fn choice(self, key: &str) -> Option<Choice> {
        Choice::read(self.get(key)?)
    }

    /// A non-empty list of strings.
    pub(super) fn names(self, key: &str) -> Option<Vec<String>> {
        Some(strings(self.get(key))).filter(|names| !names.is_empty())
    }

    pub(super) fn strings(self, key: &str) -> Vec<String> {
        strings(self.get(key))
    }

    pub(super) fn list(self, key: &str) -> &'v [Value] {
        self.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    pub(super) fn map(self, key: &str) -> Map<String, Value> {
        self.get(key).and_then(Value::as_object).cloned().unwrap_or_default()
    }

    pub(super) fn entries(self, key: &str) -> impl Iterator<Item = (&'v String, &'v Value)> {
        self.get(key).and_then(Value::as_object).into_iter().flatten()
    }
}

fn strings(value: Option<&Value>) -> Vec<String> {
    let items = value.and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    items.iter().filter_map(|item| item.as_str().map(str::to_owned)).collect()
}
