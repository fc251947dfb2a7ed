use std::collections::BTreeMap;

use serde_json::{Value, json};
use url::Url;

use super::*;
use crate::json::Pointer;
use crate::openapi::schema::{Direction, extract};

const ADDRESS: &str = "http://api.test/docs/openapi.json";

/// Only what is on the host of the document may be fetched.
fn reach(url: &Url) -> Result<(), String> {
    if url.host_str() == Some("api.test") { Ok(()) } else { Err(format!("`{url}` is elsewhere")) }
}

/// A document linked with its files, and the addresses that were asked for.
fn linked(root: Value, files: &[(&str, Value)]) -> (Document, Vec<String>) {
    let files: BTreeMap<_, _> = files.iter().cloned().collect();
    let mut document = Document::from_value(root).unwrap();
    document.link(&Url::parse(ADDRESS).unwrap(), &reach);
    let mut asked = Vec::new();
    loop {
        let missing = document.missing();
        if missing.is_empty() {
            return (document, asked);
        }
        for url in missing {
            let path = url.path().to_owned();
            let file = files.get(path.as_str()).cloned().ok_or("HTTP status 404".to_owned());
            asked.push(path);
            document.add_file(&url, file, &reach);
        }
    }
}

fn with_schema(version: &str, schema: Value) -> Value {
    json!({ "openapi": version, "paths": {}, "components": { "schemas": { "S": schema } } })
}

/// The schema `S` of the components, extracted.
fn schema(document: &Document) -> Result<Value, Vec<crate::json::Problem>> {
    let place = Pointer::root().join("components").join("schemas").join("S");
    extract(document, &document.node_at(place).unwrap(), Direction::Output)
}

#[track_caller]
fn check(root: Value, files: &[(&str, Value)], expected: Value) {
    let (document, _) = linked(root, files);
    assert_eq!(schema(&document), Ok(expected), "{}", document.root());
}

#[test]
fn relative_references_lead_into_other_files_and_back() {
    let files = [
        (
            "/docs/models/pet.yaml",
            json!({ "type": "object", "properties": {
            "owner": { "$ref": "../common/people.yaml#/owner" }, "self": { "$ref": "#/tag" },
            "root": { "$ref": "../openapi.json#/components/schemas/T" },
        }, "tag": { "type": "string" } }),
        ),
        (
            "/docs/common/people.yaml",
            json!({ "owner": { "$ref": "#/person" }, "person": { "type": "integer" } }),
        ),
    ];
    for version in ["3.0.3", "3.1.0", "3.2.0"] {
        let mut root = with_schema(version, json!({ "$ref": "models/pet.yaml" }));
        root["components"]["schemas"]["T"] = json!({ "type": "boolean" });
        let (document, asked) = linked(root, &files);
        assert_eq!(asked, ["/docs/models/pet.yaml", "/docs/common/people.yaml"]);
        assert_eq!(
            schema(&document),
            Ok(json!({ "type": "object", "properties": {
                "owner": { "type": "integer" }, "self": { "type": "string" }, "root": { "type": "boolean" },
            } }))
        );
    }
}

#[test]
fn each_file_is_asked_for_once_however_it_is_written() {
    let schema = json!({ "allOf": [
        { "$ref": "a.json#/x" }, { "$ref": "./a.json#/y" }, { "$ref": "../docs/a.json#/x" },
        { "$ref": "https://api.test/docs/a.json#/x" }, { "$ref": "//api.test/docs/a.json#/x" },
        { "$ref": "openapi.json#/components/schemas/T" },
    ] });
    let mut root = with_schema("3.0.0", schema);
    root["components"]["schemas"]["T"] = json!({});
    let (_, asked) = linked(root, &[("/docs/a.json", json!({ "x": {}, "y": {} }))]);
    assert_eq!(asked, ["/docs/a.json"]);
}

