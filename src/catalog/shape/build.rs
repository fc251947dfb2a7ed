//! Building the graph: each node is what a set of schemas says together.

use std::collections::{BTreeMap, VecDeque};

use serde_json::Value;

use super::{Graph, Options};
use crate::json::{Pointer, Problem};
use crate::openapi::{Document, Node};
use crate::tool::{Property, Shape};
use crate::vocabulary::SchemaAnnotation;

/// Most schemas that are looked at for one response.
const MAX_VISITS: usize = 50_000;
/// Most nodes of one graph.
const MAX_NODES: usize = 4_000;
/// Most schemas that are merged into one node.
const MAX_MERGED: usize = 500;

/// Keywords whose schemas describe the same value.
const SAME_VALUE: [&str; 3] = ["if", "then", "else"];
const SAME_VALUE_LISTS: [&str; 3] = ["allOf", "anyOf", "oneOf"];
const ELEMENTS: [&str; 3] = ["items", "contains", "unevaluatedItems"];
const OTHERS: [&str; 2] = ["additionalProperties", "unevaluatedProperties"];

pub(super) fn build(
    document: &Document,
    schemas: Vec<Node<'_>>,
    options: Options<'_>,
) -> Result<Graph, Problem> {
    let start = schemas.first().map(|schema| schema.pointer.clone()).unwrap_or_default();
    let mut builder = Builder {
        document,
        options,
        start,
        ids: BTreeMap::new(),
        waiting: VecDeque::new(),
        hidden: Vec::new(),
        visits: 0,
    };
    let merged = builder.merge(schemas)?;
    builder.id(merged)?;
    let mut shapes = Vec::new();
    while let Some(merged) = builder.waiting.pop_front() {
        let depth = shapes.len();
        shapes.push(builder.shape(&merged, depth == 0)?);
    }
    let is_hidden = hide_lists_of_hidden(&mut shapes, &builder.hidden);
    Ok(Graph { shapes, is_hidden })
}

/// Schemas that describe the same value, references and applicators followed.
type Merged<'d> = Vec<Node<'d>>;

struct Builder<'d, 'o> {
    document: &'d Document,
    options: Options<'o>,
    /// Place of the response schema, for messages.
    start: Pointer,
    /// Places of the merged schemas → node.
    ids: BTreeMap<Vec<Pointer>, usize>,
    /// Nodes that have an id and no shape yet, in order.
    waiting: VecDeque<Merged<'d>>,
    /// Whether the value of each node is hidden itself.
    hidden: Vec<bool>,
    visits: usize,
}

