//! Responses: which one, what to ask for, and how it is presented.

use serde_json::{Value, json};

use super::arguments::Arguments;
use super::cases;
use super::context::{Context, Report};
use super::media::{essence, is_json};
use super::output;
use super::parameter::Bound;
use super::shape::{Graph, Options};
use crate::json::Problem;
use crate::openapi::{MediaType, Node, Operation, Response, StatusPattern};
use crate::tool::{Detailed, Place, ResponsePlan, Source};
use crate::vocabulary::{Choice, OperationAnnotation};

const MARKDOWN: &str = "text/markdown";
const JSON: &str = "application/json";

/// The response part of a plan, and the schema of the structured result.
#[derive(Debug)]
pub(super) struct ResponseParts {
    pub(super) plan: ResponsePlan,
    pub(super) output_schema: Option<Value>,
}

/// Plans the response of an operation; adds the arguments that shape it.
pub(super) fn plan(
    context: &Context<'_>,
    operation: &Operation<'_>,
    annotation: &OperationAnnotation,
    (arguments, bound): (&mut Arguments, &mut Bound),
    report: &mut Report,
) -> Option<ResponseParts> {
    let response = successful(&operation.responses);
    let offered = response.map_or(&[][..], |response| &response.content);
    let schema = cases::preferred(offered).and_then(|media| media.schema.clone());
    let (rows, graph) = read_shape(context, schema.clone(), annotation)
        .map_err(|problem| report.skip(problem))
        .ok()?;
    let rows = rows.as_deref();
    check_fields(graph.as_ref(), annotation, rows, report);
    let fields = graph.as_ref().map(|graph| graph.fields(rows)).unwrap_or_default();
    let mut shape = graph.map(|graph| graph.into_plan(rows)).unwrap_or_default();
    let build = |node| {
        let graph = Graph::build(context.document, vec![node], options(context, rows))?;
        Ok(graph.into_plan(rows))
    };
    let cases = cases::plan(&operation.responses, schema.as_ref(), &mut shape, &build)
        .map_err(|problem| report.skip(problem))
        .ok()?;
    let wishes = &annotation.response;
    let accept = accept(offered);
    let plan = ResponsePlan {
        rows: rows.map(str::to_owned),
        concise: wishes.concise.clone(),
        detailed: wishes.detailed.as_ref().map(detailed),
        fields_argument: select(annotation, fields, (arguments, bound), report),
        format_argument: choose_format(annotation, arguments, report),
        hints: wishes.hints,
        shape,
        cases,
        structured: context.options.structured_content && accept != MARKDOWN,
        max_string_length: context.options.max_string_length,
        max_error_length: context.options.max_error_length,
        accept,
    };
    // What the result is like must not depend on which of several successes it was.
    let is_stable = !cases::differ(&operation.responses, schema.as_ref());
    let output_schema = schema.filter(|_| plan.structured && is_stable);
    let output_schema = output_schema
        .map(|node| output::schema(context.document, &node, &plan))
        .transpose()
        .map_err(|problems| report.skip_all(problems))
        .ok()?;
    // A schema that not every success could satisfy is not advertised.
    let output_schema = output_schema.filter(output::accepts_nothing);
    Some(ResponseParts { plan, output_schema })
}

/// The key of the rows, and what the response schema says.
///
/// The segment of `rows` is the key as it stands, unless the response declares only its unescaped
/// form (RFC 6901).
fn read_shape(
    context: &Context<'_>,
    schema: Option<Node<'_>>,
    annotation: &OperationAnnotation,
) -> Result<(Option<String>, Option<Graph>), Problem> {
    let unescaped = annotation.response.rows.as_deref();
    let place = annotation.pointer.join("response").join("rows");
    let written = place.get(context.document.root()).and_then(Value::as_str);
    let written = written.and_then(|text| text.strip_prefix('/')).or(unescaped);
    let build = |rows| {
        let options = options(context, rows);
        schema.clone().map(|node| Graph::build(context.document, vec![node], options)).transpose()
    };
    let graph = build(written)?;
    let declares = |key: Option<&str>| {
        key.is_some_and(|key| graph.as_ref().is_some_and(|graph| graph.declares(key)))
    };
    if written != unescaped && !declares(written) && declares(unescaped) {
        return Ok((unescaped.map(str::to_owned), build(unescaped)?));
    }
    Ok((written.map(str::to_owned), graph))
}

fn options<'o>(context: &'o Context<'_>, rows: Option<&'o str>) -> Options<'o> {
    Options {
        locale: &context.options.locale,
        rows,
        is_annotated: context.is_annotated,
        is_form: false,
    }
}

/// The response that describes success: the lowest 2xx code, else `2XX`, else `default`.
fn successful<'r, 'd>(responses: &'r [Response<'d>]) -> Option<&'r Response<'d>> {
    let rank = |response: &&Response<'_>| match response.status {
        StatusPattern::Code(code) if (200..300).contains(&code) => Some(u32::from(code)),
        StatusPattern::Range(2) => Some(300),
        StatusPattern::Default => Some(301),
        StatusPattern::Code(_) | StatusPattern::Range(_) => None,
    };
    responses.iter().filter(|response| rank(response).is_some()).min_by_key(rank)
}

/// The schemas that successful JSON responses may have.
pub(super) fn success_schemas<'d>(operation: &Operation<'d>) -> Vec<Node<'d>> {
    let is_success = |response: &&Response<'_>| match response.status {
        StatusPattern::Code(code) => (200..300).contains(&code),
        StatusPattern::Range(class) => class == 2,
        StatusPattern::Default => false,
    };
    let mut found: Vec<_> = operation.responses.iter().filter(is_success).collect();
    found.extend(successful(&operation.responses).filter(|_| found.is_empty()));
    let json = found.into_iter().flat_map(|it| &it.content).filter(|media| is_json(media.name));
    json.filter_map(|media| media.schema.clone()).collect()
}

