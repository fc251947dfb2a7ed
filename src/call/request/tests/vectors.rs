//! Recorded calls: arguments checked and the request built, against what was recorded.

use super::*;
use crate::{
    call::arguments::{self, Validators},
    tool::Tool,
};

const VECTORS: &str = include_str!("../../../../tests/golden/requests.json");
const EXCEPTIONS: &str = include_str!("../../../../tests/golden/exceptions.json");

/// The request of a call as the vectors write it; null when none is sent.
fn outcome(tool: &Tool, arguments: &Value) -> Value {
    let Ok(arguments) = arguments::check(tool, &Validators::default(), object(arguments.clone()))
    else {
        return Value::Null;
    };
    let plan = tool.plan.operation().unwrap();
    let Ok(request) = build(plan, &arguments) else {
        return Value::Null;
    };
    let headers: Map<_, _> = request
        .headers
        .into_iter()
        .map(|(name, value)| (name.into_owned(), Value::from(value)))
        .collect();
    let body = request.body.map(|body| String::from_utf8(body).unwrap());
    json!({"method": request.method, "target": request.path, "headers": headers, "body": body})
}

/// Whether this is what we do instead of what a vector recorded.
fn is_excepted(exceptions: &Value, group: &Value, call: &Value, ours: &Value) -> bool {
    exceptions.as_array().unwrap().iter().any(|exception| {
        exception["file"] == group["file"]
            && exception["case"] == group["case"]
            && exception["call"] == call["index"]
            && exception["ours"] == *ours
    })
}

#[test]
fn recorded_calls_send_the_recorded_requests() {
    let vectors = crate::json::parse(VECTORS.as_bytes()).unwrap();
    let exceptions = crate::json::parse(EXCEPTIONS.as_bytes()).unwrap();
    let mut failures = Vec::new();
    for group in vectors.as_array().unwrap() {
        let tools: Vec<Tool> = serde_json::from_value(group["tools"].clone()).unwrap();
        for call in group["calls"].as_array().unwrap() {
            let tool = tools.iter().find(|tool| tool.name == call["tool"]).unwrap();
            let ours = outcome(tool, &call["arguments"]);
            let expected = &call["request"];
            if ours != *expected && !is_excepted(&exceptions, group, call, &ours) {
                let (file, case, index) = (&group["file"], &group["case"], &call["index"]);
                failures.push(
                    json!({"file": file, "case": case, "call": index, "ours": ours,
                    "theirs": expected})
                    .to_string(),
                );
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
