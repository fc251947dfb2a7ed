//! Where sessions live between two calls: shared data, within bounds.
//!
//! The host cannot delete keys, so there is a fixed number of them ([`Slots`]), and what is no longer
//! used makes room for what is.

mod codec;
mod slots;

pub use codec::{Saving, Stored, decode, encode};
pub use slots::{Busy, Change, Key, Slots};
