//! Host calls as total functions: every status becomes a value, nothing panics.

#![allow(clippy::disallowed_types, reason = "the shell is where the clock is read")]

use std::cell::Cell;
use std::time::{Duration, UNIX_EPOCH};

use proxy_wasm::hostcalls;
use proxy_wasm::types::{BufferType, LogLevel, MapType, Status};

use super::abi;
use crate::exchange::outcome::CallAnswer;
use crate::http::{Field, Headers, Reply, UpstreamError};
use crate::store::{Conflict, Store};

thread_local! {
    static IS_NGINX: Cell<Option<bool>> = const { Cell::new(None) };
}

/// Milliseconds since the Unix epoch.
pub(super) fn now() -> u64 {
    hostcalls::get_current_time()
        .ok()
        .and_then(|time| time.duration_since(UNIX_EPOCH).ok())
        .map_or(0, |since| u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}

/// Whether the host is nginx. Only an HTTP context may ask for the first time.
pub(super) fn is_nginx() -> bool {
    IS_NGINX.get().unwrap_or_else(|| {
        let nginx = abi::property("ngx\0nginx_version").is_some();
        IS_NGINX.set(Some(nginx));
        nginx
    })
}

/// Follows the host's log level. Not on nginx, where asking for it traps.
pub(super) fn follow_log_level() {
    if IS_NGINX.get() == Some(false)
        && let Ok(level) = hostcalls::get_log_level()
    {
        proxy_wasm::set_log_level(match level {
            LogLevel::Critical => LogLevel::Error,
            level => level,
        });
    }
}

/// The plugin configuration.
pub(super) fn configuration() -> Vec<u8> {
    hostcalls::get_buffer(BufferType::PluginConfiguration, 0, usize::MAX)
        .ok()
        .flatten()
        .unwrap_or_default()
}

/// `:path` of the request.
pub(super) fn request_path() -> Option<Vec<u8>> {
    hostcalls::get_map_value_bytes(MapType::HttpRequestHeaders, ":path").ok().flatten()
}

/// All request headers.
pub(super) fn request_headers() -> Headers {
    header_map(MapType::HttpRequestHeaders)
}

/// A whole header map; empty when the host has none.
fn header_map(kind: MapType) -> Headers {
    let headers = Headers::from_serialized(abi::header_map(kind).unwrap_or_default());
    // Envoy's names are in lower case already.
    if IS_NGINX.get() == Some(false) { headers } else { headers.lowercase() }
}

/// `:status` of the response that passes by.
pub(super) fn response_status() -> Option<u16> {
    let value = hostcalls::get_map_value_bytes(MapType::HttpResponseHeaders, ":status").ok()??;
    std::str::from_utf8(&value).ok()?.parse().ok()
}

/// Removes `content-length` from the response that passes by.
pub(super) fn forget_response_length() {
    let _ = hostcalls::remove_map_value(MapType::HttpResponseHeaders, "content-length");
}

/// The request body, when all of its `size` bytes can be read.
pub(super) fn request_body(size: usize) -> Option<Vec<u8>> {
    if size == 0 {
        return Some(Vec::new());
    }
    let body = hostcalls::get_buffer(BufferType::HttpRequestBody, 0, size).ok()??;
    (body.len() == size).then_some(body)
}

/// The request body that was buffered so far, when it has at most `limit` bytes.
pub(super) fn buffered_body(limit: usize) -> Option<Vec<u8>> {
    let most = limit.saturating_add(1);
    let body = hostcalls::get_buffer(BufferType::HttpRequestBody, 0, most).ok()?;
    Some(body.unwrap_or_default()).filter(|body| body.len() <= limit)
}

/// What Envoy's route metadata says under `openapi_mcp`, as serialized by the host.
pub(super) fn route_metadata() -> Option<Vec<u8>> {
    if is_nginx() {
        return None;
    }
    abi::property("xds\0route_metadata\0filter_metadata\0openapi_mcp")
}

/// Answers the client.
pub(super) fn send(reply: &Reply) {
    if !abi::send(reply) {
        log::error!("event=reply_failed status={}", reply.status);
    }
}

/// One HTTP call to dispatch.
#[derive(Debug)]
pub(super) struct Call<'a> {
    /// Cluster on Envoy, `host:port` on nginx.
    pub(super) cluster: &'a str,
    pub(super) authority: &'a str,
    pub(super) method: &'a str,
    pub(super) path: &'a str,
    pub(super) headers: &'a [Field],
    pub(super) body: Option<&'a [u8]>,
    pub(super) timeout: Duration,
}

/// Dispatches a call; returns its token.
pub(super) fn dispatch(call: &Call<'_>) -> Result<u32, UpstreamError> {
    let mut headers = Vec::with_capacity(call.headers.len() + 4);
    headers.extend([
        (":method", call.method),
        (":path", call.path),
        (":authority", call.authority),
        (":scheme", "http"),
    ]);
    headers.extend(call.headers.iter().map(|(name, value)| (&**name, &**value)));
    hostcalls::dispatch_http_call(call.cluster, headers, call.body, Vec::new(), call.timeout)
        .map_err(|status| match status {
            Status::BadArgument => UpstreamError::UnknownUpstream,
            _ => UpstreamError::Unavailable,
        })
}

/// What came back for a dispatched call. A body over `limit` bytes is not copied.
pub(super) fn call_answer(
    num_headers: usize,
    body_size: usize,
    limit: u64,
    elapsed: Duration,
) -> CallAnswer {
    let readable = num_headers > 0 || IS_NGINX.get() == Some(true);
    let headers =
        if readable { header_map(MapType::HttpCallResponseHeaders) } else { Headers::default() };
    let body = if num_headers > 0 && body_size > 0 && body_size as u64 <= limit {
        hostcalls::get_buffer(BufferType::HttpCallResponseBody, 0, body_size).ok().flatten()
    } else {
        None
    };
    CallAnswer { headers, body: body.unwrap_or_default(), body_size: body_size as u64, elapsed }
}

/// Goes on in another context, so that host calls concern its request.
pub(super) fn enter(context_id: u32) -> bool {
    hostcalls::set_effective_context(context_id).is_ok()
}

/// What form tools need of the host.
#[derive(Debug)]
pub(super) struct FormHost;

impl crate::exchange::Host for FormHost {
    fn now(&self) -> u64 {
        now()
    }

    fn property(&self, path: &[String]) -> Option<Vec<u8>> {
        abi::property(&path.join("\0"))
    }

    fn store(&self) -> &dyn Store {
        &SharedData
    }
}

/// Shared data of the host.
#[derive(Debug, Clone, Copy)]
pub(super) struct SharedData;

impl Store for SharedData {
    fn get(&self, key: &str) -> (Option<Vec<u8>>, Option<u32>) {
        let (value, cas) = hostcalls::get_shared_data(key).unwrap_or_default();
        (value.filter(|value| !value.is_empty()), cas)
    }

    fn set(&self, key: &str, value: &[u8], cas: Option<u32>) -> Result<(), Conflict> {
        // On Envoy no number overwrites, and any number creates; nginx has it the other way round.
        let create = (IS_NGINX.get() == Some(false)).then_some(u32::MAX);
        let cas = cas.or(create);
        hostcalls::set_shared_data(key, Some(value), cas).map_err(|_| Conflict)
    }
}
