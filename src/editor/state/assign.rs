//! Which node tells about which violation.

use std::collections::BTreeMap;

use super::{
    check::Finding,
    compose::{is_of, is_within},
    message::Fault,
    node::{NodeError, StateNode},
};
use crate::editor::layout::{Kind, Node, Place};

/// Violations that no node tells about yet.
struct Pool<'f> {
    findings: &'f [Finding],
    taken: Vec<bool>,
    unions: BTreeMap<String, Vec<(&'f Node, usize)>>,
}

/// Gives every violation to the node that it is about, or to the nearest one around it. Answers
/// which violations are those of variants that are not chosen.
pub(super) fn assign<'s: 'f, 'f>(root: &mut StateNode<'s>, findings: &'f [Finding]) -> Vec<bool> {
    if findings.is_empty() {
        return Vec::new();
    }
    let mut unions: BTreeMap<String, Vec<(&'f Node, usize)>> = BTreeMap::new();
    active_unions(root, &mut unions);
    let mut pool = Pool { findings, taken: vec![false; findings.len()], unions };
    let inactive = pool.drop_inactive();
    pool.claim(root, "");
    for index in 0..findings.len() {
        if pool.taken.get(index) == Some(&false)
            && let Some(finding) = findings.get(index)
        {
            leave(root, finding, index);
        }
    }
    inactive
}

fn active_unions<'s: 'f, 'f>(
    node: &StateNode<'s>,
    unions: &mut BTreeMap<String, Vec<(&'f Node, usize)>>,
) {
    if let (Kind::OneOfSelect, Some(active)) = (node.component.kind, node.active) {
        unions.entry(node.data_path.clone()).or_default().push((node.node, active));
    }
    for child in &node.children {
        active_unions(child, unions);
    }
}

impl Pool<'_> {
    /// Leaves out what is wrong with variants that are not chosen, and that the union as a whole
    /// fails when one is.
    fn drop_inactive(&mut self) -> Vec<bool> {
        let mut inactive = Vec::with_capacity(self.findings.len());
        for (taken, finding) in self.taken.iter_mut().zip(self.findings) {
            let active = |at: &str, schema: &str| {
                let there = self.unions.get(at).into_iter().flatten();
                there.filter(|(union, _)| is_of(union, schema)).map(|(_, index)| *index).next()
            };
            let other = finding.branches.iter().any(|branch| {
                active(&branch.at, &branch.schema).is_some_and(|index| index != branch.index)
            });
            let whole = finding.fault == Fault::Alternatives
                && active(&finding.at, &finding.schema).is_some();
            *taken = other || whole;
            inactive.push(other);
        }
        inactive
    }

    fn claim(&mut self, node: &mut StateNode<'_>, parent: &str) {
        let own = node.data_path.clone();
        for child in &mut node.children {
            self.claim(child, &own);
        }
        if node.is_visible() {
            node.error = self.missing(node, parent).or_else(|| self.of(node));
        }
    }

    /// The parent lacks this node's value.
    fn missing(&mut self, node: &StateNode<'_>, parent: &str) -> Option<NodeError> {
        if node.node.place != Place::Property {
            return None;
        }
        let mut found = None;
        for index in self.range(parent, false) {
            let is_it = self.findings.get(index).is_some_and(
                |finding| matches!(&finding.fault, Fault::Required(key) if *key == node.key),
            );
            if is_it && self.take(index) {
                found = found.or(Some(NodeError { finding: index, deeper: false }));
            }
        }
        found
    }

    fn of(&mut self, node: &StateNode<'_>) -> Option<NodeError> {
        let is_whole = node.component.kind.is_composite() || node.component.kind == Kind::Slot;
        let found: Vec<usize> = self.range(&node.data_path, !is_whole).collect();
        let free: Vec<usize> = found
            .into_iter()
            .filter(|index| self.taken.get(*index) == Some(&false))
            .filter(|index| self.findings.get(*index).is_some_and(|f| is_about(node, f, is_whole)))
            .collect();
        let at_it = |index: &&usize| {
            self.findings.get(**index).is_some_and(|finding| finding.at == node.data_path)
        };
        let first = free.iter().find(at_it).copied();
        let index = first.or(free.last().copied())?;
        let deeper = first.is_none();
        if is_whole {
            self.take(index);
        } else {
            for index in free {
                self.take(index);
            }
        }
        Some(NodeError { finding: index, deeper })
    }

    /// The findings at a place, or also those below it; they are in the order of their places.
    fn range(&self, at: &str, below: bool) -> std::ops::Range<usize> {
        let start = self.findings.partition_point(|finding| finding.at.as_str() < at);
        let rest = self.findings.get(start..).unwrap_or_default();
        let count = rest.iter().take_while(|finding| {
            if below { finding.at.starts_with(at) } else { finding.at == at }
        });
        start..start + count.count()
    }

    fn take(&mut self, index: usize) -> bool {
        self.taken.get_mut(index).is_some_and(|taken| !std::mem::replace(taken, true))
    }
}

/// Whether a violation is about a node: at its place of the schema, or anywhere below a leaf.
fn is_about(node: &StateNode<'_>, finding: &Finding, is_whole: bool) -> bool {
    let pointers = &node.node.pointers;
    let is_at = finding.at == node.data_path;
    if is_whole {
        return is_at && pointers.contains(&finding.schema);
    }
    if !is_within(&finding.at, &node.data_path) {
        return false;
    }
    if !node.shares_data() {
        return true;
    }
    is_of(node.node, &finding.schema)
        || finding.branches.iter().any(|b| b.at == node.data_path && is_of(node.node, &b.schema))
        || pointers.iter().any(|pointer| is_within(&finding.schema, pointer))
}

/// Leaves a violation with the nearest composite around it that has none.
fn leave(node: &mut StateNode<'_>, finding: &Finding, index: usize) -> bool {
    let is_around = node.is_visible() && is_within(&finding.at, &node.data_path);
    if !is_around {
        return false;
    }
    if node.children.iter_mut().any(|child| !child.shares_data() && leave(child, finding, index)) {
        return true;
    }
    if node.component.kind.is_composite() && node.error.is_none() {
        node.error = Some(NodeError {
            finding: index,
            deeper: finding.at != node.data_path || matches!(finding.fault, Fault::Required(_)),
        });
    }
    true
}
