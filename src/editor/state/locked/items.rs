//! Which item of an array is which: what of them is read-only tells.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{Side, places::Places};
use crate::json::Pointer;

/// Items that may be compared one by one when only a part of what is read-only is given.
const MOST_COMPARED: usize = 1000;

/// Items of an array, found again.
#[derive(Debug, Default)]
pub(super) struct Pairs {
    /// For each new item the old one that it is.
    pub(super) old: Vec<Option<usize>>,
    /// Items with read-only values are gone and others without them came.
    pub(super) is_doubtful: bool,
}

/// Read-only values of one item by their places, those of arrays in it left out.
type Marks = Vec<(String, String)>;

/// Finds old items among new ones; those of a tuple are where they were.
pub(super) fn pair<'f>(
    places: &Places<'f>,
    old: &[Side<'f, '_>],
    new: &[Side<'f, '_>],
    is_tuple: bool,
) -> Pairs {
    if is_tuple {
        let pairs = (0..new.len()).map(|index| (index < old.len()).then_some(index)).collect();
        return Pairs { old: pairs, is_doubtful: false };
    }
    let old_marks: Vec<Marks> = old.iter().map(|item| marks(places, item)).collect();
    let new_marks: Vec<Marks> = new.iter().map(|item| marks(places, item)).collect();
    let mut search = Search { pairs: vec![None; new.len()], is_taken: vec![false; old.len()] };
    for index in 0..new.len().min(old.len()) {
        let same = old.get(index).map(|item| item.value) == new.get(index).map(|item| item.value);
        search.take_if(index, index, same);
    }
    let text = |item: &Side<'_, '_>| item.value.map(Value::to_string);
    search.by_key(old.iter().map(text), new.iter().map(text));
    let key = |marks: &Marks| (!marks.is_empty()).then(|| format!("{marks:?}"));
    search.by_key(old_marks.iter().map(key), new_marks.iter().map(key));
    search.by_part(&old_marks, &new_marks);
    if old.len() == new.len() {
        for (index, marks) in new_marks.iter().enumerate() {
            let is_object = new.get(index).and_then(|it| it.value).is_some_and(|it| !it.is_null());
            search.take_if(index, index, marks.is_empty() && is_object);
        }
    }
    let is_left =
        search.is_taken.iter().zip(&old_marks).any(|(taken, it)| !taken && !it.is_empty());
    let mut others = search.pairs.iter().zip(&new_marks);
    let is_doubtful = is_left && others.any(|(pair, marks)| pair.is_none() && marks.is_empty());
    Pairs { old: search.pairs, is_doubtful }
}

struct Search {
    pairs: Vec<Option<usize>>,
    is_taken: Vec<bool>,
}

impl Search {
    /// Makes a new item an old one if both are still alone.
    fn take_if(&mut self, new: usize, old: usize, condition: bool) -> bool {
        let (Some(pair), Some(taken)) = (self.pairs.get_mut(new), self.is_taken.get_mut(old))
        else {
            return false;
        };
        let is_match = condition && pair.is_none() && !*taken;
        if is_match {
            *pair = Some(old);
            *taken = true;
        }
        is_match
    }

    fn by_key(
        &mut self,
        old: impl DoubleEndedIterator<Item = Option<String>> + ExactSizeIterator,
        new: impl Iterator<Item = Option<String>>,
    ) {
        let mut known: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (index, key) in old.enumerate().rev() {
            if let Some(key) = key.filter(|_| self.is_taken.get(index) == Some(&false)) {
                known.entry(key).or_default().push(index);
            }
        }
        for (index, key) in new.enumerate() {
            if self.pairs.get(index) != Some(&None) {
                continue;
            }
            if let Some(old) = key.and_then(|key| known.get_mut(&key)?.pop()) {
                self.take_if(index, old, true);
            }
        }
    }

    /// Items that give some of the read-only values of an old one, the one in their place first.
    fn by_part(&mut self, old: &[Marks], new: &[Marks]) {
        for (index, marks) in new.iter().enumerate().filter(|(_, marks)| !marks.is_empty()) {
            let is_of = |old: &Marks| marks.iter().all(|mark| old.contains(mark));
            let here = old.get(index).is_some_and(is_of);
            if self.pairs.get(index) != Some(&None) || self.take_if(index, index, here) {
                continue;
            }
            for (place, old) in old.iter().enumerate().take(MOST_COMPARED) {
                if self.take_if(index, place, is_of(old)) {
                    break;
                }
            }
        }
    }
}

fn marks<'f>(places: &Places<'f>, item: &Side<'f, '_>) -> Marks {
    let mut found = Vec::new();
    collect(places, item, &Pointer::root(), &mut found);
    found.sort_unstable();
    found
}

fn collect<'f>(places: &Places<'f>, side: &Side<'f, '_>, at: &Pointer, found: &mut Marks) {
    let Some(value) = side.value.filter(|value| !value.is_null()) else { return };
    if side.is_locked(places) {
        found.push((at.to_string(), value.to_string()));
        return;
    }
    for key in side.keys() {
        collect(places, &side.member(places, key), &at.join(key), found);
    }
}
