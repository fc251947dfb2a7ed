//! The root context: one filter configuration in one VM.

use std::cell::RefCell;
use std::rc::{Rc, Weak};
use std::time::Duration;

use hashbrown::HashMap;
use proxy_wasm::hostcalls;
use proxy_wasm::traits::{Context, HttpContext, RootContext};
use proxy_wasm::types::ContextType;

use super::conversation::Conversation;
use super::host::{self, Call, SharedData};
use super::http::Request;
use super::shared::{Parked, Shared};
use crate::config::Config;
use crate::exchange::outcome::{CallLimits, classify};
use crate::lifecycle::{DocumentRequest, Effect, Leader, Standing, Subject, next_id};

/// The one tick period. Deadlines are checked on it; it is never changed.
const TICK: Duration = Duration::from_millis(50);
/// Time for compiling per tick in a VM that serves requests, in milliseconds.
const SERVING_SLICE: u64 = 4;
/// Time for compiling per tick in a VM that has had no request yet, in milliseconds: the one on
/// Envoy's main thread never has any. The next tick comes a period after the end of this one.
const IDLE_SLICE: u64 = 200;

thread_local! {
    /// Scope of the newest configuration that was set up in this VM.
    static NEWEST: RefCell<String> = const { RefCell::new(String::new()) };
}

/// A filter configuration.
#[derive(Debug, Default)]
pub(super) struct Root {
    shared: Option<Rc<Shared>>,
    leader: Option<Leader>,
    configured: u64,
    fetches: HashMap<u32, Fetch>,
    /// Calls of requests that were continued from a tick.
    calls: HashMap<u32, (u32, Weak<RefCell<Conversation>>)>,
}

#[derive(Debug)]
struct Fetch {
    upstream: usize,
    subject: Subject,
    sent: u64,
    timeout: Duration,
    max_size: u64,
}

impl Root {
    fn lead(&mut self, shared: &Rc<Shared>, now: u64) {
        let leader = self.leader.get_or_insert_with(|| {
            let owner = next_id(&shared.config.store, now, &SharedData);
            Leader::new(Rc::clone(&shared.config), owner)
        });
        let slice = if shared.serving() { SERVING_SLICE } else { IDLE_SLICE };
        let standing = Standing {
            newest: NEWEST.with_borrow(|newest| newest == shared.config.scope()),
            serving: shared.serving(),
            configured: self.configured,
        };
        let mut spent = || host::now().saturating_sub(now) >= slice;
        let effects = leader.tick(now, standing, &SharedData, &mut spent);
        self.perform(shared, effects);
    }

    fn perform(&mut self, shared: &Rc<Shared>, effects: Vec<Effect>) {
        for effect in effects {
            match effect {
                Effect::Fetch(request) => self.fetch(shared, request),
                Effect::CountReload { upstream, outcome } => {
                    let name = format!("openapi_mcp.document.{upstream}.{outcome}");
                    shared.metrics.borrow_mut().count(&name);
                }
                Effect::RecordAge { upstream, seconds } => {
                    let name = format!("openapi_mcp.document.{upstream}.age_seconds");
                    shared.metrics.borrow_mut().set(&name, seconds);
                }
            }
        }
    }

    fn fetch(&mut self, shared: &Rc<Shared>, request: DocumentRequest) {
        let sent = host::now();
        let headers = request.headers.into_iter();
        let headers: Vec<_> = headers.map(|(name, value)| (name.into(), value.into())).collect();
        let dispatched = host::dispatch(&Call {
            cluster: &request.cluster,
            authority: &request.authority,
            method: "GET",
            path: &request.path,
            headers: &headers,
            body: None,
            timeout: request.timeout,
        });
        let DocumentRequest { upstream, subject, timeout, max_size, .. } = request;
        let fetch = Fetch { upstream, subject, sent, timeout, max_size };
        match dispatched {
            Ok(token) => {
                self.fetches.insert(token, fetch);
            }
            Err(error) => self.fetched(shared, &fetch, Err(error)),
        }
    }

