//! A set whose tools are found by a search: three tools stand for all others.

use std::rc::Rc;

use serde_json::{Map, Value};

use super::container::Span;
use super::{Contents, OpenError, OpenTool, ToolSet, render};
use crate::catalog::{Directory, Subject};
use crate::editor::tools::Verb;
use crate::search::{self, Builder, Fields, Part};
use crate::tool::{Plan, Tool};

/// Tags that the search tool names.
const MOST_TAGS: usize = 40;
/// Characters of a summary in a search result.
const LONGEST_SUMMARY: usize = 120;
/// Required arguments that a search result names.
const MOST_ARGUMENTS: usize = 8;

/// What one of the three tools does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Finds operations by words.
    Search,
    /// Shows what an operation does and takes.
    Describe,
    /// Calls an operation.
    Call,
}

impl Role {
    const ALL: [Self; 3] = [Self::Search, Self::Describe, Self::Call];
}

/// Where the fragments of a directory are.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct DirectoryRow {
    /// Most results of a search.
    pub(super) most: u32,
    /// Names of the three tools, in the order of [`Role::ALL`].
    pub(super) names: [Span; 3],
    /// Their entries in `tools/list` without title.
    pub(super) basic: [Span; 3],
    /// Their entries in `tools/list` with title.
    pub(super) titled: [Span; 3],
    /// The word index.
    pub(super) words: Span,
    /// What there is, as the inside of a JSON string.
    pub(super) overview: Span,
}

/// What is being encoded.
#[derive(Debug)]
pub(super) struct Work {
    pub(super) directory: Directory,
    pub(super) overview: String,
    title: String,
    /// Nothing that is offered changes anything.
    is_read_only: bool,
    /// Something that is offered destroys something.
    is_destructive: bool,
    words: Builder,
    added: usize,
}

impl Work {
    pub(super) fn new(contents: &Contents) -> Option<Self> {
        let directory = contents.directory.clone()?;
        let says = |tool: &Tool, key: &str| tool.annotations.get(key).and_then(Value::as_bool);
        let tools = &contents.tools;
        let is_read_only = tools.iter().all(|tool| says(tool, "readOnlyHint") == Some(true));
        let is_safe = |tool: &Tool| says(tool, "destructiveHint") == Some(false);
        Some(Self {
            overview: overview(contents.tools.len(), &directory.subjects),
            title: contents.title.clone(),
            is_read_only,
            is_destructive: !is_read_only && !tools.iter().all(is_safe),
            words: Builder::default(),
            directory,
            added: 0,
        })
    }

    /// Adds the next tool; its line in search results, as the inside of a JSON string.
    pub(super) fn add(&mut self, tool: &Tool) -> Vec<u8> {
        let nothing = Subject::default();
        let subject = self.directory.subjects.get(self.added).unwrap_or(&nothing);
        self.added += 1;
        let (method, path) = address(tool);
        let properties = tool.input_schema.get("properties").and_then(Value::as_object);
        let arguments: Vec<&str> =
            properties.into_iter().flatten().map(|(name, _)| name.as_str()).collect();
        self.words.add(&Fields {
            name: &tool.name,
            title: tool.title.as_deref().unwrap_or_default(),
            description: &tool.description,
            method,
            path,
            tags: &subject.tags,
            arguments: &[arguments.join(" "), values(properties)].join(" "),
            is_deprecated: subject.is_deprecated,
            part: part(tool),
        });
        inside(&line(tool, subject.is_deprecated, arguments.len()))
    }

