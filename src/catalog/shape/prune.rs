//! Leaving out what changes nothing, so that the plan of a tool stays small.

use std::collections::BTreeMap;

use crate::tool::{Property, Shape};

/// Keeps the nodes that hide or explain something, and the columns of the nodes that become a table:
/// `row`, and the elements of a root array. Empty when the root says nothing.
pub(super) fn prune(shapes: Vec<Shape>, row: Option<usize>) -> Vec<Shape> {
    let tables: Vec<usize> =
        row.into_iter().chain(shapes.first().and_then(|root| root.items)).collect();
    let says = telling(&shapes, &tables);
    if says.first() != Some(&true) {
        return Vec::new();
    }
    let mut pruner = Pruner { shapes, tables, says, new_ids: BTreeMap::new(), order: Vec::new() };
    pruner.run()
}

/// Which nodes lead to something worth keeping.
fn telling(shapes: &[Shape], tables: &[usize]) -> Vec<bool> {
    let mut says: Vec<bool> = (0..shapes.len()).map(|id| tables.contains(&id)).collect();
    loop {
        let next: Vec<bool> = shapes
            .iter()
            .zip(&says)
            .map(|(shape, &known)| known || shape_tells(shape, &says))
            .collect();
        if next == says {
            return says;
        }
        says = next;
    }
}

fn shape_tells(shape: &Shape, says: &[bool]) -> bool {
    let node_tells = |node: &usize| says.get(*node) == Some(&true);
    shape.properties.iter().any(|property| property_tells(property, says))
        || others(shape).any(|property| property_tells(property, says))
        || shape.items.iter().chain(&shape.prefix_items).any(node_tells)
}

fn property_tells(property: &Property, says: &[bool]) -> bool {
    property.exclude
        || property.hint.is_some()
        || property.node.is_some_and(|node| says.get(node) == Some(&true))
}

fn others(shape: &Shape) -> impl Iterator<Item = &Property> {
    shape.patterns.iter().map(|(_, property)| property).chain(shape.additional.as_deref())
}

struct Pruner {
    shapes: Vec<Shape>,
    tables: Vec<usize>,
    says: Vec<bool>,
    /// Node → its number in the plan.
    new_ids: BTreeMap<usize, usize>,
    /// Nodes in the order of their new numbers.
    order: Vec<usize>,
}

impl Pruner {
    fn run(&mut self) -> Vec<Shape> {
        let mut kept = Vec::new();
        self.new_id(0);
        while let Some(&id) = self.order.get(kept.len()) {
            let shape = self.shapes.get_mut(id).map(std::mem::take).unwrap_or_default();
            kept.push(self.reduce(id, shape));
        }
        kept
    }

    fn new_id(&mut self, node: usize) -> usize {
        let next = self.order.len();
        let id = *self.new_ids.entry(node).or_insert(next);
        if id == next {
            self.order.push(node);
        }
        id
    }

    fn reduce(&mut self, id: usize, shape: Shape) -> Shape {
        let decides_others = others(&shape).any(|property| property_tells(property, &self.says));
        let keeps_names = decides_others || self.tables.contains(&id);
        let properties = shape.properties.into_iter().filter_map(|property| {
            let is_kept = keeps_names || property_tells(&property, &self.says);
            is_kept.then(|| self.reduce_property(property))
        });
        let properties = properties.collect();
        let (patterns, additional) = if decides_others {
            let patterns = shape.patterns.into_iter();
            let patterns = patterns.map(|(text, property)| (text, self.reduce_property(property)));
            (
                patterns.collect(),
                shape.additional.map(|other| Box::new(self.reduce_property(*other))),
            )
        } else {
            (Vec::new(), None)
        };
        let items = shape.items.filter(|&node| self.tells(node)).map(|node| self.new_id(node));
        let prefix_items = if shape.prefix_items.iter().any(|&node| self.tells(node)) {
            shape.prefix_items.into_iter().map(|node| self.new_id(node)).collect()
        } else {
            Vec::new()
        };
        Shape { properties, patterns, additional, items, prefix_items }
    }

    fn reduce_property(&mut self, property: Property) -> Property {
        let node = property.node.filter(|&node| !property.exclude && self.tells(node));
        let node = node.map(|node| self.new_id(node));
        Property { node, ..property }
    }

    fn tells(&self, node: usize) -> bool {
        self.says.get(node) == Some(&true)
    }
}
