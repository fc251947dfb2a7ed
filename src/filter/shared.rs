//! What the root context and the HTTP contexts of one configuration share within a VM.

use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};

use hashbrown::HashMap;

use super::conversation::Conversation;
use super::host::{self, FormHost, SharedData};
use super::metrics::Metrics;
use crate::config::{Config, ViewOptions, metadata};
use crate::exchange::Forms;
use crate::lifecycle::{View, Views, Want};

/// How often a VM notes that requests come, in milliseconds.
const ACTIVITY_PERIOD: u64 = 5_000;
/// Different route metadata remembered per VM.
const REMEMBERED_OVERRIDES: usize = 1_024;
/// Requests that may wait for a view to be compiled, per VM.
const PARKED: usize = 256;
/// How long the first request body may take before it is said what may hold it up, in milliseconds.
const BODY_PATIENCE: u64 = 5_000;

/// The view a route asks for.
#[derive(Debug)]
pub(super) struct RouteView {
    pub(super) options: ViewOptions,
    key: String,
    /// Set when route metadata overrides the route's own keys.
    want: Option<Want>,
}

/// The view behind some route metadata, or what is wrong with it.
type Overridden = Result<Rc<RouteView>, String>;

/// A request that waits for its view.
#[derive(Debug)]
pub(super) struct Parked {
    pub(super) context_id: u32,
    pub(super) conversation: Weak<RefCell<Conversation>>,
}

/// State of one configuration in one VM.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) config: Rc<Config>,
    pub(super) metrics: RefCell<Metrics>,
    pub(super) forms: Rc<Forms>,
    views: RefCell<Views>,
    routes: Vec<Rc<RouteView>>,
    /// By route and serialized metadata.
    overridden: RefCell<HashMap<(usize, Vec<u8>), Overridden>>,
    parked: RefCell<Vec<Parked>>,
    /// The time of the last tick: precise enough for what requests do with it, and reading the clock
    /// is a host call.
    now: Cell<u64>,
    active: Cell<u64>,
    /// Requests came to this VM, for MCP or not.
    serving: Cell<bool>,
    /// The last request was for MCP.
    served_last: Cell<bool>,
    bodies: Cell<Bodies>,
}

/// Whether the host hands over request bodies at all.
#[derive(Debug, Clone, Copy)]
enum Bodies {
    /// No request has had one yet.
    Unknown,
    /// The first one is awaited since then.
    AwaitedSince(u64),
    /// They come, or it was said that they do not.
    Settled,
}

impl Shared {
    pub(super) fn new(config: Rc<Config>, now: u64) -> Self {
        let view = |options: &ViewOptions| {
            Rc::new(RouteView { options: options.clone(), key: options.key(), want: None })
        };
        Self {
            metrics: RefCell::default(),
            forms: Rc::new(Forms::new(Rc::clone(&config), Box::new(FormHost))),
            views: RefCell::new(Views::new(&config.store, config.scope(), config.limits.max_views)),
            routes: config.routes.iter().map(|route| view(&route.view)).collect(),
            overridden: RefCell::default(),
            parked: RefCell::default(),
            now: Cell::new(now),
            active: Cell::new(0),
            serving: Cell::new(false),
            served_last: Cell::new(false),
            bodies: Cell::new(Bodies::Unknown),
            config,
        }
    }

    /// The time of the last tick, in milliseconds since the Unix epoch.
    pub(super) fn now(&self) -> u64 {
        self.now.get()
    }

    /// Notes that a tick came.
    pub(super) fn set_now(&self, now: u64) {
        self.now.set(now);
    }

    pub(super) fn serving(&self) -> bool {
        self.serving.get()
    }

    pub(super) fn served_last(&self) -> bool {
        self.served_last.get()
    }

    /// Notes that a request came.
    pub(super) fn note_context(&self) {
        self.serving.set(true);
    }

    /// Notes a request that is not for MCP.
    pub(super) fn note_other(&self) {
        self.served_last.set(false);
    }

