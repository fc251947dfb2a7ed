//! How the number of violations grows with the depth of a document.
//!
//! Listing them visits every branch of every union. Where a union is part of its own branches, that
//! multiplies per level.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{check::depth, form::is_union};
use crate::editor::layout::{Layout, Node, NodeId, Type};

/// Most branches that are visited for one document.
const MAX_VISITS: usize = 200_000;
/// Nodes looked at to find out what contains itself.
const MAX_NODES: usize = 200_000;

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
        let mut left = MAX_NODES;
        let mut growth = Self { factor: 1, levels: 2 };
        for union in layout.nodes().iter().filter(|node| is_union(node)) {
            let roots = union.trees.iter().map(|id| layout.tree(*id).root);
            let mut reaches = |arrays| {
                let recursive = roots.clone();
                recursive.filter(|root| reaches(layout, *root, union, arrays, &mut left)).count()
            };
            growth.factor = growth.factor.max(reaches(true));
            if reaches(false) > 0 {
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

/// Whether a union is below a node, or below it without an array in between. Yes when that takes too
/// long to find out.
fn reaches(
    layout: &Layout,
    from: NodeId,
    union: &Node,
    through_arrays: bool,
    left: &mut usize,
) -> bool {
    let mut seen = BTreeSet::new();
    let mut open = vec![from];
    while let Some(id) = open.pop() {
        let node = layout.node(id);
        if is_union(node) && node.pointers.last() == union.pointers.last() {
            return true;
        }
        let passes = through_arrays || node.data_type != Some(Type::Array);
        if !passes || !seen.insert(id) {
            continue;
        }
        *left = left.saturating_sub(1);
        if *left == 0 {
            return true;
        }
        open.extend(&node.children);
        open.extend(node.trees.iter().map(|id| layout.tree(*id).root));
    }
    false
}
