//! Workers of a gateway that share data, and whoever calls their tools.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use openapi_mcp_filter::config::Config;
use openapi_mcp_filter::exchange::{self, Forms, Host, Step};
use openapi_mcp_filter::http::{Headers, UpstreamError, UpstreamRequest, UpstreamResponse};
use openapi_mcp_filter::store::{Conflict, Store};
use openapi_mcp_filter::toolset::{self, Meta, ToolSet};
use serde_json::{Value, json};

use crate::harness::{self, Compiled};

type Values = BTreeMap<String, (Vec<u8>, u32)>;

/// What all workers of a process share.
#[derive(Debug, Default)]
pub(crate) struct Process {
    pub(crate) values: RefCell<Values>,
    pub(crate) now: Cell<u64>,
    pub(crate) properties: RefCell<BTreeMap<String, Vec<u8>>>,
    cas: Cell<u32>,
}

#[derive(Debug)]
struct Worker(Rc<Process>);

impl Host for Worker {
    fn now(&self) -> u64 {
        self.0.now.get()
    }

    fn property(&self, path: &[String]) -> Option<Vec<u8>> {
        self.0.properties.borrow().get(&path.join(".")).cloned()
    }

    fn store(&self) -> &dyn Store {
        &*self.0
    }
}

impl Store for Process {
    fn get(&self, key: &str) -> (Option<Vec<u8>>, Option<u32>) {
        let values = self.values.borrow();
        let found = values.get(key);
        let value = found.map(|(value, _)| value.clone()).filter(|value| !value.is_empty());
        (value, found.map(|(_, cas)| *cas))
    }

    fn set(&self, key: &str, value: &[u8], cas: Option<u32>) -> Result<(), Conflict> {
        let mut values = self.values.borrow_mut();
        if values.get(key).is_some_and(|(_, current)| Some(*current) != cas) {
            return Err(Conflict);
        }
        self.cas.set(self.cas.get() + 1);
        values.insert(key.to_owned(), (value.to_vec(), self.cas.get()));
        Ok(())
    }
}

impl Process {
    pub(crate) fn new() -> Rc<Self> {
        let process = Self::default();
        process.now.set(1_800_000_000_000);
        Rc::new(process)
    }

    /// The keys that hold something whose name contains this.
    pub(crate) fn keys(&self, part: &str) -> Vec<String> {
        let values = self.values.borrow();
        let keys =
            values.iter().filter(|(key, (value, _))| key.contains(part) && !value.is_empty());
        keys.map(|(key, _)| key.clone()).collect()
    }
}

/// The forms of a worker that is alone.
pub(crate) fn forms(config: Config) -> Rc<Forms> {
    Rc::new(Forms::new(Rc::new(config), Box::new(Worker(Process::new()))))
}

/// One worker with one document.
pub(crate) struct Desk {
    set: ToolSet,
    forms: Rc<Forms>,
}

/// What became of a call.
#[derive(Debug)]
pub(crate) struct Called {
    /// The first text.
    pub(crate) text: String,
    /// Further texts.
    pub(crate) notes: Vec<String>,
    pub(crate) is_error: bool,
    pub(crate) structured: Option<Value>,
    /// What was sent to the API.
    pub(crate) requests: Vec<UpstreamRequest>,
}

pub(crate) type Answer = Result<UpstreamResponse, UpstreamError>;

/// An answer of the API.
#[allow(clippy::unnecessary_wraps, reason = "what calls end with")]
pub(crate) fn answer(status: u16, headers: &[(&str, &str)], body: &Value) -> Answer {
    let body = if body.is_null() { Vec::new() } else { body.to_string().into_bytes() };
    Ok(UpstreamResponse { status, headers: headers.iter().copied().collect(), body })
}

/// The API is not asked.
pub(crate) fn silent(request: &UpstreamRequest) -> Answer {
    panic!("unexpected {request:?}")
}

/// A configuration of one route; `extra` replaces keys of it or of the root.
pub(crate) fn configuration(route: &Value, limits: &Value) -> Rc<Config> {
    let mut options = json!({"path": "/mcp", "identity": {"header": "x-user"}});
    options.as_object_mut().unwrap().extend(route.as_object().unwrap().clone());
    options.as_object_mut().unwrap().retain(|_, value| !value.is_null());
    let config = json!({
        "upstreams": [{
            "name": "api", "cluster": "api", "authority": "api.test",
            "document": {"inline": "x"}, "forwardHeaders": ["cookie", "authorization"],
        }],
        "routes": [options],
        "limits": limits,
    });
    Rc::new(Config::parse(config.to_string().as_bytes()).unwrap())
}

