//! Real documents without a word about agents, every operation exposed by rule: nothing is refused,
//! what is left out is reported, and everything that is offered is valid.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use openapi_mcp_filter::catalog::{Compiler, Input, Outcome, Severity};
use openapi_mcp_filter::config::{Exposure, Lint, SchemaProfile, ViewOptions};
use openapi_mcp_filter::json;
use openapi_mcp_filter::openapi::Document;
use openapi_mcp_filter::tool::Tool;
use serde_json::{Map, Value};
use url::Url;

use crate::real;
use crate::vectors::report;

const PROFILES: [SchemaProfile; 3] =
    [SchemaProfile::Portable, SchemaProfile::Full, SchemaProfile::Minimal];

/// Operations that cannot be called: how many, and why.
const LEFT_OUT: [(&str, usize, &str); 4] = [
    ("box-3.0.json.gz", 11, "has its own server"),
    ("data-fair-root-x-agent-3.1.json", 1, "(its profile was not asked for)"),
    ("digitalocean-multifile-3.0.tar.gz", 15, "has its own server"),
    ("github-rest-3.0.json.gz", 1, "has its own server"),
];

#[test]
fn every_operation_of_every_real_document_becomes_a_valid_tool() {
    let Some(folder) = real::shared("openapi") else { return };
    let mut paths: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let mut failures = Vec::new();
    for path in paths {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let Some(document) = document(&path) else { continue };
        for schema_profile in PROFILES {
            let options = options(schema_profile);
            let outcome = compile(&document, &options);
            check(&name, &document, &options, outcome, &mut failures);
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
}

fn options(schema_profile: SchemaProfile) -> ViewOptions {
    ViewOptions {
        exposure: Exposure::all(),
        lint: Lint::Off,
        structured_content: true,
        schema_profile,
        ..ViewOptions::default()
    }
}

fn compile(document: &Document, options: &ViewOptions) -> Outcome {
    let url = Url::parse("http://api.test/openapi.json").unwrap();
    let input = Input {
        upstream: "api",
        document: Some(document),
        document_url: Some(&url),
        base_url: None,
        servers: &[],
        credentials: &[],
        linked: &[],
    };
    Compiler::new(vec![input], options).finish()
}

fn check(
    name: &str,
    document: &Document,
    options: &ViewOptions,
    outcome: Outcome,
    failures: &mut Vec<String>,
) {
    let operations = document.endpoints().0.len();
    let Some(set) = outcome.set else {
        failures.push(format!("{name}: refused: {:?}", outcome.problems));
        return;
    };
    let skipped: Vec<String> = outcome
        .problems
        .iter()
        .filter(|found| found.severity != Severity::Warning)
        .map(|found| found.problem.to_string())
        .collect();
    let listed: usize = set.tools.iter().map(|tool| tool.input_schema.to_string().len()).sum();
    report(&format!(
        "{name} {:?}: {operations} operations, {} tools, {listed} bytes of input schemas, {} \
         remarks",
        options.schema_profile,
        set.tools.len(),
        outcome.problems.len()
    ));
    let expected = LEFT_OUT.iter().find(|(document, ..)| *document == name);
    let (expected, reason) = expected.map_or((0, ""), |(_, count, reason)| (*count, *reason));
    let is_expected = skipped.iter().all(|problem| problem.contains(reason));
    if operations - set.tools.len() != expected || !is_expected {
        failures.push(format!("{name}: {} left out: {skipped:#?}", operations - set.tools.len()));
    }
    let names: BTreeSet<&str> = set.tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(names.len(), set.tools.len(), "{name}: names are unique");
    for tool in &set.tools {
        for fault in faults(tool, options.schema_profile) {
            failures.push(format!("{name} {}: {fault}", tool.name));
        }
    }
}

/// What strict clients would refuse.
fn faults(tool: &Tool, profile: SchemaProfile) -> Vec<String> {
    let mut faults = Vec::new();
    let mut expect = |holds: bool, what: &str| {
        if !holds {
            faults.push(what.to_owned());
        }
    };
    let schema = &tool.input_schema;
    let arguments = schema["properties"].as_object().unwrap();
    expect(is_name(&tool.name), "the tool name");
    expect(!tool.description.trim().is_empty(), "the description");
    expect(schema["type"] == "object", "the type of the input schema");
    if profile != SchemaProfile::Full {
        expect(arguments.keys().all(|name| is_name(name)), "argument names");
        let at_top = ["allOf", "anyOf", "oneOf", "not", "if", "$ref"];
        expect(at_top.iter().all(|key| schema.get(*key).is_none()), "combinators at the top");
    }
    if profile == SchemaProfile::Minimal {
        expect(is_minimal(schema), "the minimal profile");
    }
    let all = [Some(schema), tool.exact_schema.as_ref(), tool.output_schema.as_ref()];
    for schema in all.into_iter().flatten() {
        expect(jsonschema::meta::is_valid(schema), &format!("the meta-schema: {schema}"));
        expect(jsonschema::draft202012::new(schema).is_ok(), &format!("the validator: {schema}"));
        expect(dangling(schema, schema).is_none(), &format!("references: {schema}"));
    }
    faults
}

fn is_name(name: &str) -> bool {
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    (1..=64).contains(&name.len()) && name.chars().all(is_allowed)
}

/// A reference that leads nowhere.
fn dangling<'s>(root: &Value, value: &'s Value) -> Option<&'s str> {
    match value {
        Value::Array(items) => items.iter().find_map(|item| dangling(root, item)),
        Value::Object(map) => {
            let reference = map.get("$ref").and_then(Value::as_str);
            let is_dangling = |text: &&str| {
                text.strip_prefix('#').is_none_or(|pointer| root.pointer(pointer).is_none())
            };
            reference
                .filter(is_dangling)
                .or_else(|| map.iter().find_map(|(key, value)| inside(root, key, value)))
        }
        _ => None,
    }
}

