//! One write operation under an `editor` annotation: eight form tools.

mod variants;

use serde_json::{Map, Value};
use url::Url;

use super::arguments::{Arguments, Kind};
use super::context::{Context, Report};
use super::shape::{Graph, Options};
use super::{body, media, names, parameter, response};
use crate::digest;
use crate::editor::layout::CompileOptions;
use crate::editor::state::{Form, Locale};
use crate::editor::tools::{self, Definition, Verb};
use crate::json::{Pointer, Problem};
use crate::media::Coding;
use crate::openapi::schema::{Direction, extract};
use crate::openapi::{MediaType, Node, Operation, Parameter};
use crate::tool::{
    BodyPlan, BodyShape, EditorPlan, FormPlan, FormSchema, OperationPlan, ParameterPlan, Place,
    Plan, ResponsePlan, Shape, Source, Style, Tool,
};
use crate::vocabulary::{Editor, OperationAnnotation};

/// Arguments of the tools' own: a path parameter of such a name is offered under another one.
const TAKEN: [&str; 8] =
    ["path", "value", "suggestionIndex", "data", "merge", "query", "action", "index"];

/// Headers that a save sets itself where it can.
const CONDITIONS: [&str; 2] = ["if-match", "if-unmodified-since"];
/// Fields of the annotation that are about plain tools.
const UNUSED: [&str; 5] = ["description", "examples", "body", "bodyFields", "response"];

/// Room that the longest verb takes in the name of a tool, with its separator.
pub(super) fn reserved() -> usize {
    Verb::ALL.iter().map(|verb| verb.name().len() + 1).max().unwrap_or_default()
}

/// The name of one of the tools.
pub(super) fn tool_name(name: &str, verb: Verb) -> String {
    [name, "_", verb.name()].concat()
}

