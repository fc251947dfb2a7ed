//! Composites, lists and unions: what is below a node.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::{
    Activation,
    build::{Builder, Datum, Spot},
    check::Finding,
    hidden::Known,
    message::Fault,
    node::StateNode,
    value::{is_empty, merge_changes, put, remove},
};
use crate::{
    editor::layout::{Condition, EditMode, Mode, Node, Place, Removal, Type},
    json::Pointer,
};

impl<'s> Builder<'s> {
    /// The fields of a composite.
    pub(super) fn composite(
        &mut self,
        built: &mut StateNode<'s>,
        spot: Spot<'_>,
        data: Option<&'s Value>,
    ) -> Datum<'s> {
        let mut changed = None;
        for child in &built.component.children {
            let node = self.layout.node(child.node);
            let shown = child.condition.as_ref().is_none_or(|condition| {
                condition.holds(&self.scope(&Spot { parent: spot.parent, ..spot }, data))
            });
            if !shown || !self.is_part(node, data) || is_left_out(built.node, node, &spot) {
                continue;
            }
            let child = self.child(child.node, node, &spot, data);
            self.take_over(&child, built.node, data, &mut changed);
            built.children.push(child);
        }
        self.drop_other_branch(built.node, data, &mut changed);
        self.clean(built, data, &mut changed);
        changed.map(Cow::Owned).or(data.map(Cow::Borrowed))
    }

    /// A leaf's own value, without members that the schema forbids.
    pub(super) fn cleaned(&self, built: &StateNode<'s>, data: Option<&'s Value>) -> Datum<'s> {
        let mut changed = None;
        if built.is_visible() {
            self.clean(built, data, &mut changed);
        }
        changed.map(Cow::Owned).or(data.map(Cow::Borrowed))
    }

    fn child(
        &mut self,
        id: crate::editor::layout::NodeId,
        node: &'s Node,
        spot: &Spot<'_>,
        data: Option<&'s Value>,
    ) -> StateNode<'s> {
        let path = [spot.path, "/", &node.key].concat();
        let (data_path, data) = match node.place {
            Place::Property => {
                (below(spot.data_path, &node.key), data.and_then(|d| d.get(&node.key)))
            }
            Place::Index(index) => {
                (below(spot.data_path, &index.to_string()), data.and_then(|d| d.get(index)))
            }
            Place::Same | Place::Root => (spot.data_path.to_owned(), self.shared(node, data)),
        };
        let known = self.form.concealed().child(spot.known, node);
        let known = known.unwrap_or_else(Known::hidden);
        let spot =
            Spot { key: &node.key, path: &path, data_path: &data_path, known: &known, ..*spot };
        self.node(id, spot, data)
    }

    /// What a node that shares its parent's data works on: an object, even where there is none.
    fn shared(&self, node: &Node, data: Option<&'s Value>) -> Option<&'s Value> {
        match data {
            None | Some(Value::Null) if node.data_type != Some(Type::Array) => {
                Some(&self.form.empty)
            }
            data => data,
        }
    }

    /// Puts what became of a child's value into the parent's.
    fn take_over(
        &self,
        child: &StateNode<'s>,
        node: &Node,
        data: Option<&'s Value>,
        changed: &mut Option<Value>,
    ) {
        let own =
            || data.filter(|data| !data.is_null()).cloned().unwrap_or_else(|| container(node));
        if child.shares_data() {
            let before = self.shared(child.node, data).unwrap_or(&self.form.empty);
            let after = child.value();
            let is_same = after.map_or(is_empty(Some(before)), |after| after == before);
            if !is_same {
                merge_changes(changed.get_or_insert_with(own), before, after);
            }
            return;
        }
        let before = match child.node.place {
            Place::Index(index) => data.and_then(|data| data.get(index)),
            _ => data.and_then(|data| data.get(&child.node.key)),
        };
        if child.value() != before {
            put(changed.get_or_insert_with(own), &child.key, child.value().cloned());
        }
    }

    /// Whether a conditional part of the schema applies.
    fn is_part(&self, node: &Node, data: Option<&Value>) -> bool {
        let data = data.unwrap_or(&self.form.empty);
        match &node.condition {
            None => true,
            Some(Condition::Present(key)) => data.get(key).is_some(),
            Some(Condition::Valid(pointer)) => self.form.accepts(pointer, data),
            Some(Condition::Invalid(pointer)) => !self.form.accepts(pointer, data),
        }
    }

    /// Removes what only the other branch of a condition knows.
    fn drop_other_branch(&self, node: &Node, data: Option<&'s Value>, changed: &mut Option<Value>) {
        let branch = |key: &str| {
            let mut nodes = node.children.iter().map(|id| self.layout.node(*id));
            nodes.find(|node| node.key == key)
        };
        let (Some(then), Some(otherwise)) = (branch("$then"), branch("$else")) else { return };
        let (gone, there) =
            if self.is_part(then, data) { (otherwise, then) } else { (then, otherwise) };
        let elsewhere = |key: &String| {
            there.property_keys.contains(key)
                || node.children.iter().any(|id| {
                    let node = self.layout.node(*id);
                    node.place == Place::Property && node.key == *key
                })
        };
        for key in gone.property_keys.iter().filter(|key| !elsewhere(key)) {
            drop_key(data, changed, key);
        }
    }

    /// Removes members that the schema forbids, and from a map those that no pattern allows, unless the
    /// schema says what others may be.
    fn clean(&self, built: &StateNode<'s>, data: Option<&'s Value>, changed: &mut Option<Value>) {
        let removal = built.component.options.removal;
        let Some(Value::Object(members)) = data else { return };
        if removal == Some(Removal::Never) {
            return;
        }
        for finding in self.findings_at(&built.data_path) {
            if let Fault::Unexpected(key) = &finding.fault
                && built.node.pointers.contains(&finding.schema)
                && !self.is_inactive(finding)
            {
                drop_key(data, changed, key);
            }
        }
        let patterns = self.patterns(built.node);
        let is_unknown = |key: &&String| {
            !built.node.property_keys.contains(*key)
                && !patterns.iter().any(|pattern| self.form.matches(pattern, key))
        };
        let is_map = !patterns.is_empty() && !self.allows_others(built.node);
        if is_map || removal == Some(Removal::Unknown) {
            for key in members.keys().filter(is_unknown) {
                drop_key(data, changed, key);
            }
        }
    }

    /// Whether the schema of a node says what other members may be.
    fn allows_others(&self, node: &Node) -> bool {
        let schemas = node.pointers.iter().filter_map(|at| self.layout.schema().pointer(at));
        let others = schemas.filter_map(|schema| schema.get("additionalProperties"));
        others.into_iter().any(|others| *others != Value::Bool(false))
    }

    /// Patterns of the map that an object is.
    fn patterns(&self, node: &Node) -> Vec<&'s str> {
        let map = node.children.iter().map(|id| self.layout.node(*id));
        let map = map.filter(|node| node.key == "$patternProperties");
        let trees = map.flat_map(|map| map.trees.iter().map(|tree| self.layout.tree(*tree)));
        trees.filter_map(|tree| tree.pattern.as_deref()).collect()
    }

    /// The findings at a place of the document.
    fn findings_at(&self, at: &str) -> impl Iterator<Item = &'s Finding> {
        let start = self.findings.partition_point(|finding| finding.at.as_str() < at);
        let rest = self.findings.get(start..).unwrap_or_default();
        rest.iter().take_while(move |finding| finding.at == at)
    }

    /// Whether a finding is about a variant that is not chosen.
    fn is_inactive(&self, finding: &Finding) -> bool {
        finding.branches.iter().any(|branch| {
            self.around.iter().any(|(at, union, active)| {
                branch.at == *at && is_of(union, &branch.schema) && branch.index != *active
            })
        })
    }

    /// The active variant of a union.
    pub(super) fn union(
        &mut self,
        built: &mut StateNode<'s>,
        spot: Spot<'_>,
        data: Option<&'s Value>,
    ) -> Datum<'s> {
        let Some((index, explicit)) = self.variant(built, data) else {
            return data.map(Cow::Borrowed);
        };
        let Some(tree) = built.node.trees.get(index).map(|id| self.layout.tree(*id)) else {
            return data.map(Cow::Borrowed);
        };
        self.resolved.push(Activation { path: built.path.clone(), index, explicit });
        built.active = Some(index);
        self.around.push((spot.data_path.to_owned(), built.node, index));
        let key = index.to_string();
        let path = [spot.path, "/", &key].concat();
        let child = self.node(tree.root, Spot { key: &key, path: &path, ..spot }, data);
        self.around.pop();
        let data = child.data.clone();
        built.children.push(child);
        data
    }

    /// Which variant is active: the chosen one, else the one that the tag names, else the first
    /// that fits. New data chooses again.
    fn variant(&self, built: &StateNode<'s>, data: Option<&Value>) -> Option<(usize, bool)> {
        let node = built.node;
        let stored = self.activated.iter().find(|activation| activation.path == built.path);
        let stored = stored.filter(|activation| activation.index < node.trees.len());
        let is_replaced = self.replaced.is_some_and(|path| is_within(&built.path, path));
        if let Some(stored) = stored.filter(|_| !is_replaced) {
            return Some((stored.index, stored.explicit));
        }
        let trees = || node.trees.iter().map(|id| self.layout.tree(*id));
        let tag = node.discriminator.as_ref().and_then(|key| data?.get(key));
        let tagged = tag.and_then(|tag| trees().position(|tree| tree.tag.as_ref() == Some(tag)));
        let fits = || {
            let data = data?;
            trees().position(|tree| self.form.accepts(&tree.pointer, data))
        };
        let found = tagged.or_else(fits).or_else(|| stored.map(|stored| stored.index));
        found.map(|index| (index, false))
    }

    /// The items of a list, or the entries of a map.
    pub(super) fn list(
        &mut self,
        built: &mut StateNode<'s>,
        spot: Spot<'_>,
        data: Option<&'s Value>,
    ) -> Datum<'s> {
        let mut changed = None;
        match data {
            Some(Value::Array(items)) => {
                built.active = self.opened(&built.path, items.len());
                for (index, item) in items.iter().enumerate() {
                    self.item(built, &spot, (&index.to_string(), index), item, data, &mut changed);
                }
            }
            Some(Value::Object(members)) => {
                for (index, (key, value)) in members.iter().enumerate() {
                    self.item(built, &spot, (key, index), value, data, &mut changed);
                }
            }
            _ => {}
        }
        changed.map(Cow::Owned).or(data.map(Cow::Borrowed))
    }

    fn opened(&mut self, path: &str, count: usize) -> Option<usize> {
        let opened = self.activated.iter().find(|activation| activation.path == path)?;
        let opened = Some(opened).filter(|opened| opened.index < count)?;
        self.resolved.push(opened.clone());
        Some(opened.index)
    }

    fn item(
        &mut self,
        built: &mut StateNode<'s>,
        spot: &Spot<'_>,
        (key, index): (&str, usize),
        data: &'s Value,
        whole: Option<&'s Value>,
        changed: &mut Option<Value>,
    ) {
        let is_map = whole.is_some_and(Value::is_object);
        let tree = built.node.trees.iter().map(|id| self.layout.tree(*id)).find(|tree| {
            tree.pattern.as_ref().is_none_or(|pattern| self.form.matches(pattern, key))
                && is_map == tree.pattern.is_some()
        });
        let Some(tree) = tree.filter(|_| self.left > 0) else { return };

        let mode = built.component.list.as_ref().map_or(EditMode::Inline, |list| list.edit_mode);
        let is_open = is_map || mode == EditMode::Inline || built.active == Some(index);
        let hidden = self.form.concealed();
        let known = if is_map {
            hidden.member(spot.known, key)
        } else {
            Some(hidden.item(spot.known, index))
        };
        let known = known.unwrap_or_else(Known::hidden);
        let spot = Spot {
            known: &known,
            key,
            path: &[spot.path, "/", key].concat(),
            data_path: &below(spot.data_path, key),
            summary: spot.summary || !is_open,
            is_item: true,
            ..*spot
        };
        let item = self.node(tree.root, spot, Some(data));
        if item.value() != Some(data) {
            let value = item.value().cloned().or((!is_map).then_some(Value::Null));
            put(changed.get_or_insert_with(|| whole.cloned().unwrap_or_default()), key, value);
        }
        built.children.push(item);
    }
}

