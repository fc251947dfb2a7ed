//! Compiling documents the way a route does.

use openapi_mcp_filter::catalog::{CompiledSet, Compiler, Finding, Input, Outcome, Severity};
use openapi_mcp_filter::config::{Credential, Lint, SchemaProfile, ViewOptions};
use openapi_mcp_filter::openapi::Document;
use openapi_mcp_filter::tool::Tool;
use serde_json::{Value, json};
use url::Url;

/// A document that was compiled.
pub(crate) struct Compiled {
    pub(crate) set: Option<CompiledSet>,
    pub(crate) problems: Vec<Finding>,
}

impl Compiled {
    pub(crate) fn of(document: &Value, options: &ViewOptions, base_url: Option<&Url>) -> Self {
        Self::read(document, |document| compile(document, options, base_url))
    }

    pub(crate) fn with_credentials(
        document: &Value,
        options: &ViewOptions,
        credentials: &[Credential],
    ) -> Self {
        Self::read(document, |document| {
            let input = Input { credentials, ..input(document, None) };
            Compiler::new(vec![input], options).finish()
        })
    }

    fn read(document: &Value, compile: impl FnOnce(&Document) -> Outcome) -> Self {
        match Document::from_value(document.clone()) {
            Ok(document) => Self::from(compile(&document)),
            Err(problem) => Self {
                set: None,
                problems: vec![Finding {
                    severity: Severity::Refused,
                    origin: "api".to_owned(),
                    problem,
                }],
            },
        }
    }

    pub(crate) fn tool(&self, name: &str) -> Option<&Tool> {
        self.tools().iter().find(|tool| tool.name == name)
    }

    pub(crate) fn tools(&self) -> &[Tool] {
        self.set.as_ref().map_or(&[], |set| &set.tools)
    }

    pub(crate) fn names(&self) -> Vec<&str> {
        self.tools().iter().map(|tool| tool.name.as_str()).collect()
    }

    /// The findings that are not warnings, as `severity place`.
    pub(crate) fn refusals(&self) -> Vec<String> {
        let severe = self.problems.iter().filter(|found| found.severity != Severity::Warning);
        severe.map(|found| format!("{:?} {}", found.severity, found.problem.at)).collect()
    }
}

impl From<Outcome> for Compiled {
    fn from(outcome: Outcome) -> Self {
        Self { set: outcome.set, problems: outcome.problems }
    }
}

pub(crate) fn compile(
    document: &Document,
    options: &ViewOptions,
    base_url: Option<&Url>,
) -> Outcome {
    Compiler::new(vec![input(document, base_url)], options).finish()
}

fn input<'d>(document: &'d Document, base_url: Option<&'d Url>) -> Input<'d> {
    Input {
        upstream: "api",
        document: Some(document),
        document_url: None,
        base_url,
        servers: &[],
        credentials: &[],
        linked: &[],
    }
}

/// View options from the option names that the vectors and cases use.
pub(crate) fn options(value: &Value) -> ViewOptions {
    let mut options = ViewOptions::default();
    for (key, value) in value.as_object().into_iter().flatten() {
        let text = || value.as_str().unwrap().to_owned();
        let number = || usize::try_from(value.as_u64().unwrap()).unwrap();
        match key.as_str() {
            "profile" if options.profiles.is_empty() => options.profiles = vec![text()],
            "profiles" => {
                let names = value.as_array().unwrap();
                options.profiles = names.iter().map(|name| name.as_str().unwrap().into()).collect();
            }
            "namePrefix" => options.name_prefix = Some(text()),
            "locale" => options.locale = text(),
            "structuredContent" => options.structured_content = value.as_bool().unwrap(),
            "maxStringLength" => options.max_string_length = number(),
            "maxErrorLength" => options.max_error_length = number(),
            "strict" => options.strict = value.as_bool().unwrap(),
            "schemaProfile" if value == "full" => options.schema_profile = SchemaProfile::Full,
            "schemaProfile" if value == "minimal" => {
                options.schema_profile = SchemaProfile::Minimal;
            }
            "lint" => {
                options.lint = match value.as_str().unwrap() {
                    "warn" => Lint::Warn,
                    "off" => Lint::Off,
                    _ => Lint::Error,
                }
            }
            "profile" | "baseUrl" => {}
            other => panic!("option {other}"),
        }
    }
    options
}

pub(crate) fn base_url(options: &Value) -> Option<Url> {
    options.get("baseUrl").map(|url| url.as_str().unwrap().parse().unwrap())
}

/// What the vectors record of a tool.
pub(crate) fn listed(tool: &Tool) -> Value {
    let mut shown = json!({
        "name": tool.name,
        "description": tool.description,
        "inputSchema": tool.input_schema,
        "annotations": tool.annotations,
    });
    let map = shown.as_object_mut().unwrap();
    if let Some(title) = &tool.title {
        map.insert("title".into(), title.clone().into());
    }
    if let Some(schema) = &tool.output_schema {
        map.insert("outputSchema".into(), schema.clone());
    }
    if !tool.examples.is_empty() {
        map.insert("examples".into(), tool.examples.clone().into());
    }
    shown
}

pub(crate) fn plan(tool: &Tool) -> &openapi_mcp_filter::tool::OperationPlan {
    tool.plan.operation().unwrap()
}