/// Data is no schema.
fn inside<'s>(root: &Value, key: &str, value: &'s Value) -> Option<&'s str> {
    let is_data = matches!(key, "const" | "default" | "enum" | "examples");
    if is_data && !value.get("type").is_some_and(Value::is_string) {
        return None;
    }
    dangling(root, value)
}

fn is_minimal(schema: &Value) -> bool {
    const UNKNOWN: [&str; 8] = ["$ref", "$defs", "allOf", "anyOf", "oneOf", "not", "const", "if"];
    let Value::Object(map) = schema else { return false };
    let schemas = |map: &Map<String, Value>| map.values().all(is_minimal);
    UNKNOWN.iter().all(|key| !map.contains_key(*key))
        && map.get("type").is_none_or(Value::is_string)
        && map.get("properties").and_then(Value::as_object).is_none_or(schemas)
        && map.get("items").is_none_or(is_minimal)
        && map
            .get("additionalProperties")
            .is_none_or(|more| more == &Value::Bool(false) || is_minimal(more))
}

/// A document, with its files where it is an archive.
fn document(path: &Path) -> Option<Document> {
    if path.to_string_lossy().ends_with(".tar.gz") {
        return Some(divided(path));
    }
    let name = path.display();
    let value = real::parse(path)?;
    Some(Document::from_value(value).unwrap_or_else(|problem| panic!("{name}: {problem}")))
}

fn divided(archive: &Path) -> Document {
    let folder = unpacked(archive);
    let root = folder.join("specification/DigitalOcean-public.v2.yaml");
    let mut document = Document::parse(&std::fs::read(&root).unwrap()).unwrap();
    let address = Url::from_file_path(&root).unwrap();
    let reach = |_: &Url| Ok(());
    document.link(&address, &reach);
    let mut files = 0;
    loop {
        let missing = document.missing();
        if missing.is_empty() {
            break;
        }
        for url in missing {
            files += 1;
            let text =
                std::fs::read(url.to_file_path().unwrap()).map_err(|error| error.to_string());
            let file = text.and_then(|text| json::parse_text(&text).map_err(|it| it.to_string()));
            assert!(file.is_ok(), "{url}: {file:?}");
            document.add_file(&url, file, &reach);
        }
    }
    report(&format!("{}: {files} files", archive.display()));
    document
}

fn unpacked(archive: &Path) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("divided");
    std::fs::create_dir_all(&folder).unwrap();
    let status = Command::new("tar").arg("xzf").arg(archive).arg("-C").arg(&folder).status();
    assert!(status.unwrap().success());
    folder
}
