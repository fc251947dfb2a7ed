//! The library as a whole, driven by data.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test stops at the first surprise"
)]

mod calls;
mod cases;
mod catalog;
mod compose;
#[path = "../support/documents.rs"]
mod documents;
mod golden;
mod guide;
mod harness;
mod real;
mod requests;
mod security;
mod stable;
mod tidy;
#[path = "../support/vectors.rs"]
mod vectors;
