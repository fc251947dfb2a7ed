//! Request bodies that a call can send in one of several media types.
//!
//! A generated argument names the media type. What the media types share stays one argument each; an
//! argument that differs is offered in all of its forms, and the checked schema says which of them
//! belongs to which media type.

use serde_json::{Map, Value, json};

use super::arguments::{Arguments, Kind};
use super::body::{Body, Slot, shape};
use super::context::Report;
use super::media;
use crate::tool::BodyPlan;

/// Names of arguments that the description lists for one media type.
const MOST_NAMES: usize = 40;

/// One body and what would be its arguments.
struct Form {
    body: Body,
    slots: Vec<Slot>,
}

/// An argument, and what it is in each of the bodies.
struct Field<'f> {
    property: Option<&'f str>,
    slots: Vec<Option<&'f Slot>>,
}

/// Turns a body into arguments, with those of the other media types that differ from it.
pub(super) fn plan(
    body: Body,
    others: Vec<Body>,
    arguments: &mut Arguments,
    report: &mut Report,
) -> BodyPlan {
    let mut forms = distinct(body, others);
    let is_alike = forms.windows(2).all(|pair| matches!(pair, [a, b] if a.slots == b.slots));
    if !is_alike {
        return merge(forms, arguments);
    }
    let others = forms.split_off(1).into_iter().map(|form| form.body);
    let first = forms.remove(0).body.plan(arguments, report);
    let others: Vec<_> = others.map(|body| body.into_plan(first.shape.clone())).collect();
    if others.is_empty() {
        return first;
    }
    offer(first, others, arguments, "")
}

/// The bodies that are of some use beside those before them.
fn distinct(body: Body, others: Vec<Body>) -> Vec<Form> {
    let mut forms: Vec<Form> = Vec::new();
    for body in std::iter::once(body).chain(others) {
        let slots = body.slots();
        let mut known = forms.iter();
        let is_needless = known.any(|form| {
            media::serves_as(form.body.media_type(), body.media_type(), form.slots == slots)
        });
        if !is_needless {
            forms.push(Form { body, slots });
        }
    }
    forms
}

/// Adds the argument that names the media type.
fn offer(
    first: BodyPlan,
    others: Vec<BodyPlan>,
    arguments: &mut Arguments,
    hints: &str,
) -> BodyPlan {
    let names = std::iter::once(&first).chain(&others).map(|plan| plan.media_type.as_str());
    let description = ["Media type of the body.", hints].concat();
    let schema = json!({
        "type": "string",
        "enum": names.collect::<Vec<_>>(),
        "default": first.media_type,
        "description": description,
    });
    let argument = arguments.generate("contentType", "bodyContentType", schema);
    BodyPlan { others, chosen_by: Some(argument), ..first }
}

/// Makes arguments of bodies that differ.
fn merge(forms: Vec<Form>, arguments: &mut Arguments) -> BodyPlan {
    let (bodies, slots): (Vec<_>, Vec<_>) =
        forms.into_iter().map(|form| (form.body, form.slots)).unzip();
    let fields = fields(&slots);
    let names: Vec<String> = fields.iter().map(|field| field.add(arguments)).collect();
    let filled: Vec<_> = fields.iter().zip(&names).collect();
    let mut conditions: Vec<_> =
        (0..bodies.len()).map(|form| then(form, &filled, arguments)).collect();
    let hints = hints(&bodies, &filled);
    let plans = bodies.into_iter().enumerate().map(|(form, body)| {
        let own = filled.iter().filter(|(field, _)| field.slot(form).is_some());
        let own = own.map(|(field, name)| ((*name).clone(), field.property.map(str::to_owned)));
        body.into_plan(shape(own.collect()))
    });
    let mut plans: Vec<_> = plans.collect();
    let others = plans.split_off(1);
    let plan = offer(plans.remove(0), others, arguments, &hints);
    let argument = plan.chosen_by.as_deref().unwrap_or_default();
    let all = std::iter::once(&plan).chain(&plan.others);
    for (condition, BodyPlan { media_type, .. }) in conditions.iter_mut().zip(all) {
        let is_chosen = json!({"properties": {(argument): {"const": media_type}}});
        condition.insert("if".to_owned(), is_chosen);
    }
    let dependent = filled.iter().filter(|(field, _)| !field.is_alike());
    let dependent = dependent.map(|(_, name)| (*name).clone()).collect();
    arguments.depend(dependent, conditions.into_iter().map(Value::Object).collect());
    plan
}