impl Desk {
    pub(crate) fn new(process: &Rc<Process>, document: &Value) -> Self {
        Self::with(process, document, &json!({}), configuration(&json!({}), &json!({})))
    }

    pub(crate) fn with(
        process: &Rc<Process>,
        document: &Value,
        options: &Value,
        config: Rc<Config>,
    ) -> Self {
        let options = harness::options(options);
        let credentials = &config.upstreams[0].credentials;
        let compiled = Compiled::with_credentials(document, &options, credentials);
        let contents = compiled.set.unwrap_or_else(|| panic!("{:?}", compiled.problems)).into();
        let meta = Meta { page_size: 100, ttl_ms: 0, cache_private: false };
        let set = ToolSet::open(toolset::encode(&contents, &meta)).unwrap();
        let forms = Rc::new(Forms::new(config, Box::new(Worker(Rc::clone(process)))));
        Self { set, forms }
    }

    /// Calls a tool as `user`.
    pub(crate) fn call(
        &self,
        user: &str,
        (tool, arguments): (&str, Value),
        upstream: impl FnMut(&UpstreamRequest) -> Answer,
    ) -> Called {
        self.call_with(&[("x-user", user)], (tool, arguments), upstream)
    }

    pub(crate) fn call_with(
        &self,
        headers: &[(&str, &str)],
        call: (&str, Value),
        mut upstream: impl FnMut(&UpstreamRequest) -> Answer,
    ) -> Called {
        let mut requests = Vec::new();
        let mut step = self.start(headers, call);
        loop {
            match step {
                Step::Reply(reply, _) => return Called::read(&reply.body, requests),
                Step::Call(request, pending) => {
                    let answer = upstream(&request);
                    requests.push(request);
                    step = pending.resume(answer);
                }
            }
        }
    }

    /// Starts a call and leaves it to the test to go on.
    pub(crate) fn start(&self, headers: &[(&str, &str)], (tool, arguments): (&str, Value)) -> Step {
        let params = json!({"name": tool, "arguments": arguments});
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        let fixed = [
            (":method", "POST"),
            (":path", "/mcp"),
            ("content-type", "application/json"),
            ("accept", "application/json, text/event-stream"),
            ("mcp-protocol-version", "2025-11-25"),
        ];
        let headers: Headers = fixed.iter().chain(headers).copied().collect();
        let body = body.to_string();
        exchange::start(&headers, body.as_bytes(), &self.set, (&self.forms, 0))
    }

    pub(crate) fn sweep(&self) {
        self.forms.sweep();
    }
}

impl Called {
    pub(crate) fn read(body: &[u8], requests: Vec<UpstreamRequest>) -> Self {
        let reply: Value = serde_json::from_slice(body).unwrap();
        let result = reply.get("result").unwrap_or_else(|| panic!("{reply}"));
        let texts = result["content"].as_array().unwrap().iter();
        let mut texts = texts.map(|block| block["text"].as_str().unwrap().to_owned());
        Self {
            text: texts.next().unwrap(),
            notes: texts.collect(),
            is_error: result["isError"] == true,
            structured: result.get("structuredContent").cloned(),
            requests,
        }
    }

    /// The document of a `getData` call.
    #[track_caller]
    pub(crate) fn data(&self) -> Value {
        let read: Value = serde_json::from_str(&self.text).unwrap_or_else(|_| panic!("{self:?}"));
        read["data"].clone()
    }

    /// The requests as `METHOD target`.
    pub(crate) fn sent(&self) -> Vec<String> {
        let line = |it: &UpstreamRequest| format!("{} {}", it.method, it.path);
        self.requests.iter().map(line).collect()
    }

    #[track_caller]
    pub(crate) fn fails_with(&self, parts: &[&str]) {
        assert!(self.is_error, "{self:?}");
        for part in parts {
            assert!(self.text.contains(part), "no `{part}` in {}", self.text);
        }
    }

    #[track_caller]
    pub(crate) fn succeeds(self) -> Self {
        assert!(!self.is_error, "{self:?}");
        self
    }
}
