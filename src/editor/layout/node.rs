//! The skeleton: nodes and trees of a form.

use serde_json::Value;

use super::Component;
use crate::editor::expression::Expression;
use crate::json::Problem;

/// A compiled schema.
#[derive(Debug)]
pub struct Layout {
    pub(super) schema: Value,
    pub(super) nodes: Vec<Node>,
    pub(super) trees: Vec<Tree>,
    pub(super) guide: Option<String>,
    pub(super) findings: Vec<Problem>,
    /// Stands for nodes and trees of another layout.
    pub(super) nothing: (Node, Tree),
}

impl Layout {
    /// The schema to validate with: self-contained, without identifiers, all references of the form
    /// `#/…`, JSON Schema 2020-12 (older keywords are translated). Pointers of this layout point
    /// into it.
    pub fn schema(&self) -> &Value {
        &self.schema
    }

    /// The tree of the whole document.
    pub fn root(&self) -> &Tree {
        self.trees.first().unwrap_or(&self.nothing.1)
    }

    /// The node of an id of this layout.
    pub fn node(&self, id: NodeId) -> &Node {
        self.nodes.get(id.index()).unwrap_or(&self.nothing.0)
    }

    /// The tree of an id of this layout.
    pub fn tree(&self, id: TreeId) -> &Tree {
        self.trees.get(id.index()).unwrap_or(&self.nothing.1)
    }

    /// All nodes, for lookups by id in tables beside the layout.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// All trees; the first is the root.
    pub fn trees(&self) -> &[Tree] {
        &self.trees
    }

    /// `x-agent-guide` of the schema: advice for agents from the schema's author.
    pub fn guide(&self) -> Option<&str> {
        self.guide.as_deref()
    }

    /// What was left out of the form or replaced, and where: unusable layouts, expressions that
    /// cannot be parsed.
    pub fn findings(&self) -> &[Problem] {
        &self.findings
    }
}

/// A node of one layout.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub(super) u32);

impl NodeId {
    /// Position in [`Layout::nodes`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A tree of one layout.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TreeId(pub(super) u32);

impl TreeId {
    /// Position in [`Layout::trees`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A part of the form that is validated and instantiated on its own: the document, an item of a
/// list, a variant.
#[derive(Debug, Clone, PartialEq)]
pub struct Tree {
    /// Its root node; always `required`.
    pub root: NodeId,
    /// JSON Pointer into [`Layout::schema`] of the schema that its data has to satisfy.
    pub pointer: String,
    /// Title of the schema. For variants `option N` when it has none.
    pub title: Option<String>,
    /// Value of the discriminating property that selects this variant.
    pub tag: Option<Value>,
    /// For entries of `patternProperties`: what their keys match.
    pub pattern: Option<String>,
}

/// Type of the value of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Type {
    /// `string`
    String,
    /// `integer`
    Integer,
    /// `number`
    Number,
    /// `boolean`
    Boolean,
    /// `object`
    Object,
    /// `array`
    Array,
}

/// Where the data of a node is, as seen from its parent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Root of the document, of an item of a list or of an entry of a map: given by the holder.
    Root,
    /// The member named by the node's key.
    Property,
    /// The item at this index of a tuple.
    Index(usize),
    /// The same as the parent's: keys that start with `$`, and variants.
    Same,
}

/// One node of the skeleton: a place of the schema as seen from one parent.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// Segment of the layout path: property name, index, or `$allOf-0`, `$oneOf`, `$comp-1`, …;
    /// empty for [`Place::Root`].
    pub key: String,
    /// Where its data is.
    pub place: Place,
    /// JSON Pointers into [`Layout::schema`]: the place itself, then the targets of its references.
    /// Empty for groups (`$comp-1`) and slots.
    pub pointers: Vec<String>,
    /// Type of its value without `null`; `None` when the schema names none.
    pub data_type: Option<Type>,
    /// Whether the parent requires it (never, when it may be `null`); roots of trees always are.
    pub required: bool,
    /// Whether `null` is one of its values.
    pub nullable: bool,
    /// `title` of the schema.
    pub title: Option<String>,
    /// Names of all properties that belong to it, those of `allOf`, variants, conditional and
    /// dependent schemas included.
    pub property_keys: Vec<String>,
    /// Those of the keys whose schema is `readOnly`.
    pub read_only_keys: Vec<String>,
    /// When it is part of the form; `None`: always.
    pub condition: Option<Condition>,
    /// `format`, `pattern`, `minLength`, `maxLength`, `minItems`, `maxItems`, `uniqueItems`, those
    /// that are present, in this order.
    pub constraints: Vec<(&'static str, Value)>,
    /// `const` of the schema: the value it is forced to. Such a node is hidden.
    pub constant: Option<Value>,
    /// Presentations; the first whose condition holds applies, none of them: the node is hidden.
    pub cases: Vec<Case>,
    /// All children that the schema gives it, in the order of the schema, shown or not.
    pub children: Vec<NodeId>,
    /// Trees of its items: one for a list, one per pattern for `$patternProperties`, one per variant
    /// for `$oneOf`.
    pub trees: Vec<TreeId>,
    /// For `$oneOf`: the property that tells the variants apart.
    pub discriminator: Option<String>,
    /// Whether it contains itself: not to be expanded where there is no data.
    pub recursive: bool,
}

impl Node {
    /// Whether the node shares the data of its parent.
    pub fn shares_data(&self) -> bool {
        self.place == Place::Same
    }
}

/// A presentation of a node and when it applies.
#[derive(Debug, Clone, PartialEq)]
pub struct Case {
    /// `None`: always. A failing expression counts as false.
    pub condition: Option<Expression>,
    /// The presentation.
    pub component: Component,
}

/// Condition of a part of the schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Condition {
    /// The object has this property (`dependencies`, `dependentSchemas`).
    Present(String),
    /// The parent's data satisfies the schema at this pointer (`then`).
    Valid(String),
    /// The parent's data does not satisfy the schema at this pointer (`else`).
    Invalid(String),
}
