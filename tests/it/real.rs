//! Real and large documents: they compile, and twice to the same bytes.

use std::path::{Path, PathBuf};
use std::time::Duration;

use openapi_mcp_filter::catalog::{Compiler, Input};
use openapi_mcp_filter::config::{Lint, ViewOptions};
use openapi_mcp_filter::json;
use openapi_mcp_filter::openapi::Document;
use openapi_mcp_filter::tool::Tool;
use openapi_mcp_filter::vocabulary::Root;
use serde_json::{Value, json};

use crate::harness;
use crate::vectors::{self, report};

/// Where documents are that are not part of the project; absent on most machines.
pub(crate) fn shared(path: &str) -> Option<PathBuf> {
    let root = match std::env::var_os("OPENAPI_MCP_SHARED") {
        Some(root) => PathBuf::from(root),
        None => PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared"),
    };
    let file = root.join(path);
    if !file.exists() {
        report(&format!("not checked, since {} is not there", file.display()));
        return None;
    }
    Some(file)
}

#[test]
fn annotated_documents_compile_in_every_profile_and_language() {
    for name in ["data-fair-root-x-agent-3.1.json", "data-fair-metrics-x-agent-3.1.json"] {
        let Some(path) = shared(&format!("openapi/{name}")) else { continue };
        let document = Document::from_value(vectors::read(&path)).unwrap();
        let root = Root::read(document.root());
        assert!(!root.profiles.is_empty());
        for (profile, _) in &root.profiles {
            for locale in ["en", "fr"] {
                let options = ViewOptions {
                    profiles: vec![profile.clone()],
                    locale: locale.to_owned(),
                    lint: Lint::Warn,
                    ..ViewOptions::default()
                };
                check_twice(name, &document, &options);
            }
        }
    }
}

#[test]
fn large_documents_compile_operation_by_operation() {
    let Some(path) = shared("bench/big-1000-operations.json.gz") else { return };
    let document = Document::from_value(annotated(parse(&path).unwrap())).unwrap();
    let options = ViewOptions { strict: true, ..ViewOptions::default() };
    assert_eq!(check_twice("big-1000-operations", &document, &options), 1000);
}

/// Reads a JSON or YAML document, compressed or not.
pub(crate) fn parse(path: &Path) -> Option<Value> {
    let name = path.file_name()?.to_str()?;
    let bytes = match name.strip_suffix(".gz") {
        Some(inner) if !inner.contains(".tar") => {
            let output = std::process::Command::new("gzip").arg("-dc").arg(path).output();
            output.unwrap().stdout
        }
        Some(_) => return None,
        None => std::fs::read(path).unwrap(),
    };
    let is_document = [".json", ".yaml"].iter().any(|ending| name.contains(ending));
    is_document.then(|| json::parse_text(&bytes).unwrap_or_else(|error| panic!("{name}: {error}")))
}

/// Opts every operation in; names are made unique by method and path where needed.
fn annotated(mut document: Value) -> Value {
    let methods = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];
    let mut known = std::collections::BTreeSet::new();
    for item in document["paths"].as_object_mut().into_iter().flat_map(|paths| paths.values_mut()) {
        for method in methods {
            if let Some(operation) = item.get_mut(method).and_then(Value::as_object_mut) {
                if operation
                    .get("operationId")
                    .is_some_and(|id| !known.insert(id.to_string().to_lowercase()))
                {
                    operation.shift_remove("operationId");
                }
                operation.entry("x-agent").or_insert_with(|| json!({}));
            }
        }
    }
    document
}

/// Compiles twice, compares, validates and reports.
fn check_twice(name: &str, document: &Document, options: &ViewOptions) -> usize {
    let (tools, problems, steps) = compile(document, options);
    let (again, ..) = compile(document, options);
    let bytes = |tools: &[Tool]| serde_json::to_vec(tools).unwrap();
    assert!(bytes(&tools) == bytes(&again), "{name}: two compilations differ");
    tools.iter().for_each(check_tool);
    let listed: usize = tools.iter().map(|tool| harness::listed(tool).to_string().len()).sum();
    let plans: usize =
        tools.iter().map(|tool| serde_json::to_string(&tool.plan).unwrap().len()).sum();
    let total: Duration = steps.iter().sum();
    let longest = steps.iter().max().copied().unwrap_or_default();
    report(&format!(
        "{name} {:?} {}: {} tools, {listed} bytes listed, {plans} bytes of plans, {} findings, \
         {total:?} in {} steps, longest {longest:?}",
        options.profiles,
        options.locale,
        tools.len(),
        problems.len(),
        steps.len(),
    ));
    for problem in problems.iter().take(5) {
        report(&format!("  {problem}"));
    }
    tools.len()
}

#[allow(clippy::disallowed_types, reason = "the report shows how long compiling takes")]
fn compile(document: &Document, options: &ViewOptions) -> (Vec<Tool>, Vec<String>, Vec<Duration>) {
    let input = Input {
        upstream: "api",
        document: Some(document),
        document_url: None,
        base_url: None,
        servers: &[],
        credentials: &[],
        linked: &[],
    };
    let mut compiler = Compiler::new(vec![input], options);
    let mut steps = Vec::new();
    loop {
        let start = std::time::SystemTime::now();
        let is_more = compiler.step();
        steps.push(start.elapsed().unwrap_or_default());
        if !is_more {
            break;
        }
    }
    let outcome = compiler.finish();
    let problems = outcome.problems.iter();
    let problems = problems.map(|found| format!("{:?} {}", found.severity, found.problem));
    let problems: Vec<_> = problems.collect();
    (outcome.set.unwrap_or_else(|| panic!("{problems:?}")).tools, problems, steps)
}

/// Names, descriptions and schemas that every client accepts.
fn check_tool(tool: &Tool) {
    let is_name = |name: &str| {
        let is_allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
        (1..=64).contains(&name.len()) && name.chars().all(is_allowed)
    };
    assert!(is_name(&tool.name), "{}", tool.name);
    assert!(!tool.description.trim().is_empty(), "{}", tool.name);
    let schema = &tool.input_schema;
    jsonschema::draft202012::new(schema).unwrap_or_else(|error| panic!("{}: {error}", tool.name));
    assert!(jsonschema::meta::is_valid(schema), "{}: {schema}", tool.name);
    let arguments = schema["properties"].as_object().unwrap();
    assert!(arguments.keys().all(|name| is_name(name)), "{}: {schema}", tool.name);
    for example in &tool.examples {
        assert!(example.is_object(), "{}", tool.name);
    }
}
