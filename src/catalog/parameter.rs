//! Parameters: overrides applied, arguments made, values bound to their place.

use serde_json::{Map, Value, json};
use url::Url;

use super::arguments::{Arguments, Kind};
use super::context::{Context, Report};
use super::schema;
use crate::http::is_reserved_header;
use crate::json::{Pointer, Problem};
use crate::openapi::schema::{Direction, extract};
use crate::openapi::{Node, Operation, Parameter};
use crate::tool::{ParameterPlan, Place, Source, Style};
use crate::vocabulary::{OperationAnnotation, ParamOverride};

/// The parameters of one operation on their way into the plan.
#[derive(Debug, Default)]
pub(super) struct Bound {
    /// Parameters that agents fill in, in order.
    pub(super) arguments: Vec<ParameterPlan>,
    /// The parameter that `response.selectParam` names.
    pub(super) selection: Option<ParameterPlan>,
    /// Parameters with a fixed value.
    pub(super) fixed: Vec<ParameterPlan>,
    /// Names in `fixed` that a parameter has taken.
    pub(super) taken: Vec<String>,
}

/// Turns the parameters of an operation into arguments and bindings.
pub(super) fn bind(
    context: &Context<'_>,
    operation: &Operation<'_>,
    annotation: &OperationAnnotation,
    arguments: &mut Arguments,
    report: &mut Report,
) -> Bound {
    let mut bound = Bound::default();
    for parameter in &operation.parameters {
        bind_one(context, parameter, annotation, arguments, &mut bound, report);
    }
    for &name in &operation.undeclared {
        bind_undeclared(name, operation, annotation, arguments, &mut bound, report);
    }
    for (name, value) in &operation.path_query {
        bound.fixed.push(query(name, Value::String(value.clone())));
    }
    report_unknown(operation, annotation, report);
    bound
}

/// Reports `params` that belong to nothing declared.
pub(super) fn report_unknown(
    operation: &Operation<'_>,
    annotation: &OperationAnnotation,
    report: &mut Report,
) {
    for (name, _) in &annotation.params {
        if !operation.parameters.iter().any(|parameter| parameter.is_called(name)) {
            let message =
                format!("`params` names `{name}`, which is no parameter of the operation");
            report.warn(Problem::new(annotation.pointer.join("params").join(name), message));
        }
    }
}

/// The query of the base URL, which every call has unless the operation declares such a parameter.
pub(super) fn bind_base(base: &Url, operation: &Operation<'_>, bound: &mut Bound) {
    let is_declared = |name: &str| {
        let mut known = operation.parameters.iter();
        known.any(|parameter| parameter.place == Place::Query && parameter.name == name)
    };
    let pairs = base.query_pairs().filter(|(name, _)| !is_declared(name));
    bound.fixed.extend(pairs.map(|(name, value)| query(&name, value.into_owned().into())));
}

/// A query parameter that no definition describes, with a fixed value. Lists are one value,
/// separated by commas.
pub(super) fn query(name: &str, value: Value) -> ParameterPlan {
    ParameterPlan {
        name: name.to_owned(),
        place: Place::Query,
        style: Style::Form,
        explode: false,
        allow_reserved: false,
        content: None,
        source: Source::Fixed(value),
    }
}

fn bind_one(
    context: &Context<'_>,
    parameter: &Parameter<'_>,
    annotation: &OperationAnnotation,
    arguments: &mut Arguments,
    bound: &mut Bound,
    report: &mut Report,
) {
    let name = parameter.name;
    if parameter.place == Place::Header && is_reserved_header(name) {
        let message = format!(
            "the header parameter `{name}` belongs to the connection or the gateway, it is ignored"
        );
        return report.warn(Problem::new(parameter.pointer.clone(), message));
    }
    let mut fixed = annotation.fixed.iter().filter(|(key, _)| parameter.is_called(key));
    let fixed = fixed.next().map(|(key, value)| {
        bound.taken.push(key.clone());
        value
    });
    let plan = |source| plan(parameter, source);
    let over = overrides(parameter, annotation);
    let selects = annotation.response.select_param.as_deref();
    if selects.is_some_and(|it| parameter.is_called(it)) && bound.selection.is_none() {
        let source = Source::Selection { argument: String::new(), fallback: fixed.cloned() };
        bound.selection = Some(plan(source));
    } else if let Some(value) = fixed {
        check_fixed(context, parameter, value, annotation, report);
        bound.fixed.push(plan(Source::Fixed(value.clone())));
    } else if context.security.owner(parameter).is_some() {
        // The key of a security scheme: it is configured, agents are not asked for it.
    } else if over.excluded() {
        exclude(parameter, &over, annotation, report);
    } else {
        let schema = match argument_schema(context, parameter, &over) {
            Ok(schema) => schema,
            Err(problems) => return report.skip_all(problems),
        };
        check_default(&schema, parameter, report);
        let is_required = is_required(parameter, &over, report);
        let wanted = over.name.as_deref().unwrap_or(name);
        let argument = arguments.add(
            wanted,
            Kind::Parameter(place_name(parameter.place)),
            schema,
            is_required,
        );
        if over.name.is_some() && argument != wanted {
            let message = format!(
                "two arguments are called `{wanted}`: the parameter `{name}` is offered as `{argument}`"
            );
            report.warn(Problem::new(parameter.pointer.clone(), message));
        }
        if over.description.is_some() {
            report.authored.push((argument.clone(), authored_at(parameter, annotation)));
        }
        bound.arguments.push(plan(Source::Argument(argument)));
    }
}