/// The arguments of all bodies, in the order in which they come up.
fn fields(forms: &[Vec<Slot>]) -> Vec<Field<'_>> {
    let mut fields: Vec<Field<'_>> = Vec::new();
    for (form, slot) in
        forms.iter().enumerate().flat_map(|(form, slots)| slots.iter().map(move |it| (form, it)))
    {
        let property = slot.property.as_deref();
        let place = fields.iter().position(|field| field.property == property);
        let place = place.unwrap_or_else(|| {
            fields.push(Field { property, slots: vec![None; forms.len()] });
            fields.len() - 1
        });
        let known = fields.get_mut(place).and_then(|field| field.slots.get_mut(form));
        if let Some(known) = known {
            *known = Some(slot);
        }
    }
    fields
}

impl<'f> Field<'f> {
    fn slot(&self, form: usize) -> Option<&'f Slot> {
        self.slots.get(form).copied().flatten()
    }

    /// The different schemas that it has.
    fn schemas(&self) -> Vec<&'f Value> {
        let mut schemas: Vec<&Value> = Vec::new();
        for slot in self.slots.iter().flatten() {
            if !schemas.contains(&&slot.schema) {
                schemas.push(&slot.schema);
            }
        }
        schemas
    }

    /// Whether it is the same in all bodies.
    fn is_alike(&self) -> bool {
        self.slots.iter().all(Option::is_some) && self.schemas().len() == 1
    }

    fn is_required(&self) -> bool {
        self.slots.iter().all(|slot| slot.is_some_and(|slot| slot.is_required))
    }

    /// Adds it as one argument; returns its name.
    fn add(&self, arguments: &mut Arguments) -> String {
        let mut schemas: Vec<Value> = self.schemas().into_iter().cloned().collect();
        for schema in &mut schemas {
            arguments.take_definitions(schema);
        }
        let schema = if schemas.len() == 1 { schemas.remove(0) } else { json!({"anyOf": schemas}) };
        arguments.add(self.property.unwrap_or("body"), Kind::Body, schema, self.is_required())
    }
}

/// What is valid for one body, without the condition.
fn then(
    form: usize,
    fields: &[(&Field<'_>, &String)],
    arguments: &mut Arguments,
) -> Map<String, Value> {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for (field, name) in fields {
        let slot = field.slot(form);
        if slot.is_some_and(|slot| slot.is_required) && !field.is_required() {
            required.push(Value::from(name.as_str()));
        }
        if !field.is_alike() {
            let mut schema = slot.map_or(Value::Bool(false), |slot| slot.schema.clone());
            arguments.take_definitions(&mut schema);
            properties.insert((*name).clone(), schema);
        }
    }
    let then = json!({"properties": properties, "required": required});
    Map::from_iter([("if".to_owned(), Value::Null), ("then".to_owned(), then)])
}

/// Which arguments belong to which media type alone.
fn hints(bodies: &[Body], fields: &[(&Field<'_>, &String)]) -> String {
    let mut text = String::new();
    for (form, body) in bodies.iter().enumerate() {
        let own = fields.iter().filter(|(field, _)| field.slots.iter().any(Option::is_none));
        let own: Vec<_> =
            own.filter_map(|(field, name)| Some((name, field.slot(form)?.is_required))).collect();
        if own.is_empty() {
            continue;
        }
        text.push_str(if text.is_empty() {
            " Not all of them take every argument: "
        } else {
            "; "
        });
        for (index, (name, is_required)) in own.iter().take(MOST_NAMES).enumerate() {
            text.push_str(if index > 0 { ", `" } else { "`" });
            text.push_str(name);
            text.push_str(if *is_required { "` (required)" } else { "`" });
        }
        text.push_str(if own.len() > MOST_NAMES { ", … with `" } else { " with `" });
        text.push_str(body.media_type());
        text.push('`');
    }
    if !text.is_empty() {
        text.push('.');
    }
    text
}
