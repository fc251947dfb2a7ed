use super::*;

#[test]
fn what_is_used_once_or_small_is_written_in_place() {
    let schema = json!({ "properties": {
        "a": { "$ref": "#/components/schemas/Small" },
        "b": { "$ref": "#/components/schemas/Small" },
        "c": { "$ref": "#/components/schemas/Large" },
    } });
    let others = json!({
        "Small": { "type": "integer" }, "Large": { "type": "string", "description": long() },
    });
    check_with(
        schema,
        others,
        json!({ "properties": {
        "a": { "type": "integer" }, "b": { "type": "integer" },
        "c": { "type": "string", "description": long() },
    } }),
    );
}

#[test]
fn what_is_large_and_used_again_is_defined_once() {
    let schema = json!({ "properties": {
        "a": { "$ref": "#/components/schemas/Large" },
        "b": { "$ref": "#/components/schemas/Large", "title": "T" },
        "c": { "$ref": "#/components/schemas/Alias" },
    } });
    let others = json!({
        "Large": { "type": "string", "description": long() },
        "Alias": { "$ref": "#/components/schemas/Large" },
    });
    check_with(
        schema,
        others,
        json!({
            "properties": {
                "a": { "$ref": "#/$defs/Large" },
                "b": { "$ref": "#/$defs/Large", "title": "T" },
                "c": { "$ref": "#/$defs/Large" },
            },
            "$defs": { "Large": { "type": "string", "description": long() } },
        }),
    );
}

#[test]
fn recursion_stays_usable() {
    let schema = json!({ "$ref": "#/components/schemas/Node" });
    let others = json!({ "Node": { "type": "object", "properties": {
        "v": { "type": "string" }, "next": { "$ref": "#/components/schemas/Node" },
    } } });
    let node = json!({ "type": "object", "properties": {
        "v": { "type": "string" }, "next": { "$ref": "#/$defs/Node" },
    } });
    let mut expected = node.clone();
    expected["$defs"] = json!({ "Node": node });
    check_with(schema.clone(), others.clone(), expected);
    let result = run("3.1.0", &schema, &others, Direction::Input).unwrap();
    let valid = json!({ "v": "a", "next": { "v": "b", "next": {} } });
    check_accepts(&result, &[valid], &[json!({ "next": { "next": { "v": 1 } } })]);
}

#[test]
fn mutual_recursion_defines_one_of_the_two() {
    let schema = json!({ "properties": { "b": { "$ref": "#/components/schemas/B" } } });
    let others = json!({
        "A": { "properties": { "b": { "$ref": "#/components/schemas/B" } } },
        "B": { "properties": { "a": { "$ref": "#/components/schemas/A" } } },
    });
    check_with(
        schema,
        others,
        json!({
            "properties": { "b": { "$ref": "#/$defs/B" } },
            "$defs": { "B": { "properties": {
                "a": { "properties": { "b": { "$ref": "#/$defs/B" } } },
            } } },
        }),
    );
}

#[test]
fn names_are_clean_short_and_unique() {
    let large = |title: &str| json!({ "title": title, "description": long() });
    let name = "a/b c".to_owned() + &"x".repeat(60);
    let reference =
        |name: &str| json!({ "$ref": format!("#/components/schemas/{}", name.replace('/', "~1")) });
    let uses = [&name, "N", "N/N", &name, "N", "N/N"].map(reference);
    let schema = json!({ "prefixItems": uses });
    let others = json!({ name.clone(): large("1"), "N": large("2"), "N/N": {
        "properties": { "N": large("3"), "r": { "$ref": "#/components/schemas/N~1N/properties/N" } },
    } });
    let result = run("3.1.0", &schema, &others, Direction::Input).unwrap();
    let names: Vec<_> = result["$defs"].as_object().unwrap().keys().cloned().collect();
    assert_eq!(names, [format!("a_1b_c{}", "x".repeat(42)), "N".to_owned(), "N_1N".to_owned()]);
}

