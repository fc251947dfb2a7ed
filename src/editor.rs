//! Forms over structured documents: a JSON Schema becomes a form that an agent fills in field by
//! field.
//!
//! [`prepare`] brings a fetched schema into shape, [`layout`] compiles it once, [`expression`]
//! evaluates the conditions and lists that schemas carry.

pub mod expression;
pub mod layout;
pub mod prepare;
