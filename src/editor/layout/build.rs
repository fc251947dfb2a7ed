//! Builds the skeleton: nodes and trees.

use hashbrown::HashMap;
use serde_json::{Map, Value};

use super::fragment::Fragment;
use super::room;
use super::{Condition, Layout, Node, NodeId, Place, Tree, TreeId, Type};
use crate::json::{Pointer, Problem};

/// Most nodes of a layout.
const MAX_NODES: usize = 30_000;
/// Most properties that are looked at to find the names of those of each node.
const MAX_KEYS: usize = 300_000;
/// Most bytes of texts and values of all nodes together.
const MAX_ROOM: usize = 16 << 20;
/// Most bytes of all expressions of a layout; each counts as 100 more.
const MAX_EXPRESSIONS: usize = 500_000;
/// Deepest nesting of nodes within one tree.
const MAX_LEVEL: usize = 40;

/// Constraints that a node shows, in this order.
const CONSTRAINTS: [&str; 7] =
    ["format", "pattern", "minLength", "maxLength", "minItems", "maxItems", "uniqueItems"];

/// A place of the form that becomes a node.
#[derive(Debug, Clone)]
pub(super) struct Spot<'s> {
    pub(super) key: String,
    pub(super) place: Place,
    pub(super) fragment: Fragment<'s>,
    /// Type when the schema names none: the one of the data that it shares.
    pub(super) data_type: Option<Type>,
    pub(super) required: bool,
    pub(super) condition: Option<Condition>,
    pub(super) level: usize,
}

