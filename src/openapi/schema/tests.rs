mod any_input;
mod portability;
mod references;
mod walks;

use serde_json::{Value, json};

use super::*;
use crate::json::Pointer;

/// A document whose component `S` is the schema under test.
fn document(version: &str, schema: &Value, others: &Value) -> Document {
    let mut schemas = others.as_object().cloned().unwrap_or_default();
    schemas.insert("S".to_owned(), schema.clone());
    let root = json!({ "openapi": version, "components": { "schemas": schemas } });
    Document::from_value(root).unwrap()
}

fn node<'d>(document: &'d Document, name: &str) -> Node<'d> {
    let pointer = Pointer::root().join("components").join("schemas").join(name);
    Node { value: pointer.get(document.root()).unwrap(), pointer }
}

fn run(
    version: &str,
    schema: &Value,
    others: &Value,
    way: Direction,
) -> Result<Value, Vec<Problem>> {
    let document = document(version, schema, others);
    let result = extract(&document, &node(&document, "S"), way);
    if let Ok(schema) = &result {
        validator(schema);
    }
    result
}

#[track_caller]
fn validator(schema: &Value) -> jsonschema::Validator {
    jsonschema::options()
        .with_draft(jsonschema::Draft::Draft202012)
        .build(schema)
        .unwrap_or_else(|error| panic!("{error}: {schema}"))
}

/// Compares texts, because the order of keys is part of the result.
#[track_caller]
fn check(version: &str, schema: Value, expected: Value) {
    let result = run(version, &schema, &json!({}), Direction::Input).unwrap();
    assert_eq!(result.to_string(), expected.to_string(), "{schema}");
}

#[track_caller]
fn check_with(schema: Value, others: Value, expected: Value) {
    let result = run("3.1.0", &schema, &others, Direction::Input).unwrap();
    assert_eq!(result.to_string(), expected.to_string(), "{schema}");
}

#[track_caller]
fn check_accepts(schema: &Value, valid: &[Value], invalid: &[Value]) {
    let validator = validator(schema);
    for instance in valid {
        assert!(validator.is_valid(instance), "{instance} is refused by {schema}");
    }
    for instance in invalid {
        assert!(!validator.is_valid(instance), "{instance} is accepted by {schema}");
    }
}

/// Text that makes a schema too large to repeat.
fn long() -> String {
    "long ".repeat(100)
}

mod dialect {
    use super::*;

    #[test]
    fn nullable_adds_the_null_type() {
        check(
            "3.0.0",
            json!({ "type": "string", "nullable": true }),
            json!({ "type": ["string", "null"] }),
        );
        check("3.0.0", json!({ "type": "string", "nullable": false }), json!({ "type": "string" }));
        check(
            "3.1.0",
            json!({ "type": ["string"], "nullable": true }),
            json!({ "type": ["string", "null"] }),
        );
        check(
            "3.1.0",
            json!({ "type": ["null", "string"], "nullable": true }),
            json!({ "type": ["null", "string"] }),
        );
    }

    #[test]
    fn nullable_leaves_an_enum_to_list_null_itself() {
        let schema = json!({ "type": "string", "nullable": true, "enum": ["a"] });
        check("3.0.0", schema, json!({ "type": ["string", "null"], "enum": ["a"] }));
        let schema = json!({ "type": "string", "nullable": true, "enum": ["a", null] });
        check("3.0.0", schema, json!({ "type": ["string", "null"], "enum": ["a", null] }));
    }

    #[test]
    fn nullable_without_a_type_is_an_alternative_only_where_something_refuses_null() {
        let cases = [
            (json!({ "nullable": true, "description": "any" }), json!({ "description": "any" })),
            (
                json!({ "nullable": true, "anyOf": [{ "type": "string" }], "title": "t" }),
                json!({ "title": "t", "anyOf": [{ "type": "string" }, { "type": "null" }] }),
            ),
            (
                json!({ "nullable": true, "allOf": [{ "type": "string" }] }),
                json!({ "anyOf": [{ "type": "string" }, { "type": "null" }] }),
            ),
            (
                json!({ "nullable": true, "oneOf": [{ "type": "string" }, { "type": "integer" }] }),
                json!({ "anyOf": [
                    { "oneOf": [{ "type": "string" }, { "type": "integer" }] }, { "type": "null" },
                ] }),
            ),
            (
                json!({ "type": "object", "nullable": true, "allOf": [{ "required": ["a"] }] }),
                json!({ "anyOf": [
                    { "type": "object", "allOf": [{ "required": ["a"] }] }, { "type": "null" },
                ] }),
            ),
        ];
        for (schema, expected) in cases {
            check("3.0.0", schema, expected);
        }
    }

