//! The next release of the crate of this name, without its performance features.

pub use fancy_regex::*;
