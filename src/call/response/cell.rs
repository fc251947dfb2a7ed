//! One value on one line: a table cell, or what follows a key.

use serde_json::{Map, Value};

use super::text::Line;
use crate::json::number;
use crate::tool::graph::{Graph, Nodes};

/// A value as one line: arrays joined, objects as compact JSON.
pub(super) fn write(graph: Graph<'_>, value: &Value, nodes: &Nodes, line: &mut Line<'_>) {
    match value {
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                if line.is_cut() {
                    return;
                }
                if index > 0 {
                    line.push(", ");
                }
                let nodes = graph.item(nodes, index);
                match item {
                    Value::Null => line.push("null"),
                    _ => nested(graph, item, &nodes, line),
                }
            }
        }
        _ => nested(graph, value, nodes, line),
    }
}

/// A value inside of a cell: arrays joined without spaces, `null` is empty, objects are JSON.
fn nested(graph: Graph<'_>, value: &Value, nodes: &Nodes, line: &mut Line<'_>) {
    match value {
        Value::Null => {}
        Value::String(s) => line.push(s),
        Value::Array(items) => {
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
fn json(graph: Graph<'_>, value: &Value, nodes: &Nodes, line: &mut Line<'_>) {
    match value {
        Value::Null => line.push("null"),
        Value::Bool(true) => line.push("true"),
        Value::Bool(false) => line.push("false"),
        Value::Number(n) => line.push(&number::canonical(n.as_str())),
        Value::String(s) => string(s, line),
        Value::Array(items) => {
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
        Value::Object(map) => object(graph, map, nodes, line),
    }
}

fn object(graph: Graph<'_>, map: &Map<String, Value>, nodes: &Nodes, line: &mut Line<'_>) {
    line.push("{");
    let mut cursor = 0;
    let mut separator = "";
    for (name, value) in map {
        if line.is_cut() {
            return;
        }
        let member = graph.member(nodes, name, &mut cursor);
        if !member.exclude {
            line.push(separator);
            separator = ",";
            string(name, line);
            line.push(":");
            json(graph, value, &member.nodes, line);
        }
    }
    line.push("}");
}

fn string(text: &str, line: &mut Line<'_>) {
    line.push("\"");
    for piece in text.split_inclusive(needs_escape) {
        let mut plain = piece.chars();
        match plain.next_back().filter(|&c| needs_escape(c)) {
            Some(c) => {
                line.push(plain.as_str());
                escape(c, line);
            }
            None => line.push(piece),
        }
    }
    line.push("\"");
}

fn needs_escape(c: char) -> bool {
    c < ' ' || c == '"' || c == '\\'
}

fn escape(c: char, line: &mut Line<'_>) {
    match c {
        '"' => line.push("\\\""),
        '\\' => line.push("\\\\"),
        '\n' => line.push("\\n"),
        '\r' => line.push("\\r"),
        '\t' => line.push("\\t"),
        '\u{8}' => line.push("\\b"),
        '\u{c}' => line.push("\\f"),
        c => line.push(&format!("\\u{:04x}", u32::from(c))),
    }
}
