//! Swagger 2.0 documents as OpenAPI 3.0 says the same.
//!
//! The conversion moves as little as it can: `definitions`, `parameters` and `responses` stay at the
//! root, where references find them, so that most places are the same before and after. Whatever has
//! no counterpart stays as it is written, for the reader to report with the operation it belongs to.

mod body;

use serde_json::{Map, Value, json};

/// Methods of a Path Item Object (Swagger 2.0, Path Item Object).
const METHODS: [&str; 7] = ["get", "put", "post", "delete", "options", "head", "patch"];

/// Keys of a parameter or header that are not about its type.
const OWN: [&str; 6] =
    ["name", "in", "description", "required", "allowEmptyValue", "collectionFormat"];

/// What operations, parameters and responses take from the document they are in.
#[derive(Debug, Clone, Default)]
pub(super) struct Defaults {
    consumes: Vec<String>,
    produces: Vec<String>,
    /// Reusable parameters and responses, as written.
    parameters: Map<String, Value>,
    responses: Map<String, Value>,
}

/// Whether a document is written for Swagger 2.0.
pub(super) fn is_swagger_2(root: &Map<String, Value>) -> bool {
    root.get("swagger").and_then(super::version_text).is_some_and(|version| version == "2.0")
}

/// Converts a document in place; returns what its other files need to be converted with.
pub(super) fn convert(root: &mut Map<String, Value>) -> Defaults {
    let member = |key| root.get(key).and_then(Value::as_object).cloned().unwrap_or_default();
    let defaults = Defaults {
        consumes: texts(root.get("consumes")).unwrap_or_default(),
        produces: texts(root.get("produces")).unwrap_or_default(),
        parameters: member("parameters"),
        responses: member("responses"),
    };
    let servers = servers(root);
    for key in ["swagger", "host", "basePath", "schemes", "consumes", "produces"] {
        root.shift_remove(key);
    }
    root.shift_insert(0, "openapi".to_owned(), "3.0.3".into());
    root.insert("servers".to_owned(), servers);
    for item in objects(root.get_mut("paths")) {
        defaults.path_item(item);
    }
    objects(root.get_mut("parameters")).for_each(parameter);
    for found in objects(root.get_mut("responses")) {
        response(found, &defaults.produces);
    }
    if let Some(schemes) = root.shift_remove("securityDefinitions") {
        let components = root.entry("components").or_insert_with(|| json!({}));
        if let Some(components) = components.as_object_mut() {
            components.insert("securitySchemes".to_owned(), security_schemes(schemes));
        }
    }
    defaults
}

/// The addresses of the API. Without `host` they are where the document is, without `schemes` they
/// have the scheme of its address.
fn servers(root: &Map<String, Value>) -> Value {
    let text = |key| root.get(key).and_then(Value::as_str).unwrap_or_default();
    let (host, path) = (text("host"), text("basePath"));
    if host.is_empty() {
        return json!([{ "url": if path.is_empty() { "/" } else { path } }]);
    }
    let schemes = texts(root.get("schemes")).unwrap_or_default();
    let schemes = schemes.iter().filter(|scheme| matches!(scheme.as_str(), "http" | "https"));
    let mut urls: Vec<Value> =
        schemes.map(|scheme| json!({ "url": format!("{scheme}://{host}{path}") })).collect();
    if urls.is_empty() {
        urls.push(json!({ "url": format!("//{host}{path}") }));
    }
    Value::Array(urls)
}

impl Defaults {
    /// Converts a file that a document refers to, whatever objects it holds.
    pub(super) fn convert_file(&self, file: &mut Value) {
        let Some(map) = file.as_object_mut() else { return };
        if !self.fragment(map) {
            for member in map.values_mut().filter_map(Value::as_object_mut) {
                self.fragment(member);
            }
        }
    }

