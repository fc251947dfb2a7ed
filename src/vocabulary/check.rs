//! The check of every annotation in a document against the vocabulary.

mod message;
mod place;
mod walk;

use hashbrown::HashSet;
use jsonschema::Validator;
use serde_json::{Map, Value, json};

use self::{
    place::Annotation,
    walk::{Found, Walk},
};
use super::{KEY, Root, profiles, words::quote};
use crate::json::{Pointer, Problem};

/// The JSON Schema (2020-12) of the vocabulary. Its top level describes an annotated OpenAPI
/// document, its `$defs` the annotations of each place.
pub const SCHEMA: &str = include_str!("../../schema/x-agent.schema.json");

/// Objects and arrays that one [`Checker::step`] visits.
const STEP: usize = 500;

/// Problems after which a check stops: the author has enough to do.
const MOST: usize = 500;

/// Checks every `x-agent` of a document; all offences (up to some hundred), none twice: annotations
/// in document order, offences of one annotation by place.
///
/// See [`Checker`] for the same in slices.
pub fn check(document: &Value) -> Vec<Problem> {
    let mut checker = Checker::new(document);
    while checker.step() {}
    checker.finish()
}

/// A check in progress.
///
/// It looks at every place that the OpenAPI Specification knows (3.0 to 3.2), at schemas of any
/// depth and at places reached only by a `$ref` of the document to itself. Values of examples,
/// defaults, enumerations and extensions are data: an `x-agent` in them means nothing. Where an
/// annotation has no meaning it is refused.
#[derive(Debug)]
pub struct Checker<'d> {
    document: &'d Value,
    walk: Walk<'d>,
    vocabulary: Vocabulary,
    problems: Vec<Problem>,
}

impl<'d> Checker<'d> {
    /// A check of `document`, which is any JSON value.
    pub fn new(document: &'d Value) -> Self {
        Self {
            document,
            walk: Walk::new(document),
            vocabulary: Vocabulary::default(),
            problems: Vec::new(),
        }
    }

    /// Does a small, bounded piece of the work (some hundred objects); false when all is done.
    pub fn step(&mut self) -> bool {
        for _ in 0..STEP {
            match self.walk.next() {
                Some(Found::Nothing) => {}
                Some(Found::Annotation { value, pointer, place }) => {
                    self.annotation(value, &pointer, place);
                    return self.problems.len() < MOST;
                }
                None => return false,
            }
        }
        true
    }

    /// The offences found, profile includes that cannot be followed among them.
    pub fn finish(mut self) -> Vec<Problem> {
        let includes = profiles::include_problems(&Root::read(self.document));
        self.problems.extend(includes);
        if self.problems.len() >= MOST {
            self.problems.truncate(MOST);
            let message = format!("only the first {MOST} problems are shown; correct these first");
            self.problems.push(Problem::new("", message));
        }
        self.problems
    }

    fn annotation(&mut self, value: &Value, pointer: &Pointer, place: Option<Annotation>) {
        let Some(place) = place else {
            self.problems.push(misplaced(pointer));
            return;
        };
        let mut found = self.vocabulary.problems(place, value, pointer);
        if place == Annotation::Operation {
            found.extend(repeated_view_names(value, pointer));
        }
        let mut seen = HashSet::new();
        found.retain(|problem| seen.insert(problem.to_string()));
        found.sort_by(|left, right| left.at.cmp(&right.at));
        self.problems.extend(found);
    }
}

fn misplaced(pointer: &Pointer) -> Problem {
    Problem::new(
        pointer.as_str(),
        format!(
            "`{KEY}` has no meaning here; it belongs to the document root, a tag, an operation of \
             `paths`, a parameter or a schema: move it there or remove it"
        ),
    )
}

/// Views of one operation that share a name, which JSON Schema cannot express.
fn repeated_view_names(value: &Value, pointer: &Pointer) -> Vec<Problem> {
    let views = value.as_array().map_or(&[][..], Vec::as_slice);
    let mut seen: Map<String, Value> = Map::new();
    let mut problems = Vec::new();
    for (index, view) in views.iter().enumerate() {
        let Some(name) = view.get("name").and_then(Value::as_str) else { continue };
        match seen.get(name) {
            None => drop(seen.insert(name.to_owned(), index.into())),
            Some(first) => problems.push(Problem::new(
                pointer.join(index).join("name").as_str(),
                format!(
                    "{} is already the name of view {first} of this operation; every view needs a \
                     name of its own",
                    quote(name)
                ),
            )),
        }
    }
    problems
}

/// The compiled schema of each place, compiled on first use.
#[derive(Debug, Default)]
struct Vocabulary {
    schema: Value,
    validators: Vec<(Annotation, Validator)>,
}

impl Vocabulary {
    fn problems(&mut self, place: Annotation, value: &Value, at: &Pointer) -> Vec<Problem> {
        if let Err(message) = self.compile(place) {
            return vec![Problem::new(at.as_str(), message)];
        }
        let mut problems = Vec::new();
        for (known, validator) in &self.validators {
            if *known == place {
                for error in validator.iter_errors(value) {
                    message::describe(&error, &self.schema, at, &mut problems);
                }
            }
        }
        problems
    }

    fn compile(&mut self, place: Annotation) -> Result<(), String> {
        if self.validators.iter().any(|(known, _)| *known == place) {
            return Ok(());
        }
        if self.schema.is_null() {
            self.schema = serde_json::from_str(SCHEMA).map_err(|error| error.to_string())?;
        }
        let schema = json!({
            "$ref": format!("#/$defs/{}", place.definition()),
            "$defs": self.schema.get("$defs"),
        });
        let validator = jsonschema::draft202012::new(&schema).map_err(|error| error.to_string())?;
        self.validators.push((place, validator));
        Ok(())
    }
}
