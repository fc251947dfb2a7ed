//! The part of the `fancy-regex` API that `jsonschema` uses, with an engine of its own that is small and bounds the
//! work of matching.
//!
//! A pattern without look-around and back-references looks at each character of the text once. Other patterns go
//! back; what failed once is remembered unless there are back-references. Whatever is done is taken from a budget,
//! and a match that needs more fails as one that backtracked too often.

mod parse;
mod program;
mod run;
mod set;
#[cfg(test)]
mod tests;
pub mod unicode;

use std::{cell::Cell, fmt};

use program::Program;

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

/// Why a pattern is no pattern, or a match was given up.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The pattern is not understood, or too large.
    InvalidPattern(&'static str),
    /// The match failed.
    RuntimeError(RuntimeError),
}

/// Why a match was given up.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RuntimeError {
    /// It took too much work.
    BacktrackLimitExceeded,
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::InvalidPattern(why) => why,
            Self::RuntimeError(_) => "the match takes too much work",
        })
    }
}

impl std::error::Error for Error {}

/// A compiled pattern.
#[derive(Clone, Debug)]
pub struct Regex {
    program: Program,
    pattern: Box<str>,
    backtrack_limit: usize,
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
        let mut budget = LEFT.get().unwrap_or(MATCH);
        let result = run::is_match(&self.program, text, self.backtrack_limit, &mut budget);
        if LEFT.get().is_some() {
            LEFT.set(Some(budget));
        }
        result.map_err(|run::Exhausted| Error::RuntimeError(RuntimeError::BacktrackLimitExceeded))
    }
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

    /// Most steps back of one match of a pattern with back-references.
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

    /// Compiles the pattern.
    pub fn build(&self) -> Result<Regex, Error> {
        let compile = || {
            let pattern = parse::parse(&self.pattern, self.size_limit / program::RANGE)?;
            program::compile(&pattern, self.size_limit)
        };
        let program = compile().map_err(|parse::Invalid(why)| Error::InvalidPattern(why))?;
        Ok(Regex { program, pattern: self.pattern.clone(), backtrack_limit: self.backtrack_limit })
    }
}
