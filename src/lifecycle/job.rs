//! Compiling every view of a configuration, in slices.

use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use self_cell::self_cell;
use url::Url;

use crate::catalog::{Compiler, Input, Outcome};
use crate::config::{Config, DocumentOrigin, ViewOptions};
use crate::json::Problem;
use crate::openapi::Document;

/// A document as parsed for one job, or why it cannot be used.
type Parsed = Rc<Result<Document, Problem>>;

/// One view that was compiled.
#[derive(Debug)]
pub struct Compiled {
    /// Its options.
    pub options: ViewOptions,
    /// What came of it.
    pub outcome: Outcome,
}

/// What one slice of work brought.
#[derive(Debug)]
pub enum Slice {
    /// There is more to do.
    More,
    /// A view is done.
    View(Box<Compiled>),
    /// Everything is done.
    Done,
}

/// Documents and the views to compile from them.
#[derive(Debug)]
pub struct Job {
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

self_cell!(
    struct Compilation {
        owner: Vec<Part>,
        #[not_covariant]
        dependent: Compiler,
    }
);

impl Job {
    /// A job over the texts that are there, by upstream name.
    pub fn new(
        config: Rc<Config>,
        texts: BTreeMap<String, Rc<[u8]>>,
        views: impl IntoIterator<Item = ViewOptions>,
    ) -> Self {
        let views = views.into_iter().collect();
        Self { config, texts, parsed: BTreeMap::new(), views, current: None }
    }

    /// Does one slice: parses one document, or compiles one operation, or finishes one view.
    pub fn step(&mut self) -> Slice {
        if let Some(mut current) = self.current.take() {
            if current.cell.with_dependent_mut(|_, compiler| compiler.step()) {
                self.current = Some(current);
                return Slice::More;
            }
            return Slice::View(Box::new(finish(*current)));
        }
        let Some(options) = self.views.pop_front() else { return Slice::Done };
        if let Some(upstream) = self.unparsed(&options) {
            self.parse(&upstream);
            self.views.push_front(options);
            return Slice::More;
        }
        let parts = options.upstreams.iter().map(|name| self.part(name)).collect();
        let cell = Compilation::new(parts, |parts| {
            Compiler::new(parts.iter().map(Part::input).collect(), &options)
        });
        self.current = Some(Box::new(Current { options, cell }));
        Slice::More
    }

    fn unparsed(&self, options: &ViewOptions) -> Option<String> {
        let missing = |name: &&String| {
            self.texts.contains_key(*name) && !self.parsed.contains_key(*name)
        };
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
            document: self.document.as_deref().map(Result::as_ref),
            document_url: self.document_url.as_ref(),
            base_url: self.base_url.as_ref(),
        }
    }
}

fn finish(current: Current) -> Compiled {
    let Current { options, mut cell } = current;
    let outcome = cell.with_dependent_mut(|_, compiler| compiler.take_outcome());
    Compiled { options, outcome }
}
