//! What happens next in one MCP exchange, given one event.
//!
//! [`start`] takes a complete request, [`Pending::resume`] the outcome of the upstream call; each
//! returns one [`Step`]. Nothing here does I/O: the shell performs the step and feeds the outcome back.

mod credentials;
mod decorate;
mod form;
mod forms;
mod identity;
pub mod outcome;

pub use form::FormCall;
pub use forms::{Forms, Host};

use std::rc::Rc;

use serde_json::{Map, Value};

use crate::call::{arguments, conform, request, response};
use crate::config::Config;
use crate::http::{Headers, Reply, UpstreamError, UpstreamRequest, UpstreamResponse};
use crate::json::Problem;
use crate::mcp::{self, Envelope, Found, Received, ToolCall};
use crate::tool::ToolResult;
use crate::toolset::{OpenTool, ToolSet};
use credentials::Secrets;

/// What the shell must do now. One effect per step.
#[derive(Debug)]
pub enum Step {
    /// Answer the client; the exchange is over.
    Reply(Reply, Report),
    /// Send one request and resume with its outcome.
    Call(UpstreamRequest, Box<Pending>),
}

/// What a finished exchange was, for metrics and logs.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// The tool, when one was called.
    pub tool: Option<Called>,
    /// How it ended.
    pub outcome: Outcome,
}

/// A tool that was called.
#[derive(Debug, Clone)]
pub enum Called {
    /// One of an operation or a form.
    Tool(Rc<OpenTool>),
    /// One that finds or shows operations, by its name.
    Directory(String),
}

impl Called {
    /// Name of the tool.
    pub fn name(&self) -> &str {
        match self {
            Self::Tool(tool) => &tool.tool.name,
            Self::Directory(name) => name,
        }
    }
}

/// How an exchange ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Outcome {
    /// Answered without a tool call.
    #[default]
    Protocol,
    /// The result is a success.
    Success,
    /// The arguments were refused; nothing was sent.
    InvalidArguments,
    /// The API answered with an error.
    ApiError,
    /// There was no usable answer from the API.
    NoAnswer,
}

impl Outcome {
    /// Name in metrics and logs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Protocol => "protocol",
            Self::Success => "success",
            Self::InvalidArguments => "invalid_arguments",
            Self::ApiError => "api_error",
            Self::NoAnswer => "no_answer",
        }
    }
}

/// An exchange that waits for one upstream response. Each variant holds only what is known by then.
#[derive(Debug)]
pub enum Pending {
    /// The response becomes the tool's result.
    Result(AwaitResult),
    /// A form tool goes on.
    Form(Box<FormCall>),
}

/// A tool call whose only request is under way.
#[derive(Debug)]
pub struct AwaitResult {
    envelope: Envelope,
    tool: Rc<OpenTool>,
    arguments: Map<String, Value>,
    config: Rc<Config>,
    secrets: Secrets,
}

/// Takes one complete HTTP request for the MCP endpoint. `forms` serves form tools and has the
/// configuration, `route` is the index of the route.
pub fn start(
    headers: &Headers,
    body: &[u8],
    tools: &ToolSet,
    (forms, route): (&Rc<Forms>, usize),
) -> Step {
    match mcp::receive(headers, body, tools) {
        Received::Reply(reply) => Step::Reply(reply, Report::default()),
        Received::Call(call) if call.tool.tool.plan.operation().is_none() => {
            form::start(*call, headers, tools, (forms, route))
        }
        Received::Call(call) => call_tool(*call, headers, &forms.config),
        Received::Found(reply, Found { tool, is_refused }) => {
            let outcome = if is_refused { Outcome::InvalidArguments } else { Outcome::Success };
            Step::Reply(reply, Report { tool: Some(Called::Directory(tool)), outcome })
        }
    }
}

fn call_tool(call: ToolCall, headers: &Headers, config: &Rc<Config>) -> Step {
    let ToolCall { envelope, tool, arguments, advice, trace } = call;
    let Some(plan) = tool.tool.plan.operation() else {
        let result = ToolResult::error("Request failed: the tool is no request to the API.");
        return finish(&envelope, Rc::clone(&tool), result, Outcome::NoAnswer);
    };
    let checked = arguments::check(&tool.tool, tool.validators(), arguments)
        .and_then(|arguments| Ok((request::build(plan, &arguments)?, arguments)));
    match checked {
        Ok((mut request, arguments)) => {
            let upstream = config.upstream(&plan.upstream);
            let secrets =
                decorate::decorate(&mut request, &plan.credentials, headers, &trace, upstream);
            let waiting = AwaitResult {
                envelope,
                tool: Rc::clone(&tool),
                arguments,
                config: Rc::clone(config),
                secrets,
            };
            Step::Call(request, Box::new(Pending::Result(waiting)))
        }
        Err(problems) => {
            let result = ToolResult::error(invalid(&problems, advice.as_deref()));
            finish(&envelope, tool, result, Outcome::InvalidArguments)
        }
    }
}

#[cold]
fn invalid(problems: &[Problem], advice: Option<&str>) -> String {
    let mut text = String::from("Invalid arguments, nothing was sent:");
    for problem in problems {
        text.push_str("\n- ");
        text.push_str(&problem.to_string());
    }
    if let Some(advice) = advice {
        text.push('\n');
        text.push_str(advice);
    }
    text
}

fn finish(envelope: &Envelope, tool: Rc<OpenTool>, result: ToolResult, outcome: Outcome) -> Step {
    Step::Reply(mcp::reply(envelope, result), Report { tool: Some(Called::Tool(tool)), outcome })
}

impl Pending {
    /// Goes on with the outcome of the call.
    pub fn resume(self, outcome: Result<UpstreamResponse, UpstreamError>) -> Step {
        match self {
            Self::Result(waiting) => waiting.resume(outcome),
            Self::Form(call) => call.resume(outcome),
        }
    }

    /// The tool that is being called.
    pub fn tool(&self) -> &OpenTool {
        match self {
            Self::Result(waiting) => &waiting.tool,
            Self::Form(call) => call.tool(),
        }
    }
}

impl AwaitResult {
    fn resume(self, outcome: Result<UpstreamResponse, UpstreamError>) -> Step {
        let answered = outcome.is_ok();
        let Self { envelope, tool, arguments, config, secrets } = self;
        let Some(plan) = tool.tool.plan.operation() else {
            let result = ToolResult::error("Request failed: the tool is no request to the API.");
            return finish(&envelope, Rc::clone(&tool), result, Outcome::NoAnswer);
        };
        let target = config.upstream(&plan.upstream);
        let target = target.and_then(|it| it.target(plan.server.as_deref()));
        let context = response::Context {
            authority: Some(target.map_or("", |(_, authority)| authority)),
            max_body: config.limits.upstream_body,
            ..response::Context::default()
        };
        let mut result = response::render(plan, &arguments, outcome, &context);
        conform::conform(&tool.tool, tool.validators(), &mut result);
        secrets.blank(&mut result);
        let outcome = match (answered, result.is_error) {
            (_, false) => Outcome::Success,
            (true, true) => Outcome::ApiError,
            (false, true) => Outcome::NoAnswer,
        };
        finish(&envelope, tool, result, outcome)
    }
}