    #[test]
    fn boolean_bounds_become_numbers() {
        let cases = [
            (json!({ "minimum": 0, "exclusiveMinimum": true }), json!({ "exclusiveMinimum": 0 })),
            (
                json!({ "exclusiveMaximum": true, "maximum": 1.50 }),
                json!({ "exclusiveMaximum": 1.50 }),
            ),
            (json!({ "minimum": 0, "exclusiveMinimum": false }), json!({ "minimum": 0 })),
            (json!({ "exclusiveMinimum": true }), json!({})),
            (
                json!({ "exclusiveMinimum": 3, "minimum": 1 }),
                json!({ "exclusiveMinimum": 3, "minimum": 1 }),
            ),
        ];
        for (schema, expected) in cases {
            for version in ["3.0.0", "3.1.0"] {
                check(version, schema.clone(), expected.clone());
            }
        }
    }

    #[test]
    fn example_becomes_examples_and_large_ones_go() {
        check(
            "3.0.0",
            json!({ "type": "string", "example": "a" }),
            json!({ "type": "string", "examples": ["a"] }),
        );
        check("3.1.0", json!({ "example": 1, "examples": [2] }), json!({ "examples": [2] }));
        check("3.0.0", json!({ "type": "string", "example": long() }), json!({ "type": "string" }));
        check("3.1.0", json!({ "examples": [long(), 1] }), json!({ "examples": [1] }));
        check("3.1.0", json!({ "examples": { "a": 1 } }), json!({}));
    }

    #[test]
    fn keywords_of_older_drafts_are_translated() {
        let cases = [
            (
                json!({ "items": [{ "type": "string" }], "additionalItems": false }),
                json!({ "prefixItems": [{ "type": "string" }], "items": false }),
            ),
            (
                json!({ "dependencies": { "a": ["b"], "c": { "required": ["d"] } } }),
                json!({ "dependentRequired": { "a": ["b"] }, "dependentSchemas": { "c": { "required": ["d"] } } }),
            ),
            (json!({ "minLength": 2.0 }), json!({ "minLength": 2 })),
            (json!({ "enum": ["a", "b", "a"] }), json!({ "enum": ["a", "b"] })),
            (json!({ "required": ["a", "a"] }), json!({ "required": ["a"] })),
            (json!({ "required": [] }), json!({})),
            (json!({ "type": ["string", "string"] }), json!({ "type": ["string"] })),
        ];
        for (schema, expected) in cases {
            check("3.1.0", schema, expected);
        }
    }

    #[test]
    fn only_keywords_of_json_schema_are_kept() {
        let schema = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "https://ids.test/s",
            "$anchor": "a", "xml": {}, "externalDocs": {}, "x-agent": {}, "x-mcp-header": "Region",
            "layout": "none", "deprecated": true, "readOnly": true, "format": "made-up",
            "description": 7, "title": "t", "const": null, "type": null,
        });
        let expected = json!({
            "x-mcp-header": "Region", "deprecated": true, "format": "made-up", "title": "t", "const": null,
        });
        check("3.1.0", schema, expected);
    }

    #[test]
    fn a_null_default_goes_where_null_is_not_valid() {
        let cases = [
            (json!({ "type": "integer", "default": null }), json!({ "type": "integer" })),
            (json!({ "enum": [1], "default": null }), json!({ "enum": [1] })),
            (
                json!({ "anyOf": [{ "type": "string" }, { "const": 1 }], "default": null }),
                json!({ "anyOf": [{ "type": "string" }, { "const": 1 }] }),
            ),
            (
                json!({ "type": ["integer", "null"], "default": null }),
                json!({ "type": ["integer", "null"], "default": null }),
            ),
            (json!({ "default": null }), json!({ "default": null })),
            (
                json!({ "type": "integer", "default": "x" }),
                json!({ "type": "integer", "default": "x" }),
            ),
        ];
        for (schema, expected) in cases {
            check("3.1.0", schema, expected);
        }
    }

    #[test]
    fn siblings_of_a_reference_count_from_3_1_on() {
        let schema =
            json!({ "properties": { "n": { "$ref": "#/components/schemas/N", "title": "T" } } });
        let others = json!({ "N": { "type": "integer" } });
        let expected = |n: Value| json!({ "properties": { "n": n } });
        for (version, n) in [
            ("3.0.0", json!({ "type": "integer" })),
            ("3.1.0", json!({ "type": "integer", "title": "T" })),
        ] {
            let result = run(version, &schema, &others, Direction::Input).unwrap();
            assert_eq!(result, expected(n), "{version}");
        }
    }
}

