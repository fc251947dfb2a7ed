//! Members of a document that its schema marks `readOnly`: a write leaves them as they are, whether or
//! not the form has fields for them.

mod items;
mod places;

use serde_json::Value;

pub(super) use self::places::has_locks;
use self::{
    items::Pairs,
    places::{Places, Set},
};
use super::{Form, Known};
use crate::json::Pointer;

/// Why a write is refused.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::editor) enum Lock {
    /// The value of this place would be another one.
    Value(Pointer),
    /// Which items of this array keep which values is not known.
    Items(Pointer),
}

/// One write, checked with the schema.
#[derive(Debug)]
pub(in crate::editor) struct Locked<'f> {
    form: &'f Form,
    places: Places<'f>,
}

/// One place of a document before or after a write.
#[derive(Debug, Clone, Default)]
struct Side<'f, 'v> {
    set: Set<'f>,
    value: Option<&'v Value>,
}

impl<'f, 'v> Side<'f, 'v> {
    fn member(&self, places: &Places<'f>, key: &str) -> Self {
        match self.value.and_then(|value| value.get(key)).filter(|value| !value.is_null()) {
            Some(value) => Self { set: places.member(&self.set, key, value), value: Some(value) },
            None => Self::default(),
        }
    }

    fn item(&self, places: &Places<'f>, index: usize) -> Self {
        match self.value.and_then(|value| value.get(index)) {
            Some(value) => Self { set: places.item(&self.set, index, value), value: Some(value) },
            None => Self::default(),
        }
    }

    fn is_locked(&self, places: &Places<'f>) -> bool {
        self.value.is_some() && places.is_locked(&self.set)
    }

    fn items(&self) -> &'v [Value] {
        self.value.and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    fn keys(&self) -> impl Iterator<Item = &'v String> + use<'v> {
        self.value.and_then(Value::as_object).into_iter().flat_map(serde_json::Map::keys)
    }
}

impl<'f> Locked<'f> {
    /// What the schema of a form says; `None` when it marks nothing.
    pub(in crate::editor) fn of(form: &'f Form) -> Option<Self> {
        form.has_locks().then(|| Self { form, places: Places::of(form) })
    }

    fn root<'v>(&self, value: &'v Value) -> Side<'f, 'v> {
        Side { set: self.places.root(value), value: Some(value) }
    }

    /// Puts read-only values into new data that leaves them out.
    pub(in crate::editor) fn carry(&self, old: &Value, new: &mut Value) {
        self.restore(&self.form.concealed().root(), &self.root(old), new);
    }

    fn restore(&self, known: &Known, old: &Side<'f, '_>, new: &mut Value) {
        let Some(value) = old.value.filter(|value| **value != *new) else { return };
        let hidden = self.form.concealed();
        match new {
            Value::Object(new) if value.is_object() => {
                for key in old.keys() {
                    let Some(known) = hidden.member(known, key) else { continue };
                    let side = old.member(&self.places, key);
                    match (new.get_mut(key), side.value) {
                        (Some(new), _) => self.restore(&known, &side, new),
                        (None, Some(value)) if side.is_locked(&self.places) => {
                            new.insert(key.clone(), value.clone());
                        }
                        (None, _) => {}
                    }
                }
            }
            Value::Array(new) if value.is_array() => {
                let pairs = self.pairs(old, &self.array(old, new));
                for (index, (item, pair)) in new.iter_mut().zip(pairs.old).enumerate() {
                    if let Some(pair) = pair {
                        let known = hidden.item(known, index);
                        self.restore(&known, &old.item(&self.places, pair), item);
                    }
                }
            }
            _ => {}
        }
    }

    /// The items of a new array, each with the schemas that describe it.
    fn array<'v>(&self, old: &Side<'f, '_>, new: &'v [Value]) -> Vec<Side<'f, 'v>> {
        let items = new.iter().enumerate();
        items
            .map(|(index, item)| Side {
                set: self.places.item(&old.set, index, item),
                value: Some(item),
            })
            .collect()
    }

    /// Which old item each new one is.
    fn pairs(&self, old: &Side<'f, '_>, new: &[Side<'f, '_>]) -> Pairs {
        let before: Vec<_> =
            (0..old.items().len()).map(|index| old.item(&self.places, index)).collect();
        items::pair(&self.places, &before, new, places::is_tuple(&old.set))
    }

    /// Refuses new data that has another value at a read-only place.
    pub(in crate::editor) fn check(&self, old: &Value, new: &Value) -> Result<(), Lock> {
        let (old, new) = (self.root(old), self.root(new));
        self.compare(&self.form.concealed().root(), &old, &new, &Pointer::root())
    }

    fn compare(
        &self,
        known: &Known,
        old: &Side<'f, '_>,
        new: &Side<'f, '_>,
        at: &Pointer,
    ) -> Result<(), Lock> {
        if old.value == new.value {
            return Ok(());
        }
        if old.is_locked(&self.places) || new.is_locked(&self.places) {
            return Err(Lock::Value(at.clone()));
        }
        match (old.value, new.value) {
            (Some(Value::Array(_)), Some(Value::Array(_))) => {
                self.compare_items(known, old, new, at)
            }
            // Items go with the array that is taken away, but not with one that is no array any more.
            (Some(Value::Array(_)), None) => Ok(()),
            (Some(Value::Array(_)), Some(_)) => {
                let none = Side { set: old.set.clone(), value: Some(&Value::Null) };
                let items = old.items().len();
                let holds = |index| {
                    let item = old.item(&self.places, index);
                    self.compare_members(known, &item, &none, at).is_err()
                        || item.is_locked(&self.places)
                };
                if (0..items).any(holds) { Err(Lock::Items(at.clone())) } else { Ok(()) }
            }
            (_, Some(Value::Array(_))) => {
                self.compare_members(known, old, new, at)?;
                let none = Side::default();
                (0..new.items().len()).try_for_each(|index| {
                    let (known, at) = (self.form.concealed().item(known, index), at.join(index));
                    self.compare(&known, &none, &new.item(&self.places, index), &at)
                })
            }
            _ => self.compare_members(known, old, new, at),
        }
    }

    fn compare_members(
        &self,
        known: &Known,
        old: &Side<'f, '_>,
        new: &Side<'f, '_>,
        at: &Pointer,
    ) -> Result<(), Lock> {
        let added = new.keys().filter(|key| old.value.and_then(|old| old.get(*key)).is_none());
        for key in old.keys().chain(added) {
            let Some(known) = self.form.concealed().member(known, key) else { continue };
            let (before, after) = (old.member(&self.places, key), new.member(&self.places, key));
            let is_entry_gone = after.value.is_none() && !places::names(&old.set, key);
            if is_entry_gone && !before.is_locked(&self.places) {
                continue;
            }
            self.compare(&known, &before, &after, &at.join(key))?;
        }
        Ok(())
    }

    fn compare_items(
        &self,
        known: &Known,
        old: &Side<'f, '_>,
        new: &Side<'f, '_>,
        at: &Pointer,
    ) -> Result<(), Lock> {
        let after = self.array(new, new.items());
        let pairs = self.pairs(old, &after);
        for (index, (item, pair)) in after.iter().zip(&pairs.old).enumerate() {
            let before = pair.map_or_else(Side::default, |pair| old.item(&self.places, pair));
            let known = self.form.concealed().item(known, index);
            self.compare(&known, &before, item, &at.join(index))?;
        }
        if pairs.is_doubtful { Err(Lock::Items(at.clone())) } else { Ok(()) }
    }
}
