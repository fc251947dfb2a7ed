//! When to fetch one document, and what an answer means.

use std::rc::Rc;
use std::time::Duration;

use sha2::{Digest, Sha256};

use crate::config::{DocumentOrigin, DocumentSource};
use crate::http::{Headers, UpstreamError, UpstreamResponse};
use crate::lifecycle::links::Place;

/// Delay before the first retry, in milliseconds; doubled for each further one.
const FIRST_RETRY: u64 = 500;
/// Longest delay between retries, in milliseconds.
const LONGEST_RETRY: u64 = 60_000;

/// What a request is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
    /// The document of the upstream.
    Document,
    /// The overlay of the upstream that has this index.
    Overlay(usize),
    /// A text that its skills link to.
    Text(Place),
}

/// A request for a document, or for a text that belongs to it, to dispatch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentRequest {
    /// Index of the upstream in the configuration.
    pub upstream: usize,
    /// What it is for.
    pub subject: Subject,
    /// Cluster (Envoy) or `host:port`.
    pub cluster: String,
    /// `:authority`.
    pub authority: String,
    /// Path with query.
    pub path: String,
    /// Further header fields.
    pub headers: Vec<(String, String)>,
    /// Time limit.
    pub timeout: Duration,
    /// Largest body that is accepted, in bytes.
    pub max_size: u64,
}

/// What a server said to ask again with (RFC 9110, section 8.8).
#[derive(Debug, Default)]
pub(super) struct Validators {
    etag: Option<String>,
    last_modified: Option<String>,
}

impl Validators {
    pub(super) fn read(headers: &Headers) -> Self {
        Self {
            etag: headers.get("etag").map(str::to_owned),
            last_modified: headers.get("last-modified").map(str::to_owned),
        }
    }

    /// Makes a request conditional.
    pub(super) fn add_to(&self, headers: &mut Vec<(String, String)>) {
        match (&self.etag, &self.last_modified) {
            (Some(etag), _) => headers.push(("if-none-match".to_owned(), etag.clone())),
            (None, Some(date)) => headers.push(("if-modified-since".to_owned(), date.clone())),
            (None, None) => {}
        }
    }
}

/// The limits of a request, for messages.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits<'a> {
    /// Whom it was asked of.
    pub(super) cluster: &'a str,
    pub(super) timeout: Duration,
    /// What says how large the answer may be.
    pub(super) size: &'static str,
}

/// What one attempt brought.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Fetched {
    /// New text.
    Changed,
    /// The same text as before.
    Same,
    /// Nothing usable, and why.
    Failed(String),
}

/// The text of one upstream's document and the schedule of its fetches.
#[derive(Debug, Default)]
pub(super) struct Fetcher {
    text: Option<Rc<[u8]>>,
    digest: String,
    validators: Validators,
    due: u64,
    /// When `due` was set: a clock that is set back makes it due at once.
    planned: u64,
    in_flight: bool,
    failures: u32,
    /// When the text was last known to be current, in milliseconds.
    current: Option<u64>,
    /// Why the last attempt failed.
    failure: Option<String>,
}

impl Fetcher {
    /// The text, once there is one.
    pub(super) fn text(&self) -> Option<&Rc<[u8]>> {
        self.text.as_ref()
    }

    /// First 16 hex digits of the SHA-256 of the text; empty before there is one.
    pub(super) fn digest(&self) -> &str {
        &self.digest
    }

    /// When the text was last known to be current, in milliseconds.
    pub(super) fn current(&self) -> Option<u64> {
        self.current
    }

    /// Why the last attempt failed.
    pub(super) fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    /// Whether an attempt has ended, well or not.
    pub(super) fn settled(&self) -> bool {
        self.text.is_some() || self.failure.is_some()
    }

    /// Takes the text of an inline document; nothing is fetched for it.
    pub(super) fn take_inline(&mut self, source: &DocumentSource, now: u64) -> bool {
        match &source.origin {
            DocumentOrigin::Inline(text) if self.text.is_none() => {
                self.accept(text.as_bytes().to_vec());
                self.current = Some(now);
                true
            }
            DocumentOrigin::Inline(_) | DocumentOrigin::Fetched { .. } => false,
        }
    }

    /// The request to send now, if one is due. It must be answered with [`Fetcher::finish`].
    pub(super) fn poll(
        &mut self,
        upstream: usize,
        source: &DocumentSource,
        now: u64,
    ) -> Option<DocumentRequest> {
        let DocumentOrigin::Fetched { path, cluster, authority, headers } = &source.origin else {
            return None;
        };
        let set_back = now < self.planned && self.due < u64::MAX;
        if self.in_flight || (now < self.due && !set_back) {
            return None;
        }
        self.in_flight = true;
        let mut headers = headers.clone();
        headers.push((
            "accept".to_owned(),
            "application/json, application/yaml;q=0.9, */*;q=0.5".to_owned(),
        ));
        self.validators.add_to(&mut headers);
        Some(DocumentRequest {
            upstream,
            subject: Subject::Document,
            cluster: cluster.clone(),
            authority: authority.clone(),
            path: path.clone(),
            headers,
            timeout: source.timeout,
            max_size: source.max_size,
        })
    }

