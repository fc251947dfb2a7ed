use serde_json::json;

use super::*;
use crate::tool::OperationPlan;

mod bodies;
mod cases;
mod hostile;
mod styles;
mod vectors;

/// A plan from its JSON form, with the fields that requests do not depend on filled in.
fn plan(fields: Value) -> OperationPlan {
    let mut plan = json!({
        "upstream": "api", "pointer": "", "method": "GET", "basePath": "/v1", "path": "/x",
        "parameters": [], "response": {"accept": "application/json"},
    });
    for (key, value) in fields.as_object().unwrap() {
        plan[key] = value.clone();
    }
    serde_json::from_value(plan).unwrap()
}

/// A parameter plan whose argument has the parameter's name.
fn parameter(place: &str, name: &str, style: &str, explode: bool) -> Value {
    json!({"name": name, "place": place, "style": style, "explode": explode,
        "source": {"argument": name}})
}

fn object(value: Value) -> Map<String, Value> {
    value.as_object().unwrap().clone()
}

#[track_caller]
fn send(fields: Value, arguments: Value) -> UpstreamRequest {
    build(&plan(fields), &object(arguments)).unwrap()
}

/// The places of the problems, one per line with its message.
#[track_caller]
fn refused(fields: Value, arguments: Value) -> String {
    let problems = build(&plan(fields), &object(arguments)).unwrap_err();
    problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

fn header<'r>(request: &'r UpstreamRequest, name: &str) -> Option<&'r str> {
    request.headers.iter().find(|(n, _)| n == name).map(|(_, value)| &**value)
}
