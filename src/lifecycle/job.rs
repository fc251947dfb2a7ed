//! Compiling every view of a configuration, in slices.

use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use self_cell::self_cell;
use url::Url;

use super::files::{self, Progress};
use super::links::{Kind, Library, MOST_TEXTS, Place};
use super::source::{Read, Reading, Texts};
use crate::catalog::{self, Compiler, Finding, Input, Outcome, Severity};
use crate::config::{Config, Upstream, ViewOptions};
use crate::vocabulary::skills::{self, Link, Linked};

/// A document as read for one job, or why it cannot be used.
type Parsed = Rc<Read>;

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
    /// Nothing can be done before linked texts come.
    Waiting,
    /// A view is done.
    View(Box<Compiled>),
    /// Everything is done.
    Done,
}

/// Documents and the views to compile from them.
#[derive(Debug)]
pub(super) struct Job {
    config: Rc<Config>,
    texts: Vec<(String, Texts)>,
    parsed: BTreeMap<String, Parsed>,
    /// Documents that are being read.
    reading: Vec<(String, Reading)>,
    views: VecDeque<Waiting>,
    /// Views in a row that wait for texts or files.
    waits: usize,
    current: Option<Box<Current>>,
}

/// A view that is not begun.
#[derive(Debug)]
struct Waiting {
    options: ViewOptions,
    /// What the documents link to, once they are parsed; in the order of the upstreams.
    links: Option<Vec<Vec<Resolved>>>,
}

