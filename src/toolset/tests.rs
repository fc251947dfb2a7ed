use serde_json::{Value, json};

use super::*;

pub(crate) fn tool(name: &str, more: &Value) -> Tool {
    let mut value = json!({
        "name": name,
        "description": "does it",
        "inputSchema": {"type": "object", "properties": {"q": {"type": "string"}}},
        "annotations": {"readOnlyHint": true},
        "plan": {
            "kind": "operation", "upstream": "api", "pointer": "/paths/~1a/get", "method": "GET",
            "basePath": "", "path": "/a", "parameters": [],
            "response": {"maxStringLength": 500, "maxErrorLength": 4000}
        }
    });
    for (key, member) in more.as_object().unwrap() {
        value[key] = member.clone();
    }
    serde_json::from_str(&value.to_string()).unwrap()
}

#[test]
fn a_tool_survives_the_journey() {
    let original = tool("a", &json!({"title": "A", "examples": [{"q": "x"}], "paramHeaders": {"q": "Q"}}));
    let contents = Contents { tools: vec![original.clone()], ..Contents::default() };
    let set = ToolSet::open(encode(&contents, &META)).unwrap();
    assert_eq!(set.tool("a").unwrap().unwrap().tool, original);
    assert!(set.tool("A").unwrap().is_none());
}

const META: Meta = Meta { page_size: 2, ttl_ms: 60_000, cache_private: true };
