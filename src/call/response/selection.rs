//! Which fields a call shows: `fields`, then `response_format`, then the concise set.

use serde_json::{Map, Value};

use crate::tool::{Detailed, ResponsePlan};

/// The fields to show, in order and without repeats; `None` means every field.
///
/// Only arguments that were generated for this purpose are looked at: an API parameter that happens
/// to be called `fields` goes to the API and nowhere else.
pub(super) fn fields<'a>(
    plan: &'a ResponsePlan,
    arguments: &'a Map<String, Value>,
) -> Option<Vec<&'a str>> {
    asked_for(plan, arguments).or_else(|| {
        if wants_detail(plan, arguments) {
            return match &plan.detailed {
                Some(Detailed::Fields(fields)) => Some(distinct(fields.iter().map(String::as_str))),
                Some(Detailed::All) | None => None,
            };
        }
        plan.concise.as_ref().map(|fields| distinct(fields.iter().map(String::as_str)))
    })
}

fn asked_for<'a>(plan: &ResponsePlan, arguments: &'a Map<String, Value>) -> Option<Vec<&'a str>> {
    let list = arguments.get(plan.fields_argument.as_deref()?)?.as_array()?;
    let names = distinct(list.iter().filter_map(Value::as_str));
    (!names.is_empty()).then_some(names)
}

fn wants_detail(plan: &ResponsePlan, arguments: &Map<String, Value>) -> bool {
    let format = plan.format_argument.as_ref().and_then(|name| arguments.get(name));
    format.and_then(Value::as_str) == Some("detailed")
}

/// The names without repeats. They come from an `enum`, so there are few different ones.
fn distinct<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut kept = Vec::new();
    for name in names {
        if !kept.contains(&name) {
            kept.push(name);
        }
    }
    kept
}
