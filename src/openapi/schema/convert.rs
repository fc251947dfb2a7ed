//! Translates every schema that is reached, once.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::check::is_small_example;
use super::keyword::{self, Kind};
use super::visibility::{hidden_properties, is_hidden};
use super::{Direction, walk};
use crate::json::{Pointer, Problem};
use crate::openapi::{Document, Node};

/// How many schemas one extraction may reach.
const MAX_SCHEMAS: usize = 100_000;

/// Longest name of a definition.
const MAX_NAME: usize = 48;

/// Translated schemas that refer to each other as `#/$defs/<name>`.
#[derive(Debug)]
pub(super) struct Graph {
    /// The schemas asked for come first.
    pub(super) definitions: Vec<Definition>,
    /// How many schemas were asked for.
    pub(super) roots: usize,
    /// Place of the first of them.
    pub(super) place: Pointer,
}

/// One translated schema.
#[derive(Debug)]
pub(super) struct Definition {
    /// Name under `$defs`; empty for a schema that was asked for.
    pub(super) name: String,
    /// The schema.
    pub(super) value: Value,
    /// Its references.
    pub(super) edges: Vec<Edge>,
}

/// A reference from one definition to another.
#[derive(Debug)]
pub(super) struct Edge {
    /// Index of the target.
    pub(super) to: usize,
    /// The target applies to the same value as the whole definition that refers to it.
    pub(super) in_place: bool,
    /// Place of the reference in the document.
    pub(super) at: Pointer,
}

/// Translates the schemas at `nodes` and all they refer to.
///
/// # Errors
/// All faults found.
pub(super) fn convert(
    document: &Document,
    nodes: &[Node<'_>],
    direction: Direction,
) -> Result<Graph, Vec<Problem>> {
    let mut converter = Converter {
        document,
        direction,
        problems: Vec::new(),
        targets: Vec::new(),
        definitions: Vec::new(),
        by_key: BTreeMap::new(),
        names: BTreeMap::new(),
        count: 0,
    };
    for node in nodes {
        let key = Key { place: node.pointer.clone(), base: false, scope: Vec::new() };
        converter.add(String::new(), node.clone(), key);
    }
    converter.run();
    if converter.problems.is_empty() {
        let place = nodes.first().map(|node| node.pointer.clone()).unwrap_or_default();
        Ok(Graph { definitions: converter.definitions, roots: nodes.len(), place })
    } else {
        Err(converter.problems)
    }
}

/// What distinguishes two translations of schemas.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key {
    /// Place of the schema.
    pub(super) place: Pointer,
    /// Translated as the base of another one: without the alternatives of its discriminator.
    pub(super) base: bool,
    /// Schema resources passed on the way, outermost first; kept only where `$dynamicRef` asks.
    pub(super) scope: Vec<Pointer>,
}

/// State of one extraction.
#[derive(Debug)]
pub(super) struct Converter<'d> {
    pub(super) document: &'d Document,
    pub(super) direction: Direction,
    pub(super) problems: Vec<Problem>,
    targets: Vec<(Node<'d>, Key)>,
    definitions: Vec<Definition>,
    by_key: BTreeMap<Key, usize>,
    /// Names of definitions, each with the last number that was put after it.
    names: BTreeMap<String, usize>,
    count: usize,
}

/// Where in a definition a schema stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spot<'s, 'd> {
    /// Index of the definition.
    pub(super) owner: usize,
    /// It applies to the same value as the whole definition.
    pub(super) in_place: bool,
    /// It is a part of an `allOf`.
    pub(super) in_all_of: bool,
    /// Names of properties that are left out of the object it describes.
    pub(super) hidden: &'s [&'d str],
}

impl Spot<'_, '_> {
    fn child(self) -> Self {
        Spot { in_place: false, in_all_of: false, hidden: &[], ..self }
    }
}

impl<'d> Converter<'d> {
    fn run(&mut self) {
        let mut index = 0;
        while let Some((node, _)) = self.targets.get(index) {
            let node = node.clone();
            let spot = Spot { owner: index, in_place: true, in_all_of: false, hidden: &[] };
            let value = self.schema(&node, spot);
            if let Some(definition) = self.definitions.get_mut(index) {
                definition.value = value;
            }
            index += 1;
        }
    }

    pub(super) fn key_of(&self, index: usize) -> Option<&Key> {
        self.targets.get(index).map(|(_, key)| key)
    }

    pub(super) fn problem(&mut self, at: &Node<'_>, message: impl Into<String>) {
        self.problems.push(Problem::new(at.pointer.clone(), message));
    }

