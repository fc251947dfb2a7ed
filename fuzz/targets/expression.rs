//! Expressions of schemas, read and evaluated. The first byte says how to read the rest.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use openapi_mcp_filter::editor::expression::{Enclosing, Expression, Fuel, Scope, Syntax};
use serde_json::{Value, json};

static DATA: LazyLock<Value> = LazyLock::new(|| {
    json!({
        "text": "aé😀-b", "n": 3, "none": null, "yes": true,
        "list": [1, "b", null, [2.5, "x"], {"k": true, "label": "one"}],
        "value": {"x": {"y": "z"}, "length": 2}
    })
});

fuzz_target!(|input: &[u8]| {
    let Ok(text) = std::str::from_utf8(input) else { return };
    let (syntax, source) = match text.split_at_checked(1) {
        Some(("e", rest)) => (Syntax::Expression, rest),
        Some(("t", rest)) => (Syntax::Template, rest),
        Some(("f", rest)) => (Syntax::Function, rest),
        _ => return,
    };
    let expression = Expression::parse(syntax, source, Some("item"), "/x", &mut Vec::new());
    let (outer, fuel) = (Enclosing { data: Some(&DATA), parent: None }, Fuel::new(200_000));
    let scope = Scope {
        data: DATA.get("value"),
        root: Some(&DATA),
        parent: Some(&Enclosing { data: DATA.get("list"), parent: Some(&outer) }),
        context: Some(&DATA),
        read_only: false,
        summary: true,
        fuel: &fuel,
    };
    let _ = (expression.value(&scope), expression.text(&scope), expression.holds(&scope));
});
