//! JSON as Markdown: key/value lists, and tables of rows.
//!
//! One output string; values are walked once, depth first. The parser limits nesting to 128 levels,
//! which bounds the recursion.

use crate::json::tree::{self, Tree};
use crate::tool::ResponsePlan;
use crate::tool::graph::{Graph, Member, Nodes};

use super::{
    cell, table,
    text::{self, Escape, LONG, Line},
};

/// Room for the notes that follow a table that reached the limit, in bytes.
const NOTES: usize = 4096;

/// The text of `value`, which the node `root` describes and which came in `size` bytes: at most about
/// `limit` bytes.
pub(super) fn render<'a>(
    (plan, root): (&'a ResponsePlan, usize),
    fields: Option<&'a [&'a str]>,
    value: &'a Tree<'a>,
    (size, limit): (usize, usize),
) -> String {
    let out = String::with_capacity((size + size / 2 + 64).min(limit));
    let mut page = Page { plan, graph: Graph(&plan.shape), fields, out, limit };
    page.root(value, root);
    page.finish()
}

/// A text in the making.
#[derive(Debug)]
pub(super) struct Page<'a> {
    pub(super) plan: &'a ResponsePlan,
    pub(super) graph: Graph<'a>,
    pub(super) fields: Option<&'a [&'a str]>,
    pub(super) out: String,
    limit: usize,
}

impl<'a> Page<'a> {
    /// Whether the text is over its limit: what follows is dropped.
    pub(super) fn is_full(&self) -> bool {
        self.out.len() > self.limit
    }

    /// Appends the line that stands for what was dropped, and leaves some room after it for notes.
    #[cold]
    pub(super) fn drop_rows(&mut self, left: usize) {
        self.out.push_str("\n> … ");
        self.out.push_str(&left.to_string());
        self.out.push_str(" more rows left out: the answer is too long, ask for less");
        self.limit = self.out.len() + NOTES;
    }

    /// Starts a line, indented by `indent` spaces.
    pub(super) fn line(&mut self, indent: usize) {
        const START: &str = "\n                ";
        let start = usize::from(self.out.is_empty());
        let usual = indent.min(START.len() - 1);
        self.out.push_str(START.get(start..=usual).unwrap_or_default());
        self.out.extend(std::iter::repeat_n(' ', indent - usual));
    }

    /// A value on one line, cut at the string limit.
    pub(super) fn cell(&mut self, value: &Tree<'_>, nodes: &Nodes) {
        let graph = self.graph;
        let mut line = Line::new(&mut self.out, Escape::Pipes, self.plan.max_string_length);
        cell::write(graph, value, nodes, &mut line);
    }

    /// A key or column name.
    pub(super) fn name(&mut self, name: &str) {
        Line::new(&mut self.out, Escape::Pipes, LONG).push(name);
    }

    /// The document's own words, on one line.
    pub(super) fn note(&mut self, note: &str) {
        Line::new(&mut self.out, Escape::Breaks, usize::MAX).push(note);
    }

    fn root(&mut self, value: &'a Tree<'a>, root: usize) {
        let nodes = self.graph.at(root);
        match value {
            Tree::Object(map) => self.object(map, &nodes),
            Tree::Array(items) if items.iter().any(is_object) => {
                table::write(self, items, &self.graph.any_item(&nodes));
            }
            Tree::Array(items) => self.items(items, &nodes, 0),
            Tree::String(s) => text::push_cut(&mut self.out, s, self.plan.max_string_length),
            Tree::Null | Tree::Bool(_) | Tree::Number(_) => self.cell(value, &nodes),
        }
    }