    pub(super) fn words(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.words).finish()
    }

    pub(super) fn names(&self) -> [&str; 3] {
        let directory = &self.directory;
        [&directory.search_tool, &directory.describe_tool, &directory.call_tool]
    }

    /// The entries of the three tools in `tools/list`.
    pub(super) fn entries(&self, has_title: bool) -> [Vec<u8>; 3] {
        let [search, describe, call] = self.names();
        let api = if self.title.is_empty() { "the API" } else { &self.title };
        let finds = format!(
            "Finds operations of {api} by words for what is to be done. {} Look here first; then \
             `{describe}` shows the arguments of an operation, and `{call}` calls it.",
            self.overview
        );
        let shows = format!("Shows what an operation of {api} does and which arguments it takes.");
        let calls = format!(
            "Calls an operation of {api} and returns its result. `{describe}` shows its arguments."
        );
        let name = format!(
            "\"name\":{{\"type\":\"string\",\"description\":\"Name of the operation, as \
             `{search}` shows it.\"}}"
        );
        let query = "\"query\":{\"type\":\"string\",\"description\":\"Some words, such as \
                     `create issue`; names and paths work, too.\"}";
        let arguments = format!(
            "{name},\"arguments\":{{\"type\":\"object\",\"description\":\"Arguments of the \
             operation.\"}}"
        );
        let calling = (self.is_read_only, self.is_destructive);
        let title = |title| if has_title { title } else { "" };
        [
            entry(search, title("Search operations"), &finds, ("query", query), (true, false)),
            entry(describe, title("Describe an operation"), &shows, ("name", &name), (true, false)),
            entry(call, title("Call an operation"), &calls, ("name", &arguments), calling),
        ]
    }
}

/// A tool as it is listed; an empty title is left out, the properties are JSON.
fn entry(
    name: &str,
    title: &str,
    description: &str,
    (required, properties): (&str, &str),
    (is_read_only, is_destructive): (bool, bool),
) -> Vec<u8> {
    let mut out = b"{\"name\":".to_vec();
    render::push_text(&mut out, name);
    if !title.is_empty() {
        render::push_member(&mut out, "title", title);
    }
    render::push_member(&mut out, "description", description);
    let rest = format!(
        ",\"inputSchema\":{{\"type\":\"object\",\"properties\":{{{properties}}},\
         \"required\":[\"{required}\"],\"additionalProperties\":false}},\
         \"annotations\":{{\"readOnlyHint\":{is_read_only},\
         \"destructiveHint\":{is_destructive}}}}}"
    );
    out.extend_from_slice(rest.as_bytes());
    out
}

impl ToolSet {
    /// What a tool does, if it is one of those that stand for all others.
    pub fn role(&self, name: &str) -> Option<Role> {
        let row = self.front()?;
        let names = row.names.into_iter().zip(Role::ALL);
        names.into_iter().find(|(span, _)| self.text(*span) == name).map(|(_, role)| role)
    }

    /// The name of the tool with a role; empty when the set has none.
    pub fn role_name(&self, role: Role) -> &str {
        let names = self.front().map(|row| row.names.into_iter().zip(Role::ALL));
        let found = names.into_iter().flatten().find(|(_, other)| *other == role);
        found.map_or("", |(span, _)| self.text(span))
    }

    /// The operation of this name behind the search, decoded on first use.
    ///
    /// # Errors
    /// When its plan cannot be decoded.
    pub fn operation(&self, name: &str) -> Result<Option<Rc<OpenTool>>, OpenError> {
        match self.front() {
            Some(_) => self.open_tool(name),
            None => Ok(None),
        }
    }

    /// The lines of the operations that fit some words best, each as the inside of a JSON string;
    /// none when nothing fits.
    pub fn found(&self, query: &str) -> Vec<&[u8]> {
        let Some(row) = self.front() else { return Vec::new() };
        self.hits(query, row.most as usize).map(|(_, line)| line).collect()
    }

    /// The names of the operations nearest to a name that is none.
    pub fn nearest_operations(&self, name: &str) -> Vec<&str> {
        self.hits(name, 3).map(|(name, _)| name).collect()
    }

    /// How many operations there are, and about what; the inside of a JSON string.
    pub fn overview(&self) -> &[u8] {
        self.front().map_or(&[], |row| self.fragment(row.overview))
    }

