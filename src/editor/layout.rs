//! The form that a schema describes: which fields there are, how each is presented, and what decides
//! whether it is shown.
//!
//! [`compile`] makes a [`Layout`] once per schema; a form's state is then built from the layout and
//! the data alone. Every place of the schema becomes at most one [`Node`] per way of being required,
//! so that recursive schemas make finite layouts: building a state has to bound its own depth.

mod arrange;
mod build;
mod choose;
mod component;
mod dialect;
mod effort;
mod fragment;
mod help;
mod items;
mod node;
mod read;
mod room;
#[cfg(test)]
mod tests;

pub use component::{
    Action, Child, Component, EditMode, Item, Items, Kind, List, Mode, Options, Removal, Source,
    Variant,
};
pub use node::{Case, Condition, Layout, Node, NodeId, Place, Tree, TreeId, Type};

use serde_json::Value;

use crate::json::Problem;

/// How a schema is compiled.
#[derive(Debug, Clone, Copy)]
pub struct CompileOptions<'a> {
    /// Language of texts.
    pub locale: &'a str,
    /// Language of texts that are not there in `locale`.
    pub default_locale: &'a str,
    /// Whether `x-i18n-…` keywords replace the texts beside them.
    pub x_i18n: bool,
}

impl Default for CompileOptions<'_> {
    fn default() -> Self {
        Self { locale: "en", default_locale: "en", x_i18n: true }
    }
}

/// Compiles a schema.
///
/// # Errors
/// References that lead nowhere or in a circle, and schemas beyond the limits; each with its place.
/// Lesser faults become [`Layout::findings`].
pub fn compile(schema: &Value, options: &CompileOptions<'_>) -> Result<Layout, Vec<Problem>> {
    let mut findings = Vec::new();
    let schema = dialect::translate(schema, options, &mut findings)?;
    let problems = effort::check(&schema);
    if !problems.is_empty() {
        return Err(problems);
    }
    let mut layout = build::build(&schema, findings)?;
    layout.schema = schema;
    Ok(layout)
}