/// A layout that is being made.
#[derive(Debug)]
pub(super) struct Builder<'s> {
    pub(super) nodes: Vec<Node>,
    trees: Vec<Tree>,
    known_nodes: HashMap<(Pointer, &'static str, bool), NodeId>,
    known_trees: HashMap<Pointer, TreeId>,
    /// Trees whose nodes are still to be made.
    pending: Vec<(TreeId, Spot<'s>)>,
    keys: usize,
    room: usize,
    /// Bytes that are left for expressions.
    pub(super) expressions: usize,
    pub(super) findings: Vec<Problem>,
    pub(super) problems: Vec<Problem>,
}

/// Builds the nodes and trees of a translated schema.
pub(super) fn build(schema: &Value, findings: Vec<Problem>) -> Result<Layout, Vec<Problem>> {
    let mut builder = Builder {
        nodes: Vec::new(),
        trees: Vec::new(),
        known_nodes: HashMap::new(),
        known_trees: HashMap::new(),
        pending: Vec::new(),
        keys: 0,
        room: 0,
        expressions: MAX_EXPRESSIONS,
        findings,
        problems: Vec::new(),
    };
    let fragment = Fragment::new(schema, Pointer::root(), schema);
    builder.tree(fragment, String::new(), Place::Root);
    while let Some((id, spot)) = builder.pending.pop() {
        let root = builder.node(spot);
        if let Some(tree) = builder.trees.get_mut(id.index()) {
            tree.root = root;
        }
        if !builder.problems.is_empty() {
            return Err(builder.problems);
        }
    }
    mark_recursive(&mut builder.nodes, &builder.trees);
    Ok(Layout {
        schema: Value::Null,
        nodes: builder.nodes,
        trees: builder.trees,
        guide: schema.get("x-agent-guide").and_then(Value::as_str).map(str::to_owned),
        findings: builder.findings,
        nothing: (hidden(), Tree { root: NodeId(u32::MAX), ..no_tree() }),
    })
}

impl<'s> Builder<'s> {
    /// The tree of a fragment; its nodes are made later.
    pub(super) fn tree(&mut self, fragment: Fragment<'s>, key: String, place: Place) -> TreeId {
        if let Some(id) = self.known_trees.get(fragment.at()) {
            return *id;
        }
        let id = TreeId(u32::try_from(self.trees.len()).unwrap_or(u32::MAX));
        self.known_trees.insert(fragment.at().clone(), id);
        self.trees.push(Tree {
            pointer: fragment.at().as_str().to_owned(),
            title: fragment.text("title").map(str::to_owned),
            ..no_tree()
        });
        let data_type = if place == Place::Same { Some(Type::Object) } else { None };
        let spot =
            Spot { key, place, fragment, data_type, required: true, condition: None, level: 0 };
        self.pending.push((id, spot));
        id
    }

    /// The node of a spot and those below it.
    pub(super) fn node(&mut self, spot: Spot<'s>) -> NodeId {
        // the pseudo children of a fragment are at its own place
        let pseudo = match spot.key.as_str() {
            "$oneOf" if spot.place == Place::Same => "$oneOf",
            "$patternProperties" if spot.place == Place::Same => "$patternProperties",
            _ => "",
        };
        let known = (spot.fragment.at().clone(), pseudo, spot.required);
        if let Some(id) = self.known_nodes.get(&known) {
            return *id;
        }
        let id = NodeId(u32::try_from(self.nodes.len()).unwrap_or(u32::MAX));
        if self.nodes.len() >= MAX_NODES {
            self.too_much(spot.fragment.at(), "fields");
        } else if spot.level > MAX_LEVEL {
            self.too_much(spot.fragment.at(), "levels of fields");
        }
        if !self.problems.is_empty() {
            return id;
        }
        let known_at = known.0.clone();
        self.known_nodes.insert(known, id);
        self.nodes.push(hidden());
        let node = if pseudo.is_empty() { self.plain(&spot) } else { self.pseudo(&spot) };
        self.room += room::of_node(&node);
        if self.room > MAX_ROOM {
            self.too_much(&known_at, "text");
        }
        if let Some(place) = self.nodes.get_mut(id.index()) {
            *place = node;
        }
        id
    }

    /// Adds a node that the layout makes up.
    pub(super) fn add(&mut self, node: Node) -> Option<NodeId> {
        if self.nodes.len() >= MAX_NODES {
            self.too_much(&Pointer::root(), "fields");
            return None;
        }
        self.room += room::of_node(&node);
        if self.room > MAX_ROOM {
            self.too_much(&Pointer::root(), "text");
        }
        let id = NodeId(u32::try_from(self.nodes.len()).unwrap_or(u32::MAX));
        self.nodes.push(node);
        Some(id)
    }

    fn plain(&mut self, spot: &Spot<'s>) -> Node {
        let fragment = &spot.fragment;
        let data_type = fragment.data_type().or(spot.data_type);
        let has_no_type = data_type.is_none()
            && fragment.get("const").is_none()
            && fragment.get("type").is_some_and(Value::is_array);
        if has_no_type {
            self.finding(fragment.at(), "the field is left out of the form: it has several types");
        }
        let mut node = skeleton(spot, data_type);
        match data_type {
            Some(Type::Object) => {
                self.keys_of(&mut node, fragment);
                node.children = self.children(spot);
            }
            Some(Type::Array) => self.array(&mut node, spot),
            _ => {}
        }
        node.cases = self.cases(&node, fragment, "layout", spot.required);
        node
    }

    /// `$oneOf` and `$patternProperties`
    fn pseudo(&mut self, spot: &Spot<'s>) -> Node {
        let fragment = &spot.fragment;
        let is_union = spot.key == "$oneOf";
        let keyword = if is_union { "oneOf" } else { "patternProperties" };
        let place = fragment.place_of(keyword).unwrap_or(fragment.at()).as_str().to_owned();
        let mut node = Node {
            key: spot.key.clone(),
            place: Place::Same,
            pointers: vec![place],
            data_type: Some(Type::Object),
            nullable: fragment.is_nullable(),
            ..hidden()
        };
        if is_union {
            self.keys_of(&mut node, fragment);
            let branches = fragment.list("oneOf");
            node.discriminator = discriminator(fragment, &branches);
            for (index, branch) in branches.into_iter().enumerate() {
                node.trees.push(self.branch(index, branch, node.discriminator.as_deref()));
            }
            node.cases = self.cases(&node, fragment, "oneOfLayout", false);
        } else {
            for (pattern, entry) in fragment.map("patternProperties") {
                let id = self.tree(entry, String::new(), Place::Root);
                if let Some(tree) = self.trees.get_mut(id.index()) {
                    tree.pattern = Some(pattern.to_owned());
                }
                node.trees.push(id);
            }
            node.title = fragment.text("title").map(str::to_owned);
            node.cases = self.cases(&node, fragment, "patternPropertiesLayout", false);
        }
        node
    }

    fn branch(
        &mut self,
        index: usize,
        branch: Fragment<'s>,
        discriminator: Option<&str>,
    ) -> TreeId {
        let tag = discriminator.and_then(|name| constant_of(&branch, name)).cloned();
        if discriminator.is_some() && tag.is_none() {
            self.finding(branch.at(), "the discriminator has no constant value in this variant");
        }
        let id = self.tree(branch, index.to_string(), Place::Same);
        if let Some(tree) = self.trees.get_mut(id.index()) {
            tree.title.get_or_insert_with(|| format!("option {}", index + 1));
            tree.tag = tag;
        }
        id
    }

    fn array(&mut self, node: &mut Node, spot: &Spot<'s>) {
        let fragment = &spot.fragment;
        if fragment.get("prefixItems").is_some() {
            let least = fragment.get("minItems").and_then(Value::as_u64).unwrap_or(0);
            for (index, item) in fragment.list("prefixItems").into_iter().enumerate() {
                node.children.push(self.node(Spot {
                    key: index.to_string(),
                    place: Place::Index(index),
                    required: u64::try_from(index).is_ok_and(|index| index < least),
                    fragment: item,
                    data_type: None,
                    condition: None,
                    level: spot.level + 1,
                }));
            }
        } else if let Some(item) = fragment.one("items") {
            node.trees.push(self.tree(item, String::new(), Place::Root));
        }
    }

    /// The children of an object in the order of the schema.
    fn children(&mut self, spot: &Spot<'s>) -> Vec<NodeId> {
        let mut children = Vec::new();
        for keyword in spot.fragment.keywords() {
            match keyword {
                "properties" => self.properties(spot, &mut children),
                "patternProperties" | "oneOf" => {
                    let id = self.shared(spot, format!("${keyword}"), spot.fragment.clone(), None);
                    children.push(id);
                }
                "allOf" => {
                    for (index, part) in spot.fragment.list("allOf").into_iter().enumerate() {
                        children.push(self.shared(spot, format!("$allOf-{index}"), part, None));
                    }
                }
                "then" | "else" => {
                    let Some((at, _)) = spot.fragment.find("if") else { continue };
                    let Some(part) = spot.fragment.one(keyword) else { continue };
                    let condition = match keyword {
                        "then" => Condition::Valid(at.into()),
                        _ => Condition::Invalid(at.into()),
                    };
                    children.push(self.shared(spot, format!("${keyword}"), part, Some(condition)));
                }
                _ => {}
            }
        }
        children
    }

    fn properties(&mut self, spot: &Spot<'s>, children: &mut Vec<NodeId>) {
        let fragment = &spot.fragment;
        let required: Vec<&str> = fragment
            .get("required")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let required: hashbrown::HashSet<&str> = required.into_iter().collect();
        let mut dependent: HashMap<&str, Fragment<'s>> =
            fragment.map("dependentSchemas").into_iter().collect();
        for (name, property) in fragment.map("properties") {
            children.push(self.node(Spot {
                key: name.to_owned(),
                place: Place::Property,
                fragment: property,
                data_type: None,
                required: required.contains(name),
                condition: None,
                level: spot.level + 1,
            }));
            if let Some(part) = dependent.remove(name) {
                let condition = Condition::Present(name.to_owned());
                children.push(self.shared(spot, format!("$deps-{name}"), part, Some(condition)));
            }
        }
    }

    /// A child that shares the data of its parent.
    fn shared(
        &mut self,
        parent: &Spot<'s>,
        key: String,
        fragment: Fragment<'s>,
        condition: Option<Condition>,
    ) -> NodeId {
        self.node(Spot {
            key,
            place: Place::Same,
            fragment,
            data_type: Some(Type::Object),
            required: false,
            condition,
            level: parent.level + 1,
        })
    }

    /// Fills in the names of the properties of a node.
    fn keys_of(&mut self, node: &mut Node, fragment: &Fragment<'s>) {
        let mut known = hashbrown::HashSet::new();
        let mut pending = vec![fragment.clone()];
        while let Some(fragment) = pending.pop() {
            let own = fragment.get("properties").and_then(Value::as_object);
            self.keys += 1 + own.map_or(0, Map::len);
            if self.keys > MAX_KEYS {
                self.too_much(fragment.at(), "properties");
                return;
            }
            for (name, property) in own.into_iter().flatten() {
                if !known.insert(name.as_str()) {
                    continue;
                }
                node.property_keys.push(name.clone());
                let property = fragment.inner(Pointer::root(), property);
                if property.get("readOnly") == Some(&Value::Bool(true)) {
                    node.read_only_keys.push(name.clone());
                }
            }
            let mut more = fragment.list("allOf");
            more.extend(fragment.list("oneOf"));
            more.extend(["then", "else"].into_iter().filter_map(|keyword| fragment.one(keyword)));
            more.extend(fragment.map("dependentSchemas").into_iter().map(|(_, schema)| schema));
            more.reverse();
            pending.append(&mut more);
        }
    }
}

/// The property that tells variants apart: the declared one, else the first that has a constant
/// value of its own in each of them.
fn discriminator(fragment: &Fragment<'_>, branches: &[Fragment<'_>]) -> Option<String> {
    let declared = fragment.get("discriminator").and_then(|d| d.get("propertyName"));
    if let Some(name) = declared.and_then(Value::as_str) {
        return Some(name.to_owned());
    }
    let first = branches.first()?;
    let is_distinct = |name: &&str| {
        let tags: Option<Vec<String>> =
            branches.iter().map(|branch| constant_of(branch, name).map(Value::to_string)).collect();
        tags.is_some_and(|tags| {
            let distinct: hashbrown::HashSet<&String> = tags.iter().collect();
            distinct.len() == tags.len()
        })
    };
    let names = first.map("properties").into_iter();
    let constants = names.filter(|(_, schema)| schema.get("const").is_some());
    constants.map(|(name, _)| name).find(is_distinct).map(str::to_owned)
}

