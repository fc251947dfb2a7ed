//! The Proxy-Wasm shell: copies between the host and the core, decides nothing.
//!
//! The only module that names `proxy_wasm`, reads the clock or touches a host buffer. Written to the
//! rules that hold on Envoy and on `ngx_wasm_module` alike: no dispatch and no property read in
//! `on_configure`, one fixed tick, no header read of a failed call, always paused after a dispatch.

mod abi;
mod conversation;
mod host;
mod http;
mod metrics;
mod root;
mod shared;

use proxy_wasm::types::LogLevel;

proxy_wasm::main! {{
    proxy_wasm::set_log_level(LogLevel::Info);
    proxy_wasm::set_root_context(|_| Box::new(root::Root::default()));
}}
