//! Plans as simple as the vectors and cases need: no references, one success response.

use serde_json::{Value, json};

use crate::tool::{Detailed, OperationPlan, Property, ResponsePlan, Shape};

/// The plan of the operation that a tool name of a document without prefixes denotes.
pub(crate) fn of(document: &Value, tool: &str, options: &Value) -> OperationPlan {
    let operations = document["paths"].as_object().unwrap().iter().flat_map(|(path, item)| {
        item.as_object().unwrap().iter().map(move |(method, operation)| (path, method, operation))
    });
    let snake = |name: &str| name.replace("patchArt", "patch_art");
    let (path, method, operation) = operations
        .into_iter()
        .find(|(_, _, operation)| {
            operation["operationId"].as_str().map(snake).as_deref() == Some(tool)
        })
        .unwrap_or_else(|| panic!("no operation {tool}"));
    OperationPlan {
        upstream: "api".into(),
        pointer: String::new(),
        method: method.to_uppercase(),
        base_path: "/v1".into(),
        path: path.clone().into(),
        parameters: Vec::new(),
        body: None,
        server: None,
        credentials: Vec::new(),
        response: response(operation, options),
    }
}

/// A response plan with a shape made from a schema and the default limits.
pub(crate) fn with_schema(schema: &Value) -> ResponsePlan {
    let mut shapes = Vec::new();
    shape(&mut shapes, schema, "en");
    ResponsePlan {
        shape: shapes,
        max_string_length: 500,
        max_error_length: 4000,
        ..ResponsePlan::default()
    }
}

fn response(operation: &Value, options: &Value) -> ResponsePlan {
    let annotation = &operation["x-agent"]["response"];
    let locale = options["locale"].as_str().unwrap_or("en");
    let mut shapes = Vec::new();
    if let Some(schema) = schema(operation) {
        shape(&mut shapes, schema, locale);
    }
    let fields = |key: &str| serde_json::from_value(annotation[key].clone()).unwrap_or_default();
    let limit =
        |key: &str, default| options[key].as_u64().map_or(default, |n| usize::try_from(n).unwrap());
    let concise: Option<Vec<String>> = fields("concise");
    let detailed = match &annotation["detailed"] {
        Value::Bool(true) => Some(Detailed::All),
        _ => fields("detailed").map(Detailed::Fields),
    };
    ResponsePlan {
        rows: annotation["rows"].as_str().map(|rows| rows.trim_start_matches('/').to_owned()),
        format_argument: (concise.is_some() && detailed.is_some())
            .then(|| "response_format".into()),
        fields_argument: annotation["selectParam"]
            .as_str()
            .map(|select| free_name(operation, select)),
        concise,
        detailed,
        hints: annotation["hints"] == true,
        structured: options["structuredContent"] == true,
        shape: shapes,
        max_string_length: limit("maxStringLength", 500),
        max_error_length: limit("maxErrorLength", 4000),
        ..ResponsePlan::default()
    }
}

/// `fields`, unless the API has another parameter of that name.
fn free_name(operation: &Value, select: &str) -> String {
    let taken = operation["parameters"].as_array().is_some_and(|parameters| {
        parameters.iter().any(|p| p["name"] == "fields" && select != "fields")
    });
    if taken { "fields_2".into() } else { "fields".into() }
}

fn schema(operation: &Value) -> Option<&Value> {
    let responses = operation["responses"].as_object()?;
    let success = responses.iter().find(|(status, _)| status.starts_with('2'));
    let content = success?.1["content"].as_object()?;
    content.iter().find(|(name, _)| name.contains("json")).map(|(_, media)| &media["schema"])
}

fn shape(shapes: &mut Vec<Shape>, schema: &Value, locale: &str) -> usize {
    let index = shapes.len();
    shapes.push(Shape::default());
    let mut merged = Shape::default();
    merge(shapes, &mut merged, schema, locale);
    shapes[index] = merged;
    index
}

fn merge(shapes: &mut Vec<Shape>, into: &mut Shape, schema: &Value, locale: &str) {
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        into.properties.push(self::property(shapes, name, property, locale));
    }
    for (pattern, property) in schema["patternProperties"].as_object().into_iter().flatten() {
        into.patterns.push((pattern.clone(), self::property(shapes, "", property, locale)));
    }
    if schema["additionalProperties"].is_object() {
        let property = property(shapes, "", &schema["additionalProperties"], locale);
        into.additional = Some(Box::new(property));
    }
    if schema["items"].is_object() {
        into.items = Some(shape(shapes, &schema["items"], locale));
    }
    for item in schema["prefixItems"].as_array().into_iter().flatten() {
        let node = shape(shapes, item, locale);
        into.prefix_items.push(node);
    }
    for keyword in ["allOf", "anyOf", "oneOf"] {
        for branch in schema[keyword].as_array().into_iter().flatten() {
            merge(shapes, into, branch, locale);
        }
    }
}

fn property(shapes: &mut Vec<Shape>, name: &str, schema: &Value, locale: &str) -> Property {
    let annotation = &schema["x-agent"];
    let hint = match &annotation["hint"] {
        Value::Object(texts) => texts.get(locale).cloned(),
        Value::Null => None,
        text => Some(text.clone()),
    };
    Property {
        name: name.into(),
        hint: hint.and_then(|hint| hint.as_str().map(str::to_owned)),
        exclude: annotation["exclude"] == json!(true),
        node: Some(shape(shapes, schema, locale)),
    }
}