#[test]
fn files_that_refer_to_each_other_end() {
    let files = [
        ("/docs/a.json", json!({ "properties": { "b": { "$ref": "b.json" } } })),
        ("/docs/b.json", json!({ "properties": { "a": { "$ref": "a.json" } } })),
    ];
    check(
        with_schema("3.1.0", json!({ "$ref": "a.json" })),
        &files,
        json!({
            "properties": { "b": { "properties": { "a": { "$ref": "#/$defs/a" } } } },
            "$defs": { "a": { "properties": { "b": { "properties": { "a": { "$ref": "#/$defs/a" } } } } } },
        }),
    );
}

#[test]
fn data_and_extensions_refer_to_nothing() {
    let root = json!({ "openapi": "3.1.0", "x-code": { "$ref": "code.yml" }, "paths": {},
        "components": {
            "schemas": { "S": { "example": { "$ref": "a" }, "default": { "$ref": "b" }, "enum": [{ "$ref": "c" }] } },
            "examples": { "E": { "$ref": "d" } },
            "responses": { "default": { "$ref": "yes" }, "x-named": { "$ref": "also" } },
        } });
    assert_eq!(linked(root, &[]).1, ["/docs/yes", "/docs/also"]);
}

#[test]
fn what_may_not_be_fetched_is_reported_and_not_asked_for() {
    for address in
        ["http://169.254.169.254/latest/schema.json", "file:///etc/passwd", "//other.test/x"]
    {
        let (document, asked) = linked(with_schema("3.1.0", json!({ "$ref": address })), &[]);
        assert_eq!(asked, [""; 0]);
        let problems = schema(&document).unwrap_err();
        assert!(problems[0].message.contains("is elsewhere"), "{problems:?}");
        assert!(problems[0].message.contains(address), "{problems:?}");
    }
}

#[test]
fn a_file_that_is_not_there_costs_what_refers_to_it() {
    let root = with_schema("3.0.0", json!({ "$ref": "models/gone.json#/a" }));
    let (document, _) = linked(root, &[]);
    let problems = schema(&document).unwrap_err();
    assert_eq!(problems[0].at, "/components/schemas/S/$ref");
    assert_eq!(problems[0].message, "the file `models/gone.json` is not there: HTTP status 404");
}

#[test]
fn anchors_and_identifiers_work_across_files() {
    let file = json!({
        "a": { "$anchor": "here", "type": "string" },
        "b": { "$ref": "#here" },
        "c": { "$id": "https://ids.test/c", "$ref": "#/$defs/d", "$defs": { "d": { "type": "integer" } } },
    });
    let schema = json!({ "properties": {
        "x": { "$ref": "f.json#here" }, "y": { "$ref": "f.json#/b" }, "z": { "$ref": "f.json#/c" },
    } });
    check(
        with_schema("3.1.0", schema),
        &[("/docs/f.json", file)],
        json!({ "properties": {
            "x": { "type": "string" }, "y": { "type": "string" }, "z": { "type": "integer" },
        } }),
    );
}

#[test]
fn a_schema_with_an_identifier_refers_to_files_beside_it() {
    // The identifier is elsewhere, so the file is looked for where this one was found.
    let file = json!({ "$id": "https://ids.test/pet", "properties": {
        "tag": { "$ref": "tag.json" }, "own": { "$ref": "#/$defs/o" },
    }, "$defs": { "o": { "type": "null" } } });
    check(
        with_schema("3.1.0", json!({ "$ref": "m/pet.json" })),
        &[("/docs/m/pet.json", file), ("/docs/m/tag.json", json!({ "type": "string" }))],
        json!({ "properties": { "tag": { "type": "string" }, "own": { "type": "null" } } }),
    );
}

#[test]
fn the_identity_of_the_document_is_the_first_base() {
    let mut root = with_schema("3.2.0", json!({ "$ref": "b.json" }));
    root["$self"] = json!("/v2/api");
    assert_eq!(linked(root.clone(), &[]).1, ["/v2/b.json"]);
    root["$self"] = json!("https://elsewhere.test/v2/api");
    assert_eq!(linked(root, &[]).1, ["/docs/b.json"]);
}