mod directions {
    use super::*;

    #[track_caller]
    fn check(direction: Direction, schema: Value, others: Value, expected: Value) {
        let result = run("3.1.0", &schema, &others, direction).unwrap();
        assert_eq!(result.to_string(), expected.to_string());
    }

    fn sample() -> (Value, Value) {
        let schema = json!({
            "type": "object",
            "required": ["id", "secret", "name", "ref", "all"],
            "properties": {
                "id": { "type": "string", "readOnly": true },
                "secret": { "type": "string", "writeOnly": true },
                "name": { "type": "string", "readOnly": false },
                "ref": { "$ref": "#/components/schemas/ReadOnly" },
                "all": { "allOf": [{ "$ref": "#/components/schemas/Plain" }, { "readOnly": true }] },
            },
        });
        let others = json!({
            "ReadOnly": { "type": "integer", "readOnly": true }, "Plain": { "type": "integer" },
        });
        (schema, others)
    }

    #[test]
    fn read_only_properties_are_not_sent() {
        let (schema, others) = sample();
        check(
            Direction::Input,
            schema,
            others,
            json!({
                "type": "object",
                "required": ["secret", "name"],
                "properties": { "secret": { "type": "string" }, "name": { "type": "string" } },
            }),
        );
    }

    #[test]
    fn an_editor_has_all_properties_and_the_keywords_of_others() {
        let others = json!({ "Tag": { "type": "string", "x-fromUrl": "tags?q={q}" } });
        check(
            Direction::Both,
            json!({
                "type": "object", "layout": { "comp": "tabs" }, "required": ["id", "tag"],
                "properties": {
                    "id": { "type": "string", "readOnly": true, "x-i18n-title": { "fr": "N" } },
                    "tag": { "$ref": "#/components/schemas/Tag", "layout": "none" },
                },
            }),
            others,
            json!({
                "type": "object", "layout": { "comp": "tabs" }, "required": ["tag"],
                "properties": {
                    "id": { "type": "string", "readOnly": true, "x-i18n-title": { "fr": "N" } },
                    "tag": { "type": "string", "x-fromUrl": "tags?q={q}", "layout": "none" },
                },
            }),
        );
    }

    #[test]
    fn write_only_properties_are_not_expected_back() {
        let (schema, others) = sample();
        check(
            Direction::Output,
            schema,
            others,
            json!({
                "type": "object",
                "required": ["id", "name", "ref", "all"],
                "properties": {
                    "id": { "type": "string" }, "name": { "type": "string" },
                    "ref": { "type": "integer" }, "all": { "allOf": [{ "type": "integer" }, {}] },
                },
            }),
        );
    }

    #[test]
    fn required_in_one_part_follows_the_property_of_another() {
        let schema = json!({
            "allOf": [{ "$ref": "#/components/schemas/Base" }, { "required": ["id", "name"] }],
            "required": ["id"],
        });
        let others =
            json!({ "Base": { "properties": { "id": { "readOnly": true }, "name": {} } } });
        check(
            Direction::Input,
            schema,
            others,
            json!({
                "allOf": [{ "properties": { "name": {} } }, { "required": ["name"] }],
            }),
        );
    }

    #[test]
    fn recursive_visibility_questions_end() {
        let schema = json!({ "properties": { "s": { "$ref": "#/components/schemas/Loop" } } });
        let others = json!({ "Loop": { "allOf": [{ "$ref": "#/components/schemas/Loop" }] } });
        assert!(run("3.1.0", &schema, &others, Direction::Input).is_err());
    }
}

