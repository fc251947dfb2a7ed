//! HTTP messages as the core sees them: no host types.

use std::time::Duration;

/// Header fields in wire order, names in lower case, values as bytes (RFC 9110 §5.5 allows obs-text).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Headers(Vec<(String, Vec<u8>)>);

impl Headers {
    /// Headers from pairs; names are lower-cased.
    pub fn new(pairs: impl IntoIterator<Item = (String, Vec<u8>)>) -> Self {
        Self(
            pairs
                .into_iter()
                .map(|(mut name, value)| {
                    name.make_ascii_lowercase();
                    (name, value)
                })
                .collect(),
        )
    }

    /// The first value of a field as text without surrounding white space; `None` when it is absent
    /// or not UTF-8. `name` is in lower case.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.get_bytes(name).and_then(|value| std::str::from_utf8(value).ok()).map(str::trim)
    }

    /// The first value of a field as it came.
    pub fn get_bytes(&self, name: &str) -> Option<&[u8]> {
        self.0.iter().find(|(n, _)| n == name).map(|(_, value)| value.as_slice())
    }

    /// All fields in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_slice()))
    }
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

/// One request to an upstream API, ready to send.
///
/// `path` starts with `/` and is percent-encoded; header names are lower case and values hold no
/// control characters: both were checked when the request was built.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UpstreamRequest {
    /// Name of the configured upstream.
    pub upstream: String,
    /// HTTP method, upper case.
    pub method: String,
    /// Path with query.
    pub path: String,
    /// Header fields, without the pseudo headers.
    pub headers: Vec<(String, String)>,
    /// The body, if the request has one.
    pub body: Option<Vec<u8>>,
    /// Time limit of the call; the upstream's configured one when absent.
    pub timeout: Option<Duration>,
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
