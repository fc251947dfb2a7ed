//! One node of the state.

use std::borrow::Cow;

use serde_json::Value;

use super::hidden::Known;
use crate::editor::layout::{Component, Kind, Node, NodeId, Place};

/// A node of the form as it is with one document.
#[derive(Debug)]
pub(in crate::editor) struct StateNode<'s> {
    /// The node of the layout.
    pub(in crate::editor) id: NodeId,
    /// The node of the layout.
    pub(in crate::editor) node: &'s Node,
    /// How it is presented; hidden when no case applies.
    pub(in crate::editor) component: &'s Component,
    /// Segment of the path.
    pub(in crate::editor) key: String,
    /// Path in the form; empty for the root.
    pub(in crate::editor) path: String,
    /// JSON Pointer into the document.
    pub(in crate::editor) data_path: String,
    /// The value; `None` when there is none.
    pub(in crate::editor) data: Option<Cow<'s, Value>>,
    /// What is below it: fields, items, the active variant.
    pub(in crate::editor) children: Vec<StateNode<'s>>,
    /// Index of the active variant of a union, or of the opened item of a list.
    pub(in crate::editor) active: Option<usize>,
    /// Must not be written.
    pub(in crate::editor) read_only: bool,
    /// An item of a list that is not opened, or below one.
    pub(in crate::editor) summary: bool,
    /// Where the values to choose from come from.
    pub(in crate::editor) items: Source<'s>,
    /// What is wrong, if it is known here.
    pub(in crate::editor) error: Option<NodeError>,
    /// Differs from the saved document.
    pub(in crate::editor) modified: bool,
    /// What is known to be hidden here and below.
    pub(in crate::editor) known: Known,
}

/// What is wrong with a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::editor) struct NodeError {
    /// Which finding.
    pub(in crate::editor) finding: usize,
    /// It is about a value below the node's, which has no node of its own.
    pub(in crate::editor) deeper: bool,
}

/// The values that a field is chosen from, as far as they are known.
#[derive(Debug, Clone, Default, PartialEq)]
pub(in crate::editor) enum Source<'s> {
    /// It is not chosen from a list.
    #[default]
    None,
    /// They are known from the schema.
    Fixed(&'s [crate::editor::layout::Item]),
    /// An expression made them.
    List(Vec<Value>),
    /// They are fetched.
    Url(Remote),
    /// The expression that makes them or their URL has no value yet.
    Blocked {
        /// Its text.
        expression: String,
        /// The names of what is not set, if it is a path.
        unset: Vec<String>,
    },
    /// A value in their URL would lead to another place; the text of its expression.
    Astray(String),
}

/// Where items are fetched from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::editor) struct Remote {
    /// URL as the schema writes it, templates put in.
    pub(in crate::editor) url: String,
    /// Query parameters to set.
    pub(in crate::editor) params: Vec<(String, String)>,
    /// Header fields to send.
    pub(in crate::editor) headers: Vec<(String, String)>,
}

impl<'s> StateNode<'s> {
    /// Whether agents see it.
    pub(in crate::editor) fn is_visible(&self) -> bool {
        self.component.kind != Kind::None
    }

    /// Whether it is written through its path: shown, or of no type that would decide how to show it.
    pub(in crate::editor) fn is_writable(&self) -> bool {
        !self.read_only
            && (self.is_visible()
                || (self.node.data_type.is_none() && self.node.constant.is_none()))
    }

    /// Whether it shares the data of what encloses it.
    pub(in crate::editor) fn shares_data(&self) -> bool {
        self.node.place == Place::Same
    }

    /// The value.
    pub(in crate::editor) fn value(&self) -> Option<&Value> {
        self.data.as_deref()
    }

    /// Calls `visit` for this node and all below it, from the top down.
    pub(in crate::editor) fn walk<'n>(&'n self, visit: &mut dyn FnMut(&'n StateNode<'s>)) {
        visit(self);
        for child in &self.children {
            child.walk(visit);
        }
    }

    /// The node at a path of the form.
    pub(in crate::editor) fn find(&self, path: &str) -> Option<&StateNode<'s>> {
        if self.path == path {
            return Some(self);
        }
        let below = |child: &&StateNode<'s>| {
            path.strip_prefix(&child.path)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        self.children.iter().filter(below).find_map(|child| child.find(path))
    }
}
