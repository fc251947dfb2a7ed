use serde_json::{Value, json};

use super::{super::*, cases, check_refused, document, read};

/// Problems as `pointer: message`, for reading.
fn printed(document: &Value) -> Vec<String> {
    check(document).iter().map(ToString::to_string).collect()
}

/// Cases that another part refuses: a version of OpenAPI, a name, a body.
fn decided_here(case: &Value) -> bool {
    case["refused"].as_array().is_none_or(|places| places.iter().all(|place| place["at"] != ""))
}

#[track_caller]
fn golden(file: &str, count: usize) {
    let cases: Vec<_> = cases(file).into_iter().filter(decided_here).collect();
    assert_eq!(cases.len(), count);
    for case in &cases {
        let title = case["title"].as_str().unwrap();
        check_refused(title, &case["refused"], &check(&case["doc"]));
    }
}

#[test]
fn every_golden_offence_is_located_and_named() {
    golden("14-vocabulary-errors.json", 51);
    golden("20-next-views-bodyfields.json", 9);
    golden("20b-next-linked-skills.json", 5);
}

#[test]
fn a_foreign_vocabulary_is_refused() {
    let case = read("cases/20-foreign-x-agent-vocabulary.json");
    let problems = check(&case["doc"]);
    let places: Vec<_> = problems.iter().map(|problem| problem.at.as_str()).collect();
    assert_eq!(
        places,
        [
            "/x-agent/erc8004AgentId",
            "/x-agent/payment",
            "/paths/~1orders/get/x-agent/effect",
            "/paths/~1orders/get/x-agent/expose",
            "/paths/~1orders/get/x-agent/pa",
        ]
    );
}

/// `place` is a JSON Pointer; objects and arrays are made on the way to it.
fn at(place: &str, value: Value) -> Value {
    place.rsplit('/').filter(|segment| !segment.is_empty()).fold(value, |value, segment| {
        let segment = segment.replace("~1", "/");
        match segment.parse::<usize>() {
            Ok(0) => json!([value]),
            _ => json!({ segment: value }),
        }
    })
}

#[test]
fn annotations_are_checked_wherever_they_have_a_meaning() {
    let schema = "/components/schemas/S";
    for place in [
        "",
        "/tags/0",
        "/paths/~1a/get",
        "/paths/~1a/query",
        "/paths/~1a/additionalOperations/COPY",
        "/paths/~1a/parameters/0",
        "/paths/~1a/get/parameters/0",
        "/paths/~1a/get/parameters/0/content/application~1json/schema",
        "/paths/~1a/get/requestBody/content/text~1plain/schema",
        "/paths/~1a/get/requestBody/content/m/encoding/p/headers/h/schema",
        "/paths/~1a/get/responses/default/content/m/schema",
        "/paths/~1a/get/responses/default/content/m/itemSchema",
        "/paths/~1a/get/responses/2XX/headers/h/schema",
        "/paths/~1a/get/callbacks/c/{$url}/post/parameters/0",
        "/webhooks/w/post/parameters/0",
        "/components/parameters/p",
        "/components/pathItems/i/get",
        "/components/callbacks/c/{$url}/post/parameters/0",
        "/components/requestBodies/b/content/m/schema",
        "/components/responses/r/content/m/schema",
        "/components/headers/h/schema",
        "/components/mediaTypes/m/schema",
        "/components/schemas/x-agent",
    ] {
        refuses(place);
    }
    for keyword in [
        "additionalItems",
        "additionalProperties",
        "contains",
        "contentSchema",
        "else",
        "if",
        "items",
        "items/0",
        "not",
        "propertyNames",
        "then",
        "unevaluatedItems",
        "unevaluatedProperties",
        "allOf/0",
        "anyOf/0",
        "oneOf/0",
        "prefixItems/0",
        "$defs/a",
        "definitions/a",
        "dependencies/a",
        "dependentSchemas/a",
        "patternProperties/a",
        "properties/a",
        "properties/x-agent",
    ] {
        refuses(&format!("{schema}/{keyword}"));
    }
}

