//! Media types: which one a body is sent in, and how its parts are written.

use serde_json::{Map, Value, json};

use super::schema;
use crate::media::{self, Coding};
use crate::openapi::MediaType;
use crate::tool::{PropertyEncoding, Style};

/// A media type without parameters, lower case.
pub(super) fn essence(name: &str) -> String {
    media::essence(name).to_ascii_lowercase()
}

/// Whether a media type, or a range of them, is JSON.
pub(super) fn is_json(name: &str) -> bool {
    kind(name) == Coding::Json
}

/// How a value of this media type, or of the best one in a range, is written.
pub(super) fn kind(name: &str) -> Coding {
    match essence(name).as_str() {
        "*/*" | "application/*" => Coding::Json,
        essence => media::coding(essence),
    }
}

/// The media type to send: JSON where it is offered, else the form that is easiest to fill in.
pub(super) fn choose<'c, 'd>(content: &'c [MediaType<'d>]) -> Option<&'c MediaType<'d>> {
    let rank = |media: &&MediaType<'_>| match kind(media.name) {
        Coding::Json => usize::from(essence(media.name) != "application/json"),
        Coding::Form => 2,
        Coding::Multipart => 3,
        Coding::JsonLines => 4,
        Coding::Text => 5,
        Coding::Binary => 6,
    };
    content.iter().min_by_key(rank)
}

/// The media types beside the one that [`choose`] takes that are of some use: those with a schema of
/// their own, and those whose name says something that the schema does not.
pub(super) fn others<'c, 'd>(content: &'c [MediaType<'d>]) -> Vec<&'c MediaType<'d>> {
    const MOST: usize = 6;
    let mut kept: Vec<_> = choose(content).into_iter().collect();
    for media in content {
        let is_new = |known: &&MediaType<'d>| {
            let schemas = |media: &&MediaType<'d>| {
                [&media.schema, &media.item_schema].map(|it| it.as_ref().map(|node| node.value))
            };
            let has_same_schema = schemas(known) == schemas(&media);
            !serves_as(known.name, media.name, has_same_schema)
                // bytes that are no JSON may be in it
                || (has_same_schema
                    && kind(media.name) == Coding::Multipart
                    && kind(known.name) != Coding::Multipart)
        };
        if kept.len() < MOST && !media.name.contains('*') && kept.iter().all(is_new) {
            kept.push(media);
        }
    }
    kept.into_iter().skip(1).collect()
}

/// Whether a media type makes another one needless to agents: the same can be said in it.
pub(super) fn serves_as(known: &str, other: &str, has_same_schema: bool) -> bool {
    let is_structured = |name| !matches!(kind(name), Coding::Text | Coding::Binary);
    // A list says what lines of JSON say, each described by the schema of one.
    let is_spelling = kind(known) == Coding::Json && kind(other) == Coding::JsonLines;
    if sent_type(known) == sent_type(other)
        || is_spelling
        || (essence(other).ends_with("xml") && is_structured(known))
    {
        return true;
    }
    // `merge-patch+json` and `json-patch+json`, two formats of images
    let says_more = match (kind(known), kind(other)) {
        (Coding::Json, Coding::Json) => {
            let is_special = |name: &str| essence(name).ends_with("+json");
            is_special(known) && is_special(other)
        }
        (Coding::Text, Coding::Text) => essence(known) != "text/plain",
        (Coding::Text | Coding::Binary, Coding::Text | Coding::Binary) => true,
        _ => false,
    };
    has_same_schema && !says_more
}

/// What `content-type` says: the declared name, unless it is a range.
pub(super) fn sent_type(name: &str) -> String {
    let concrete = match kind(name) {
        _ if !name.contains('*') => name.trim(),
        Coding::Json => "application/json",
        Coding::Text => "text/plain",
        Coding::Multipart => "multipart/form-data",
        Coding::Form | Coding::JsonLines | Coding::Binary => "application/octet-stream",
    };
    concrete.to_owned()
}

/// The schema of a whole body that is a text or bytes.
pub(super) fn plain_schema(kind: Coding, name: &str, declared: &Value) -> Value {
    let mut schema = json!({"type": "string"});
    if let (Coding::Binary, Some(map)) = (kind, schema.as_object_mut()) {
        map.insert("contentEncoding".to_owned(), "base64".into());
        if !name.contains('*') {
            map.insert("contentMediaType".to_owned(), essence(name).into());
        }
    }
    if let (Coding::Text, true) = (kind, schema::has_type(declared, "string")) {
        return declared.clone();
    }
    if let (Some(description), Some(map)) = (declared.get("description"), schema.as_object_mut()) {
        map.insert("description".to_owned(), description.clone());
    }
    schema
}

