//! One call of a vector: the request it becomes and the result of the recorded answer.

use openapi_mcp_filter::call::arguments::{self, Validators};
use openapi_mcp_filter::call::conform;
use openapi_mcp_filter::call::request;
use openapi_mcp_filter::call::response::{self, Context};
use openapi_mcp_filter::http::{UpstreamError, UpstreamRequest, UpstreamResponse};
use openapi_mcp_filter::json::Problem;
use openapi_mcp_filter::tool::{Content, Tool, ToolResult};
use serde_json::{Map, Value, json};

use crate::harness::{self, Compiled};
use crate::vectors;

/// Runs a call; pairs of what is expected and what is ours, for the request and for the result.
pub(crate) fn run(call: &Value, compiled: &Compiled) -> Vec<(Value, Value)> {
    let name = call["tool"].as_str().unwrap();
    let Some(tool) = compiled.tool(name) else {
        return vec![(json!({"tool": name}), json!({"tool": null}))];
    };
    let given = call["args"].as_object().cloned().unwrap_or_default();
    let expected = vectors::expected_request(call);
    match prepare(tool, given) {
        Err(problems) => {
            let text: Vec<_> = problems.iter().map(ToString::to_string).collect();
            let ours = json!({"text": text.join("\n"), "isError": true});
            let wanted = vectors::expected_result(call, &ours);
            // What went wrong is compared only where the vector refuses the call, too.
            let result = expected.is_null().then_some((wanted, ours));
            [(expected, Value::Null)].into_iter().chain(result).collect()
        }
        Ok((arguments, request)) => {
            let request = (expected, described(&request));
            if call["upstreamResponse"].is_null() {
                return vec![request];
            }
            let mut result = response::render(
                harness::plan(tool),
                &arguments,
                outcome(call),
                &Context::default(),
            );
            conform::conform(tool, &Validators::default(), &mut result);
            let ours = recorded(&result);
            check_structured(tool, &result);
            let wanted = vectors::expected_result(call, &ours);
            vec![request, (wanted, ours)]
        }
    }
}

type Prepared = (Map<String, Value>, UpstreamRequest);

fn prepare(tool: &Tool, given: Map<String, Value>) -> Result<Prepared, Vec<Problem>> {
    let arguments = arguments::check(tool, &Validators::default(), given)?;
    let request = request::build(harness::plan(tool), &arguments)?;
    Ok((arguments, request))
}

fn described(request: &UpstreamRequest) -> Value {
    let headers: Map<String, Value> = request
        .headers
        .iter()
        .map(|(name, value)| (name.to_string(), value.clone().into()))
        .collect();
    let body = request.body.as_ref().map(|body| String::from_utf8_lossy(body).into_owned());
    json!({"method": request.method, "target": request.path, "headers": headers, "body": body})
}

fn outcome(call: &Value) -> Result<UpstreamResponse, UpstreamError> {
    let (status, headers, body) = vectors::answer(call).ok_or(UpstreamError::ConnectionFailed)?;
    let headers = headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    Ok(UpstreamResponse { status, headers, body })
}

/// A result as the vectors write it.
fn recorded(result: &ToolResult) -> Value {
    let texts = result.content.iter().map(|block| match block {
        Content::Text(text) => text.as_str(),
        other => panic!("{other:?}"),
    });
    let mut recorded = json!({"text": texts.collect::<Vec<_>>().join("\n")});
    let map = recorded.as_object_mut().unwrap();
    if result.is_error {
        map.insert("isError".into(), true.into());
    }
    if let Some(structured) = &result.structured {
        map.insert("structuredContent".into(), structured.clone());
    }
    recorded
}

/// Structured content is there and valid whenever a schema is advertised.
fn check_structured(tool: &Tool, result: &ToolResult) {
    let (Some(schema), false) = (&tool.output_schema, result.is_error) else { return };
    let value = result.structured.as_ref().unwrap();
    let validator = jsonschema::draft202012::new(schema).unwrap();
    assert!(validator.is_valid(value), "{}: {value} against {schema}", tool.name);
}