impl<'d> Builder<'d, '_> {
    /// Everything that describes the same value as `schemas`.
    fn merge(&mut self, schemas: Vec<Node<'d>>) -> Result<Merged<'d>, Problem> {
        let mut merged: Merged<'d> = Vec::new();
        let mut waiting: VecDeque<_> = schemas.into();
        while let Some(node) = waiting.pop_front() {
            if !node.value.is_object() || merged.iter().any(|known| known.pointer == node.pointer) {
                continue;
            }
            self.visits += 1;
            if self.visits > MAX_VISITS || merged.len() == MAX_MERGED {
                return Err(self.too_large());
            }
            for key in ["$ref", "$dynamicRef"] {
                if let Some(reference) = node.value.get(key).and_then(Value::as_str) {
                    waiting.push_back(self.document.target(reference, &node.pointer)?);
                }
            }
            let lists = SAME_VALUE_LISTS.iter().filter_map(|key| node.get(key));
            waiting.extend(lists.flat_map(|list| list.elements().collect::<Vec<_>>()));
            waiting.extend(SAME_VALUE.iter().filter_map(|key| node.get(key)));
            if let Some(dependent) = node.get("dependentSchemas") {
                waiting.extend(dependent.members().map(|(_, schema)| schema));
            }
            merged.push(node);
        }
        Ok(merged)
    }

    /// The node of merged schemas, a new one if needed.
    fn id(&mut self, mut merged: Merged<'d>) -> Result<usize, Problem> {
        merged.retain(|node| has_members(node) || self.is_hidden(node));
        let mut places: Vec<_> = merged.iter().map(|node| node.pointer.clone()).collect();
        places.sort_unstable();
        if let Some(&id) = self.ids.get(&places) {
            return Ok(id);
        }
        let id = self.ids.len();
        if id == MAX_NODES {
            return Err(self.too_large());
        }
        self.ids.insert(places, id);
        self.hidden.push(merged.iter().any(|node| self.is_hidden(node)));
        self.waiting.push_back(merged);
        Ok(id)
    }

    fn shape(&mut self, merged: &Merged<'d>, is_root: bool) -> Result<Shape, Problem> {
        let mut shape = Shape::default();
        self.read_properties(merged, is_root, &mut shape)?;
        if self.options.is_annotated {
            self.read_patterns(merged, &mut shape)?;
            let others = all(merged, &OTHERS);
            if others.iter().any(|node| node.value.is_object()) {
                shape.additional = Some(Box::new(self.property("", others, true)?));
            }
        } else if !all(merged, &OTHERS).is_empty()
            || !all(merged, &["patternProperties"]).is_empty()
        {
            shape.additional = Some(Box::default());
        }
        self.read_elements(merged, &mut shape)?;
        Ok(shape)
    }

    fn read_properties(
        &mut self,
        merged: &Merged<'d>,
        is_root: bool,
        shape: &mut Shape,
    ) -> Result<(), Problem> {
        for (name, _) in merged.iter().filter_map(|node| node.get("properties")).flat_map(members) {
            if shape.properties.iter().any(|property| property.name == name) {
                continue;
            }
            let schemas = merged.iter().flat_map(|node| declared(node, name)).collect();
            let is_rows = is_root && self.options.rows == Some(name);
            shape.properties.push(self.property(name, schemas, is_rows)?);
        }
        Ok(())
    }

    fn read_patterns(&mut self, merged: &Merged<'d>, shape: &mut Shape) -> Result<(), Problem> {
        let patterns = merged.iter().filter_map(|node| node.get("patternProperties"));
        for (pattern, schema) in patterns.flat_map(members) {
            let property = self.property("", vec![schema], false)?;
            shape.patterns.push((pattern.to_owned(), property));
        }
        Ok(())
    }

    fn read_elements(&mut self, merged: &Merged<'d>, shape: &mut Shape) -> Result<(), Problem> {
        let prefix = |node: &Node<'d>| node.get("prefixItems");
        let count = merged.iter().filter_map(prefix).map(|list| list.elements().count()).max();
        for index in 0..count.unwrap_or(0) {
            let schemas = merged.iter().flat_map(|node| {
                match prefix(node).and_then(|list| list.elements().nth(index)) {
                    Some(schema) => vec![schema],
                    None => all(std::slice::from_ref(node), &ELEMENTS),
                }
            });
            let schemas = self.merge(schemas.collect())?;
            shape.prefix_items.push(self.id(schemas)?);
        }
        let schemas = self.merge(all(merged, &ELEMENTS))?;
        if !schemas.is_empty() {
            shape.items = Some(self.id(schemas)?);
        }
        Ok(())
    }

    fn property(
        &mut self,
        name: &str,
        schemas: Vec<Node<'d>>,
        is_needed: bool,
    ) -> Result<Property, Problem> {
        let mut property = Property { name: name.to_owned(), ..Property::default() };
        if !self.options.is_annotated && !is_needed {
            return Ok(property);
        }
        let merged = self.merge(schemas)?;
        property.exclude = merged.iter().any(|node| self.is_hidden(node));
        let noted = merged.iter().filter(|_| !self.options.is_form);
        let hint = noted.map(|node| SchemaAnnotation::read(node.value).hint).find_map(|it| it);
        property.hint = hint.map(|hint| hint.pick(self.options.locale).trim().to_owned());
        if !property.exclude && merged.iter().any(has_members) {
            property.node = Some(self.id(merged)?);
        }
        Ok(property)
    }

    /// Whether a schema hides its value. What is `writeOnly` is for forms to fill in.
    fn is_hidden(&self, node: &Node<'_>) -> bool {
        let is_write_only = node.value.get("writeOnly") == Some(&Value::Bool(true));
        SchemaAnnotation::read(node.value).exclude || (is_write_only && !self.options.is_form)
    }

    fn too_large(&self) -> Problem {
        Problem::new(
            self.start.clone(),
            "the schema has too many alternatives to tell which properties are hidden: \
             simplify it, or leave the operation out",
        )
    }
}

/// The schemas of a property of an object that `node` describes.
fn declared<'d>(node: &Node<'d>, name: &str) -> Vec<Node<'d>> {
    match node.get("properties").and_then(|properties| properties.get(name)) {
        Some(schema) => vec![schema],
        None => all(std::slice::from_ref(node), &OTHERS),
    }
}

fn all<'d>(merged: &[Node<'d>], keys: &[&str]) -> Vec<Node<'d>> {
    merged.iter().flat_map(|node| keys.iter().filter_map(|key| node.get(key))).collect()
}

fn members(node: Node<'_>) -> Vec<(&str, Node<'_>)> {
    node.members().collect()
}

fn has_members(node: &Node<'_>) -> bool {
    let members = ["properties", "patternProperties", "prefixItems"];
    members
        .iter()
        .chain(&ELEMENTS)
        .chain(&OTHERS)
        .any(|key| node.value.get(key).is_some_and(|value| value.is_object() || value.is_array()))
}

/// A list of values that are hidden is hidden itself. Returns whether the root is.
fn hide_lists_of_hidden(shapes: &mut [Shape], hidden: &[bool]) -> bool {
    let items: Vec<Option<usize>> = shapes.iter().map(|shape| shape.items).collect();
    let is_hidden_list = |start: usize| {
        let mut node = start;
        for _ in 0..items.len() {
            let Some(&Some(next)) = items.get(node) else { return false };
            if hidden.get(next) == Some(&true) {
                return true;
            }
            node = next;
        }
        false
    };
    for shape in shapes {
        let patterns = shape.patterns.iter_mut().map(|(_, property)| property);
        let others = patterns.chain(shape.additional.as_deref_mut());
        for property in shape.properties.iter_mut().chain(others) {
            property.exclude |= property.node.is_some_and(is_hidden_list);
        }
    }
    hidden.first() == Some(&true) || is_hidden_list(0)
}