    /// Translates one schema.
    pub(super) fn schema(&mut self, node: &Node<'d>, spot: Spot<'_, 'd>) -> Value {
        self.count += 1;
        if self.count >= MAX_SCHEMAS {
            if self.count == MAX_SCHEMAS {
                self.problem(node, format!("the schema reaches more than {MAX_SCHEMAS} others"));
            }
            return Value::Bool(true);
        }
        match node.value {
            Value::Object(map) => self.object(node, map, spot),
            Value::Bool(value) => Value::Bool(*value),
            _ => {
                self.problem(node, "expected a schema, which is an object, true or false");
                Value::Bool(true)
            }
        }
    }

    fn object(
        &mut self,
        node: &Node<'d>,
        map: &'d Map<String, Value>,
        spot: Spot<'_, 'd>,
    ) -> Value {
        if !self.document.version().is_2020_12() && map.contains_key("$ref") {
            let mut out = Map::new();
            self.reference(node, "$ref", spot, &mut out);
            return Value::Object(out);
        }
        let mut hidden = spot.hidden.to_vec();
        let parts = map.get("allOf").and_then(Value::as_array);
        let has_own_part = parts.is_some_and(|it| it.iter().any(|part| part.get("$ref").is_none()));
        if map.contains_key("required") || has_own_part {
            hidden.extend(hidden_properties(self.document, node, self.direction));
        }
        let spot = Spot { hidden: &hidden, ..spot };
        let skip_alternatives = self.is_used_as_base(node, spot);
        let mut out = Map::new();
        for (key, value) in map {
            if skip_alternatives && matches!(key.as_str(), "oneOf" | "anyOf") {
                continue;
            }
            if !value.is_null() || matches!(key.as_str(), "const" | "default" | "example") {
                let member = Node { value, pointer: node.pointer.join(key) };
                self.keyword(node, key, &member, spot, &mut out);
            }
        }
        if self.direction == Direction::Both {
            self.title_alternatives(node, &mut out);
        }
        self.discriminator(node, &mut out);
        super::dialect::finish(map, out)
    }

    /// Translates one keyword of the schema at `owner`.
    fn keyword(
        &mut self,
        owner: &Node<'d>,
        key: &'d str,
        node: &Node<'d>,
        spot: Spot<'_, 'd>,
        out: &mut Map<String, Value>,
    ) {
        let value = match key {
            "$ref" | "$dynamicRef" => return self.reference(owner, key, spot, out),
            "$recursiveRef" => return self.recursive_reference(owner, spot, out),
            "type" => self.type_value(node),
            "required" => self.required(node, spot),
            "properties" => Some(self.properties(node, spot)),
            "examples" => node.value.as_array().and_then(|_| self.examples(node)),
            "example" if !owner.value.get("examples").is_some_and(Value::is_array) => {
                let keep = is_small_example(node.value);
                keep.then(|| Value::Array(vec![node.value.clone()]))
            }
            "items" if node.value.is_array() => {
                let items = self.list(node, spot.child());
                out.extend(items.map(|items| ("prefixItems".to_owned(), items)));
                None
            }
            "additionalItems" if owner.value.get("items").is_some_and(Value::is_array) => {
                let rest = self.schema(node, spot.child());
                out.insert("items".to_owned(), rest);
                None
            }
            "dependencies" => {
                self.dependencies(node, spot, out);
                None
            }
            "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" => {
                self.bound(owner, key, node)
            }
            "multipleOf" => self.divisor(node),
            _ => match keyword::kind(key) {
                Some(kind) => self.by_kind(kind, key, node, spot),
                None => self.is_kept(key).then(|| node.value.clone()),
            },
        };
        let key = if key == "example" { "examples" } else { key };
        out.extend(value.map(|value| (key.to_owned(), value)));
    }

    /// Whether a keyword that JSON Schema does not define for values is kept.
    fn is_kept(&self, key: &str) -> bool {
        self.direction == Direction::Both
            && !key.starts_with('$')
            && !matches!(key, "definitions" | "discriminator" | "nullable" | "xml" | "externalDocs")
    }

    fn by_kind(
        &mut self,
        kind: Kind,
        key: &str,
        node: &Node<'d>,
        spot: Spot<'_, 'd>,
    ) -> Option<Value> {
        match kind {
            Kind::InPlace => Some(self.schema(node, Spot { in_all_of: false, ..spot })),
            Kind::InPlaceList => self.list(node, Spot { in_all_of: key == "allOf", ..spot }),
            Kind::InPlaceMap => self.map(node, Spot { in_all_of: false, ..spot }),
            Kind::Child => Some(self.schema(node, spot.child())),
            Kind::ChildList => self.list(node, spot.child()),
            Kind::ChildMap => {
                if key == "patternProperties" {
                    for (pattern, schema) in node.members() {
                        self.check_pattern(pattern, &schema);
                    }
                }
                self.map(node, spot.child())
            }
            kind => self.plain_value(kind, node),
        }
    }

