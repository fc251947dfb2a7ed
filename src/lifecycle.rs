//! Who fetches the documents and compiles them, and how the other VMs learn of it.
//!
//! Every VM of the process ticks. One holds the lease and is the leader: it fetches
//! the documents (`fetch`), compiles every view in slices (`job`) and stores the result in shared
//! data. The others, and the leader itself when it serves requests, open what is stored (`views`).
//! Time is given in milliseconds since the Unix epoch.

mod encoding;
mod endpoints;
mod fetch;
mod files;
mod job;
mod leader;
mod lease;
mod links;
mod manifest;
mod source;
mod views;
#[cfg(test)]
mod world;

pub use fetch::{DocumentRequest, Subject};
pub use leader::{Effect, Leader, Standing};
pub use links::{Place, Server};
pub use views::{View, Views, Want};

use crate::store::{self, Store};
use crate::{config, digest, toolset};

/// The first 16 hexadecimal digits of the SHA-256 of some bytes.
pub(crate) fn short_digest(bytes: &[u8]) -> String {
    digest::start(bytes, 8)
}

/// What tells an encoded tool set from others: the start of the digest that it carries.
fn stamp(set: &[u8]) -> String {
    let digest = toolset::digest(set).map_or(&[][..], |digest| digest.as_slice());
    digest::hexadecimal(digest.get(..8).unwrap_or_default())
}

/// Gives out a number that no other context of the process has.
pub fn next_id(place: &config::Store, now: u64, store: &dyn Store) -> u64 {
    let mut id = 0;
    store::update::<u64>(store, &place.key("openapi-mcp/ids"), |last| {
        // At least the time, so that ids stay unique when the host drops the last one.
        id = last.unwrap_or(0).saturating_add(1).max(now);
        Some(id)
    });
    id
}
