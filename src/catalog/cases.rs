//! Successes with a schema of their own, by status and media type.

use serde_json::Value;

use super::media::{essence, is_json};
use crate::json::Problem;
use crate::openapi::{MediaType, Node, Response, StatusPattern};
use crate::tool::{Property, Shape};

/// Status (0 for any), media type (empty for any), and the root of their schema.
type Case = (u16, String, usize);

/// Whether some success has another schema than `main`.
pub(super) fn differ(responses: &[Response<'_>], main: Option<&Node<'_>>) -> bool {
    let main = main.map(|node| node.value);
    declared(responses).iter().any(|(.., schema)| Some(schema.value) != main)
}

/// The roots of successes that are not described by `main`; their nodes are added to `shapes`, which
/// begins with the root of `main`.
///
/// A status that the document has no schema for is taken as described by `main`, whose hidden
/// properties then stay hidden; `default` beside other successes describes errors.
///
/// # Errors
/// Those of `build`, which reads one schema.
pub(super) fn plan<'d>(
    responses: &[Response<'d>],
    main: Option<&Node<'d>>,
    shapes: &mut Vec<Shape>,
    build: &dyn Fn(Node<'d>) -> Result<Vec<Shape>, Problem>,
) -> Result<Vec<Case>, Problem> {
    if !differ(responses, main) {
        return Ok(Vec::new());
    }
    let mut known: Vec<(&Value, usize)> = main.iter().map(|node| (node.value, 0)).collect();
    let mut cases = Vec::new();
    for (status, media_type, schema) in declared(responses) {
        let node = match known.iter().find(|(value, _)| *value == schema.value) {
            Some((_, node)) => *node,
            None => add(shapes, build(schema.clone())?),
        };
        known.push((schema.value, node));
        cases.push((status, media_type, node));
    }
    Ok(useful(cases))
}

/// The JSON schemas of successes, by status and media type: single codes first, and of one response
/// the type that others are taken for last.
fn declared<'r, 'd>(responses: &'r [Response<'d>]) -> Vec<(u16, String, &'r Node<'d>)> {
    let mut found = Vec::new();
    for is_range in [false, true] {
        for response in responses {
            match response.status {
                StatusPattern::Code(code) if (200..300).contains(&code) && !is_range => {
                    declared_types(&response.content, code, &mut found);
                }
                StatusPattern::Range(2) if is_range => {
                    declared_types(&response.content, 0, &mut found);
                }
                StatusPattern::Code(_) | StatusPattern::Range(_) | StatusPattern::Default => {}
            }
        }
    }
    found
}

fn declared_types<'r, 'd>(
    content: &'r [MediaType<'d>],
    status: u16,
    found: &mut Vec<(u16, String, &'r Node<'d>)>,
) {
    let usual = preferred(content);
    for media in content {
        let is_usual = usual.is_some_and(|usual| std::ptr::eq(usual, media));
        if is_json(media.name) && !is_usual && !media.name.contains('*') {
            found.extend(media.schema.as_ref().map(|schema| (status, essence(media.name), schema)));
        }
    }
    let schema = usual.and_then(|media| media.schema.as_ref());
    found.extend(schema.map(|schema| (status, String::new(), schema)));
}

/// The JSON type that an answer has unless it says something else.
pub(super) fn preferred<'r, 'd>(content: &'r [MediaType<'d>]) -> Option<&'r MediaType<'d>> {
    let json = content.iter().filter(|media| is_json(media.name));
    json.min_by_key(|media| essence(media.name) != "application/json")
}

/// Adds a graph; returns its root.
fn add(shapes: &mut Vec<Shape>, mut graph: Vec<Shape>) -> usize {
    if shapes.is_empty() {
        shapes.push(Shape::default());
    }
    if graph.is_empty() {
        graph.push(Shape::default());
    }
    if shapes.starts_with(&graph) && graph.len() == shapes.len() {
        return 0;
    }
    let start = shapes.len();
    for shape in &mut graph {
        shift(shape, start);
    }
    shapes.extend(graph);
    start
}

fn shift(shape: &mut Shape, by: usize) {
    let patterns = shape.patterns.iter_mut().map(|(_, property)| property);
    let properties = shape.properties.iter_mut().chain(patterns);
    for Property { node, .. } in properties.chain(shape.additional.as_deref_mut()) {
        *node = node.map(|node| node + by);
    }
    shape.items = shape.items.map(|node| node + by);
    shape.prefix_items.iter_mut().for_each(|node| *node += by);
}

/// Leaves out what comes to the same without a case.
fn useful(cases: Vec<Case>) -> Vec<Case> {
    let mut kept: Vec<Case> = Vec::new();
    for case in cases.into_iter().rev() {
        let (status, media_type, node) = &case;
        let is_needed = kept.iter().any(|(later, name, _)| {
            (*later == 0 || later == status)
                && (name.is_empty() || media_type.is_empty() || name == media_type)
        });
        if *node != 0 || is_needed {
            kept.push(case);
        }
    }
    kept.reverse();
    kept
}
