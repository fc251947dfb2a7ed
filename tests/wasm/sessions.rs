//! The golden vectors of editor groups through the built module.

use std::rc::Rc;

use serde_json::{Value, json};

use super::gateway::{Failure, Gateway, Request, pairs};
use super::host::{Answer, Dispatched, Personality, Process};
use super::recorded::{self, Called, Sent, Served, Upstream};
use super::{BOTH, configuration, merge};

fn check(vector: fn(recorded::Serve<'_>)) {
    for personality in BOTH {
        vector(&|document, options| serve(personality, document, options));
    }
}

fn serve(personality: Personality, document: &Value, options: &Value) -> Box<dyn Served> {
    let process = Rc::new(Process::default());
    process.now.set(1_700_000_000_000);
    let mut route = json!({ "path": "/mcp", "identity": { "header": "x-identity" } });
    merge(&mut route, options);
    let config = configuration(&json!({
        "upstreams": [{
            "name": "api", "cluster": "api", "authority": "api.test",
            "document": { "inline": document.to_string() }, "forwardHeaders": ["cookie"],
        }],
        "routes": [route],
    }));
    let mut gateway = Gateway::new(personality, &process, &config);
    gateway.pass(2_000);
    Box::new(gateway)
}

impl Served for Gateway {
    fn call(
        &mut self,
        headers: &[(&str, &str)],
        (tool, arguments): (&str, &Value),
        upstream: Upstream<'_>,
    ) -> Called {
        let request = Request::call(tool, arguments);
        let request = headers.iter().fold(request, |it, (name, value)| it.with(name, value));
        let (mut requests, personality) = (Vec::new(), self.personality);
        let reply = self.exchange(request, |dispatched| {
            let request = sent(dispatched);
            let answer = upstream(&request);
            requests.push(request);
            let Some((status, headers, body)) = answer else {
                return Failure::Refused.answer(personality);
            };
            let own = [(":status", &*status.to_string()), ("x-envoy-upstream-service-time", "1")];
            let headers = pairs(&own).into_iter().chain(headers).collect();
            Answer { headers, body }
        });
        let mut reply = reply.reply().json();
        let result = reply["result"].take();
        Called {
            text: result["content"][0]["text"].as_str().unwrap().to_owned(),
            is_error: result["isError"] == true,
            requests,
        }
    }
}

fn sent(request: &Dispatched) -> Sent {
    let header = |name: &str| request.header(name).unwrap().to_owned();
    let body = String::from_utf8(request.body.clone()).unwrap();
    Sent {
        method: header(":method"),
        target: header(":path"),
        headers: request.headers.clone(),
        body: Some(body).filter(|body| !body.is_empty()),
    }
}

#[test]
fn calls_of_a_group_go_as_recorded() {
    check(recorded::calls_of_a_group_go_as_recorded);
}

#[test]
fn the_flow_of_a_session_is_as_recorded() {
    check(recorded::the_flow_of_a_session_is_as_recorded);
}

#[test]
fn records_whose_values_hold_separators_have_sessions_of_their_own() {
    check(recorded::records_whose_values_hold_separators_have_sessions_of_their_own);
}

#[test]
fn a_path_parameter_may_be_called_like_an_argument_of_the_tools() {
    check(recorded::a_path_parameter_may_be_called_like_an_argument_of_the_tools);
}