#[test]
fn what_stands_beside_a_reference_holds_too() {
    let cases = [
        // an annotation replaces that of the target
        (
            json!({ "description": "own" }),
            json!({ "type": "object", "properties": { "a": {} }, "description": "own" }),
        ),
        // assertions that do not interfere stand side by side
        (
            json!({ "minProperties": 1 }),
            json!({ "type": "object", "properties": { "a": {} }, "description": "d", "minProperties": 1 }),
        ),
        (
            json!({ "properties": { "b": {} }, "required": ["b"] }),
            json!({ "type": "object", "properties": { "a": {}, "b": {} }, "description": "d", "required": ["b"] }),
        ),
        // others keep their own scope
        (
            json!({ "additionalProperties": false }),
            json!({ "additionalProperties": false, "allOf": [
                { "type": "object", "properties": { "a": {} }, "description": "d" },
            ] }),
        ),
    ];
    for (siblings, expected) in cases {
        let mut schema = siblings.clone();
        schema["$ref"] = json!("#/components/schemas/T");
        let others =
            json!({ "T": { "type": "object", "properties": { "a": {} }, "description": "d" } });
        let schema = json!({ "items": schema });
        let result = run("3.1.0", &schema, &others, Direction::Input).unwrap();
        assert_eq!(result, json!({ "items": expected }), "{siblings}");
    }
}

#[test]
fn references_that_never_enter_the_value_are_problems() {
    let cases = [
        json!({ "$ref": "#/components/schemas/S" }),
        json!({ "allOf": [{ "$ref": "#/components/schemas/S" }] }),
        json!({ "anyOf": [{ "type": "string" }, { "not": { "$ref": "#/components/schemas/S" } }] }),
        json!({ "if": { "$ref": "#/components/schemas/S" } }),
        json!({ "$ref": "#/components/schemas/Other", "title": "t" }),
        json!({ "dependentSchemas": { "a": { "$ref": "#/components/schemas/S" } } }),
    ];
    let others = json!({ "Other": { "allOf": [{ "$ref": "#/components/schemas/S" }] } });
    for schema in cases {
        let problems = run("3.1.0", &schema, &others, Direction::Input).unwrap_err();
        assert!(!problems.is_empty());
        for problem in problems {
            assert!(problem.at.ends_with("/$ref"), "{problem}");
            let expected = ["never end", "in a circle"];
            assert!(expected.iter().any(|text| problem.message.contains(text)), "{problem}");
        }
    }
}

#[test]
fn expansion_is_never_exponential() {
    let mut others = Map::new();
    for level in 0..60 {
        let next = json!({ "$ref": format!("#/components/schemas/L{}", level + 1) });
        let schema = json!({ "properties": { "a": next, "b": next, "c": next } });
        others.insert(format!("L{level}"), schema);
    }
    others.insert("L60".to_owned(), json!({ "type": "string" }));
    let schema = json!({ "$ref": "#/components/schemas/L0" });
    let result = run("3.1.0", &schema, &Value::Object(others), Direction::Input).unwrap();
    let size = result.to_string().len();
    assert!(size < 30_000, "{size}");
}

#[test]
fn long_chains_nest_no_deeper_than_a_parser_allows() {
    let mut others = Map::new();
    for level in 0..3_000 {
        let next = json!({ "$ref": format!("#/components/schemas/L{}", level + 1) });
        others.insert(format!("L{level}"), json!({ "properties": { "n": next } }));
    }
    others.insert("L3000".to_owned(), json!({ "type": "string" }));
    let schema = json!({ "$ref": "#/components/schemas/L0" });
    let document = document("3.1.0", &schema, &Value::Object(others));
    let result = extract(&document, &node(&document, "S"), Direction::Input).unwrap();
    let text = result.to_string();
    assert!(serde_json::from_str::<Value>(&text).is_ok());
}

