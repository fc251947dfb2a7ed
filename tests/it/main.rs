//! The library as a whole, driven by data.

mod calls;
mod cases;
mod catalog;
mod compose;
mod documents;
mod golden;
mod harness;
