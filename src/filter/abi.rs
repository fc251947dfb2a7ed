//! Host calls that requests make, without the copies that the SDK makes on the way, and with every
//! status as a value: the SDK panics at those that it does not expect.

#![allow(unsafe_code, reason = "the ABI hands over pointers")]

use proxy_wasm::types::MapType;

use crate::http::Reply;
use crate::pairs;

/// `PROXY_RESULT_OK` (Proxy-Wasm ABI 0.2.1).
const OK: u32 = 0;
/// The reply is not one of gRPC.
const NO_GRPC_STATUS: i32 = -1;

#[link(wasm_import_module = "env")]
unsafe extern "C" {
    fn proxy_get_header_map_pairs(kind: MapType, data: *mut *mut u8, size: *mut usize) -> u32;
    fn proxy_get_property(
        path: *const u8,
        path_size: usize,
        data: *mut *mut u8,
        size: *mut usize,
    ) -> u32;
    fn proxy_send_local_response(
        status: u32,
        details: *const u8,
        details_size: usize,
        body: *const u8,
        body_size: usize,
        headers: *const u8,
        headers_size: usize,
        grpc_status: i32,
    ) -> u32;
}

/// A serialized header map, if the host has one.
pub(super) fn header_map(kind: MapType) -> Option<Vec<u8>> {
    // SAFETY: both pointers are valid for the call.
    taken(|data, size| unsafe { proxy_get_header_map_pairs(kind, data, size) })
}

/// A property, if it is there; zero bytes stand between the parts of its path.
pub(super) fn property(path: &str) -> Option<Vec<u8>> {
    // SAFETY: all pointers are valid for the call.
    taken(|data, size| unsafe { proxy_get_property(path.as_ptr(), path.len(), data, size) })
}

/// Answers the client; returns whether the host took the answer.
pub(super) fn send(reply: &Reply) -> bool {
    let fields = reply.headers.iter().map(|(name, value)| (*name, value.as_bytes()));
    let headers = pairs::serialize(fields);
    let body = if reply.body.is_empty() { std::ptr::null() } else { reply.body.as_ptr() };
    // SAFETY: all pointers are valid for the call, and nothing is read behind a null pointer.
    let status = unsafe {
        proxy_send_local_response(
            u32::from(reply.status),
            std::ptr::null(),
            0,
            body,
            reply.body.len(),
            headers.as_ptr(),
            headers.len(),
            NO_GRPC_STATUS,
        )
    };
    status == OK
}

/// The bytes that the host hands over in a call, if it has any.
fn taken(call: impl FnOnce(*mut *mut u8, *mut usize) -> u32) -> Option<Vec<u8>> {
    let mut data = std::ptr::null_mut::<u8>();
    let mut size = 0;
    let status = call(&raw mut data, &raw mut size);
    if status != OK || data.is_null() {
        return None;
    }
    // SAFETY: the host filled `size` bytes that it had the SDK's `proxy_on_memory_allocate` make,
    // which allocates exactly `size`, and handed them over.
    let bytes = unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(data, size)) };
    Some(bytes.into_vec())
}