#[track_caller]
fn refuses(place: &str) {
    let problems = check(&at(&format!("{place}/x-agent"), json!({ "bogus": 1 })));
    assert_eq!(problems.len(), 1, "{place}: {problems:?}");
    assert_eq!(problems[0].at, format!("{place}/x-agent/bogus"));
    assert!(problems[0].message.starts_with("unknown field `bogus`"), "{}", problems[0]);
}

#[test]
fn annotations_without_a_meaning_are_refused() {
    for place in [
        "/info",
        "/info/contact",
        "/servers/0",
        "/paths",
        "/paths/~1a",
        "/paths/~1a/get/requestBody",
        "/paths/~1a/get/responses",
        "/paths/~1a/get/responses/200",
        "/paths/~1a/get/responses/200/content/m",
        "/components",
        "/components/headers/h",
        "/webhooks/w/post",
        "/webhooks/w/additionalOperations/COPY",
        "/paths/~1a/get/callbacks/c/{$url}/post",
        "/components/callbacks/c/{$url}/query",
        "/components/securitySchemes/s",
        "/components/schemas/S/discriminator",
    ] {
        let problems = check(&at(&format!("{place}/x-agent"), json!({})));
        assert_eq!(problems.len(), 1, "{place}: {problems:?}");
        assert_eq!(problems[0].at, format!("{place}/x-agent"));
        assert!(problems[0].message.contains("has no meaning here"), "{}", problems[0]);
    }
}

#[test]
fn data_is_not_an_annotation() {
    for place in [
        "/x-extension",
        "/paths/x-extension",
        "/paths/~1a/get/x-extension",
        "/paths/~1a/get/responses/x-extension",
        "/components/examples/e/value",
        "/components/schemas/S/example",
        "/components/schemas/S/examples/0",
        "/components/schemas/S/default",
        "/components/schemas/S/const",
        "/components/schemas/S/enum/0",
        "/components/schemas/S/x-extension",
        "/components/parameters/p/example",
        "/components/parameters/p/examples/e/value",
        "/components/responses/r/content/m/example",
        "/paths/~1a/get/x-agent/fixed",
        "/paths/~1a/get/x-agent/examples/0",
    ] {
        let problems = check(&at(&format!("{place}/x-agent"), json!({ "bogus": 1 })));
        assert!(problems.is_empty(), "{place}: {problems:?}");
    }
}

#[test]
fn a_property_called_like_the_key_is_a_property() {
    let schema = json!({ "properties": { "x-agent": { "type": "string" } } });
    assert_eq!(check(&json!({ "components": { "schemas": { "S": schema } } })), []);
}

#[test]
fn places_that_only_a_reference_reaches_are_checked_once() {
    let node = json!({ "x-agent": { "bogus": 1 }, "items": { "$ref": "#/x-shared/a~1b" } });
    let document = json!({
        "paths": { "/a": { "get": { "responses": { "200": { "content": { "m": {
            "schema": { "oneOf": [{ "$ref": "#/x-shared/a~1b" }, { "$ref": "#/x-shared/a~1b/items" },
                                  { "$ref": "#/components/schemas/S" }, { "$ref": "#/missing" }] }
        } } } } } } },
        "components": { "schemas": { "S": { "$ref": "#/paths/~1a/get/responses/200" } } },
        "x-shared": { "a/b": node },
    });
    let problems = check(&document);
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert_eq!(problems[0].at, "/x-shared/a~1b/x-agent/bogus");
}