#[test]
fn dynamic_references_lead_to_the_outermost_anchor() {
    let others = json!({
        "Page": {
            "$id": "https://ids.test/page",
            "type": "object",
            "properties": { "items": { "type": "array", "items": { "$dynamicRef": "#item" } } },
            "$defs": { "any": { "$dynamicAnchor": "item", "not": {} } },
        },
        "UserPage": {
            "$id": "https://ids.test/user-page",
            "$ref": "page",
            "$defs": { "user": { "$dynamicAnchor": "item", "type": "string" } },
        },
    });
    let schema = json!({ "properties": {
        "p": { "$ref": "#/components/schemas/Page" }, "u": { "$ref": "#/components/schemas/UserPage" },
    } });
    let result = run("3.1.0", &schema, &others, Direction::Input).unwrap();
    let valid = [json!({ "u": { "items": ["a"] } }), json!({ "p": { "items": [] } })];
    let invalid = [json!({ "u": { "items": [1] } }), json!({ "p": { "items": ["a"] } })];
    check_accepts(&result, &valid, &invalid);
}

#[test]
fn recursive_references_lead_to_the_nearest_anchor() {
    let schema = json!({ "properties": { "filter": { "$ref": "#/components/schemas/Filter" } } });
    let others = json!({ "Filter": {
        "$recursiveAnchor": true, "type": "object",
        "properties": { "all": { "items": { "$recursiveRef": "#" } } },
    } });
    let result = run("3.1.0", &schema, &others, Direction::Input).unwrap();
    let valid = json!({ "filter": { "all": [{ "all": [{}] }] } });
    check_accepts(&result, &[valid], &[json!({ "filter": { "all": [{ "all": [7] }] } })]);
}

#[test]
fn recursive_references_without_an_anchor_lead_to_the_schema_resource() {
    let schema = json!({ "properties": { "filter": { "$ref": "#/components/schemas/Filter" } } });
    let others = json!({ "Filter": {
        "$id": "https://schemas.test/filter", "type": "object",
        "properties": { "all": { "items": { "$recursiveRef": "#" } } },
    } });
    let result = run("3.1.0", &schema, &others, Direction::Input).unwrap();
    let valid = json!({ "filter": { "all": [{ "all": [{}] }] } });
    check_accepts(&result, &[valid], &[json!({ "filter": { "all": [{ "all": [7] }] } })]);
    let bare = json!({ "properties": { "a": { "$recursiveRef": "#" } } });
    let result = run("3.1.0", &bare, &json!({}), Direction::Input).unwrap();
    check_accepts(&result, &[json!({ "a": 1 })], &[]);
}

#[test]
fn schemas_of_one_bundle_share_their_definitions() {
    let schema = json!({ "properties": { "a": { "$ref": "#/components/schemas/Large" } } });
    let document = document("3.1.0", &schema, &json!({ "Large": { "description": long() } }));
    let nodes = [node(&document, "S"), node(&document, "S")];
    let bundle = extract_all(&document, &nodes, Direction::Input).unwrap();
    let expected = json!({ "properties": { "a": { "$ref": "#/$defs/Large" } } });
    assert_eq!(bundle.schemas, [expected.clone(), expected]);
    assert_eq!(bundle.definitions.len(), 1);
}

#[test]
fn references_that_double_are_refused() {
    let doubling = |keyword: &str, length: usize| {
        let others = (0..length).map(|i| {
            let next = json!({ "$ref": format!("#/components/schemas/S{}", i + 1) });
            (
                format!("S{i}"),
                match keyword {
                    "properties" => {
                        json!({ "type": "object", "properties": { "a": next, "b": next } })
                    }
                    "nested" => json!({ "properties": { "a": { "allOf": [next, next] } } }),
                    "items" => json!({ "items": next, "contains": next }),
                    _ => json!({ keyword: [next, next] }),
                },
            )
        });
        let mut others: Map<String, Value> = others.collect();
        others.insert(format!("S{length}"), json!({ "description": long() }));
        let schema = json!({ "$ref": "#/components/schemas/S0" });
        run("3.1.0", &schema, &Value::Object(others), Direction::Input)
    };
    for keyword in ["allOf", "anyOf", "oneOf", "nested", "items"] {
        let problems = doubling(keyword, 90).unwrap_err();
        assert!(problems[0].message.contains("repeat each other"), "{keyword}: {problems:?}");
        assert!(doubling(keyword, 8).is_ok(), "{keyword}");
    }
    assert!(doubling("properties", 90).is_ok());
}
