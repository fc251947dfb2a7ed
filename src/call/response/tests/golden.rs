//! The recorded results and the cases, run from their data.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::{Map, Value, json};

use crate::{
    http::{Headers, UpstreamError, UpstreamResponse},
    json,
    tool::{Content, ToolResult},
};

use super::{super::*, plan};

fn read(path: &str) -> Value {
    let path = format!("{}/tests/{path}", env!("CARGO_MANIFEST_DIR"));
    json::parse(&std::fs::read(&path).unwrap_or_else(|e| panic!("{path}: {e}"))).unwrap()
}

fn outcome(answer: &Value) -> Result<UpstreamResponse, UpstreamError> {
    if answer["networkError"].is_string() {
        return Err(UpstreamError::ConnectionFailed);
    }
    let headers = answer["headers"].as_object().into_iter().flatten();
    let headers = headers.map(|(name, value)| (name.clone(), value.as_str().unwrap().into()));
    let body = match (&answer["body"], &answer["bodyRaw"], &answer["bodyBase64"]) {
        (_, Value::String(text), _) | (Value::String(text), ..) => text.clone().into_bytes(),
        (.., Value::String(base64)) => STANDARD.decode(base64).unwrap(),
        (Value::Null, ..) => Vec::new(),
        (body, ..) => body.to_string().into_bytes(),
    };
    let status = u16::try_from(answer["status"].as_u64().unwrap()).unwrap();
    Ok(UpstreamResponse { status, headers: Headers::new(headers), body })
}

fn text(result: &ToolResult) -> &str {
    match result.content.as_slice() {
        [Content::Text(text)] => text,
        other => panic!("expected one text, got {other:?}"),
    }
}

/// A result as the vectors write it.
fn recorded(result: &ToolResult) -> Value {
    let mut recorded = Map::new();
    if result.is_error {
        recorded.insert("isError".into(), json!(true));
    }
    recorded.insert("text".into(), json!(text(result)));
    if let Some(structured) = &result.structured {
        recorded.insert("structuredContent".into(), structured.clone());
    }
    Value::Object(recorded)
}

fn run(
    document: &Value,
    options: &Value,
    tool: &str,
    arguments: &Value,
    answer: &Value,
) -> ToolResult {
    let plan = plan::of(document, tool, options);
    let arguments = arguments.as_object().cloned().unwrap_or_default();
    render(&plan, &arguments, outcome(answer), &Context::default())
}

/// Runs the calls of one file that reach the API; returns how many there are.
#[track_caller]
fn check_vectors(file: &str) -> usize {
    let vectors = read(&format!("golden/{file}"));
    let exceptions = read("golden/exceptions.json");
    let mut count = 0;
    let mut differences = Vec::new();
    for case in vectors["cases"].as_array().unwrap() {
        let document = case.get("doc").unwrap_or(&vectors["doc"]);
        for (index, call) in case["calls"].as_array().into_iter().flatten().enumerate() {
            if call["upstreamResponse"].is_null() {
                continue;
            }
            count += 1;
            let tool = call["tool"].as_str().unwrap();
            let result =
                run(document, &case["options"], tool, &call["args"], &call["upstreamResponse"]);
            let exception = exceptions.as_array().unwrap().iter().find(|exception| {
                exception["file"] == file
                    && exception["case"] == case["title"]
                    && exception["call"] == index
                    && exception["stage"].is_null()
                    && exception.get("ours").is_some_and(|ours| ours.get("text").is_some())
            });
            if let Some(difference) = compare(&result, &call["result"], exception) {
                differences.push(format!("{}, call {index}: {tool}: {difference}", case["title"]));
            }
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    count
}

/// What differs from the recorded result, or from ours where the record is not followed.
fn compare(result: &ToolResult, expected: &Value, exception: Option<&Value>) -> Option<String> {
    if expected.get("names").is_some() {
        return (!result.is_error).then(|| format!("not an error: {result:?}"));
    }
    let ours = recorded(result);
    match exception {
        Some(exception) if exception["ours"] == *expected => {
            Some("the exception is not one".into())
        }
        Some(exception) if exception["ours"] == ours => None,
        None if ours == *expected => None,
        _ => Some(format!("{ours} instead of {expected}")),
    }
}

#[test]
fn rows_are_rendered_as_recorded() {
    assert_eq!(check_vectors("06-response-rows.json"), 19);
}

#[test]
fn values_are_rendered_as_recorded() {
    assert_eq!(check_vectors("07-render-values.json"), 17);
}

#[test]
fn errors_and_media_types_are_rendered_as_recorded() {
    assert_eq!(check_vectors("08-errors-and-media.json"), 25);
}

#[test]
fn structured_content_is_as_recorded() {
    assert_eq!(check_vectors("09-structured-content.json"), 6);
}

#[test]
fn names_and_order_are_as_recorded() {
    assert_eq!(check_vectors("22-name-clashes-and-order.json"), 11);
}

#[track_caller]
fn check_case(file: &str) {
    let case = read(&format!("cases/{file}.json"));
    let mut steps = vec![&case];
    steps.extend(case["more"].as_array().into_iter().flatten());
    for step in steps {
        let params = &step["request"]["params"];
        let tool = params["name"].as_str().unwrap();
        let options = case.get("config").unwrap_or(&Value::Null);
        let result =
            run(&case["doc"], options, tool, &params["arguments"], &step["upstreamResponse"]);
        let expected = expected_result(&step["expect"]).unwrap();
        assert_eq!(json!(result.is_error), expected["isError"], "{result:?}");
        for part in expected["textContains"].as_array().into_iter().flatten() {
            assert!(text(&result).contains(part.as_str().unwrap()), "{result:?}");
        }
    }
}

fn expected_result(expect: &Value) -> Option<&Value> {
    let mut alternatives = expect["anyOf"].as_array().into_iter().flatten();
    expect.get("result").or_else(|| alternatives.find_map(|one| one.get("result")))
}

#[test]
fn an_empty_answer_is_a_success() {
    check_case("56-no-content-204");
}

#[test]
fn a_redirect_is_reported() {
    check_case("58-redirect-not-followed");
}

#[test]
fn an_answer_that_differs_from_its_schema_is_shown() {
    check_case("60-output-schema-mismatch");
}

#[test]
fn a_compressed_answer_is_decoded() {
    check_case("62-gzip-response");
}

#[test]
fn media_types_are_recognised_in_every_spelling() {
    check_case("64-problem-json-and-charset");
}
