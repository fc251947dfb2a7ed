//! Calls of the three tools that stand for all others.

use std::rc::Rc;

use serde_json::{Map, Value};

use super::error::{Failure, quote};
use crate::json;
use crate::tool::Tool;
use crate::toolset::{Family, Lifetime, OpenTool, Role, ToolSet, push_text};

/// What a call of one of the tools comes to.
#[derive(Debug)]
pub(super) enum Outcome {
    /// This is the `result` object.
    Result(Vec<u8>),
    /// This is the `result` object, which says what was wrong with the arguments.
    Refusal(Vec<u8>),
    /// This operation is to be called, with these arguments.
    Operation(Rc<OpenTool>, Map<String, Value>),
}

/// What the agent has to do differently.
type Refusal = String;

/// Answers, or says which operation is meant.
#[cold]
pub(super) fn call(
    role: Role,
    arguments: Map<String, Value>,
    tools: &ToolSet,
    family: Family,
) -> Result<Outcome, Failure> {
    let outcome = match role {
        Role::Search => search(&arguments, tools, family),
        Role::Describe => describe(&arguments, tools, family)?,
        Role::Call => operation(arguments, tools)?,
    };
    Ok(outcome.unwrap_or_else(|refusal| {
        let mut text = Vec::new();
        push_text(&mut text, &refusal);
        Outcome::Refusal(result(&text, true, tools, family))
    }))
}

/// What to say with refused arguments of an operation.
#[cold]
pub(super) fn advice(tools: &ToolSet) -> String {
    format!("Call `{}` to see the arguments of an operation.", tools.role_name(Role::Describe))
}

fn search(
    arguments: &Map<String, Value>,
    tools: &ToolSet,
    family: Family,
) -> Result<Outcome, Refusal> {
    let query =
        text(arguments, "query", "some words for what is to be done, such as `create issue`")?;
    let lines = tools.found(query);
    let mut out = b"\"".to_vec();
    if lines.is_empty() {
        let nothing = format!("Nothing fits {}; try other words. ", quote(query));
        push_text(&mut out, &nothing);
        // the inside of a string, which goes on
        out.drain(..1);
        out.pop();
        out.extend_from_slice(tools.overview());
    }
    for (index, line) in lines.into_iter().enumerate() {
        if index > 0 {
            out.extend_from_slice(b"\\n");
        }
        out.extend_from_slice(line);
    }
    out.push(b'"');
    Ok(Outcome::Result(result(&out, false, tools, family)))
}

fn describe(
    arguments: &Map<String, Value>,
    tools: &ToolSet,
    family: Family,
) -> Result<Result<Outcome, Refusal>, Failure> {
    let tool = match find(arguments, tools)? {
        Ok(tool) => tool,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let mut text = Vec::new();
    push_text(&mut text, &description(&tool.tool, tools.role_name(Role::Call)));
    Ok(Ok(Outcome::Result(result(&text, false, tools, family))))
}

fn description(tool: &Tool, call: &str) -> String {
    let mut text = tool.name.clone();
    if let Some(plan) = tool.plan.operation() {
        for part in [": ", &plan.method, " ", &plan.path] {
            text.push_str(part);
        }
    }
    let title = tool.title.as_deref().unwrap_or_default();
    for part in ["\n\n", title, if title.is_empty() { "" } else { "\n\n" }, &tool.description] {
        text.push_str(part);
    }
    text.push_str("\n\nArguments for `");
    text.push_str(call);
    text.push_str("`, as JSON Schema:\n");
    text.push_str(&tool.input_schema.to_string());
    for example in &tool.examples {
        text.push_str("\n\nExample:\n");
        text.push_str(&example.to_string());
    }
    text
}

fn operation(
    mut arguments: Map<String, Value>,
    tools: &ToolSet,
) -> Result<Result<Outcome, Refusal>, Failure> {
    let tool = match find(&arguments, tools)? {
        Ok(tool) => tool,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let unknown = arguments.keys().find(|key| !matches!(key.as_str(), "name" | "arguments"));
    if let Some(unknown) = unknown {
        return Ok(Err(format!(
            "Nothing was sent: {} is not an argument of `{}`. Arguments of the operation belong \
             into `arguments`, an object.",
            quote(unknown),
            tools.role_name(Role::Call)
        )));
    }
    let given = match arguments.shift_remove("arguments") {
        // some clients write inner objects as text
        Some(Value::String(text)) => json::parse(text.as_bytes()).unwrap_or(Value::String(text)),
        given => given.unwrap_or_default(),
    };
    Ok(match given {
        Value::Object(given) => Ok(Outcome::Operation(tool, given)),
        Value::Null => Ok(Outcome::Operation(tool, Map::new())),
        _ => Err(format!("Nothing was sent: `arguments` must be an object. {}", advice(tools))),
    })
}

/// The operation that `name` names.
fn find(
    arguments: &Map<String, Value>,
    tools: &ToolSet,
) -> Result<Result<Rc<OpenTool>, Refusal>, Failure> {
    let name = match text(arguments, "name", "the name of an operation") {
        Ok(name) => name,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let found = tools.operation(name).map_err(|error| Failure::internal(error.to_string()))?;
    Ok(found.ok_or_else(|| unknown(name, tools)))
}

fn unknown(name: &str, tools: &ToolSet) -> Refusal {
    let search = tools.role_name(Role::Search);
    let near = tools.nearest_operations(name);
    let mut refusal = format!("There is no operation {}.", quote(name));
    if !near.is_empty() {
        refusal.push_str(" Perhaps one of these is meant: ");
        refusal.push_str(&near.join(", "));
        refusal.push('.');
    }
    refusal.push_str(" Call `");
    refusal.push_str(search);
    refusal.push_str("` to find operations.");
    refusal
}

/// An argument that is a string and not empty.
fn text<'a>(arguments: &'a Map<String, Value>, name: &str, what: &str) -> Result<&'a str, Refusal> {
    match arguments.get(name) {
        Some(Value::String(text)) if !text.trim().is_empty() => Ok(text),
        _ => Err(format!("Nothing was done: `{name}` must be {what}, as a string.")),
    }
}

/// A `CallToolResult` of one text, which is JSON.
fn result(text: &[u8], is_error: bool, tools: &ToolSet, family: Family) -> Vec<u8> {
    let error: &[u8] = if is_error { b",\"isError\":true" } else { b"" };
    let closing = tools.closing(family, Lifetime::Unsaid);
    [b"{\"content\":[{\"type\":\"text\",\"text\":", text, b"}]", error, closing].concat()
}
