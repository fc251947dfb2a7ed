//! The tools that stand for all others.

use crate::config::Search;
use crate::json::Problem;

use super::names;

/// What is needed to offer operations by a search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Directory {
    /// Name of the tool that finds operations.
    pub search_tool: String,
    /// Name of the tool that describes one.
    pub describe_tool: String,
    /// Name of the tool that calls one.
    pub call_tool: String,
    /// Most operations that one search returns.
    pub max_results: usize,
    /// What the tools do not say of themselves, in their order.
    pub subjects: Vec<Subject>,
}

/// What a tool does not say of itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Subject {
    /// Tags of its operation.
    pub tags: Vec<String>,
    /// The operation is deprecated.
    pub is_deprecated: bool,
}

impl Directory {
    /// The tools with their prefix, and no operations yet.
    ///
    /// # Errors
    /// A name that is too long with the prefix.
    pub(super) fn new(search: &Search, prefix: &str) -> Result<Self, Problem> {
        let name = |name: &str| {
            let name = names::tool(prefix, names::Origin::Explicit(name), 0);
            name.map_err(|message| Problem::new("", format!("`exposure.search`: {message}")))
        };
        Ok(Self {
            search_tool: name(&search.search_tool)?,
            describe_tool: name(&search.describe_tool)?,
            call_tool: name(&search.call_tool)?,
            max_results: search.max_results,
            subjects: Vec::new(),
        })
    }

    /// Says how to call what instructions and skills name, if there are any.
    pub(super) fn explain(&self, instructions: &mut String, has_skills: bool) {
        if instructions.is_empty() && !has_skills {
            return;
        }
        if !instructions.is_empty() {
            instructions.push_str("\n\n");
        }
        for part in ["Operations that are not listed as tools are called with `", &self.call_tool] {
            instructions.push_str(part);
        }
        instructions.push_str("`.");
    }

    /// The names of the three tools.
    pub(super) fn names(&self) -> [&String; 3] {
        [&self.search_tool, &self.describe_tool, &self.call_tool]
    }
}
