//! The texts that belong to a document: what its skills link to, and the other files it refers to.
//! When to fetch them, and what came of it.

use std::collections::BTreeMap;
use std::rc::Rc;

use url::Url;

use super::fetch::{DocumentRequest, Limits, Subject, Validators, describe};
use crate::config::{DocumentOrigin, ReferenceLocation, Upstream};
use crate::http::{UpstreamError, UpstreamResponse};

/// Linked texts of one document in one view.
pub(super) const MOST_TEXTS: usize = 64;
/// Largest text of a skill, in bytes.
const LARGEST_TEXT: u64 = 1 << 20;
/// Requests under way at a time for one upstream.
const AT_ONCE: usize = 8;
/// Delay before a text is tried again whose document is never refreshed, in milliseconds.
const RETRY: u64 = 60_000;

/// Which of an upstream's servers has a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Server {
    /// The one that the document comes from.
    Document,
    /// The API itself.
    Api,
    /// The one of `document.references` with this index.
    Listed(usize),
}

/// Where an upstream has a text.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The server.
    pub server: Server,
    /// Path with query.
    pub path: String,
}

impl Place {
    /// The place of an address, when one of the upstream's own servers has it: no other can be
    /// reached. `base` is where the operations of the API are.
    pub(super) fn of(url: &Url, upstream: &Upstream, base: Option<&Url>) -> Result<Self, String> {
        let server = if matches!(&upstream.document.origin,
            DocumentOrigin::Fetched { authority, .. } if is_at(url, authority))
        {
            Server::Document
        } else if is_at(url, upstream.authority())
            || base.is_some_and(|base| base.origin() == url.origin())
        {
            Server::Api
        } else {
            let origin = url.origin().ascii_serialization();
            return Err(format!(
                "it is on `{origin}`, which is not a server of the upstream `{}`; serve it beside \
                 the document",
                upstream.name
            ));
        };
        Ok(Self::on(server, url))
    }

    /// The place of another file of the document: on the server of the document, which for an inline
    /// one is the API itself, or where the configuration allows it.
    pub(super) fn of_file(url: &Url, upstream: &Upstream) -> Result<Self, String> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err(format!("`{}` addresses are never fetched", url.scheme()));
        }
        let (server, authority) = match &upstream.document.origin {
            DocumentOrigin::Fetched { authority, .. } => (Server::Document, authority.as_str()),
            DocumentOrigin::Inline(_) => (Server::Api, upstream.authority()),
        };
        if is_at(url, authority) {
            return Ok(Self::on(server, url));
        }
        let listed = upstream.files.references.iter().position(|it| is_under(url, it));
        listed.map(|index| Self::on(Server::Listed(index), url)).ok_or_else(|| {
            format!(
                "`{}` is not the server of the document, so nothing is fetched from it unless \
                 `document.references` lists the place",
                url.origin().ascii_serialization()
            )
        })
    }

    fn on(server: Server, url: &Url) -> Self {
        let query = url.query().map(|query| format!("?{query}")).unwrap_or_default();
        Self { server, path: format!("{}{query}", url.path()) }
    }
}

/// Whether an address is under an allowed one. Paths are compared as text, so encoded separators,
/// with which a server might leave the place, are out.
fn is_under(url: &Url, listed: &ReferenceLocation) -> bool {
    let path = url.path();
    let has_encoded_separator = ["%2f", "%5c"].iter().any(|it| path.to_lowercase().contains(it));
    url.origin() == listed.location.origin()
        && path.starts_with(listed.location.path())
        && !has_encoded_separator
}

/// Whether an address is on a host; http and https are told apart by an explicit port only.
fn is_at(url: &Url, authority: &str) -> bool {
    let same = |scheme: &str| {
        let other = Url::parse(&format!("{scheme}://{authority}/"));
        other.is_ok_and(|other| url.host() == other.host() && url.port() == other.port())
    };
    same(url.scheme()) || (url.port().is_none() && (same("http") || same("https")))
}

