use proptest::prelude::*;
use serde_json::{Value, json};

use super::{super::*, load};
use crate::json::Pointer;

/// JSON made of the vocabulary's own names, so that it often goes deep.
fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "[a-z'\" é\n-]{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 5, |inner| {
        let key = prop_oneof![
            Just("x-agent"),
            Just("name"),
            Just("description"),
            Just("profiles"),
            Just("includes"),
            Just("skills"),
            Just("tools"),
            Just("href"),
            Just("body"),
            Just("params"),
            Just("enum"),
            Just("response"),
            Just("detailed"),
            Just("editor"),
            Just("$ref"),
            Just("properties"),
        ];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((key, inner), 0..5).prop_map(|entries| {
                entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
            }),
        ]
    })
}

proptest! {
    #[test]
    fn any_annotation_is_read_and_checked_the_same_way_twice(root in value(), operation in value()) {
        let document = json!({
            "x-agent": root,
            "tags": [{ "name": "t", "x-agent": operation }, operation],
            "paths": { "/a": { "get": { "tags": ["t"], "x-agent": operation, "parameters": [operation] } } },
            "components": { "schemas": { "S": operation } },
        });
        prop_assert_eq!(check(&document), check(&document));
        let case = json!({ "doc": document, "options": {} });
        if let Ok(loaded) = load(&case) {
            let rendered = loaded.render("fr-CA", &[]);
            prop_assert!(rendered.skills.iter().all(|file| !file.description.is_empty()));
        }
        for problem in check(&document) {
            prop_assert!(!problem.message.contains('\n'), "{}", problem);
        }
    }

    #[test]
    fn any_description_is_linted(description in "[a-c'\" é,\\[\n]{0,40}", schema in value()) {
        let pointer = Pointer::root();
        let subject = lint::Subject { tool: "t", argument: "a", description: &description, schema: &schema, pointer: &pointer };
        prop_assert!(lint::check(&subject).len() <= 3);
    }
}