/// What the annotations of a parameter say together: its own, those beside references to it, those
/// of the operation; the later wins, key by key.
pub(super) fn overrides(
    parameter: &Parameter<'_>,
    annotation: &OperationAnnotation,
) -> ParamOverride {
    let shared = parameter.annotations.iter().rev();
    let over = shared.fold(ParamOverride::default(), |over, node| {
        over.merge(Some(&ParamOverride::read(node.value)))
    });
    let own = annotation.params.iter().find(|(key, _)| parameter.is_called(key));
    over.merge(own.map(|(_, own)| own))
}

/// Place of the annotation that wrote the description.
fn authored_at(parameter: &Parameter<'_>, annotation: &OperationAnnotation) -> Pointer {
    let own = annotation.params.iter().find(|(key, _)| parameter.is_called(key));
    let own = own.filter(|(_, own)| own.description.is_some());
    let own = own.map(|(key, _)| annotation.pointer.join("params").join(key));
    let describes = |node: &&Node<'_>| node.value.get("description").is_some();
    let shared = || Some(parameter.annotations.iter().find(describes)?.pointer.clone());
    own.or_else(shared).unwrap_or_else(|| annotation.pointer.clone()).join("description")
}

/// Reports the exclusion of a parameter that the API cannot do without.
fn exclude(
    parameter: &Parameter<'_>,
    over: &ParamOverride,
    annotation: &OperationAnnotation,
    report: &mut Report,
) {
    let name = parameter.name;
    let at = annotation.pointer.clone();
    if parameter.place == Place::Path {
        let message = format!(
            "the path parameter `{name}` is excluded, so the path cannot be filled: give it a \
             value under `fixed`"
        );
        report.skip(Problem::new(at, message));
    } else if over.required.unwrap_or(parameter.required) {
        let message = format!(
            "the parameter `{name}` is excluded, though the API requires it: give it a value under \
             `fixed`"
        );
        report.warn(Problem::new(at, message));
    }
}

/// Reports a fixed value that the parameter's own schema refuses, however it is written there.
fn check_fixed(
    context: &Context<'_>,
    parameter: &Parameter<'_>,
    value: &Value,
    annotation: &OperationAnnotation,
    report: &mut Report,
) {
    let Ok(schema) = argument_schema(context, parameter, &ParamOverride::default()) else { return };
    let is_refused = |value: &Value| schema::refuses(&schema, value);
    if is_refused(value) && spellings(value).iter().all(is_refused) {
        let (name, shown) = (parameter.name, schema::shown(value));
        let key = annotation.fixed.keys().find(|key| parameter.is_called(key));
        let message = format!(
            "the fixed value {shown} is not allowed by the schema of the parameter `{name}`, and \
             every call sends it"
        );
        let at = annotation.pointer.join("fixed").join(key.map_or(name, String::as_str));
        report.warn(Problem::new(at, message));
    }
}

/// Other values that are written the same in a request.
fn spellings(value: &Value) -> Vec<Value> {
    match value {
        Value::String(text) => {
            let list = text.split(',').map(Value::from).collect();
            let plain = serde_json::from_str(text).ok();
            plain.into_iter().chain([list]).collect()
        }
        Value::Number(_) | Value::Bool(_) => vec![value.to_string().into(), json!([value])],
        _ => Vec::new(),
    }
}

/// Reports a default that the schema refuses: it is filled in, and then the call is refused.
fn check_default(schema: &Value, parameter: &Parameter<'_>, report: &mut Report) {
    if let Some(default) = schema::wrong_default(schema) {
        let name = parameter.name;
        let message = format!(
            "the default `{default}` of the parameter `{name}` is not allowed by its schema, so \
             calls that leave it out are refused"
        );
        report.warn(Problem::new(parameter.pointer.clone(), message));
    }
}

