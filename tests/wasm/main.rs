//! The built filter in a scripted host, for what no gateway does on demand.
//!
//! Every scenario runs under both personalities, Envoy's and `ngx_wasm_module`'s, each with the
//! quirks and traps that were measured on the real hosts.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    unreachable_pub,
    missing_docs,
    missing_debug_implementations,
    reason = "a test fails by panicking, and offers nothing to others"
)]

mod compose;
#[path = "../support/compositions.rs"]
mod compositions;
#[path = "../support/documents.rs"]
mod documents;
mod examples;
mod forms;
mod gateway;
mod golden;
mod host;
mod imports;
mod lifecycle;
#[path = "../support/recorded.rs"]
mod recorded;
mod requests;
mod sessions;
mod stable;
#[path = "../support/vectors.rs"]
mod vectors;
mod wire;

use serde_json::{Value, json};

use host::Personality;

pub const BOTH: [Personality; 2] = [Personality::Envoy, Personality::Nginx];

/// A configuration with one upstream and one route.
pub fn configuration(extra: &Value) -> String {
    let mut config = json!({
        "store": { "zone": "mcp" },
        "upstreams": [{
            "name": "api",
            "cluster": "api",
            "authority": "api.test",
            "document": { "path": "/openapi.json", "refresh": "60s", "timeout": "1s" },
            "forwardHeaders": ["authorization"],
            "headers": { "x-client": "mcp" },
            "timeout": "2s",
        }],
        "routes": [{ "path": "/mcp" }],
        "limits": { "requestBody": "4KiB", "upstreamBody": "64KiB" },
    });
    merge(&mut config, extra);
    config.to_string()
}

fn merge(target: &mut Value, extra: &Value) {
    match (target, extra) {
        (Value::Object(target), Value::Object(extra)) => {
            for (key, value) in extra {
                merge(target.entry(key).or_insert(Value::Null), value);
            }
        }
        (target, extra) => *target = extra.clone(),
    }
}

/// A document with a read and a write operation.
pub fn document() -> Value {
    json!({
        "openapi": "3.1.0",
        "info": { "title": "Pets", "version": "1.2.3" },
        "servers": [{ "url": "https://api.test/v1" }],
        "paths": {
            "/pets/{id}": { "get": {
                "operationId": "getPet",
                "summary": "Get a pet",
                "x-agent": {},
                "parameters": [
                    { "name": "id", "in": "path", "required": true, "schema": { "type": "string" } },
                    { "name": "verbose", "in": "query", "schema": { "type": "boolean" } },
                ],
                "responses": { "200": { "description": "ok", "content": {
                    "application/json": { "schema": { "type": "object" } } } } },
            } },
            "/pets": { "post": {
                "operationId": "addPet",
                "summary": "Add a pet",
                "x-agent": {},
                "requestBody": { "required": true, "content": { "application/json": { "schema": {
                    "type": "object",
                    "required": ["name"],
                    "properties": { "name": { "type": "string" } },
                } } } },
                "responses": { "201": { "description": "made" } },
            } },
        },
    })
}