/// What a text is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// The text of a skill. Views wait for it while a first round of requests may be answered, and a
    /// second one.
    Skill,
    /// A file of the document. Views wait until there is an answer.
    File,
}

impl Kind {
    fn accept(self) -> &'static str {
        match self {
            Self::Skill => "text/markdown, text/plain;q=0.9, */*;q=0.1",
            Self::File => "application/json, application/yaml;q=0.9, */*;q=0.5",
        }
    }

    fn max_size(self, upstream: &Upstream) -> u64 {
        match self {
            Self::Skill => LARGEST_TEXT,
            Self::File => upstream.document.max_size,
        }
    }

    /// What says how large a text may be.
    fn limit(self) -> &'static str {
        match self {
            Self::Skill => "1 MiB per text",
            Self::File => "`document.maxSize`",
        }
    }

    /// Name of the event of a failure.
    fn failed(self) -> &'static str {
        match self {
            Self::Skill => "skill_text_failed",
            Self::File => "document_file_failed",
        }
    }
}

/// The texts of one upstream.
#[derive(Debug, Default)]
pub(super) struct Library {
    texts: BTreeMap<Place, Text>,
}

#[derive(Debug)]
struct Text {
    kind: Kind,
    body: Option<Rc<str>>,
    failure: Option<String>,
    validators: Validators,
    state: State,
    /// When views stop waiting for it, in milliseconds.
    patience: u64,
    /// Some view of the current document asks for it.
    is_wanted: bool,
    /// A view was made from what it says now.
    is_read: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Due,
    InFlight,
    /// To be tried again at this time by itself; at the next refresh in any case.
    Settled(u64),
}

impl Library {
    /// Asks for a text. Returns whether it need not be waited for, or no longer.
    pub(super) fn ask(&mut self, place: &Place, kind: Kind, upstream: &Upstream, now: u64) -> bool {
        let text = self.texts.entry(place.clone()).or_insert_with(|| Text {
            kind,
            body: None,
            failure: None,
            validators: Validators::default(),
            state: State::Due,
            patience: patience(upstream, now),
            is_wanted: true,
            is_read: false,
        });
        text.is_wanted = true;
        matches!(text.state, State::Settled(_)) || (kind == Kind::Skill && now >= text.patience)
    }

    /// The text, or why there is none.
    pub(super) fn read(&mut self, place: &Place) -> Result<Rc<str>, String> {
        let Some(text) = self.texts.get_mut(place) else {
            return Err("it was not asked for".to_owned());
        };
        text.is_read = true;
        match (&text.body, &text.failure) {
            (Some(text), _) => Ok(Rc::clone(text)),
            (None, Some(failure)) => Err(failure.clone()),
            (None, None) => Err("it has not come yet".to_owned()),
        }
    }

    /// The document was looked at again: so are its texts. After a change of the document they must
    /// be asked for again.
    pub(super) fn refresh(&mut self, upstream: &Upstream, is_changed: bool, now: u64) {
        for text in self.texts.values_mut() {
            if text.state != State::InFlight {
                text.state = State::Due;
            }
            text.patience = patience(upstream, now);
            text.is_wanted &= !is_changed;
        }
    }

    /// Drops the texts that no view asks for any more.
    pub(super) fn prune(&mut self) {
        self.texts.retain(|_, text| text.is_wanted);
    }

    /// The requests to send now. Each must be answered with [`Library::finish`].
    pub(super) fn poll(
        &mut self,
        index: usize,
        upstream: &Upstream,
        now: u64,
    ) -> Vec<DocumentRequest> {
        let is_due = |text: &Text| match text.state {
            State::Due => true,
            State::InFlight => false,
            State::Settled(retry) => now >= retry,
        };
        let in_flight = self.texts.values().filter(|text| text.state == State::InFlight).count();
        let due = self.texts.iter_mut().filter(|(_, text)| is_due(text));
        due.take(AT_ONCE.saturating_sub(in_flight))
            .map(|(place, text)| {
                text.state = State::InFlight;
                request(index, upstream, place, text)
            })
            .collect()
    }

