//! The calls of the cases: what the API receives and what the agent gets back.

use base64::Engine as _;
use openapi_mcp_filter::call::response::{self, Context};
use openapi_mcp_filter::call::{arguments, arguments::Validators, conform, request};
use openapi_mcp_filter::http::{Headers, UpstreamRequest, UpstreamResponse};
use openapi_mcp_filter::tool::{Content, Tool, ToolResult};
use serde_json::{Map, Value, json};
use url::form_urlencoded;

use crate::harness::{self, Compiled};
use crate::vectors::{self, report};

#[test]
fn calls_of_the_cases_end_as_expected() {
    let (mut checked, mut failed) = (0, Vec::new());
    for path in vectors::files("cases") {
        let case = vectors::read(&path);
        let Some(document) = case.get("doc") else { continue };
        let mut config = case.get("config").cloned().unwrap_or(json!({}));
        if let Some(map) = config.as_object_mut() {
            map.retain(|key, _| key == "structuredContent" || key == "schemaProfile");
        }
        let compiled = Compiled::of(document, &harness::options(&config), None);
        let more = case["more"].as_array().map(Vec::as_slice).unwrap_or_default();
        for step in std::iter::once(&case).chain(more) {
            let Some(exchange) = Exchange::run(&compiled, step) else { continue };
            let found = exchange.failures(&step["expect"]);
            failed.extend(found.into_iter().map(|it| format!("{}: {it}", path.display())));
            checked += 1;
        }
    }
    report(&format!("cases: {checked} calls checked"));
    assert!(failed.is_empty(), "{failed:#?}");
    assert!(checked > 30);
}

/// One call of a tool: what was sent, if anything, and the result.
struct Exchange {
    tool: Tool,
    sent: Option<UpstreamRequest>,
    result: ToolResult,
}

impl Exchange {
    /// Runs a step that calls a tool which is offered.
    fn run(compiled: &Compiled, step: &Value) -> Option<Self> {
        let raw = step["rawRequest"].as_str().map(|text| serde_json::from_str(text).unwrap());
        let message: Value = raw.unwrap_or_else(|| step["request"].clone());
        if message["method"] != "tools/call" {
            return None;
        }
        let params = &message["params"];
        let tool = compiled.tool(params["name"].as_str()?)?.clone();
        let given = params["arguments"].as_object().cloned().unwrap_or_default();
        let validators = Validators::default();
        let checked = arguments::check(&tool, &validators, given);
        let built = checked.and_then(|it| Ok((request::build(harness::plan(&tool), &it)?, it)));
        let (sent, mut result) = match built {
            Ok((request, given)) => {
                (Some(request), answer(&tool, &given, &step["upstreamResponse"]))
            }
            Err(problems) => (None, ToolResult::error(format!("{problems:?}"))),
        };
        conform::conform(&tool, &validators, &mut result);
        Some(Self { tool, sent, result })
    }

    fn failures(&self, expect: &Value) -> Vec<String> {
        let mut failures = Vec::new();
        for (part, rules) in expect.as_object().unwrap() {
            match part.as_str() {
                "upstream" => failures.extend(broken(rules, |key, value| self.sends(key, value))),
                "result" => failures.extend(broken(rules, |key, value| self.returns(key, value))),
                "load" if rules == "error" => failures.push("the tool is offered".to_owned()),
                "anyOf" => {
                    let options: Vec<_> =
                        rules.as_array().unwrap().iter().map(|it| self.failures(it)).collect();
                    if !options.iter().any(Vec::is_empty) {
                        failures.push(format!("anyOf: {options:?}"));
                    }
                }
                _ => {}
            }
        }
        if !failures.is_empty() {
            failures.push(format!("{:?} {:?}", self.sent, self.result));
        }
        failures
    }

