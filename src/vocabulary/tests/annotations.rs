use serde_json::json;

use super::super::*;
use crate::json::Pointer;

#[track_caller]
fn picks(value: &serde_json::Value, locale: &str, expected: &str) {
    assert_eq!(Localized::read(value).unwrap().pick(locale), expected, "{locale}");
}

#[test]
fn a_text_is_picked_by_exact_tag_then_base_language_then_first_declared() {
    picks(&json!("plain"), "fr", "plain");
    let both = json!({"de": "d", "fr": "f", "fr-CH": "ch", "zh-Hant": "h"});
    picks(&both, "fr-CH", "ch");
    picks(&both, "FR-ch", "ch");
    picks(&both, "fr-CA", "f");
    picks(&both, "zh-Hant-TW", "h");
    picks(&both, "en", "d");
    picks(&both, "", "d");
    picks(&json!({"fr-FR": "x", "en": "e"}), "fr", "x");
}

#[test]
fn the_operation_override_wins_for_each_key() {
    let parameter = json!({"name": "a", "exclude": true, "default": 1, "maximum": 5});
    let operation = json!({"exclude": false, "default": null, "required": true});
    let merged = ParamOverride::read(&parameter).merge(Some(&ParamOverride::read(&operation)));
    assert_eq!(merged.name.as_deref(), Some("a"));
    assert!(!merged.excluded());
    assert_eq!(merged.default, Some(json!(null)));
    assert_eq!(merged.maximum, Some(5.into()));
    assert_eq!(merged.required, Some(true));
}

#[test]
fn each_view_is_an_annotation_with_its_place() {
    let pointer = Pointer::root().join("x-agent");
    let one = OperationAnnotation::read_all(&json!({"name": "a"}), &pointer);
    assert_eq!(one[0].pointer.as_str(), "/x-agent");
    let two = OperationAnnotation::read_all(&json!([{"name": "a"}, {"name": "b"}]), &pointer);
    assert_eq!(two[1].pointer.as_str(), "/x-agent/1");
    assert_eq!(two[1].name.as_deref(), Some("b"));
}

#[test]
fn the_rows_key_is_unescaped() {
    let value = json!({"response": {"rows": "/a~1b~0c"}});
    let read = OperationAnnotation::read_all(&value, &Pointer::root());
    assert_eq!(read[0].response.rows.as_deref(), Some("a/b~c"));
}

#[test]
fn values_of_the_wrong_shape_read_as_absent() {
    for value in [json!(null), json!(3), json!("x"), json!([1]), json!({"x-agent": 3})] {
        let _ = Root::read(&value);
        let _ = TagAnnotation::read_all(&json!({"tags": value}));
        let _ = OperationAnnotation::read_all(&value, &Pointer::root());
        let _ = SchemaAnnotation::read(&value);
    }
    let wrong = json!({"profiles": 1, "name": [], "params": [], "response": 1, "editor": false,
        "examples": {}, "fixed": [], "body": 1, "bodyFields": {}, "annotations": 1});
    let read = OperationAnnotation::read_all(&wrong, &Pointer::root());
    let empty = OperationAnnotation::read_all(&json!({}), &Pointer::root());
    assert_eq!(read, empty);
}
