//! HTTP messages as the core sees them: no host types.

use std::borrow::Cow;
use std::ops::Range;
use std::time::Duration;

use crate::pairs::{self, Places};

/// Header fields in wire order, names in lower case, values as bytes (RFC 9110 §5.5 allows obs-text).
///
/// They stay as hosts serialize them: a request has a dozen fields, and most are never looked at.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Headers {
    bytes: Vec<u8>,
    /// One bit per field, by [`mark`]: most names that are asked for are not there.
    marks: u64,
}

impl Headers {
    /// Headers from pairs; names are lower-cased.
    pub fn new(pairs: impl IntoIterator<Item = (String, Vec<u8>)>) -> Self {
        let pairs = pairs.into_iter().collect::<Vec<_>>();
        let fields = pairs.iter().map(|(name, value)| (name.as_str(), value.as_slice()));
        Self::from_serialized(pairs::serialize(fields)).lowercase()
    }

    /// Headers as the host serialized them, names in lower case. None for bytes of another form.
    pub fn from_serialized(bytes: Vec<u8>) -> Self {
        let Some(places) = pairs::places(&bytes) else { return Self::default() };
        let mut marks = 0;
        for (name, _) in places {
            marks |= mark(text(&bytes, name));
        }
        Self { bytes, marks }
    }

    /// The same headers with all names in lower case.
    #[must_use]
    pub fn lowercase(mut self) -> Self {
        let names: Vec<_> = self.places().map(|(name, _)| name).collect();
        for name in names {
            if let Some(name) = self.bytes.get_mut(name) {
                name.make_ascii_lowercase();
            }
        }
        Self::from_serialized(self.bytes)
    }

    /// The first value of a field as text without surrounding white space; `None` when it is absent
    /// or not UTF-8. `name` is in lower case.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.get_bytes(name).and_then(|value| std::str::from_utf8(value.trim_ascii()).ok())
    }

    /// The first value of a field as it came.
    pub fn get_bytes(&self, name: &str) -> Option<&[u8]> {
        self.all(name).next()
    }

    /// All values of a field in order.
    pub fn all<'n>(&self, name: &'n str) -> Values<'_, 'n> {
        let is_marked = self.marks & mark(name.as_bytes()) != 0;
        let places = if is_marked { self.places() } else { Places::default() };
        Values { bytes: &self.bytes, name, places }
    }

    fn places(&self) -> Places<'_> {
        Places::new(&self.bytes).unwrap_or_default()
    }
}

/// The values of one field.
#[derive(Debug)]
pub struct Values<'h, 'n> {
    bytes: &'h [u8],
    name: &'n str,
    places: Places<'h>,
}

impl<'h> Iterator for Values<'h, '_> {
    type Item = &'h [u8];

    fn next(&mut self) -> Option<&'h [u8]> {
        for (key, value) in self.places.by_ref() {
            if key.len() == self.name.len() && text(self.bytes, key) == self.name.as_bytes() {
                return Some(text(self.bytes, value));
            }
        }
        None
    }
}

fn text(bytes: &[u8], place: Range<usize>) -> &[u8] {
    bytes.get(place).unwrap_or_default()
}

/// The bit of a name.
fn mark(name: &[u8]) -> u64 {
    let first = name.first().map_or(0, |&byte| usize::from(byte));
    1 << (((name.len() * 5) ^ first) % 64)
}

impl<'a> FromIterator<(&'a str, &'a str)> for Headers {
    fn from_iter<I: IntoIterator<Item = (&'a str, &'a str)>>(pairs: I) -> Self {
        Self::new(pairs.into_iter().map(|(name, value)| (name.to_owned(), value.into())))
    }
}

/// A complete answer to the MCP client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// HTTP status code.
    pub status: u16,
    /// Header fields besides `:status` and `content-length`.
    pub headers: Vec<(&'static str, String)>,
    /// The body; empty for none.
    pub body: Vec<u8>,
}

/// Name and value of a header field; most requests have the same ones.
pub type Field = (Cow<'static, str>, Cow<'static, str>);

/// A text, without a copy when it is one that most requests have.
pub fn common(text: &str) -> Cow<'static, str> {
    for known in ["GET", "POST", "PUT", "PATCH", "DELETE", "application/json"] {
        if known == text {
            return Cow::Borrowed(known);
        }
    }
    Cow::Owned(text.to_owned())
}

/// One request to an upstream API, ready to send.
///
/// `path` starts with `/` and is percent-encoded; header names are lower case and values hold no
/// control characters: both were checked when the request was built.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UpstreamRequest {
    /// Name of the configured upstream.
    pub upstream: String,
    /// Origin of the configured server that is called instead of the upstream's own.
    pub server: Option<String>,
    /// HTTP method, upper case.
    pub method: Cow<'static, str>,
    /// Path with query.
    pub path: String,
    /// Header fields, without the pseudo headers.
    pub headers: Vec<Field>,
    /// The body, if the request has one.
    pub body: Option<Vec<u8>>,
    /// Time limit of the call; the upstream's configured one when absent.
    pub timeout: Option<Duration>,
}

/// Whether a header parameter of this name is ignored: OpenAPI says so for `accept`, `content-type`
/// and `authorization`; the others belong to the connection or to the gateway.
///
/// Names are compared without case. Such a parameter is not offered as an argument either.
pub fn is_reserved_header(name: &str) -> bool {
    const NAMES: [&str; 15] = [
        "accept",
        "authorization",
        "connection",
        "content-length",
        "content-type",
        "expect",
        "host",
        "http2-settings",
        "keep-alive",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
        "via",
        "accept-encoding",
    ];
    let starts = |prefix: &str| {
        name.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix))
    };
    NAMES.iter().any(|reserved| name.eq_ignore_ascii_case(reserved))
        || starts(":")
        || starts("proxy-")
        || starts("x-envoy-")
}

/// What an upstream answered.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UpstreamResponse {
    /// HTTP status code.
    pub status: u16,
    /// Header fields.
    pub headers: Headers,
    /// The whole body.
    pub body: Vec<u8>,
}

/// Why there is no answer from an upstream.
///
/// `NotSent` variants are safe to repeat; after the others the API may have acted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UpstreamError {
    /// The gateway does not know the cluster or target.
    UnknownUpstream,
    /// No healthy endpoint, or the circuit breaker is open: not sent.
    Unavailable,
    /// The connection was refused: not sent.
    ConnectionFailed,
    /// The connection was closed before the response head.
    ConnectionClosed,
    /// The answer was not HTTP.
    ProtocolError,
    /// No complete answer within the time limit.
    Timeout,
    /// The body was larger than the limit in bytes.
    TooLarge {
        /// The limit in bytes.
        limit: u64,
    },
    /// The response broke off in the middle of the body (reset, time limit or size limit).
    Truncated,
}
