//! Request bodies: which media type, and how arguments make it up.

use serde_json::{Map, Value, json};

use super::arguments::{Arguments, Kind};
use super::context::{Context, Report};
use super::parameter::Bound;
use super::{listing, media, overlap, schema, verbatim};
use crate::json::{Pointer, Problem};
use crate::media::Coding;
use crate::openapi::schema::{Direction, extract, portable};
use crate::openapi::{MediaType, Operation, RequestBody};
use crate::tool::{BodyPlan, BodyShape, PropertyEncoding};
use crate::vocabulary::{BodyMode, OperationAnnotation};

/// What becomes one argument.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Slot {
    /// The property that it is; `None` for the whole body.
    pub(super) property: Option<String>,
    pub(super) schema: Value,
    pub(super) is_required: bool,
}

/// The body of one operation, before it becomes arguments.
#[derive(Debug)]
pub(super) struct Body {
    media_type: String,
    is_required: bool,
    description: Option<String>,
    /// The schema that validates a whole body.
    whole: Value,
    /// The same schema as an object with properties, if it is one.
    object: Option<Value>,
    /// The schema as the document has it, where that can be the input schema.
    verbatim: Option<Value>,
    mode: BodyMode,
    /// Place of the annotation.
    at: Pointer,
    fixed: Map<String, Value>,
    encoding: Vec<(String, PropertyEncoding)>,
}

impl Body {
    /// Reads the body of an operation; `None` when it has none, or the report says what is wrong.
    pub(super) fn read(
        context: &Context<'_>,
        operation: &Operation<'_>,
        annotation: &OperationAnnotation,
        (tool, report): (&str, &mut Report),
    ) -> Option<Self> {
        let body = operation.body.as_ref()?;
        let media = media::choose(&body.content)?;
        let mut read = match Self::read_as(context, (body, media), annotation) {
            Ok(read) => read,
            Err(problems) => {
                report.skip_all(problems);
                return None;
            }
        };
        if let Some(fields) = &annotation.body_fields
            && let Err(message) = read.pick(fields)
        {
            let message = format!("tool `{tool}`: {message}");
            report.refuse(Problem::new(annotation.pointer.join("bodyFields"), message));
        }
        Some(read)
    }

    /// Reads the other media types that a call can choose.
    ///
    /// Where `x-agent` describes the body that agents see, or `application/json` is declared beside
    /// an annotation, which is what the vocabulary speaks of, there is no choice.
    pub(super) fn read_others(
        &self,
        context: &Context<'_>,
        operation: &Operation<'_>,
        annotation: &OperationAnnotation,
        report: &mut Report,
    ) -> Vec<Self> {
        let Some(body) = &operation.body else { return Vec::new() };
        let is_settled = operation.annotation.is_some() && self.media_type == "application/json";
        let is_shaped = annotation.body == BodyMode::Compact || annotation.body_fields.is_some();
        if body.content.len() < 2 || is_settled || is_shaped || !self.fixed.is_empty() {
            return Vec::new();
        }
        let others = media::others(&body.content).into_iter();
        let others = others.filter_map(|media| {
            let read = Self::read_as(context, (body, media), annotation);
            read.map_err(|problems| problems.into_iter().for_each(|it| report.warn(it))).ok()
        });
        others.collect()
    }

    /// Reads the body in one media type.
    fn read_as(
        context: &Context<'_>,
        (body, media): (&RequestBody<'_>, &MediaType<'_>),
        annotation: &OperationAnnotation,
    ) -> Result<Self, Vec<Problem>> {
        let kind = media::kind(media.name);
        let whole = schema::inline_root(declared(context, media)?);
        let (mut whole, mut object) = match kind {
            Coding::Text | Coding::Binary => (media::plain_schema(kind, media.name, &whole), None),
            Coding::Json | Coding::JsonLines | Coding::Form | Coding::Multipart => {
                let merges = context.is_portable() || annotation.body == BodyMode::Compact;
                let object = as_object(&whole, merges);
                (whole, object)
            }
        };
        let encoding =
            media::encodings(kind, media.encoding, object.as_mut().unwrap_or(&mut whole));
        if let (false, Some(object)) = (encoding.is_empty(), &object) {
            whole.clone_from(object);
        }
        Ok(Self {
            media_type: media::sent_type(media.name),
            is_required: body.required,
            description: body.description.map(|text| text.trim().to_owned()),
            object,
            whole,
            verbatim: (kind == Coding::Json && annotation.body_fields.is_none())
                .then(|| verbatim::schema(context, media.schema.as_ref()?))
                .flatten(),
            mode: annotation.body,
            at: annotation.pointer.clone(),
            fixed: Map::new(),
            encoding,
        })
    }