/// The tools of a form; none when the report says why.
pub(super) fn tools(
    context: &Context<'_>,
    (operation, annotation, editor): (&Operation<'_>, &OperationAnnotation, &Editor),
    name: &str,
    report: &mut Report,
) -> Vec<Tool> {
    let mut builder = Builder { context, at: annotation.pointer.join("editor"), report };
    let Some((form, identifiers)) = builder.form(operation, annotation, editor, name) else {
        return Vec::new();
    };
    let locale = Locale::of(&context.options.locale);
    let mut form = Some(form);
    let definitions =
        tools::definitions(form.as_ref().map_or("", |form| form.title.as_str()), locale);
    let holder = definitions.first().map(|it| tool_name(name, it.verb)).unwrap_or_default();
    let tools = definitions.into_iter().map(|definition| Tool {
        name: tool_name(name, definition.verb),
        title: None,
        input_schema: input_schema(context, &identifiers, &definition),
        exact_schema: None,
        output_schema: context.options.structured_content.then_some(definition.output_schema),
        annotations: hints(
            annotation,
            definition.verb,
            definition.read_only,
            definition.destructive,
        ),
        examples: Vec::new(),
        param_headers: Map::new(),
        plan: Plan::Editor(Box::new(EditorPlan {
            verb: definition.verb.name().to_owned(),
            holder: holder.clone(),
            form: form.take(),
        })),
        description: definition.description,
    });
    tools.collect()
}

/// An argument that says which document is edited: its name and schema.
type Identifier = (String, Value);

/// The arguments that say which document it is, then those of the tool.
fn input_schema(
    context: &Context<'_>,
    identifiers: &[Identifier],
    definition: &Definition,
) -> Value {
    let mut arguments = Arguments::new(context.is_portable());
    for (name, schema) in identifiers {
        arguments.add(name, Kind::Parameter("path"), schema.clone(), true);
    }
    let own = definition.input_schema.get("properties").and_then(Value::as_object);
    for (name, schema) in own.into_iter().flatten() {
        arguments.generate(name, name, schema.clone());
    }
    let required = definition.input_schema.get("required").and_then(Value::as_array);
    for name in required.into_iter().flatten().filter_map(Value::as_str) {
        arguments.require(name);
    }
    arguments.into_schemas().0
}

/// MCP tool annotations. What the annotation says of the operation is about saving.
fn hints(
    annotation: &OperationAnnotation,
    verb: Verb,
    read_only: bool,
    destructive: bool,
) -> Map<String, Value> {
    let mut hints = Map::new();
    hints.insert("readOnlyHint".to_owned(), read_only.into());
    hints.insert("destructiveHint".to_owned(), destructive.into());
    if verb == Verb::SaveForm {
        hints.extend(annotation.annotations.clone());
    }
    hints
}

struct Builder<'b, 'd> {
    context: &'b Context<'d>,
    /// Place of the `editor` annotation.
    at: Pointer,
    report: &'b mut Report,
}

impl Builder<'_, '_> {
    fn form(
        &mut self,
        operation: &Operation<'_>,
        annotation: &OperationAnnotation,
        editor: &Editor,
        name: &str,
    ) -> Option<(FormPlan, Vec<Identifier>)> {
        self.report_unused(annotation);
        let media = self.json_body(operation);
        let (supplied, identifiers) = self.supplied(operation, annotation)?;
        parameter::report_unknown(operation, annotation, self.report);
        let read = editor.read_operation.as_ref().map(|id| {
            let plan = self.other("readOperation", id, &Map::new(), &supplied);
            plan.filter(|plan| self.loads_what_is_saved(id, plan, &supplied))
        });
        let fetched = editor
            .schema_operation
            .as_ref()
            .map(|id| self.other("schemaOperation", id, &editor.schema_params, &supplied));
        if fetched.is_none() && !editor.schema_params.is_empty() {
            let message = "`schemaParams` has no effect without `schemaOperation`";
            self.report.warn(Problem::new(self.at.join("schemaParams"), message));
        }
        let media = media?;
        let schema = match fetched {
            Some(plan) => FormSchema::Fetched(Box::new(plan?)),
            None => self.declared(media)?,
        };
        let write = self.write(operation, annotation, media, &supplied)?;
        let hidden = self.hidden(operation, media, editor)?;
        let locale = &self.context.options.locale;
        let title = annotation.title.as_ref().map_or("", |title| title.pick(locale).trim());
        let title = Some(title).filter(|title| !title.is_empty()).or(operation.operation_id);
        let place = self.context.base.place_of(operation);
        let base_url = place.map(|(base, _)| directory(base)).unwrap_or_default();
        let form = FormPlan {
            title: title.unwrap_or(name).to_owned(),
            prefix: [name, "_"].concat(),
            locale: locale.clone(),
            base_url,
            identifiers: identifiers.iter().map(|(name, _)| name.clone()).collect(),
            schema,
            read: read.map_or(Some(None), |plan| plan.map(Some))?,
            write,
            hidden,
        };
        (!self.report.is_fatal()).then_some((form, identifiers))
    }

    /// The body that whole documents are sent in.
    fn json_body<'o, 'd>(&mut self, operation: &'o Operation<'d>) -> Option<&'o MediaType<'d>> {
        let content = operation.body.as_ref().map_or(&[][..], |body| &body.content);
        let media = media::choose(content).filter(|media| {
            media::kind(media.name) == Coding::Json && !media.name.contains("patch+json")
        });
        if media.is_none() {
            let message = format!(
                "an editor needs a request body of JSON, and `{} {}` declares {}: declare \
                 `application/json`",
                operation.method,
                operation.path,
                unfit(content)
            );
            self.report.refuse(Problem::new(self.at.clone(), message));
        }
        media
    }

    /// The path parameters of the write operation, and the arguments that fill them.
    fn supplied(
        &mut self,
        operation: &Operation<'_>,
        annotation: &OperationAnnotation,
    ) -> Option<(Vec<ParameterPlan>, Vec<Identifier>)> {
        let mut plans = Vec::new();
        let mut identifiers: Vec<Identifier> = Vec::new();
        let declared = operation.parameters.iter().filter(|it| it.place == Place::Path);
        for found in declared {
            let over = parameter::overrides(found, annotation);
            let schema = parameter::argument_schema(self.context, found, &over)
                .map_err(|problems| self.report.skip_all(problems))
                .ok()?;
            let source = self.source(found.name, schema, annotation, &mut identifiers);
            plans.push(parameter::plan(found, source));
        }
        for &name in &operation.undeclared {
            let schema = serde_json::json!({"type": "string"});
            let source = self.source(name, schema, annotation, &mut identifiers);
            plans.push(ParameterPlan {
                place: Place::Path,
                style: Style::Simple,
                source,
                ..parameter::query(name, Value::Null)
            });
        }
        Some((plans, identifiers))
    }

    /// Where the value of a path parameter comes from.
    fn source(
        &self,
        name: &str,
        schema: Value,
        annotation: &OperationAnnotation,
        identifiers: &mut Vec<Identifier>,
    ) -> Source {
        if let Some(value) = annotation.fixed.get(name) {
            return Source::Fixed(value.clone());
        }
        let clean = self.context.is_portable();
        let mut argument = if clean { names::clean(name) } else { name.to_owned() };
        if TAKEN.contains(&argument.as_str()) {
            argument.push_str("__path");
        }
        let taken = |name: &str| identifiers.iter().any(|(known, _)| known == name);
        let argument = names::unique(argument, taken);
        identifiers.push((argument.clone(), schema));
        Source::Argument(argument)
    }

    /// The operation that loads the document or its schema.
    fn other(
        &mut self,
        key: &str,
        id: &str,
        given: &Map<String, Value>,
        supplied: &[ParameterPlan],
    ) -> Option<OperationPlan> {
        let at = self.at.join(key);
        let Some(endpoint) = self.context.operations.get(id) else {
            let message = format!("`{key}` names `{id}`, which is no operation of this document");
            self.report.refuse(Problem::new(at, message));
            return None;
        };
        let operation = self
            .context
            .document
            .operation(endpoint)
            .map_err(|problems| self.report.skip_all(problems))
            .ok()?;
        let mut values = fixed(&operation);
        values.extend(given.clone());
        let (mut plans, missing) = bind(&operation, &mut values, supplied);
        for name in given.keys().filter(|name| values.contains_key(*name)) {
            let message = format!(
                "`schemaParams` names `{name}`, which is no parameter of `{id}`: it is sent in the \
                 query"
            );
            self.report.warn(Problem::new(self.at.join("schemaParams").join(name), message));
        }
        for name in missing {
            let message = format!(
                "`{key}` names `{id}`, which needs the path parameter `{name}`, and the annotated \
                 operation has none of that name"
            );
            self.report.refuse(Problem::new(at.clone(), message));
        }
        plans.extend(values.into_iter().map(|(name, value)| parameter::query(&name, value)));
        self.plan(&operation, plans, None)
    }

    /// Whether each document that can be saved is loaded from a place of its own; else one document
    /// would be saved over another.
    fn loads_what_is_saved(
        &mut self,
        id: &str,
        read: &OperationPlan,
        supplied: &[ParameterPlan],
    ) -> bool {
        let is_sent =
            |it: &ParameterPlan| read.parameters.iter().any(|sent| sent.source == it.source);
        let identifying = supplied.iter().filter(|it| matches!(it.source, Source::Argument(_)));
        let missing: Vec<_> = identifying.filter(|it| !is_sent(it)).collect();
        for ParameterPlan { name, .. } in &missing {
            let message = format!(
                "`readOperation` names `{id}`, which does not take the path parameter `{name}`, so \
                 what it loads would be saved over other records: name the operation that loads \
                 the one record that is saved"
            );
            self.report.skip(Problem::new(self.at.join("readOperation"), message));
        }
        missing.is_empty()
    }

    fn write(
        &mut self,
        operation: &Operation<'_>,
        annotation: &OperationAnnotation,
        media: &MediaType<'_>,
        supplied: &[ParameterPlan],
    ) -> Option<OperationPlan> {
        let mut values = annotation.fixed.clone();
        let (mut plans, _) = bind(operation, &mut values, supplied);
        let members = self.graph(media.schema.iter().cloned().collect(), false)?;
        body::check_fixed(self.context, media, annotation, self.report);
        let mut rest = parameter::Bound::default();
        let taken = annotation.fixed.keys().filter(|name| !values.contains_key(*name));
        rest.taken.extend(taken.cloned());
        let mut fixed = Map::new();
        for (name, value) in values {
            if members.declares(&name) {
                rest.taken.push(name.clone());
                fixed.insert(name, value);
            }
        }
        parameter::bind_rest(annotation, &mut rest, self.report);
        plans.extend(rest.fixed);
        let body = BodyPlan {
            media_type: media::sent_type(media.name),
            shape: BodyShape::Whole { argument: FormPlan::DOCUMENT.to_owned() },
            fixed,
            required: true,
            schema: None,
            encoding: Vec::new(),
            others: Vec::new(),
            chosen_by: None,
        };
        self.plan(operation, plans, Some(body))
    }

    /// What of the documents that come from the API is hidden: excluded in an answer, or, where a
    /// document is loaded, in the body.
    fn hidden(
        &mut self,
        operation: &Operation<'_>,
        media: &MediaType<'_>,
        editor: &Editor,
    ) -> Option<Vec<Shape>> {
        if !self.context.is_annotated {
            return Some(Vec::new());
        }
        let read = editor.read_operation.as_ref();
        let read = read.and_then(|id| self.context.operations.get(id.as_str()));
        let read = read.and_then(|endpoint| self.context.document.operation(endpoint).ok());
        let mut schemas = Vec::new();
        if let Some(read) = read {
            schemas.extend(response::success_schemas(&read));
            schemas.extend(media.schema.clone());
        }
        schemas.extend(response::success_schemas(operation));
        self.graph(schemas, true).map(|graph| graph.into_plan(None))
    }

    fn graph(&mut self, schemas: Vec<Node<'_>>, is_annotated: bool) -> Option<Graph> {
        let options = Options { is_annotated, is_form: true, ..Options::default() };
        let graph = Graph::build(self.context.document, schemas, options);
        graph.map_err(|problem| self.report.skip(problem)).ok()
    }

    fn plan(
        &mut self,
        operation: &Operation<'_>,
        mut parameters: Vec<ParameterPlan>,
        body: Option<BodyPlan>,
    ) -> Option<OperationPlan> {
        self.report_unsent(operation, &parameters);
        let place = self.context.base.place_of(operation);
        let (base, server) = place.map_err(|problem| self.report.skip(problem)).ok()?;
        let credentials = self.context.security.plan(operation, self.report);
        let mut bound = parameter::Bound::default();
        parameter::bind_base(&base, operation, &mut bound);
        parameters.extend(bound.fixed);
        Some(OperationPlan {
            upstream: self.context.upstream.to_owned(),
            pointer: operation.pointer.to_string(),
            method: operation.method.clone(),
            base_path: base.path().trim_end_matches('/').to_owned(),
            path: operation.template.clone().into(),
            parameters,
            body,
            server,
            credentials,
            response: ResponsePlan {
                accept: response::accept_json(operation),
                max_string_length: self.context.options.max_string_length,
                max_error_length: self.context.options.max_error_length,
                ..ResponsePlan::default()
            },
        })
    }

    /// Reports parameters that the API asks for and a form has no value for.
    fn report_unsent(&mut self, operation: &Operation<'_>, sent: &[ParameterPlan]) {
        let is_sent = |it: &Parameter<'_>| {
            sent.iter().any(|plan| plan.name == it.name && plan.place == it.place)
                || CONDITIONS.iter().any(|name| it.name.eq_ignore_ascii_case(name))
        };
        let required = operation.parameters.iter().filter(|it| it.required && !is_sent(it));
        for found in required.filter(|it| it.place != Place::Path) {
            let name = found.name;
            let message = format!(
                "the parameter `{name}` is required, and the form does not send it: give it a \
                 value under `fixed` or `schemaParams`"
            );
            self.report.warn(Problem::new(found.pointer.clone(), message));
        }
    }

    /// Reports fields of the annotation that say nothing about a form.
    fn report_unused(&mut self, annotation: &OperationAnnotation) {
        let written = annotation.pointer.get(self.context.document.root());
        for key in UNUSED.into_iter().filter(|key| written.is_some_and(|it| it.get(key).is_some()))
        {
            let message = format!("`{key}` has no effect beside `editor`");
            self.report.warn(Problem::new(annotation.pointer.join(key), message));
        }
    }

    /// The schema that the document declares, if it makes a form.
    fn declared(&mut self, media: &MediaType<'_>) -> Option<FormSchema> {
        let schema = match &media.schema {
            Some(node) => extract(self.context.document, node, Direction::Both)
                .map(variants::told_apart)
                .map_err(|problems| self.report.skip_all(problems))
                .ok()?,
            None => Value::Object(Map::new()),
        };
        let locale = &self.context.options.locale;
        let options = CompileOptions { locale, ..CompileOptions::default() };
        let place = |at: &str| [media.pointer.as_str(), "/schema", at].concat();
        match Form::compile(&schema, &options) {
            Ok(form) => {
                for problem in form.layout().findings() {
                    self.report.warn(Problem::new(place(&problem.at), problem.message.clone()));
                }
            }
            Err(problems) => {
                for problem in problems {
                    self.report.skip(Problem::new(place(&problem.at), problem.message));
                }
                return None;
            }
        }
        let version = digest::start(schema.to_string().as_bytes(), 16);
        Some(FormSchema::Declared { version, schema })
    }
}

