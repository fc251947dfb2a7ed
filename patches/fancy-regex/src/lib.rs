//! The part of the `fancy-regex` API that `jsonschema` uses, over the next release of the crate without
//! its performance features, with bounds on the work of matching.
//!
//! `backtrack_limit` counts steps, not work: one step can run a look-ahead over the whole text, and a
//! pattern without look-around is not counted at all. So the work that a match can take at worst is
//! estimated before it starts, and what is too much fails as a match that backtracked too often.

use std::cell::Cell;

pub use fancy_regex::{Error, RuntimeError};
use regex_automata::meta;

/// Work that one match may take outside of [`with_budget`]; some nanoseconds a unit.
const MATCH: u64 = 200_000_000;

thread_local! {
    static LEFT: Cell<Option<u64>> = const { Cell::new(None) };
}

/// Does something in which all matches together may take at most `units` of work, and no more than
/// what is left of a budget around it.
pub fn with_budget<T>(units: u64, work: impl FnOnce() -> T) -> T {
    let outer = LEFT.get();
    let given = outer.map_or(units, |left| left.min(units));
    LEFT.set(Some(given));
    let result = work();
    let spent = given.saturating_sub(LEFT.get().unwrap_or(0));
    LEFT.set(outer.map(|left| left.saturating_sub(spent)));
    result
}

/// A compiled pattern.
#[derive(Clone, Debug)]
pub struct Regex {
    engine: Engine,
    pattern: Box<str>,
    /// Work for one byte of text, at worst.
    weight: u64,
}

#[derive(Clone, Debug)]
enum Engine {
    /// Each byte of the text is looked at once.
    Linear(meta::Regex),
    /// Each byte can be where a look-around over all the others starts.
    Backtracking(Box<fancy_regex::Regex>),
}

impl Regex {
    /// Compiles a pattern.
    pub fn new(pattern: &str) -> Result<Self, Error> {
        RegexBuilder::new(pattern).build()
    }

    /// The text of the pattern.
    pub fn as_str(&self) -> &str {
        &self.pattern
    }

    /// Whether the pattern matches somewhere in the text.
    pub fn is_match(&self, text: &str) -> Result<bool, Error> {
        let length = text.len() as u64 + 1;
        match &self.engine {
            Engine::Linear(engine) => {
                spend(self.weight.saturating_mul(length))?;
                Ok(engine.is_match(text))
            }
            Engine::Backtracking(engine) => {
                spend(self.weight.saturating_mul(length).saturating_mul(length))?;
                engine.is_match(text)
            }
        }
    }
}

/// Takes work from the budget.
fn spend(units: u64) -> Result<(), Error> {
    let left = LEFT.get().unwrap_or(MATCH).checked_sub(units);
    let left = left.ok_or(Error::RuntimeError(RuntimeError::BacktrackLimitExceeded))?;
    if LEFT.get().is_some() {
        LEFT.set(Some(left));
    }
    Ok(())
}

/// Compiles a pattern with limits.
#[derive(Clone, Debug)]
pub struct RegexBuilder {
    pattern: Box<str>,
    backtrack_limit: usize,
    size_limit: usize,
}

impl RegexBuilder {
    /// A builder with the default limits.
    pub fn new(pattern: &str) -> Self {
        Self { pattern: pattern.into(), backtrack_limit: 1_000_000, size_limit: 10 << 20 }
    }

    /// Most steps of one match.
    pub fn backtrack_limit(&mut self, steps: usize) -> &mut Self {
        self.backtrack_limit = steps;
        self
    }

    /// Largest compiled pattern in bytes.
    pub fn delegate_size_limit(&mut self, bytes: usize) -> &mut Self {
        self.size_limit = bytes;
        self
    }

    /// Has no effect: no DFA is built.
    pub fn delegate_dfa_size_limit(&mut self, _bytes: usize) -> &mut Self {
        self
    }

    /// Compiles the pattern; one without look-around and back-references for the linear engine.
    pub fn build(&self) -> Result<Regex, Error> {
        let config = meta::Config::new().nfa_size_limit(Some(self.size_limit));
        let linear = meta::Builder::new().configure(config).build(&self.pattern);
        let (engine, weight) = match linear {
            Ok(engine) => {
                let states = engine.memory_usage() as u64 / STATE;
                (Engine::Linear(engine), states + 1)
            }
            Err(error) if error.size_limit().is_some() => {
                return Err(Error::CompileError(Box::new(fancy_regex::CompileError::InnerError(
                    error,
                ))));
            }
            Err(_) => (Engine::Backtracking(Box::new(self.backtracking()?)), weight(&self.pattern)),
        };
        Ok(Regex { engine, pattern: self.pattern.clone(), weight })
    }

    fn backtracking(&self) -> Result<fancy_regex::Regex, Error> {
        fancy_regex::RegexBuilder::new(&self.pattern)
            .backtrack_limit(self.backtrack_limit)
            .delegate_size_limit(self.size_limit)
            .build()
    }
}

/// Bytes of a compiled pattern for one state, about.
const STATE: u64 = 24;

/// Work of a backtracking pattern for one pair of bytes: more, the longer it is and the more often it
/// repeats its parts.
fn weight(pattern: &str) -> u64 {
    let mut repeats = 0_u64;
    for counts in pattern.split('{').skip(1) {
        let count = counts.split('}').next().and_then(|counts| counts.rsplit(',').next());
        repeats = repeats.saturating_add(count.and_then(|count| count.parse().ok()).unwrap_or(0));
    }
    1 + repeats / 64 + pattern.len() as u64 / 256
}
