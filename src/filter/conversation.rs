//! One MCP request between its headers and its answer.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use super::host::{self, Call};
use super::shared::{Parked, RouteView, Shared};
use crate::exchange::outcome::{CallLimits, classify};
use crate::exchange::{self, Outcome, Pending, Report, Step};
use crate::http::{Headers, Reply, UpstreamRequest};
use crate::lifecycle::View;
use crate::mcp;

/// How long a request waits for a view that is being compiled, in milliseconds.
const VIEW_PATIENCE: u64 = 10_000;
/// `retry-after` of a request that came too early.
const RETRY_AFTER: Duration = Duration::from_secs(1);

/// One MCP request. Every host call concerns the context that is in effect.
#[derive(Debug)]
pub(super) struct Conversation {
    shared: Rc<Shared>,
    route: usize,
    headers: Headers,
    state: State,
}

#[derive(Debug)]
enum State {
    AwaitBody,
    AwaitView { body: Vec<u8>, view: Rc<RouteView>, since: u64 },
    AwaitCall { token: u32, pending: Box<Pending>, sent: u64, timeout: Duration },
    Answered,
}

impl Conversation {
    pub(super) fn new(shared: Rc<Shared>, route: usize, headers: Headers) -> Self {
        Self { shared, route, headers, state: State::AwaitBody }
    }

    /// Largest request body, in bytes.
    pub(super) fn body_limit(&self) -> usize {
        self.shared.config.limits.request_body
    }

    pub(super) fn awaits_body(&self) -> bool {
        matches!(self.state, State::AwaitBody)
    }

    pub(super) fn answered(&self) -> bool {
        matches!(self.state, State::Answered)
    }

    /// Token of the dispatched call that is awaited.
    pub(super) fn token(&self) -> Option<u32> {
        match &self.state {
            State::AwaitCall { token, .. } => Some(*token),
            State::AwaitBody | State::AwaitView { .. } | State::Answered => None,
        }
    }

    /// Answers without looking further.
    #[cold]
    pub(super) fn refuse(&mut self, reply: &Reply) {
        self.state = State::Answered;
        host::send(reply);
    }

    /// Answers that the body is too large.
    #[cold]
    pub(super) fn refuse_too_large(&mut self) {
        let limit = self.body_limit();
        self.refuse(&mcp::too_large(&self.headers, limit));
    }

    /// Goes on with the whole body. `this` is the conversation itself, to be found again by the root.
    pub(super) fn receive(this: &Rc<RefCell<Self>>, context_id: u32, body: Vec<u8>) {
        let mut conversation = this.borrow_mut();
        match conversation.shared.route_view(conversation.route) {
            Ok(view) => {
                let since = conversation.shared.now();
                conversation.state = State::AwaitView { body, view, since };
                conversation.proceed();
            }
            Err(reason) => conversation.refuse_unavailable(&body, &reason),
        }
        let waits = matches!(conversation.state, State::AwaitView { .. });
        let parked = Parked { context_id, conversation: Rc::downgrade(this) };
        if waits && !conversation.shared.park(parked) {
            conversation.give_up("too many requests wait for a tool set that is being compiled");
        }
    }

    /// Goes on if the view is there now. Returns whether the request still waits for it.
    pub(super) fn proceed(&mut self) -> bool {
        let State::AwaitView { body, view, since } =
            std::mem::replace(&mut self.state, State::Answered)
        else {
            return false;
        };
        match self.shared.view(&view) {
            View::Ready(tools) => {
                let route = (&self.shared.forms, self.route);
                let step = exchange::start(&self.headers, &body, &tools, route);
                self.drive(step);
                false
            }
            View::Unavailable(reason) => {
                self.refuse_unavailable(&body, &reason);
                false
            }
            View::Wanted if self.shared.now().abs_diff(since) >= VIEW_PATIENCE => {
                self.refuse_unavailable(&body, "the tool set of this route is being compiled");
                false
            }
            View::Wanted => {
                self.state = State::AwaitView { body, view, since };
                true
            }
        }
    }

    /// Goes on with the answer to the call that is awaited.
    pub(super) fn resume(&mut self, token: u32, num_headers: usize, body_size: usize) {
        let state = std::mem::replace(&mut self.state, State::Answered);
        match state {
            State::AwaitCall { token: awaited, pending, sent, timeout } if awaited == token => {
                let elapsed = host::now().saturating_sub(sent);
                self.shared.metrics.borrow_mut().record_latency(elapsed);
                let body = self.shared.config.limits.upstream_body as u64;
                let limits = CallLimits { timeout, body };
                let elapsed = Duration::from_millis(elapsed);
                let answer = host::call_answer(num_headers, body_size, limits.body, elapsed);
                let step = pending.resume(classify(answer, limits));
                self.drive(step);
            }
            other => {
                log::warn!("event=unexpected_call_answer token={token}");
                self.state = other;
            }
        }
    }

    fn drive(&mut self, mut step: Step) {
        loop {
            match step {
                Step::Reply(reply, report) => return self.finish(&reply, &report),
                Step::Call(request, pending) => match self.dispatch(&request) {
                    Ok((token, timeout)) => {
                        let sent = host::now();
                        self.state = State::AwaitCall { token, pending, sent, timeout };
                        return;
                    }
                    Err(error) => step = pending.resume(Err(error)),
                },
            }
        }
    }

    fn dispatch(
        &self,
        request: &UpstreamRequest,
    ) -> Result<(u32, Duration), crate::http::UpstreamError> {
        let mut upstreams = self.shared.config.upstreams.iter();
        let (upstream, (cluster, authority)) = upstreams
            .find(|upstream| upstream.name == request.upstream)
            .and_then(|it| Some((it, it.target(request.server.as_deref())?)))
            .ok_or(crate::http::UpstreamError::UnknownUpstream)?;
        let timeout = request.timeout.unwrap_or(upstream.timeout);
        let token = host::dispatch(&Call {
            cluster,
            authority,
            method: &request.method,
            path: &request.path,
            headers: &request.headers,
            body: request.body.as_deref(),
            timeout,
        })?;
        Ok((token, timeout))
    }

    fn finish(&mut self, reply: &Reply, report: &Report) {
        self.state = State::Answered;
        if let Some(tool) = &report.tool {
            let mut metrics = self.shared.metrics.borrow_mut();
            metrics.count_call(tool.name(), report.outcome);
            if report.outcome == Outcome::InvalidArguments {
                metrics.count("openapi_mcp.validation_failures");
            }
            log::debug!(
                "event=tool_call tool={} outcome={} status={} bytes={} request_id={}",
                tool.name(),
                report.outcome.name(),
                reply.status,
                reply.body.len(),
                self.headers.get("x-request-id").unwrap_or("-")
            );
        }
        host::send(reply);
    }

    #[cold]
    fn give_up(&mut self, reason: &str) {
        if let State::AwaitView { body, .. } = std::mem::replace(&mut self.state, State::Answered) {
            self.refuse_unavailable(&body, reason);
        }
    }

    #[cold]
    fn refuse_unavailable(&mut self, body: &[u8], reason: &str) {
        log::debug!("event=unavailable reason=\"{reason}\"");
        self.shared.metrics.borrow_mut().count("openapi_mcp.unavailable");
        let reply = mcp::unavailable(&self.headers, body, reason, RETRY_AFTER);
        self.refuse(&reply);
    }
}