    /// Leaves only these properties.
    fn pick(&mut self, fields: &[String]) -> Result<(), String> {
        let Some(object) = &self.object else {
            return Err("`bodyFields` needs a body that is an object with properties".to_owned());
        };
        let picked = pick(object, fields)?;
        self.whole.clone_from(&picked);
        self.object = Some(picked);
        Ok(())
    }

    /// Takes the entries of `fixed` that are body properties and that no parameter has taken.
    pub(super) fn fix(
        &mut self,
        annotation: &OperationAnnotation,
        bound: &mut Bound,
        report: &mut Report,
    ) {
        for (name, value) in &annotation.fixed {
            let is_property = self.properties().is_some_and(|found| found.contains_key(name));
            if is_property && !bound.taken.contains(name) {
                if let Some(object) = &self.object {
                    check_member(object, (name, value), annotation, report);
                }
                self.fixed.insert(name.clone(), value.clone());
                bound.taken.push(name.clone());
            }
        }
        let fixed = &self.fixed;
        for schema in self.object.iter_mut().chain(std::iter::once(&mut self.whole)) {
            let required = schema.get_mut("required").and_then(Value::as_array_mut);
            if let Some(required) = required.filter(|_| !fixed.is_empty()) {
                required.retain(|name| name.as_str().is_none_or(|name| !fixed.contains_key(name)));
            }
        }
        if let Some(Value::Object(properties)) =
            self.object.as_mut().and_then(|schema| schema.get_mut("properties"))
        {
            properties.retain(|name, _| !fixed.contains_key(name));
        }
    }

    /// Turns the body into arguments.
    pub(super) fn plan(self, arguments: &mut Arguments, report: &mut Report) -> BodyPlan {
        let is_alone = arguments.is_empty() && self.fixed.is_empty();
        if let (BodyMode::Flat, true, Some(schema)) = (self.mode, is_alone, &self.verbatim) {
            let names = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
            let properties = names.map(|(name, _)| (name.clone(), name.clone())).collect();
            arguments.take_whole(schema.clone());
            return self.into_plan(BodyShape::Flat { properties });
        }
        if let (BodyMode::Compact, Some(object)) = (self.mode, &self.object) {
            let description = listing::describe(object);
            let schema = json!({"type": "object", "description": description});
            let argument = arguments.add("body", Kind::Body, schema, self.is_required);
            report.authored.push((argument.clone(), self.at.join("body")));
            let mut whole = self.whole.clone();
            schema::drop_unused_definitions(&mut whole);
            overlap::loosen(&mut whole);
            let shape = BodyShape::Whole { argument };
            return BodyPlan { schema: Some(whole), ..self.into_plan(shape) };
        }
        let names = self.slots().into_iter().map(|slot| {
            let wanted = slot.property.as_deref().unwrap_or("body");
            let name = arguments.add(wanted, Kind::Body, slot.schema, slot.is_required);
            (name, slot.property)
        });
        let names = names.collect();
        self.into_plan(shape(names))
    }

    /// What becomes an argument: each property, or the whole body.
    pub(super) fn slots(&self) -> Vec<Slot> {
        match (self.mode, &self.object) {
            (BodyMode::Flat, Some(object)) if !schema::has_combinators(object) => flatten(object),
            _ => {
                let mut schema = self.whole.clone();
                let described = schema.get("description").is_some();
                if let (Some(map), Some(text), false) =
                    (schema.as_object_mut(), &self.description, described)
                {
                    map.insert("description".to_owned(), text.clone().into());
                }
                vec![Slot { property: None, schema, is_required: self.is_required }]
            }
        }
    }

    pub(super) fn media_type(&self) -> &str {
        &self.media_type
    }

    pub(super) fn into_plan(self, shape: BodyShape) -> BodyPlan {
        BodyPlan {
            media_type: self.media_type,
            shape,
            fixed: self.fixed,
            required: self.is_required,
            schema: None,
            encoding: self.encoding,
            others: Vec::new(),
            chosen_by: None,
        }
    }

    fn properties(&self) -> Option<&Map<String, Value>> {
        self.object.as_ref()?.get("properties")?.as_object()
    }
}

/// Reports fixed members of a whole body that their schemas refuse.
pub(super) fn check_fixed(
    context: &Context<'_>,
    media: &MediaType<'_>,
    annotation: &OperationAnnotation,
    report: &mut Report,
) {
    if annotation.fixed.is_empty() {
        return;
    }
    let whole = declared(context, media).map(schema::inline_root).ok();
    if let Some(object) = whole.and_then(|whole| as_object(&whole, true)) {
        for member in &annotation.fixed {
            check_member(&object, member, annotation, report);
        }
    }
}

