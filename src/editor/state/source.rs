//! Lists of values to choose from: where they come from, and what their items are.

use serde_json::Value;

use super::{
    build::STEPS,
    node::{Remote, Source},
};
use crate::editor::{
    expression::{Expression, Fuel, Scope},
    layout::{self, Component, Items},
};

/// A value to choose.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::editor) struct Choosable {
    /// What is shown.
    pub(in crate::editor) title: String,
    /// What identifies it.
    pub(in crate::editor) key: Option<Value>,
    /// What is written.
    pub(in crate::editor) value: Value,
}

/// Where the values of a component come from. The scope has no data of its own.
pub(super) fn source<'s>(component: &'s Component, scope: &Scope<'_>) -> Source<'s> {
    let Some(items) = &component.items else { return Source::None };
    match &items.source {
        layout::Source::Fixed(items) => Source::Fixed(items),
        layout::Source::Expression(list) => match list.value(scope).ok().flatten() {
            Some(Value::Array(list)) if items.results.is_none() => Source::List(list),
            Some(body) => results(items, &body, scope)
                .map_or_else(|| Source::Blocked(list.source().to_owned()), Source::List),
            None => Source::Blocked(list.source().to_owned()),
        },
        layout::Source::Url { url, search_params, headers, .. } => {
            let Ok(text) = url.text(scope) else {
                return Source::Blocked(url.source().to_owned());
            };
            let params = texts(search_params, scope);
            Source::Url(Remote { url: text, params, headers: texts(headers, scope) })
        }
    }
}

fn texts(templates: &[(String, Expression)], scope: &Scope<'_>) -> Vec<(String, String)> {
    let texts = templates.iter();
    texts.filter_map(|(name, text)| Some((name.clone(), text.text(scope).ok()?))).collect()
}

fn results(items: &Items, body: &Value, scope: &Scope<'_>) -> Option<Vec<Value>> {
    let found = match &items.results {
        Some(results) => results.value(&Scope { data: Some(body), ..*scope }).ok()??,
        None => body.clone(),
    };
    match found {
        Value::Array(list) => Some(list),
        _ => None,
    }
}

/// The list in the answer of a server, if there is one.
pub(in crate::editor) fn fetched(
    items: &Items,
    body: &Value,
    context: &Value,
) -> Option<Vec<Value>> {
    results(items, body, &scope(context, &Fuel::new(STEPS)))
}

fn scope<'a>(context: &'a Value, fuel: &'a Fuel) -> Scope<'a> {
    Scope {
        data: None,
        root: None,
        parent: None,
        context: Some(context),
        read_only: false,
        summary: false,
        fuel,
    }
}

/// The values of a list; headings are left out.
pub(in crate::editor) fn options(items: &Items, list: &[Value], context: &Value) -> Vec<Choosable> {
    let fuel = Fuel::new(STEPS);
    list.iter().filter_map(|item| option(items, item, &scope(context, &fuel))).collect()
}

fn option(items: &Items, item: &Value, scope: &Scope<'_>) -> Option<Choosable> {
    if item.get("header") == Some(&Value::Bool(true)) {
        return None;
    }
    let scope = Scope { data: Some(item), ..*scope };
    let computed = |expression: &Option<Expression>| {
        expression.as_ref().and_then(|expression| expression.value(&scope).ok().flatten())
    };
    let member = |name: &str| item.as_object().and_then(|item| item.get(name)).cloned();
    let scalar = (!item.is_object()).then(|| item.clone());
    let own = || if items.return_objects { Some(item.clone()) } else { member("value") };
    let value = computed(&items.value).or_else(|| scalar.clone().or_else(own));
    let key = computed(&items.key).or_else(|| scalar.clone().or_else(|| member("key")));
    let key = key.or_else(|| value.as_ref().map(|value| Value::String(text(value))));
    let title = computed(&items.title).or_else(|| scalar.or_else(|| member("title")));
    let title = title.filter(|title| !title.is_null()).or_else(|| key.clone());
    Some(Choosable {
        title: title.as_ref().map(text).unwrap_or_default(),
        value: value.or_else(|| key.clone())?,
        key,
    })
}

/// The values of a list that the schema itself gives.
pub(in crate::editor) fn fixed(items: &[layout::Item]) -> Vec<Choosable> {
    let known = items.iter().filter_map(|item| {
        let value = item.value.clone()?;
        let (title, key) = (item.title.clone(), Some(Value::String(item.key.clone())));
        Some(Choosable { title, key, value })
    });
    known.collect()
}

fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
