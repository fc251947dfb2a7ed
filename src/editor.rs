//! Forms over structured documents: a JSON Schema becomes a form that an agent fills in field by
//! field.
//!
//! [`prepare`] brings a fetched schema into shape, [`layout`] compiles it once, [`expression`]
//! evaluates the conditions and lists that schemas carry, [`session`] is where sessions are kept,
//! [`state`] is what follows from one, [`tools`] are what an agent does with it.

pub mod expression;
pub mod layout;
pub mod prepare;
pub mod session;
pub mod state;
pub mod tools;