/// A link and where its text is, if it can be fetched.
#[derive(Debug)]
struct Resolved {
    href: String,
    place: Result<Place, String>,
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
    config: Rc<Config>,
    linked: Vec<Linked>,
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
        texts: Vec<(String, Texts)>,
        views: impl IntoIterator<Item = ViewOptions>,
    ) -> Self {
        let views = views.into_iter().map(|options| Waiting { options, links: None }).collect();
        let (parsed, reading) = (BTreeMap::new(), Vec::new());
        Self { config, texts, parsed, reading, views, waits: 0, current: None }
    }

    /// Does one slice: parses one document or file, applies one action of an overlay, compiles one
    /// operation, or finishes one view. `libraries` have the texts of the upstreams, in the order of
    /// the configuration.
    pub(super) fn step(&mut self, libraries: &mut [Library], now: u64) -> Slice {
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
        let Some(mut view) = self.views.pop_front() else { return Slice::Done };
        if let Some(upstream) = self.unparsed(&view.options) {
            if !self.read(&upstream, libraries, now) {
                return self.put_off(view);
            }
            self.waits = 0;
            self.views.push_front(view);
            return Slice::More;
        }
        let links = view.links.take().unwrap_or_else(|| self.links(&view.options));
        if !self.is_there(&view.options, &links, libraries, now) {
            view.links = Some(links);
            return self.put_off(view);
        }
        self.waits = 0;
        self.open(view.options, links, libraries);
        Slice::More
    }

    /// Goes on with the other views.
    fn put_off(&mut self, view: Waiting) -> Slice {
        self.views.push_back(view);
        self.waits += 1;
        if self.waits < self.views.len() {
            return Slice::More;
        }
        self.waits = 0;
        Slice::Waiting
    }

    fn open(&mut self, options: ViewOptions, links: Vec<Vec<Resolved>>, libraries: &mut [Library]) {
        let parts = options.upstreams.iter().zip(links);
        let parts = parts.map(|(name, links)| Part {
            linked: self.linked(name, links, libraries),
            ..self.part(name)
        });
        let cell = Compilation::new(parts.collect(), |parts| {
            Some(Compiler::new(parts.iter().map(Part::input).collect(), &options))
        });
        self.current = Some(Box::new(Current { options, cell }));
    }

    /// The links of a view's documents.
    fn links(&self, options: &ViewOptions) -> Vec<Vec<Resolved>> {
        let parts: Vec<Part> = options.upstreams.iter().map(|name| self.part(name)).collect();
        let inputs: Vec<Input<'_>> = parts.iter().map(Part::input).collect();
        let links = catalog::links(&inputs, options).into_iter().zip(&parts);
        links
            .map(|(links, part)| {
                let links = links.into_iter().enumerate();
                links.map(|(index, link)| self.resolve(index, link, part)).collect()
            })
            .collect()
    }

    fn resolve(&self, index: usize, link: Link, part: &Part) -> Resolved {
        let place = if index >= MOST_TEXTS {
            Err(format!("a document may link to {MOST_TEXTS} texts, and this is one more"))
        } else {
            self.place(&link, part)
        };
        Resolved { href: link.href, place }
    }

    fn place(&self, link: &Link, part: &Part) -> Result<Place, String> {
        let Some((_, upstream)) = self.upstream(&part.upstream) else {
            return Err("its upstream is not configured".to_owned());
        };
        let own = part.input().document.map(|it| it.base_url(part.document_url.as_ref()));
        let base = upstream.base_url.clone().or_else(|| own?.ok());
        let url = skills::resolve(link, part.document_url.as_ref(), base.as_ref());
        Place::of(&url.map_err(|problem| problem.message)?, upstream, base.as_ref())
    }

    /// Asks for all texts of a view; whether none of them must be waited for.
    fn is_there(
        &self,
        options: &ViewOptions,
        links: &[Vec<Resolved>],
        libraries: &mut [Library],
        now: u64,
    ) -> bool {
        let mut is_there = true;
        for (name, links) in options.upstreams.iter().zip(links) {
            let Some((index, upstream)) = self.upstream(name) else { continue };
            let Some(library) = libraries.get_mut(index) else { continue };
            for place in links.iter().filter_map(|link| link.place.as_ref().ok()) {
                is_there &= library.ask(place, Kind::Skill, upstream, now);
            }
        }
        is_there
    }

    fn linked(&self, name: &str, links: Vec<Resolved>, libraries: &mut [Library]) -> Vec<Linked> {
        let mut library = self.upstream(name).and_then(|(index, _)| libraries.get_mut(index));
        let links = links.into_iter().map(|Resolved { href, place }| {
            let text = place.and_then(|place| match &mut library {
                Some(library) => library.read(&place).map(|text| text.to_string()),
                None => Err("its upstream is not configured".to_owned()),
            });
            Linked { href, text }
        });
        links.collect()
    }

    fn upstream(&self, name: &str) -> Option<(usize, &Upstream)> {
        self.config.upstreams.iter().enumerate().find(|(_, upstream)| upstream.name == name)
    }

    /// The outcome, with what is wrong with documents that could not even be read.
    fn finish(&self, current: Current) -> Compiled {
        let Current { options, mut cell } = current;
        let finished = cell.with_dependent_mut(|_, compiler| compiler.take().map(Compiler::finish));
        let mut outcome = finished.unwrap_or(Outcome { set: None, problems: Vec::new() });
        let unreadable = options.upstreams.iter().flat_map(|name| {
            let problems = self.parsed.get(name).and_then(|read| read.as_ref().as_ref().err());
            problems.into_iter().flatten().map(|problem| Finding {
                severity: Severity::Refused,
                origin: name.clone(),
                problem: problem.clone(),
            })
        });
        let unreadable: Vec<Finding> = unreadable.collect();
        // All that the compiler says of such a document is that it is missing.
        outcome.problems.retain(|found| unreadable.iter().all(|it| it.origin != found.origin));
        outcome.problems.splice(0..0, unreadable);
        Compiled { options, outcome }
    }

    fn unparsed(&self, options: &ViewOptions) -> Option<String> {
        let missing =
            |name: &&String| self.texts_of(name).is_some() && !self.parsed.contains_key(*name);
        options.upstreams.iter().find(missing).cloned()
    }

    /// Goes on with reading a document; false when nothing can be done before files come.
    fn read(&mut self, name: &str, libraries: &mut [Library], now: u64) -> bool {
        let config = Rc::clone(&self.config);
        let position = config.upstreams.iter().position(|upstream| upstream.name == name);
        let upstream = position.and_then(|index| config.upstreams.get(index));
        let library = position.and_then(|index| libraries.get_mut(index));
        let (Some(upstream), Some(library)) = (upstream, library) else { return false };
        let reading = self.reading.iter().position(|(of, _)| of == name);
        let reading = reading.map(|index| self.reading.swap_remove(index));
        let progress = match (reading, self.texts_of(name)) {
            (Some((_, reading)), _) => reading.step(upstream, library, now),
            (None, Some(texts)) => Reading::new(texts).map(Progress::More),
            (None, None) => return false,
        };
        let (read, is_more) = match progress {
            Ok(Progress::More(reading)) => (reading, true),
            Ok(Progress::Waiting(reading)) => (reading, false),
            Ok(Progress::Done(document)) => {
                self.parsed.insert(name.to_owned(), Rc::new(Ok(*document)));
                return true;
            }
            Err(problems) => {
                self.parsed.insert(name.to_owned(), Rc::new(Err(problems)));
                return true;
            }
        };
        self.reading.push((name.to_owned(), read));
        is_more
    }

    fn texts_of(&self, upstream: &str) -> Option<&Texts> {
        self.texts.iter().find(|(name, _)| name == upstream).map(|(_, texts)| texts)
    }

    fn part(&self, name: &str) -> Part {
        let upstream = self.upstream(name).map(|(_, upstream)| upstream);
        Part {
            upstream: name.to_owned(),
            document: self.parsed.get(name).cloned(),
            document_url: upstream.and_then(files::address),
            config: Rc::clone(&self.config),
            linked: Vec::new(),
        }
    }
}

impl Part {
    fn input(&self) -> Input<'_> {
        let upstream = self.config.upstreams.iter().find(|it| it.name == self.upstream);
        Input {
            upstream: &self.upstream,
            document: self.document.as_deref().and_then(|document| document.as_ref().ok()),
            document_url: self.document_url.as_ref(),
            base_url: upstream.and_then(|it| it.base_url.as_ref()),
            servers: upstream.map(|it| it.servers.as_slice()).unwrap_or_default(),
            credentials: upstream.map(|it| it.credentials.as_slice()).unwrap_or_default(),
            linked: &self.linked,
        }
    }
}
