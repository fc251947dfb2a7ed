//! Item lists: what a field is chosen from.

use serde_json::{Map, Value};

use super::build::Builder;
use super::fragment::Fragment;
use super::read::Settings;
use super::{Item, Items, Source, Type};
use crate::editor::expression::Syntax;
use crate::json::Pointer;

/// The values that a schema lists itself.
#[derive(Debug)]
pub(super) struct Closed {
    pub(super) items: Vec<Item>,
    /// Whether other values are allowed, too.
    pub(super) is_open: bool,
}

/// The values that a schema of a simple type lists.
pub(super) fn closed(fragment: &Fragment<'_>) -> Option<Closed> {
    if matches!(fragment.data_type()?, Type::Object | Type::Array) {
        return None;
    }
    if let Some(Value::Array(values)) = fragment.get("enum") {
        return Some(Closed { items: values.iter().map(item).collect(), is_open: false });
    }
    for keyword in ["oneOf", "anyOf"] {
        let Some(Value::Array(alternatives)) = fragment.get(keyword) else { continue };
        let is_open = alternatives.last().and_then(Value::as_object).is_some_and(Map::is_empty);
        let items = constants(fragment, keyword);
        if items.len() + usize::from(is_open) == alternatives.len() {
            return Some(Closed { items, is_open });
        }
    }
    let is_time = matches!(fragment.text("format"), Some("date" | "date-time" | "time"));
    match fragment.get("examples") {
        Some(Value::Array(values)) if !is_time => {
            Some(Closed { items: values.iter().map(item).collect(), is_open: true })
        }
        _ => None,
    }
}

/// The alternatives that are one value.
fn constants(fragment: &Fragment<'_>, keyword: &str) -> Vec<Item> {
    let alternatives = fragment.list(keyword).into_iter();
    alternatives
        .filter_map(|alternative| {
            let value = alternative.get("const")?;
            let title = alternative.text("title").map(str::to_owned);
            let key = text(value);
            Some(Item {
                title: title.unwrap_or_else(|| key.clone()),
                key,
                value: Some(value.clone()),
            })
        })
        .collect()
}

fn item(value: &Value) -> Item {
    let key = text(value);
    Item { title: key.clone(), key, value: Some(value.clone()) }
}

/// A value as the text that stands for it.
fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        value => value.to_string(),
    }
}

/// `layout.items`: values, or objects with key, title and value.
fn listed(value: &Value) -> Item {
    let Value::Object(members) = value else { return item(value) };
    let part = |name: &str| members.get(name).filter(|value| !value.is_null());
    let is_heading = part("header") == Some(&Value::Bool(true));
    let key = part("key").or(part("value")).or(part("title")).map(text).unwrap_or_default();
    let title = part("title").map_or_else(|| key.clone(), text);
    let value = members.get("value").cloned().unwrap_or_else(|| key.clone().into());
    Item { key, title, value: (!is_heading).then_some(value) }
}

impl Builder<'_> {
    /// The item list of a field.
    pub(super) fn items(
        &mut self,
        fragment: &Fragment<'_>,
        data_type: Type,
        settings: Settings<'_, '_>,
    ) -> Option<Items> {
        let element = if data_type == Type::Array { fragment.one("items") } else { None };
        let element = element.as_ref().unwrap_or(fragment);
        let return_objects = element.data_type() == Some(Type::Object);
        if let Some(Value::Array(values)) = settings.get("items") {
            let source = Source::Fixed(values.iter().map(listed).collect());
            return Some(Items { return_objects, ..fixed(source) });
        }
        let Some(get) = settings.get("getItems") else {
            return closed(element).map(|closed| fixed(Source::Fixed(closed.items)));
        };
        let at = settings.at.join("getItems");
        let source = match self.source(get, &at) {
            Some(source) => source,
            None => Source::Fixed(closed(element)?.items),
        };
        let parts = Settings { at: &at, values: get.as_object() };
        Some(Items {
            source,
            results: self.setting(parts, "itemsResults", Some("body")),
            key: self.setting(parts, "itemKey", Some("item")),
            title: self.setting(parts, "itemTitle", Some("item")),
            value: self.setting(parts, "itemValue", Some("item")),
            return_objects: match parts.get("returnObjects") {
                Some(Value::Bool(value)) => *value,
                _ => return_objects,
            },
        })
    }

    fn source(&mut self, get: &Value, at: &Pointer) -> Option<Source> {
        let Some(url) = get.get("url") else {
            let source = self.expression(Some(get), Syntax::Expression, None, at)?;
            return Some(Source::Expression(source));
        };
        Some(Source::Url {
            url: self.expression(Some(url), Syntax::Template, None, &at.join("url"))?,
            search_params: self.templates(get, "searchParams", at),
            headers: self.templates(get, "headers", at),
            search_param: get.get("qSearchParam").and_then(Value::as_str).map(str::to_owned),
        })
    }

    fn templates(
        &mut self,
        get: &Value,
        key: &str,
        at: &Pointer,
    ) -> Vec<(String, crate::editor::expression::Expression)> {
        let at = at.join(key);
        let entries = get.get(key).and_then(Value::as_object).into_iter().flatten();
        entries
            .filter_map(|(name, value)| {
                let template = self.expression(Some(value), Syntax::Template, None, &at.join(name));
                Some((name.clone(), template?))
            })
            .collect()
    }
}

fn fixed(source: Source) -> Items {
    Items { source, results: None, key: None, title: None, value: None, return_objects: false }
}
