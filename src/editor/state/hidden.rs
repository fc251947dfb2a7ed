//! What of a document is not for the agent: it is neither shown nor set, and kept as it is.

use serde_json::{Map, Value};

use super::{
    check::{Finding, in_order},
    message::Fault,
    node::StateNode,
};
use crate::editor::layout::{Node, Place};
use crate::json::Pointer;
use crate::tool::Shape;
use crate::tool::graph::{Graph, Nodes};

/// Members of documents that agents neither see nor set.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Hidden {
    /// Those that a schema excludes; node 0 is the document.
    shapes: Vec<Shape>,
    /// Those of the document itself that always have the same value.
    fixed: Map<String, Value>,
}

/// What is known about one place of a document.
#[derive(Debug, Clone, Default)]
pub(in crate::editor) struct Known {
    nodes: Nodes,
    is_root: bool,
    is_hidden: bool,
}

impl Known {
    /// Something that is not for the agent.
    pub(super) fn hidden() -> Self {
        Self { is_hidden: true, ..Self::default() }
    }

    /// Whether it is not for the agent.
    pub(super) fn is_hidden(&self) -> bool {
        self.is_hidden
    }

    fn of(nodes: Nodes) -> Self {
        Self { nodes, ..Self::default() }
    }

    /// Whether nothing is hidden here and below.
    fn is_clear(&self) -> bool {
        self.nodes.is_unknown() && !self.is_root
    }
}

impl Hidden {
    /// What `shapes` exclude, and members with a fixed value.
    pub fn new(shapes: &[Shape], fixed: Option<&Map<String, Value>>) -> Self {
        Self { shapes: shapes.to_vec(), fixed: fixed.cloned().unwrap_or_default() }
    }

    /// Whether this is what [`Hidden::new`] makes of the same.
    pub fn is_of(&self, shapes: &[Shape], fixed: Option<&Map<String, Value>>) -> bool {
        self.shapes == shapes && fixed.map_or(self.fixed.is_empty(), |fixed| self.fixed == *fixed)
    }

    pub(in crate::editor) fn is_empty(&self) -> bool {
        self.shapes.is_empty() && self.fixed.is_empty()
    }

