//! Overlay documents (Overlay Specification 1.0 and 1.1): changes to a document that one does not
//! own.
//!
//! An [`Overlay`] is read and checked as a whole, then applied action by action. Targets are the
//! part of `JSONPath` (RFC 9535) that `path` describes.

mod change;
mod path;
mod place;
mod query;
mod read;

use serde_json::Value;

use crate::json::Problem;
use change::Growth;
use path::Path;

/// An overlay that was checked.
#[derive(Debug)]
pub struct Overlay {
    actions: Vec<Action>,
}

/// One action and where it stands.
#[derive(Debug)]
struct Action {
    at: String,
    target: Path,
    change: Change,
}

/// What an action does to its targets.
#[derive(Debug)]
enum Change {
    Nothing,
    Remove,
    Update(Value),
    Copy(Path),
}

/// Overlays being applied to a document, one action at a time.
#[derive(Debug)]
pub struct Application {
    document: Value,
    actions: std::vec::IntoIter<Action>,
    growth: Growth,
    remarks: Vec<Problem>,
    problems: Vec<Problem>,
}

impl Overlay {
    /// Reads an overlay, JSON or YAML. `at` is its place for problems, such as `overlays[0]`.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn parse(text: &[u8], at: &str) -> Result<Self, Vec<Problem>> {
        read::overlay(text, at).map(|actions| Self { actions })
    }
}

impl Application {
    /// The application of overlays to a document, in this order.
    pub fn new(document: Value, overlays: Vec<Overlay>) -> Self {
        let actions: Vec<Action> = overlays.into_iter().flat_map(|it| it.actions).collect();
        Self {
            document,
            actions: actions.into_iter(),
            growth: Growth::default(),
            remarks: Vec::new(),
            problems: Vec::new(),
        }
    }

    /// Applies the next action; false when all are done.
    pub fn step(&mut self) -> bool {
        let Some(action) = self.actions.next() else { return false };
        match action.apply(&mut self.document, &mut self.growth) {
            Ok(0) => {
                let target = format!("{}.target", action.at);
                let message = format!("`{}` selects nothing", action.target.text);
                self.remarks.push(Problem::new(target, message));
            }
            Ok(_) => {}
            Err(message) => self.problems.push(Problem::new(action.at, message)),
        }
        true
    }

    /// The changed document, and the actions that changed nothing since their target is not there.
    ///
    /// # Errors
    /// All actions that could not be applied.
    pub fn finish(mut self) -> Result<(Value, Vec<Problem>), Vec<Problem>> {
        while self.step() {}
        if self.problems.is_empty() {
            Ok((self.document, self.remarks))
        } else {
            Err(self.problems)
        }
    }
}

impl Action {
    /// Applies the action; returns the number of its targets.
    fn apply(&self, document: &mut Value, growth: &mut Growth) -> Result<usize, String> {
        let places = query::places(document, &self.target)?;
        let count = places.len();
        match &self.change {
            Change::Nothing => {}
            Change::Remove => change::remove(document, &places)?,
            Change::Update(value) => change::update(document, &places, value, growth)?,
            Change::Copy(from) => {
                let value = change::copied(document, from, growth)?;
                change::update(document, &places, &value, growth)?;
            }
        }
        Ok(count)
    }
}

#[cfg(test)]
mod tests;
