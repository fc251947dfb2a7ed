//! Cases from public bug reports: small documents with what must come of them.

use openapi_mcp_filter::catalog::Severity;
use openapi_mcp_filter::json;
use serde_json::{Value, json};

use crate::harness::{self, Compiled};
use crate::vectors::{self, report};

#[test]
fn documents_of_the_cases_load_as_expected() {
    let mut checked = 0;
    for path in vectors::files("cases") {
        let case = vectors::read(&path);
        let Some(document) = document(&case) else { continue };
        let mut config = case.get("config").cloned().unwrap_or(json!({}));
        if let Some(map) = config.as_object_mut() {
            map.retain(|key, _| key == "structuredContent" || key == "schemaProfile");
        }
        let compiled = Compiled::of(&document, &harness::options(&config), None);
        let failures = failures(&case["expect"], &compiled);
        assert!(failures.is_empty(), "{}: {failures:#?}", path.display());
        checked += 1;
    }
    report(&format!("cases: {checked} documents checked"));
    assert!(checked > 30);
}

fn document(case: &Value) -> Option<Value> {
    match case.get("docRaw") {
        Some(raw) => Some(json::parse_text(raw["text"].as_str().unwrap().as_bytes()).unwrap()),
        None => case.get("doc").cloned(),
    }
}

/// What does not hold; keys about requests and results are for other tests.
fn failures(expect: &Value, compiled: &Compiled) -> Vec<String> {
    let mut failures = Vec::new();
    let mut check = |holds: bool, what: String| {
        if !holds {
            failures.push(what);
        }
    };
    for (key, value) in expect.as_object().unwrap() {
        match key.as_str() {
            "load" => check((value == "ok") == loads(compiled), format!("load: {value}")),
            "loadErrorContains" => {
                let all = strings(value).all(|part| is_reported(compiled, part));
                check(all, format!("a problem names {value}"));
            }
            "loadErrorContainsAny" => {
                let any = strings(value).any(|part| is_reported(compiled, part));
                check(any, format!("a problem names one of {value}"));
            }
            "textNotInToolsList" => {
                let list: String =
                    compiled.tools().iter().map(|t| harness::listed(t).to_string()).collect();
                check(!strings(value).any(|part| list.contains(part)), format!("no {value}"));
            }
            "tools" => check(tools_hold(value, compiled), format!("tools: {value}")),
            "schema" => {
                for rule in value.as_array().unwrap() {
                    check(schema_holds(rule, compiled), format!("schema: {rule}"));
                }
            }
            "accepts" => {
                for rule in value.as_array().unwrap() {
                    check(accepts(rule, compiled), format!("accepts: {rule}"));
                }
            }
            "anyOf" => {
                let options: Vec<_> = value
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|it| self::failures(it, compiled))
                    .collect();
                check(options.iter().any(Vec::is_empty), format!("anyOf: {options:?}"));
            }
            _ => {}
        }
    }
    failures
}

/// A case calls it an error, too, when the operation it is about is left out.
fn loads(compiled: &Compiled) -> bool {
    compiled.problems.iter().all(|found| found.severity == Severity::Warning)
}

fn is_reported(compiled: &Compiled, part: &str) -> bool {
    let plain = |text: &str| text.replace("~1", "/").replace("~0", "~");
    compiled.problems.iter().any(|found| plain(&found.problem.to_string()).contains(part))
}

fn tools_hold(rule: &Value, compiled: &Compiled) -> bool {
    let names = compiled.names();
    rule.as_object().unwrap().iter().all(|(key, value)| match key.as_str() {
        "equal" => strings(value).eq(names.iter().copied()),
        "include" => strings(value).all(|name| names.contains(&name)),
        "count" => value.as_u64() == Some(names.len() as u64),
        "unique" => {
            let mut sorted = names.clone();
            sorted.sort_unstable();
            sorted.dedup();
            sorted.len() == names.len()
        }
        "allMatch" => names.iter().all(|name| matches(value, name)),
        other => panic!("unknown rule {other}"),
    })
}

fn schema_holds(rule: &Value, compiled: &Compiled) -> bool {
    let Some(tool) = compiled.tool(rule["tool"].as_str().unwrap()) else { return false };
    let found = tool.input_schema.pointer(rule["at"].as_str().unwrap());
    let value = &rule["value"];
    let keys = || found.and_then(Value::as_object).into_iter().flatten().map(|(key, _)| key);
    match rule["op"].as_str().unwrap() {
        "absent" => found.is_none(),
        "present" => found.is_some(),
        "equals" => found == Some(value),
        "notBoolean" => found.is_some_and(|found| !found.is_boolean()),
        "absentOrArray" => found.is_none_or(Value::is_array),
        "keyCount" => value.as_u64() == Some(keys().count() as u64),
        "keysMatch" => keys().all(|key| matches(value, key)),
        "keysIncludeOneOf" => value
            .as_array()
            .unwrap()
            .iter()
            .any(|wanted| strings(wanted).all(|name| keys().any(|key| key == name))),
        "uniqueItems" => found.and_then(Value::as_array).is_some_and(|items| {
            items.iter().enumerate().all(|(index, item)| !items[..index].contains(item))
        }),
        other => panic!("unknown rule {other}"),
    }
}

fn accepts(rule: &Value, compiled: &Compiled) -> bool {
    let Some(tool) = compiled.tool(rule["tool"].as_str().unwrap()) else { return false };
    let validator = jsonschema::draft202012::new(&tool.input_schema).unwrap();
    validator.is_valid(&rule["arguments"]) == rule["valid"].as_bool().unwrap()
}

fn matches(pattern: &Value, text: &str) -> bool {
    jsonschema::draft202012::is_valid(&json!({"pattern": pattern}), &json!(text))
}

fn strings(value: &Value) -> impl Iterator<Item = &str> {
    value.as_array().unwrap().iter().map(|item| item.as_str().unwrap())
}
