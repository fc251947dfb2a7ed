//! Collecting the other files of a document, round by round: first those that the document refers
//! to, then those that these refer to, and so on.

use std::collections::VecDeque;

use url::Url;

use super::links::{Kind, Library, Place};
use crate::config::{DocumentOrigin, Upstream};
use crate::json::{self, Problem};
use crate::openapi::Document;

/// A document whose files are not all there yet.
#[derive(Debug)]
pub(super) struct Gathering {
    document: Document,
    /// Files of this round that were not taken in yet.
    round: VecDeque<Url>,
    /// All files of this round have been asked for.
    is_asked: bool,
    /// Those that had no answer when they were looked at last.
    waiting: Vec<Url>,
    rounds: usize,
    files: usize,
    /// Bytes of the document and its files.
    size: u64,
}

/// What one step brought.
#[derive(Debug)]
pub(super) enum Progress<T> {
    /// There is more to do.
    More(T),
    /// Nothing can be done before files come.
    Waiting(T),
    /// The document has all its files.
    Done(Box<Document>),
}

impl Gathering {
    /// Begins with a document of `size` bytes.
    pub(super) fn new(mut document: Document, size: usize, upstream: &Upstream) -> Self {
        let address = address(upstream).or_else(|| inline_address(upstream, &document));
        if let Some(address) = address {
            document.link(&address, &|url| Place::of_file(url, upstream).map(drop));
        }
        Self {
            document,
            round: VecDeque::new(),
            is_asked: false,
            waiting: Vec::new(),
            rounds: 0,
            files: 0,
            size: size as u64,
        }
    }

    /// Takes in one file, or begins the next round.
    ///
    /// # Errors
    /// The files exceed a limit.
    pub(super) fn step(
        mut self,
        upstream: &Upstream,
        library: &mut Library,
        now: u64,
    ) -> Result<Progress<Self>, Problem> {
        if self.round.is_empty() {
            self.round = self.document.missing().into();
            if self.round.is_empty() {
                return Ok(Progress::Done(Box::new(self.document)));
            }
            self.begin_round(upstream)?;
        }
        let is_new = !std::mem::replace(&mut self.is_asked, true);
        let mut is_there = |url: &Url| {
            Place::of_file(url, upstream)
                .ok()
                .is_none_or(|place| library.ask(&place, Kind::File, upstream, now))
        };
        if is_new {
            self.waiting = self.round.iter().filter(|url| !is_there(url)).cloned().collect();
        }
        while let Some(url) = self.waiting.last() {
            if !is_there(url) {
                return Ok(Progress::Waiting(self));
            }
            self.waiting.pop();
        }
        if let Some(url) = self.round.pop_front() {
            self.take(&url, upstream, library)?;
        }
        Ok(Progress::More(self))
    }

    fn begin_round(&mut self, upstream: &Upstream) -> Result<(), Problem> {
        self.is_asked = false;
        self.rounds += 1;
        self.files += self.round.len();
        let (max_files, max_depth) = (upstream.files.max_files, upstream.files.max_depth);
        if self.files > max_files {
            let message = format!(
                "it refers to at least {} other files, more than `document.maxFiles` ({max_files}) \
                 allows",
                self.files
            );
            return Err(Problem::new("", message));
        }
        if self.rounds > max_depth {
            let message = format!(
                "its files refer to further ones over more than {max_depth} steps \
                 (`document.maxDepth`)"
            );
            return Err(Problem::new("", message));
        }
        Ok(())
    }

    fn take(
        &mut self,
        url: &Url,
        upstream: &Upstream,
        library: &mut Library,
    ) -> Result<(), Problem> {
        let text = Place::of_file(url, upstream).and_then(|place| library.read(&place));
        self.size += text.as_ref().map_or(0, |text| text.len() as u64);
        let max_size = upstream.document.max_size;
        if self.size > max_size {
            let message =
                format!("it has more than {max_size} bytes with its files (`document.maxSize`)");
            return Err(Problem::new("", message));
        }
        let file = text.and_then(|text| {
            json::parse_text(text.as_bytes())
                .map_err(|problem| format!("neither JSON nor YAML: {}", problem.message))
        });
        self.document.add_file(url, file, &|url| Place::of_file(url, upstream).map(drop));
        Ok(())
    }
}

/// Where the document of an upstream is fetched.
pub(super) fn address(upstream: &Upstream) -> Option<Url> {
    match &upstream.document.origin {
        DocumentOrigin::Fetched { path, authority, .. } => at(authority, path),
        DocumentOrigin::Inline(_) => None,
    }
}

/// What references of a document that is part of the configuration are relative to: the place of the
/// operations, on the server of the upstream.
fn inline_address(upstream: &Upstream, document: &Document) -> Option<Url> {
    let root = at(upstream.authority(), "/")?;
    let base = upstream.base_url.clone();
    let base = base.or_else(|| document.base_url(Some(&root)).ok()).unwrap_or(root);
    at(upstream.authority(), &[base.path().trim_end_matches('/'), "/"].concat())
}

/// An address; the scheme is made up, the cluster decides it.
fn at(authority: &str, path: &str) -> Option<Url> {
    Url::parse(&format!("http://{authority}{path}")).ok()
}

#[cfg(test)]
mod tests;
