//! The HTTP context: one request of the listener, for MCP or not.

use std::cell::RefCell;
use std::rc::Rc;

use proxy_wasm::traits::{Context, HttpContext};
use proxy_wasm::types::Action;

use super::conversation::Conversation;
use super::host;
use super::shared::Shared;
use crate::http::{Headers, Reply};
use crate::mcp;

/// One request. Requests for other paths pass through untouched.
#[derive(Debug)]
pub(super) struct Request {
    context_id: u32,
    shared: Option<Rc<Shared>>,
    conversation: Option<Rc<RefCell<Conversation>>>,
}

impl Request {
    pub(super) fn new(context_id: u32, shared: Option<Rc<Shared>>) -> Self {
        Self { context_id, shared, conversation: None }
    }

    /// The route of the request with its headers, if it is for MCP.
    ///
    /// One field costs half as much as all of them. After a request for the API the next one is
    /// likely for the API too, so only its path is looked at; after one for MCP, all is read at once.
    fn route(shared: &Shared) -> Option<(usize, Headers)> {
        if !shared.served_last() {
            let path = host::request_path()?;
            if !shared.config.may_serve(std::str::from_utf8(&path).ok()?) {
                return None;
            }
        }
        let headers = host::request_headers();
        let authority = headers.get("host").or_else(|| headers.get(":authority"));
        let (route, _) = shared.config.route_for(headers.get(":path")?, authority)?;
        Some((route, headers))
    }

    fn open(&mut self, shared: &Rc<Shared>, route: usize, headers: Headers, bodiless: bool) {
        let announced =
            headers.get("content-length").and_then(|length| length.parse::<usize>().ok());
        let origins = shared.config.routes.get(route).map(|route| &route.allowed_origins);
        let gate = mcp::gate(&headers, origins.map_or(&[], Vec::as_slice));
        let conversation = Conversation::new(Rc::clone(shared), route, headers);
        let conversation = Rc::new(RefCell::new(conversation));
        self.conversation = Some(Rc::clone(&conversation));
        match gate {
            Err(reply) => conversation.borrow_mut().refuse(&reply),
            Ok(()) if announced.is_some_and(|size| size > conversation.borrow().body_limit()) => {
                conversation.borrow_mut().refuse_too_large();
            }
            Ok(()) if bodiless => Conversation::receive(&conversation, self.context_id, Vec::new()),
            Ok(()) => {}
        }
    }

    /// Whether a body is waited for, and how long it may be. Nothing stays borrowed.
    fn awaited(conversation: &RefCell<Conversation>) -> (bool, usize) {
        let conversation = conversation.borrow();
        (conversation.awaits_body(), conversation.body_limit())
    }

    /// Goes on with the whole body, if it could be read.
    fn complete(&self, conversation: &Rc<RefCell<Conversation>>, body: Option<Vec<u8>>) {
        match body {
            Some(body) => Conversation::receive(conversation, self.context_id, body),
            None => conversation.borrow_mut().refuse_too_large(),
        }
    }
}

impl Context for Request {
    fn on_http_call_response(
        &mut self,
        token: u32,
        num_headers: usize,
        body_size: usize,
        _num_trailers: usize,
    ) {
        if let Some(conversation) = &self.conversation {
            conversation.borrow_mut().resume(token, num_headers, body_size);
        }
    }
}

impl HttpContext for Request {
    fn on_http_request_headers(&mut self, _num_headers: usize, end_of_stream: bool) -> Action {
        let Some(shared) = self.shared.clone() else { return Action::Continue };
        let Some((route, headers)) = Self::route(&shared) else {
            shared.note_other();
            return Action::Continue;
        };
        shared.note_request();
        let nginx = host::is_nginx();
        let bodiless = end_of_stream
            || headers.get("content-length") == Some("0")
            || (nginx
                && headers.get("content-length").is_none()
                && headers.get("transfer-encoding").is_none());
        self.open(&shared, route, headers, bodiless);
        // nginx buffers the body only for a request that continues; Envoy only for a paused one.
        let waits = self.conversation.as_ref().is_some_and(|c| c.borrow().awaits_body());
        if waits {
            shared.await_body();
        }
        if nginx && waits { Action::Continue } else { Action::Pause }
    }

    fn on_http_request_body(&mut self, body_size: usize, end_of_stream: bool) -> Action {
        let Some(conversation) = &self.conversation else { return Action::Continue };
        if let Some(shared) = &self.shared {
            shared.note_body();
        }
        let (awaits, limit) = Self::awaited(conversation);
        if awaits && body_size > limit {
            conversation.borrow_mut().refuse_too_large();
        } else if awaits && end_of_stream {
            self.complete(conversation, host::request_body(body_size));
        }
        Action::Pause
    }

    fn on_http_request_trailers(&mut self, _num_trailers: usize) -> Action {
        let Some(conversation) = &self.conversation else { return Action::Continue };
        let (awaits, limit) = Self::awaited(conversation);
        if awaits {
            self.complete(conversation, host::buffered_body(limit));
        }
        Action::Pause
    }

    /// An MCP request never reaches the route. If a response comes by all the same, it is the host's
    /// own error (a body over its limit), or nginx let the request through: the client still gets a
    /// complete answer.
    fn on_http_response_headers(&mut self, _num_headers: usize, _end_of_stream: bool) -> Action {
        let Some(conversation) = &self.conversation else { return Action::Continue };
        let Ok(mut conversation) = conversation.try_borrow_mut() else { return Action::Continue };
        if conversation.answered() || host::response_status() == Some(413) {
            return Action::Continue;
        }
        host::forget_response_length();
        conversation.refuse(&Reply {
            status: 502,
            headers: vec![("content-type", "text/plain".to_owned())],
            body: b"the gateway did not hold the MCP request back".to_vec(),
        });
        Action::Pause
    }
}
