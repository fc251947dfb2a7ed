//! Cursors of lists: opaque to clients, the same in every worker and after a restart.

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};

use super::Listing;

/// Bytes of the set's digest in a cursor.
const DIGEST: usize = 8;
/// Bytes of a cursor before Base64: digest, list, offset.
const LENGTH: usize = DIGEST + 1 + 4;

/// A cursor that this tool set did not give out: the catalog has changed, or it was made up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "the cursor is not one of this list, or the list has changed: start again without a cursor"
)]
pub struct BadCursor;

/// The cursor of the page that starts at `offset`.
pub(super) fn write(digest: &[u8; 32], listing: Listing, offset: u32) -> String {
    let mut bytes = Vec::with_capacity(LENGTH);
    bytes.extend(digest.iter().take(DIGEST));
    bytes.push(listing as u8);
    bytes.extend(offset.to_be_bytes());
    BASE64_URL_SAFE_NO_PAD.encode(bytes)
}

/// The offset that a cursor denotes in the list of the set with this digest.
pub(super) fn read(digest: &[u8; 32], listing: Listing, cursor: &str) -> Result<u32, BadCursor> {
    let bytes = BASE64_URL_SAFE_NO_PAD.decode(cursor).map_err(|_| BadCursor)?;
    let (head, offset) = bytes.split_last_chunk::<4>().ok_or(BadCursor)?;
    let (tag, prefix) = head.split_last().ok_or(BadCursor)?;
    if prefix.len() == DIGEST && digest.starts_with(prefix) && *tag == listing as u8 {
        Ok(u32::from_be_bytes(*offset))
    } else {
        Err(BadCursor)
    }
}
