//! References inside a document: JSON Pointers, anchors, identifiers, chains.

use std::borrow::Cow;

use serde_json::Value;

use super::identifiers::Identifiers;
use super::{Document, Node, uri};
use crate::json::{Pointer, Problem};

/// How many references may be followed to reach one value.
pub(super) const MAX_CHAIN: usize = 64;

impl Document {
    /// Follows `$ref` until the value is not a reference.
    ///
    /// # Errors
    /// Located at the reference that cannot be followed: it points outside the document, at
    /// nothing, or the chain never ends.
    pub fn resolve<'d>(&'d self, node: Node<'d>) -> Result<Node<'d>, Problem> {
        let Some(first) = node.reference() else { return Ok(node) };
        let start = node.pointer.join("$ref");
        let mut node = self.target(first, &node.pointer)?;
        for _ in 1..MAX_CHAIN {
            let Some(next) = node.reference() else { return Ok(node) };
            node = self.target(next, &node.pointer)?;
        }
        Err(Problem::new(start, format!("`{first}` only leads to other references, in a circle")))
    }

    /// An object of named schemas. Only schemas can be references, but documents of several files
    /// write `properties: { $ref: … }`, and other tools follow that.
    pub(super) fn named_schemas<'d>(&'d self, node: Node<'d>) -> Node<'d> {
        self.resolve(node.clone()).unwrap_or(node)
    }