    fn graph(&self) -> Graph<'_> {
        Graph(&self.shapes)
    }

    /// The document.
    pub(in crate::editor) fn root(&self) -> Known {
        Known { is_root: true, ..Known::of(self.graph().root()) }
    }

    /// A member of an object; `None` when it is hidden.
    pub(in crate::editor) fn member(&self, known: &Known, key: &str) -> Option<Known> {
        if known.is_root && self.fixed.contains_key(key) {
            return None;
        }
        let member = self.graph().member(&known.nodes, key, &mut 0);
        (!member.exclude).then_some(Known::of(member.nodes))
    }

    /// An item of an array.
    pub(in crate::editor) fn item(&self, known: &Known, index: usize) -> Known {
        Known::of(self.graph().item(&known.nodes, index))
    }

    /// What the schema has below a place; `None` when it is hidden.
    pub(in crate::editor) fn child(&self, known: &Known, node: &Node) -> Option<Known> {
        match node.place {
            Place::Property => self.member(known, &node.key),
            Place::Index(index) => Some(self.item(known, index)),
            Place::Same | Place::Root => Some(known.clone()),
        }
    }

    /// Any item of an array that is not there yet.
    pub(in crate::editor) fn any_item(&self, known: &Known) -> Known {
        Known::of(self.graph().any_item(&known.nodes))
    }

    /// Gives the fixed members of a document their values.
    pub(super) fn pin(&self, document: &mut Value) {
        let Some(members) = document.as_object_mut() else { return };
        for (key, value) in &self.fixed {
            if members.get(key) != Some(value) {
                members.insert(key.clone(), value.clone());
            }
        }
    }

    /// Takes what is hidden out of a value.
    pub(in crate::editor) fn strip(&self, value: &mut Value, known: &Known) {
        if let (true, Some(members)) = (known.is_root, value.as_object_mut()) {
            members.retain(|key, _| !self.fixed.contains_key(key));
        }
        self.graph().prune(value, &known.nodes);
    }

    /// The place of something hidden in a value, as seen from there.
    pub(in crate::editor) fn first_in(&self, value: &Value, known: &Known) -> Option<Pointer> {
        let mut found = None;
        self.visit(value, known, &Pointer::root(), &mut |place| {
            found.get_or_insert(place);
        });
        found
    }

    fn visit(&self, value: &Value, known: &Known, at: &Pointer, found: &mut dyn FnMut(Pointer)) {
        if known.is_clear() {
            return;
        }
        match value {
            Value::Object(members) => {
                for (key, value) in members {
                    match self.member(known, key) {
                        Some(known) => self.visit(value, &known, &at.join(key), found),
                        None => found(at.join(key)),
                    }
                }
            }
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    let at = at.join(index);
                    self.visit(item, &self.item(known, index), &at, found);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    fn holds(&self, value: &Value, known: &Known) -> bool {
        self.first_in(value, known).is_some()
    }

    /// Puts what was hidden in a value into the one that replaces it. False when it has no place
    /// there: an object is gone, or which item of an array is which is not known. Items that are left
    /// out of an array take what they hide with them.
    pub(in crate::editor) fn carry(&self, old: &Value, new: &mut Value, known: &Known) -> bool {
        if old == new || known.is_clear() {
            return true;
        }
        match (old, new) {
            (Value::Object(old), Value::Object(new)) => old.iter().all(|(key, value)| {
                let Some(known) = self.member(known, key) else {
                    new.entry(key).or_insert_with(|| value.clone());
                    return true;
                };
                match new.get_mut(key) {
                    Some(new) => self.carry(value, new, &known),
                    None => value.is_array() || !self.holds(value, &known),
                }
            }),
            (Value::Array(old), Value::Array(new)) => self.carry_items(old, new, known),
            (Value::Array(_), _) => true,
            (old, _) => !self.holds(old, known),
        }
    }

    /// Items are the same when what is shown of them is.
    fn carry_items(&self, old: &[Value], new: &mut [Value], known: &Known) -> bool {
        // What is shown of items, and which they are.
        let mut shown: Map<String, Value> = Map::new();
        let mut left = 0_usize;
        for (index, item) in old.iter().enumerate() {
            let known = self.item(known, index);
            if self.holds(item, &known) {
                let mut seen = item.clone();
                self.strip(&mut seen, &known);
                let same =
                    shown.entry(seen.to_string()).or_insert_with(|| Vec::<Value>::new().into());
                same.as_array_mut().into_iter().for_each(|same| same.push(index.into()));
                left += 1;
            }
        }
        let mut others = 0;
        for item in new {
            let same = shown.get_mut(&item.to_string()).and_then(Value::as_array_mut);
            let same = same.filter(|same| !same.is_empty()).map(|same| same.remove(0));
            let index = same.and_then(|same| usize::try_from(same.as_u64()?).ok());
            match index.and_then(|index| old.get(index)) {
                Some(old) => {
                    item.clone_from(old);
                    left -= 1;
                }
                None => others += 1,
            }
        }
        left == 0 || others == 0
    }

    /// Takes what is hidden out of a state.
    pub(super) fn conceal(&self, node: &mut StateNode<'_>) {
        node.children.retain(|child| !child.known.is_hidden());
        if let Some(data) = node.data.as_deref()
            && self.holds(data, &node.known)
        {
            let mut seen = data.clone();
            self.strip(&mut seen, &node.known);
            node.data = Some(std::borrow::Cow::Owned(seen));
        }
        for child in &mut node.children {
            self.conceal(child);
        }
    }

    /// The findings, with those about something hidden told of what holds it.
    pub(super) fn retell(&self, findings: &[Finding], document: &Value) -> Vec<Finding> {
        let told = findings.iter().map(|finding| match self.around(finding, document) {
            None => finding.clone(),
            Some(at) => Finding {
                at,
                schema: String::new(),
                fault: Fault::Hidden,
                words: None,
                branches: finding.branches.clone(),
            },
        });
        let mut told: Vec<_> = told.collect();
        in_order(&mut told);
        told
    }

    /// The shown place around something hidden that a finding is about.
    fn around(&self, finding: &Finding, document: &Value) -> Option<String> {
        let (mut known, mut at, mut value) = (self.root(), Pointer::root(), Some(document));
        let named = match &finding.fault {
            Fault::Required(key) | Fault::Unexpected(key) => Some(key.clone()),
            _ => None,
        };
        let segments = finding.at.split('/').skip(1);
        let segments = segments.map(|segment| segment.replace("~1", "/").replace("~0", "~"));
        for key in segments.chain(named) {
            let index = value.filter(|value| value.is_array()).and_then(|_| key.parse().ok());
            known = match index {
                Some(index) => self.item(&known, index),
                None => match self.member(&known, &key) {
                    Some(known) => known,
                    None => return Some(at.to_string()),
                },
            };
            value = value.and_then(|value| match index {
                Some(index) => value.get(index),
                None => value.get(&key),
            });
            at = at.join(&key);
        }
        None
    }
}