mod faults {
    use super::*;

    #[track_caller]
    fn check(schema: Value, expected: &[(&str, &str)]) {
        let problems = run("3.1.0", &schema, &json!({}), Direction::Input).unwrap_err();
        assert_eq!(problems.len(), expected.len(), "{problems:?}");
        for (problem, (at, message)) in problems.iter().zip(expected) {
            let at = format!("/components/schemas/S{at}");
            assert_eq!(problem.at, at);
            assert!(problem.message.contains(message), "{problem}");
        }
    }

    #[test]
    fn impossible_values_are_located() {
        check(json!({ "type": "any" }), &[("/type", "`\"any\"` is not a type")]);
        check(json!({ "type": ["string", "file"] }), &[("/type", "`\"file\"` is not a type")]);
        check(json!({ "type": [] }), &[("/type", "at least one")]);
        check(json!({ "pattern": "(" }), &[("/pattern", "not a regular expression")]);
        check(
            json!({ "patternProperties": { "[": {} } }),
            &[("/patternProperties/[", "not a regular")],
        );
        check(json!({ "minLength": -1 }), &[("/minLength", "whole number")]);
        check(json!({ "minLength": 1.5 }), &[("/minLength", "whole number")]);
        check(json!({ "minimum": "0" }), &[("/minimum", "a number")]);
        check(json!({ "multipleOf": 0 }), &[("/multipleOf", "above zero")]);
        check(json!({ "required": true }), &[("/required", "a list")]);
        check(json!({ "required": [1] }), &[("/required", "property names")]);
        check(json!({ "enum": "a" }), &[("/enum", "a list")]);
        check(json!({ "properties": [] }), &[("/properties", "by property name")]);
        check(json!({ "properties": { "a": 1 } }), &[("/properties/a", "a schema")]);
        check(json!({ "allOf": {} }), &[("/allOf", "a list of schemas")]);
        check(json!({ "items": "string" }), &[("/items", "a schema")]);
        check(json!({ "format": 1 }), &[("/format", "a string")]);
        check(json!({ "$ref": 7 }), &[("/$ref", "a reference")]);
        check(json!({ "$ref": "#/nowhere" }), &[("/$ref", "points at nothing")]);
        check(json!({ "$ref": "#" }), &[("/$ref", "not a schema")]);
        check(json!({ "$ref": "#/openapi" }), &[("/$ref", "not a schema")]);
        check(json!({ "$ref": "x.json" }), &[("/$ref", "`x.json` points outside")]);
    }

    #[test]
    fn all_faults_are_reported_at_once() {
        let schema = json!({ "properties": { "a": { "type": "any" }, "b": { "$ref": "#/x" } }, "minItems": "1" });
        check(
            schema,
            &[
                ("/properties/a/type", "not a type"),
                ("/properties/b/$ref", "nothing"),
                ("/minItems", "whole"),
            ],
        );
    }
}

mod discriminators {
    use super::*;

    fn alternatives() -> Value {
        json!({
            "A": { "type": "object", "required": ["kind"], "properties": { "kind": { "type": "string" }, "n": { "type": "integer" } } },
            "B": { "type": "object", "required": ["kind"], "properties": { "kind": { "type": "string" } } },
        })
    }

    #[test]
    fn mapped_values_select_one_alternative_on_the_way_in() {
        let schema = json!({
            "oneOf": [{ "$ref": "#/components/schemas/A" }, { "$ref": "#/components/schemas/B" }],
            "discriminator": { "propertyName": "kind", "mapping": {
                "a": "#/components/schemas/A", "b": "B", "bb": "#/components/schemas/B",
            } },
        });
        let result = run("3.0.0", &schema, &alternatives(), Direction::Input).unwrap();
        assert_eq!(
            result["oneOf"][0]["properties"]["kind"],
            json!({ "type": "string", "const": "a" })
        );
        assert_eq!(
            result["oneOf"][1]["properties"]["kind"],
            json!({ "type": "string", "enum": ["b", "bb"] })
        );
        let valid = [json!({ "kind": "a", "n": 1 }), json!({ "kind": "bb" })];
        check_accepts(&result, &valid, &[json!({ "kind": "a", "n": "x" }), json!({ "kind": "c" })]);
        let result = run("3.0.0", &schema, &alternatives(), Direction::Output).unwrap();
        assert_eq!(result["oneOf"][0]["properties"]["kind"], json!({ "type": "string" }));
    }

