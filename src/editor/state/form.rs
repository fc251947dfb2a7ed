//! A schema compiled for editing.

use std::cell::OnceCell;

use jsonschema::{Registry, Validator};
use serde_json::{Value, json};

use super::{Hidden, check, growth::Growth, locked, range};
use crate::{
    editor::layout::{self, CompileOptions, Component, Condition, Layout, Node},
    json::Problem,
    pattern,
};

/// Name of the schema among the resources of the validators.
const NAME: &str = "urn:form";

/// A compiled form: layout and validators of one schema.
///
/// Compiling is the expensive part; keep a form per VM by the hash of its schema and the language of
/// its texts. It holds nothing of any session. Validators of parts are compiled when they are first
/// needed.
#[derive(Debug)]
pub struct Form {
    layout: Layout,
    document: Validator,
    parts: Vec<(String, OnceCell<Option<Validator>>)>,
    patterns: Vec<(String, Validator)>,
    registry: Registry<'static>,
    /// Presentation of nodes that are not shown.
    pub(super) hidden: Component,
    /// Data of a union whose object is not there.
    pub(super) empty: Value,
    growth: Growth,
    /// What of the documents is not for the agent.
    concealed: Hidden,
    has_locks: bool,
}

impl Form {
    /// Compiles a schema that [`crate::editor::prepare`] has prepared.
    ///
    /// # Errors
    /// What in the schema cannot be edited as a form, by JSON Pointer into the schema.
    pub fn compile(schema: &Value, options: &CompileOptions<'_>) -> Result<Self, Vec<Problem>> {
        let layout = layout::compile(schema, options)?;
        let document = validator_options()
            .build(layout.schema())
            .map_err(|error| vec![Problem::new(error.schema_path().as_str(), REFUSED)])?;
        let registry = Registry::new()
            .add(NAME, layout.schema().clone())
            .and_then(jsonschema::RegistryBuilder::prepare)
            .map_err(|_| vec![Problem::new("", REFUSED)])?;
        let parts = pointers(&layout).into_iter().map(|pointer| (pointer, OnceCell::new()));
        let parts = parts.collect();
        Ok(Self {
            growth: Growth::of(&layout),
            patterns: patterns(&layout),
            concealed: Hidden::default(),
            has_locks: locked::has_locks(layout.schema()),
            hidden: Component::default(),
            empty: json!({}),
            layout,
            document,
            parts,
            registry,
        })
    }

    /// The same form for documents of which something is not for the agent.
    #[must_use]
    pub fn concealing(self, concealed: Hidden) -> Self {
        Self { concealed, ..self }
    }

    /// What of the documents is not for the agent.
    pub fn concealed(&self) -> &Hidden {
        &self.concealed
    }

    /// Whether the schema marks something as read-only.
    pub(super) fn has_locks(&self) -> bool {
        self.has_locks
    }

    /// The layout of the form.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Whether data satisfies the schema at a pointer; true when that schema cannot be compiled.
    pub(super) fn accepts(&self, pointer: &str, data: &Value) -> bool {
        let part = self.parts.binary_search_by(|(known, _)| known.as_str().cmp(pointer));
        let Some((_, cell)) = part.ok().and_then(|index| self.parts.get(index)) else {
            return true;
        };
        let validator = cell.get_or_init(|| self.compile_part(pointer));
        validator.as_ref().is_none_or(|validator| pattern::bounded(|| validator.is_valid(data)))
    }

    /// What is wrong with a document.
    pub(super) fn check(&self, document: &Value) -> Vec<check::Finding> {
        check::findings(&self.document, self.growth, self.layout.schema(), document)
    }

    /// Whether a key matches a pattern of `patternProperties`.
    pub(super) fn matches(&self, pattern: &str, key: &str) -> bool {
        let place = self.patterns.binary_search_by(|(known, _)| known.as_str().cmp(pattern));
        let validator = place.ok().and_then(|index| self.patterns.get(index));
        let key = Value::String(key.to_owned());
        validator.is_some_and(|(_, validator)| pattern::bounded(|| validator.is_valid(&key)))
    }

    fn compile_part(&self, pointer: &str) -> Option<Validator> {
        let reference = json!({ "$ref": format!("{NAME}#{}", encode(pointer)) });
        validator_options().with_registry(&self.registry).build(&reference).ok()
    }
}

const REFUSED: &str = "the schema cannot be used for validation; correct this keyword";

/// How the schemas of forms are compiled: as those of requests, with ranges of dates.
fn validator_options<'i>() -> jsonschema::ValidationOptions<'i> {
    range::KEYWORDS.into_iter().fold(pattern::options(), |options, keyword| {
        options.with_keyword(keyword, move |schema, limit, _| {
            Ok(range::keyword(keyword, schema, limit))
        })
    })
}

/// Pointers of the schemas that are validated alone, in order: conditions, and variants without a
/// tag.
fn pointers(layout: &Layout) -> Vec<String> {
    let mut pointers: Vec<String> = Vec::new();
    for node in layout.nodes() {
        if let Some(Condition::Valid(pointer) | Condition::Invalid(pointer)) = &node.condition {
            pointers.push(pointer.clone());
        }
        if is_union(node) {
            pointers.extend(node.trees.iter().map(|tree| layout.tree(*tree).pointer.clone()));
        }
    }
    pointers.sort_unstable();
    pointers.dedup();
    pointers
}

/// Checks of names by the patterns of `patternProperties`, in order of the patterns.
fn patterns(layout: &Layout) -> Vec<(String, Validator)> {
    let mut named: Vec<String> =
        layout.trees().iter().filter_map(|tree| tree.pattern.clone()).collect();
    if locked::has_locks(layout.schema()) {
        named_in(layout.schema(), &mut named);
    }
    named.sort_unstable();
    named.dedup();
    named
        .into_iter()
        .filter_map(|pattern| {
            let schema = json!({ "pattern": &pattern });
            Some((pattern, validator_options().build(&schema).ok()?))
        })
        .collect()
}

/// All patterns for the names of members in a schema.
fn named_in(schema: &Value, named: &mut Vec<String>) {
    match schema {
        Value::Object(members) => {
            let patterns = members.get("patternProperties").and_then(Value::as_object);
            named.extend(patterns.into_iter().flat_map(serde_json::Map::keys).cloned());
            members.values().for_each(|member| named_in(member, named));
        }
        Value::Array(items) => items.iter().for_each(|item| named_in(item, named)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Whether a node stands for the `oneOf` of an object.
pub(in crate::editor) fn is_union(node: &Node) -> bool {
    node.key == "$oneOf"
}

/// A pointer as a URI fragment.
fn encode(pointer: &str) -> String {
    let mut fragment = String::with_capacity(pointer.len());
    for byte in pointer.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/$!&'()*+,;=:@".contains(&byte) {
            fragment.push(char::from(byte));
        } else {
            fragment.push('%');
            for digit in [byte >> 4, byte & 15] {
                fragment.extend(char::from_digit(digit.into(), 16));
            }
        }
    }
    fragment
}
