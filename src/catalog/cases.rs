//! Successes with a schema of their own, by status and media type.

use serde_json::Value;

use super::media::{essence, is_json};
use crate::json::Problem;
use crate::openapi::{MediaType, Node, Response, StatusPattern};
use crate::tool::{Property, ResponseCase, Shape};

/// Whether some success has another schema than `main`.
pub(super) fn differ(responses: &[Response<'_>], main: Option<&Node<'_>>) -> bool {
    let main = main.map(|node| node.value);
    declared(responses).any(|(_, _, schema)| Some(schema.value) != main)
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
    build: impl Fn(Node<'d>) -> Result<Vec<Shape>, Problem>,
) -> Result<Vec<ResponseCase>, Problem> {
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
        cases.push(ResponseCase { status, media_type, node });
    }
    Ok(useful(cases))
}

/// The JSON schemas of successes: single codes first, and of one response the type that others are
/// taken for last.
fn declared<'r, 'd>(
    responses: &'r [Response<'d>],
) -> impl Iterator<Item = (Option<u16>, String, &'r Node<'d>)> {
    let status = |response: &&'r Response<'d>| match response.status {
        StatusPattern::Code(code) if (200..300).contains(&code) => Some(Some(code)),
        StatusPattern::Range(2) => Some(None),
        StatusPattern::Code(_) | StatusPattern::Range(_) | StatusPattern::Default => None,
    };
    let mut found: Vec<_> =
        responses.iter().filter_map(|it| Some((status(&it)?, it.content.as_slice()))).collect();
    found.sort_by_key(|(status, _)| (status.is_none(), *status));
    found.into_iter().flat_map(|(status, content)| {
        let usual = preferred(content);
        let is_usual = move |media| usual.is_some_and(|usual| std::ptr::eq(usual, media));
        let others = content.iter().filter(move |media| is_json(media.name) && !is_usual(*media));
        let others = others.filter(|media| !media.name.contains('*'));
        let others = others.map(|media| (essence(media.name), media));
        let all = others.chain(usual.map(|media| (String::new(), media)));
        all.filter_map(move |(name, media)| Some((status, name, media.schema.as_ref()?)))
    })
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
    graph.iter_mut().for_each(|shape| shift(shape, start));
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
fn useful(cases: Vec<ResponseCase>) -> Vec<ResponseCase> {
    let mut kept: Vec<ResponseCase> = Vec::new();
    for case in cases.into_iter().rev() {
        let overlaps = |later: &ResponseCase| {
            let same_status = later.status.is_none() || later.status == case.status;
            same_status
                && (later.media_type.is_empty()
                    || case.media_type.is_empty()
                    || later.media_type == case.media_type)
        };
        if case.node != 0 || kept.iter().any(overlaps) {
            kept.push(case);
        }
    }
    kept.reverse();
    kept
}
