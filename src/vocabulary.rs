//! The `x-agent` vocabulary: what an API owner writes into an OpenAPI document for agents.
//!
//! [`check()`] validates every annotation of a document against `schema/x-agent.schema.json`; the
//! types read the values afterwards and skip what is not as it should be instead of failing. The
//! rest is what the vocabulary means on its own: which operations a set of profiles selects
//! ([`profiles`]), where a description contradicts its schema ([`lint`]), and the instructions and
//! skills of a tool set ([`skills`]).

mod check;
pub mod lint;
mod localized;
mod operation;
pub mod profiles;
mod read;
mod root;
pub mod skills;
mod words;

pub use check::{Checker, SCHEMA, check};
pub use localized::Localized;
pub use operation::{
    BodyMode, Editor, OperationAnnotation, ParamOverride, ResponseAnnotation, SchemaAnnotation,
};
pub use read::{Choice, Profiles};
pub use root::{Profile, Root, Skill, SkillText, TagAnnotation};

/// The key of every annotation.
pub const KEY: &str = "x-agent";

#[cfg(test)]
mod tests;