    #[test]
    fn alternatives_that_are_already_selective_stay_as_they_are() {
        let schema = json!({
            "oneOf": [{ "$ref": "#/components/schemas/A" }],
            "discriminator": { "propertyName": "kind", "mapping": { "a": "A" } },
        });
        let others = json!({ "A": { "allOf": [{ "properties": { "kind": { "enum": ["x"] } } }] } });
        let result = run("3.0.0", &schema, &others, Direction::Input).unwrap();
        assert_eq!(result["oneOf"][0], others["A"]);
    }

    #[test]
    fn a_base_of_its_own_alternatives_does_not_run_in_circles() {
        let schema = json!({ "$ref": "#/components/schemas/Pet" });
        let others = json!({
            "Pet": {
                "type": "object", "properties": { "kind": { "type": "string" } },
                "oneOf": [{ "$ref": "#/components/schemas/Dog" }, { "$ref": "#/components/schemas/Cat" }],
                "discriminator": { "propertyName": "kind", "mapping": { "dog": "Dog", "cat": "Cat" } },
            },
            "Dog": { "allOf": [{ "$ref": "#/components/schemas/Pet" }, { "properties": { "bark": { "type": "integer" } } }] },
            "Cat": { "allOf": [{ "$ref": "#/components/schemas/Pet" }, { "properties": { "meow": { "type": "integer" } } }] },
        });
        for version in ["3.0.0", "3.1.0"] {
            let result = run(version, &schema, &others, Direction::Input).unwrap();
            let valid = json!({ "kind": "dog", "bark": 1 });
            check_accepts(&result, &[valid], &[json!({ "kind": "dog", "bark": "x" })]);
        }
    }

    #[test]
    fn without_a_mapping_the_name_of_a_schema_selects_it() {
        let of = |discriminator: Value| {
            json!({
                "oneOf": [{ "$ref": "#/components/schemas/A" }, { "$ref": "#/components/schemas/B" }],
                "discriminator": discriminator,
            })
        };
        let plain = json!({ "propertyName": "kind" });
        let partly =
            json!({ "propertyName": "kind", "mapping": { "A": "#/components/schemas/A" } });
        for discriminator in [plain, partly] {
            let schema = of(discriminator);
            let result = run("3.1.0", &schema, &alternatives(), Direction::Input).unwrap();
            let valid = [json!({ "kind": "A", "n": 1 }), json!({ "kind": "B" })];
            check_accepts(
                &result,
                &valid,
                &[json!({ "kind": "A", "n": "x" }), json!({ "kind": "C" })],
            );
        }
    }

    #[test]
    fn alternatives_that_inherit_a_discriminator_may_overlap() {
        let schema = json!({ "oneOf": [
            { "$ref": "#/components/schemas/Pet" },
            { "$ref": "#/components/schemas/Dog" },
        ] });
        let others = json!({
            "Pet": {
                "type": "object", "required": ["kind"], "properties": { "kind": { "type": "string" } },
                "discriminator": { "propertyName": "kind" },
            },
            "Dog": { "allOf": [
                { "$ref": "#/components/schemas/Pet" },
                { "properties": { "bark": { "type": "integer" } } },
            ] },
        });
        let result = run("3.0.0", &schema, &others, Direction::Input).unwrap();
        let valid = [json!({ "kind": "dog", "bark": 1 }), json!({ "kind": "pet" })];
        check_accepts(&result, &valid, &[json!({ "bark": 1 })]);
        let result = run("3.0.0", &schema, &others, Direction::Output).unwrap();
        assert!(result.get("oneOf").is_some());
        let plain = json!({ "oneOf": [{ "type": "integer" }, { "type": "number" }] });
        let result = run("3.0.0", &plain, &others, Direction::Input).unwrap();
        check_accepts(&result, &[json!(1.5)], &[json!(1)]);
    }
}