fn is_left_out(parent: &Node, node: &Node, spot: &Spot<'_>) -> bool {
    matches!(spot.options.read_only_properties, Some(Mode::Hide | Mode::Remove))
        && parent.read_only_keys.contains(&node.key)
}

/// Whether a pointer is that of a union or of its keyword.
pub(super) fn is_of(union: &Node, keyword: &str) -> bool {
    union.pointers.iter().any(|pointer| {
        keyword
            .strip_prefix(pointer.as_str())
            .is_some_and(|rest| rest.is_empty() || rest == "/oneOf")
    })
}

/// Whether a path is another one or below it.
pub(in crate::editor) fn is_within(path: &str, outer: &str) -> bool {
    path.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// JSON Pointer of a member.
pub(super) fn below(data_path: &str, key: &str) -> String {
    [data_path, Pointer::root().join(key).as_str()].concat()
}

fn container(node: &Node) -> Value {
    if node.data_type == Some(Type::Array) {
        Value::Array(Vec::new())
    } else {
        Value::Object(Map::new())
    }
}

fn drop_key(data: Option<&Value>, changed: &mut Option<Value>, key: &str) {
    let is_there = changed.as_ref().or(data).is_some_and(|value| value.get(key).is_some());
    if !is_there {
        return;
    }
    let changed = changed.get_or_insert_with(|| data.cloned().unwrap_or_default());
    if let Value::Object(members) = changed {
        remove(members, key);
    }
}
