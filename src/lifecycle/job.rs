//! Compiling every view of a configuration, in slices.

use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use self_cell::self_cell;
use url::Url;

use crate::catalog::{Compiler, Finding, Input, Outcome, Severity};
use crate::config::{Config, DocumentOrigin, ViewOptions};
use crate::json::Problem;
use crate::openapi::Document;

/// A document as parsed for one job, or why it cannot be used.
type Parsed = Rc<Result<Document, Problem>>;

/// One view that was compiled.
#[derive(Debug)]
pub(super) struct Compiled {
    /// Its options.
    pub(super) options: ViewOptions,
    /// What came of it.
    pub(super) outcome: Outcome,
}

/// What one slice of work brought.
#[derive(Debug)]
pub(super) enum Slice {
    /// There is more to do.
    More,
    /// A view is done.
    View(Box<Compiled>),
    /// Everything is done.
    Done,
}

/// Documents and the views to compile from them.
#[derive(Debug)]
pub(super) struct Job {
    config: Rc<Config>,
    texts: BTreeMap<String, Rc<[u8]>>,
    parsed: BTreeMap<String, Parsed>,
    views: VecDeque<ViewOptions>,
    current: Option<Box<Current>>,
}

struct Current {
    options: ViewOptions,
    cell: Compilation,
}

impl std::fmt::Debug for Current {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Current").field("options", &self.options).finish_non_exhaustive()
    }
}

/// One upstream's part in a view.
struct Part {
    upstream: String,
    document: Option<Parsed>,
    document_url: Option<Url>,
    base_url: Option<Url>,
}

/// A compiler until it is asked for its outcome.
type Working<'d> = Option<Compiler<'d>>;

self_cell!(
    struct Compilation {
        owner: Vec<Part>,
        #[not_covariant]
        dependent: Working,
    }
);

impl Job {
    /// A job over the texts that are there, by upstream name.
    pub(super) fn new(
        config: Rc<Config>,
        texts: BTreeMap<String, Rc<[u8]>>,
        views: impl IntoIterator<Item = ViewOptions>,
    ) -> Self {
        let views = views.into_iter().collect();
        Self { config, texts, parsed: BTreeMap::new(), views, current: None }
    }

    /// Does one slice: parses one document, or compiles one operation, or finishes one view.
    pub(super) fn step(&mut self) -> Slice {
        if let Some(mut current) = self.current.take() {
            let more = current
                .cell
                .with_dependent_mut(|_, compiler| compiler.as_mut().is_some_and(Compiler::step));
            if more {
                self.current = Some(current);
                return Slice::More;
            }
            return Slice::View(Box::new(self.finish(*current)));
        }
        let Some(options) = self.views.pop_front() else { return Slice::Done };
        if let Some(upstream) = self.unparsed(&options) {
            self.parse(&upstream);
            self.views.push_front(options);
            return Slice::More;
        }
        let parts = options.upstreams.iter().map(|name| self.part(name)).collect();
        let cell = Compilation::new(parts, |parts| {
            Some(Compiler::new(parts.iter().map(Part::input).collect(), &options))
        });
        self.current = Some(Box::new(Current { options, cell }));
        Slice::More
    }

    /// The outcome, with what is wrong with documents that could not even be read.
    fn finish(&self, current: Current) -> Compiled {
        let Current { options, mut cell } = current;
        let finished = cell.with_dependent_mut(|_, compiler| compiler.take().map(Compiler::finish));
        let mut outcome = finished.unwrap_or(Outcome { set: None, problems: Vec::new() });
        let unreadable = options.upstreams.iter().filter_map(|name| {
            let problem = self.parsed.get(name)?.as_ref().as_ref().err()?.clone();
            Some(Finding { severity: Severity::Refused, origin: name.clone(), problem })
        });
        let unreadable: Vec<Finding> = unreadable.collect();
        // All that the compiler says of such a document is that it is missing.
        outcome.problems.retain(|found| unreadable.iter().all(|it| it.origin != found.origin));
        outcome.problems.splice(0..0, unreadable);
        Compiled { options, outcome }
    }

    fn unparsed(&self, options: &ViewOptions) -> Option<String> {
        let missing =
            |name: &&String| self.texts.contains_key(*name) && !self.parsed.contains_key(*name);
        options.upstreams.iter().find(missing).cloned()
    }

    fn parse(&mut self, upstream: &str) {
        if let Some(text) = self.texts.get(upstream) {
            self.parsed.insert(upstream.to_owned(), Rc::new(Document::parse(text)));
        }
    }

    fn part(&self, name: &str) -> Part {
        let upstream = self.config.upstreams.iter().find(|upstream| upstream.name == name);
        Part {
            upstream: name.to_owned(),
            document: self.parsed.get(name).cloned(),
            document_url: upstream.and_then(|upstream| match &upstream.document.origin {
                DocumentOrigin::Fetched { path, authority, .. } => {
                    Url::parse(&format!("http://{authority}{path}")).ok()
                }
                DocumentOrigin::Inline(_) => None,
            }),
            base_url: upstream.and_then(|upstream| upstream.base_url.clone()),
        }
    }
}

impl Part {
    fn input(&self) -> Input<'_> {
        Input {
            upstream: &self.upstream,
            document: self.document.as_deref().and_then(|document| document.as_ref().ok()),
            document_url: self.document_url.as_ref(),
            base_url: self.base_url.as_ref(),
            linked: &[],
        }
    }
}
