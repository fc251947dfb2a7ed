//! Decides which definitions stand under `$defs` and which are written where they are used.

mod effort;

use std::collections::{BTreeMap, VecDeque};

use serde_json::{Map, Value};

use super::convert::{Definition, Edge, Graph};
use super::keyword::for_each_subschema;
use super::{Bundle, merge};
use crate::json::{Pointer, Problem};

/// A definition used more than once is written in place up to this many bytes.
const SMALL: usize = 400;

/// Nothing is written in place beyond this nesting, counted in schemas.
const MAX_DEPTH: usize = 24;

/// Largest result in bytes of JSON.
const MAX_SIZE: usize = 4 << 20;

/// Deepest result in levels of JSON; parsers take 128, and the result becomes a part of more.
const MAX_LEVELS: usize = 100;

const PREFIX: &str = "#/$defs/";

/// Puts translated schemas together.
///
/// # Errors
/// References that loop without entering the value, and too large a result.
pub(super) fn pack(graph: Graph) -> Result<Bundle, Vec<Problem>> {
    let place = graph.place.clone();
    let problems = loops(&graph.definitions);
    if !problems.is_empty() {
        return Err(problems);
    }
    let mut packer = Packer::new(graph);
    for index in packer.order() {
        packer.pack_definition(index);
    }
    packer.finish(place)
}

struct Packer {
    definitions: Vec<Definition>,
    roots: usize,
    index: BTreeMap<String, usize>,
    /// How many references each definition has.
    uses: Vec<usize>,
    /// What was decided for each definition.
    fates: Vec<Fate>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Fate {
    recursive: bool,
    in_place: bool,
    size: usize,
    depth: usize,
    /// Work for a validator, see [`effort`]; counted once where definitions recurse, because
    /// validators remember what they know about those.
    effort: u64,
}

impl Packer {
    fn new(graph: Graph) -> Self {
        let Graph { definitions, roots, .. } = graph;
        let mut uses = vec![0; definitions.len()];
        for edge in definitions.iter().flat_map(|definition| &definition.edges) {
            if let Some(uses) = uses.get_mut(edge.to) {
                *uses += 1;
            }
        }
        let names = definitions.iter().enumerate().skip(roots);
        let index = names.map(|(index, definition)| (definition.name.clone(), index)).collect();
        let fates = vec![Fate::default(); definitions.len()];
        Self { definitions, roots, index, uses, fates }
    }

    /// All definitions, each after those it refers to, except where that runs in a circle: those
    /// that close one are marked as recursive.
    fn order(&mut self) -> Vec<usize> {
        let mut order = Vec::new();
        let mut states = vec![State::New; self.definitions.len()];
        for root in 0..self.roots {
            for (_, to) in search(&self.definitions, root, &mut states, |_| true, &mut order) {
                if let Some(fate) = self.fates.get_mut(to) {
                    fate.recursive = true;
                }
            }
        }
        order
    }

    fn pack_definition(&mut self, index: usize) {
        let Some(definition) = self.definitions.get_mut(index) else { return };
        let mut value = std::mem::take(&mut definition.value);
        let effort = effort::effort(&value, &|reference| self.effort_of(reference));
        let depth = self.expand(&mut value);
        let size = weight(&value);
        let is_root = index < self.roots;
        let used_once = self.uses.get(index).is_some_and(|&uses| uses == 1);
        if let (Some(fate), Some(definition)) =
            (self.fates.get_mut(index), self.definitions.get_mut(index))
        {
            let fits = depth < MAX_DEPTH && (used_once || size <= SMALL);
            fate.in_place = !is_root && !fate.recursive && fits;
            fate.size = size;
            fate.depth = depth;
            fate.effort = effort;
            definition.value = value;
        }
    }

    fn effort_of(&self, reference: &str) -> u64 {
        let index = reference.strip_prefix(PREFIX).and_then(|name| self.index.get(name));
        index.and_then(|&index| self.fates.get(index)).map_or(1, |fate| fate.effort.max(1))
    }

    /// Writes definitions in place inside a schema; returns how deep its schemas nest.
    fn expand(&mut self, schema: &mut Value) -> usize {
        let mut depth = 0;
        for_each_subschema(schema, &mut |child| depth = depth.max(self.expand(child)));
        depth += 1;
        let Some(target) = reference(schema).and_then(|name| self.index.get(name).copied()) else {
            return depth;
        };
        let fate = self.fates.get(target).copied().unwrap_or_default();
        if !fate.in_place || depth + fate.depth > MAX_DEPTH {
            return depth;
        }
        let body = self.body(target);
        replace_reference(schema, body);
        depth + fate.depth
    }

    /// The schema of a definition; moved out where it is needed once.
    fn body(&mut self, index: usize) -> Value {
        let used_once = self.uses.get(index).is_some_and(|&uses| uses == 1);
        match self.definitions.get_mut(index) {
            Some(definition) if used_once => std::mem::take(&mut definition.value),
            Some(definition) => definition.value.clone(),
            None => Value::Bool(true),
        }
    }

