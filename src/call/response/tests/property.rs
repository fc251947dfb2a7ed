//! Rules that hold for any answer.

use proptest::{collection::vec, option, prelude::*};
use serde_json::{Map, Value};

use crate::{
    http::UpstreamResponse,
    tool::{Content, Property, ResponsePlan, Shape, ToolResult},
};

use super::{super::*, answer, operation, text_of};

fn name() -> impl Strategy<Value = String> {
    prop_oneof!["[a-d]", Just("next".to_owned()), Just("meta".to_owned()), "[|\\\\\\n\\r*é😀]{0,3}"]
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof!["[|\\\\\\n\\r #>*`é😀\\u{2028}]{0,12}", any::<String>(), "[a-z]{0,40}"]
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 60, 6, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..6).prop_map(Value::from),
            vec((name(), inner), 0..6).prop_map(|members| members.into_iter().collect()),
        ]
    })
}

fn property(name: String) -> impl Strategy<Value = Property> {
    (option::of(text()), prop::bool::weighted(0.2), option::of(0..8usize))
        .prop_map(move |(hint, exclude, node)| Property { name: name.clone(), hint, exclude, node })
}

/// Any graph, with cycles and indices that lead nowhere.
fn shape() -> impl Strategy<Value = Shape> {
    (
        vec(name().prop_flat_map(property), 0..4),
        vec(("[a-c^$.(]{1,2}", property(String::new())), 0..2),
        option::of(property(String::new())),
        option::of(0..8usize),
        vec(0..8usize, 0..2),
    )
        .prop_map(|(properties, patterns, additional, items, prefix_items)| Shape {
            properties,
            patterns,
            additional: additional.map(Box::new),
            items,
            prefix_items,
        })
}

fn plan() -> impl Strategy<Value = ResponsePlan> {
    (
        vec(shape(), 0..6),
        option::of(name()),
        option::of(vec(name(), 0..4)),
        any::<bool>(),
        0..20usize,
    )
        .prop_map(|(shape, rows, concise, hints, max_string_length)| ResponsePlan {
            shape,
            rows,
            concise,
            hints,
            structured: true,
            max_string_length,
            max_error_length: 50,
            ..ResponsePlan::default()
        })
}

fn run(plan: &ResponsePlan, value: &Value, max_text: usize) -> ToolResult {
    let answer = answer(200, &[("content-type", "application/json")], value.to_string());
    let context = Context { max_text, ..Context::default() };
    render(&operation("GET", plan.clone()), &Map::new(), Ok(answer), &context)
}

/// `value` with every string replaced by one without any sign.
fn tame(value: &Value) -> Value {
    match value {
        Value::String(_) => "x".into(),
        Value::Array(items) => items.iter().map(tame).collect(),
        Value::Object(map) => map.iter().map(|(k, v)| (k.clone(), tame(v))).collect(),
        other => other.clone(),
    }
}

/// Cells of a table row as a reader of GitHub Flavored Markdown splits it.
fn cells(line: &str) -> usize {
    let mut escaped = false;
    line.chars()
        .filter(|&c| {
            let pipe = c == '|' && !escaped;
            escaped = c == '\\' && !escaped;
            pipe
        })
        .count()
}

proptest! {
    #[test]
    fn any_answer_is_rendered_within_the_limits(
        plan in plan(),
        value in value(),
        max_text in 0..300usize,
    ) {
        let result = run(&plan, &value, max_text);
        prop_assert!(!result.is_error);
        prop_assert!(text_of(&result).len() <= max_text + 4096 + 300);
    }

    #[test]
    fn no_string_of_an_answer_adds_a_line(plan in plan(), value in value()) {
        prop_assume!(!value.is_string());
        let lines = |value| text_of(&run(&plan, value, 1 << 20)).split(|c| "\n\r\u{2028}".contains(c)).count();
        prop_assert_eq!(lines(&value), lines(&tame(&value)));
    }

    #[test]
    fn every_row_of_a_table_has_the_same_cells(rows in vec(vec((name(), value()), 1..4), 1..5)) {
        let rows: Value = rows.into_iter().map(|row| row.into_iter().collect::<Value>()).collect();
        let result = run(&super::plain(), &rows, 1 << 20);
        let counts: Vec<_> = text_of(&result).lines().map(cells).collect();
        prop_assert!(counts.windows(2).all(|pair| pair[0] == pair[1]), "{}", text_of(&result));
    }

    #[test]
    fn any_bytes_and_headers_give_a_result(
        status in 0..700u16,
        kind in "(application/json|text/html|image/png|[a-z/;=\"+]{0,12}|text/x;charset=(utf-16|latin1))",
        coding in "(gzip|deflate|br|identity|[a-z,]{0,8})?",
        link in text(),
        body in prop_oneof![vec(any::<u8>(), 0..80), "[<>&;a-z#!/\"' -]{0,80}".prop_map(String::into_bytes)],
    ) {
        let headers = [
            ("content-type", kind.as_str()),
            ("content-encoding", &coding),
            ("link", &link),
            ("location", &link),
        ];
        let answer: UpstreamResponse = answer(status, &headers, body);
        let result = render(&operation("POST", super::plain()), &Map::new(), Ok(answer), &Context::default());
        prop_assert!(!result.content.is_empty());
        prop_assert!(matches!(&result.content[0], Content::Text(_)) || status / 100 == 2);
    }
}
