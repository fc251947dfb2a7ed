//! The golden vectors of editor groups, natively.

use openapi_mcp_filter::http::{UpstreamError, UpstreamRequest, UpstreamResponse};
use serde_json::{Value, json};

use super::desk::{Desk, Process, configuration};
use crate::recorded::{self, Called, Sent, Served, Upstream};

fn serve(document: &Value, options: &Value) -> Box<dyn Served> {
    let config = configuration(&json!({"identity": {"header": "x-identity"}}), &json!({}));
    Box::new(Desk::with(&Process::new(), document, options, config))
}

impl Served for Desk {
    fn call(
        &mut self,
        headers: &[(&str, &str)],
        (tool, arguments): (&str, &Value),
        upstream: Upstream<'_>,
    ) -> Called {
        let called = self.call_with(headers, (tool, arguments.clone()), |request| {
            let (status, headers, body) =
                upstream(&sent(request)).ok_or(UpstreamError::ConnectionFailed)?;
            let headers = headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
            Ok(UpstreamResponse { status, headers: headers.collect(), body })
        });
        Called {
            requests: called.requests.iter().map(sent).collect(),
            text: called.text,
            is_error: called.is_error,
        }
    }
}

fn sent(request: &UpstreamRequest) -> Sent {
    Sent {
        method: request.method.to_string(),
        target: request.path.clone(),
        headers: request
            .headers
            .iter()
            .map(|(name, value)| (name.to_string(), value.to_string()))
            .collect(),
        body: request.body.as_ref().map(|body| String::from_utf8(body.clone()).unwrap()),
    }
}

#[test]
fn calls_of_a_group_go_as_recorded() {
    recorded::calls_of_a_group_go_as_recorded(&serve);
}

#[test]
fn the_flow_of_a_session_is_as_recorded() {
    recorded::the_flow_of_a_session_is_as_recorded(&serve);
}

#[test]
fn records_whose_values_hold_separators_have_sessions_of_their_own() {
    recorded::records_whose_values_hold_separators_have_sessions_of_their_own(&serve);
}

#[test]
fn a_path_parameter_may_be_called_like_an_argument_of_the_tools() {
    recorded::a_path_parameter_may_be_called_like_an_argument_of_the_tools(&serve);
}
