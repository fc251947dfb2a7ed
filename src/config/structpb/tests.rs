use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::config::Config;

/// The wire form of a value, as a serializer writes it.
fn encode_value(value: &Value) -> Vec<u8> {
    match value {
        Value::Null => vec![0x08, 0],
        Value::Number(number) => {
            [&[0x11], number.as_f64().unwrap().to_le_bytes().as_slice()].concat()
        }
        Value::String(text) => field(3, text.as_bytes()),
        Value::Bool(flag) => vec![0x20, u8::from(*flag)],
        Value::Object(_) => field(5, &encode(value)),
        Value::Array(items) => {
            field(6, &items.iter().flat_map(|v| field(1, &encode_value(v))).collect::<Vec<_>>())
        }
    }
}

fn encode(object: &Value) -> Vec<u8> {
    let entry = |(key, value): (&String, &Value)| {
        field(1, &[field(1, key.as_bytes()), field(2, &encode_value(value))].concat())
    };
    object.as_object().unwrap().iter().flat_map(entry).collect()
}

fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
    let mut out = vec![number << 3 | 2];
    let mut length = bytes.len();
    while length >= 0x80 {
        out.push(u8::try_from(length & 0x7f).unwrap() | 0x80);
        length >>= 7;
    }
    out.push(u8::try_from(length).unwrap());
    out.extend(bytes);
    out
}

#[test]
fn a_serialized_struct_is_read_as_the_text_that_it_stands_for() {
    let inline = "openapi: 3.1.0\ninfo: { title: T, version: '1' }\npaths: {}\n".repeat(5);
    let value = json!({
        "upstreams": [
            { "cluster": "api", "document": { "path": "/openapi.json", "maxSize": 4096 } },
            { "name": "b", "cluster": "b", "document": { "inline": inline } },
        ],
        "routes": [{ "path": "/mcp", "strict": true, "pageSize": 50, "profiles": ["a", "b"] }],
    });
    let config = Config::parse(&encode(&value)).unwrap();
    assert_eq!(config, Config::parse(value.to_string().as_bytes()).unwrap());
    assert_eq!(config.routes[0].view.page_size, 50);
}

#[test]
fn problems_of_a_struct_have_their_key_paths() {
    let problems =
        Config::parse(&encode(&json!({ "upstream": null, "routes": [{}] }))).unwrap_err();
    assert_eq!(problems[0].to_string(), "upstream: unknown key; did you mean `upstreams`?");
}

#[test]
fn keys_are_sorted_as_the_wire_has_no_order() {
    let (a, b) = (json!({ "a": 1 }), json!({ "b": 2.5 }));
    let wire = [encode(&b), encode(&a)].concat();
    assert_eq!(decode(&wire).unwrap().to_string(), r#"{"a":1,"b":2.5}"#);
}

#[test]
fn what_is_no_struct_is_refused() {
    let whole = encode(&json!({ "a": [{ "b": "c" }, null, false] }));
    assert!(decode(&whole).is_some());
    for length in 1..whole.len() {
        assert_eq!(decode(&whole[..length]), None, "{length}");
    }
    assert_eq!(decode(b"\x12\x00"), None);
    assert_eq!(decode(b"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"), None);
    assert_eq!(
        decode(&encode(&json!({ "a": "x" })).iter().map(|b| b | 0x80).collect::<Vec<_>>()),
        None
    );
}

#[test]
fn nesting_is_limited() {
    let nested = |depth: usize| (0..depth).fold(json!({}), |inner, _| json!({ "a": inner }));
    assert!(decode(&encode(&nested(MAX_DEPTH))).is_some());
    assert_eq!(decode(&encode(&nested(MAX_DEPTH + 1))), None);
    let list = (0..2_000).fold(vec![0x08, 0], |inner, _| field(6, &field(1, &inner)));
    assert_eq!(decode(&field(1, &field(2, &list))), None);
}

#[test]
fn whole_numbers_have_no_fraction() {
    let text = |double| number(double).map(|value: Value| value.to_string());
    assert_eq!(text(60.0).as_deref(), Some("60"));
    assert_eq!(text(-1.0).as_deref(), Some("-1"));
    assert_eq!(text(-0.0).as_deref(), Some("0"));
    assert_eq!(text(0.25).as_deref(), Some("0.25"));
    assert_eq!(text(1e300).as_deref(), Some("1e+300"));
    assert_eq!(text(f64::INFINITY), None);
    assert_eq!(text(f64::NAN), None);
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..100)) {
        let _ = decode(&bytes);
    }

    #[test]
    fn damaged_structs_are_read_or_refused(position in 0usize..60, byte in any::<u8>()) {
        let mut wire = encode(&json!({ "a": [{ "b": "c", "d": 1.5 }, null, false], "e": {} }));
        let position = position % wire.len();
        wire[position] = byte;
        let _ = Config::parse(&wire);
    }
}
