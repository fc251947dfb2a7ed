use serde_json::{Value, json};

use super::{Graph, Options, Survey};
use crate::openapi::{Document, Node};
use crate::tool::Shape;

/// The plan of a response schema; `$ref`s may point at `components`.
#[track_caller]
fn plan(schema: &Value, rows: Option<&str>) -> (Vec<Shape>, Vec<String>) {
    let document = document(schema);
    let graph = graph(&document, rows).unwrap();
    let fields = graph.fields(rows);
    (graph.into_plan(rows), fields)
}

fn document(schema: &Value) -> Document {
    let components = json!({"schemas": {
        "Response": schema,
        "Secret": {"type": "string", "x-agent": {"exclude": true}},
        "Tree": {"type": "object", "properties": {
            "children": {"type": "array", "items": {"$ref": "#/components/schemas/Tree"}},
            "key": {"type": "string", "writeOnly": true}
        }},
        "Plain": {"type": "object", "properties": {"a": {"type": "string"}}}
    }});
    Document::from_value(json!({"openapi": "3.1.0", "paths": {}, "components": components}))
        .unwrap()
}

fn graph(document: &Document, rows: Option<&str>) -> Result<Graph, crate::json::Problem> {
    let value = document.root().pointer("/components/schemas/Response").unwrap();
    let pointer = crate::json::Pointer::root().join("components").join("schemas").join("Response");
    let is_annotated = is_annotated(document.root());
    let options = Options { locale: "fr-CA", rows, is_annotated, is_form: false };
    Graph::build(document, vec![Node { value, pointer }], options)
}

fn is_annotated(document: &Value) -> bool {
    let mut survey = Survey::new(document);
    while survey.step() {}
    survey.is_annotated()
}

#[track_caller]
fn check(schema: &Value, expected: &Value) {
    let (shapes, _) = plan(schema, None);
    assert_eq!(serde_json::to_value(shapes).unwrap(), *expected);
}

#[test]
fn nothing_is_kept_of_a_schema_that_says_nothing() {
    check(&json!({"$ref": "#/components/schemas/Plain"}), &json!([]));
    check(&json!({"type": "string"}), &json!([]));
    check(&json!(true), &json!([]));
}

#[test]
fn hints_are_localized_and_hidden_properties_marked() {
    check(
        &json!({"properties": {
            "plain": {},
            "noted": {"x-agent": {"hint": {"en": "note", "fr": " remarque "}}},
            "gone": {"x-agent": {"exclude": true}}
        }}),
        &json!([{"properties": [
            {"name": "noted", "hint": "remarque"},
            {"name": "gone", "exclude": true}
        ]}]),
    );
}

#[test]
fn applicators_references_and_maps_are_looked_through() {
    let secret = json!({"properties": {"s": {"$ref": "#/components/schemas/Secret"}}});
    let hides = json!([{"properties": [{"name": "s", "exclude": true}]}]);
    for key in ["allOf", "anyOf", "oneOf"] {
        check(&json!({key: [{"type": "null"}, secret]}), &hides);
    }
    check(&json!({"if": {}, "then": secret}), &hides);
    check(&json!({"dependentSchemas": {"x": secret}}), &hides);
    check(
        &json!({"additionalProperties": secret}),
        &json!([{"additional": {"node": 1}}, hides[0]]),
    );
    check(
        &json!({"patternProperties": {"^x": secret}}),
        &json!([{"patterns": [["^x", {"node": 1}]]}, hides[0]]),
    );
    check(&json!({"prefixItems": [true, secret]}), &json!([{"prefixItems": [1, 2]}, {}, hides[0]]));
}

#[test]
fn recursion_is_a_loop_in_the_graph() {
    check(
        &json!({"$ref": "#/components/schemas/Tree"}),
        &json!([
            {"properties": [{"name": "children", "node": 1}, {"name": "key", "exclude": true}]},
            {"items": 0}
        ]),
    );
}

#[test]
fn a_list_of_hidden_values_is_hidden() {
    let list = json!({"type": "array", "items": {"$ref": "#/components/schemas/Secret"}});
    check(
        &json!({"properties": {"a": list, "b": {"type": "array", "items": list}}}),
        &json!([{"properties": [{"name": "a", "exclude": true}, {"name": "b", "exclude": true}]}]),
    );
}

#[test]
fn a_declared_property_is_kept_where_all_others_are_hidden() {
    check(
        &json!({"properties": {"id": {}}, "additionalProperties": {"x-agent": {"exclude": true}}}),
        &json!([{"properties": [{"name": "id"}], "additional": {"exclude": true}}]),
    );
}

#[test]
fn an_alternative_with_other_properties_also_describes_declared_ones() {
    let secret = json!({"properties": {"s": {"$ref": "#/components/schemas/Secret"}}});
    check(
        &json!({"oneOf": [{"properties": {"x": {}}}, {"additionalProperties": secret}]}),
        &json!([
            {"properties": [{"name": "x", "node": 1}], "additional": {"node": 1}},
            {"properties": [{"name": "s", "exclude": true}]}
        ]),
    );
}

#[test]
fn rows_keep_their_columns_in_order() {
    let row = json!({"allOf": [
        {"properties": {"b": {}, "a": {"properties": {"deep": {}}}}},
        {"properties": {"c": {}, "s": {"$ref": "#/components/schemas/Secret"}}}
    ]});
    let (shapes, fields) = plan(
        &json!({"properties": {"n": {}, "rows": {"type": "array", "items": row}}}),
        Some("rows"),
    );
    assert_eq!(fields, ["b", "a", "c"]);
    let expected = json!([
        {"properties": [{"name": "rows", "node": 1}]},
        {"items": 2},
        {"properties": [{"name": "b"}, {"name": "a"}, {"name": "c"}, {"name": "s", "exclude": true}]}
    ]);
    assert_eq!(serde_json::to_value(shapes).unwrap(), expected);
    let (shapes, fields) = plan(&json!({"type": "array", "items": row}), None);
    assert_eq!(fields, ["b", "a", "c"]);
    assert_eq!(shapes.len(), 2);
}

#[test]
fn rows_of_documents_without_annotations_are_found_too() {
    let value = json!({"openapi": "3.1.0", "paths": {}, "components": {"schemas": {"Response": {
        "properties": {"rows": {"items": {"properties": {"a": {}, "b": {"properties": {"c": {}}}}}}}
    }}}});
    let document = Document::from_value(value).unwrap();
    let graph = graph(&document, Some("rows")).unwrap();
    assert_eq!(graph.fields(Some("rows")), ["a", "b"]);
    assert_eq!(graph.into_plan(Some("rows")).len(), 3);
}

#[test]
fn dangling_references_are_problems_at_their_place() {
    let document = document(&json!({"properties": {"a": {"$ref": "#/nothing"}}}));
    let problem = graph(&document, None).unwrap_err();
    assert_eq!(problem.at, "/components/schemas/Response/properties/a/$ref");
}