/// Reports a fixed member that its schema refuses.
fn check_member(
    object: &Value,
    (name, value): (&String, &Value),
    annotation: &OperationAnnotation,
    report: &mut Report,
) {
    let Some(member) = object.get("properties").and_then(|found| found.get(name)) else { return };
    let definitions = object.get("$defs").cloned().unwrap_or_else(|| json!({}));
    let alone = json!({"allOf": [member], "$defs": definitions});
    if schema::refuses(&alone, value) {
        let message = format!(
            "the fixed value {} is not allowed by the schema of the body property `{name}`, and \
             every call sends it",
            schema::shown(value)
        );
        report.warn(Problem::new(annotation.pointer.join("fixed").join(name), message));
    }
}

/// The shape of a body from the names of its arguments, each with its property.
pub(super) fn shape(names: Vec<(String, Option<String>)>) -> BodyShape {
    if let [(argument, None)] = names.as_slice() {
        return BodyShape::Whole { argument: argument.clone() };
    }
    let names = names.into_iter();
    let properties = names.filter_map(|(argument, property)| Some((argument, property?)));
    BodyShape::Flat { properties: properties.collect() }
}

/// The properties of an object as arguments.
fn flatten(object: &Value) -> Vec<Slot> {
    let required = object.get("required").and_then(Value::as_array);
    let is_required = |name: &str| {
        required.is_some_and(|names| names.iter().any(|known| known.as_str() == Some(name)))
    };
    let defs = object.get("$defs");
    let properties = object.get("properties").and_then(Value::as_object);
    let properties = properties.into_iter().flatten().map(|(name, property)| {
        let mut schema = property.clone();
        if let Some(map) = schema.as_object_mut() {
            drop_null_default(map);
            if let Some(defs) = defs {
                map.insert("$defs".to_owned(), defs.clone());
            }
        }
        schema::drop_unused_definitions(&mut schema);
        Slot { property: Some(name.clone()), schema, is_required: is_required(name) }
    });
    properties.collect()
}

/// A default `null` where null is not allowed only means that there is no default.
fn drop_null_default(map: &mut Map<String, Value>) {
    let allows_null = match map.get("type") {
        Some(Value::String(text)) => text == "null",
        Some(Value::Array(types)) => types.iter().any(|item| item == "null"),
        _ => true,
    };
    if map.get("default").is_some_and(Value::is_null) && !allows_null {
        map.shift_remove("default");
    }
}

/// The declared schema; of a stream of JSON values, a list of them.
fn declared(context: &Context<'_>, media: &MediaType<'_>) -> Result<Value, Vec<Problem>> {
    let read = |node| extract(context.document, node, Direction::Input);
    match (&media.schema, &media.item_schema) {
        (Some(node), _) => read(node),
        (None, Some(node)) => {
            let mut items = read(node)?;
            let definitions = items.as_object_mut().and_then(|map| map.shift_remove("$defs"));
            let mut list = json!({"type": "array", "items": items});
            if let (Some(map), Some(definitions)) = (list.as_object_mut(), definitions) {
                map.insert("$defs".to_owned(), definitions);
            }
            Ok(list)
        }
        (None, None) => Ok(json!({})),
    }
}

/// The schema as an object with properties: `allOf` merged where that is allowed.
fn as_object(whole: &Value, is_portable: bool) -> Option<Value> {
    let merged = if is_portable && whole.get("allOf").is_some() {
        portable(whole.clone())
    } else {
        whole.clone()
    };
    let has_properties = merged
        .get("properties")
        .and_then(Value::as_object)
        .is_some_and(|properties| !properties.is_empty());
    (has_properties && schema::has_type(&merged, "object")).then_some(merged)
}

/// An object schema with only these properties, in this order.
fn pick(object: &Value, fields: &[String]) -> Result<Value, String> {
    let properties = object.get("properties").and_then(Value::as_object);
    let mut picked = Map::new();
    let mut missing = Vec::new();
    for name in fields {
        match properties.and_then(|properties| properties.get(name)) {
            Some(property) => {
                picked.insert(name.clone(), property.clone());
            }
            None => missing.push(format!("`{name}`")),
        }
    }
    if !missing.is_empty() {
        let missing = missing.join(", ");
        return Err(format!(
            "`bodyFields` names {missing}, which the request body does not declare"
        ));
    }
    let mut reduced =
        json!({"type": "object", "properties": picked, "additionalProperties": false});
    if let (Some(map), Some(object)) = (reduced.as_object_mut(), object.as_object()) {
        let required = object.get("required").and_then(Value::as_array).into_iter().flatten();
        let required: Vec<_> = required
            .filter(|name| name.as_str().is_some_and(|name| fields.iter().any(|f| f == name)))
            .cloned()
            .collect();
        if !required.is_empty() {
            map.insert("required".to_owned(), required.into());
        }
        for key in ["description", "$defs"] {
            if let Some(value) = object.get(key) {
                map.insert(key.to_owned(), value.clone());
            }
        }
    }
    Ok(reduced)
}
