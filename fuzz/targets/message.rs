//! MCP requests. The first line has header fields, the second the body, the third what the API
//! answers when a tool is called.
#![no_main]

use fuzz::{API, mutate, open};
use libfuzzer_sys::{fuzz_mutator, fuzz_target};
use openapi_mcp_filter::{
    call::{
        arguments, conform, request,
        response::{Context, render},
    },
    config::ViewOptions,
    http::{Headers, UpstreamResponse},
    json,
    mcp::{self, Received, ToolCall},
    openapi::Document,
    toolset::ToolSet,
};
use serde_json::value::RawValue;

thread_local! {
    static TOOLS: ToolSet = {
        let document = Document::parse(API.as_bytes()).expect("the document is one");
        let options = ViewOptions { structured_content: true, ..ViewOptions::default() };
        open(&document, &options).expect("the document has tools")
    };
}

fuzz_target!(|input: &[u8]| {
    let mut lines = input.splitn(3, |&byte| byte == b'\n');
    let fields = lines.next().and_then(|line| json::parse(line).ok()).unwrap_or_default();
    let fields = fields.as_object().into_iter().flatten();
    let headers = fields.map(|(name, value)| {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        (name.clone(), text.into_bytes())
    });
    let headers = Headers::new(headers);
    let body = lines.next().unwrap_or_default();
    TOOLS.with(|tools| {
        let _ = mcp::gate(&headers, &["https://app.example.com".to_owned()]);
        if let Received::Call(call) = mcp::receive(&headers, body, tools) {
            answer(*call, lines.next().unwrap_or_default());
        }
    });
});

/// Makes the request of a call, and the reply from what the API answers.
fn answer(call: ToolCall, body: &[u8]) {
    let ToolCall { envelope, tool, arguments, .. } = call;
    let plan = tool.tool.plan.operation().expect("the document has no forms");
    let checked = arguments::check(&tool.tool, tool.validators(), arguments);
    let Ok(arguments) = checked else { return };
    let _ = request::build(plan, &arguments);
    let headers = [("content-type", "application/json")].into_iter().collect();
    let answer = UpstreamResponse { status: 200, headers, body: body.to_vec() };
    let mut result = render(plan, &arguments, Ok(answer), &Context::default());
    conform::conform(&tool.tool, tool.validators(), &mut result);
    let reply = mcp::reply(&envelope, result);
    // as deep as the API's answer, and a little more: too deep for `json::parse`
    serde_json::from_slice::<&RawValue>(&reply.body).expect("replies are JSON");
}

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    mutate(data, size, max_size, seed)
});
