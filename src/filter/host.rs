//! Host calls as total functions: every status becomes a value, nothing panics.

#![allow(clippy::disallowed_types, reason = "the shell is where the clock is read")]

use std::cell::Cell;
use std::time::{Duration, UNIX_EPOCH};

use proxy_wasm::hostcalls;
use proxy_wasm::types::{BufferType, LogLevel, MapType, Status};

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
        let nginx = matches!(hostcalls::get_property(vec!["ngx", "nginx_version"]), Ok(Some(_)));
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
    abi::header_map(MapType::HttpRequestHeaders)
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
    hostcalls::get_property(vec!["xds", "route_metadata", "filter_metadata", "openapi_mcp"])
        .ok()
        .flatten()
}

/// Answers the client.
pub(super) fn send(reply: &Reply) {
    let headers =
        reply.headers.iter().map(|(name, value)| (*name, value.as_str())).collect::<Vec<_>>();
    let body = (!reply.body.is_empty()).then_some(reply.body.as_slice());
    if hostcalls::send_http_response(u32::from(reply.status), headers, body).is_err() {
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
    let headers = if readable {
        abi::header_map(MapType::HttpCallResponseHeaders)
    } else {
        Headers::default()
    };
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

mod abi {
    //! Host calls that the SDK makes at the price of two allocations per header field.

    #![allow(unsafe_code, reason = "the ABI hands over pointers")]

    use proxy_wasm::types::MapType;

    use crate::http::Headers;

    #[link(wasm_import_module = "env")]
    unsafe extern "C" {
        fn proxy_get_header_map_pairs(kind: MapType, data: *mut *mut u8, size: *mut usize) -> u32;
    }

    /// A whole header map; empty when the host has none.
    pub(super) fn header_map(kind: MapType) -> Headers {
        let mut data = std::ptr::null_mut::<u8>();
        let mut size = 0;
        // SAFETY: both pointers are valid for the call.
        let status = unsafe { proxy_get_header_map_pairs(kind, &raw mut data, &raw mut size) };
        if status != 0 || data.is_null() {
            return Headers::default();
        }
        // SAFETY: the host filled `size` bytes that it had the SDK's `proxy_on_memory_allocate` make,
        // which allocates exactly `size`, and handed them over.
        let bytes = unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(data, size)) };
        let headers = Headers::from_serialized(bytes.into_vec());
        // Envoy's names are in lower case already.
        if super::IS_NGINX.get() == Some(false) { headers } else { headers.lowercase() }
    }
}

/// What form tools need of the host.
#[derive(Debug)]
pub(super) struct FormHost;

impl crate::exchange::Host for FormHost {
    fn now(&self) -> u64 {
        now()
    }

    fn property(&self, path: &[String]) -> Option<Vec<u8>> {
        hostcalls::get_property(path.iter().map(String::as_str).collect()).ok().flatten()
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
