//! The leader's side: fetches the documents, compiles the views, stores the result.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::encoding::Encoding;
use super::endpoints;
use super::fetch::{DocumentRequest, Fetched, Subject};
use super::job::{Compiled, Job, Slice};
use super::lease::Lease;
use super::links::{Library, Place};
use super::manifest::{Directory, Keys, LOST_MANIFEST, Manifest, ViewState};
use super::source::Source;
use super::views::Want;
use crate::catalog::{Finding, Severity};
use crate::config::{Config, Upstream, ViewOptions};
use crate::http::{UpstreamError, UpstreamResponse};
use crate::store::{self, Store};
use crate::toolset::Meta;

/// How long a configuration that another one followed keeps trying for its first document, and how
/// long it counts as in use after a request, in milliseconds.
const GRACE: u64 = 60_000;
/// Lines logged about one document before the rest is only counted.
const LOGGED_FINDINGS: usize = 50;
/// Characters of one problem in the log and in answers.
const LONGEST_TEXT: usize = 1_000;
/// `ttlMs` of lists whose document is never refreshed, in milliseconds.
const TTL_WITHOUT_REFRESH: u64 = 60_000;

/// What the shell must do for the leader.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// Send a request; the outcome goes to [`Leader::fetched`].
    Fetch(DocumentRequest),
    /// Count one attempt to bring a document up to date.
    CountReload {
        /// Name of the upstream.
        upstream: String,
        /// `loaded`, `unchanged`, `failed` or `refused`.
        outcome: &'static str,
    },
    /// Record how old a document is.
    RecordAge {
        /// Name of the upstream.
        upstream: String,
        /// Seconds since it was last known to be current.
        seconds: u64,
    },
}

/// What a VM knows about its own place.
#[derive(Debug, Clone, Copy)]
pub struct Standing {
    /// No other configuration was set up in this VM later.
    pub newest: bool,
    /// This VM answers requests.
    pub serving: bool,
    /// When this configuration was set up, in milliseconds.
    pub configured: u64,
}

/// Fetches and compiles while it holds the lease; otherwise waits for it.
#[derive(Debug)]
pub struct Leader {
    config: Rc<Config>,
    keys: Keys,
    lease: Lease,
    work: Option<Work>,
    age_reported: u64,
}

/// What only the holder of the lease keeps.
#[derive(Debug)]
struct Work {
    manifest: Manifest,
    sources: Vec<Source>,
    wants: Vec<Want>,
    /// Digests of the documents each view was last compiled from.
    compiled: BTreeMap<String, Vec<String>>,
    /// Names of upstreams of which a linked text changed since.
    outdated: BTreeSet<String>,
    /// The linked texts of each upstream.
    libraries: Vec<Library>,
    job: Option<Job>,
    /// A view of the job that is compiled and not published yet.
    encoding: Option<Box<Encoding>>,
    /// The job waits for linked texts.
    is_waiting: bool,
    changed: bool,
}

impl Leader {
    /// A contender for the lease. `owner` is unique in the store.
    pub fn new(config: Rc<Config>, owner: u64) -> Self {
        let keys = Keys::new(&config.store, config.scope());
        let lease = Lease::new(keys.lease(), owner, config.role);
        Self { config, keys, lease, work: None, age_reported: 0 }
    }

    /// Whether this VM leads.
    pub fn leads(&self) -> bool {
        self.work.is_some()
    }

    /// Whether there is work left that needs no answer from outside.
    pub fn busy(&self) -> bool {
        self.work.as_ref().is_some_and(|work| work.job.is_some() && !work.is_waiting)
    }

