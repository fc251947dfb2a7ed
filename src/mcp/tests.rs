//! Rules as data: the tables in `tests/*.json` have one row per request, named by the rule that it
//! shows. A row gives the request (`era`, `method`, `params`, `headers` that replace or, with null,
//! remove the usual ones, or the `raw` body) and what must hold for the reply.

mod golden;
mod hostile;
mod replies;

use serde_json::{Value, json};

use super::*;
use crate::toolset::{Contents, Meta, Skill, SkillFile, encode, tests::tool};

const MODERN: &str = "2026-07-28";

fn check_rows(text: &str) {
    let rows: Vec<Value> = serde_json::from_str(text).unwrap();
    let wrong: Vec<_> = rows.iter().filter_map(|row| check_row(row).err()).collect();
    assert!(wrong.is_empty(), "{} of {} rows:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
}

#[test]
fn eras() {
    check_rows(include_str!("tests/era.json"));
}

#[test]
fn modern_rules() {
    check_rows(include_str!("tests/modern.json"));
}

#[test]
fn legacy_rules() {
    check_rows(include_str!("tests/legacy.json"));
}

#[test]
fn security_rules() {
    check_rows(include_str!("tests/security.json"));
}

#[test]
fn every_rule_has_a_row() {
    let elsewhere = [
        22, // no method needs a client capability
        25, 26, 27, 28, 29, // there are no rules of these numbers
        32, 33, // replies are never event streams
        35, // a client that leaves: the exchange
    ];
    let modern = (1..=36).filter(|n| !elsewhere.contains(n)).map(|n| format!("26-{n:02} "));
    let elsewhere = [
        9,  // no session is issued
        14, // replies are never event streams
    ];
    let legacy = (1..=15).filter(|n| !elsewhere.contains(n)).map(|n| format!("25-{n:02} "));
    let eras = [1, 2, 3, 4, 6, 7].map(|n| format!("E{n} ")); // E5: both eras are served
    let rows = [
        include_str!("tests/era.json"),
        include_str!("tests/modern.json"),
        include_str!("tests/legacy.json"),
        include_str!("tests/security.json"),
    ]
    .concat();
    let missing: Vec<_> = modern
        .chain(legacy)
        .chain(eras)
        .filter(|rule| !rows.contains(&format!("\"id\":\"{rule}")))
        .collect();
    assert!(missing.is_empty(), "no row for {missing:?}");
}

fn check_row(row: &Value) -> Result<(), String> {
    let name = row["id"].as_str().unwrap();
    let set = tools(row["skills"] == true);
    let mut row = row.clone();
    if let Some(method) = row["cursorOf"].as_str() {
        let first = json!({"era": "modern", "method": method, "params": {}});
        let (headers, body) = request(&first);
        let Received::Reply(reply) = receive(&headers, &body, &set) else { panic!("a call") };
        row["params"] = json!({"cursor": body_of(&reply)["result"]["nextCursor"]});
    }
    let (headers, body) = request(&row);
    let received = match gate(&headers, &["https://app.example.com".to_owned()]) {
        Ok(()) => receive(&headers, &body, &set),
        Err(reply) => Received::Reply(reply),
    };
    let expected = &row["expect"];
    let wrong = match &received {
        Received::Call(call) => {
            let call = json!({
                "tool": call.tool.tool.name, "arguments": call.arguments,
                "revision": call.envelope.revision().as_str(),
            });
            match expected.get("call") {
                Some(expected) => compare(expected, Some(&call), "call"),
                None => Err(format!("called {call}")),
            }
        }
        Received::Reply(reply) | Received::Found(reply, _) => check_reply(expected, reply),
    };
    wrong.map_err(|wrong| format!("{name}: {wrong}"))
}

fn check_reply(expected: &Value, reply: &Reply) -> Result<(), String> {
    let text = String::from_utf8(reply.body.clone()).map_err(|error| error.to_string())?;
    for (rule, expected) in expected.as_object().unwrap() {
        match rule.as_str() {
            "status" if *expected == reply.status => {}
            "empty" if text.is_empty() == *expected => {}
            "headers" => {
                for (name, value) in expected.as_object().unwrap() {
                    let found = reply.headers.iter().find(|(other, _)| other == name);
                    if found.map(|(_, found)| found.as_str()) != value.as_str() {
                        return Err(format!("header {name} is {found:?}"));
                    }
                }
            }
            "absent" => {
                for name in expected.as_array().unwrap() {
                    if reply.headers.iter().any(|(other, _)| *other == name.as_str().unwrap()) {
                        return Err(format!("header {name} is there"));
                    }
                }
            }
            "json" => compare(expected, Some(&body_of(reply)), "")?,
            rule => return Err(format!("{rule} is not {expected}: {} {text}", reply.status)),
        }
    }
    Ok(())
}

/// Whether the value has all that is expected: objects may have more members, lists not.
fn compare(expected: &Value, found: Option<&Value>, at: &str) -> Result<(), String> {
    match (expected, found) {
        (Value::String(marker), None) if marker == "@absent" => Ok(()),
        (Value::String(marker), Some(_)) if marker == "@any" => Ok(()),
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

fn body_of(reply: &Reply) -> Value {
    serde_json::from_slice(&reply.body).unwrap()
}

/// The HTTP request of a row.
fn request(row: &Value) -> (Headers, Vec<u8>) {
    let (fields, body) = fields(row);
    (Headers::new(fields), body)
}

fn fields(row: &Value) -> (Vec<(String, Vec<u8>)>, Vec<u8>) {
    let absent = json!("@absent");
    let era = row["era"].as_str().unwrap();
    let version = row["version"].as_str().unwrap_or(MODERN);
    let params = row.get("params");
    let mut message = json!({"jsonrpc": "2.0", "id": 1, "method": row["method"]});
    if let Some(id) = row.get("rpcId") {
        message["id"] = id.clone();
    }
    if message["id"] == absent {
        message.as_object_mut().unwrap().shift_remove("id");
    }
    if let Some(params) = params {
        message["params"] = params.clone();
    }
    let mut headers = json!({
        ":method": row["http"].as_str().unwrap_or("POST"),
        ":authority": "mcp.example.com",
        "content-type": "application/json",
        "accept": "application/json, text/event-stream",
    });
    if era == "modern" {
        let meta = row.get("meta").cloned().unwrap_or_else(|| {
            json!({
                "io.modelcontextprotocol/protocolVersion": version,
                "io.modelcontextprotocol/clientInfo": {"name": "c", "version": "0"},
                "io.modelcontextprotocol/clientCapabilities": {},
            })
        });
        if meta != absent {
            message["params"]["_meta"] = meta;
        }
        headers["mcp-protocol-version"] = json!(version);
        headers["mcp-method"] = row["method"].clone();
        let named = params.and_then(|params| params.get("name").or_else(|| params.get("uri")));
        if let Some(name) = named.filter(|name| name.is_string()) {
            headers["mcp-name"] = name.clone();
        }
    } else if era != "none" {
        headers["mcp-protocol-version"] = json!(era);
    }
    for (name, value) in row["headers"].as_object().into_iter().flatten() {
        headers[name] = value.clone();
    }
    let body = row["raw"].as_str().map_or_else(|| message.to_string(), str::to_owned);
    let fields = headers.as_object().unwrap().iter().flat_map(|(name, value)| {
        let values = match value {
            Value::Array(values) => values.clone(),
            Value::Null => Vec::new(),
            value => vec![value.clone()],
        };
        values.into_iter().map(|value| (name.clone(), value.as_str().unwrap().into()))
    });
    (fields.collect(), body.into_bytes())
}

fn contents(skills: bool) -> Contents {
    let output = json!({
        "type": "array", "items": {"$ref": "#/$defs/book"}, "$defs": {"book": {"type": "object"}},
    });
    let list = json!({"title": "List books", "examples": [{"q": "x"}], "outputSchema": output});
    let get = json!({
        "outputSchema": {"type": "object", "properties": {"id": {"type": "string"}}},
        "paramHeaders": {"region": "Region", "count": "Count", "flag": "Flag"},
    });
    let file = |uri: &str, mime_type: &str, content: &[u8]| SkillFile {
        uri: uri.to_owned(),
        mime_type: mime_type.to_owned(),
        content: content.to_owned(),
    };
    let skill = Skill {
        uri: "skill://flow/SKILL.md".to_owned(),
        frontmatter: json!({"name": "flow", "description": "Use it."}).as_object().unwrap().clone(),
        files: vec![
            file("skill://flow/SKILL.md", "text/markdown", b"# flow\n"),
            file("skill://flow/data/a.bin", "application/octet-stream", &[0, 255]),
            file("skill://flow/data/b.txt", "text/plain", b"b"),
        ],
    };
    Contents {
        title: "Books".to_owned(),
        version: "1.2.3".to_owned(),
        instructions: "Use \"it\".".to_owned(),
        skills: if skills { vec![skill] } else { Vec::new() },
        tools: vec![tool("list_books", &list), tool("get_book", &get), tool("other", &json!({}))],
        directory: None,
    }
}

fn tools(skills: bool) -> ToolSet {
    let meta = Meta { page_size: 2, ttl_ms: 60_000, cache_private: true };
    ToolSet::open(encode(&contents(skills), &meta)).unwrap()
}

/// The call that a row makes.
fn call(row: &Value) -> ToolCall {
    let (headers, body) = request(row);
    match receive(&headers, &body, &tools(false)) {
        Received::Call(call) => *call,
        Received::Reply(reply) | Received::Found(reply, _) => panic!("{}", body_of(&reply)),
    }
}
