//! Body and form parameters as a Request Body Object.

use serde_json::{Map, Value, json};

use super::{OWN, media_types, plain_items};

const FORM: &str = "application/x-www-form-urlencoded";
const MULTIPART: &str = "multipart/form-data";

/// Whether a parameter is the body, or a field of one that OpenAPI 3.0 can describe.
pub(super) fn is_part(parameter: &Value) -> bool {
    match parameter.get("in").and_then(Value::as_str) {
        Some("body") => true,
        Some("formData") => parameter.as_object().is_some_and(|it| array_style(it).is_ok()),
        _ => false,
    }
}

/// Whether a parameter is the whole body, not a field of a form.
pub(super) fn is_whole(part: &Value) -> bool {
    part.get("in").and_then(Value::as_str) == Some("body")
}

/// The body that the parameters describe; there is at least one.
pub(super) fn request_body(parts: Vec<Value>, consumes: &[String]) -> Value {
    if parts.iter().any(is_whole) {
        let whole = parts.into_iter().find(is_whole).unwrap_or_default();
        whole_body(whole, consumes)
    } else {
        form_body(parts, consumes)
    }
}

fn whole_body(part: Value, consumes: &[String]) -> Value {
    let Value::Object(mut part) = part else { return Value::Null };
    let schema = part.shift_remove("schema").unwrap_or_else(|| json!({}));
    let mut content = Map::new();
    for name in media_types(consumes, "application/json") {
        content.insert(name.to_owned(), json!({ "schema": schema }));
    }
    let stays = |key: &str| matches!(key, "description" | "required") || key.starts_with("x-");
    part.retain(|key, _| stays(key));
    part.insert("content".to_owned(), content.into());
    part.into()
}

/// An object with a property for each field, in the form media types that are listed.
fn form_body(parts: Vec<Value>, consumes: &[String]) -> Value {
    let mut properties = Map::new();
    let mut encoding = Map::new();
    let mut required: Vec<Value> = Vec::new();
    let has_file = parts.iter().any(|part| part.get("type") == Some(&json!("file")));
    for part in parts {
        let Value::Object(mut part) = part else { continue };
        let Some(Value::String(name)) = part.shift_remove("name") else { continue };
        if part.get("required") == Some(&Value::Bool(true)) {
            required.push(name.clone().into());
        }
        encoding.extend(field_encoding(&part).map(|value| (name.clone(), value)));
        properties.insert(name, field(part));
    }
    let is_required = !required.is_empty();
    let mut schema = Map::new();
    schema.insert("type".to_owned(), "object".into());
    if is_required {
        schema.insert("required".to_owned(), required.into());
    }
    schema.insert("properties".to_owned(), properties.into());
    let media = json!({ "schema": schema, "encoding": encoding });
    let fallback = if has_file { MULTIPART } else { FORM };
    let listed = consumes.iter().map(String::as_str);
    let mut names: Vec<&str> =
        listed.filter(|name| *name == MULTIPART || *name == FORM && !has_file).collect();
    if names.is_empty() {
        names.push(fallback);
    }
    let content = names.into_iter().map(|name| (name.to_owned(), media.clone()));
    json!({ "required": is_required, "content": content.collect::<Map<_, _>>() })
}

fn field(mut part: Map<String, Value>) -> Value {
    part.retain(|key, _| key == "description" || !OWN.contains(&key.as_str()));
    if part.get("type").and_then(Value::as_str) == Some("file") {
        part.insert("type".to_owned(), "string".into());
        part.insert("format".to_owned(), "binary".into());
    }
    plain_items(part.get_mut("items"));
    part.into()
}

fn field_encoding(part: &Map<String, Value>) -> Option<Value> {
    let style = array_style(part).ok().flatten()?;
    Some(json!({ "style": style, "explode": false }))
}

/// The style of a field, unless it has the usual one. An error is a collection format that OpenAPI 3
/// has no style for.
fn array_style(part: &Map<String, Value>) -> Result<Option<&'static str>, ()> {
    let text = |key| part.get(key).and_then(Value::as_str);
    if text("type") != Some("array") {
        return Ok(None);
    }
    match text("collectionFormat").unwrap_or("csv") {
        "csv" => Ok(Some("form")),
        "ssv" => Ok(Some("spaceDelimited")),
        "pipes" => Ok(Some("pipeDelimited")),
        "multi" => Ok(None),
        _ => Err(()),
    }
}