    /// One tick: claims or renews the lease, asks for what is due, compiles until `spent` says that
    /// the time for this tick is used up.
    pub fn tick(
        &mut self,
        now: u64,
        standing: Standing,
        store: &dyn Store,
        spent: &mut dyn FnMut() -> bool,
    ) -> Vec<Effect> {
        if !self.lead(now, standing, store) {
            return Vec::new();
        }
        Directory::beat(&self.config.store, self.config.scope(), now, store);
        let (config, keys) = (Rc::clone(&self.config), self.keys.clone());
        let Some(work) = &mut self.work else { return Vec::new() };
        let mut effects = work.poll(&config, now);
        work.take_wants(&keys, store);
        work.take_lost(&keys, store);
        work.start_job(&config);
        effects.extend(work.run_job(&config, &keys, (store, now), spent));
        effects.extend(work.poll_texts(&config, now));
        if now.abs_diff(self.age_reported) >= 1_000 {
            self.age_reported = now;
            effects.extend(work.ages(&config, now));
        }
        effects
    }

    /// Takes the outcome of a [`Effect::Fetch`]. `noise` spreads retries.
    pub fn fetched(
        &mut self,
        upstream: usize,
        subject: &Subject,
        outcome: Result<UpstreamResponse, UpstreamError>,
        now: u64,
        noise: u64,
        store: &dyn Store,
    ) -> Vec<Effect> {
        let (Some(work), Some(source)) = (&mut self.work, self.config.upstreams.get(upstream))
        else {
            return Vec::new();
        };
        if let Subject::Text(place) = subject {
            // The next request is sent at once: a document may have thousands of files.
            return work.take_text(upstream, source, place, outcome, now);
        }
        work.take_document(upstream, subject, source, outcome, now, noise);
        let effect = work.note_fetch(upstream, source, &self.keys, store);
        effect.into_iter().collect()
    }

    fn lead(&mut self, now: u64, standing: Standing, store: &dyn Store) -> bool {
        let held = if self.eligible(now, standing, store) {
            self.lease.tick(now, standing.serving, store)
        } else {
            self.lease.release(store);
            false
        };
        if held && self.work.is_none() {
            log::info!("event=leading scope={}", self.config.scope());
            self.work = Some(Work::new(&self.config, Manifest::read(&self.keys, store)));
        } else if !held && self.work.take().is_some() {
            log::info!("event=stepped_down scope={}", self.config.scope());
        }
        held
    }

    /// A configuration that another one followed leads only while it is in use or still starting:
    /// after a configuration update the old one gives the work up although its context lives on.
    fn eligible(&self, now: u64, standing: Standing, store: &dyn Store) -> bool {
        let recent = |since: u64| now.abs_diff(since) < GRACE;
        standing.newest
            || store::read::<u64>(store, &self.keys.activity()).is_some_and(recent)
            || (recent(standing.configured) && Manifest::read(&self.keys, store).views.is_empty())
    }
}

impl Work {
    fn new(config: &Config, manifest: Manifest) -> Self {
        Self {
            manifest,
            sources: config.upstreams.iter().map(Source::new).collect(),
            wants: Vec::new(),
            compiled: BTreeMap::new(),
            outdated: BTreeSet::new(),
            libraries: config.upstreams.iter().map(|_| Library::default()).collect(),
            job: None,
            encoding: None,
            is_waiting: false,
            changed: false,
        }
    }

    fn poll(&mut self, config: &Config, now: u64) -> Vec<Effect> {
        let mut effects = Vec::new();
        for (index, (source, upstream)) in
            self.sources.iter_mut().zip(&config.upstreams).enumerate()
        {
            self.changed |= source.take_inline(upstream, now);
            effects.extend(source.poll(index, upstream, now).into_iter().map(Effect::Fetch));
        }
        effects
    }

    fn take_document(
        &mut self,
        index: usize,
        subject: &Subject,
        upstream: &Upstream,
        outcome: Result<UpstreamResponse, UpstreamError>,
        now: u64,
        noise: u64,
    ) {
        let Some(source) = self.sources.get_mut(index) else { return };
        // The first outcome matters even when it is a failure: other upstreams of a view wait.
        self.changed |= !source.settled();
        let fetched = source.finish(subject, upstream, outcome, now, noise);
        let is_changed = fetched == Some(Fetched::Changed);
        self.changed |= is_changed;
        // Linked texts are looked at as often as the document, and when an overlay may change links.
        let is_current = fetched == Some(Fetched::Same) && *subject == Subject::Document;
        if let Some(library) = self.libraries.get_mut(index)
            && (is_changed || is_current)
        {
            library.refresh(upstream, is_changed, now);
        }
    }

