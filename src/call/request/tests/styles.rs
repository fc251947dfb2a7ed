//! The style tables of OpenAPI 3.0, 3.1 and 3.2 (“Style Examples”) and what they leave open.

use super::*;

/// What a parameter called `color` becomes; `-` for nothing, `!` for a refusal.
fn written(place: &str, style: &str, explode: bool, value: Value) -> String {
    let fields = json!({
        "path": if place == "path" { "/p/{color}" } else { "/p" },
        "parameters": [parameter(place, "color", style, explode)],
    });
    let Ok(request) = build(&plan(fields), &object(json!({ "color": value }))) else {
        return "!".to_owned();
    };
    let text = match place {
        "path" => request.path.strip_prefix("/v1/p/"),
        "query" => request.path.split_once('?').map(|(_, query)| query),
        "header" => header(&request, "color"),
        _ => header(&request, "cookie"),
    };
    text.unwrap_or("-").to_owned()
}

#[test]
fn the_table_of_the_specification_holds() {
    #[rustfmt::skip]
    let table = [
        // place, style, explode: empty string, string, array, object
        ("path", "matrix", false, ";color", ";color=blue", ";color=blue,black,brown", ";color=R,100,G,200,B,150"),
        ("path", "matrix", true, ";color", ";color=blue", ";color=blue;color=black;color=brown", ";R=100;G=200;B=150"),
        ("path", "label", false, "!", ".blue", ".blue,black,brown", ".R,100,G,200,B,150"),
        ("path", "label", true, "!", ".blue", ".blue.black.brown", ".R=100.G=200.B=150"),
        ("path", "simple", false, "!", "blue", "blue,black,brown", "R,100,G,200,B,150"),
        ("path", "simple", true, "!", "blue", "blue,black,brown", "R=100,G=200,B=150"),
        ("header", "simple", false, "", "blue", "blue,black,brown", "R,100,G,200,B,150"),
        ("header", "simple", true, "", "blue", "blue,black,brown", "R=100,G=200,B=150"),
        ("query", "form", false, "color=", "color=blue", "color=blue,black,brown", "color=R,100,G,200,B,150"),
        ("query", "form", true, "color=", "color=blue", "color=blue&color=black&color=brown", "R=100&G=200&B=150"),
        ("query", "spaceDelimited", false, "color=", "color=blue", "color=blue%20black%20brown", "color=R%20100%20G%20200%20B%20150"),
        ("query", "spaceDelimited", true, "color=", "color=blue", "color=blue&color=black&color=brown", "R=100&G=200&B=150"),
        ("query", "pipeDelimited", false, "color=", "color=blue", "color=blue%7Cblack%7Cbrown", "color=R%7C100%7CG%7C200%7CB%7C150"),
        ("query", "pipeDelimited", true, "color=", "color=blue", "color=blue&color=black&color=brown", "R=100&G=200&B=150"),
        ("query", "deepObject", false, "color=", "color=blue", "color=blue&color=black&color=brown", "color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150"),
        ("query", "deepObject", true, "color=", "color=blue", "color=blue&color=black&color=brown", "color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150"),
        ("cookie", "form", false, "color=", "color=blue", "color=blue,black,brown", "color=R,100,G,200,B,150"),
        ("cookie", "form", true, "color=", "color=blue", "color=blue; color=black; color=brown", "R=100; G=200; B=150"),
        ("cookie", "cookie", false, "color=", "color=blue", "color=blue,black,brown", "color=R,100,G,200,B,150"),
        ("cookie", "cookie", true, "color=", "color=blue", "color=blue; color=black; color=brown", "R=100; G=200; B=150"),
    ];
    for (place, style, explode, empty, string, array, object) in table {
        let cell = |value| written(place, style, explode, value);
        let row = [
            cell(json!("")),
            cell(json!("blue")),
            cell(json!(["blue", "black", "brown"])),
            cell(json!({"R": 100, "G": 200, "B": 150})),
        ];
        assert_eq!(row, [empty, string, array, object], "{place} {style} explode={explode}");
        if place != "path" {
            assert_eq!(cell(json!(null)), "-", "{place} {style} null");
        }
    }
}

#[test]
fn separators_inside_values_are_encoded() {
    #[rustfmt::skip]
    let table = [
        ("path", "simple", json!(["a,b", "c/d", "é f"]), "a%2Cb,c%2Fd,%C3%A9%20f"),
        ("path", "matrix", json!({"a;b": "c=d"}), ";color=a%3Bb,c%3Dd"),
        ("query", "form", json!(["a,b", "c d"]), "color=a%2Cb,c+d"),
        ("query", "pipeDelimited", json!(["a|b", "c d"]), "color=a%7Cb%7Cc+d"),
        ("query", "deepObject", json!({"a]&b": "x=y"}), "color%5Ba%5D%26b%5D=x%3Dy"),
        ("cookie", "form", json!("Hello, world!"), "color=Hello%2C%20world%21"),
        ("cookie", "cookie", json!("Hello%2C%20world!"), "color=Hello%2C%20world!"),
        ("header", "simple", json!(["a,b", "é"]), "a,b,é"),
    ];
    for (place, style, value, expected) in table {
        assert_eq!(written(place, style, false, value), expected, "{place} {style}");
    }
}