    /// Notes a request for MCP, and now and then tells the leader that this configuration is in use.
    pub(super) fn note_request(&self) {
        let now = self.now();
        self.served_last.set(true);
        if now.abs_diff(self.active.get()) >= ACTIVITY_PERIOD {
            self.active.set(now);
            host::follow_log_level();
            self.views.borrow().note_activity(now, &SharedData);
        }
    }

    /// Notes that a request waits for its body.
    pub(super) fn await_body(&self) {
        if matches!(self.bodies.get(), Bodies::Unknown) {
            self.bodies.set(Bodies::AwaitedSince(self.now()));
        }
    }

    /// Notes that request bodies come.
    pub(super) fn note_body(&self) {
        self.bodies.set(Bodies::Settled);
    }

    /// Says once what to do when requests wait for bodies that never come.
    pub(super) fn check_bodies(&self) {
        if let Bodies::AwaitedSince(since) = self.bodies.get()
            && self.now() >= since.saturating_add(BODY_PATIENCE)
        {
            self.bodies.set(Bodies::Settled);
            log::warn!(
                "event=no_request_body problem=\"no body of a request has come for {} s; if every \
                 call hangs, set `allow_on_headers_stop_iteration: true` beside `root_id`\"",
                BODY_PATIENCE / 1_000
            );
        }
    }

    /// The view of a route, with what Envoy's route metadata overrides.
    ///
    /// # Errors
    /// When the metadata is not valid: all problems in one text.
    pub(super) fn route_view(&self, route: usize) -> Overridden {
        let Some(metadata) = host::route_metadata() else {
            return self.routes.get(route).map(Rc::clone).ok_or_else(|| "no such route".to_owned());
        };
        let id = (route, metadata);
        if let Some(view) = self.overridden.borrow().get(&id) {
            return view.clone();
        }
        let view = self.override_view(route, &id.1);
        if let Err(problems) = &view {
            log::error!("event=route_metadata_refused problem=\"{problems}\"");
        }
        let mut overridden = self.overridden.borrow_mut();
        if overridden.len() >= REMEMBERED_OVERRIDES {
            overridden.clear();
        }
        overridden.insert(id, view.clone());
        view
    }

    #[cold]
    fn override_view(&self, route: usize, metadata: &[u8]) -> Overridden {
        let configured = self.routes.get(route).ok_or("no such route")?;
        let overrides =
            metadata::pairs(metadata).ok_or("route metadata `openapi_mcp` is not a map of keys")?;
        let options = configured.options.with_overrides(&overrides).map_err(|problems| {
            let texts = problems.iter().map(ToString::to_string).collect::<Vec<_>>();
            format!("route metadata `openapi_mcp`: {}", texts.join("; "))
        })?;
        let key = options.key();
        let want = (key != configured.key).then_some(Want { route, overrides });
        Ok(Rc::new(RouteView { options, key, want }))
    }

    /// The tool set of a view; asks the leader for it when nobody has compiled it yet.
    pub(super) fn view(&self, view: &RouteView) -> View {
        let mut views = self.views.borrow_mut();
        match (views.get(&view.key, &view.options.upstreams, &SharedData), &view.want) {
            (View::Wanted, Some(want)) => match views.want(want, &SharedData) {
                Ok(()) => View::Wanted,
                Err(reason) => View::Unavailable(reason),
            },
            (found, _) => found,
        }
    }

    /// Keeps a request until its view is there. Returns false when too many wait already.
    pub(super) fn park(&self, parked: Parked) -> bool {
        let mut all = self.parked.borrow_mut();
        let room = all.len() < PARKED;
        if room {
            all.push(parked);
        }
        room
    }

    /// Takes the requests that wait.
    pub(super) fn take_parked(&self) -> Vec<Parked> {
        std::mem::take(&mut *self.parked.borrow_mut())
    }

    /// Opens what the leader stored anew.
    pub(super) fn refresh(&self) {
        self.views.borrow_mut().refresh(&SharedData);
    }
}