fn is_required(parameter: &Parameter<'_>, over: &ParamOverride, report: &mut Report) -> bool {
    if parameter.place == Place::Path {
        if over.required == Some(false) {
            let name = parameter.name;
            let message = format!("the path parameter `{name}` is always required");
            report.warn(Problem::new(parameter.pointer.clone(), message));
        }
        return true;
    }
    over.required.unwrap_or(parameter.required)
}

fn bind_undeclared(
    name: &str,
    operation: &Operation<'_>,
    annotation: &OperationAnnotation,
    arguments: &mut Arguments,
    bound: &mut Bound,
    report: &mut Report,
) {
    let source = if let Some(value) = annotation.fixed.get(name) {
        bound.taken.push(name.to_owned());
        Source::Fixed(value.clone())
    } else {
        let schema = json!({"type": "string"});
        let argument = arguments.add(name, Kind::Parameter("path"), schema, true);
        let message = format!("no path parameter declares `{{{name}}}`: it is a required string");
        report.warn(Problem::new(operation.pointer.clone(), message));
        Source::Argument(argument)
    };
    bound.arguments.push(ParameterPlan {
        place: Place::Path,
        style: Style::Simple,
        source,
        ..query(name, Value::Null)
    });
}

/// A parameter with its source.
pub(super) fn plan(parameter: &Parameter<'_>, source: Source) -> ParameterPlan {
    ParameterPlan {
        name: parameter.name.to_owned(),
        place: parameter.place,
        style: parameter.style,
        explode: parameter.explode,
        allow_reserved: parameter.allow_reserved,
        content: parameter.content.map(str::to_owned),
        source,
    }
}

fn place_name(place: Place) -> &'static str {
    match place {
        Place::Path => "path",
        Place::Query => "query",
        Place::Header => "header",
        Place::Cookie => "cookie",
        Place::Querystring => "querystring",
    }
}

/// The schema of the argument: the parameter's, with description and overrides.
pub(super) fn argument_schema(
    context: &Context<'_>,
    parameter: &Parameter<'_>,
    over: &ParamOverride,
) -> Result<Value, Vec<Problem>> {
    let schema = match &parameter.schema {
        Some(node) => extract(context.document, node, Direction::Input)?,
        None => json!({"type": "string"}),
    };
    let schema = schema::inline_root(schema);
    let Value::Object(mut map) = schema else { return Ok(schema) };
    map.shift_remove("title");
    let description = match &over.description {
        Some(text) => Some(text.pick(&context.options.locale)),
        None => parameter.description,
    };
    if let Some(text) = description.map(str::trim).filter(|text| !text.is_empty()) {
        map.insert("description".to_owned(), text.into());
    }
    override_values(&mut map, over);
    Ok(Value::Object(map))
}

/// `default`, `maximum` and `enum` of an override. Those of an array are about its items, except
/// that a default is a whole array.
fn override_values(map: &mut Map<String, Value>, over: &ParamOverride) {
    if let Some(default) = &over.default {
        map.insert("default".to_owned(), default.clone());
    }
    if map.get("default").is_some_and(Value::is_null) {
        map.shift_remove("default");
    }
    let restrictions = [
        ("maximum", over.maximum.clone().map(Value::Number)),
        ("enum", over.enumeration.clone().map(Value::Array)),
    ];
    let restricted = if is_array(map) {
        if let Some(default) = map.get_mut("default").filter(|default| !default.is_array()) {
            *default = Value::Array(vec![default.take()]);
        }
        match map.entry("items").or_insert_with(|| json!({})) {
            Value::Object(items) => items,
            items => {
                *items = json!({});
                let Some(items) = items.as_object_mut() else { return };
                items
            }
        }
    } else {
        map
    };
    for (key, value) in restrictions {
        if let Some(value) = value {
            restricted.insert(key.to_owned(), value);
        }
    }
}

fn is_array(map: &Map<String, Value>) -> bool {
    match map.get("type") {
        Some(Value::String(text)) => text == "array",
        Some(Value::Array(types)) => types.iter().any(|item| item == "array"),
        _ => false,
    }
}

/// Names in `fixed` that belong to nothing declared go to the query.
pub(super) fn bind_rest(annotation: &OperationAnnotation, bound: &mut Bound, report: &mut Report) {
    for (name, value) in &annotation.fixed {
        if bound.taken.contains(name) {
            continue;
        }
        let message = format!(
            "`fixed` names `{name}`, which is neither a parameter nor a body property: it is sent \
             in the query"
        );
        report.warn(Problem::new(annotation.pointer.join("fixed").join(name), message));
        bound.fixed.push(query(name, value.clone()));
    }
}
