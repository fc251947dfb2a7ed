//! A Proxy-Wasm filter that serves an HTTP API to AI agents over MCP, from its OpenAPI document.
//!
//! The library is a pure core: values in, one effect out. Only `filter` (compiled for wasm32
//! only) talks to the host. Groups of modules are listed from the ground up; what may use
//! what is in `ARCHITECTURE.md`, and tested.

// texts, values and messages
pub mod digest;
pub mod http;
pub mod json;
pub mod media;
pub mod pairs;
mod pattern;
pub mod search;
pub mod store;
pub mod suggest;
// what is offered
pub mod tool;
// what the operator and the API owner wrote
pub mod config;
pub mod openapi;
pub mod overlay;
pub mod vocabulary;
// forms over structured documents
pub mod editor;
// document + options → tools
pub mod catalog;
// one call
pub mod call;
// compiled tools as bytes, and MCP on the wire
pub mod mcp;
pub mod toolset;
// who fetches and compiles, and what happens next in one exchange
pub mod exchange;
pub mod lifecycle;

#[cfg(target_arch = "wasm32")]
mod filter;
