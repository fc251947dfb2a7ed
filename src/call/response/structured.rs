//! `structuredContent`: the parsed answer without excluded fields, projected like the text.

use serde_json::{Map, Value};

use crate::tool::ResponsePlan;

use super::graph::{Graph, Nodes};

/// What of `value` the agent may see.
pub(super) fn shown(
    (plan, root): (&ResponsePlan, usize),
    fields: Option<&[&str]>,
    mut value: Value,
) -> Value {
    let graph = Graph(&plan.shape, root);
    prune(graph, &mut value, &graph.root());
    if let Some(fields) = fields {
        project(plan, fields, &mut value);
    }
    value
}

fn prune(graph: Graph<'_>, value: &mut Value, nodes: &Nodes) {
    if nodes.is_unknown() {
        return;
    }
    match value {
        Value::Object(map) => {
            let mut cursor = 0;
            map.retain(|name, value| {
                let member = graph.member(nodes, name, &mut cursor);
                if !member.exclude {
                    prune(graph, value, &member.nodes);
                }
                !member.exclude
            });
        }
        Value::Array(items) => {
            for (index, item) in items.iter_mut().enumerate() {
                prune(graph, item, &graph.item(nodes, index));
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Projects the rows of the answer, or the answer itself where it has none.
fn project(plan: &ResponsePlan, fields: &[&str], value: &mut Value) {
    match value {
        Value::Array(rows) => rows.iter_mut().for_each(|row| keep(fields, row)),
        Value::Object(map) => {
            let rows = plan.rows.as_ref().and_then(|key| map.get_mut(key));
            match rows.and_then(Value::as_array_mut) {
                Some(rows) => rows.iter_mut().for_each(|row| keep(fields, row)),
                None => keep(fields, value),
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn keep(fields: &[&str], value: &mut Value) {
    if let Value::Object(map) = value {
        let kept: Map<_, _> = fields.iter().filter_map(|field| map.remove_entry(*field)).collect();
        *map = kept;
    }
}