#[test]
fn names_with_special_characters_are_found() {
    check(
        with_schema("3.0.0", json!({ "$ref": "a%20b~c/d.json#/x%20y" })),
        &[("/docs/a%20b~c/d.json", json!({ "x y": { "type": "string" } }))],
        json!({ "type": "string" }),
    );
}

#[test]
fn discriminator_mappings_name_files() {
    let alternatives = json!({ "oneOf": [{ "$ref": "dog.json" }, { "$ref": "cat.json" }], "discriminator": {
        "propertyName": "kind", "mapping": { "d": "dog.json", "c": "./cat.json" },
    } });
    let root = json!({ "openapi": "3.0.0", "paths": {}, "components": { "schemas": { "S": alternatives } } });
    let (document, _) =
        linked(root, &[("/docs/dog.json", json!({})), ("/docs/cat.json", json!({}))]);
    let place = Pointer::root().join("components").join("schemas").join("S");
    let node = document.node_at(place).unwrap();
    let schema = extract(&document, &node, Direction::Input).unwrap();
    assert_eq!(schema["oneOf"][1]["properties"]["kind"], json!({ "const": "c" }));
}

#[test]
fn files_of_a_swagger_2_document_are_converted() {
    let root =
        json!({ "swagger": "2.0", "produces": ["a/b"], "paths": { "/a": { "$ref": "a.yml" } } });
    let item = json!({ "get": { "parameters": [{ "$ref": "p.yml#/q" }], "responses": { "200": { "$ref": "r.yml" } } } });
    let parameters = json!({ "q": { "name": "q", "in": "query", "type": "integer" } });
    let response = json!({ "description": "", "schema": { "type": "string" } });
    let files = [("/docs/a.yml", item), ("/docs/p.yml", parameters), ("/docs/r.yml", response)];
    let (document, _) = linked(root, &files);
    let (endpoints, problems) = document.endpoints();
    assert_eq!(problems, []);
    let operation = document.operation(&endpoints[0]).unwrap();
    assert_eq!(
        operation.parameters[0].schema.as_ref().unwrap().value,
        &json!({ "type": "integer" })
    );
    assert_eq!(operation.responses[0].content[0].name, "a/b");
}

#[test]
fn whole_maps_of_properties_may_be_elsewhere() {
    let all = json!({ "allOf": [{ "properties": { "$ref": "p.yml#/all" } }, { "required": ["a", "b"] }] });
    let properties = json!({ "all": { "a": { "type": "string" }, "b": { "readOnly": true } } });
    let (document, _) = linked(with_schema("3.0.0", all), &[("/docs/p.yml", properties)]);
    let place = Pointer::root().join("components").join("schemas").join("S");
    let node = document.node_at(place).unwrap();
    assert_eq!(
        extract(&document, &node, Direction::Input),
        Ok(
            json!({ "allOf": [{ "properties": { "a": { "type": "string" } } }, { "required": ["a"] }] })
        )
    );
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig { cases: 64, ..Default::default() })]

    #[test]
    fn any_reference_in_any_file_is_taken(
        references in proptest::collection::vec("[a-c./#%~:?$-]{0,12}|#/\\$files/[a-c~1%]{0,6}", 1..6),
        version in "3\\.[0-2]",
    ) {
        let parts: Vec<_> = references
            .iter()
            .map(|text| json!({ "$ref": text, "$id": text, "$anchor": "a", "discriminator": { "mapping": { "m": text } } }))
            .collect();
        let file = json!({ "a": parts[0], "allOf": parts });
        let files = [("/docs/a", file.clone()), ("/docs/b", file.clone()), ("/c", file)];
        let (document, asked) = linked(with_schema(&format!("{version}.0"), json!({ "allOf": parts })), &files);
        proptest::prop_assert!(asked.len() < 64, "{asked:?}");
        let _ = schema(&document);
    }
}