    /// Takes the answer. Returns whether a view was made from what is no longer true.
    pub(super) fn finish(
        &mut self,
        place: &Place,
        upstream: &Upstream,
        outcome: Result<UpstreamResponse, UpstreamError>,
        now: u64,
    ) -> bool {
        let Some(text) = self.texts.get_mut(place) else { return false };
        let before = (text.body.clone(), text.failure.clone());
        let taken = text.take(place, upstream, outcome);
        text.failure = taken.err();
        if let Some(reason) = &text.failure {
            let event = text.kind.failed();
            let (upstream, path) = (&upstream.name, &place.path);
            log::warn!("event={event} upstream={upstream} path=\"{path}\" reason=\"{reason}\"");
        }
        let is_retried = text.failure.is_some() && upstream.document.refresh.is_zero();
        text.state = State::Settled(if is_retried { now.saturating_add(RETRY) } else { u64::MAX });
        let is_news = before.0 != text.body || (text.body.is_none() && before.1 != text.failure);
        is_news && std::mem::take(&mut text.is_read)
    }
}

impl Text {
    /// Takes what came, else says why nothing did; an older text is kept.
    fn take(
        &mut self,
        place: &Place,
        upstream: &Upstream,
        outcome: Result<UpstreamResponse, UpstreamError>,
    ) -> Result<(), String> {
        let (cluster, ..) = target(place, upstream);
        let timeout = upstream.document.timeout;
        let limits = Limits { cluster, timeout, size: self.kind.limit() };
        let response = outcome.map_err(|error| describe(error, limits))?;
        match response.status {
            304 if self.body.is_some() => return Ok(()),
            200 => {}
            status => return Err(format!("HTTP status {status}")),
        }
        let most = self.kind.max_size(upstream);
        if response.body.len() as u64 > most {
            return Err(format!("it has more than {most} bytes ({})", self.kind.limit()));
        }
        let text = String::from_utf8(response.body);
        let text = text.map_err(|_| "it is not UTF-8 text".to_owned())?;
        self.validators = Validators::read(&response.headers);
        self.body = Some(text.into());
        Ok(())
    }
}

/// Texts are waited for while a first round of requests may be answered, and a second one.
fn patience(upstream: &Upstream, now: u64) -> u64 {
    let timeout = u64::try_from(upstream.document.timeout.as_millis()).unwrap_or(u64::MAX);
    now.saturating_add(timeout.saturating_mul(2))
}

/// Cluster, authority and headers of the requests for a text.
fn target<'u>(place: &Place, upstream: &'u Upstream) -> (&'u str, &'u str, &'u [(String, String)]) {
    let document = &upstream.document;
    let api = (upstream.cluster.as_str(), upstream.authority(), upstream.headers.as_slice());
    match (place.server, &document.origin) {
        (Server::Document, DocumentOrigin::Fetched { cluster, authority, headers, .. }) => {
            (cluster, authority, headers)
        }
        (Server::Listed(index), _) => {
            upstream.files.references.get(index).map_or(api, |listed| {
                (&listed.cluster, &listed.authority, listed.headers.as_slice())
            })
        }
        _ => api,
    }
}

fn request(index: usize, upstream: &Upstream, place: &Place, text: &Text) -> DocumentRequest {
    let (cluster, authority, headers) = target(place, upstream);
    let mut headers: Vec<_> =
        headers.iter().filter(|(name, _)| name != "accept").cloned().collect();
    headers.push(("accept".to_owned(), text.kind.accept().to_owned()));
    text.validators.add_to(&mut headers);
    DocumentRequest {
        upstream: index,
        subject: Subject::Text(place.clone()),
        cluster: cluster.to_owned(),
        authority: authority.to_owned(),
        path: place.path.clone(),
        headers,
        timeout: upstream.document.timeout,
        max_size: text.kind.max_size(upstream),
    }
}

#[cfg(test)]
mod tests;
