//! `structuredContent`: the parsed answer without excluded fields, projected like the text.

use serde_json::{Map, Value};

use crate::tool::ResponsePlan;
use crate::tool::graph::Graph;

/// What of `value` the agent may see.
pub(super) fn shown(
    (plan, root): (&ResponsePlan, usize),
    fields: Option<&[&str]>,
    mut value: Value,
) -> Value {
    let graph = Graph(&plan.shape);
    graph.prune(&mut value, &graph.at(root));
    if let Some(fields) = fields {
        project(plan, fields, &mut value);
    }
    value
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