    /// Converts one object that tells by its keys what it is; whether it did.
    fn fragment(&self, map: &mut Map<String, Value>) -> bool {
        if METHODS.iter().any(|method| map.get(*method).is_some_and(Value::is_object)) {
            self.path_item(map);
        } else if map.get("responses").is_some_and(Value::is_object) {
            self.operation(map, &[]);
        } else if map.contains_key("in") && map.contains_key("name") {
            parameter(map);
        } else if map.contains_key("description")
            && ["schema", "headers", "examples"].iter().any(|key| map.contains_key(*key))
        {
            response(map, &self.produces);
        } else {
            return false;
        }
        true
    }

    fn path_item(&self, item: &mut Map<String, Value>) {
        let shared = self.take_body(item);
        objects_of_list(item.get_mut("parameters")).for_each(parameter);
        for method in METHODS {
            if let Some(operation) = item.get_mut(method).and_then(Value::as_object_mut) {
                self.operation(operation, &shared);
            }
        }
    }

    /// Converts an operation; `shared` are the body parameters of its path.
    fn operation(&self, operation: &mut Map<String, Value>, shared: &[Value]) {
        let consumes = texts(operation.shift_remove("consumes").as_ref());
        let produces = texts(operation.shift_remove("produces").as_ref());
        let mut parts = self.take_body(operation);
        if !parts.iter().any(body::is_whole) {
            let is_new = |part: &&Value| parts.iter().all(|own| own["name"] != part["name"]);
            let more: Vec<Value> = shared.iter().filter(is_new).cloned().collect();
            parts.extend(more);
        }
        if !parts.is_empty() {
            let consumes = consumes.as_ref().unwrap_or(&self.consumes);
            operation.insert("requestBody".to_owned(), body::request_body(parts, consumes));
        }
        objects_of_list(operation.get_mut("parameters")).for_each(parameter);
        for (_, found) in operation
            .get_mut("responses")
            .and_then(Value::as_object_mut)
            .into_iter()
            .flatten()
            .filter(|(status, _)| !status.starts_with("x-"))
        {
            if let (Some(_), Some(target)) = (&produces, self.shared_response(found)) {
                *found = target;
            }
            if let Some(found) = found.as_object_mut() {
                response(found, produces.as_ref().unwrap_or(&self.produces));
            }
        }
    }

    /// The reusable response that a reference names, for an operation with media types of its own.
    fn shared_response(&self, reference: &Value) -> Option<Value> {
        let name = reference.get("$ref")?.as_str()?.strip_prefix("#/responses/")?;
        self.responses.get(name).filter(|target| target.get("$ref").is_none()).cloned()
    }

    /// Takes the parameters that make up the body out of a list; `null` keeps their places.
    fn take_body(&self, owner: &mut Map<String, Value>) -> Vec<Value> {
        let mut parts = Vec::new();
        let list = owner.get_mut("parameters").and_then(Value::as_array_mut);
        for entry in list.into_iter().flatten() {
            let target = entry.get("$ref").and_then(Value::as_str).and_then(|reference| {
                self.parameters.get(reference.strip_prefix("#/parameters/")?)
            });
            if body::is_part(target.unwrap_or(entry)) {
                let target = target.cloned();
                let own = entry.take();
                parts.push(target.unwrap_or(own));
            }
        }
        parts
    }
}

/// Converts a Response Object: its schema once for each media type.
fn response(response: &mut Map<String, Value>, produces: &[String]) {
    for header in objects(response.get_mut("headers")) {
        typed(header, false);
    }
    let examples = response.shift_remove("examples");
    let Some(mut schema) = response.shift_remove("schema") else { return };
    let is_file = schema.get("type").and_then(Value::as_str) == Some("file");
    if is_file {
        schema = json!({ "type": "string", "format": "binary" });
    }
    let fallback = if is_file { "application/octet-stream" } else { "application/json" };
    let mut content = Map::new();
    for name in media_types(produces, fallback) {
        let mut media = Map::new();
        media.insert("schema".to_owned(), schema.clone());
        let example = examples.as_ref().and_then(|all| all.get(name));
        media.extend(example.map(|example| ("example".to_owned(), example.clone())));
        content.insert(name.to_owned(), media.into());
    }
    response.insert("content".to_owned(), content.into());
}

