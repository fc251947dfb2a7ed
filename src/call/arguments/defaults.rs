//! Defaults of absent properties.
//!
//! They are found once per schema, so that a tool without defaults pays nothing for them. Followed
//! are `properties`, `items`, `prefixItems`, `additionalProperties`, `patternProperties`, `allOf`,
//! `then` and `$ref`; not `oneOf` and `anyOf`, where it is not known which branch is meant. Array
//! elements are never made up, and a default of `null` is never filled in: absent says the same and
//! clears nothing. Neither is an object where none can stand or that lacks required properties.

use hashbrown::HashMap;
use jsonschema::Validator;
use serde_json::{Map, Value, json};

use super::compile;

/// Schemas looked at; defaults beyond are not filled in.
const MAX_NODES: usize = 4_000;
/// Steps of one call; defaults beyond are not filled in.
const MAX_STEPS: usize = 100_000;
/// Nested calls; a `then` that leads back to its own schema ends here, no JSON value is as deep.
const MAX_DEPTH: usize = 160;

/// Schemas that one default is compared with.
const MAX_PARTS: usize = 32;

/// The defaults of one schema, as a graph because schemas recurse; node 0 is the root.
pub(super) struct Defaults {
    /// Empty when the schema has no defaults.
    nodes: Vec<Node>,
}

/// What one subschema says about defaults.
#[derive(Default)]
struct Node {
    /// Properties with their default and the node of their value.
    properties: Vec<(String, Option<Value>, usize)>,
    /// Patterns of property names.
    patterns: Vec<(Matcher, usize)>,
    additional: Option<usize>,
    prefix: Vec<usize>,
    items: Option<usize>,
    /// Nodes that apply to the same value.
    same: Vec<usize>,
    /// A condition and the node that applies to the same value when it holds.
    then: Option<(Matcher, usize)>,
}

/// A schema that is only compiled when its node matters.
enum Matcher {
    Schema(Value),
    Compiled(Option<Validator>),
}

impl Matcher {
    fn compile(&mut self) {
        if let Self::Schema(schema) = self {
            *self = Self::Compiled(compile(schema).ok());
        }
    }

    fn matches(&self, value: &Value) -> bool {
        matches!(self, Self::Compiled(Some(validator)) if validator.is_valid(value))
    }
}

impl Defaults {
    /// Finds the defaults of a schema.
    pub(super) fn find(schema: &Value) -> Self {
        let mut finder =
            Finder { root: schema, nodes: vec![], known: HashMap::new(), next: vec![] };
        finder.node(schema);
        while let Some((index, schema)) = finder.next.pop() {
            let node = finder.look(schema);
            if let Some(slot) = finder.nodes.get_mut(index) {
                *slot = node;
            }
        }
        let mut nodes = finder.nodes;
        let useful = useful(&nodes);
        if useful.first() != Some(&true) {
            return Self { nodes: Vec::new() };
        }
        let same: Vec<_> = (0..nodes.len()).map(|index| closure(&nodes, index, &useful)).collect();
        for (node, same) in nodes.iter_mut().zip(same) {
            node.prune(&useful);
            node.same = same;
        }
        Self { nodes }
    }

    /// Fills the defaults into a value.
    pub(super) fn fill(&self, value: &mut Value) {
        if !self.nodes.is_empty() {
            self.fill_node(0, value, &mut Budget { steps: MAX_STEPS, depth: MAX_DEPTH });
        }
    }

    fn fill_node(&self, index: usize, value: &mut Value, budget: &mut Budget) {
        let Some(root) = self.nodes.get(index) else { return };
        let same = root.same.iter().filter_map(|&same| self.nodes.get(same));
        if !budget.enter() {
            return;
        }
        for node in std::iter::once(root).chain(same) {
            match value {
                Value::Object(members) => self.fill_object(node, members, budget),
                Value::Array(items) => self.fill_array(node, items, budget),
                _ => {}
            }
            if let Some((condition, then)) = &node.then
                && condition.matches(value)
            {
                self.fill_node(*then, value, budget);
            }
        }
        budget.leave();
    }

    fn fill_object(&self, node: &Node, members: &mut Map<String, Value>, budget: &mut Budget) {
        for (name, default, child) in &node.properties {
            if let Some(default) = default
                && !members.contains_key(name)
            {
                members.insert(name.clone(), default.clone());
            }
            if let Some(member) = members.get_mut(name) {
                self.fill_node(*child, member, budget);
            }
        }
        if node.patterns.is_empty() && node.additional.is_none() {
            return;
        }
        for (name, member) in members.iter_mut() {
            let mut known = node.properties.iter().any(|(property, ..)| property == name);
            for (pattern, child) in &node.patterns {
                if pattern.matches(&Value::from(name.as_str())) {
                    known = true;
                    self.fill_node(*child, member, budget);
                }
            }
            if let (false, Some(child)) = (known, node.additional) {
                self.fill_node(child, member, budget);
            }
        }
    }

    fn fill_array(&self, node: &Node, items: &mut [Value], budget: &mut Budget) {
        for (position, item) in items.iter_mut().enumerate() {
            if let Some(child) = node.prefix.get(position).copied().or(node.items) {
                self.fill_node(child, item, budget);
            }
        }
    }
}

/// What is left of one call.
struct Budget {
    steps: usize,
    depth: usize,
}

impl Budget {
    fn enter(&mut self) -> bool {
        let allowed = self.steps > 0 && self.depth > 0;
        if allowed {
            self.steps -= 1;
            self.depth -= 1;
        }
        allowed
    }

    fn leave(&mut self) {
        self.depth += 1;
    }
}

