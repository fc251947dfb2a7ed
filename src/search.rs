//! A word index over operations: built once, kept as bytes, asked without being opened.
//!
//! Ranking is BM25 over weighted fields. What a word is worth for an operation does not depend on
//! the query, so it is computed when the index is built, in whole numbers, and a query only adds up.

mod ask;
mod build;
mod words;

pub(crate) use ask::largest;
pub use ask::{Hit, find};
pub use build::{Builder, Fields, Part};

#[cfg(test)]
mod tests;