    /// Names and lines.
    fn hits(&self, query: &str, most: usize) -> impl Iterator<Item = (&str, &[u8])> {
        let words = self.front().map(|row| self.fragment(row.words)).unwrap_or_default();
        let hits = search::find(words, query, most).into_iter();
        hits.filter_map(|hit| {
            let row = self.index.tools.get(hit.operation as usize)?;
            let [line, ..] = row.entries;
            Some((self.text(row.name), self.fragment(line)))
        })
    }

    pub(super) fn front(&self) -> Option<&DirectoryRow> {
        self.index.directory.first()
    }
}

/// The place of a tool among those of a form.
fn part(tool: &Tool) -> Part {
    match &tool.plan {
        Plan::Operation(_) => Part::Alone,
        Plan::Editor(plan) if plan.verb == Verb::DescribeState.name() => Part::First,
        Plan::Editor(_) => Part::Later,
    }
}

/// Method and path of what a tool calls.
fn address(tool: &Tool) -> (&str, &str) {
    tool.plan.operation().map_or(("", ""), |plan| (&plan.method, &plan.path))
}

/// The texts that arguments may have as values, where they are listed.
fn values(properties: Option<&Map<String, Value>>) -> String {
    let lists = properties.into_iter().flatten().filter_map(|(_, schema)| schema.get("enum"));
    let values = lists.filter_map(Value::as_array).flatten().filter_map(Value::as_str);
    values.collect::<Vec<_>>().join(" ")
}

/// `- name(required, …): summary [GET /path]`
fn line(tool: &Tool, is_deprecated: bool, count: usize) -> String {
    let required = tool.input_schema.get("required").and_then(Value::as_array);
    let mut arguments: Vec<&str> =
        required.into_iter().flatten().filter_map(Value::as_str).take(MOST_ARGUMENTS).collect();
    if count > arguments.len() {
        arguments.push("…");
    }
    let (method, path) = address(tool);
    let summary = summary(tool.title.as_deref().unwrap_or(&tool.description));
    let mut line = format!("- {}({})", tool.name, arguments.join(", "));
    for part in [": ", &summary] {
        line.push_str(part);
    }
    if !method.is_empty() {
        for part in [" [", method, " ", path, "]"] {
            line.push_str(part);
        }
    }
    if is_deprecated {
        line.push_str(" (deprecated)");
    }
    line
}

/// The first line of a text, shortened.
fn summary(text: &str) -> String {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let mut short: String = line.chars().take(LONGEST_SUMMARY).collect();
    if short.len() < line.len() {
        short.push('…');
    }
    short
}

/// How many operations there are, and their tags, the most frequent ones first.
fn overview(count: usize, subjects: &[Subject]) -> String {
    let mut tags: Vec<&str> = Vec::new();
    let mut counts: Vec<u32> = Vec::new();
    for tag in subjects.iter().flat_map(|subject| &subject.tags) {
        let known = tags.iter().position(|known| known == tag);
        if let Some(count) = known.and_then(|known| counts.get_mut(known)) {
            *count += 1;
        } else {
            tags.push(tag);
            counts.push(1);
        }
    }
    let mut text = match count {
        1 => "There is 1 operation".to_owned(),
        _ => format!("There are {count} operations"),
    };
    for (position, hit) in search::largest(counts, MOST_TAGS).into_iter().enumerate() {
        text.push_str(if position == 0 { ", by tag: " } else { ", " });
        text.push_str(&summary(tags.get(hit.operation as usize).copied().unwrap_or_default()));
        for part in [" (", &hit.score.to_string(), ")"] {
            text.push_str(part);
        }
    }
    if tags.len() > MOST_TAGS {
        text.push_str(" and others");
    }
    text.push('.');
    text
}

/// A text as the inside of a JSON string.
pub(super) fn inside(text: &str) -> Vec<u8> {
    let mut out = Vec::new();
    render::push_text(&mut out, text);
    out.pop();
    out.drain(..1);
    out
}
