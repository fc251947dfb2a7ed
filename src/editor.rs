//! Forms: documents that an agent edits field by field, in a session, through eight tools.
//!
//! A schema is compiled once into a form; a session is plain data, and every call rebuilds the
//! state of the form from both.

pub mod session;
pub mod state;
pub mod tools;