    fn object(&mut self, map: &'a [tree::Member<'a>], nodes: &Nodes) {
        let hints = self.hints(map, nodes);
        match self.rows(map, nodes) {
            Some((key, items, row_nodes)) => {
                for (name, value) in map.iter().filter(|(name, _)| *name != key) {
                    self.root_entry(name, value, nodes, hints.is_some());
                }
                if !self.out.is_empty() {
                    self.out.push('\n');
                }
                table::write(self, items, &row_nodes);
            }
            None => self.root_entries(map, nodes, hints.is_some()),
        }
        self.footnotes(hints.unwrap_or_default());
    }

    /// The rows of the plan, if the object has them, and the nodes of a row.
    fn rows(
        &self,
        map: &'a [tree::Member<'a>],
        nodes: &Nodes,
    ) -> Option<(&'a str, &'a [Tree<'a>], Nodes)> {
        let key = self.plan.rows.as_deref()?;
        let items = tree::get(map, key)?.as_array()?;
        let member = self.graph.member(nodes, key, &mut 0);
        (!member.exclude).then(|| (key, items, self.graph.any_item(&member.nodes)))
    }

    /// `meta.hints`, if the plan shows it as footnotes.
    fn hints(&self, map: &'a [tree::Member<'a>], nodes: &Nodes) -> Option<&'a [Tree<'a>]> {
        if !self.plan.hints {
            return None;
        }
        let hints = tree::get(tree::get(map, "meta")?.as_object()?, "hints")?.as_array()?;
        let meta = self.graph.member(nodes, "meta", &mut 0);
        let excluded = meta.exclude || self.graph.member(&meta.nodes, "hints", &mut 0).exclude;
        (!excluded).then_some(hints)
    }

    fn root_entries(&mut self, map: &'a [tree::Member<'a>], nodes: &Nodes, hints: bool) {
        match self.fields {
            Some(fields) => {
                for name in fields {
                    if let Some(value) = tree::get(map, name) {
                        self.root_entry(name, value, nodes, hints);
                    }
                }
            }
            None => {
                for (name, value) in map {
                    self.root_entry(name, value, nodes, hints);
                }
            }
        }
    }

    /// One member of the root; `meta.hints` is left out when it is shown as footnotes.
    fn root_entry(&mut self, name: &str, value: &'a Tree<'a>, nodes: &Nodes, hints: bool) {
        if self.is_full() {
            return;
        }
        let member = self.graph.member(nodes, name, &mut 0);
        match value.as_object() {
            Some(meta) if hints && name == "meta" && meta.len() == 1 => {}
            _ if hints && name == "meta" => self.entry(name, value, &member, 0, Some("hints")),
            _ => self.entry(name, value, &member, 0, None),
        }
    }

    fn entries(
        &mut self,
        map: &'a [tree::Member<'a>],
        nodes: &Nodes,
        indent: usize,
        omit: Option<&str>,
    ) {
        let mut cursor = 0;
        for (name, value) in map {
            if self.is_full() {
                return;
            }
            if omit != Some(name) {
                let member = self.graph.member(nodes, name, &mut cursor);
                self.entry(name, value, &member, indent, None);
            }
        }
    }

    fn entry(
        &mut self,
        name: &str,
        value: &'a Tree<'a>,
        member: &Member<'_>,
        indent: usize,
        omit: Option<&str>,
    ) {
        if member.exclude || matches!(value, Tree::Null) {
            return;
        }
        self.line(indent);
        self.out.push_str("- **");
        self.name(name);
        self.out.push_str("**:");
        match value {
            Tree::Object(map) => {
                self.hint(member.hint);
                self.entries(map, &member.nodes, indent + 2, omit);
            }
            Tree::Array(items) if items.iter().any(is_object) => {
                self.hint(member.hint);
                self.items(items, &member.nodes, indent + 2);
            }
            _ => {
                self.out.push(' ');
                self.scalar(name, value, &member.nodes);
                self.hint(member.hint);
            }
        }
    }

    /// The address of the next page is only useful whole.
    fn scalar(&mut self, name: &str, value: &Tree<'_>, nodes: &Nodes) {
        match value {
            Tree::String(next) if name == "next" => {
                Line::new(&mut self.out, Escape::Breaks, LONG).push(next);
            }
            _ => self.cell(value, nodes),
        }
    }

    fn items(&mut self, items: &'a [Tree<'a>], nodes: &Nodes, indent: usize) {
        for (index, item) in items.iter().enumerate() {
            if self.is_full() {
                return;
            }
            let nodes = self.graph.item(nodes, index);
            self.line(indent);
            if let Tree::Object(map) = item {
                self.out.push('-');
                self.entries(map, &nodes, indent + 2, None);
            } else {
                self.out.push_str("- ");
                self.cell(item, &nodes);
            }
        }
    }

    fn hint(&mut self, hint: Option<&str>) {
        if let Some(hint) = hint {
            self.out.push_str(" _(");
            self.note(hint);
            self.out.push_str(")_");
        }
    }

    fn footnotes(&mut self, hints: &[Tree<'_>]) {
        if !hints.is_empty() && !self.out.is_empty() {
            self.out.push('\n');
        }
        for hint in hints {
            if self.is_full() {
                return;
            }
            self.line(0);
            self.out.push_str("> Hint: ");
            let limit = self.plan.max_string_length;
            let mut line = Line::new(&mut self.out, Escape::Breaks, limit);
            cell::write(self.graph, hint, &Nodes::Unknown, &mut line);
        }
    }

    fn finish(mut self) -> String {
        if self.is_full() {
            text::truncate_lines(&mut self.out, self.limit);
            self.out.push_str("\n\n");
            self.out.push_str(&too_long(self.limit));
        }
        self.out
    }
}

fn is_object(value: &Tree<'_>) -> bool {
    matches!(value, Tree::Object(_))
}

/// The last line of a text that was cut at `limit` bytes.
pub(super) fn too_long(limit: usize) -> String {
    format!("> … the rest is left out: the answer is longer than {limit} bytes, ask for less")
}
