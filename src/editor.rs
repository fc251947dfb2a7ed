//! Forms: documents that an agent edits field by field, in a session, through eight tools.
//!
//! [`prepare`] brings a fetched schema into shape, [`layout`] compiles it once, [`expression`]
//! evaluates the conditions and lists that schemas carry. A [`session`] is plain data: every call
//! rebuilds the [`state`] of the form from both, and [`tools`] says what a call does with it.

pub mod expression;
pub mod layout;
pub mod prepare;
pub mod session;
pub mod state;
pub mod tools;
