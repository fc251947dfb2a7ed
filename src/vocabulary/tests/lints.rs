use serde_json::{Value, json};

use super::{super::*, cases, operations};
use crate::json::Pointer;

/// The findings of the described parameters of a document, as tool, argument and code.
fn findings(document: &Value) -> Vec<[String; 3]> {
    let mut found = Vec::new();
    for operation in operations(document) {
        let none = Vec::new();
        for parameter in operation.value["parameters"].as_array().unwrap_or(&none) {
            let name = parameter["name"].as_str().unwrap();
            let params = &operation.annotation.params;
            let over = params.iter().find(|(key, _)| key == name).map(|(_, over)| over);
            let own = ParamOverride::read(&parameter[KEY]).merge(over);
            let Some(description) = &own.description else { continue };
            let mut schema = parameter["schema"].clone();
            if let Some(values) = &own.enumeration {
                schema["enum"] = json!(values);
            }
            let subject = lint::Subject {
                tool: &operation.name(""),
                argument: own.name.as_deref().unwrap_or(name),
                description: description.pick("en"),
                schema: &schema,
                pointer: &operation.annotation.pointer,
            };
            found.extend(
                lint::check(&subject).into_iter().map(|finding| {
                    [finding.tool, finding.argument, finding.code.as_str().to_owned()]
                }),
            );
        }
    }
    found
}

#[test]
fn every_golden_finding_is_made_and_no_other() {
    let cases = cases("13-lint.json");
    assert_eq!(cases.len(), 20);
    for case in cases.iter().filter(|case| case["options"]["lint"].is_null()) {
        let none = Vec::new();
        let expected: Vec<_> =
            case["refused"].as_array().unwrap_or(&none).iter().map(|f| &f["names"]).collect();
        assert_eq!(json!(findings(&case["doc"])), json!(expected), "{}", case["title"]);
    }
}

#[track_caller]
fn codes(description: &str, schema: &Value, expected: &[&str]) {
    let subject =
        lint::Subject { tool: "t", argument: "a", description, schema, pointer: &Pointer::root() };
    let found: Vec<_> = lint::check(&subject).iter().map(|f| f.code.as_str()).collect();
    assert_eq!(found, expected, "{description}");
}

#[test]
fn apostrophes_are_not_quotation_marks() {
    let array = json!({ "type": "array" });
    for text in [
        "the dataset's id and the user's name",
        "the users' ids and the owners' names",
        "l'identifiant d'un jeu et l'heure d'import",
        "concise: it's, b's. detailed: every field.",
        "rock 'n' roll's",
        "don't, can't",
        "the `dataset`'s id of the owners' list",
        "the (API)'s ids and the users' names",
        "the **name**'s start, the owners' end",
        "the `users`' names and the `owners`' lists",
        "since the '90s the users' choice",
        "‘typographic’ apostrophes aren’t quotation marks, the user’s neither",
    ] {
        let expected: &[&str] =
            if text.starts_with("rock") { &["scalar-example-for-array"] } else { &[] };
        codes(text, &array, expected);
    }
    codes("l'un de 'a' ou 'd'", &json!({ "enum": ["a"] }), &["quoted-value-not-in-enum"]);
    codes("one of ('s'), ['t'] or '90s'", &json!({ "enum": ["s", "t", "90s"] }), &[]);
    codes("one of ('s') or 'u'", &json!({ "enum": ["s"] }), &["quoted-value-not-in-enum"]);
    codes("one of 'it's' or \"b\"", &json!({ "enum": ["it's", "b"] }), &[]);
}

#[test]
fn quoted_values_are_paired_on_one_line() {
    let array = json!({ "type": "array" });
    codes("open \" only", &array, &[]);
    codes("\"over\ntwo lines\"", &array, &[]);
    codes("5\" and 6\" wide", &array, &[]);
    codes("nothing \"\" and \"\" here", &array, &[]);
    let long = format!("\"{}.\" or ", "k".repeat(70));
    codes(&long, &array, &[]);
    codes(&format!("{long}\"x\""), &array, &["scalar-example-for-array"]);
    codes("\"é\"", &json!({ "enum": ["é"] }), &[]);
}

#[test]
fn enumerated_values_are_compared_as_text() {
    let values = json!({ "enum": ["a", 1, true, null, 1.50] });
    codes("'a', '1', 'true' or 'null'", &values, &[]);
    codes("'2'", &values, &["quoted-value-not-in-enum"]);
}

#[test]
fn messages_say_what_to_write() {
    let schema = json!({ "type": "array", "items": { "enum": ["a", "b"] } });
    let pointer = Pointer::root().join("x-agent");
    let description = "\"z\", comma-separated";
    let subject =
        lint::Subject { tool: "t", argument: "p", description, schema: &schema, pointer: &pointer };
    let found: Vec<_> = lint::check(&subject).iter().map(|f| f.problem.to_string()).collect();
    assert_eq!(
        found,
        [
            "/x-agent: argument `p` of tool `t` is an array, but its description shows the single \
             value `z`; show an array such as `[\"z\"]` [scalar-example-for-array]",
            "/x-agent: argument `p` of tool `t` is an array, but its description says \
             comma-separated; ask for an array with one value per element [comma-separated-array]",
            "/x-agent: argument `p` of tool `t` does not allow `z`, which its description quotes; \
             allowed: `a` and `b` [quoted-value-not-in-enum]",
        ]
    );
}