/// The constant value of a property of a variant.
fn constant_of<'s>(branch: &Fragment<'s>, name: &str) -> Option<&'s Value> {
    let (at, properties) = branch.find("properties")?;
    let property = properties.get(name)?;
    branch.inner(at.join(name), property).get("const")
}

/// What a node has of its schema, without children.
fn skeleton(spot: &Spot<'_>, data_type: Option<Type>) -> Node {
    let fragment = &spot.fragment;
    let nullable = fragment.is_nullable();
    let constraints = CONSTRAINTS.into_iter().filter_map(|keyword| {
        let value = fragment.get(keyword)?;
        Some((keyword, value.clone()))
    });
    Node {
        key: spot.key.clone(),
        place: spot.place,
        pointers: fragment.pointers(),
        data_type,
        required: spot.required && (!nullable || spot.place == Place::Root),
        nullable,
        title: fragment.text("title").map(str::to_owned),
        condition: spot.condition.clone(),
        constraints: constraints.collect(),
        constant: fragment.get("const").cloned(),
        ..hidden()
    }
}

/// A node that shows nothing.
pub(super) fn hidden() -> Node {
    Node {
        key: String::new(),
        place: Place::Root,
        pointers: Vec::new(),
        data_type: None,
        required: false,
        nullable: false,
        title: None,
        property_keys: Vec::new(),
        read_only_keys: Vec::new(),
        condition: None,
        constraints: Vec::new(),
        constant: None,
        cases: Vec::new(),
        children: Vec::new(),
        trees: Vec::new(),
        discriminator: None,
        recursive: false,
    }
}

