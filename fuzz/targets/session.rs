//! Stored sessions: bytes that are one mean the same when they are stored again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use openapi_mcp_filter::editor::session::{decode, encode};

fuzz_target!(|input: &[u8]| {
    let Some(stored) = decode(input) else { return };
    assert_eq!(decode(&encode(&stored)).as_ref(), Some(&stored));
});