    /// Takes the answer and plans the next attempt. `noise` spreads retries: any number that differs
    /// between VMs and attempts.
    pub(super) fn finish(
        &mut self,
        source: &DocumentSource,
        outcome: Result<UpstreamResponse, UpstreamError>,
        now: u64,
        noise: u64,
    ) -> Fetched {
        self.in_flight = false;
        self.planned = now;
        let fetched = self.take(source, outcome);
        if let Fetched::Failed(reason) = &fetched {
            self.failure = Some(reason.clone());
            self.due = now.saturating_add(backoff(self.failures, noise));
            self.failures = self.failures.saturating_add(1);
        } else {
            self.failure = None;
            self.failures = 0;
            self.current = Some(now);
            self.due = next_refresh(source.refresh, now, noise);
        }
        fetched
    }

    fn take(
        &mut self,
        source: &DocumentSource,
        outcome: Result<UpstreamResponse, UpstreamError>,
    ) -> Fetched {
        let response = match outcome {
            Ok(response) => response,
            Err(error) => {
                let cluster = match &source.origin {
                    DocumentOrigin::Fetched { cluster, .. } => cluster,
                    DocumentOrigin::Inline(_) => "",
                };
                let size = "`document.maxSize`";
                let limits = Limits { cluster, timeout: source.timeout, size };
                return Fetched::Failed(describe(error, limits));
            }
        };
        match response.status {
            304 if self.text.is_some() => Fetched::Same,
            200 if response.body.is_empty() => Fetched::Failed("the body is empty".to_owned()),
            200 if response.body.len() as u64 > source.max_size => Fetched::Failed(format!(
                "{} bytes are more than `document.maxSize` ({}) allows",
                response.body.len(),
                source.max_size
            )),
            200 => {
                self.validators = Validators::read(&response.headers);
                if self.accept(response.body) { Fetched::Changed } else { Fetched::Same }
            }
            status => Fetched::Failed(describe_status(status, source)),
        }
    }

    fn accept(&mut self, text: Vec<u8>) -> bool {
        let digest = super::short_digest(&text);
        let changed = digest != self.digest;
        if changed {
            self.text = Some(text.into());
            self.digest = digest;
        }
        changed
    }
}

fn next_refresh(refresh: Duration, now: u64, noise: u64) -> u64 {
    match u64::try_from(refresh.as_millis()).unwrap_or(u64::MAX) {
        0 => u64::MAX,
        period => now.saturating_add(period).saturating_add(noise % (period / 20 + 1)),
    }
}

/// Exponential, with up to half of the delay taken off at random.
fn backoff(failures: u32, noise: u64) -> u64 {
    let full = FIRST_RETRY.saturating_mul(1 << failures.min(10)).min(LONGEST_RETRY);
    full - scramble(noise) % (full / 2)
}

/// Spreads close numbers over the whole range.
fn scramble(noise: u64) -> u64 {
    let digest = Sha256::digest(noise.to_le_bytes());
    digest.iter().take(8).fold(0, |value, &byte| (value << 8) | u64::from(byte))
}

/// The status and, where the configuration is likely to be at fault, which key to look at.
fn describe_status(status: u16, source: &DocumentSource) -> String {
    let advice = match status {
        301 | 302 | 303 | 307 | 308 => "; redirects are not followed: name the final address",
        401 | 403 => "; check `document.headers`",
        404 | 410 => "; check `document.path` and `document.authority`",
        _ => "",
    };
    match &source.origin {
        DocumentOrigin::Fetched { path, authority, .. } => {
            let path = path.split_once('?').map_or(path.as_str(), |(path, _)| path);
            format!("HTTP status {status} for `{path}` of `{authority}`{advice}")
        }
        DocumentOrigin::Inline(_) => format!("HTTP status {status}"),
    }
}