/// The JSON types of a successful response.
pub(super) fn accept_json(operation: &Operation<'_>) -> String {
    let offered = successful(&operation.responses).map_or(&[][..], |it| &it.content);
    let json = offered.iter().filter(|media| is_json(media.name));
    accept(&json.cloned().collect::<Vec<_>>())
}

/// Markdown where it is offered, else the JSON types, else whatever there is. JSON types with another
/// schema than the usual one are second choice.
fn accept(content: &[MediaType<'_>]) -> String {
    if content.iter().any(|media| essence(media.name) == MARKDOWN) {
        return MARKDOWN.to_owned();
    }
    let mut wanted: Vec<String> = Vec::new();
    let usual = cases::preferred(content);
    let is_any_json = usual.is_some();
    for media in content.iter().filter(|media| !is_any_json || is_json(media.name)) {
        let name = essence(media.name);
        let name = if is_any_json && name.contains('*') { JSON.to_owned() } else { name };
        let is_usual = usual.is_none_or(|usual| {
            usual.schema.as_ref().map(|it| it.value) == media.schema.as_ref().map(|it| it.value)
        });
        let name = if is_usual { name } else { [&name, ";q=0.5"].concat() };
        if !wanted.contains(&name) {
            wanted.push(name);
        }
    }
    wanted.sort_by_key(|name| name != JSON);
    if wanted.is_empty() { JSON.to_owned() } else { wanted.join(", ") }
}

fn detailed(choice: &Choice) -> Detailed {
    match choice {
        Choice::All => Detailed::All,
        Choice::Only(fields) => Detailed::Fields(fields.clone()),
    }
}

/// Reports rows and field names that the response does not have, and settings that do nothing.
fn check_fields(
    graph: Option<&Graph>,
    annotation: &OperationAnnotation,
    rows: Option<&str>,
    report: &mut Report,
) {
    let wishes = &annotation.response;
    let at = annotation.pointer.join("response");
    if wishes.detailed.is_some() && wishes.concise.is_none() {
        let message = "`detailed` has no effect without `concise`";
        report.warn(Problem::new(at.join("detailed"), message));
    }
    let Some(graph) = graph else { return };
    if graph.is_hidden() {
        let message = "the whole response is marked with `exclude` or `writeOnly`, which hides \
                       nothing: only properties can be hidden";
        report.warn(Problem::new(annotation.pointer.clone(), message));
    }
    if let Some(name) = rows.filter(|name| graph.lacks(name)) {
        let message = format!("`rows` names `{name}`, which the response does not declare");
        report.warn(Problem::new(at.join("rows"), message));
    }
    if graph.is_open(rows) {
        return;
    }
    let known = graph.all_fields(rows);
    let detailed = match &wishes.detailed {
        Some(Choice::Only(fields)) => Some(fields),
        Some(Choice::All) | None => None,
    };
    for (key, fields) in [("concise", wishes.concise.as_ref()), ("detailed", detailed)] {
        for name in fields.into_iter().flatten().filter(|name| !known.contains(name)) {
            let at = at.join(key);
            let message = format!("`{key}` names `{name}`, which the response does not declare");
            report.warn(Problem::new(at, message));
        }
    }
}

/// The `fields` argument of `selectParam`.
fn select(
    annotation: &OperationAnnotation,
    fields: Vec<String>,
    (arguments, bound): (&mut Arguments, &mut Bound),
    report: &mut Report,
) -> Option<String> {
    let name = annotation.response.select_param.as_deref()?;
    let at = annotation.pointer.join("response").join("selectParam");
    let Some(selection) = &mut bound.selection else {
        let message =
            format!("`selectParam` names `{name}`, which is no parameter of the operation");
        report.refuse(Problem::new(at, message));
        return None;
    };
    if fields.is_empty() {
        let level = match &annotation.response.rows {
            Some(rows) => format!("at `/{}`", rows.replace('~', "~0").replace('/', "~1")),
            None => "at its top level".to_owned(),
        };
        let message = format!(
            "`selectParam` names `{name}`, but the response declares no properties {level} to \
             select from"
        );
        report.refuse(Problem::new(at, message));
        return None;
    }
    let schema = json!({
        "type": "array",
        "items": {"type": "string", "enum": fields},
        "description": "Fields to return; the concise set when absent."
    });
    let name = arguments.generate("fields", "response_fields", schema);
    if let Source::Selection { argument, fallback } = &mut selection.source {
        argument.clone_from(&name);
        if selection.place == Place::Path && fallback.is_none() {
            arguments.require(&name);
        }
    }
    report.authored.push((name.clone(), at));
    Some(name)
}

/// The `response_format` argument of `concise` together with `detailed`.
fn choose_format(
    annotation: &OperationAnnotation,
    arguments: &mut Arguments,
    report: &mut Report,
) -> Option<String> {
    let concise = annotation.response.concise.as_ref()?;
    let detailed = match annotation.response.detailed.as_ref()? {
        Choice::All => "every field".to_owned(),
        Choice::Only(fields) => fields.join(", "),
    };
    let description = format!("concise: {}. detailed: {detailed}.", concise.join(", "));
    let schema = json!({
        "type": "string",
        "enum": ["concise", "detailed"],
        "default": "concise",
        "description": description
    });
    let name = arguments.generate("response_format", "response_detail", schema);
    report.authored.push((name.clone(), annotation.pointer.join("response")));
    Some(name)
}