#[test]
fn scalars_arrays_and_objects_at_their_edges() {
    #[rustfmt::skip]
    let table = [
        ("query", "form", true, json!([]), "-"),
        ("query", "form", false, json!([]), "color="),
        ("query", "form", true, json!({}), "-"),
        ("query", "form", true, json!([1, null, true]), "color=1&color=true"),
        ("query", "form", false, json!({"a": null, "b": false}), "color=b,false"),
        ("query", "deepObject", true, json!({}), "-"),
        ("query", "deepObject", true, json!({"a": {"b": 1, "c": {"d": 2}}, "e": ["x", "y"], "f": null}),
            "color%5Ba%5D%5Bb%5D=1&color%5Ba%5D%5Bc%5D%5Bd%5D=2&color%5Be%5D=x&color%5Be%5D=y"),
        ("query", "form", true, json!({"a": [1, 2], "b": {"c": 1}}), "a=1%2C2&b=%7B%22c%22%3A1%7D"),
        ("query", "form", true, json!([[1, 2], {"c": 1}]), "color=1%2C2&color=%7B%22c%22%3A1%7D"),
        ("path", "simple", false, json!([]), "!"),
        ("path", "simple", false, json!({}), "!"),
        ("path", "label", false, json!([]), "!"),
        ("path", "matrix", true, json!(["a", ""]), ";color=a;color"),
        ("path", "simple", false, json!(["a", ""]), "a,"),
        ("path", "simple", false, json!(true), "true"),
        ("path", "form", true, json!(["a", "b"]), "a,b"),
        ("header", "simple", false, json!(false), "false"),
        ("header", "simple", false, json!("  padded "), "padded"),
    ];
    for (place, style, explode, value, expected) in table {
        assert_eq!(written(place, style, explode, value.clone()), expected, "{style} {value}");
    }
}

#[test]
fn numbers_keep_their_text() {
    for text in ["12345678901234567890123", "1.50", "0.1", "1e+400", "-0"] {
        let number: Value = serde_json::from_str(text).unwrap();
        let expected = format!("color={}", text.replace('+', "%2B"));
        assert_eq!(written("query", "form", true, number), expected);
    }
}

#[test]
fn several_cookies_make_one_header() {
    let fields = json!({"parameters": [
        parameter("cookie", "a", "form", true),
        parameter("header", "Cookie", "simple", false),
        parameter("cookie", "b", "cookie", true),
    ]});
    let request = send(fields, json!({"a": "1;2", "Cookie": "raw=x", "b": {"c": 3}}));
    assert_eq!(header(&request, "cookie"), Some("a=1%3B2; raw=x; c=3"));
}

#[test]
fn content_parameters_are_one_text() {
    let content = |place: &str, name: &str, media_type: &str| {
        let mut parameter = parameter(place, name, "form", true);
        parameter["content"] = json!(media_type);
        parameter
    };
    let fields = json!({
        "path": "/x/{p}",
        "parameters": [
            content("path", "p", "application/json"),
            content("query", "q", "application/json; charset=utf-8"),
            content("query", "s", "application/vnd.a+json"),
            content("query", "t", "text/plain"),
            content("header", "X-H", "application/json"),
            content("cookie", "c", "application/json"),
        ],
    });
    let request = send(
        fields,
        json!({"p": {"a": 1}, "q": {"t": "a & b"}, "s": "x", "t": "x y", "X-H": [1, "é\n"],
            "c": {"k": 1}}),
    );
    assert_eq!(
        request.path,
        "/v1/x/%7B%22a%22%3A1%7D?q=%7B%22t%22%3A%22a+%26+b%22%7D&s=%22x%22&t=x+y"
    );
    assert_eq!(header(&request, "x-h"), Some("[1,\"é\\n\"]"));
    assert_eq!(header(&request, "cookie"), Some("c=%7B%22k%22%3A1%7D"));
}

#[test]
fn a_querystring_parameter_is_the_whole_query() {
    let target = |media_type: &str, value: Value| {
        let mut parameter = parameter("querystring", "q", "form", true);
        parameter["content"] = json!(media_type);
        send(json!({ "parameters": [parameter] }), json!({ "q": value })).path
    };
    assert_eq!(
        target("application/x-www-form-urlencoded", json!({"foo": "a + b", "bar": true})),
        "/v1/x?foo=a+%2B+b&bar=true"
    );
    assert_eq!(
        target("application/json", json!({"numbers": [1, 2], "flag": null})),
        "/v1/x?%7B%22numbers%22%3A%5B1%2C2%5D%2C%22flag%22%3Anull%7D"
    );
    assert_eq!(target("application/jsonpath", json!("$.a.b[1:1]")), "/v1/x?%24.a.b%5B1%3A1%5D");
}

#[test]
fn allow_reserved_keeps_what_cannot_change_the_structure() {
    let reserved = |place: &str, style: &str| {
        let mut parameter = parameter(place, "v", style, false);
        parameter["allowReserved"] = json!(true);
        parameter
    };
    let fields = json!({"path": "/x/{v}", "parameters": [reserved("path", "simple")]});
    assert_eq!(send(fields, json!({"v": "a:b@c/d?e#f%2F"})).path, "/v1/x/a:b@c%2Fd%3Fe%23f%252F");
    let fields = json!({ "parameters": [reserved("query", "form")] });
    assert_eq!(
        send(fields.clone(), json!({"v": "a&plain=injected#frag"})).path,
        "/v1/x?v=a%26plain=injected%23frag"
    );
    assert_eq!(send(fields, json!({"v": ["a+b", "[c]"]})).path, "/v1/x?v=a%2Bb,%5Bc%5D");
}
