//! How the number of violations grows with the depth of a document.
//!
//! Listing them visits every branch of every union. Where a union is part of its own branches, that
//! multiplies per level.

use serde_json::Value;

use super::{check::depth, form::is_union};
use crate::editor::layout::{Layout, Node, NodeId, Type};

/// Most branches that are visited for one document.
const MAX_VISITS: usize = 200_000;
/// Nodes looked at to find out what contains itself.
const MAX_NODES: usize = 2_000_000;

/// What the recursive unions of a form multiply by.
#[derive(Debug, Clone, Copy)]
pub(super) struct Growth {
    /// Most branches of a union that contain it again.
    factor: usize,
    /// Levels of a document from a union to itself, at least.
    levels: usize,
}

impl Growth {
    /// Looks at all unions of a form.
    pub(super) fn of(layout: &Layout) -> Self {
        let mut growth = Self { factor: 1, levels: 2 };
        if !layout.nodes().iter().any(|node| node.recursive) {
            return growth;
        }
        let mut search = Search { seen: vec![0; layout.nodes().len()], round: 0, left: MAX_NODES };
        for union in layout.nodes().iter().filter(|node| is_union(node)) {
            let roots = || union.trees.iter().map(|id| layout.tree(*id).root);
            let again = roots().filter(|root| search.reaches(layout, *root, union, true)).count();
            growth.factor = growth.factor.max(again);
            if again > 0 && roots().any(|root| search.reaches(layout, root, union, false)) {
                growth.levels = 1;
            }
        }
        growth
    }

    /// Whether all violations of a document can be listed.
    pub(super) fn allows(self, document: &Value) -> bool {
        let levels = u32::try_from(depth(document) / self.levels).unwrap_or(u32::MAX);
        self.factor.checked_pow(levels).is_some_and(|visits| visits <= MAX_VISITS)
    }
}

/// A search through the nodes of a form.
struct Search {
    /// The round that a node was last seen in.
    seen: Vec<u32>,
    round: u32,
    left: usize,
}

impl Search {
    /// Whether a union is below a node, or below it without an array in between. Yes when that takes
    /// too long to find out.
    fn reaches(
        &mut self,
        layout: &Layout,
        from: NodeId,
        union: &Node,
        through_arrays: bool,
    ) -> bool {
        self.round += 1;
        let mut open = vec![from];
        while let Some(id) = open.pop() {
            let node = layout.node(id);
            if is_union(node) && node.pointers.last() == union.pointers.last() {
                return true;
            }
            let passes = through_arrays || node.data_type != Some(Type::Array);
            if !passes || !self.is_new(id) {
                continue;
            }
            if self.left == 0 {
                return true;
            }
            self.left -= 1;
            open.extend(&node.children);
            open.extend(node.trees.iter().map(|id| layout.tree(*id).root));
        }
        false
    }

    fn is_new(&mut self, id: NodeId) -> bool {
        let round = self.round;
        self.seen.get_mut(id.index()).is_some_and(|seen| std::mem::replace(seen, round) != round)
    }
}
