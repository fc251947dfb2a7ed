//! Expressions of schemas, read and evaluated. The first byte says how to read the rest: as an
//! expression, a template or a function, or as a value of the data that is put into addresses.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use openapi_mcp_filter::editor::expression::{Enclosing, Expression, Fuel, Gap, Scope, Syntax};
use serde_json::{Value, json};
use url::Url;

static DATA: LazyLock<Value> = LazyLock::new(|| {
    json!({
        "text": "aé😀-b", "n": 3, "none": null, "yes": true, "url": "https://api.test/d/1?x=1",
        "list": [1, "b", null, [2.5, "x"], {"k": true, "label": "one"}],
        "value": {"x": {"y": "z"}, "length": 2}
    })
});

/// Addresses with a value of the data, and how many segments and parameters they have.
static ADDRESSES: LazyLock<[(Expression, usize, usize); 4]> = LazyLock::new(|| {
    let read = |syntax, source| Expression::parse(syntax, source, None, "/x", &mut Vec::new());
    [
        (read(Syntax::Template, "a/${rootData}/b.${rootData}/c?d=1"), 5, 1),
        (read(Syntax::Template, "a?b=${rootData}&c=${rootData}#d"), 2, 2),
        (
            read(Syntax::Expression, "'a/x-' + encodeURIComponent(rootData) + '?b=' + rootData"),
            3,
            1,
        ),
        (read(Syntax::Function, "const v = rootData; return `a/${v ? `_${v}/` : 'b/'}c?d`"), 4, 1),
    ]
});

fuzz_target!(|input: &[u8]| {
    let Ok(text) = std::str::from_utf8(input) else { return };
    let (syntax, source) = match text.split_at_checked(1) {
        Some(("e", rest)) => (Syntax::Expression, rest),
        Some(("t", rest)) => (Syntax::Template, rest),
        Some(("f", rest)) => (Syntax::Function, rest),
        Some(("u", rest)) => return address(rest),
        _ => return,
    };
    let expression = Expression::parse(syntax, source, Some("item"), "/x", &mut Vec::new());
    let (outer, fuel) = (Enclosing { data: Some(&DATA), parent: None }, Fuel::new(400_000));
    let scope = Scope {
        data: DATA.get("value"),
        root: Some(&DATA),
        parent: Some(&Enclosing { data: DATA.get("list"), parent: Some(&outer) }),
        context: Some(&DATA),
        read_only: false,
        summary: true,
        fuel: &fuel,
    };
    let _ = (expression.value(&scope), expression.list(&scope), expression.holds(&scope));
    let _ = (expression.url(&scope), expression.filled(&scope));
});

/// A value stays in its place of an address.
fn address(value: &str) {
    let value = Value::from(value);
    for (expression, segments, parameters) in &*ADDRESSES {
        let fuel = Fuel::new(400_000);
        let scope = Scope {
            data: None,
            root: Some(&value),
            parent: None,
            context: None,
            read_only: false,
            summary: false,
            fuel: &fuel,
        };
        let text = match expression.url(&scope) {
            Ok(text) => text,
            Err(Gap::Astray | Gap::Unset(_) | Gap::Failed(_)) => continue,
        };
        let base = Url::parse("https://api.test/v1/").expect("the base is one");
        let url = base.join(&text).expect("the address is one");
        assert_eq!(url.host_str(), Some("api.test"), "{text}");
        let path: Vec<&str> = url.path().split('/').skip(1).collect();
        assert_eq!((path.len(), path[..2].join("/")), (*segments, "v1/a".to_owned()), "{text}");
        assert_eq!(url.query_pairs().count(), *parameters, "{text}");
    }
}
