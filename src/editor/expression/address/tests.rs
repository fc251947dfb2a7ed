use serde_json::{Value, json};

use super::*;
use crate::editor::expression::{Enclosing, Syntax};

/// The URL of a template over a document whose member `x` is this; failures by name.
fn url(source: &str, x: &Value) -> String {
    url_as(Syntax::Template, source, x)
}

fn url_as(syntax: Syntax, source: &str, x: &Value) -> String {
    with(syntax, source, x, Expression::url)
}

fn with<T: std::fmt::Display>(
    syntax: Syntax,
    source: &str,
    x: &Value,
    make: impl FnOnce(&Expression, &Scope<'_>) -> Result<T, Gap>,
) -> String {
    let mut findings = Vec::new();
    let expression = Expression::parse(syntax, source, None, "/x", &mut findings);
    assert!(findings.is_empty(), "{findings:?}");
    let root = json!({ "x": x, "b": "é b", "set": { "href": "https://api.test/d/1" }, "list": ["a/b", "c"] });
    let context = json!({ "filter": "owner=user:u1&f=1", "base": "/api/v1" });
    let (parent, fuel) = (Enclosing { data: Some(&root), parent: None }, Fuel::new(100_000));
    let scope = Scope {
        data: None,
        root: Some(&root),
        parent: Some(&parent),
        context: Some(&context),
        read_only: false,
        summary: false,
        fuel: &fuel,
    };
    make(&expression, &scope).map_or_else(|gap| format!("{gap:?}"), |text| text.to_string())
}

#[track_caller]
fn check(source: &str, x: impl Into<Value>, expected: &str) {
    assert_eq!(url(source, &x.into()), expected, "{source}");
}

#[test]
fn data_is_one_value_of_a_query() {
    let template = "items?c=${rootData.x}&size=9";
    for (x, encoded) in [
        ("x&admin=1", "x%26admin%3D1"),
        ("a#b", "a%23b"),
        ("a+b c", "a%2Bb%20c"),
        ("50%25", "50%2525"),
        ("../a/b?c", "..%2Fa%2Fb%3Fc"),
        ("{q}", "%7Bq%7D"),
        ("https://api.test/d/1", "https%3A%2F%2Fapi.test%2Fd%2F1"),
        ("é\n", "%C3%A9%0A"),
        ("", ""),
    ] {
        check(template, x, &format!("items?c={encoded}&size=9"));
    }
    check("items?n=${rootData.x}", json!(1.50), "items?n=1.5");
    check("items?in=${rootData.x}", json!(["a", "b&c"]), "items?in=a%2Cb%26c");
}

#[test]
fn data_is_part_of_one_segment_of_a_path() {
    for (x, encoded) in [
        ("a/b", "a%2Fb"),
        ("a?x=1#", "a%3Fx%3D1%23"),
        ("50%", "50%25"),
        ("%2e%2e%", "%252e%252e%25"),
        ("v1..2", "v1..2"),
        ("...", "..."),
        ("@evil.test", "%40evil.test"),
    ] {
        check("items/${rootData.x}/sub", x, &format!("items/{encoded}/sub"));
    }
    check("${rootData.x}/sub", "a:b/c", "a%3Ab%2Fc/sub");
    check("https://api.test${rootData.x}", ".evil.test/", "https://api.test.evil.test%2F");
}

#[test]
fn data_that_would_lead_to_another_place_is_refused() {
    for x in ["..", ".", "../a", "a/../b", "..\\a", "%2e%2e", ".%2E", "..%2fa", "%2E%2e%5Ca"] {
        check("items/${rootData.x}/sub", x, "Astray");
        check("items/${encodeURIComponent(rootData.x)}/sub", x, "Astray");
    }
    check("items/.${rootData.x}/sub", ".", "Astray");
    check(r"items\\.${rootData.x}/sub", ".", "Astray");
    check("items/${rootData.x}.", "", r#"Unset(["rootData", "x"])"#);
    check("items/${rootData.x}${'.'}", "b", "items/b.");
    check("../other/./${rootData.x}", "b", "../other/./b");
}

#[test]
fn data_at_the_start_may_be_a_whole_url() {
    for (x, start) in [
        ("https://api.test/d/1", "https://api.test/d/1"),
        ("HTTP://api.test/a%2Fb", "HTTP://api.test/a%2Fb"),
        ("/d/1", "/d/1"),
        ("//evil.test", "//evil.test"),
        // only what is alone keeps its query
        ("/d?x=1#y", "/d%3Fx=1%23y"),
    ] {
        check("${rootData.x}/schema?c=${rootData.b}", x, &format!("{start}/schema?c=%C3%A9%20b"));
    }
    check("${rootData.x}", "/d?x=1", "/d?x=1");
    check("${rootData.set.href}/schema", json!(null), "https://api.test/d/1/schema");
    check("${rootData?.set?.href}/schema", json!(null), "https://api.test/d/1/schema");
    check("${rootData.x}/schema", "https://evil.test", "https://evil.test/schema");
    check("${rootData.x}/schema", "javascript:alert(1)", "javascript%3Aalert(1)/schema");
    for x in ["/a/../b", "/a/%2e%2E", "/a\\..\\b", "/a/\t..", "/a/..%2fb", "https://api.test/.."] {
        check("${rootData.x}/schema", x, "Astray");
    }
    check("/v1${rootData.x}", "/../d", "Astray");
}

#[test]
fn what_the_schema_writes_stays_as_it_is() {
    for (source, expected) in [
        ("items?q={q}&${context.filter}", "items?q={q}&owner=user:u1&f=1"),
        ("${context.base}/items?x=${rootData.x}", "/api/v1/items?x=1%262"),
        ("items?${context?.missing}&a=1", "items?&a=1"),
        ("items${rootData.x ? `?x=${rootData.x}` : ''}", "items?x=1%262"),
        ("items${rootData.no ? `?x=${rootData.no}` : ''}", "items"),
        ("items${rootData.x && '?x=' + rootData.x}", "items?x=1%262"),
        ("items${'?n=' + (rootData.no ?? 'all')}", "items?n=all"),
        ("${rootData.no || 'items'}?a=1", "items?a=1"),
        ("items?n=${1 + 2}", "items?n=3"),
        ("items?k=${context[rootData.no] ?? rootData.x}", "items?k=1%262"),
    ] {
        check(source, "1&2", expected);
    }
}

#[test]
fn what_the_expression_encodes_is_not_encoded_again() {
    for (source, expected) in [
        ("items/${encodeURIComponent(rootData.x)}/a", "items/a%2Fb%25/a"),
        (
            "items?x=${encodeURIComponent(rootData.x)}&y=${rootData.b}",
            "items?x=a%2Fb%25&y=%C3%A9%20b",
        ),
        (
            "items?in=${rootData.list.map(i => encodeURIComponent(i)).join(';')}",
            "items?in=a%2Fb%3Bc",
        ),
        ("items?x=${'p-' + encodeURIComponent(rootData.x)}", "items?x=p-a%2Fb%25"),
    ] {
        check(source, "a/b%", expected);
    }
}

#[test]
fn other_syntaxes_make_urls_the_same_way() {
    let x = json!("a/b");
    for (syntax, source) in [
        (Syntax::Expression, "'items/' + rootData.x + '?a=1'"),
        (Syntax::Expression, "`items/${rootData.x}?a=1`"),
        (Syntax::Function, "if (!rootData.x) { return '/' } return `items/${rootData.x}?a=1`"),
        (Syntax::Function, "const v = rootData.x; return 'items/' + v + '?a=1'"),
    ] {
        assert_eq!(url_as(syntax, source, &x), "items/a%2Fb?a=1", "{source}");
    }
    assert_eq!(
        url_as(Syntax::Function, "const context = { c: '?a' }; return 'i' + context.c", &x),
        "i%3Fa"
    );
    assert_eq!(url_as(Syntax::Function, "const a = 1", &x), "Unset([])");
}

#[test]
fn values_that_are_not_set_are_named() {
    for (source, gap) in [
        ("items?c=${rootData.no}", r#"Unset(["rootData", "no"])"#),
        ("items?c=${rootData.x}", r#"Unset(["rootData", "x"])"#),
        ("${rootData.no.href}/schema", r#"Unset(["rootData", "no"])"#),
        ("${rootData.list[7].href}/schema", r#"Unset(["rootData", "list", "7"])"#),
        ("${rootData.no?.href}/schema", r#"Unset(["rootData", "no"])"#),
        ("items/${parent.data.no}", r#"Unset(["parent", "data", "no"])"#),
        ("items/${encodeURIComponent(rootData.no)}", r#"Unset(["rootData", "no"])"#),
        ("items/${rootData.no.trim()}", "Unset([])"),
        ("items/${data.key}", r#"Unset(["data"])"#),
        ("items/${unknown.key}", "Failed(Thrown)"),
        ("items/${context.a.b}", "Failed(Thrown)"),
    ] {
        check(source, json!(null), gap);
    }
}

#[test]
fn other_texts_have_their_values_as_they_are() {
    let filled = |source: &str| {
        with(Syntax::Template, source, &json!("a&b/.."), |expression, scope| {
            expression.filled(scope)
        })
    };
    assert_eq!(filled("x ${rootData.x} ${context.base}"), "x a&b/.. /api/v1");
    assert_eq!(filled("${rootData.no}"), r#"Unset(["rootData", "no"])"#);
    assert_eq!(filled("${context.no}"), "Unset([])");
    assert_eq!(filled("${encodeURIComponent(rootData.b)}"), "%C3%A9%20b");
}