#[test]
fn offences_of_the_whole_document_come_together_in_document_order() {
    let document = json!({
        "tags": [{ "name": "t", "x-agent": { "skills": "x" } }],
        "paths": { "/a": { "get": { "x-agent": { "name": "A", "body": "full", "nmae": "x" } } } },
        "x-agent": { "profiles": { "a": { "includes": ["b"] } }, "skills": [{}] },
    });
    assert_eq!(
        printed(&document),
        [
            "/tags/0/x-agent/skills: unknown field `skills`, perhaps `skill`; known fields: \
             `profiles` and `skill`",
            "/paths/~1a/get/x-agent/body: expected `flat` or `compact`; found the text `full`",
            "/paths/~1a/get/x-agent/name: expected one or more lower-case letters, digits and `_` \
             (`^[a-z0-9_]+$`); found the text `A`",
            "/paths/~1a/get/x-agent/nmae: unknown field `nmae`, perhaps `name`; known fields: \
             `profiles`, `name`, `title`, `description`, `examples`, `annotations`, `params`, \
             `fixed`, `body`, `bodyFields`, `response` and `editor`",
            "/x-agent/skills/0: the required field `name` is missing",
            "/x-agent/skills/0: the required field `description` is missing",
            "/x-agent/profiles/a/includes/0: profile `a` includes `b`, which is not declared; \
             declared: `a`",
        ]
    );
}

#[test]
fn a_skill_has_one_text_and_a_short_description_beside_it() {
    let long = "é".repeat(1025);
    let fits = json!({ "name": "s", "description": "é".repeat(1024), "href": "a" });
    assert!(check(&document(&json!({ "skills": [fits] }))).is_empty());
    let alone = json!({ "name": "s", "description": long });
    assert!(check(&document(&json!({ "skills": [alone] }))).is_empty());
    let both = json!({ "name": "s", "description": { "en": long }, "href": "a", "body": "b" });
    assert_eq!(
        printed(&document(&json!({ "skills": [both] }))),
        [
            "/x-agent/skills/0/body: a skill has `body` or `href`, not both; remove one of them",
            "/x-agent/skills/0/description/en: expected at most 1024 characters; found 1025",
        ]
    );
}

#[test]
fn one_view_needs_no_name_and_several_need_one_each() {
    let operation = |views: Value| json!({ "paths": { "/a": { "get": { "x-agent": views } } } });
    assert!(check(&operation(json!([{}]))).is_empty());
    assert_eq!(
        printed(&operation(json!([{ "name": "a" }, {}, { "name": "a" }]))),
        [
            "/paths/~1a/get/x-agent/1: each of several views needs a `name` of its own",
            "/paths/~1a/get/x-agent/2/name: `a` is already the name of view 0 of this operation; \
             every view needs a name of its own",
        ]
    );
}

#[test]
fn the_number_of_problems_is_limited() {
    let unknown: serde_json::Map<_, _> =
        (0..2000).map(|index| (format!("k{index}"), json!(1))).collect();
    let problems = check(&document(&Value::Object(unknown)));
    assert_eq!(problems.len(), 501);
    assert!(problems[500].message.starts_with("only the first 500"));
}

#[test]
fn slices_give_the_same_problems_as_the_whole() {
    let items: serde_json::Map<_, _> = (0..3000)
        .map(|index| (format!("/p{index}"), json!({ "get": { "responses": { "200": {} } } })))
        .collect();
    let mut document = json!({ "paths": items });
    document["paths"]["/p2999"]["get"]["x-agent"] = json!({ "zz": 1 });
    let mut checker = Checker::new(&document);
    let mut steps = 1;
    while checker.step() {
        steps += 1;
    }
    assert!(steps > 10, "{steps}");
    assert_eq!(checker.finish(), check(&document));
}

#[test]
fn anything_that_is_no_document_is_harmless() {
    for value in [json!(null), json!([{ "x-agent": 1 }]), json!("x"), json!({ "paths": [1] })] {
        assert!(check(&value).is_empty());
    }
}

#[test]
fn the_schema_is_valid_and_describes_an_annotated_document() {
    let schema: Value = serde_json::from_str(SCHEMA).unwrap();
    assert!(jsonschema::meta::is_valid(&schema));
    let whole = jsonschema::draft202012::new(&schema).unwrap();
    for case in cases("14-vocabulary-errors.json") {
        let refused = !case["refused"].is_null() && decided_here(&case);
        let here = !case["title"].as_str().unwrap().starts_with("NOT validated: info");
        if here {
            assert_eq!(!whole.is_valid(&case["doc"]), refused, "{}", case["title"]);
        }
    }
}
