//! The recorded exchanges of both protocol eras through the built module.

use serde_json::{Value, json};

use super::gateway::{Gateway, Request, ok_json};
use super::golden::Served;
use super::vectors;

#[test]
fn recorded_exchanges_hold_for_the_module() {
    let read = |name: &str| {
        vectors::read(format!("{}/tests/golden/{name}", env!("CARGO_MANIFEST_DIR")).as_ref())
    };
    let (vector, exceptions) = (read("21-mcp-wire.json"), read("exceptions.json"));
    let mut document = vector["doc"].clone();
    document["info"] = json!({ "title": "demo", "version": "1.2.3" });
    let mut gateways = [false, true].map(|structured| {
        let options = json!({ "structuredContent": structured, "profiles": ["read"] });
        let mut served = Served::start(&document, &options).unwrap();
        served.gateway.pass(2_000);
        served.gateway
    });
    let mut wrong = Vec::new();
    for exchange in vector["exchanges"].as_array().unwrap() {
        let title = &exchange["title"];
        let exceptions = exceptions.as_array().unwrap().iter();
        let exceptions =
            exceptions.filter(|it| it["file"] == "21-mcp-wire" && it["case"] == *title);
        let exception = exceptions.max_by_key(|exception| exception["stage"] == "module");
        let recorded = &exchange["response"];
        let expected = exception.map_or(&recorded["body"], |exception| &exception["ours"]);
        let structured = usize::from(exchange["structuredContent"] == true);
        let (status, found) = answer(&mut gateways[structured], exchange);
        assert_eq!(recorded["status"], status, "{title}");
        if let Err(found) = compare(expected, Some(&found), "") {
            wrong.push(format!("{title}: {found}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn answer(gateway: &mut Gateway, exchange: &Value) -> (u32, Value) {
    let given = &exchange["request"];
    let mut request = match given["method"].as_str().unwrap() {
        "POST" => Request::mcp(&given["body"]),
        method => Request::plain(method, "/mcp"),
    };
    for (name, value) in given["headers"].as_object().unwrap() {
        request = request.with(name, value.as_str().unwrap());
    }
    let called = given["body"]["params"]["name"].clone();
    let body = match called.as_str() {
        Some("arr") => json!(["x"]),
        _ => json!({ "results": [{ "id": "1" }] }),
    };
    let reply = gateway.exchange(request, |_| ok_json(&body)).reply();
    (reply.status, reply.json())
}

/// Where what is found differs from what is expected, which may name only a part of it.
///
/// Lists of tools are the same for every caller here, so everybody may keep them.
fn compare(expected: &Value, found: Option<&Value>, at: &str) -> Result<(), String> {
    match (expected, found) {
        (Value::String(marker), None) if marker == "@absent" => Ok(()),
        (Value::String(marker), Some(_)) if marker == "@any" => Ok(()),
        (Value::String(scope), Some(found)) if at.ends_with("/cacheScope") => {
            let is_known = scope == "private" && (found == "public" || found == "private");
            if is_known { Ok(()) } else { Err(format!("`{at}` is {found}")) }
        }
        (Value::Object(expected), Some(Value::Object(found))) => expected
            .iter()
            .try_for_each(|(key, value)| compare(value, found.get(key), &format!("{at}/{key}"))),
        (Value::Array(expected), Some(Value::Array(found))) if expected.len() == found.len() => {
            expected.iter().zip(found).enumerate().try_for_each(|(index, (expected, found))| {
                compare(expected, Some(found), &format!("{at}/{index}"))
            })
        }
        (expected, Some(found)) if expected == found => Ok(()),
        (expected, found) => Err(format!("`{at}` is {found:?}, expected {expected}")),
    }
}