    fn sends(&self, key: &str, value: &Value) -> bool {
        let Some(sent) = &self.sent else { return key == "calls" && value == 0 };
        let (path, query) = sent.path.split_once('?').unwrap_or((&sent.path, ""));
        let header = |name: &str| {
            let found = sent.headers.iter().find(|(known, _)| known == name);
            found.map(|(_, value)| &**value)
        };
        let body = || sent.body.as_deref().and_then(|it| serde_json::from_slice::<Value>(it).ok());
        let headers = || value.as_object().unwrap().iter();
        match key {
            "calls" => value == 1,
            "method" => *value == *sent.method,
            "host" => true,
            "path" => value == path,
            "query" => pairs_are(query, value),
            "queryOneOf" => any(value, |it| pairs_are(query, it)),
            "queryRawOneOf" => any(value, |it| it == query),
            "queryJson" => headers().all(|(name, expected)| {
                let mut pairs = form_urlencoded::parse(query.as_bytes());
                let found = pairs.find(|(known, _)| known == name);
                found.is_some_and(|(_, text)| {
                    serde_json::from_str::<Value>(&text).ok().as_ref() == Some(expected)
                })
            }),
            "headers" => headers().all(|(name, it)| header(name) == it.as_str()),
            "headerOneOf" => headers().all(|(name, it)| any(it, |it| header(name) == it.as_str())),
            "headersAbsent" => !any(value, |it| header(it.as_str().unwrap()).is_some()),
            "jsonBody" => body().as_ref() == Some(value),
            "bodyAbsent" => sent.body.is_none(),
            other => panic!("unknown rule {other}"),
        }
    }

    fn returns(&self, key: &str, value: &Value) -> bool {
        let texts: String = self.result.content.iter().filter_map(text_of).collect();
        match key {
            "isError" => value == self.result.is_error,
            "textContains" => !any(value, |it| !texts.contains(it.as_str().unwrap())),
            "textNotContains" => !any(value, |it| texts.contains(it.as_str().unwrap())),
            "contentIsArray" => true,
            "validatesOutputSchema" => self.tool.output_schema.as_ref().is_none_or(|schema| {
                let structured = self.result.structured.clone().unwrap_or(Value::Null);
                jsonschema::draft202012::is_valid(schema, &structured)
            }),
            other => panic!("unknown rule {other}"),
        }
    }
}

fn broken(rules: &Value, holds: impl Fn(&str, &Value) -> bool) -> Vec<String> {
    let rules = rules.as_object().unwrap().iter();
    let broken = rules.filter(|(key, value)| !holds(key, value));
    broken.map(|(key, value)| format!("{key}: {value}")).collect()
}

fn any(values: &Value, holds: impl Fn(&Value) -> bool) -> bool {
    values.as_array().unwrap().iter().any(holds)
}

/// Whether a query has these pairs; their order counts for each name.
fn pairs_are(query: &str, expected: &Value) -> bool {
    let mut ours: Vec<_> = form_urlencoded::parse(query.as_bytes()).into_owned().collect();
    let pair = |it: &Value| {
        let text = |at: usize| it[at].as_str().unwrap().to_owned();
        (text(0), text(1))
    };
    let mut expected: Vec<_> = expected.as_array().unwrap().iter().map(pair).collect();
    ours.sort_by(|a, b| a.0.cmp(&b.0));
    expected.sort_by(|a, b| a.0.cmp(&b.0));
    ours == expected
}

fn text_of(block: &Content) -> Option<&str> {
    match block {
        Content::Text(text) => Some(text),
        _ => None,
    }
}

fn answer(tool: &Tool, given: &Map<String, Value>, answer: &Value) -> ToolResult {
    let headers = answer["headers"].as_object().into_iter().flatten();
    let headers: Headers =
        headers.map(|(name, value)| (name.as_str(), value.as_str().unwrap())).collect();
    let body = match (answer["bodyRaw"].as_str(), answer["bodyBase64"].as_str()) {
        (Some(text), _) => text.as_bytes().to_vec(),
        (_, Some(text)) => base64::prelude::BASE64_STANDARD.decode(text).unwrap(),
        _ => answer.get("body").map(|body| body.to_string().into_bytes()).unwrap_or_default(),
    };
    let status = answer["status"].as_u64().unwrap_or(200);
    let response = UpstreamResponse { status: u16::try_from(status).unwrap(), headers, body };
    response::render(harness::plan(tool), given, Ok(response), &Context::default())
}
