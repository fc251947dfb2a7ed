//! What a response schema says about rendering: a graph of shapes that ends at recursion.

mod build;
mod prune;

use serde_json::{Map, Value};

use crate::json::Problem;
use crate::openapi::{Document, Node};
use crate::tool::Shape;
use crate::vocabulary;

/// Everything the schema of one response says; node 0 is the root.
#[derive(Debug)]
pub(super) struct Graph {
    shapes: Vec<Shape>,
    /// The root, or every element of a list that is the root, is marked as hidden.
    is_hidden: bool,
}

impl Graph {
    /// Reads schemas of the same value, references and applicators included.
    ///
    /// With `is_annotated` false nothing in the document hides or explains a property, so only the
    /// levels that become a table are read.
    ///
    /// # Errors
    /// A reference that cannot be followed; a schema that branches beyond all measure.
    pub(super) fn build(
        document: &Document,
        schemas: Vec<Node<'_>>,
        options: Options<'_>,
    ) -> Result<Self, Problem> {
        build::build(document, schemas, options)
    }

    /// Whether everything is marked as hidden, which hides nothing: only properties can be.
    pub(super) fn is_hidden(&self) -> bool {
        self.is_hidden
    }

    /// Whether the root declares a property.
    pub(super) fn declares(&self, name: &str) -> bool {
        let root = self.shapes.first();
        root.is_some_and(|root| root.properties.iter().any(|property| property.name == name))
    }

    /// Whether the root is known to have no property of this name.
    pub(super) fn lacks(&self, name: &str) -> bool {
        self.shapes.first().is_some_and(|root| !is_open(root) && !self.declares(name))
    }

    /// Names of the fields of a row: of the array at `rows`, of a root array, or of the root object.
    /// Hidden ones are left out.
    pub(super) fn fields(&self, rows: Option<&str>) -> Vec<String> {
        let Some(row) = self.row(rows) else { return Vec::new() };
        let properties = self.shapes.get(row).map_or(&[][..], |shape| &shape.properties);
        let visible = properties.iter().filter(|property| !property.exclude);
        visible.map(|property| property.name.clone()).collect()
    }

    /// Names of the fields of a row, hidden ones included.
    pub(super) fn all_fields(&self, rows: Option<&str>) -> Vec<&String> {
        let row = self.row(rows).and_then(|row| self.shapes.get(row));
        row.iter().flat_map(|shape| &shape.properties).map(|property| &property.name).collect()
    }

    /// Whether a row may have fields that are not declared.
    pub(super) fn is_open(&self, rows: Option<&str>) -> bool {
        let row = self.row(rows).and_then(|row| self.shapes.get(row));
        row.is_none_or(is_open)
    }

    /// The nodes that change what is rendered, as kept in the plan.
    pub(super) fn into_plan(self, rows: Option<&str>) -> Vec<Shape> {
        let row = self.row(rows).filter(|&row| row != 0);
        prune::prune(self.shapes, row)
    }

    /// The node of one row.
    fn row(&self, rows: Option<&str>) -> Option<usize> {
        let root = self.shapes.first()?;
        let start = match rows {
            Some(key) => root.properties.iter().find(|property| property.name == key)?.node?,
            None => 0,
        };
        let items = self.shapes.get(start).and_then(|shape| shape.items);
        if rows.is_some() { items } else { Some(items.unwrap_or(0)) }
    }
}

/// Whether an object may have properties that are not declared.
fn is_open(shape: &Shape) -> bool {
    shape.properties.is_empty() || shape.additional.is_some() || !shape.patterns.is_empty()
}

/// How a graph is read.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Options<'o> {
    /// Language of hints.
    pub(super) locale: &'o str,
    /// Key of the array of rows.
    pub(super) rows: Option<&'o str>,
    /// The document hides or explains some property.
    pub(super) is_annotated: bool,
    /// The value is edited as a form, which shows no hints.
    pub(super) is_form: bool,
}

/// Looks for anything in a document that hides or explains a property: `x-agent` beside schema
/// keywords, or `writeOnly`.
#[derive(Debug)]
pub(super) struct Survey<'d> {
    waiting: Vec<&'d Value>,
    is_annotated: bool,
}

impl<'d> Survey<'d> {
    /// A survey of a whole document.
    pub(super) fn new(document: &'d Value) -> Self {
        Self { waiting: vec![document], is_annotated: false }
    }

    /// Looks at some thousand values; false when the answer is known.
    pub(super) fn step(&mut self) -> bool {
        const VALUES: usize = 2_000;
        for _ in 0..VALUES {
            match self.waiting.pop() {
                Some(Value::Array(items)) => self.waiting.extend(items),
                Some(Value::Object(map)) if is_telling(map) => {
                    self.is_annotated = true;
                    self.waiting.clear();
                }
                Some(Value::Object(map)) => self.waiting.extend(map.values()),
                Some(_) => {}
                None => return false,
            }
        }
        true
    }

    /// What was found.
    pub(super) fn is_annotated(&self) -> bool {
        self.is_annotated
    }
}

fn is_telling(map: &Map<String, Value>) -> bool {
    let annotation = map.get(vocabulary::KEY).and_then(Value::as_object);
    annotation.is_some_and(|found| found.contains_key("hint") || found.contains_key("exclude"))
        || map.get("writeOnly") == Some(&Value::Bool(true))
}

#[cfg(test)]
mod tests;
