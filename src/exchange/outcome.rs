//! What the host says about a dispatched call → what happened.
//!
//! Hosts report failures in different ways: Envoy makes up a response (503, 502 or 504 without
//! `x-envoy-upstream-service-time`) or calls back with no header at all; `ngx_wasm_module` calls back
//! with `:dispatch_status`.

use std::time::Duration;

use crate::http::{Headers, UpstreamError, UpstreamResponse};

/// What the host handed over for one dispatched call.
#[derive(Debug, Clone, Default)]
pub struct CallAnswer {
    /// Header fields with pseudo headers; empty when the host has none.
    pub headers: Headers,
    /// The body, when it was read.
    pub body: Vec<u8>,
    /// Size of the body as the host announced it, in bytes.
    pub body_size: u64,
    /// Time since the dispatch.
    pub elapsed: Duration,
}

/// Limits the call ran under.
#[derive(Debug, Clone, Copy)]
pub struct CallLimits {
    /// Time limit given to the host.
    pub timeout: Duration,
    /// Largest body that is accepted, in bytes.
    pub body: u64,
}

/// Slack when an answer that came to nothing is blamed on the time limit.
const TIMEOUT_SLACK: Duration = Duration::from_millis(20);

/// Tells a response of the API from a failure of the call.
pub fn classify(answer: CallAnswer, limits: CallLimits) -> Result<UpstreamResponse, UpstreamError> {
    if let Some(status) = answer.headers.get(":dispatch_status")
        && status != "ok"
    {
        return Err(dispatch_failure(status, limits));
    }
    let Some(status) = answer.headers.get(":status").and_then(|status| status.parse().ok()) else {
        return Err(broken_off(&answer, limits));
    };
    if let Some(error) = gateway_failure(status, &answer) {
        return Err(error);
    }
    if answer.body_size > limits.body {
        return Err(UpstreamError::TooLarge { limit: limits.body });
    }
    if (answer.body.len() as u64) < answer.body_size {
        return Err(UpstreamError::Truncated);
    }
    Ok(UpstreamResponse { status, headers: answer.headers, body: answer.body })
}

/// `ngx_wasm_module`: `timeout`, `broken connection`, `reader failure`, `resolver failure`, …
fn dispatch_failure(status: &str, limits: CallLimits) -> UpstreamError {
    match status {
        "timeout" => UpstreamError::Timeout,
        "broken connection" => UpstreamError::ConnectionFailed,
        "reader failure" => UpstreamError::TooLarge { limit: limits.body },
        "resolver failure" | "bad host" | "connect failure" | "tls failure" => {
            UpstreamError::Unavailable
        }
        _ => UpstreamError::ConnectionClosed,
    }
}

/// No header at all: reset, time limit or size limit in the middle of the body.
fn broken_off(answer: &CallAnswer, limits: CallLimits) -> UpstreamError {
    if answer.elapsed + TIMEOUT_SLACK >= limits.timeout {
        UpstreamError::Timeout
    } else {
        UpstreamError::Truncated
    }
}

/// A response that Envoy made up. The API's own 5xx carry `x-envoy-upstream-service-time`.
fn gateway_failure(status: u16, answer: &CallAnswer) -> Option<UpstreamError> {
    let made_up = matches!(status, 502..=504)
        && answer.headers.get("x-envoy-upstream-service-time").is_none()
        && answer.headers.get("content-type") == Some("text/plain");
    if !made_up {
        return None;
    }
    let text = std::str::from_utf8(&answer.body).unwrap_or_default();
    let says = |words: &str| text.contains(words);
    match status {
        504 if says("upstream request timeout") => Some(UpstreamError::Timeout),
        502 | 503 if says("protocol error") => Some(UpstreamError::ProtocolError),
        503 if says("no healthy upstream") || says("overflow") => Some(UpstreamError::Unavailable),
        503 if says("connection failure") || says("connection timeout") => {
            Some(UpstreamError::ConnectionFailed)
        }
        503 if says("connection termination") || says("reset reason") || says("disconnect") => {
            Some(UpstreamError::ConnectionClosed)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: CallLimits = CallLimits { timeout: Duration::from_secs(1), body: 10 };

    fn answer(headers: &[(&str, &str)], body: &str, millis: u64) -> CallAnswer {
        CallAnswer {
            headers: headers.iter().copied().collect(),
            body: body.as_bytes().to_vec(),
            body_size: body.len() as u64,
            elapsed: Duration::from_millis(millis),
        }
    }

    #[track_caller]
    fn fails(headers: &[(&str, &str)], body: &str, millis: u64, expected: UpstreamError) {
        assert_eq!(classify(answer(headers, body, millis), LIMITS), Err(expected));
    }

    #[test]
    fn failures_reported_by_envoy() {
        let text = ("content-type", "text/plain");
        let reset = |reason: &str| {
            format!(
                "upstream connect error or disconnect/reset before headers. reset reason: {reason}"
            )
        };
        let s503 = [(":status", "503"), text];
        fails(&s503, &reset("remote connection failure"), 5, UpstreamError::ConnectionFailed);
        fails(&s503, &reset("connection termination"), 5, UpstreamError::ConnectionClosed);
        fails(&s503, &reset("overflow"), 5, UpstreamError::Unavailable);
        fails(&s503, "no healthy upstream", 5, UpstreamError::Unavailable);
        fails(
            &[(":status", "502"), text],
            &reset("protocol error"),
            5,
            UpstreamError::ProtocolError,
        );
        fails(
            &[(":status", "504"), text],
            "upstream request timeout",
            1000,
            UpstreamError::Timeout,
        );
        fails(&[], "", 995, UpstreamError::Timeout);
        fails(&[], "", 100, UpstreamError::Truncated);
    }

    #[test]
    fn failures_reported_by_ngx_wasm_module() {
        fails(&[(":dispatch_status", "timeout")], "", 1000, UpstreamError::Timeout);
        fails(&[(":dispatch_status", "broken connection")], "", 1, UpstreamError::ConnectionFailed);
        fails(&[(":dispatch_status", "resolver failure")], "", 1, UpstreamError::Unavailable);
        let half = [(":status", "200"), (":dispatch_status", "reader failure")];
        fails(&half, "", 1, UpstreamError::TooLarge { limit: 10 });
    }

    #[test]
    fn the_apis_own_errors_are_answers() {
        let own = [
            (":status", "503"),
            ("content-type", "text/plain"),
            ("x-envoy-upstream-service-time", "1"),
        ];
        assert_eq!(classify(answer(&own, "overflow", 5), LIMITS).unwrap().status, 503);
        let json = [(":status", "503"), ("content-type", "application/json")];
        assert_eq!(classify(answer(&json, "{}", 5), LIMITS).unwrap().status, 503);
    }

    #[test]
    fn bodies_over_the_limit_or_cut_short_are_no_answers() {
        let ok = [(":status", "200")];
        fails(&ok, "12345678901", 5, UpstreamError::TooLarge { limit: 10 });
        let mut cut = answer(&ok, "123", 5);
        cut.body_size = 4;
        assert_eq!(classify(cut, LIMITS), Err(UpstreamError::Truncated));
    }
}