    fn poll_texts(&mut self, config: &Config, now: u64) -> Vec<Effect> {
        let libraries = self.libraries.iter_mut().zip(&config.upstreams).enumerate();
        libraries
            .flat_map(|(index, (library, upstream))| library.poll(index, upstream, now))
            .map(Effect::Fetch)
            .collect()
    }

    /// Takes a text; the views that were made from an older one are made again. Returns the requests
    /// for the next ones.
    fn take_text(
        &mut self,
        index: usize,
        upstream: &Upstream,
        place: &Place,
        outcome: Result<UpstreamResponse, UpstreamError>,
        now: u64,
    ) -> Vec<Effect> {
        let Some(library) = self.libraries.get_mut(index) else { return Vec::new() };
        if library.finish(place, upstream, outcome, now) {
            self.outdated.insert(upstream.name.clone());
            self.changed = true;
        }
        library.poll(index, upstream, now).into_iter().map(Effect::Fetch).collect()
    }

    fn note_fetch(
        &mut self,
        index: usize,
        upstream: &Upstream,
        keys: &Keys,
        store: &dyn Store,
    ) -> Option<Effect> {
        let failure = self.sources.get(index)?.failure();
        let name = &upstream.name;
        let outcome = match &failure {
            Some(reason) => {
                log::warn!("event=document_fetch_failed upstream={name} reason=\"{reason}\"");
                "failed"
            }
            None if self.changed => "loaded",
            None => "unchanged",
        };
        if self.manifest.failures.get(name) != failure.as_ref() {
            match failure {
                Some(reason) => self.manifest.failures.insert(name.clone(), reason),
                None => self.manifest.failures.remove(name),
            };
            self.manifest.write(keys, store);
        }
        Some(Effect::CountReload { upstream: name.clone(), outcome })
    }

    fn take_wants(&mut self, keys: &Keys, store: &dyn Store) {
        let wants = store::read::<Vec<Want>>(store, &keys.wants()).unwrap_or_default();
        if wants != self.wants {
            self.wants = wants;
            self.changed = true;
        }
    }

    /// Stores anew what is gone, and compiles anew what a worker could not find: hosts drop values
    /// when memory is short, and others may write over them.
    fn take_lost(&mut self, keys: &Keys, store: &dyn Store) {
        let lost = store.get(&keys.lost()).0.unwrap_or_default();
        if lost == LOST_MANIFEST.as_bytes()
            || !self.manifest.has_revision(store.get(&keys.revision()).0.as_deref())
        {
            log::warn!("event=manifest_lost");
            self.manifest.write(keys, store);
        }
        if lost.is_empty() {
            return;
        }
        store::put(store, &keys.lost(), b"");
        for (view, state) in &mut self.manifest.views {
            if state.digest.as_ref().is_some_and(|digest| digest.as_bytes() == lost) {
                log::warn!("event=view_lost view={view}");
                state.digest = None;
                self.compiled.remove(view);
                self.changed = true;
            }
        }
    }

    fn start_job(&mut self, config: &Rc<Config>) {
        if !self.changed || self.job.is_some() {
            return;
        }
        self.changed = false;
        let mut due = BTreeMap::new();
        let outdated = std::mem::take(&mut self.outdated);
        for options in self.views(config) {
            let is_outdated = options.upstreams.iter().any(|name| outdated.contains(name));
            if let Some(digests) = self.digests(&options, config)
                && (is_outdated || self.compiled.get(&options.key()) != Some(&digests))
            {
                self.compiled.insert(options.key(), digests);
                due.insert(options.key(), options);
            }
        }
        if !due.is_empty() {
            let texts = self
                .sources
                .iter()
                .zip(&config.upstreams)
                .filter_map(|(source, upstream)| Some((upstream.name.clone(), source.texts()?)))
                .collect();
            self.job = Some(Job::new(Rc::clone(config), texts, due.into_values()));
        }
    }

