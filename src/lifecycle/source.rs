//! What the document of one upstream is made of: its own text and its overlays.

use std::rc::Rc;

use super::fetch::{DocumentRequest, Fetched, Fetcher, Subject};
use super::files::{Gathering, Progress};
use super::links::Library;
use crate::config::{DocumentSource, Upstream};
use crate::http::{UpstreamError, UpstreamResponse};
use crate::json::Problem;
use crate::openapi::Document;
use crate::overlay::{Application, Overlay};

/// A document and its overlays as they are fetched.
#[derive(Debug)]
pub(super) struct Source {
    document: Fetcher,
    overlays: Vec<Fetcher>,
}

/// The texts of a document and of its overlays, in order.
#[derive(Debug, Clone)]
pub(super) struct Texts {
    document: Rc<[u8]>,
    overlays: Vec<Rc<[u8]>>,
}

impl Source {
    pub(super) fn new(upstream: &Upstream) -> Self {
        Self {
            document: Fetcher::default(),
            overlays: upstream.overlays.iter().map(|_| Fetcher::default()).collect(),
        }
    }

    /// The texts, once all are there.
    pub(super) fn texts(&self) -> Option<Texts> {
        Some(Texts {
            document: Rc::clone(self.document.text()?),
            overlays: self.overlays.iter().map(|it| it.text().cloned()).collect::<Option<_>>()?,
        })
    }

    /// Identifies the texts; empty while one is missing.
    pub(super) fn digest(&self) -> String {
        let digests: Vec<&str> = self.parts().map(Fetcher::digest).collect();
        if digests.contains(&"") { String::new() } else { digests.join(" ") }
    }

    /// When all texts were last known to be current, in milliseconds.
    pub(super) fn current(&self) -> Option<u64> {
        self.parts().map(Fetcher::current).min().flatten()
    }

    /// Why the last attempt to fetch one of the texts failed.
    pub(super) fn failure(&self) -> Option<String> {
        if let Some(reason) = self.document.failure() {
            return Some(reason.to_owned());
        }
        self.overlays.iter().enumerate().find_map(|(index, overlay)| {
            let reason = overlay.failure()?.replace("`document.", "`");
            Some(format!("overlays[{index}]: {reason}"))
        })
    }

    /// Whether an attempt has ended for each text, well or not.
    pub(super) fn settled(&self) -> bool {
        self.parts().all(Fetcher::settled)
    }

    /// Takes texts that are part of the configuration; whether one is new.
    pub(super) fn take_inline(&mut self, upstream: &Upstream, now: u64) -> bool {
        let overlays = self.overlays.iter_mut().zip(&upstream.overlays);
        let is_new = self.document.take_inline(&upstream.document, now);
        overlays.fold(is_new, |is_new, (it, source)| it.take_inline(source, now) || is_new)
    }

    /// The requests to send now. Each must be answered with [`Source::finish`].
    pub(super) fn poll(
        &mut self,
        index: usize,
        upstream: &Upstream,
        now: u64,
    ) -> Vec<DocumentRequest> {
        let mut requests: Vec<_> =
            self.document.poll(index, &upstream.document, now).into_iter().collect();
        for (position, (overlay, source)) in
            self.overlays.iter_mut().zip(&upstream.overlays).enumerate()
        {
            let request = overlay.poll(index, source, now);
            requests.extend(
                request.map(|request| DocumentRequest {
                    subject: Subject::Overlay(position),
                    ..request
                }),
            );
        }
        requests
    }

    /// Takes the answer to a request for the document or for an overlay.
    pub(super) fn finish(
        &mut self,
        subject: &Subject,
        upstream: &Upstream,
        outcome: Result<UpstreamResponse, UpstreamError>,
        now: u64,
        noise: u64,
    ) -> Option<Fetched> {
        let (fetcher, source) = self.part(subject, upstream)?;
        Some(fetcher.finish(source, outcome, now, noise))
    }

    fn part<'u>(
        &mut self,
        subject: &Subject,
        upstream: &'u Upstream,
    ) -> Option<(&mut Fetcher, &'u DocumentSource)> {
        match subject {
            Subject::Document => Some((&mut self.document, &upstream.document)),
            Subject::Overlay(at) => {
                Some((self.overlays.get_mut(*at)?, upstream.overlays.get(*at)?))
            }
            Subject::Text(_) => None,
        }
    }

    fn parts(&self) -> impl Iterator<Item = &Fetcher> {
        std::iter::once(&self.document).chain(&self.overlays)
    }
}

/// A document on its way from texts to what they mean.
#[derive(Debug)]
pub(super) enum Reading {
    /// Overlays are being applied to it; its size in bytes.
    Overlaid(Box<Application>, usize),
    /// Its files are being collected.
    Gathered(Box<Gathering>),
}

/// What a reading came to.
pub(super) type Read = Result<Document, Vec<Problem>>;

impl Reading {
    /// Parses the texts.
    ///
    /// # Errors
    /// One of them cannot be read; of overlays, everything that is wrong.
    pub(super) fn new(texts: &Texts) -> Result<Self, Vec<Problem>> {
        let document = Document::parse_text(&texts.document);
        let mut problems = Vec::new();
        let mut overlays = Vec::new();
        for (index, text) in texts.overlays.iter().enumerate() {
            match Overlay::parse(text, &format!("overlays[{index}]")) {
                Ok(overlay) => overlays.push(overlay),
                Err(found) => problems.extend(found),
            }
        }
        match document {
            Ok(document) if problems.is_empty() => {
                let application = Box::new(Application::new(document, overlays));
                Ok(Self::Overlaid(application, texts.document.len()))
            }
            Ok(_) => Err(problems),
            Err(problem) => {
                problems.insert(0, problem);
                Err(problems)
            }
        }
    }

    /// Applies one action of an overlay, or takes in one file.
    ///
    /// # Errors
    /// What makes the document unusable.
    pub(super) fn step(
        self,
        upstream: &Upstream,
        library: &mut Library,
        now: u64,
    ) -> Result<Progress<Self>, Vec<Problem>> {
        let gathering = match self {
            Self::Overlaid(mut application, size) => {
                if application.step() {
                    return Ok(Progress::More(Self::Overlaid(application, size)));
                }
                let (value, remarks) = application.finish()?;
                let document = Document::from_value(value).map_err(|problem| vec![problem])?;
                let gathering = Gathering::new(document.with_remarks(remarks), size, upstream);
                return Ok(Progress::More(Self::Gathered(Box::new(gathering))));
            }
            Self::Gathered(gathering) => gathering.step(upstream, library, now),
        };
        Ok(match gathering.map_err(|problem| vec![problem])? {
            Progress::More(gathering) => Progress::More(Self::Gathered(Box::new(gathering))),
            Progress::Waiting(gathering) => Progress::Waiting(Self::Gathered(Box::new(gathering))),
            Progress::Done(document) => Progress::Done(document),
        })
    }
}

#[cfg(test)]
mod tests;
