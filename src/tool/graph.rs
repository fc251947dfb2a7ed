//! What the response schema says about one place of a value.

mod patterns;

use std::rc::Rc;

use serde_json::Value;

use super::{Property, Shape};

/// The nodes of the schema graph that describe one value; several when several patterns match.
#[derive(Debug, Clone, Default)]
pub(crate) enum Nodes {
    /// Nothing is known about the value.
    #[default]
    Unknown,
    /// One node describes it.
    One(usize),
    /// Each of these nodes describes it.
    Several(Rc<[usize]>),
}

/// What is known about one member of an object.
#[derive(Debug, Clone, Default)]
pub(crate) struct Member<'a> {
    /// The member is not shown.
    pub(crate) exclude: bool,
    /// Note shown next to it.
    pub(crate) hint: Option<&'a str>,
    /// The nodes of its value.
    pub(crate) nodes: Nodes,
}

/// A schema graph, such as that of a response: [`super::ResponsePlan::shape`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct Graph<'a>(pub(crate) &'a [Shape]);

impl Nodes {
    /// Whether nothing at any depth is known.
    pub(crate) fn is_unknown(&self) -> bool {
        matches!(self, Self::Unknown)
    }

    fn as_slice(&self) -> &[usize] {
        match self {
            Self::Unknown => &[],
            Self::One(node) => std::slice::from_ref(node),
            Self::Several(nodes) => nodes,
        }
    }

    fn add(&mut self, node: Option<usize>) {
        let Some(node) = node else { return };
        if self.as_slice().contains(&node) {
            return;
        }
        *self = match self {
            Self::Unknown => Self::One(node),
            Self::One(_) | Self::Several(_) => {
                Self::Several(self.as_slice().iter().copied().chain([node]).collect())
            }
        };
    }
}

impl<'a> Member<'a> {
    fn add(&mut self, property: &'a Property) {
        self.exclude |= property.exclude;
        self.hint = self.hint.or(property.hint.as_deref());
        self.nodes.add(property.node);
    }
}

impl<'a> Graph<'a> {
    /// The nodes of the whole value.
    pub(crate) fn root(&self) -> Nodes {
        self.at(0)
    }

    /// The nodes of a value that the node `root` describes.
    pub(crate) fn at(&self, root: usize) -> Nodes {
        if self.0.is_empty() { Nodes::Unknown } else { Nodes::One(root) }
    }

    /// What is known about the member `name` of an object described by `nodes`.
    ///
    /// `cursor` is where the declared properties are searched first and moves to the one after the
    /// one found: members that come in the order of the schema are found at once. An object in
    /// place of an array is taken for an element of it: what is excluded stays so.
    pub(crate) fn member(&self, nodes: &Nodes, name: &str, cursor: &mut usize) -> Member<'a> {
        let mut member = Member::default();
        for shape in self.shapes(nodes) {
            let element = shape.items.filter(|_| !describes_members(shape));
            let shape = element.and_then(|node| self.0.get(node)).unwrap_or(shape);
            Self::add_member(shape, name, cursor, &mut member);
        }
        member
    }

    /// The nodes of the element at `index` of an array described by `nodes`. The elements of an
    /// array in place of an object are taken for that object.
    pub(crate) fn item(&self, nodes: &Nodes, index: usize) -> Nodes {
        let mut found = Nodes::default();
        for &node in nodes.as_slice() {
            let Some(shape) = self.0.get(node) else { continue };
            let element = shape.prefix_items.get(index).copied().or(shape.items);
            found.add(element.or_else(|| describes_members(shape).then_some(node)));
        }
        found
    }

    /// The nodes of all elements of an array described by `nodes`.
    pub(crate) fn any_item(&self, nodes: &Nodes) -> Nodes {
        let mut found = Nodes::default();
        for shape in self.shapes(nodes) {
            found.add(shape.items);
            shape.prefix_items.iter().for_each(|&node| found.add(Some(node)));
        }
        found
    }

    /// Removes the excluded members, at every depth.
    pub(crate) fn prune(&self, value: &mut Value, nodes: &Nodes) {
        if nodes.is_unknown() {
            return;
        }
        match value {
            Value::Object(map) => {
                let mut cursor = 0;
                map.retain(|name, value| {
                    let member = self.member(nodes, name, &mut cursor);
                    if !member.exclude {
                        self.prune(value, &member.nodes);
                    }
                    !member.exclude
                });
            }
            Value::Array(items) => {
                for (index, item) in items.iter_mut().enumerate() {
                    self.prune(item, &self.item(nodes, index));
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    /// The names that `nodes` declare, in document order.
    pub(crate) fn declared(&self, nodes: &Nodes) -> impl Iterator<Item = &'a str> {
        self.shapes(nodes).flat_map(|shape| shape.properties.iter().map(|p| p.name.as_str()))
    }

    fn shapes(&self, nodes: &Nodes) -> impl Iterator<Item = &'a Shape> {
        nodes.as_slice().iter().filter_map(|&node| self.0.get(node))
    }

    fn add_member(shape: &'a Shape, name: &str, cursor: &mut usize, member: &mut Member<'a>) {
        let declared = declared(shape, name, cursor);
        let patterns =
            shape.patterns.iter().filter(|(p, _)| patterns::matches(p, name)).map(|(_, p)| p);
        let mut known = false;
        for property in declared.into_iter().chain(patterns) {
            member.add(property);
            known = true;
        }
        if let (false, Some(property)) = (known, shape.additional.as_deref()) {
            member.add(property);
        }
    }
}

fn describes_members(shape: &Shape) -> bool {
    !shape.properties.is_empty() || !shape.patterns.is_empty() || shape.additional.is_some()
}

fn declared<'a>(shape: &'a Shape, name: &str, cursor: &mut usize) -> Option<&'a Property> {
    let start = (*cursor).min(shape.properties.len());
    let (before, after) = shape.properties.split_at_checked(start)?;
    let found = after.iter().chain(before).position(|property| property.name == name)?;
    let index = (start + found) % shape.properties.len();
    *cursor = index + 1;
    shape.properties.get(index)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Graph, Shape};

    #[track_caller]
    fn check(shapes: &Value, mut value: Value, expected: &Value) {
        let shapes: Vec<Shape> = serde_json::from_value(shapes.clone()).unwrap();
        let graph = Graph(&shapes);
        graph.prune(&mut value, &graph.root());
        assert_eq!(value, *expected);
    }

    #[test]
    fn what_is_excluded_stays_so_in_a_value_of_another_type() {
        let object = json!([{ "properties": [{ "name": "pw", "exclude": true }] }]);
        check(&object, json!({ "pw": 1, "a": 2 }), &json!({ "a": 2 }));
        check(&object, json!([{ "pw": 1, "a": 2 }, [{ "pw": 1 }]]), &json!([{ "a": 2 }, [{}]]));
        let list = json!([{ "items": 1 }, { "properties": [{ "name": "pw", "exclude": true }] }]);
        check(&list, json!([{ "pw": 1, "a": 2 }]), &json!([{ "a": 2 }]));
        check(&list, json!({ "pw": 1, "a": 2 }), &json!({ "a": 2 }));
        check(&list, json!([[{ "pw": 1 }]]), &json!([[{}]]));
    }
}
