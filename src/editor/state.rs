//! The state of a form: what a session keeps, and what follows from it.
//!
//! [`Form`] is a compiled schema, [`Session`] what one agent does with one document. A state is built
//! from both, shown, and forgotten.

mod assign;
mod build;
mod check;
mod compose;
mod form;
mod growth;
mod hidden;
mod limits;
mod locale;
mod locked;
mod message;
mod node;
mod phrase;
mod range;
mod session;
mod source;
mod value;
mod view;

pub use form::Form;
pub use hidden::Hidden;
pub use limits::Limits;
pub use locale::Locale;
pub use session::{Activation, ItemList, Memory, Session, Status};

pub(in crate::editor) use build::STEPS;
pub(in crate::editor) use check::{Finding, depth};
pub(in crate::editor) use compose::is_within;
pub(in crate::editor) use form::is_union;
pub(in crate::editor) use hidden::Known;
pub(in crate::editor) use locked::{Lock, Locked};
pub(in crate::editor) use message::Fault;
pub(in crate::editor) use node::{Remote, Source, StateNode};
pub(crate) use phrase::Phrase;
pub(in crate::editor) use source::{Choosable, Options, fetched, fixed, options};
pub(in crate::editor) use value::{put, remove};
pub(in crate::editor) use view::{View, Write, deactivate, findings, settle};