impl Node {
    /// The nodes this node leads to.
    fn children(&self) -> impl Iterator<Item = usize> {
        let properties = self.properties.iter().map(|(.., child)| *child);
        let patterns = self.patterns.iter().map(|(_, child)| *child);
        let then = self.then.iter().map(|(_, child)| *child);
        let lists = self.prefix.iter().chain(&self.same).copied();
        properties.chain(patterns).chain(then).chain(lists).chain(self.additional).chain(self.items)
    }

    /// Drops what leads to no default and compiles what decides about the rest.
    fn prune(&mut self, useful: &[bool]) {
        let leads = |child: usize| useful.get(child) == Some(&true);
        self.additional = self.additional.filter(|&child| leads(child));
        self.items = self.items.filter(|&child| leads(child));
        self.then = self.then.take().filter(|(_, child)| leads(*child));
        if self.additional.is_none() {
            self.properties.retain(|(_, default, child)| default.is_some() || leads(*child));
            self.patterns.retain(|(_, child)| leads(*child));
        }
        self.patterns.iter_mut().for_each(|(pattern, _)| pattern.compile());
        if let Some((condition, _)) = &mut self.then {
            condition.compile();
        }
    }
}

/// Which nodes have a default or lead to one.
fn useful(nodes: &[Node]) -> Vec<bool> {
    let mut useful: Vec<bool> = nodes
        .iter()
        .map(|node| node.properties.iter().any(|(_, default, _)| default.is_some()))
        .collect();
    let mut changed = true;
    while changed {
        changed = false;
        for (index, node) in nodes.iter().enumerate().rev() {
            let leads = node.children().any(|child| useful.get(child) == Some(&true));
            if let Some(slot @ false) = useful.get_mut(index).filter(|_| leads) {
                *slot = true;
                changed = true;
            }
        }
    }
    useful
}

/// All nodes that apply to the same value as a node, itself excepted.
fn closure(nodes: &[Node], index: usize, useful: &[bool]) -> Vec<usize> {
    let mut found = Vec::new();
    let mut next = vec![index];
    while let Some(current) = next.pop() {
        for &same in nodes.get(current).map(|node| node.same.as_slice()).unwrap_or_default() {
            if same != index && useful.get(same) == Some(&true) && !found.contains(&same) {
                found.push(same);
                next.push(same);
            }
        }
    }
    found
}

/// Walks a schema without recursion: chains of references can be long.
struct Finder<'s> {
    root: &'s Value,
    nodes: Vec<Node>,
    known: HashMap<*const Value, usize>,
    next: Vec<(usize, &'s Value)>,
}

impl<'s> Finder<'s> {
    /// The node of a subschema, looked at later.
    fn node(&mut self, schema: &'s Value) -> usize {
        if let Some(&index) = self.known.get(&std::ptr::from_ref(schema)) {
            return index;
        }
        let index = self.nodes.len();
        if index < MAX_NODES {
            self.nodes.push(Node::default());
            self.known.insert(schema, index);
            self.next.push((index, schema));
        }
        index
    }

    /// What a subschema says.
    fn look(&mut self, schema: &'s Value) -> Node {
        let mut node = Node::default();
        for (name, property) in members(schema, "properties") {
            let default = property.get("default").filter(|default| !default.is_null());
            let default =
                default.filter(|it| it.as_object().is_none_or(|it| self.fits(property, it)));
            node.properties.push((name.clone(), default.cloned(), self.node(property)));
        }
        for (pattern, property) in members(schema, "patternProperties") {
            let matcher = Matcher::Schema(json!({ "pattern": pattern }));
            node.patterns.push((matcher, self.node(property)));
        }
        node.additional = schema.get("additionalProperties").map(|schema| self.node(schema));
        node.items = schema.get("items").map(|schema| self.node(schema));
        node.prefix = elements(schema, "prefixItems").map(|schema| self.node(schema)).collect();
        node.same = elements(schema, "allOf").map(|schema| self.node(schema)).collect();
        node.same.extend(self.target(schema).map(|target| self.node(target)));
        if let (Some(condition), Some(then)) = (schema.get("if"), schema.get("then")) {
            let defs = self.root.get("$defs").cloned().unwrap_or_else(|| json!({}));
            let condition = json!({ "$defs": defs, "allOf": [condition] });
            node.then = Some((Matcher::Schema(condition), self.node(then)));
        }
        node
    }

    /// Whether the schema of a default takes objects, and requires no property that it lacks.
    /// Generators write `{}` for whatever has no default of its own.
    fn fits(&self, schema: &'s Value, default: &Map<String, Value>) -> bool {
        let mut next = vec![schema];
        for _ in 0..MAX_PARTS {
            let Some(schema) = next.pop() else { break };
            let mut required = elements(schema, "required").filter_map(Value::as_str);
            if !takes_objects(schema) || required.any(|name| !default.contains_key(name)) {
                return false;
            }
            next.extend(elements(schema, "allOf"));
            next.extend(self.target(schema));
        }
        true
    }

    /// What `$ref` points at inside the schema.
    fn target(&self, schema: &Value) -> Option<&'s Value> {
        let pointer = schema.get("$ref")?.as_str()?.strip_prefix('#')?;
        self.root.pointer(pointer)
    }
}

fn takes_objects(schema: &Value) -> bool {
    match schema.get("type") {
        Some(Value::String(name)) => name == "object",
        Some(Value::Array(names)) => names.iter().any(|name| name == "object"),
        _ => true,
    }
}

fn members<'s>(
    schema: &'s Value,
    keyword: &str,
) -> impl Iterator<Item = (&'s String, &'s Value)> + use<'s> {
    schema.get(keyword).and_then(Value::as_object).into_iter().flatten()
}

fn elements<'s>(schema: &'s Value, keyword: &str) -> impl Iterator<Item = &'s Value> + use<'s> {
    schema.get(keyword).and_then(Value::as_array).into_iter().flatten()
}