    fn list(&mut self, node: &Node<'d>, spot: Spot<'_, 'd>) -> Option<Value> {
        if !node.value.is_array() {
            self.problem(node, "expected a list of schemas");
            return None;
        }
        let items: Vec<Value> = node.elements().map(|item| self.schema(&item, spot)).collect();
        (!items.is_empty()).then_some(Value::Array(items))
    }

    fn map(&mut self, node: &Node<'d>, spot: Spot<'_, 'd>) -> Option<Value> {
        if !node.value.is_object() {
            self.problem(node, "expected schemas by name");
            return None;
        }
        let schemas =
            node.members().map(|(name, schema)| (name.to_owned(), self.schema(&schema, spot)));
        Some(Value::Object(schemas.collect()))
    }

    fn properties(&mut self, node: &Node<'d>, spot: Spot<'_, 'd>) -> Value {
        let node = &self.document.named_schemas(node.clone());
        if !node.value.is_object() {
            self.problem(node, "expected schemas by property name");
        }
        let mut out = Map::new();
        for (name, schema) in node.members() {
            if !is_hidden(self.document, &schema, self.direction) {
                let value = self.schema(&schema, spot.child());
                out.insert(name.to_owned(), value);
            }
        }
        Value::Object(out)
    }

    fn required(&mut self, node: &Node<'d>, spot: Spot<'_, 'd>) -> Option<Value> {
        let Value::Array(names) = self.plain_value(Kind::Names, node)? else { return None };
        let is_kept = |name: &Value| name.as_str().is_some_and(|name| !spot.hidden.contains(&name));
        let names: Vec<Value> = names.into_iter().filter(is_kept).collect();
        (!names.is_empty()).then_some(Value::Array(names))
    }

    fn examples(&mut self, node: &Node<'d>) -> Option<Value> {
        let Value::Array(examples) = self.plain_value(Kind::DataList, node)? else { return None };
        let small: Vec<Value> = examples.into_iter().filter(is_small_example).collect();
        (!small.is_empty()).then_some(Value::Array(small))
    }

    /// `dependencies` of older drafts: lists of names or schemas.
    fn dependencies(&mut self, node: &Node<'d>, spot: Spot<'_, 'd>, out: &mut Map<String, Value>) {
        let (mut required, mut schemas) = (Map::new(), Map::new());
        for (name, dependency) in node.members() {
            if dependency.value.is_array() {
                required.extend(
                    self.plain_value(Kind::Names, &dependency).map(|v| (name.to_owned(), v)),
                );
            } else {
                let schema = self.schema(&dependency, Spot { in_all_of: false, ..spot });
                schemas.insert(name.to_owned(), schema);
            }
        }
        for (key, map) in [("dependentRequired", required), ("dependentSchemas", schemas)] {
            if !map.is_empty() {
                out.insert(key.to_owned(), Value::Object(map));
            }
        }
    }

    /// Bounds: `exclusiveMinimum: true` of older drafts turns `minimum` into an exclusive bound.
    fn bound(&mut self, owner: &Node<'d>, key: &str, node: &Node<'d>) -> Option<Value> {
        let (exclusive, inclusive) = if key.ends_with("inimum") {
            ("exclusiveMinimum", "minimum")
        } else {
            ("exclusiveMaximum", "maximum")
        };
        let is_exclusive = owner.value.get(exclusive).and_then(Value::as_bool);
        match (key == inclusive, is_exclusive) {
            (true, Some(true)) | (false, Some(false)) => None,
            (false, Some(true)) => {
                let bound = owner.get(inclusive)?;
                self.plain_value(Kind::Number, &bound)
            }
            _ => self.plain_value(Kind::Number, node),
        }
    }

    /// Writes a reference to what `key` of `owner` denotes.
    fn reference(
        &mut self,
        owner: &Node<'d>,
        key: &str,
        spot: Spot<'_, 'd>,
        out: &mut Map<String, Value>,
    ) {
        match self.target_of(owner, key, spot) {
            Ok(target) => {
                let name = self.refer(target, owner, owner.pointer.join(key), spot);
                out.insert("$ref".to_owned(), Value::String(format!("#/$defs/{name}")));
            }
            Err(problem) => self.problems.push(problem),
        }
    }