    /// The configured views and those that workers asked for.
    fn views(&self, config: &Config) -> Vec<ViewOptions> {
        let wanted = self.wants.iter().filter_map(|want| {
            config.routes.get(want.route)?.view.with_overrides(&want.overrides).ok()
        });
        config.routes.iter().map(|route| route.view.clone()).chain(wanted).collect()
    }

    /// The digests of a view's documents; `None` while one is still under way or all are missing.
    fn digests(&self, options: &ViewOptions, config: &Config) -> Option<Vec<String>> {
        let digests = options
            .upstreams
            .iter()
            .map(|name| {
                let index = config.upstreams.iter().position(|upstream| upstream.name == *name)?;
                let source = self.sources.get(index)?;
                source.settled().then(|| source.digest())
            })
            .collect::<Option<Vec<_>>>()?;
        digests.iter().any(|digest| !digest.is_empty()).then_some(digests)
    }

    fn run_job(
        &mut self,
        config: &Config,
        keys: &Keys,
        (store, now): (&dyn Store, u64),
        spent: &mut dyn FnMut() -> bool,
    ) -> Vec<Effect> {
        let mut effects = Vec::new();
        self.is_waiting = false;
        while let Some(job) = &mut self.job {
            if let Some(mut encoding) = self.encoding.take() {
                if encoding.step() {
                    self.encoding = Some(encoding);
                } else {
                    effects.extend(self.publish(*encoding, config, (keys, store)));
                }
                if spent() {
                    break;
                }
                continue;
            }
            match job.step(&mut self.libraries, now) {
                Slice::More => {}
                Slice::Waiting => {
                    self.is_waiting = true;
                    break;
                }
                Slice::View(compiled) => {
                    effects.extend(self.encode(*compiled, config, (keys, store)));
                }
                Slice::Done => {
                    self.job = None;
                    self.libraries.iter_mut().for_each(Library::prune);
                }
            }
            if spent() {
                break;
            }
        }
        effects
    }

    /// Begins to encode a view, or says that there is none.
    fn encode(
        &mut self,
        compiled: Compiled,
        config: &Config,
        (keys, store): (&Keys, &dyn Store),
    ) -> Vec<Effect> {
        let Compiled { options, outcome } = compiled;
        let view = options.key();
        report(&view, &outcome.problems);
        let Some(set) = outcome.set else {
            let state = self.manifest.views.entry(view).or_default();
            state.refused = Some(summary(&outcome.problems));
            self.manifest.write(keys, store);
            return refused(&options);
        };
        for (path, upstream) in endpoints::without_callers(config, &self.wants, (&view, &set.tools))
        {
            log::warn!(
                "event=forms_unavailable route={path} upstream={upstream} problem=\"every call of a \
                 form fails, as nothing tells callers apart: set `identity` of the route, or \
                 `forwardHeaders` of the upstream\""
            );
        }
        let meta = meta(&options, config);
        let encoding = Encoding::new(options, set.into(), outcome.problems.len(), &meta);
        self.encoding = Some(Box::new(encoding));
        Vec::new()
    }

