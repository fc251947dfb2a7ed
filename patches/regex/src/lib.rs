//! The part of the `regex` API that `jsonschema` names, without an engine.
//!
//! `jsonschema` can match with `regex` or with `fancy-regex`, and links both. Only the second is
//! selected here. No value of [`Regex`] can exist, so the compiler drops what would use one.

/// A compiled pattern: there is none.
#[derive(Clone, Copy, Debug)]
pub enum Regex {}

impl Regex {
    /// Always an error.
    pub fn new(_pattern: &str) -> Result<Self, Error> {
        Err(Error)
    }

    /// The text of the pattern.
    pub fn as_str(&self) -> &str {
        match *self {}
    }

    /// Whether the pattern matches somewhere in the text.
    pub fn is_match(&self, _text: &str) -> bool {
        match *self {}
    }
}

/// The engine is not linked.
#[derive(Clone, Copy, Debug)]
pub struct Error;

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the standard engine is not linked, select fancy-regex")
    }
}

impl std::error::Error for Error {}

/// Builds nothing.
#[derive(Clone, Copy, Debug)]
pub struct RegexBuilder;

impl RegexBuilder {
    /// A builder.
    pub fn new(_pattern: &str) -> Self {
        Self
    }

    /// Has no effect.
    pub fn size_limit(&mut self, _bytes: usize) -> &mut Self {
        self
    }

    /// Has no effect.
    pub fn dfa_size_limit(&mut self, _bytes: usize) -> &mut Self {
        self
    }

    /// Always an error.
    pub fn build(&self) -> Result<Regex, Error> {
        Err(Error)
    }
}
