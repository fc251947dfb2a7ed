use proptest::prelude::*;
use proptest::strategy::ValueTree;

use super::*;

/// Which schemas are made up.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// With keywords of OpenAPI and older drafts, and with faults.
    Wild,
    /// Valid JSON Schema 2020-12 that means the same everywhere.
    Standard,
}

type Member = BoxedStrategy<(String, Value)>;

fn of(keys: &'static [&'static str], values: BoxedStrategy<Value>) -> Member {
    (prop::sample::select(keys).prop_map(str::to_owned), values).boxed()
}

fn one_of(values: Vec<Value>) -> BoxedStrategy<Value> {
    prop::sample::select(values).boxed()
}

/// Keywords with a value of the right kind.
fn standard(schema: BoxedStrategy<Value>) -> Member {
    let list = prop::collection::vec(schema.clone(), 1..3).prop_map(Value::Array).boxed();
    let names = prop::sample::select(&["a", "b", "^a"][..]).prop_map(str::to_owned);
    let map = prop::collection::vec((names, schema.clone()), 0..3)
        .prop_map(|pairs| Value::Object(pairs.into_iter().collect()))
        .boxed();
    let types = ["object", "array", "string", "integer", "number"].map(Value::from).to_vec();
    let references =
        ["#/components/schemas/S", "#/components/schemas/T", "#/components/schemas/T/properties/a"]
            .map(Value::from)
            .to_vec();
    let text = vec![json!("t"), json!(long())];
    prop_oneof![
        4 => of(&["type"], prop_oneof![
            3 => one_of(types), 1 => Just(json!(["object", "null", "array"])),
        ].boxed()),
        4 => of(&["$ref"], one_of(references)),
        3 => of(&["allOf", "anyOf", "oneOf", "prefixItems"], list),
        4 => of(&["properties", "patternProperties", "dependentSchemas"], map),
        3 => of(
            &["items", "additionalProperties", "not", "if", "then", "else", "propertyNames",
              "contains", "unevaluatedProperties", "unevaluatedItems"],
            schema,
        ),
        1 => of(&["uniqueItems", "additionalProperties"], any::<bool>().prop_map(Value::from).boxed()),
        2 => of(
            &["minimum", "exclusiveMaximum", "minLength", "maxItems", "minProperties"],
            (0u32..3).prop_map(Value::from).boxed(),
        ),
        1 => of(&["required", "enum", "examples"], Just(json!(["a", "b"])).boxed()),
        1 => of(&["description", "title"], one_of(text)),
        1 => of(&["const", "default"], one_of(vec![json!({ "a": [] }), json!("x"), json!(null)])),
    ]
    .boxed()
}

fn wild(schema: BoxedStrategy<Value>) -> Member {
    let discriminator = json!({ "propertyName": "a", "mapping": { "t": "T", "s": "S" } });
    let garbage =
        vec![json!(null), json!("("), json!([1]), json!({ "a": [] }), json!(-1), json!(2.0)];
    let list = prop::collection::vec(schema.clone(), 0..3).prop_map(Value::Array).boxed();
    prop_oneof![
        4 => of(
            &["nullable", "readOnly", "writeOnly", "exclusiveMinimum"],
            any::<bool>().prop_map(Value::from).boxed(),
        ),
        1 => of(&["items", "oneOf"], list),
        1 => of(&["additionalItems"], schema),
        2 => of(&["discriminator"], Just(discriminator).boxed()),
        1 => of(&["default", "example", "const", "enum", "pattern", "type", "minimum"], one_of(garbage)),
    ]
    .boxed()
}

fn schema(kind: Kind) -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        2 => Just(json!({ "type": "string", "maxLength": 3 })),
        1 => Just(json!({ "type": "object", "description": long() })),
        1 => any::<bool>().prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 40, 4, move |inner| {
        let inner = inner.boxed();
        let member = match kind {
            Kind::Standard => standard(inner),
            Kind::Wild => prop_oneof![3 => standard(inner.clone()), 1 => wild(inner)].boxed(),
        };
        prop::collection::vec(member, 0..5)
            .prop_map(|pairs| Value::Object(pairs.into_iter().collect()))
    })
}

fn for_each_pair(kind: Kind, mut body: impl FnMut(Value, Value)) {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    for _ in 0..1_500 {
        let mut draw = || schema(kind).new_tree(&mut runner).unwrap().current();
        body(draw(), draw());
    }
}

/// Whatever a schema is, the result is valid or there are problems with a place.
#[test]
fn the_result_is_valid_or_there_are_problems() {
    let (mut valid, mut faulty) = (0, 0);
    for_each_pair(Kind::Wild, |first, second| {
        for (version, way) in [("3.0.0", Direction::Input), ("3.1.0", Direction::Output)] {
            match run(version, &first, &json!({ "T": second }), way) {
                Ok(schema) => {
                    valid += 1;
                    let _ = validator(&schema).is_valid(&json!({ "a": [{ "a": {} }, "x", null] }));
                    validator(&portable(schema));
                }
                Err(problems) => {
                    faulty += 1;
                    assert!(problems.iter().all(|p| p.at.starts_with("/components/schemas/")));
                }
            }
        }
    });
    assert!(valid > 500 && faulty > 100, "{valid} valid, {faulty} faulty");
}

/// Translating and packing JSON Schema 2020-12 changes nothing about what is valid.
#[test]
fn the_result_accepts_what_the_source_accepts() {
    let instances = [
        json!({}),
        json!({ "a": 1 }),
        json!({ "a": { "a": "x" }, "b": [] }),
        json!({ "a": [{}], "c": 1 }),
        json!([]),
        json!([{ "a": {} }, "x", 2]),
        json!("x"),
        json!("long text"),
        json!(1),
        json!(null),
    ];
    let mut compared = 0;
    for_each_pair(Kind::Standard, |first, second| {
        let Ok(schema) = run("3.1.0", &first, &json!({ "T": second }), Direction::Input) else {
            return;
        };
        let source = json!({
            "$ref": "#/components/schemas/S", "components": { "schemas": { "S": first, "T": second } },
        });
        // a pointer through a reference is more than the validator follows
        let Ok(before) = jsonschema::draft202012::new(&source) else { return };
        let after = validator(&schema);
        for instance in &instances {
            assert_eq!(
                before.is_valid(instance),
                after.is_valid(instance),
                "{instance}\n{source}\n{schema}"
            );
            compared += 1;
        }
    });
    assert!(compared > 3_000, "{compared}");
}