    /// The place one reference denotes; `from` is the place of the object that holds it.
    ///
    /// # Errors
    /// Located at the `$ref` of `from`, as for [`Document::resolve`].
    pub fn target<'d>(&'d self, reference: &str, from: &Pointer) -> Result<Node<'d>, Problem> {
        self.find(reference, from, MAX_CHAIN)
            .map_err(|message| Problem::new(from.join("$ref"), message))
    }

    fn find<'d>(
        &'d self,
        reference: &str,
        from: &Pointer,
        hops: usize,
    ) -> Result<Node<'d>, String> {
        let (address, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let resource = self.resource(reference, address, from)?;
        if fragment.is_empty() || fragment.starts_with('/') || fragment.starts_with("%2F") {
            return self.follow(reference, resource, fragment, hops);
        }
        let name = uri::decode(fragment).unwrap_or_default();
        let place = self.identifiers().anchor(&resource, &name);
        place.and_then(|place| self.node_at(place)).ok_or_else(|| {
            format!("`{reference}` points at nothing: no schema declares the anchor `{name}`")
        })
    }

    /// The schema resource or document that the part of a reference before `#` denotes.
    fn resource(&self, reference: &str, address: &str, from: &Pointer) -> Result<Pointer, String> {
        if address.is_empty() && !self.version.is_2020_12() {
            return Ok(Pointer::root());
        }
        let identifiers = self.identifiers();
        let resource = identifiers.resource_of(from);
        if address.is_empty() {
            return Ok(resource);
        }
        let url = identifiers.resolve(&resource, address);
        url.as_ref().and_then(|url| identifiers.find(url)).ok_or_else(|| {
            let reason = url.as_ref().and_then(|url| self.files.why_absent(url)).unwrap_or(
                "the address of this document is unknown, so only references inside it are \
                 followed; include what it points at under `components`",
            );
            format!("`{reference}` points outside this document: {reason}")
        })
    }

    /// Follows a JSON Pointer, through references on the way.
    fn follow<'d>(
        &'d self,
        reference: &str,
        resource: Pointer,
        fragment: &str,
        hops: usize,
    ) -> Result<Node<'d>, String> {
        let root = self.node_at(resource).ok_or_else(|| self.nothing(reference, ""))?;
        let Some(decoded) = uri::decode(fragment) else {
            return Err(format!("`{reference}` is not a JSON Pointer: its encoding is not UTF-8"));
        };
        match self.walk(root.clone(), &decoded, hops) {
            Err(_) if decoded != fragment => self.walk(root, fragment, hops),
            result => result,
        }
        .map_err(|missing| self.nothing(reference, &missing))
    }

    fn nothing(&self, reference: &str, missing: &str) -> String {
        match self.files.why_empty(reference) {
            Some((name, reason)) => format!("the file `{name}` is not there: {reason}"),
            None => format!("`{reference}` points at nothing: there is no `{missing}`"),
        }
    }

    /// Walks the segments of a pointer; fails with the segment that is not there.
    fn walk<'d>(&'d self, root: Node<'d>, pointer: &str, hops: usize) -> Result<Node<'d>, String> {
        let mut node = root;
        for segment in pointer.split('/').skip(1) {
            let name = unescape(segment);
            node = match step(&node, &name) {
                Some(next) => next,
                None => self.step_through(&node, &name, hops).ok_or_else(|| name.into_owned())?,
            };
        }
        Ok(node)
    }

    /// A member of what a reference points at, for pointers that look through references.
    fn step_through<'d>(&'d self, node: &Node<'d>, name: &str, hops: usize) -> Option<Node<'d>> {
        let hops = hops.checked_sub(1).filter(|&hops| hops > 0)?;
        let target = self.find(node.reference()?, &node.pointer, hops).ok()?;
        step(&target, name).or_else(|| self.step_through(&target, name, hops))
    }

    /// Whether any schema has a `$dynamicAnchor`.
    pub(super) fn has_dynamic_anchors(&self) -> bool {
        self.version.is_2020_12() && self.identifiers().has_dynamic_anchors()
    }

    /// The place of the schema resource (`$id`) or document that a place belongs to.
    pub(super) fn schema_resource(&self, place: &Pointer) -> Pointer {
        self.identifiers().resource_or_file_of(place)
    }

    /// The schema with a dynamic anchor inside a schema resource.
    pub(super) fn dynamic_anchor(&self, resource: &Pointer, name: &str) -> Option<Node<'_>> {
        let node = self.node_at(self.identifiers().anchor(resource, name)?)?;
        (node.value.get("$dynamicAnchor").and_then(Value::as_str) == Some(name)).then_some(node)
    }

    /// The nearest value around a place that has `$recursiveAnchor: true`.
    fn recursive_anchor(&self, place: &Pointer) -> Option<Node<'_>> {
        let mut around = Pointer::root();
        let mut nearest = None;
        for segment in place.as_str().split('/').skip(1) {
            around = around.join(unescape(segment));
            let node = self.node_at(around.clone())?;
            if node.value.get("$recursiveAnchor") == Some(&Value::Bool(true)) {
                nearest = Some(node);
            }
        }
        nearest
    }

    /// Where `$recursiveRef: "#"` leads (JSON Schema 2019-09 core §8.2.4.2): to the nearest
    /// `$recursiveAnchor`, else where `$ref: "#"` does, when that is a schema and not the document.
    pub(super) fn recursive_target(&self, place: &Pointer) -> Option<Node<'_>> {
        let resource = || Some(self.schema_resource(place)).filter(|it| !it.as_str().is_empty());
        self.recursive_anchor(place).or_else(|| self.node_at(resource()?))
    }

    pub(super) fn node_at(&self, place: Pointer) -> Option<Node<'_>> {
        place.get(&self.root).map(|value| Node { value, pointer: place })
    }

    fn identifiers(&self) -> &Identifiers {
        self.identifiers.get_or_init(|| Identifiers::of(&self.root, &self.files))
    }
}

fn step<'d>(node: &Node<'d>, name: &str) -> Option<Node<'d>> {
    let value = match node.value {
        Value::Object(map) => map.get(name),
        Value::Array(items) => name.parse::<usize>().ok().and_then(|index| items.get(index)),
        _ => None,
    }?;
    Some(Node { value, pointer: node.pointer.join(name) })
}

fn unescape(segment: &str) -> Cow<'_, str> {
    if segment.contains('~') {
        Cow::Owned(segment.replace("~1", "/").replace("~0", "~"))
    } else {
        Cow::Borrowed(segment)
    }
}