/// What a body is declared in, where that is nothing to send a whole document in.
fn unfit(content: &[MediaType<'_>]) -> String {
    let names: Vec<_> = content.iter().map(|media| format!("`{}`", media.name)).collect();
    let is_patch = |media: &MediaType<'_>| media.name.contains("patch+json");
    match (names.is_empty(), content.iter().any(is_patch)) {
        (true, _) => "none".to_owned(),
        (false, false) => format!("only {}", names.join(", ")),
        (false, true) => format!(
            "only {}, which takes changes where a form sends the whole document",
            names.join(", ")
        ),
    }
}

/// A base URL that others can be resolved against: with a final slash, without a query.
fn directory(mut base: Url) -> String {
    let path = [base.path().trim_end_matches('/'), "/"].concat();
    base.set_path(&path);
    base.set_query(None);
    base.set_fragment(None);
    base.into()
}

/// What the annotation of the operation itself always sends.
fn fixed(operation: &Operation<'_>) -> Map<String, Value> {
    let annotation = operation.annotation.and_then(|it| it.get("fixed"));
    annotation.and_then(Value::as_object).cloned().unwrap_or_default()
}

/// The parameters that have a value, in their order: those in `values`, which are taken out, and
/// those that the write operation supplies. The second are the names of path parameters without one.
fn bind(
    operation: &Operation<'_>,
    values: &mut Map<String, Value>,
    supplied: &[ParameterPlan],
) -> (Vec<ParameterPlan>, Vec<String>) {
    let mut plans: Vec<ParameterPlan> = operation
        .path_query
        .iter()
        .map(|(name, value)| parameter::query(name, value.clone().into()))
        .collect();
    let mut missing = Vec::new();
    let undeclared = operation.undeclared.iter().map(|&name| ParameterPlan {
        place: Place::Path,
        style: Style::Simple,
        ..parameter::query(name, Value::Null)
    });
    let declared = operation.parameters.iter().map(|it| {
        let key = values.keys().find(|key| it.is_called(key)).cloned();
        (key, parameter::plan(it, Source::Fixed(Value::Null)))
    });
    let declared: Vec<_> = declared.collect();
    for (key, plan) in declared.into_iter().chain(undeclared.map(|plan| (None, plan))) {
        let given = values.shift_remove(key.as_ref().unwrap_or(&plan.name));
        let source = match given {
            Some(value) => Some(Source::Fixed(value)),
            None if plan.place == Place::Path => {
                let source = supplied.iter().find(|it| it.name == plan.name);
                if source.is_none() {
                    missing.push(plan.name.clone());
                }
                source.map(|it| it.source.clone())
            }
            None => None,
        };
        plans.extend(source.map(|source| ParameterPlan { source, ..plan }));
    }
    (plans, missing)
}

#[cfg(test)]
mod tests;
