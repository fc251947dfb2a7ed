//! Regular expressions of schemas (ECMA-262): the limits that hold wherever one is compiled or
//! matched.
//!
//! A pattern comes from a document, the text from an agent or an API: neither may keep the gateway
//! from its other work.

use jsonschema::{Draft, PatternOptions, ValidationOptions};

/// Steps of one match of a pattern with look-around or back-references.
const BACKTRACKING: usize = 100_000;
/// Largest compiled pattern in bytes.
const SIZE: usize = 4 << 20;
/// Work of all matches of one call, at some nanoseconds a unit.
const WORK: u64 = 200_000_000;

/// How schemas of documents are compiled: as JSON Schema 2020-12, nothing is fetched, formats are
/// checked and unknown ones ignored, and a pattern that needs too much room is refused.
pub(crate) fn options<'i>() -> ValidationOptions<'i> {
    jsonschema::options()
        .with_draft(Draft::Draft202012)
        .should_validate_formats(true)
        .should_ignore_unknown_formats(true)
        .offline()
        .with_pattern_options(
            PatternOptions::fancy_regex().backtrack_limit(BACKTRACKING).size_limit(SIZE),
        )
}

/// Does the work of one call; matches that would take too long fail with `BacktrackLimitExceeded`.
pub(crate) fn bounded<T>(work: impl FnOnce() -> T) -> T {
    fancy_regex::with_budget(WORK, work)
}