fn no_tree() -> Tree {
    Tree { root: NodeId(0), pointer: String::new(), title: None, tag: None, pattern: None }
}

/// Marks a node of every circle.
fn mark_recursive(nodes: &mut [Node], trees: &[Tree]) {
    let mut search = Search { states: vec![State::New; nodes.len()], closing: Vec::new() };
    for tree in trees {
        search.from(tree.root.index(), nodes, trees);
    }
    for index in search.closing {
        if let Some(node) = nodes.get_mut(index) {
            node.recursive = true;
        }
    }
}

/// How far a search has come with a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    Open,
    Done,
}

/// Depth-first search, without recursion because layouts can be deep.
struct Search {
    states: Vec<State>,
    /// Nodes that a circle closes at.
    closing: Vec<usize>,
}

impl Search {
    fn from(&mut self, start: usize, nodes: &[Node], trees: &[Tree]) {
        let mut path = vec![(start, 0)];
        while let Some((index, next)) = path.last_mut() {
            let (index, edge) = (*index, *next);
            *next += 1;
            let Some(state) = self.states.get_mut(index) else { return };
            if edge == 0 && *state == State::Done {
                path.pop();
                continue;
            }
            *state = State::Open;
            let Some(target) = edge_of(nodes, trees, index, edge) else {
                *state = State::Done;
                path.pop();
                continue;
            };
            match self.states.get(target) {
                Some(State::Open) => self.closing.push(target),
                Some(State::New) => path.push((target, 0)),
                _ => {}
            }
        }
    }
}

/// The node that an edge leads to: to the children first, then to the roots of the trees.
fn edge_of(nodes: &[Node], trees: &[Tree], index: usize, edge: usize) -> Option<usize> {
    let node = nodes.get(index)?;
    if let Some(child) = node.children.get(edge) {
        return Some(child.index());
    }
    let tree = node.trees.get(edge - node.children.len())?;
    trees.get(tree.index()).map(|tree| tree.root.index())
}
