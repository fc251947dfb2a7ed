//! The recorded exchanges and the transport cases from bug reports.

use super::*;
use crate::tool::{Content, ToolResult};

const WIRE: &str = include_str!("../../../tests/golden/21-mcp-wire.json");
const EXCEPTIONS: &str = include_str!("../../../tests/golden/exceptions.json");
const CASES: [&str; 3] = [
    include_str!("../../../tests/cases/65-notification-202.json"),
    include_str!("../../../tests/cases/67-content-type-charset.json"),
    include_str!("../../../tests/cases/69-id-types-echoed.json"),
];

#[test]
fn recorded_exchanges() {
    let file: Value = serde_json::from_str(WIRE).unwrap();
    let exceptions: Value = serde_json::from_str(EXCEPTIONS).unwrap();
    let mut wrong = Vec::new();
    for exchange in file["exchanges"].as_array().unwrap() {
        let title = exchange["title"].as_str().unwrap();
        let exception = exceptions.as_array().unwrap().iter().find(|exception| {
            exception["file"] == "21-mcp-wire" && exception["case"] == exchange["title"]
        });
        let recorded = &exchange["response"];
        let expected = exception.map_or(&recorded["body"], |exception| &exception["ours"]);
        let reply = answer(exchange, &file);
        let found = compare(expected, Some(&body_of(&reply)), "");
        if let Err(found) = found {
            wrong.push(format!("{title}: {found}"));
        }
        assert_eq!(recorded["status"], reply.status, "{title}");
        // The reference answers older clients with an event stream of one message.
        assert_eq!(reply.headers[0], ("content-type", "application/json".to_owned()), "{title}");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn answer(exchange: &Value, file: &Value) -> Reply {
    let row = json!({
        "era": "none", "http": exchange["request"]["method"], "method": "x",
        "headers": exchange["request"]["headers"],
        "raw": exchange["request"]["body"].to_string(),
    });
    let (headers, body) = request(&row);
    if let Err(reply) = gate(&headers, &[]) {
        return reply;
    }
    let structured = exchange["structuredContent"] == true;
    match receive(&headers, &body, &recorded_set(file, structured)) {
        Received::Reply(reply) | Received::Found(reply, _) => reply,
        Received::Call(call) => {
            let recorded = &exchange["response"]["body"]["result"];
            reply(&call.envelope, tool_result(recorded, &call.tool.tool.name))
        }
    }
}

/// What a call gives: the recorded result, or for the one that the reference could not write, the
/// list that the API returned.
fn tool_result(recorded: &Value, tool: &str) -> ToolResult {
    let blocks = recorded["content"].as_array().into_iter().flatten();
    let text = |block: &Value| Content::Text(block["text"].as_str().unwrap_or("e").to_owned());
    ToolResult {
        content: blocks.map(text).collect(),
        structured: if tool == "arr" {
            Some(json!(["x"]))
        } else {
            recorded.get("structuredContent").cloned()
        },
        is_error: recorded["isError"] == true,
    }
}

/// The tool set as the recorded lists show it.
fn recorded_set(file: &Value, structured: bool) -> ToolSet {
    let body = |title: &str| {
        let mut exchanges = file["exchanges"].as_array().unwrap().iter();
        exchanges.find(|other| other["title"] == title).unwrap()["response"]["body"]["result"]
            .clone()
    };
    let listed = body(if structured {
        "structured tools/list (array outputSchema)"
    } else {
        "modern tools/list"
    });
    let tools = listed["tools"].as_array().unwrap().iter().map(|listed| {
        let mut more = listed.clone();
        if let Some(examples) = listed["_meta"].get("anthropic/inputExamples") {
            more["examples"] = examples.clone();
        }
        if listed["name"] == "arr" && structured {
            more["outputSchema"] = listed["outputSchema"]["properties"]["result"].clone();
        }
        tool(listed["name"].as_str().unwrap(), &more)
    });
    let skill = body("modern skills/get")["skill"].clone();
    let file = body("modern resources/read")["contents"][0].clone();
    let uri = skill["uri"].as_str().unwrap().to_owned();
    let contents = Contents {
        title: "demo".to_owned(),
        version: "1.2.3".to_owned(),
        instructions: body("modern server/discover")["instructions"].as_str().unwrap().to_owned(),
        skills: vec![Skill {
            uri: uri.clone(),
            frontmatter: skill["frontmatter"].as_object().unwrap().clone(),
            files: vec![SkillFile {
                uri,
                mime_type: file["mimeType"].as_str().unwrap().to_owned(),
                content: file["text"].as_str().unwrap().into(),
            }],
        }],
        tools: tools.collect(),
        directory: None,
    };
    let meta = Meta { page_size: 100, ttl_ms: 60_000, cache_private: true };
    ToolSet::open(encode(&contents, &meta)).unwrap()
}

#[test]
fn transport_cases() {
    for text in CASES {
        let case: Value = serde_json::from_str(text).unwrap();
        check_case(&case["id"], &case);
        for more in case["more"].as_array().into_iter().flatten() {
            check_case(&case["id"], more);
        }
    }
}

fn check_case(id: &Value, case: &Value) {
    let http = &case["request"]["http"];
    let raw = http["bodyRaw"].as_str().map_or_else(|| http["body"].to_string(), str::to_owned);
    let row = json!({
        "era": "none", "http": http["method"], "method": "x", "headers": http["headers"], "raw": raw,
    });
    let (headers, body) = request(&row);
    gate(&headers, &[]).unwrap();
    let Received::Reply(reply) = receive(&headers, &body, &tools(false)) else { panic!("{id}") };
    let text = String::from_utf8_lossy(&reply.body);
    for (rule, expected) in case["expect"]["http"].as_object().unwrap() {
        match rule.as_str() {
            "status" => assert_eq!(*expected, reply.status, "{id}"),
            "bodyEmpty" => assert!(text.is_empty(), "{id}: {text}"),
            "bodyContains" => {
                for part in expected.as_array().unwrap() {
                    assert!(text.contains(part.as_str().unwrap()), "{id}: {text}");
                }
            }
            "jsonRpc" => {
                let body = body_of(&reply);
                if let Some(expected) = expected.get("id") {
                    assert_eq!(body["id"], *expected, "{id}");
                }
                assert_eq!(body.get("result").is_some(), expected["hasResult"] == true, "{id}");
                assert_eq!(body["error"]["code"], expected["errorCode"], "{id}");
            }
            rule => panic!("{id}: unknown rule {rule}"),
        }
    }
}
