//! Lists of values to choose from: where they come from, and what their items are.

use serde_json::Value;

use super::{
    build::STEPS,
    node::{Remote, Source},
};
use crate::editor::{
    expression::{Expression, Failure, Fuel, Gap, Scope},
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

/// Values to choose from, as far as they could be worked out.
#[derive(Debug, Clone, Default, PartialEq)]
pub(in crate::editor) struct Options {
    /// The values.
    pub(in crate::editor) list: Vec<Choosable>,
    /// How many there are besides, which take too much.
    pub(in crate::editor) rest: usize,
}

impl From<Vec<Choosable>> for Options {
    fn from(list: Vec<Choosable>) -> Self {
        Self { list, rest: 0 }
    }
}

/// Steps that the expressions for the items of one list may take together.
const LIST_STEPS: usize = 4 * STEPS;

/// Where the values of a component come from. The scope has no data of its own.
pub(super) fn source<'s>(component: &'s Component, scope: &Scope<'_>) -> Source<'s> {
    let Some(items) = &component.items else { return Source::None };
    match &items.source {
        layout::Source::Fixed(items) => Source::Fixed(items),
        layout::Source::Expression(list) => match list.value(scope).ok().flatten() {
            Some(Value::Array(list)) if items.results.is_none() => Source::List(list),
            Some(body) => {
                results(items, &body, scope).map_or_else(|| blocked(list, Vec::new()), Source::List)
            }
            None => blocked(list, Vec::new()),
        },
        layout::Source::Url { url, search_params, headers, .. } => match url.url(scope) {
            Ok(url) => Source::Url(Remote {
                url,
                params: texts(search_params, scope),
                headers: texts(headers, scope),
            }),
            Err(Gap::Unset(names)) => blocked(url, names),
            Err(Gap::Astray) => Source::Astray(url.source().to_owned()),
            Err(Gap::Failed(_)) => blocked(url, Vec::new()),
        },
    }
}

fn blocked<'s>(expression: &Expression, unset: Vec<String>) -> Source<'s> {
    Source::Blocked { expression: expression.source().to_owned(), unset }
}

/// The texts that can be made; a parameter or header with a value that is not set is left out.
fn texts(templates: &[(String, Expression)], scope: &Scope<'_>) -> Vec<(String, String)> {
    let texts = templates.iter();
    texts.filter_map(|(name, text)| Some((name.clone(), text.filled(scope).ok()?))).collect()
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
///
/// # Errors
/// The expression that finds it fails.
pub(in crate::editor) fn fetched(
    items: &Items,
    body: Value,
    context: &Value,
) -> Result<Option<Vec<Value>>, Failure> {
    let fuel = Fuel::new(LIST_STEPS);
    let list = match &items.results {
        Some(results) => results.list(&Scope { data: Some(&body), ..scope(context, &fuel) })?,
        None => Some(body),
    };
    Ok(match list {
        Some(Value::Array(list)) => Some(list),
        _ => None,
    })
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
pub(in crate::editor) fn options(items: &Items, list: &[Value], context: &Value) -> Options {
    let fuel = Fuel::new(LIST_STEPS);
    let mut known = Options::default();
    for item in list {
        match option(items, item, &scope(context, &fuel)) {
            Ok(option) => known.list.extend(option),
            Err(_) => known.rest += 1,
        }
    }
    known
}

/// The option that an item is.
///
/// # Errors
/// Its expressions take too much.
fn option(items: &Items, item: &Value, scope: &Scope<'_>) -> Result<Option<Choosable>, Failure> {
    if item.get("header") == Some(&Value::Bool(true)) {
        return Ok(None);
    }
    let scope = Scope { data: Some(item), ..*scope };
    let computed = |expression: &Option<Expression>| match expression.as_ref()?.value(&scope) {
        Err(Failure::Effort) => Some(Err(Failure::Effort)),
        value => value.ok().flatten().map(Ok),
    };
    let member = |name: &str| item.as_object().and_then(|item| item.get(name)).cloned();
    let scalar = (!item.is_object()).then(|| item.clone());
    let own = || if items.return_objects { Some(item.clone()) } else { member("value") };
    let value = computed(&items.value).transpose()?.or_else(|| scalar.clone().or_else(own));
    let key = computed(&items.key).transpose()?;
    let key = key.or_else(|| scalar.clone().or_else(|| member("key")));
    let key = key.or_else(|| value.as_ref().map(|value| Value::String(text(value))));
    let title = computed(&items.title).transpose()?;
    let title = title.or_else(|| scalar.or_else(|| member("title")));
    let title = title.filter(|title| !title.is_null()).or_else(|| key.clone());
    let Some(value) = value.or_else(|| key.clone()) else { return Ok(None) };
    Ok(Some(Choosable { title: title.as_ref().map(text).unwrap_or_default(), key, value }))
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