    fn publish(
        &mut self,
        encoding: Encoding,
        config: &Config,
        (keys, store): (&Keys, &dyn Store),
    ) -> Vec<Effect> {
        let (options, contents, problems, bytes) = encoding.finish();
        let view = options.key();
        let routes = endpoints::paths(config, &self.wants, &view);
        let state = self.manifest.views.entry(view.clone()).or_default();
        let digest = super::stamp(&bytes);
        log::info!(
            "event=catalog_compiled view={view} routes={routes} digest={digest} title=\"{}\" version=\"{}\" \
             profiles=\"{}\" locale={} tools={} bytes={} problems={}",
            contents.title,
            contents.version,
            options.profiles.join(","),
            options.locale,
            contents.tools.len(),
            bytes.len(),
            problems
        );
        if contents.tools.is_empty() {
            log::warn!(
                "event=no_tools view={view} routes={routes} problem=\"no operation is offered: mark \
                 operations with `x-agent` or choose some by `exposure`, and check their profiles against those of \
                 the route\""
            );
        }
        let is_stored =
            state.digest.as_ref() == Some(&digest) || store::put(store, &keys.view(&view), &bytes);
        if is_stored {
            *state = ViewState { digest: Some(digest), refused: None };
            self.manifest.write(keys, store);
            return Vec::new();
        }
        let reason =
            format!("its {} bytes do not fit into the gateway's shared memory", bytes.len());
        log::error!("event=catalog_not_stored view={view} problem=\"{reason}\"");
        state.refused = Some(reason);
        self.manifest.write(keys, store);
        refused(&options)
    }

    fn ages(&self, config: &Config, now: u64) -> Vec<Effect> {
        self.sources
            .iter()
            .zip(&config.upstreams)
            .filter_map(|(source, upstream)| {
                let seconds = now.saturating_sub(source.current()?) / 1_000;
                Some(Effect::RecordAge { upstream: upstream.name.clone(), seconds })
            })
            .collect()
    }
}

fn refused(options: &ViewOptions) -> Vec<Effect> {
    let count = |name: &String| Effect::CountReload { upstream: name.clone(), outcome: "refused" };
    options.upstreams.iter().map(count).collect()
}

fn meta(options: &ViewOptions, config: &Config) -> Meta {
    let refresh = config
        .upstreams
        .iter()
        .filter(|upstream| options.upstreams.contains(&upstream.name))
        .flat_map(|upstream| std::iter::once(&upstream.document).chain(&upstream.overlays))
        .filter_map(|source| u64::try_from(source.refresh.as_millis()).ok())
        .filter(|&millis| millis > 0)
        .min();
    Meta {
        page_size: u32::try_from(options.page_size).unwrap_or(u32::MAX),
        ttl_ms: refresh.unwrap_or(TTL_WITHOUT_REFRESH),
        cache_private: false,
    }
}

/// Logs what was found in the documents, at most [`LOGGED_FINDINGS`] lines.
fn report(view: &str, findings: &[Finding]) {
    for finding in findings.iter().take(LOGGED_FINDINGS) {
        let level = match finding.severity {
            Severity::Refused => log::Level::Error,
            Severity::Skipped | Severity::Warning => log::Level::Warn,
        };
        log::log!(
            level,
            "event=document_problem view={view} upstream={} effect={} at={} problem=\"{}\"",
            finding.origin,
            finding.severity.name(),
            in_one_line(&finding.problem.at),
            in_one_line(&finding.problem.message)
        );
    }
    if findings.len() > LOGGED_FINDINGS {
        let more = findings.len() - LOGGED_FINDINGS;
        log::warn!("event=document_problem view={view} more={more}");
    }
}

/// A text that may quote a document, fit for a log: short, and without line breaks that would start
/// an entry of their own.
fn in_one_line(text: &str) -> String {
    let line = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    match text.char_indices().nth(LONGEST_TEXT) {
        None => line.collect(),
        Some(_) => line.take(LONGEST_TEXT).chain(['…']).collect(),
    }
}

/// The first reason of a refusal and how many more there are.
fn summary(findings: &[Finding]) -> String {
    let mut refusals = findings.iter().filter(|finding| finding.severity == Severity::Refused);
    let Some(first) = refusals.next() else { return "no reason was given".to_owned() };
    match refusals.count() {
        0 => in_one_line(&first.problem.to_string()),
        more => format!(
            "{} (and {more} more, see the gateway's log)",
            in_one_line(&first.problem.to_string())
        ),
    }
}
