//! Schemas that are large, deep, circular, or nonsense.

use std::fmt::Write as _;

use proptest::prelude::*;
use serde_json::{Map, json};

use super::*;

/// The place and message of the refusal.
#[track_caller]
fn refused(schema: &Value) -> String {
    match compile(schema, &CompileOptions::default()) {
        Ok(layout) => panic!("compiled to {} nodes", layout.nodes().len()),
        Err(problems) => problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "),
    }
}

fn nested(levels: usize) -> Value {
    (0..levels)
        .fold(json!({ "type": "string" }), |inner, _| json!({ "properties": { "p": inner } }))
}

/// `count` definitions, each made of the place of the next one.
fn chain(count: usize, link: impl Fn(&str) -> Value) -> Value {
    let definitions: Map<String, Value> =
        (0..count).map(|n| (format!("d{n}"), link(&format!("#/$defs/d{}", n + 1)))).collect();
    let mut definitions = definitions;
    definitions.insert(format!("d{count}"), json!({ "type": "string" }));
    json!({ "properties": { "f": { "$ref": "#/$defs/d0" } }, "$defs": definitions })
}

#[test]
fn references_that_cannot_be_followed_are_refused_at_their_place() {
    for (reference, shown) in [
        ("http://other/schema", "http://other/schema"),
        ("#/$defs/missing", "#/$defs/missing"),
        ("#nothing", "#nothing"),
        ("#/type/0", "#/type/0"),
        ("\u{7}", ""),
    ] {
        let schema = json!({ "type": ["object"], "properties": { "a": { "$ref": reference } } });
        let message = format!(
            "/properties/a/$ref: the reference `{shown}` leads nowhere, expected a place within this \
             schema"
        );
        assert_eq!(refused(&schema), message);
    }
}

#[test]
fn circles_that_never_enter_the_value_are_refused() {
    let endless = "the reference leads back to its own schema without entering the value, so \
                   validation would never end";
    for (schema, at) in [
        (json!({ "$ref": "#" }), "/$ref"),
        (json!({ "allOf": [{ "$ref": "#" }] }), "/allOf/0/$ref"),
        (
            json!({ "properties": { "a": { "$ref": "#/$defs/b" } }, "$defs": {
                "b": { "$ref": "#/$defs/c" }, "c": { "$ref": "#/$defs/b" } } }),
            "/properties/a/$ref/$ref/$ref",
        ),
        (
            json!({ "properties": { "p": { "allOf": [{ "$ref": "#" }] } }, "not": { "$ref": "#/properties/p" } }),
            "/not/$ref/allOf/0/$ref",
        ),
    ] {
        assert_eq!(refused(&schema), format!("{at}: {endless}"));
    }
}

#[test]
fn recursion_into_the_value_makes_a_finite_form() {
    let schema = json!({ "$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Node",
        "properties": {
            "child": { "$ref": "#" },
            "items": { "type": "array", "items": { "$ref": "#" } },
            "any": { "type": "object", "oneOf": [{ "$ref": "#" }, { "title": "Leaf" }] },
        } });
    let layout = layout(&schema);
    assert!(layout.nodes().len() < 20, "{}", layout.nodes().len());
    let child = layout.nodes().iter().find(|node| node.key == "child").unwrap();
    assert!(child.recursive);
    assert!(child.children.iter().any(|id| layout.node(*id).key == "child"));
}

#[test]
fn bombs_of_references_do_not_go_off() {
    // applies 2³⁰ schemas to one value
    let schema = chain(30, |next| json!({ "allOf": [{ "$ref": next }, { "$ref": next }] }));
    assert!(refused(&schema).ends_with("more than 5000 schemas describe one value"));
    // 2³⁰ fields, of 31 places
    let schema =
        chain(30, |next| json!({ "properties": { "a": { "$ref": next }, "b": { "$ref": next } } }));
    assert!(layout(&schema).nodes().len() < 100);
    // one after the other
    let schema = chain(5_000, |next| json!({ "$ref": next }));
    assert!(
        refused(&schema).ends_with("more than 100 schemas and references lead into one another")
    );
    let schema = chain(5_000, |next| json!({ "properties": { "a": { "$ref": next } } }));
    assert!(
        refused(&schema).ends_with("more than 100 schemas and references lead into one another")
    );
    let schema = chain(45, |next| json!({ "properties": { "a": { "$ref": next } } }));
    assert!(refused(&schema).ends_with("more levels of fields than a form may have"));
}

#[test]
fn size_is_limited_in_every_direction() {
    let properties = |count: usize, schema: Value| {
        let all: Map<String, Value> =
            (0..count).map(|n| (format!("p{n}"), schema.clone())).collect();
        json!({ "type": "object", "properties": all })
    };
    assert_eq!(layout(&properties(10_000, json!({ "type": "string" }))).nodes().len(), 10_001);
    assert!(refused(&properties(40_000, json!({}))).contains("the schema is too large"));
    assert!(refused(&nested(50)).ends_with("more levels of fields than a form may have"));
    layout(&nested(35));

    let with_definition = |definition: Value| {
        let mut schema = properties(20_000, json!({ "$ref": "#/$defs/d" }));
        schema["$defs"] = json!({ "d": definition });
        schema
    };
    let values: Vec<usize> = (0..10_000).collect();
    for definition in [
        json!({ "type": "integer", "enum": values }),
        json!({ "type": "string", "description": "x".repeat(100_000) }),
        json!({ "type": "string", "default": "x".repeat(100_000) }),
        json!({ "type": "string", "pattern": "x".repeat(100_000) }),
    ] {
        assert!(refused(&with_definition(definition)).ends_with("more text than a form may have"));
    }
    let condition =
        json!({ "type": "string", "layout": { "if": format!("data{}", ".a".repeat(800)) } });
    let message = refused(&with_definition(condition));
    assert!(message.ends_with("more expressions than a form may have"), "{message}");
    let names = properties(2_000, json!({ "type": "string" }));
    let message = refused(&with_definition(names));
    assert!(message.ends_with("more properties than a form may have"), "{message}");
    let untyped: Vec<Value> = vec![json!({ "minLength": 1 }); 4_000];
    layout(&with_definition(json!({ "allOf": untyped })));
}

