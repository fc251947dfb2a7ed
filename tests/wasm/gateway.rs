//! A gateway around one VM: delivers requests and call answers the way each host does.

use std::rc::Rc;

use serde_json::{Value, json};

use super::host::{Answer, Dispatched, Exchange, Pairs, Personality, Process, Reply, Vm};

const CONTINUE: i32 = 0;

/// A request as the client sends it.
#[derive(Debug, Clone)]
pub struct Request {
    pub headers: Pairs,
    pub body: Vec<u8>,
    pub chunked: bool,
    /// Envoy alone hands them over; the body then has no end of its own.
    pub trailers: bool,
}

/// What became of a request.
#[derive(Debug, Clone)]
pub enum Outcome {
    Reply(Reply),
    /// It went on to the route.
    Passed,
    /// It waits for a call or a view.
    Waiting,
}

/// How a call fails at the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failure {
    Refused,
    Reset,
    Timeout,
    MidBody,
}

pub struct Gateway {
    pub vm: Vm,
    pub personality: Personality,
}

pub fn pairs(list: &[(&str, &str)]) -> Pairs {
    list.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

pub fn ok_json(body: &Value) -> Answer {
    let headers = pairs(&[
        (":status", "200"),
        ("content-type", "application/json"),
        ("x-envoy-upstream-service-time", "1"),
    ]);
    Answer { headers, body: body.to_string().into_bytes() }
}

impl Request {
    pub fn plain(method: &str, path: &str) -> Self {
        let headers = pairs(&[(":method", method), (":path", path), (":authority", "gw.test")]);
        Self { headers, body: Vec::new(), chunked: false, trailers: false }
    }

    /// A POST to `/mcp` of an older revision.
    pub fn mcp(body: &Value) -> Self {
        Self::post("/mcp", body.to_string().as_bytes())
    }

    pub fn post(path: &str, body: &[u8]) -> Self {
        let mut request = Self::plain("POST", path);
        let length = body.len().to_string();
        request.headers.extend(pairs(&[
            ("content-type", "application/json"),
            ("accept", "application/json, text/event-stream"),
            ("mcp-protocol-version", "2025-11-25"),
            ("content-length", &length),
        ]));
        body.clone_into(&mut request.body);
        request
    }

    pub fn call(tool: &str, arguments: &Value) -> Self {
        let params = json!({ "name": tool, "arguments": arguments });
        Self::mcp(&json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params }))
    }

    pub fn list() -> Self {
        Self::mcp(&json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" }))
    }

    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.headers.retain(|(known, _)| known != name);
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }
}

impl Failure {
    /// How the host reports it.
    pub fn answer(self, personality: Personality) -> Answer {
        let made_up = |status: &str, text: &str| Answer {
            headers: pairs(&[(":status", status), ("content-type", "text/plain")]),
            body: text.as_bytes().to_vec(),
        };
        let nginx = |status: &str| Answer {
            headers: pairs(&[(":dispatch_status", status)]),
            body: Vec::new(),
        };
        let reset = "upstream connect error or disconnect/reset before headers. reset reason: ";
        match (personality, self) {
            (Personality::Envoy, Self::Refused) => {
                made_up("503", &format!("{reset}remote connection failure"))
            }
            (Personality::Envoy, Self::Reset) => {
                made_up("503", &format!("{reset}connection termination"))
            }
            (Personality::Envoy, Self::Timeout) => made_up("504", "upstream request timeout"),
            (Personality::Envoy, Self::MidBody) => Answer::default(),
            (Personality::Nginx, Self::Refused) => nginx("broken connection"),
            (Personality::Nginx, Self::Reset) => nginx("closed"),
            (Personality::Nginx, Self::Timeout) => nginx("timeout"),
            (Personality::Nginx, Self::MidBody) => Answer {
                headers: pairs(&[(":status", "200"), (":dispatch_status", "reader failure")]),
                body: Vec::new(),
            },
        }
    }
}

impl Gateway {
    /// A gateway with one configured VM.
    pub fn new(personality: Personality, process: &Rc<Process>, configuration: &str) -> Self {
        let mut vm = Vm::start(personality, process);
        assert!(vm.configure(configuration).unwrap(), "{:?}", vm.state().logs);
        Self { vm, personality }
    }

    /// Lets time pass, a tick every 50 ms.
    pub fn pass(&mut self, millis: u64) {
        for _ in 0..millis.div_ceil(50) {
            let now = &self.vm.state().process.now;
            now.set(now.get() + 50);
            self.vm.tick().unwrap();
        }
    }

    /// Takes the calls that were dispatched since, in order.
    pub fn calls(&mut self) -> Vec<Dispatched> {
        self.vm.state().dispatched.clone()
    }

    /// Answers every document request until there is none left.
    pub fn serve(&mut self, document: &Value) -> usize {
        let mut served = 0;
        for _ in 0..40 {
            self.pass(50);
            for call in self.calls() {
                self.vm.answer(call.token, ok_json(document)).unwrap();
                served += 1;
            }
        }
        served
    }

