//! Why there is no answer, in words an agent can act on. No address of the inside is named.

use crate::http::UpstreamError;

/// What happened to a request with `method`, whether the API may have acted, and what to do.
#[cold]
pub(super) fn describe(error: UpstreamError, method: &str) -> String {
    let advice = Advice::after(method);
    match error {
        UpstreamError::UnknownUpstream => {
            "Request failed: the gateway has no route to this API, so nothing was sent. \
             Trying again will not help: the operator has to correct the gateway's configuration."
                .to_owned()
        }
        UpstreamError::Unavailable => {
            "Request failed: no instance of the API can take requests at the moment, \
             so nothing was sent. It is safe to try again later."
                .to_owned()
        }
        UpstreamError::ConnectionFailed => {
            "Request failed: the API could not be reached, so nothing was sent. \
             It is safe to try again later."
                .to_owned()
        }
        UpstreamError::TooLarge { limit } => too_large(limit, method),
        error => advice.on(doubt(error).unwrap_or_default()),
    }
}

/// Why it is not known what the API made of a request, without a final period; `None` when nothing
/// was sent.
pub fn doubt(error: UpstreamError) -> Option<&'static str> {
    Some(match error {
        UpstreamError::UnknownUpstream
        | UpstreamError::Unavailable
        | UpstreamError::ConnectionFailed => return None,
        UpstreamError::ConnectionClosed => "the API closed the connection before it answered",
        UpstreamError::ProtocolError => "what the API answered is not valid HTTP",
        UpstreamError::Timeout => "the API did not answer within the time limit",
        UpstreamError::TooLarge { .. } => "the API's answer is too large to be read",
        UpstreamError::Truncated => {
            "the API's answer broke off before its end (connection lost, time limit or size limit)"
        }
    })
}

/// The answer is larger than `limit` bytes.
pub(super) fn too_large(limit: u64, method: &str) -> String {
    let next = match Advice::after(method) {
        Advice::Read => {
            "Ask for less, for instance a smaller page, fewer fields or a narrower filter."
        }
        Advice::Repeatable | Advice::Once => {
            "The API did answer, so it has probably carried the request out: \
             check that before trying again."
        }
    };
    format!("Request failed: the API's answer is larger than the limit of {limit} bytes. {next}")
}

/// Whether a request that may have been carried out can be sent again (RFC 9110 §9.2).
enum Advice {
    Read,
    Repeatable,
    Once,
}

impl Advice {
    fn after(method: &str) -> Self {
        match method {
            "GET" | "HEAD" | "OPTIONS" | "TRACE" | "QUERY" => Self::Read,
            "PUT" | "DELETE" => Self::Repeatable,
            _ => Self::Once,
        }
    }

    fn on(&self, what: &str) -> String {
        let advice = match self {
            Self::Read => "The request only reads, so it is safe to try again.",
            Self::Repeatable => {
                "The API may have carried the request out; repeating it has the same effect as \
                 doing it once, so it is safe to try again."
            }
            Self::Once => {
                "The API may have carried the request out: check that before trying again, \
                 or it may happen twice."
            }
        };
        format!("Request failed: {what}. {advice}")
    }
}
