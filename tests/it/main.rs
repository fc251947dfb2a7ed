//! The library as a whole, driven by data.

mod cases;
mod documents;
mod golden;
mod harness;