    fn fetched(
        &mut self,
        shared: &Rc<Shared>,
        fetch: &Fetch,
        outcome: Result<crate::http::UpstreamResponse, crate::http::UpstreamError>,
    ) {
        let Some(leader) = &mut self.leader else { return };
        let now = host::now();
        let noise = now ^ fetch.sent.rotate_left(32);
        let effects =
            leader.fetched(fetch.upstream, &fetch.subject, outcome, now, noise, &SharedData);
        self.perform(shared, effects);
    }

    fn take_document(&mut self, shared: &Rc<Shared>, fetch: &Fetch, headers: usize, size: usize) {
        let elapsed = Duration::from_millis(host::now().saturating_sub(fetch.sent));
        let answer = host::call_answer(headers, size, fetch.max_size, elapsed);
        let limits = CallLimits { timeout: fetch.timeout, body: fetch.max_size };
        self.fetched(shared, fetch, classify(answer, limits));
    }

    /// Goes on with the requests whose view may be there by now.
    fn proceed_parked(&mut self, shared: &Shared) {
        for parked in shared.take_parked() {
            let Some(conversation) = parked.conversation.upgrade() else { continue };
            if !host::enter(parked.context_id) {
                continue;
            }
            let (waits, token) = {
                let mut conversation = conversation.borrow_mut();
                (conversation.proceed(), conversation.token())
            };
            if let Some(token) = token {
                let Parked { context_id, conversation } = parked;
                self.calls.insert(token, (context_id, conversation));
            } else if waits {
                shared.park(parked);
            }
        }
    }
}

impl Context for Root {
    fn on_http_call_response(
        &mut self,
        token: u32,
        num_headers: usize,
        body_size: usize,
        _num_trailers: usize,
    ) {
        let Some(shared) = self.shared.clone() else { return };
        if let Some(fetch) = self.fetches.remove(&token) {
            self.take_document(&shared, &fetch, num_headers, body_size);
        } else if let Some((context_id, conversation)) = self.calls.remove(&token)
            && let Some(conversation) = conversation.upgrade()
            && host::enter(context_id)
        {
            conversation.borrow_mut().resume(token, num_headers, body_size);
            // A form tool may make one call after the other.
            let next = conversation.borrow().token();
            if let Some(next) = next {
                self.calls.insert(next, (context_id, Rc::downgrade(&conversation)));
            }
        }
    }
}

impl RootContext for Root {
    fn on_configure(&mut self, _size: usize) -> bool {
        let config = match Config::parse(&host::configuration()) {
            Ok(config) => Rc::new(config),
            Err(problems) => {
                for problem in problems {
                    log::error!("event=configuration_refused problem=\"{problem}\"");
                }
                return false;
            }
        };
        log::info!(
            "event=configured scope={} upstreams={} routes={} version={}",
            config.scope(),
            config.upstreams.len(),
            config.routes.len(),
            env!("CARGO_PKG_VERSION")
        );
        NEWEST.set(config.scope().to_owned());
        self.configured = host::now();
        self.leader = None;
        self.shared = Some(Rc::new(Shared::new(config, self.configured)));
        if hostcalls::set_tick_period(TICK).is_err() {
            log::error!("event=no_tick");
        }
        true
    }

    fn on_tick(&mut self) {
        let Some(shared) = self.shared.clone() else { return };
        let now = host::now();
        shared.set_now(now);
        self.lead(&shared, now);
        if shared.serving() {
            shared.refresh();
            shared.check_bodies();
            shared.forms.sweep();
        }
        self.proceed_parked(&shared);
    }

    fn create_http_context(&self, context_id: u32) -> Option<Box<dyn HttpContext>> {
        if let Some(shared) = &self.shared {
            shared.note_context();
        }
        Some(Box::new(Request::new(context_id, self.shared.clone())))
    }

    fn get_type(&self) -> Option<ContextType> {
        Some(ContextType::HttpContext)
    }
}