    /// Delivers a whole request.
    pub fn send(&mut self, request: Request) -> (u32, Outcome) {
        let exchange = Exchange {
            headers: request.headers.clone(),
            body: request.body.clone(),
            ..Exchange::default()
        };
        let id = self.vm.open(exchange).unwrap();
        let outcome = match self.personality {
            Personality::Envoy => self.send_envoy(id, &request),
            Personality::Nginx => self.send_nginx(id, &request),
        };
        (id, outcome)
    }

    /// Delivers a request and answers its calls until it is over.
    pub fn exchange(
        &mut self,
        request: Request,
        mut upstream: impl FnMut(&Dispatched) -> Answer,
    ) -> Outcome {
        let (id, mut outcome) = self.send(request);
        for _ in 0..10 {
            let Some(call) = self.calls().into_iter().find(|call| call.context == id) else {
                break;
            };
            self.vm.answer(call.token, upstream(&call)).unwrap();
            outcome = self.after_answer(id);
        }
        self.vm.close(id).unwrap();
        outcome
    }

    fn send_envoy(&mut self, id: u32, request: &Request) -> Outcome {
        let bodiless = request.body.is_empty() && !request.chunked;
        let action =
            self.vm.http("proxy_on_request_headers", id, &[5, i32::from(bodiless)]).unwrap();
        if bodiless || action == CONTINUE {
            return self.outcome(id, action);
        }
        let size = i32::try_from(request.body.len()).unwrap();
        let end = i32::from(!request.trailers);
        for (size, end) in [(size / 2, 0), (size, 0), (size, end)] {
            if let Some(reply) = self.reply(id) {
                return Outcome::Reply(reply);
            }
            let action = self.vm.http("proxy_on_request_body", id, &[size, end]).unwrap();
            assert!(action != CONTINUE, "an MCP request must not go on");
        }
        if request.trailers {
            let action = self.vm.http("proxy_on_request_trailers", id, &[1]).unwrap();
            assert!(action != CONTINUE, "an MCP request must not go on");
        }
        self.outcome(id, 1)
    }

    fn send_nginx(&mut self, id: u32, request: &Request) -> Outcome {
        let action = self.vm.http("proxy_on_request_headers", id, &[5, 0]).unwrap();
        self.no_dispatch_and_go_on(id, action);
        if let Some(reply) = self.reply(id) {
            return Outcome::Reply(reply);
        }
        if action != CONTINUE {
            let pending = self.calls().iter().any(|call| call.context == id);
            assert!(pending, "paused in the headers with nothing pending: the client hangs");
            return Outcome::Waiting;
        }
        if request.body.is_empty() {
            return self.pass_upstream(id);
        }
        let size = i32::try_from(request.body.len()).unwrap();
        let action = self.vm.http("proxy_on_request_body", id, &[size, 1]).unwrap();
        self.no_dispatch_and_go_on(id, action);
        if action == CONTINUE && self.reply(id).is_none() {
            return self.pass_upstream(id);
        }
        self.outcome(id, action)
    }

    /// The request reaches the route; its response passes by the filter.
    fn pass_upstream(&mut self, id: u32) -> Outcome {
        let response = pairs(&[(":status", "404"), ("content-length", "3")]);
        let exchange = self.vm.state().exchanges.get_mut(&id).unwrap();
        exchange.response_headers = Some(response);
        exchange.resumed = true;
        self.vm.http("proxy_on_response_headers", id, &[2, 0]).unwrap();
        let exchange = &self.vm.state().exchanges[&id];
        match &exchange.reply {
            Some(reply) => {
                let kept = exchange.response_headers.as_ref().unwrap();
                assert!(
                    kept.iter().all(|(name, _)| name != "content-length"),
                    "the old content-length would make the client hang"
                );
                Outcome::Reply(reply.clone())
            }
            None => Outcome::Passed,
        }
    }

    fn after_answer(&mut self, id: u32) -> Outcome {
        let pending = self.calls().iter().any(|call| call.context == id);
        if self.personality == Personality::Nginx && !pending && self.reply(id).is_none() {
            return self.pass_upstream(id);
        }
        self.outcome(id, 1)
    }

    fn no_dispatch_and_go_on(&mut self, id: u32, action: i32) {
        let dispatched = self.calls().iter().any(|call| call.context == id);
        assert!(!(dispatched && action == CONTINUE), "segmentation fault: dispatch, then continue");
    }

    pub fn reply(&mut self, id: u32) -> Option<Reply> {
        self.vm.state().exchanges.get(&id).and_then(|exchange| exchange.reply.clone())
    }

    fn outcome(&mut self, id: u32, action: i32) -> Outcome {
        match self.reply(id) {
            Some(reply) => Outcome::Reply(reply),
            None if action == CONTINUE => Outcome::Passed,
            None => Outcome::Waiting,
        }
    }
}

impl Outcome {
    #[track_caller]
    pub fn reply(self) -> Reply {
        match self {
            Self::Reply(reply) => reply,
            other => panic!("expected a reply, found {other:?}"),
        }
    }
}

impl Reply {
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&self.body)))
    }
}
