//! One value on one line: a table cell, or what follows a key.

use super::text::Line;
use crate::json::tree::{Member, Tree};
use crate::json::{escape, number};
use crate::tool::graph::{Graph, Nodes};

/// A value as one line: arrays joined, objects as compact JSON.
pub(super) fn write(graph: Graph<'_>, value: &Tree<'_>, nodes: &Nodes, line: &mut Line<'_>) {
    match value {
        Tree::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                if line.is_cut() {
                    return;
                }
                if index > 0 {
                    line.push(", ");
                }
                let nodes = graph.item(nodes, index);
                match item {
                    Tree::Null => line.push("null"),
                    _ => nested(graph, item, &nodes, line),
                }
            }
        }
        _ => nested(graph, value, nodes, line),
    }
}

/// A value inside of a cell: arrays joined without spaces, `null` is empty, objects are JSON.
fn nested(graph: Graph<'_>, value: &Tree<'_>, nodes: &Nodes, line: &mut Line<'_>) {
    match value {
        Tree::Null => {}
        Tree::String(s) => line.push(s),
        Tree::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                if line.is_cut() {
                    return;
                }
                if index > 0 {
                    line.push(",");
                }
                nested(graph, item, &graph.item(nodes, index), line);
            }
        }
        _ => json(graph, value, nodes, line),
    }
}

/// Compact JSON without the excluded members.
fn json(graph: Graph<'_>, value: &Tree<'_>, nodes: &Nodes, line: &mut Line<'_>) {
    match value {
        Tree::Null => line.push("null"),
        Tree::Bool(true) => line.push("true"),
        Tree::Bool(false) => line.push("false"),
        Tree::Number(n) => line.push(&number::canonical(n)),
        Tree::String(s) => escape::pieces(s, &mut |piece| line.push(piece)),
        Tree::Array(items) => {
            line.push("[");
            for (index, item) in items.iter().enumerate() {
                if line.is_cut() {
                    return;
                }
                if index > 0 {
                    line.push(",");
                }
                json(graph, item, &graph.item(nodes, index), line);
            }
            line.push("]");
        }
        Tree::Object(members) => object(graph, members, nodes, line),
    }
}

fn object(graph: Graph<'_>, members: &[Member<'_>], nodes: &Nodes, line: &mut Line<'_>) {
    line.push("{");
    let mut cursor = 0;
    let mut separator = "";
    for (name, value) in members {
        if line.is_cut() {
            return;
        }
        let member = graph.member(nodes, name, &mut cursor);
        if !member.exclude {
            line.push(separator);
            separator = ",";
            escape::pieces(name, &mut |piece| line.push(piece));
            line.push(":");
            json(graph, value, &member.nodes, line);
        }
    }
    line.push("}");
}