    /// `$recursiveRef` of draft 2019-09: the nearest enclosing schema with `$recursiveAnchor`, else
    /// the same as `$ref: "#"`. Where `#` is the document itself, it says nothing about a value.
    fn recursive_reference(
        &mut self,
        owner: &Node<'d>,
        spot: Spot<'_, 'd>,
        out: &mut Map<String, Value>,
    ) {
        if let Some(target) = self.document.recursive_target(&owner.pointer) {
            let at = owner.pointer.join("$recursiveRef");
            let name = self.refer(target, owner, at, spot);
            out.insert("$ref".to_owned(), Value::String(format!("#/$defs/{name}")));
        }
    }

    fn target_of(
        &self,
        owner: &Node<'d>,
        key: &str,
        spot: Spot<'_, 'd>,
    ) -> Result<Node<'d>, Problem> {
        let at = owner.pointer.join(key);
        let Some(text) = owner.value.get(key).and_then(Value::as_str) else {
            return Err(Problem::new(at, "expected a reference, which is a string"));
        };
        let target = if key == "$dynamicRef" {
            self.dynamic_target(text, owner, spot)
        } else {
            self.document.target(text, &owner.pointer)
        };
        walk::target_schema(self.document, target?, at)
    }

    /// Where `$dynamicRef` leads: to the outermost schema resource on the way that has a dynamic
    /// anchor of that name (JSON Schema 2020-12 core §8.2.3.2).
    fn dynamic_target(
        &self,
        text: &str,
        owner: &Node<'d>,
        spot: Spot<'_, 'd>,
    ) -> Result<Node<'d>, Problem> {
        let target = self.document.target(text, &owner.pointer)?;
        let name = target.value.get("$dynamicAnchor").and_then(Value::as_str);
        let Some(name) = name.filter(|name| text.ends_with(name)) else { return Ok(target) };
        let scope = self.key_of(spot.owner).map_or(&[][..], |key| &key.scope);
        let outer = scope.iter().find_map(|resource| self.document.dynamic_anchor(resource, name));
        Ok(outer.unwrap_or(target))
    }

    /// Records a reference; returns the name of its target.
    fn refer(
        &mut self,
        target: Node<'d>,
        owner: &Node<'d>,
        at: Pointer,
        spot: Spot<'_, 'd>,
    ) -> String {
        let base = spot.in_all_of && self.is_base(&target);
        let scope = self.scope_of(owner, &target, spot);
        let key = Key { place: target.pointer.clone(), base, scope };
        let known = self.by_key.get(&key).copied();
        let to = known.unwrap_or_else(|| {
            let name = self.unique_name(&target.pointer);
            self.add(name, target, key)
        });
        if let Some(definition) = self.definitions.get_mut(spot.owner) {
            definition.edges.push(Edge { to, in_place: spot.in_place, at });
        }
        self.definitions.get(to).map(|definition| definition.name.clone()).unwrap_or_default()
    }

    /// The schema resources passed to reach `target`, where the document has dynamic anchors.
    fn scope_of(&self, owner: &Node<'d>, target: &Node<'d>, spot: Spot<'_, 'd>) -> Vec<Pointer> {
        if !self.document.has_dynamic_anchors() {
            return Vec::new();
        }
        let mut scope = self.key_of(spot.owner).map(|key| key.scope.clone()).unwrap_or_default();
        for node in [owner, target] {
            let resource = self.document.schema_resource(&node.pointer);
            if !scope.contains(&resource) {
                scope.push(resource);
            }
        }
        scope
    }

    fn add(&mut self, name: String, node: Node<'d>, key: Key) -> usize {
        let index = self.definitions.len();
        if !name.is_empty() {
            self.by_key.insert(key.clone(), index);
        }
        self.definitions.push(Definition { name, value: Value::Null, edges: Vec::new() });
        self.targets.push((node, key));
        index
    }

    /// A name for `$defs` from the last segment of a place, made unique by a number.
    fn unique_name(&mut self, place: &Pointer) -> String {
        let last = match place.as_str().strip_prefix("/$files/") {
            // a whole file: its name without folders and ending
            Some(file) if !file.contains('/') => {
                let name = file.rsplit("~1").next().unwrap_or_default();
                name.split('.').next().unwrap_or_default()
            }
            _ => place.as_str().rsplit('/').next().unwrap_or_default(),
        };
        let is_clean = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
        let clean = |c| if is_clean(c) { c } else { '_' };
        let stem: String = last.chars().map(clean).take(MAX_NAME).collect();
        let mut name = stem.clone();
        let mut number = self.names.get(&stem).copied().unwrap_or(1);
        while self.names.contains_key(&name) {
            number += 1;
            name = format!("{stem}_{number}");
        }
        self.names.insert(name.clone(), 1);
        self.names.insert(stem, number);
        name
    }
}
