//! The compiled tool set: from tools to bytes that every worker can open, and back.
//!
//! [`encode`] renders at load everything that does not depend on a request: the `tools/list` entry
//! of each tool for each [`Family`] of protocol revisions, resources and skills. [`ToolSet::open`]
//! reads only the index; a tool's plan is decoded when the tool is first called, a page of a list is
//! put together when it is first asked for. The same contents give the same bytes.

mod container;
mod cursor;
mod directory;
mod open;
mod render;
mod skills;

use serde_json::{Map, Value};

use crate::catalog::{CompiledSet, Directory};
use crate::tool::Tool;
use crate::vocabulary::skills::SkillFile as SkillText;

pub use container::{Encoder, OpenError, digest};
pub use cursor::BadCursor;
pub use directory::Role;
pub use open::{OpenTool, ToolSet};
pub use render::{push_blob, push_text};

/// What a route offers, before it is encoded.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Contents {
    /// Title of the API, the server's name.
    pub title: String,
    /// Version of the API, the server's version.
    pub version: String,
    /// Instructions for agents; empty for none.
    pub instructions: String,
    /// Skills in listing order; `skill://` resources are served when there are any.
    pub skills: Vec<Skill>,
    /// Tools in listing order, names unique.
    pub tools: Vec<Tool>,
    /// The tools are found by a search instead of being listed.
    pub directory: Option<Directory>,
}

impl From<CompiledSet> for Contents {
    fn from(set: CompiledSet) -> Self {
        let CompiledSet { title, version, instructions, skills, tools, directory } = set;
        let skills = skills.into_iter().map(Skill::from).collect();
        Self { title, version, instructions, skills, tools, directory }
    }
}

impl From<SkillText> for Skill {
    fn from(skill: SkillText) -> Self {
        let frontmatter = [("name", skill.name), ("description", skill.description)];
        let file = SkillFile {
            uri: skill.uri.clone(),
            mime_type: "text/markdown".to_owned(),
            content: skill.text.into_bytes(),
        };
        Self {
            uri: skill.uri,
            frontmatter: frontmatter
                .into_iter()
                .map(|(key, value)| (key.to_owned(), Value::String(value)))
                .collect(),
            files: vec![file],
        }
    }
}

/// A skill: a `SKILL.md` and the files beside it (MCP skills extension).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Skill {
    /// URI of the `SKILL.md`, `skill://<path>/<name>/SKILL.md`; one of `files` has it.
    pub uri: String,
    /// Front matter of the `SKILL.md` with `name` and `description`.
    pub frontmatter: Map<String, Value>,
    /// Every file of the skill, the `SKILL.md` included.
    pub files: Vec<SkillFile>,
}

/// A file of a skill.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SkillFile {
    /// Its URI, below the directory of the `SKILL.md`.
    pub uri: String,
    /// Media type.
    pub mime_type: String,
    /// The bytes; UTF-8 is served as text.
    pub content: Vec<u8>,
}

/// How the set is listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Meta {
    /// Entries on one page of a list; zero counts as one.
    pub page_size: u32,
    /// How long clients may reuse a list, in milliseconds (`ttlMs`).
    pub ttl_ms: u64,
    /// Something about the caller can change what is offered (`cacheScope: private`).
    pub cache_private: bool,
}

/// Protocol revisions that show a tool in the same way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Family {
    /// 2025-03-26: no `title`, no `outputSchema`.
    Basic,
    /// 2025-06-18 and 2025-11-25: `outputSchema` is always that of an object.
    Structured,
    /// From 2026-07-28 on: any `outputSchema`; results carry `resultType`, lists their lifetime.
    Modern,
}

/// The lists that come in pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Listing {
    /// `tools/list`.
    Tools,
    /// `resources/list`.
    Resources,
    /// `skills/list`.
    Skills,
}

/// What a result says about its lifetime.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lifetime {
    /// Nothing: it is not to be reused.
    Unsaid,
    /// `ttlMs` and `cacheScope` from 2026-07-28 on.
    Modern,
    /// `ttlMs` and `cacheScope` in all revisions, as the skills extension asks for.
    Always,
}

/// Encodes a tool set.
pub fn encode(contents: &Contents, meta: &Meta) -> Vec<u8> {
    let mut encoder = Encoder::new(contents, meta);
    for tool in &contents.tools {
        encoder.add(tool);
    }
    encoder.finish()
}

#[cfg(test)]
pub(crate) mod tests;