    /// The result; problems with it as a whole are located at `place`.
    fn finish(mut self, place: Pointer) -> Result<Bundle, Vec<Problem>> {
        if self.fates.iter().any(|fate| fate.effort > effort::MAX) {
            let message = format!(
                "its references repeat each other: more than {} schemas would be applied to one \
                 value, let each schema name another one once",
                effort::MAX
            );
            return Err(vec![Problem::new(place, message)]);
        }
        let mut schemas = Vec::new();
        for index in 0..self.roots {
            let value = self.definitions.get_mut(index).map(|d| std::mem::take(&mut d.value));
            schemas.push(self.open_root(value.unwrap_or_default()));
        }
        let definitions = self.remaining(&mut schemas);
        let size = schemas.iter().chain(definitions.values()).map(weight).sum::<usize>();
        if size > MAX_SIZE {
            let message =
                format!("the schema is larger than {MAX_SIZE} bytes with all it refers to");
            return Err(vec![Problem::new(place, message)]);
        }
        if schemas.iter().chain(definitions.values()).any(|schema| levels(schema) > MAX_LEVELS) {
            let message = format!("the schema nests deeper than {MAX_LEVELS} levels");
            return Err(vec![Problem::new(place, message)]);
        }
        Ok(Bundle { schemas, definitions })
    }

    /// A schema that was asked for is never a mere reference: its type and properties show.
    fn open_root(&self, mut schema: Value) -> Value {
        while let Some(index) = reference(&schema).and_then(|name| self.index.get(name)) {
            let body = self.definitions.get(*index).map(|definition| definition.value.clone());
            replace_reference(&mut schema, body.unwrap_or(Value::Bool(true)));
        }
        schema
    }

    /// The definitions that are still referred to, in the order they are met.
    fn remaining(&mut self, schemas: &mut [Value]) -> Map<String, Value> {
        let mut found = Map::new();
        let mut pending = VecDeque::new();
        for schema in schemas {
            collect_names(schema, &mut pending);
        }
        while let Some(name) = pending.pop_front() {
            let index = self.index.get(&name).copied();
            let definition = index.and_then(|index| self.definitions.get_mut(index));
            if let Some(definition) = definition.filter(|_| !found.contains_key(&name)) {
                collect_names(&mut definition.value, &mut pending);
                found.insert(name, std::mem::take(&mut definition.value));
            }
        }
        found
    }
}

/// The definition a schema refers to.
fn reference(schema: &Value) -> Option<&str> {
    schema.get("$ref")?.as_str()?.strip_prefix(PREFIX)
}

fn collect_names(schema: &mut Value, names: &mut VecDeque<String>) {
    names.extend(reference(schema).map(str::to_owned));
    for_each_subschema(schema, &mut |child| collect_names(child, names));
}

/// Replaces the reference of a schema by what it refers to; what stands beside it is kept.
fn replace_reference(schema: &mut Value, body: Value) {
    if let Value::Object(map) = schema {
        map.shift_remove("$ref");
        *schema = merge::beside(body, std::mem::take(map));
    }
}

/// Size as JSON text in bytes, about.
fn weight(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) => 4,
        Value::Number(number) => number.as_str().len(),
        Value::String(text) => text.len() + 2,
        Value::Array(items) => 1 + items.iter().map(|item| weight(item) + 1).sum::<usize>(),
        Value::Object(map) => {
            1 + map.iter().map(|(key, value)| key.len() + 4 + weight(value)).sum::<usize>()
        }
    }
}

/// How deep a value nests.
fn levels(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(levels).max().unwrap_or(0),
        Value::Object(map) => 1 + map.values().map(levels).max().unwrap_or(0),
        _ => 0,
    }
}

/// Problems for references that lead back to their own schema without entering the value.
fn loops(definitions: &[Definition]) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut states = vec![State::New; definitions.len()];
    let mut order = Vec::new();
    for start in 0..definitions.len() {
        for (at, _) in search(definitions, start, &mut states, |edge| edge.in_place, &mut order) {
            let message = "the reference leads back to its own schema without entering the value, \
                           so validation would never end";
            problems.push(Problem::new(at, message));
        }
    }
    problems
}

/// How far a search has come with a definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    Open,
    Done,
}

/// Depth-first search without recursion, because chains of references can be long. Appends
/// definitions to `order` when all they lead to is done; returns the places and targets of
/// references that close a circle.
fn search(
    definitions: &[Definition],
    start: usize,
    states: &mut [State],
    follow: fn(&Edge) -> bool,
    order: &mut Vec<usize>,
) -> Vec<(Pointer, usize)> {
    let mut closing = Vec::new();
    let mut path: Vec<(usize, usize)> = Vec::new();
    if enter(start, states) {
        path.push((start, 0));
    }
    while let Some((index, next)) = path.last_mut() {
        let Some(edge) = definitions.get(*index).and_then(|d| d.edges.get(*next)) else {
            order.push(*index);
            if let Some(state) = states.get_mut(*index) {
                *state = State::Done;
            }
            path.pop();
            continue;
        };
        *next += 1;
        if !follow(edge) {
            continue;
        }
        if states.get(edge.to) == Some(&State::Open) {
            closing.push((edge.at.clone(), edge.to));
        } else if enter(edge.to, states) {
            path.push((edge.to, 0));
        }
    }
    closing
}

/// Opens a definition that is new.
fn enter(index: usize, states: &mut [State]) -> bool {
    match states.get_mut(index) {
        Some(state @ State::New) => {
            *state = State::Open;
            true
        }
        _ => false,
    }
}