/// Converts a parameter that is not part of the body: what is about its type goes into `schema`.
fn parameter(parameter: &mut Map<String, Value>) {
    if parameter.contains_key("$ref") || !parameter.contains_key("in") {
        return;
    }
    let is_query = parameter.get("in").and_then(Value::as_str) == Some("query");
    typed(parameter, is_query);
}

/// Gives an object that describes its type itself a `schema` and, for arrays, a style.
fn typed(owner: &mut Map<String, Value>, is_query: bool) {
    let stays = |key: &str| OWN.contains(&key) || key.starts_with("x-") && key != "x-nullable";
    let (mut own, mut schema): (Map<_, _>, Map<_, _>) =
        std::mem::take(owner).into_iter().partition(|(key, _)| stays(key));
    let format = own.shift_remove("collectionFormat");
    if schema.get("type").and_then(Value::as_str) == Some("array") {
        let style = style(format.as_ref().and_then(Value::as_str).unwrap_or("csv"), is_query);
        own.extend(style.into_iter().flatten().map(|(key, value)| (key.to_owned(), value)));
        plain_items(schema.get_mut("items"));
    }
    own.insert("schema".to_owned(), schema.into());
    *owner = own;
}

/// How OpenAPI 3.0 names a collection format. One that it has no name for becomes a `style` of that
/// name, which costs the operation.
fn style(format: &str, is_query: bool) -> Option<[(&'static str, Value); 2]> {
    let style = match (format, is_query) {
        ("csv", true) | ("multi", _) => "form",
        ("csv", false) => return None,
        ("ssv", true) => "spaceDelimited",
        ("pipes", true) => "pipeDelimited",
        (other, _) => other,
    };
    Some([("style", style.into()), ("explode", (format == "multi").into())])
}

/// Collection formats of inner arrays mean nothing in OpenAPI 3.
fn plain_items(items: Option<&mut Value>) {
    let mut items = items;
    while let Some(map) = items.and_then(Value::as_object_mut) {
        map.shift_remove("collectionFormat");
        items = map.get_mut("items");
    }
}

fn security_schemes(mut schemes: Value) -> Value {
    for scheme in objects(Some(&mut schemes)) {
        match scheme.get("type").and_then(Value::as_str) {
            Some("basic") => {
                scheme.insert("type".to_owned(), "http".into());
                scheme.insert("scheme".to_owned(), "basic".into());
            }
            Some("oauth2") => oauth2(scheme),
            _ => {}
        }
    }
    schemes
}

fn oauth2(scheme: &mut Map<String, Value>) {
    let flow = match scheme.shift_remove("flow").as_ref().and_then(Value::as_str) {
        Some("application") => "clientCredentials",
        Some("accessCode") => "authorizationCode",
        Some("password") => "password",
        _ => "implicit",
    };
    let mut members = Map::new();
    for key in ["authorizationUrl", "tokenUrl", "scopes"] {
        members.extend(scheme.shift_remove(key).map(|value| (key.to_owned(), value)));
    }
    scheme.insert("flows".to_owned(), json!({ flow: members }));
}

/// The listed media types, or the usual one.
fn media_types<'t>(listed: &'t [String], fallback: &'t str) -> Vec<&'t str> {
    if listed.is_empty() { vec![fallback] } else { listed.iter().map(String::as_str).collect() }
}

/// The strings of a list; `None` for anything else.
fn texts(value: Option<&Value>) -> Option<Vec<String>> {
    let texts = value?.as_array()?.iter().filter_map(Value::as_str);
    Some(texts.map(str::to_owned).collect())
}

fn objects(map: Option<&mut Value>) -> impl Iterator<Item = &mut Map<String, Value>> {
    let members = map.and_then(Value::as_object_mut).into_iter().flat_map(Map::values_mut);
    members.filter_map(Value::as_object_mut)
}

fn objects_of_list(list: Option<&mut Value>) -> impl Iterator<Item = &mut Map<String, Value>> {
    let items = list.and_then(Value::as_array_mut).into_iter().flatten();
    items.filter_map(Value::as_object_mut)
}

#[cfg(test)]
mod tests;
