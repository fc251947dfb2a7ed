//! Brings a fetched schema into the shape that [`super::layout::compile`] reads.
