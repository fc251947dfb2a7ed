//! The part of the `regex` API that `jsonschema` uses, over the same `regex-automata` with fewer
//! engines linked.

use regex_automata::meta;

/// Largest compiled pattern in bytes, unless the builder says otherwise; `regex` has the same limit.
const SIZE_LIMIT: usize = 10 << 20;

/// A compiled pattern.
#[derive(Clone, Debug)]
pub struct Regex {
    engine: meta::Regex,
    pattern: Box<str>,
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
    pub fn is_match(&self, text: &str) -> bool {
        self.engine.is_match(text)
    }
}

/// Why a pattern could not be compiled.
#[derive(Clone, Debug)]
pub struct Error(String);

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

/// Compiles a pattern with limits.
#[derive(Clone, Debug)]
pub struct RegexBuilder {
    pattern: Box<str>,
    size_limit: usize,
}

impl RegexBuilder {
    /// A builder with the default limit.
    pub fn new(pattern: &str) -> Self {
        Self { pattern: pattern.into(), size_limit: SIZE_LIMIT }
    }

    /// Largest compiled pattern in bytes.
    pub fn size_limit(&mut self, bytes: usize) -> &mut Self {
        self.size_limit = bytes;
        self
    }

    /// Has no effect: no DFA is built.
    pub fn dfa_size_limit(&mut self, _bytes: usize) -> &mut Self {
        self
    }

    /// Compiles the pattern.
    pub fn build(&self) -> Result<Regex, Error> {
        let config = meta::Config::new().nfa_size_limit(Some(self.size_limit));
        meta::Builder::new()
            .configure(config)
            .build(&self.pattern)
            .map(|engine| Regex { engine, pattern: self.pattern.clone() })
            .map_err(|error| Error(error.to_string()))
    }
}
