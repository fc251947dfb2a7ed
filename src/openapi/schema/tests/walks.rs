use super::walk::{Part, children, identity, in_place};
use super::*;

#[test]
fn children_come_from_every_schema_of_the_value() {
    let schema = json!({
        "$ref": "#/components/schemas/T",
        "properties": { "a": { "$ref": "#/components/schemas/T" } },
        "patternProperties": { "^x": {} },
        "additionalProperties": { "type": "string" },
        "allOf": [{ "properties": { "b": {} } }],
        "if": { "properties": { "c": {} } },
        "then": { "items": {} },
        "else": { "prefixItems": [{}] },
        "not": { "properties": { "never": {} } },
        "example": { "properties": { "never": {} } },
    });
    let others = json!({ "T": { "oneOf": [{ "properties": { "t": { "$ref": "#/components/schemas/S" } } }] } });
    let document = document("3.1.0", &schema, &others);
    let found: Vec<_> = children(&document, &node(&document, "S"))
        .unwrap()
        .into_iter()
        .map(|(part, node)| (part, node.pointer.to_string()))
        .collect();
    let at = |path: &str| format!("/components/schemas{path}");
    assert_eq!(
        found,
        [
            (Part::Property("a"), at("/T")),
            (Part::Pattern("^x"), at("/S/patternProperties/^x")),
            (Part::Additional, at("/S/additionalProperties")),
            (Part::Property("t"), at("/S")),
            (Part::Property("b"), at("/S/allOf/0/properties/b")),
            (Part::Property("c"), at("/S/if/properties/c")),
            (Part::Items, at("/S/then/items")),
            (Part::Item(0), at("/S/else/prefixItems/0")),
        ]
    );
}

#[test]
fn walks_end_on_loops_and_report_broken_references() {
    let schema = json!({ "allOf": [{ "$ref": "#/components/schemas/S" }, { "$ref": "#/components/schemas/T" }] });
    let document = document("3.0.0", &schema, &json!({ "T": { "$ref": "#/nowhere" } }));
    assert!(in_place(&document, &node(&document, "S")).is_err());
    assert!(identity(&document, node(&document, "T")).is_err());
    let fine = super::document(
        "3.0.0",
        &json!({ "allOf": [{ "$ref": "#/components/schemas/S" }] }),
        &json!({}),
    );
    assert_eq!(in_place(&fine, &node(&fine, "S")).unwrap().len(), 2);
}
