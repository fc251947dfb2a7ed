use serde_json::{Value, json};

use super::*;
use crate::tool::{ParameterPlan, Place, Plan, Shape, Source, Style};

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
    let mut original =
        tool("a", &json!({"title": "A", "examples": [{"q": "x"}], "paramHeaders": {"q": "Q"}}));
    let Plan::Operation(plan) = &mut original.plan;
    plan.parameters.push(ParameterPlan {
        name: "n".to_owned(),
        place: Place::Query,
        style: Style::Form,
        explode: true,
        allow_reserved: false,
        content: None,
        source: Source::Fixed(
            serde_json::from_str("[1.50,12345678901234567890123,{\"2\":1}]").unwrap(),
        ),
    });
    plan.response.shape.push(Shape {
        items: Some(1),
        prefix_items: vec![0, 3],
        ..Shape::default()
    });
    let contents = Contents { tools: vec![original.clone()], ..Contents::default() };
    let set = ToolSet::open(encode(&contents, &META)).unwrap();
    assert_eq!(set.tool("a").unwrap().unwrap().tool, original);
    assert!(set.tool("A").unwrap().is_none());
}

const META: Meta = Meta { page_size: 2, ttl_ms: 60_000, cache_private: true };
