//! The walk over all places of a document, one object or array at a time.

use hashbrown::HashSet;
use serde_json::{Value, map, value::Value::Object};

use super::{
    super::KEY,
    place::{Annotation, Kind, Place},
};
use crate::json::Pointer;

/// A depth-first walk in document order that needs no recursion.
///
/// It follows the structure of the specification. What only a local `$ref` reaches (definitions in
/// a place that the specification does not know) is walked afterwards, every object once.
#[derive(Debug)]
pub(super) struct Walk<'d> {
    document: &'d Value,
    /// From the document, or from the target of a reference, down to the current object.
    frames: Vec<Frame<'d>>,
    base: Pointer,
    /// Targets of references outside the structure, and what they are expected to be.
    targets: Vec<(&'d str, Kind)>,
    /// Addresses of the objects walked as such targets.
    visited: HashSet<usize>,
}

/// One visit.
#[derive(Debug)]
pub(super) enum Found<'d> {
    /// An object or array without an annotation of its own.
    Nothing,
    /// An annotation, and what it means at its place.
    Annotation { value: &'d Value, pointer: Pointer, place: Option<Annotation> },
}

#[derive(Debug)]
struct Frame<'d> {
    value: &'d Value,
    place: Place,
    segment: Segment<'d>,
    members: Members<'d>,
}

#[derive(Debug, Clone, Copy)]
enum Segment<'d> {
    /// The start of a walk.
    Start,
    Key(&'d str),
    Index(usize),
}

#[derive(Debug)]
enum Members<'d> {
    Of(map::Iter<'d>),
    Items(std::iter::Enumerate<std::slice::Iter<'d, Value>>),
}

impl<'d> Walk<'d> {
    pub(super) fn new(document: &'d Value) -> Self {
        let mut walk = Self {
            document,
            frames: Vec::new(),
            base: Pointer::root(),
            targets: Vec::new(),
            visited: HashSet::new(),
        };
        walk.frames.extend(Frame::new(document, Place::One(Kind::Document), Segment::Start));
        walk
    }

    /// The next visit; `None` at the end.
    pub(super) fn next(&mut self) -> Option<Found<'d>> {
        let Some(frame) = self.frames.last_mut() else { return self.next_target() };
        match frame.next() {
            None => drop(self.frames.pop()),
            Some(Step::Enter(child)) => self.enter(child),
            Some(Step::Annotation(value, place)) => {
                return Some(Found::Annotation { value, pointer: self.pointer().join(KEY), place });
            }
            Some(Step::Reference(target, kind)) => self.refer(target, kind),
            Some(Step::Skip) => {}
        }
        Some(Found::Nothing)
    }

    fn enter(&mut self, frame: Frame<'d>) {
        let within_target = self.base != Pointer::root();
        if !within_target || self.visited.insert(std::ptr::from_ref(frame.value).addr()) {
            self.frames.push(frame);
        }
    }

    fn refer(&mut self, target: &'d str, kind: Kind) {
        if !reached(self.document, target) {
            self.targets.push((target, kind));
        }
    }

    fn next_target(&mut self) -> Option<Found<'d>> {
        let (target, kind) = self.targets.pop()?;
        if let Some(value) = self.document.pointer(target) {
            self.base = pointer(target);
            if let Some(frame) = Frame::new(value, Place::One(kind), Segment::Start) {
                self.enter(frame);
            }
        }
        Some(Found::Nothing)
    }

    /// The place of the current object.
    fn pointer(&self) -> Pointer {
        self.frames.iter().fold(self.base.clone(), |pointer, frame| match frame.segment {
            Segment::Start => pointer,
            Segment::Key(key) => pointer.join(key),
            Segment::Index(index) => pointer.join(index),
        })
    }
}

/// Whether the walk over the structure of the document comes to `target`.
fn reached(document: &Value, target: &str) -> bool {
    let mut at = Some((document, Place::One(Kind::Document)));
    for segment in segments(target) {
        at = at.and_then(|(value, place)| {
            let child = place.child(value, &segment)?;
            Some((Pointer::root().join(&segment).get(value)?, child))
        });
    }
    at.is_some()
}

fn segments(pointer: &str) -> impl Iterator<Item = String> {
    pointer.split('/').skip(1).map(|segment| segment.replace("~1", "/").replace("~0", "~"))
}

fn pointer(text: &str) -> Pointer {
    segments(text).fold(Pointer::root(), |pointer, segment| pointer.join(segment))
}

enum Step<'d> {
    Enter(Frame<'d>),
    Annotation(&'d Value, Option<Annotation>),
    /// A JSON Pointer into the same document.
    Reference(&'d str, Kind),
    Skip,
}

impl<'d> Frame<'d> {
    /// A frame for an object or array; other values have no members.
    fn new(value: &'d Value, place: Place, segment: Segment<'d>) -> Option<Self> {
        let members = match value {
            Object(map) => Members::Of(map.iter()),
            Value::Array(items) => Members::Items(items.iter().enumerate()),
            _ => return None,
        };
        Some(Self { value, place, segment, members })
    }

    fn next(&mut self) -> Option<Step<'d>> {
        let (segment, value) = match &mut self.members {
            Members::Of(members) => {
                members.next().map(|(key, value)| (Segment::Key(key), value))?
            }
            Members::Items(items) => {
                items.next().map(|(index, value)| (Segment::Index(index), value))?
            }
        };
        Some(self.member(segment, value))
    }

    fn member(&self, segment: Segment<'d>, value: &'d Value) -> Step<'d> {
        match (self.place, segment, value) {
            (Place::One(kind), Segment::Key(KEY), _) => {
                return Step::Annotation(value, kind.annotation());
            }
            (Place::One(kind), Segment::Key("$ref"), Value::String(target)) => {
                let pointer = target.strip_prefix('#').filter(|pointer| pointer.starts_with('/'));
                return pointer.map_or(Step::Skip, |pointer| Step::Reference(pointer, kind));
            }
            _ => {}
        }
        let key = if let Segment::Key(key) = segment { key } else { "" };
        let child = self.place.child(self.value, key);
        child.and_then(|place| Frame::new(value, place, segment)).map_or(Step::Skip, Step::Enter)
    }
}
