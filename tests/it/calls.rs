//! One call of a vector: the request it becomes and the result of the recorded answer.

use openapi_mcp_filter::call::arguments::{self, Validators};
use openapi_mcp_filter::call::request;
use openapi_mcp_filter::call::response::{self, Context};
use openapi_mcp_filter::http::{Headers, UpstreamError, UpstreamRequest, UpstreamResponse};
use openapi_mcp_filter::json::Problem;
use openapi_mcp_filter::tool::{Content, Tool, ToolResult};
use serde_json::{Map, Value, json};

use crate::harness::{self, Compiled};

/// Runs a call; pairs of what is expected and what is ours, for the request and for the result.
pub(crate) fn run(call: &Value, compiled: &Compiled) -> Vec<(Value, Value)> {
    let name = call["tool"].as_str().unwrap();
    let Some(tool) = compiled.tool(name) else {
        return vec![(json!({"tool": name}), json!({"tool": null}))];
    };
    let given = call["args"].as_object().cloned().unwrap_or_default();
    let expected = expected_request(call);
    match prepare(tool, given) {
        Err(problems) => {
            let text: Vec<_> = problems.iter().map(ToString::to_string).collect();
            let ours = json!({"text": text.join("\n"), "isError": true});
            let result = &call["result"];
            let is_named = result.get("names").is_some_and(|names| names_all(&ours["text"], names));
            let wanted = if is_named { ours.clone() } else { result.clone() };
            // What went wrong is compared only where the vector refuses the call, too.
            let result = expected.is_null().then_some((wanted, ours));
            [(expected, Value::Null)].into_iter().chain(result).collect()
        }
        Ok((arguments, request)) => {
            let request = (expected, described(&request));
            let Some(answer) = call.get("upstreamResponse").filter(|answer| !answer.is_null())
            else {
                return vec![request];
            };
            let result = response::render(
                harness::plan(tool),
                &arguments,
                outcome(answer),
                &Context::default(),
            );
            let ours = recorded(&result);
            check_structured(tool, &result);
            let names = call["result"].get("names");
            let wanted = match names {
                Some(names) if result.is_error && names_all(&ours["text"], names) => ours.clone(),
                _ => call["result"].clone(),
            };
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

fn expected_request(call: &Value) -> Value {
    let request = &call["expectedRequest"];
    if request.is_null() {
        return Value::Null;
    }
    let url = request["url"].as_str().unwrap();
    let authority = url.find("://").map_or(0, |at| at + 3);
    let target = url[authority..].find('/').map_or("/", |at| &url[authority + at..]);
    let mut headers = request["headers"].as_object().unwrap().clone();
    for name in call.pointer("/ctx/headers").and_then(Value::as_object).into_iter().flatten() {
        headers.shift_remove(&name.0.to_ascii_lowercase());
    }
    json!({"method": request["method"], "target": target, "headers": headers, "body": request["body"]})
}

fn described(request: &UpstreamRequest) -> Value {
    let headers: Map<String, Value> =
        request.headers.iter().map(|(name, value)| (name.clone(), value.clone().into())).collect();
    let body = request.body.as_ref().map(|body| String::from_utf8_lossy(body).into_owned());
    json!({"method": request.method, "target": request.path, "headers": headers, "body": body})
}

fn outcome(answer: &Value) -> Result<UpstreamResponse, UpstreamError> {
    if answer["networkError"].is_string() {
        return Err(UpstreamError::ConnectionFailed);
    }
    let headers = answer["headers"].as_object().into_iter().flatten();
    let headers = headers.map(|(name, value)| (name.clone(), value.as_str().unwrap().into()));
    let body = match &answer["body"] {
        Value::Null => Vec::new(),
        Value::String(text) => text.clone().into_bytes(),
        body => body.to_string().into_bytes(),
    };
    let status = u16::try_from(answer["status"].as_u64().unwrap()).unwrap();
    Ok(UpstreamResponse { status, headers: Headers::new(headers), body })
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

/// Structured content is valid against the advertised schema. Where the API answers no object though
/// its document promises one, the protocol layer wraps it.
fn check_structured(tool: &Tool, result: &ToolResult) {
    let (Some(schema), Some(value)) = (&tool.output_schema, &result.structured) else { return };
    if value.is_object() || schema["type"] != "object" {
        let validator = jsonschema::draft202012::new(schema).unwrap();
        assert!(validator.is_valid(value), "{}: {value} against {schema}", tool.name);
    }
}

fn names_all(text: &Value, names: &Value) -> bool {
    let text = text.as_str().unwrap();
    names.as_array().unwrap().iter().all(|name| text.contains(name.as_str().unwrap()))
}
