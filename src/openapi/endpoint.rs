//! Endpoints: the methods of every path, without what is behind them.

use serde_json::{Map, Value};

use super::{Document, Node, Version};
use crate::json::Problem;

const METHODS: [&str; 8] = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

/// One method of one path.
#[derive(Debug, Clone)]
pub struct Endpoint<'d> {
    /// HTTP method as sent; upper case except for `additionalOperations`, which keep their spelling.
    pub method: String,
    /// Key of `paths`.
    pub path: &'d str,
    /// Place of the Operation Object, behind references.
    pub pointer: crate::json::Pointer,
    /// The Operation Object.
    pub value: &'d Map<String, Value>,
    /// The Path Item Object under `paths`.
    pub item: Node<'d>,
    /// The Path Item Objects that `item` refers to, one after the other; fields of earlier ones win.
    pub referenced: Vec<Node<'d>>,
}

impl Document {
    /// Every method of every path in document order; the methods of a path in the specification's
    /// order: get, put, post, delete, options, head, patch, trace, `query` and
    /// `additionalOperations` (OpenAPI 3.2 §4.9).
    ///
    /// The problems are those of paths and methods that could not be read.
    pub fn endpoints(&self) -> (Vec<Endpoint<'_>>, Vec<Problem>) {
        let mut finder = Finder { document: self, endpoints: Vec::new(), problems: Vec::new() };
        if let Some(paths) = self.root_node().get("paths") {
            for (path, item) in paths.members() {
                finder.read_path(path, item);
            }
        }
        (finder.endpoints, finder.problems)
    }
}

struct Finder<'d> {
    document: &'d Document,
    endpoints: Vec<Endpoint<'d>>,
    problems: Vec<Problem>,
}

impl<'d> Finder<'d> {
    fn read_path(&mut self, path: &'d str, item: Node<'d>) {
        if path.starts_with("x-") || item.value.is_null() {
            return;
        }
        if !path.starts_with('/') {
            self.problem(&item, format!("the path `{path}` does not start with `/`"));
            return;
        }
        let referenced = self.referenced(&item);
        let items: Vec<_> = std::iter::once(&item).chain(&referenced).collect();
        for (method, operation) in self.methods(&items) {
            self.read_operation(method, path, operation, (&item, &referenced));
        }
    }

    /// The chain of path items behind `item`; where it breaks off, what there is still counts.
    fn referenced(&mut self, item: &Node<'d>) -> Vec<Node<'d>> {
        const MAX_CHAIN: usize = 16;
        let mut chain = Vec::new();
        let mut last = item.clone();
        while let Some(reference) = last.reference() {
            if chain.len() == MAX_CHAIN {
                self.problem(item, format!("`{reference}` is part of a circle of path items"));
                return Vec::new();
            }
            match self.document.target(reference, &last.pointer) {
                Ok(next) => last = next,
                Err(problem) => {
                    self.problems.push(problem);
                    break;
                }
            }
            chain.push(last.clone());
        }
        chain
    }

    fn methods(&mut self, items: &[&Node<'d>]) -> Vec<(String, Node<'d>)> {
        let is_3_2 = self.document.version >= Version::V3_2;
        let mut found: Vec<(String, Node<'d>)> = METHODS
            .into_iter()
            .chain(is_3_2.then_some("query"))
            .filter_map(|method| {
                let operation = items.iter().find_map(|item| item.get(method))?;
                Some((method.to_ascii_uppercase(), operation))
            })
            .collect();
        for item in items {
            self.check_item(item);
            if is_3_2 && let Some(more) = item.get("additionalOperations") {
                self.additional(&more, &mut found);
            }
        }
        found
    }

    fn additional(&mut self, operations: &Node<'d>, found: &mut Vec<(String, Node<'d>)>) {
        for (method, operation) in operations.members() {
            if method.is_empty() || !method.bytes().all(is_token_byte) {
                self.problem(&operation, format!("`{method}` is not an HTTP method"));
            } else if !found.iter().any(|(known, _)| known == method) {
                found.push((method.to_owned(), operation));
            }
        }
    }

    fn check_item(&mut self, item: &Node<'d>) {
        if !item.value.is_object() {
            self.problem(item, "expected a path item, which is an object");
        }
        for (key, member) in item.members() {
            let lower = key.to_ascii_lowercase();
            if lower != key && METHODS.contains(&lower.as_str()) {
                self.problem(&member, format!("methods are lower case here: write `{lower}`"));
            }
        }
    }

    fn read_operation(
        &mut self,
        method: String,
        path: &'d str,
        operation: Node<'d>,
        (item, referenced): (&Node<'d>, &[Node<'d>]),
    ) {
        if operation.value.is_null() {
            return;
        }
        match self.document.resolve(operation) {
            Ok(Node { value: Value::Object(value), pointer }) => self.endpoints.push(Endpoint {
                method,
                path,
                pointer,
                value,
                item: item.clone(),
                referenced: referenced.to_vec(),
            }),
            Ok(node) => self.problem(&node, "expected an operation, which is an object"),
            Err(problem) => self.problems.push(problem),
        }
    }

    fn problem(&mut self, at: &Node<'_>, message: impl Into<String>) {
        self.problems.push(Problem::new(at.pointer.clone(), message));
    }
}

/// `tchar` of RFC 9110 §5.6.2.
fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}