/// Why there is no answer.
pub(super) fn describe(error: UpstreamError, limits: Limits<'_>) -> String {
    match error {
        UpstreamError::UnknownUpstream => format!(
            "the gateway does not know the cluster `{}`; check `cluster` of the upstream, or of its \
             document",
            limits.cluster
        ),
        UpstreamError::Unavailable => "no healthy endpoint in the cluster".to_owned(),
        UpstreamError::ConnectionFailed => "the connection was refused".to_owned(),
        UpstreamError::ConnectionClosed => {
            "the connection was closed before an answer came".to_owned()
        }
        UpstreamError::ProtocolError => "the answer was not HTTP".to_owned(),
        UpstreamError::Timeout => {
            format!(
                "no complete answer within {} ms (`document.timeout`)",
                limits.timeout.as_millis()
            )
        }
        UpstreamError::TooLarge { limit } => {
            format!("the answer is larger than {limit} bytes ({})", limits.size)
        }
        UpstreamError::Truncated => {
            "the answer broke off or is larger than the gateway buffers (32 MiB on Envoy unless \
             `http.async_response_buffer_limit` says otherwise)"
                .to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::Headers;

    fn source() -> DocumentSource {
        DocumentSource {
            origin: DocumentOrigin::Fetched {
                path: "/openapi.json".to_owned(),
                cluster: "api".to_owned(),
                authority: "api.test".to_owned(),
                headers: Vec::new(),
            },
            refresh: Duration::from_mins(1),
            timeout: Duration::from_secs(10),
            max_size: 100,
        }
    }

    fn answer(status: u16, body: &str, headers: &[(&str, &str)]) -> UpstreamResponse {
        let headers = headers.iter().copied().collect::<Headers>();
        UpstreamResponse { status, headers, body: body.as_bytes().to_vec() }
    }

    #[test]
    fn one_request_at_a_time_and_conditional_after_the_first() {
        let (source, mut fetcher) = (source(), Fetcher::default());
        let first = fetcher.poll(0, &source, 0).unwrap();
        assert!(first.headers.iter().all(|(name, _)| name != "if-none-match"));
        assert_eq!(fetcher.poll(0, &source, 1), None);
        let ok = answer(200, "{}", &[("etag", "\"1\""), ("last-modified", "yesterday")]);
        assert_eq!(fetcher.finish(&source, Ok(ok), 10, 0), Fetched::Changed);
        assert_eq!(fetcher.poll(0, &source, 60_009), None);
        let second = fetcher.poll(0, &source, 60_010).unwrap();
        assert!(second.headers.contains(&("if-none-match".to_owned(), "\"1\"".to_owned())));
        assert!(second.headers.iter().all(|(name, _)| name != "if-modified-since"));
        assert_eq!(fetcher.finish(&source, Ok(answer(304, "", &[])), 60_020, 0), Fetched::Same);
        assert_eq!(fetcher.current(), Some(60_020));
    }

    #[test]
    fn a_clock_that_is_set_back_delays_no_refresh() {
        let (source, mut fetcher) = (source(), Fetcher::default());
        let day = 86_400_000;
        fetcher.finish(&source, Ok(answer(200, "{}", &[])), day, 0);
        assert_eq!(fetcher.poll(0, &source, day + 1), None);
        assert!(fetcher.poll(0, &source, 5).is_some());
        fetcher.finish(&source, Ok(answer(304, "", &[])), 6, 0);
        assert_eq!(fetcher.poll(0, &source, 7), None);
    }

    #[test]
    fn the_same_text_without_validators_is_no_change() {
        let (source, mut fetcher) = (source(), Fetcher::default());
        fetcher.poll(0, &source, 0).unwrap();
        assert_eq!(fetcher.finish(&source, Ok(answer(200, "{}", &[])), 1, 0), Fetched::Changed);
        assert_eq!(fetcher.finish(&source, Ok(answer(200, "{}", &[])), 2, 0), Fetched::Same);
    }

    #[test]
    fn failures_are_retried_later_and_later_and_keep_the_text() {
        let (source, mut fetcher) = (source(), Fetcher::default());
        fetcher.finish(&source, Ok(answer(200, "{}", &[])), 0, 0);
        let mut delays = Vec::new();
        for noise in 0..12 {
            fetcher.finish(&source, Err(UpstreamError::ConnectionFailed), 0, noise);
            delays.push(fetcher.due);
        }
        for (failures, delay) in delays.iter().enumerate() {
            let full = (FIRST_RETRY << failures.min(10)).min(LONGEST_RETRY);
            assert!(*delay > full / 2 && *delay <= full, "{failures}: {delay}");
        }
        assert_eq!(fetcher.text().map(|text| &text[..]), Some(&b"{}"[..]));
        assert_eq!(fetcher.failure(), Some("the connection was refused"));
    }

    #[test]
    fn a_failure_names_the_key_to_look_at() {
        let cases = [
            (Ok(answer(404, "", &[])), "HTTP status 404 for `/openapi.json`", "`document.path`"),
            (Ok(answer(401, "", &[])), "HTTP status 401", "`document.headers`"),
            (Ok(answer(302, "", &[])), "HTTP status 302", "redirects are not followed"),
            (Err(UpstreamError::UnknownUpstream), "the cluster `api`", "check `cluster`"),
        ];
        for (outcome, what, advice) in cases {
            let Fetched::Failed(reason) = Fetcher::default().finish(&source(), outcome, 0, 0)
            else {
                panic!()
            };
            assert!(reason.contains(what) && reason.contains(advice), "{reason}");
        }
    }

    #[test]
    fn a_document_over_the_limit_is_refused() {
        let (source, mut fetcher) = (source(), Fetcher::default());
        let big = answer(200, &"x".repeat(101), &[]);
        let Fetched::Failed(reason) = fetcher.finish(&source, Ok(big), 0, 0) else { panic!() };
        assert!(reason.contains("document.maxSize"), "{reason}");
        assert_eq!(fetcher.text(), None);
    }
}