#[test]
fn a_wide_schema_is_compiled_in_linear_time() {
    let mut text = String::from("{\"type\":\"object\",\"properties\":{");
    for n in 0..10_000 {
        write!(
            text,
            "\"p{n}\":{{\"type\":\"string\",\"title\":\"T{n}\",\"x-i18n-title\":{{\"en\":\"E\"}}}},"
        )
        .unwrap();
    }
    text.push_str("\"last\":{}}}");
    let schema = crate::json::parse(text.as_bytes()).unwrap();
    assert_eq!(layout(&prepare(&schema)).nodes().len(), 10_002);
}

/// A value that is somewhat like a schema.
fn schemas() -> impl Strategy<Value = Value> {
    let keyword = prop_oneof![
        Just("type"),
        Just("properties"),
        Just("items"),
        Just("prefixItems"),
        Just("allOf"),
        Just("anyOf"),
        Just("oneOf"),
        Just("if"),
        Just("then"),
        Just("else"),
        Just("$ref"),
        Just("const"),
        Just("enum"),
        Just("default"),
        Just("required"),
        Just("layout"),
        Just("title"),
        Just("description"),
        Just("dependencies"),
        Just("dependentSchemas"),
        Just("patternProperties"),
        Just("children"),
        Just("comp"),
        Just("switch"),
        Just("getItems"),
        Just("url"),
        Just("expr"),
        Just("oneOfLayout"),
        Just("discriminator"),
        Just("$defs"),
        Just("x-i18n-title"),
        Just("x-display"),
        Just("x-if"),
        Just("x-fromUrl"),
        Just("a"),
        Just("readOnly"),
        Just("format"),
        Just("examples"),
        Just("minItems"),
        Just("$id"),
        Just("separator"),
        Just("options"),
        Just("nullable"),
        Just("exclusiveMinimum"),
    ];
    let leaf = prop_oneof![
        Just(json!(null)),
        Just(json!(true)),
        Just(json!(0)),
        Just(json!("string")),
        Just(json!("object")),
        Just(json!("array")),
        Just(json!("integer")),
        Just(json!("#")),
        Just(json!("#/properties/a")),
        Just(json!("#/$defs/a")),
        Just(json!("a")),
        Just(json!("tabs")),
        Just(json!("list")),
        Just(json!("data.a ? `${b}` : 1")),
        Just(json!("$allOf-0")),
        Just(json!(["object", "null"])),
        Just(json!(["string", "a"])),
        Just(json!("<b>*x*</b> [l](u) &amp; _")),
        ".{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 80, 6, move |inner| {
        prop_oneof![
            1 => proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            4 => proptest::collection::vec((keyword.clone(), inner), 0..6).prop_map(|entries| {
                entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
            }),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3_000))]

    #[test]
    fn any_schema_is_compiled_or_refused_without_a_panic(schema in schemas()) {
        for schema in [prepare(&schema), schema] {
            let options = CompileOptions { locale: "fr-CA", ..CompileOptions::default() };
            match compile(&schema, &options) {
                Ok(compiled) => {
                    for node in compiled.nodes() {
                        let children = node.children.iter().map(|id| id.index());
                        prop_assert!(children.into_iter().all(|id| id < compiled.nodes().len()));
                        for pointer in &node.pointers {
                            prop_assert!(compiled.schema().pointer(pointer).is_some(), "{}", pointer);
                        }
                    }
                    for tree in compiled.trees() {
                        prop_assert!(tree.root.index() < compiled.nodes().len());
                        prop_assert!(compiled.schema().pointer(&tree.pointer).is_some());
                    }
                    let again = compile(&schema, &options).unwrap();
                    prop_assert_eq!(outline(&again), outline(&compiled));
                }
                Err(problems) => prop_assert!(!problems.is_empty()),
            }
        }
    }
}

#[test]
fn the_deepest_schemas_and_expressions_need_little_stack() {
    let work = || {
        layout(&nested(35));
        let deep = chain(38, |next| json!({ "properties": { "a": { "$ref": next } } }));
        layout(&deep);
        let in_place = chain(38, |next| json!({ "allOf": [{ "$ref": next }] }));
        layout(&in_place);
        let source = "(f => f(f))(f => [f(f)].map(x => `${x}`))";
        let schema = json!({ "type": "string", "layout": { "if": source } });
        let layout = layout(&schema);
        let fuel = crate::editor::expression::Fuel::new(1_000_000);
        let scope = crate::editor::expression::Scope {
            data: None,
            root: None,
            parent: None,
            context: None,
            read_only: false,
            summary: false,
            fuel: &fuel,
        };
        let condition = layout.nodes()[0].cases[0].condition.as_ref().unwrap();
        assert!(!condition.holds(&scope));
    };
    std::thread::Builder::new().stack_size(1 << 20).spawn(work).unwrap().join().unwrap();
}
