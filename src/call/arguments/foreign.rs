//! Arguments that belong to another media type of the body than the chosen one.

use super::explain::NOT_ALLOWED;
use crate::json::{Pointer, Problem};
use crate::tool::{BodyPlan, BodyShape, Tool};

/// Says of arguments that the chosen media type does not take which one does.
pub(super) fn explain(tool: &Tool, problems: &mut [Problem]) {
    let body = tool.plan.operation().and_then(|plan| plan.body.as_ref());
    let Some((body, choice)) = body.and_then(|body| Some((body, body.chosen_by.as_ref()?))) else {
        return;
    };
    for problem in problems.iter_mut().filter(|problem| problem.message == NOT_ALLOWED) {
        let plans = std::iter::once(body).chain(&body.others);
        let owners: Vec<_> = plans
            .filter(|plan| takes(plan, &problem.at))
            .map(|plan| format!("`{}`", plan.media_type))
            .collect();
        if !owners.is_empty() {
            let which = if owners.len() > 1 { "one of them" } else { "it" };
            let owners = owners.join(" and ");
            problem.message = format!("belongs to {owners}: set `{choice}` to {which}");
        }
    }
}

/// Whether the argument at a place is part of a body.
fn takes(plan: &BodyPlan, at: &str) -> bool {
    let is_it = |name: &str| Pointer::root().join(name).as_str() == at;
    match &plan.shape {
        BodyShape::Whole { argument } => is_it(argument),
        BodyShape::Flat { properties } => properties.iter().any(|(argument, _)| is_it(argument)),
    }
}
