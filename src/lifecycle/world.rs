//! For tests: a leader alone, and servers that answer from a table.

use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use serde_json::{Value, json};

use super::{DocumentRequest, Effect, Leader, Standing, View, Views};
use crate::config::Config;
use crate::http::{Headers, UpstreamError, UpstreamResponse};
use crate::store::memory::MemoryStore;
use crate::toolset::{Family, Listing, ToolSet};

pub(super) const STANDING: Standing = Standing { newest: true, serving: false, configured: 0 };

/// A leader alone, with an upstream that answers from a table of paths.
pub(super) struct World {
    pub(super) store: MemoryStore,
    pub(super) leader: Leader,
    pub(super) config: Rc<Config>,
    pub(super) now: u64,
    pub(super) files: BTreeMap<String, (u16, Vec<u8>)>,
    /// Paths that are asked for and get no answer yet.
    pub(super) silent: Vec<String>,
    pub(super) sent: Vec<DocumentRequest>,
    effects: VecDeque<Effect>,
}

impl World {
    pub(super) fn new(document: &Value, files: &[(&str, &str)]) -> Self {
        Self::configured(
            json!({ "path": "/docs/openapi.json", "refresh": "60s", "timeout": "1s" }),
            Some(document),
            files,
        )
    }

    pub(super) fn configured(
        source: Value,
        document: Option<&Value>,
        files: &[(&str, &str)],
    ) -> Self {
        let upstream = json!({
            "cluster": "api", "authority": "api.test", "headers": { "x-client": "mcp" },
            "document": source,
        });
        Self::of_upstream(&upstream, document, files)
    }

    pub(super) fn of_upstream(
        upstream: &Value,
        document: Option<&Value>,
        files: &[(&str, &str)],
    ) -> Self {
        let config = json!({ "upstreams": [upstream], "routes": [{ "path": "/mcp" }] });
        let config = Rc::new(Config::parse(config.to_string().as_bytes()).unwrap());
        let mut world = Self {
            store: MemoryStore::default(),
            leader: Leader::new(Rc::clone(&config), 1),
            config,
            now: 1_000_000,
            files: BTreeMap::new(),
            silent: Vec::new(),
            sent: Vec::new(),
            effects: VecDeque::new(),
        };
        if let Some(document) = document {
            world.file("/docs/openapi.json", 200, &document.to_string());
        }
        for (path, text) in files {
            world.file(path, 200, text);
        }
        world
    }

    pub(super) fn file(&mut self, path: &str, status: u16, body: &str) {
        self.files.insert(path.to_owned(), (status, body.as_bytes().to_vec()));
    }

    /// Ticks every 50 ms and answers; returns the paths that were asked for.
    pub(super) fn pass(&mut self, millis: u64) -> Vec<String> {
        let start = self.sent.len();
        for _ in 0..millis / 50 {
            self.now += 50;
            let effects = self.leader.tick(self.now, STANDING, &self.store, &mut || false);
            self.effects.extend(effects);
            while let Some(effect) = self.effects.pop_front() {
                let Effect::Fetch(request) = effect else { continue };
                self.sent.push(request.clone());
                if !self.silent.contains(&request.path) {
                    self.answer(&request);
                }
            }
        }
        self.sent[start..].iter().map(|request| request.path.clone()).collect()
    }

    /// Answers from the table; what is asked for next is answered in the next [`World::pass`].
    pub(super) fn answer(&mut self, request: &DocumentRequest) {
        let (status, body) =
            self.files.get(&request.path).cloned().unwrap_or((404, b"no".to_vec()));
        let tag = format!("\"{}\"", crate::lifecycle::short_digest(&body));
        let headers: Headers = [("etag", tag.as_str())].into_iter().collect();
        let is_known = request.headers.contains(&("if-none-match".to_owned(), tag));
        let status = if is_known && status == 200 { 304 } else { status };
        let response = UpstreamResponse { status, headers, body };
        self.outcome(request, Ok(response));
    }

    pub(super) fn outcome(
        &mut self,
        request: &DocumentRequest,
        outcome: Result<UpstreamResponse, UpstreamError>,
    ) {
        let (index, subject) = (request.upstream, &request.subject);
        let effects = self.leader.fetched(index, subject, outcome, self.now, 0, &self.store);
        self.effects.extend(effects);
    }

    /// The text of a skill's file; `None` when the skill is not there.
    pub(super) fn skill(&self, name: &str) -> Option<String> {
        let set = self.set()?;
        let read = set.read(&format!("skill://{name}/SKILL.md"), Family::Basic)?;
        Some(String::from_utf8(read).unwrap())
    }

    /// Names of the tools; none when there is no tool set.
    pub(super) fn tools(&self) -> Vec<String> {
        let list: Value = serde_json::from_str(&self.list()).unwrap();
        let tools = list["tools"].as_array().into_iter().flatten();
        tools.map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    }

    /// The first page of the list of tools.
    pub(super) fn list(&self) -> String {
        let Some(set) = self.set() else { return "{}".to_owned() };
        let page = set.list(Listing::Tools, Family::Basic, None).unwrap();
        String::from_utf8(page.to_vec()).unwrap()
    }

    /// Why there is no tool set, or nothing.
    pub(super) fn reason(&self) -> String {
        match self.view() {
            View::Unavailable(reason) => reason,
            View::Ready(_) | View::Wanted => String::new(),
        }
    }

    pub(super) fn set(&self) -> Option<Rc<ToolSet>> {
        match self.view() {
            View::Ready(set) => Some(set),
            View::Wanted | View::Unavailable(_) => None,
        }
    }

    fn view(&self) -> View {
        let mut views = Views::new(&self.config.store, self.config.scope(), 1);
        let view = &self.config.routes[0].view;
        views.get(&view.key(), &view.upstreams, &self.store)
    }
}
