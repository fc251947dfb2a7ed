//! Reading typed fields, with all faults collected.

use serde_json::Value;

use super::{Document, Node};
use crate::json::Problem;

/// Reads one operation; faults and oddities collect while it goes on.
#[derive(Debug)]
pub(super) struct Reader<'d> {
    pub(super) document: &'d Document,
    /// What makes the operation unusable.
    pub(super) problems: Vec<Problem>,
    /// What is wrong without harm.
    pub(super) warnings: Vec<Problem>,
}

impl<'d> Reader<'d> {
    pub(super) fn new(document: &'d Document) -> Self {
        Self { document, problems: Vec::new(), warnings: Vec::new() }
    }

    pub(super) fn problem(&mut self, at: &Node<'_>, message: impl Into<String>) {
        self.problems.push(Problem::new(at.pointer.clone(), message));
    }

    pub(super) fn warn(&mut self, at: &Node<'_>, message: impl Into<String>) {
        self.warnings.push(Problem::new(at.pointer.clone(), message));
    }

    /// Follows references to an object.
    pub(super) fn resolve(&mut self, node: Node<'d>) -> Option<Node<'d>> {
        match self.document.resolve(node) {
            Ok(node) if node.value.is_object() => Some(node),
            Ok(node) => {
                self.problem(&node, "expected an object");
                None
            }
            Err(problem) => {
                self.problems.push(problem);
                None
            }
        }
    }

    /// A member that must be an object.
    pub(super) fn object(&mut self, node: &Node<'d>, key: &str) -> Option<Node<'d>> {
        self.expect(node, key, Value::is_object, "expected an object")
    }

    /// A member that must be a list.
    pub(super) fn list(&mut self, node: &Node<'d>, key: &str) -> Vec<Node<'d>> {
        let list = self.expect(node, key, Value::is_array, "expected a list");
        list.map(|list| list.elements().collect()).unwrap_or_default()
    }

    /// A member that must be text.
    pub(super) fn text(&mut self, node: &Node<'d>, key: &str) -> Option<&'d str> {
        self.expect(node, key, Value::is_string, "expected a string")?.value.as_str()
    }

    /// A member that must be true or false.
    pub(super) fn flag(&mut self, node: &Node<'d>, key: &str) -> Option<bool> {
        self.expect(node, key, Value::is_boolean, "expected true or false")?.value.as_bool()
    }

    /// Text that only informs: another type is reported and ignored.
    pub(super) fn prose(&mut self, node: &Node<'d>, key: &str) -> Option<&'d str> {
        let member = node.present(key)?;
        if !member.value.is_string() {
            self.warn(&member, "expected a string, it is ignored");
        }
        member.value.as_str()
    }

    fn expect(
        &mut self,
        node: &Node<'d>,
        key: &str,
        is_right: fn(&Value) -> bool,
        message: &str,
    ) -> Option<Node<'d>> {
        let member = node.present(key)?;
        if is_right(member.value) {
            return Some(member);
        }
        self.problem(&member, message);
        None
    }
}
