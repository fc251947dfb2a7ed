//! Structured results that are valid against the advertised `outputSchema` (MCP 2026-07-28,
//! "Structured Content"), whatever the API answers.

use std::fmt::Write;

use jsonschema::Validator;
use serde_json::{Map, Value};

use super::arguments::Validators;
use crate::pattern;
use crate::tool::{Content, Tool, ToolResult};

/// Rounds of leaving out what is wrong, each one level further out, before everything is.
const ROUNDS: usize = 3;
/// Places that a note names.
const NAMED: usize = 5;

/// Makes the structured content of a successful result valid.
///
/// Values of a type that the document does not allow are left out, list items become null, and a
/// note says where. An answer that is no JSON, or nothing of which is valid, gives `{}`, or null
/// where the schema wants no object.
pub fn conform(tool: &Tool, validators: &Validators, result: &mut ToolResult) {
    let (Some(schema), false) = (&tool.output_schema, result.is_error) else { return };
    let Some(validator) = validators.output(schema) else { return };
    pattern::bounded(|| mend(validator, result));
}

#[cold]
fn mend(validator: &Validator, result: &mut ToolResult) {
    match result.structured.take() {
        Some(value) if validator.is_valid(&value) => result.structured = Some(value),
        None | Some(Value::Null) => result.structured = Some(nothing(validator)),
        Some(mut value) => {
            let places = repair(validator, &mut value);
            result.content.push(Content::Text(note(&places)));
            result.structured = Some(value);
        }
    }
}

fn nothing(validator: &Validator) -> Value {
    let empty = Value::Object(Map::new());
    if validator.is_valid(&empty) { empty } else { Value::Null }
}

/// Leaves out what is not valid; returns the places.
fn repair(validator: &Validator, value: &mut Value) -> Vec<String> {
    let mut places: Vec<String> = Vec::new();
    for round in 0..ROUNDS {
        let mut found: Vec<String> = validator
            .iter_errors(value)
            .map(|error| outward(error.instance_path().as_str(), round).to_owned())
            .collect();
        found.sort();
        found.dedup();
        // From the back, so that places further in are left out before those around them.
        for place in found.iter().rev() {
            leave_out(value, place);
        }
        places.extend(found);
        if validator.is_valid(value) {
            return places;
        }
    }
    *value = nothing(validator);
    vec![String::new()]
}

/// The place that many levels further out.
fn outward(place: &str, levels: usize) -> &str {
    (0..levels).fold(place, |place, _| place.rsplit_once('/').map_or("", |(outer, _)| outer))
}

fn leave_out(value: &mut Value, place: &str) {
    let Some((owner, last)) = place.rsplit_once('/') else { return };
    match value.pointer_mut(owner) {
        Some(Value::Object(map)) => {
            map.shift_remove(last.replace("~1", "/").replace("~0", "~").as_str());
        }
        Some(Value::Array(items)) => {
            if let Some(item) = last.parse().ok().and_then(|index: usize| items.get_mut(index)) {
                *item = Value::Null;
            }
        }
        _ => {}
    }
}

fn note(places: &[String]) -> String {
    if places.iter().all(String::is_empty) {
        return "Note: the structured content is empty, since the answer is not of the documented \
                form."
            .to_owned();
    }
    let mut text =
        "Note: the structured content lacks what is not of the documented form:".to_owned();
    for place in places.iter().take(NAMED) {
        let _ = write!(text, " `{place}`");
    }
    if places.len() > NAMED {
        let _ = write!(text, " and {} more", places.len() - NAMED);
    }
    text.push('.');
    text
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::tool::{OperationPlan, Plan};

    fn tool(schema: Value) -> Tool {
        let plan = json!({
            "upstream": "api", "pointer": "", "method": "GET", "basePath": "", "path": "/a",
            "parameters": [], "response": {},
        });
        let plan: OperationPlan = serde_json::from_value(plan).unwrap();
        Tool {
            name: "t".to_owned(),
            title: None,
            description: "d".to_owned(),
            input_schema: json!({}),
            exact_schema: None,
            output_schema: Some(schema),
            annotations: Map::new(),
            examples: Vec::new(),
            param_headers: Map::new(),
            plan: Plan::Operation(Box::new(plan)),
        }
    }

    #[track_caller]
    fn check(schema: Value, answer: Option<Value>, expected: Value, note: Option<&str>) {
        let tool = tool(schema);
        let mut result = ToolResult { structured: answer, ..ToolResult::text("text") };
        conform(&tool, &Validators::default(), &mut result);
        assert_eq!(result.structured, Some(expected));
        let notes: Vec<_> = result.content.iter().skip(1).collect();
        match (note, &notes[..]) {
            (None, []) => {}
            (Some(part), [Content::Text(text)]) => assert!(text.contains(part), "{text}"),
            other => panic!("{other:?}"),
        }
    }

    fn object() -> Value {
        json!({ "type": "object", "properties": {
            "a": { "type": ["integer", "null"] },
            "b": { "type": ["array", "null"], "items": { "type": ["string", "null"] } },
            "c/d": { "type": ["object", "null"], "properties": { "e": { "type": ["string", "null"] } } },
        } })
    }

    #[test]
    fn valid_content_stays() {
        check(object(), Some(json!({ "a": 1, "z": true })), json!({ "a": 1, "z": true }), None);
    }

    #[test]
    fn wrong_members_are_left_out_and_wrong_items_are_null() {
        check(object(), Some(json!({ "a": "x", "z": 1 })), json!({ "z": 1 }), Some("`/a`"));
        let list = json!({ "b": ["x", 1, {}] });
        check(object(), Some(list), json!({ "b": ["x", null, null] }), Some("`/b/1` `/b/2`"));
        let deep = json!({ "c/d": { "e": 1, "f": 2 } });
        check(object(), Some(deep), json!({ "c/d": { "f": 2 } }), Some("`/c~1d/e`"));
    }

    #[test]
    fn what_cannot_be_mended_inside_is_left_out_further_out() {
        let schema = json!({ "type": "object", "properties": {
            "b": { "type": ["array", "null"], "items": { "type": "string" } } } });
        check(schema, Some(json!({ "b": [1], "c": 2 })), json!({ "c": 2 }), Some("`/b`"));
    }

    #[test]
    fn an_object_is_an_object_whatever_comes() {
        for answer in [json!([1]), json!("x")] {
            check(object(), Some(answer), json!({}), Some("is empty"));
        }
        check(object(), None, json!({}), None);
        check(object(), Some(json!(null)), json!({}), None);
    }

    #[test]
    fn other_schemas_get_null() {
        let list = json!({ "type": ["array", "null"] });
        check(list.clone(), Some(json!({})), json!(null), Some("is empty"));
        check(list, None, json!(null), None);
        check(json!({}), Some(json!([1])), json!([1]), None);
    }

    #[test]
    fn errors_have_no_structured_content() {
        let mut result = ToolResult::error("no");
        conform(&tool(object()), &Validators::default(), &mut result);
        assert_eq!(result.structured, None);
    }
}
