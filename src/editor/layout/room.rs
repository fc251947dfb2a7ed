//! How much room nodes take: references can repeat a text of a schema many times.

use serde_json::Value;

use super::{Case, Component, Items, Node, Source};

/// Bytes of the texts and values of a node.
pub(super) fn of_node(node: &Node) -> usize {
    let texts = node.pointers.iter().chain(&node.property_keys).chain(&node.read_only_keys);
    let values = node.constraints.iter().map(|(_, value)| value).chain(&node.constant);
    texts.map(|text| text.len() + 24).sum::<usize>()
        + values.map(of_value).sum::<usize>()
        + node.cases.iter().map(of_case).sum::<usize>()
        + node.key.len()
}

fn of_case(case: &Case) -> usize {
    let Component { label, title, help, default, items, attributes, variants, .. } =
        &case.component;
    let texts = [label, title, help].into_iter().flatten();
    let values = attributes.iter().map(|(_, value)| value).chain(default);
    texts.map(String::len).sum::<usize>()
        + values.map(of_value).sum::<usize>()
        + variants.iter().map(|variant| variant.title.len() + 32).sum::<usize>()
        + items.as_ref().map_or(0, of_items)
        + size_of::<Case>()
}

fn of_items(items: &Items) -> usize {
    let Source::Fixed(items) = &items.source else { return 0 };
    let room = |item: &super::Item| {
        item.key.len() + item.title.len() + item.value.as_ref().map_or(0, of_value) + 80
    };
    items.iter().map(room).sum()
}

fn of_value(value: &Value) -> usize {
    32 + match value {
        Value::Null | Value::Bool(_) => 0,
        Value::Number(number) => number.as_str().len(),
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(of_value).sum(),
        Value::Object(members) => {
            members.iter().map(|(key, value)| key.len() + 40 + of_value(value)).sum()
        }
    }
}
