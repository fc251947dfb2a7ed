//! One operation under one annotation: a tool.

use serde_json::{Map, Value};

use super::arguments::{self, Arguments};
use super::body::Body;
use super::context::{Context, Report};
use super::{choice, editor, minimal, names, overlap, parameter, response};
use crate::config::SchemaProfile;
use crate::json::Problem;
use crate::openapi::Operation;
use crate::tool::{OperationPlan, Plan, Tool};
use crate::vocabulary::{BodyMode, OperationAnnotation};

/// Compiles a tool; `None` when the report says why there is none.
pub(super) fn tool(
    context: &Context<'_>,
    operation: &Operation<'_>,
    annotation: &OperationAnnotation,
    name: String,
    report: &mut Report,
) -> Option<Tool> {
    let (input, plan, output_schema) = plan(context, operation, annotation, &name, report)?;
    let (mut input_schema, mut exact_schema) = input.into_schemas();
    let (param_headers, refused) = arguments::param_headers(&mut input_schema);
    for argument in refused {
        let message = format!(
            "`x-mcp-header` of the argument `{argument}` is no header name of its own, it is ignored"
        );
        report.warn(Problem::new(operation.pointer.clone(), message));
    }
    let original = overlap::loosen(&mut input_schema);
    if let Some(exact) = &mut exact_schema {
        overlap::loosen(exact);
    }
    let offered = match context.options.schema_profile {
        SchemaProfile::Portable => None,
        SchemaProfile::Full => original,
        SchemaProfile::Minimal => {
            Some(minimal::minimal(&input_schema)).filter(|offered| *offered != input_schema)
        }
    };
    if let Some(offered) = offered {
        let input_schema = std::mem::replace(&mut input_schema, offered);
        exact_schema.get_or_insert(input_schema);
    }
    let locale = &context.options.locale;
    let title = annotation.title.as_ref().map(|title| title.pick(locale).trim().to_owned());
    let tool = Tool {
        title: title.filter(|title| !title.is_empty()),
        description: description(operation, annotation, locale),
        input_schema,
        exact_schema,
        output_schema,
        annotations: hints(operation, annotation),
        examples: annotation.examples.clone(),
        param_headers,
        plan: Plan::Operation(Box::new(plan)),
        name,
    };
    (!report.is_fatal()).then_some(tool)
}

/// The name of the tool that an annotation asks for; of a form, what its tools' names start with.
///
/// # Errors
/// An explicit name that does not fit.
pub(super) fn name(
    prefix: &str,
    annotation: &OperationAnnotation,
    operation: &Map<String, Value>,
    (method, path): (&str, &str),
) -> Result<String, Problem> {
    let origin = match &annotation.name {
        Some(name) => names::Origin::Explicit(name),
        None => names::Origin::Operation {
            id: operation.get("operationId").and_then(Value::as_str),
            method,
            path,
        },
    };
    let reserved = if annotation.editor.is_some() { editor::reserved() } else { 0 };
    names::tool(prefix, origin, reserved)
        .map_err(|message| Problem::new(annotation.pointer.join("name"), message))
}

fn plan(
    context: &Context<'_>,
    operation: &Operation<'_>,
    annotation: &OperationAnnotation,
    name: &str,
    report: &mut Report,
) -> Option<(Arguments, OperationPlan, Option<Value>)> {
    let place = context.base.place_of(operation).map_err(|problem| report.skip(problem)).ok();
    let credentials = context.security.plan(operation, report);
    let mut input = Arguments::new(context.is_portable());
    let mut bound = parameter::bind(context, operation, annotation, &mut input, report);
    if let Some((base, _)) = &place {
        parameter::bind_base(base, operation, &mut bound);
    }
    let mut body = Body::read(context, operation, annotation, (name, report));
    if let Some(body) = &mut body {
        body.fix(annotation, &mut bound, report);
    }
    parameter::bind_rest(annotation, &mut bound, report);
    if body.is_none() && !report.is_fatal() {
        report_useless(annotation, report);
    }
    let body = body.map(|body| {
        let others = body.read_others(context, operation, annotation, report);
        choice::plan(body, others, &mut input, report)
    });
    let response =
        response::plan(context, operation, annotation, (&mut input, &mut bound), report)?;
    if report.is_fatal() {
        return None;
    }
    let (base, server) = place?;
    let parameters = bound.arguments.into_iter().chain(bound.selection).chain(bound.fixed);
    let plan = OperationPlan {
        upstream: context.upstream.to_owned(),
        pointer: operation.pointer.to_string(),
        method: operation.method.clone(),
        base_path: base.path().trim_end_matches('/').to_owned(),
        path: operation.template.clone().into(),
        parameters: parameters.collect(),
        body,
        server,
        credentials,
        response: response.plan,
    };
    Some((input, plan, response.output_schema))
}

/// Reports settings of a body that the operation does not have.
fn report_useless(annotation: &OperationAnnotation, report: &mut Report) {
    let settings = [
        ("body", annotation.body == BodyMode::Compact),
        ("bodyFields", annotation.body_fields.is_some()),
    ];
    for (key, _) in settings.iter().filter(|(_, is_set)| *is_set) {
        let message = format!("`{key}` has no effect: the operation takes no request body");
        report.warn(Problem::new(annotation.pointer.join(key), message));
    }
}

/// The description, with a warning where nobody wrote one for agents.
fn description(
    operation: &Operation<'_>,
    annotation: &OperationAnnotation,
    locale: &str,
) -> String {
    let mut text = own_description(operation, annotation, locale);
    if operation.deprecated && operation.annotation.is_none() {
        text.push_str("\n\nDeprecated: prefer another operation.");
    }
    text
}

/// The authored description, else summary and description, else what identifies the operation.
fn own_description(
    operation: &Operation<'_>,
    annotation: &OperationAnnotation,
    locale: &str,
) -> String {
    let authored = annotation.description.as_ref().map_or("", |text| text.pick(locale).trim());
    if !authored.is_empty() {
        return authored.to_owned();
    }
    let inherited = match annotation.description {
        Some(_) => Vec::new(),
        None => [operation.summary, operation.description].into_iter().flatten().collect(),
    };
    let parts: Vec<&str> =
        inherited.into_iter().map(str::trim).filter(|text| !text.is_empty()).collect();
    if !parts.is_empty() {
        return parts.join("\n\n");
    }
    match operation.operation_id.map(str::trim).filter(|id| !id.is_empty()) {
        Some(id) => id.to_owned(),
        None => [&operation.method, " ", operation.path].concat(),
    }
}

/// Whether a tool changes nothing: what its annotations say, else its method.
pub(super) fn is_read_only(method: &str, annotations: &Map<String, Value>) -> bool {
    let said = annotations.get("readOnlyHint").and_then(Value::as_bool);
    said.unwrap_or_else(|| is_safe(method))
}

/// RFC 9110 §9.2.1, as far as an API operation has such a method.
fn is_safe(method: &str) -> bool {
    matches!(method, "GET" | "HEAD" | "QUERY")
}

/// MCP tool annotations: what the method says, then what the annotation says.
fn hints(operation: &Operation<'_>, annotation: &OperationAnnotation) -> Map<String, Value> {
    let method = operation.method.as_str();
    let mut hints = Map::new();
    hints.insert("readOnlyHint".to_owned(), is_safe(method).into());
    hints.insert("destructiveHint".to_owned(), (method == "DELETE").into());
    hints.extend(annotation.annotations.clone());
    hints
}
