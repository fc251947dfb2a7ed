//! The library as a whole, driven by data.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test stops at the first surprise"
)]

mod annotations;
mod calls;
mod cases;
mod catalog;
mod compose;
#[path = "../support/compositions.rs"]
mod compositions;
mod corpus;
#[path = "../support/documents.rs"]
mod documents;
mod editor;
mod exposure;
mod forms;
mod golden;
mod guide;
mod harness;
mod known_faults;
mod media;
mod overlays;
mod real;
#[path = "../support/recorded.rs"]
mod recorded;
mod requests;
mod search;
mod security;
mod stable;
mod structured;
mod tidy;
#[path = "../support/vectors.rs"]
mod vectors;
mod versions;