/// How the properties of a form or multipart body are written. Properties that hold bytes are turned
/// into base64 strings.
pub(super) fn encodings(
    kind: Coding,
    declared: Option<&Map<String, Value>>,
    object: &mut Value,
) -> Vec<(String, PropertyEncoding)> {
    if !matches!(kind, Coding::Form | Coding::Multipart) {
        return Vec::new();
    }
    let properties = object.get_mut("properties").and_then(Value::as_object_mut);
    let encodings = properties.into_iter().flatten().filter_map(|(name, property)| {
        let given = declared.and_then(|declared| declared.get(name));
        let mut encoding = given.map(read).unwrap_or_default();
        let is_list = property.get("items").is_some() && schema::has_type(property, "array");
        let value = if is_list { property.get_mut("items")? } else { property };
        if kind == Coding::Multipart && is_bytes(value, encoding.content_type.as_deref()) {
            encoding.binary = true;
            let of_schema = value.get("contentMediaType").and_then(Value::as_str);
            let of_schema = of_schema.filter(|name| !name.contains('*')).map(str::to_owned);
            encoding.content_type = encoding.content_type.or(of_schema);
            as_base64(value);
        }
        (encoding != PropertyEncoding::default()).then(|| (name.clone(), encoding))
    });
    encodings.collect()
}

/// An Encoding Object (OpenAPI 3.1 §4.8.15); of several content types the first concrete one.
fn read(encoding: &Value) -> PropertyEncoding {
    let flag = |key| encoding.get(key).and_then(Value::as_bool);
    let text = |key| encoding.get(key).and_then(Value::as_str);
    let types = text("contentType").unwrap_or_default().split(',').map(str::trim);
    let mut concrete = types.filter(|name| !name.is_empty() && !name.contains('*'));
    let has_style = ["style", "explode", "allowReserved"].iter().any(|k| encoding.get(k).is_some());
    let style = match text("style") {
        Some("spaceDelimited") => Style::SpaceDelimited,
        Some("pipeDelimited") => Style::PipeDelimited,
        Some("deepObject") => Style::DeepObject,
        _ => Style::Form,
    };
    PropertyEncoding {
        content_type: concrete.next().map(str::to_owned),
        style: has_style.then_some(style),
        explode: has_style && flag("explode").unwrap_or(style == Style::Form),
        allow_reserved: flag("allowReserved").unwrap_or(false),
        ..PropertyEncoding::default()
    }
}

/// Whether a part holds bytes: by its format, by its media type, by the one it is sent in.
fn is_bytes(schema: &Value, content_type: Option<&str>) -> bool {
    let text = |key| schema.get(key).and_then(Value::as_str);
    if text("contentEncoding").is_some() || text("format") == Some("byte") {
        return false;
    }
    let is_binary = |name: &str| kind(name) == Coding::Binary;
    let is_untyped = schema.get("type").is_none() && schema.get("properties").is_none();
    text("format") == Some("binary")
        || text("contentMediaType").is_some_and(is_binary)
        || (content_type.is_some_and(is_binary)
            && (is_untyped || schema::has_type(schema, "string")))
}

/// Bytes as agents give them.
fn as_base64(schema: &mut Value) {
    if !schema.is_object() {
        *schema = json!({});
    }
    let Some(map) = schema.as_object_mut() else { return };
    for key in ["format", "minLength", "maxLength", "pattern"] {
        map.shift_remove(key);
    }
    map.insert("type".to_owned(), "string".into());
    map.insert("contentEncoding".to_owned(), "base64".into());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_sent_as_something_concrete() {
        let cases = [
            ("application/vnd.api+json; v=1", "application/vnd.api+json; v=1"),
            ("*/*", "application/json"),
            ("text/*", "text/plain"),
            ("multipart/*", "multipart/form-data"),
            ("image/*", "application/octet-stream"),
        ];
        for (name, expected) in cases {
            assert_eq!(sent_type(name), expected, "{name}");
        }
    }

    #[track_caller]
    fn check(property: Value, encoding: &Value, shown: &Value, expected: &Value) {
        let mut object = json!({"properties": {"p": property}});
        let declared = json!({"p": encoding});
        let found = encodings(Coding::Multipart, declared.as_object(), &mut object);
        let found: Vec<_> = found.into_iter().map(|(_, encoding)| encoding).collect();
        assert_eq!(object["properties"]["p"], *shown);
        assert_eq!(serde_json::to_value(found).unwrap(), *expected);
    }

    #[test]
    fn bytes_are_base64_for_agents() {
        let file = json!({"type": "string", "format": "binary"});
        let base64 = json!({"type": "string", "contentEncoding": "base64"});
        check(file.clone(), &json!({}), &base64, &json!([{"binary": true}]));
        check(
            json!({"type": "array", "items": file}),
            &json!({"contentType": "image/*, image/png"}),
            &json!({"type": "array", "items": base64}),
            &json!([{"contentType": "image/png", "binary": true}]),
        );
        check(
            json!({"contentMediaType": "image/gif"}),
            &json!({}),
            &json!({"contentMediaType": "image/gif", "type": "string", "contentEncoding": "base64"}),
            &json!([{"contentType": "image/gif", "binary": true}]),
        );
    }

    #[test]
    fn other_parts_follow_the_encoding_object() {
        let text = json!({"type": "string", "format": "byte"});
        check(text.clone(), &json!({}), &text, &json!([]));
        let object = json!({"type": "object"});
        check(
            object.clone(),
            &json!({"contentType": "application/xml"}),
            &object,
            &json!([{"contentType": "application/xml"}]),
        );
        check(
            object.clone(),
            &json!({"style": "deepObject"}),
            &object,
            &json!([{"style": "deepObject"}]),
        );
        check(
            object.clone(),
            &json!({"allowReserved": true}),
            &object,
            &json!([
                {"style": "form", "explode": true, "allowReserved": true}
            ]),
        );
    }
}
