//! An upstream's answer as a tool result (vocabulary "Responses", MCP `CallToolResult`).

mod body;
mod cell;
mod encoding;
mod failure;
mod html;
mod markdown;
mod media;
mod notes;
mod selection;
mod status;
mod structured;
mod table;
mod text;

pub use failure::doubt;

use serde_json::{Map, Value};

use crate::{
    http::{UpstreamError, UpstreamResponse},
    pattern,
    tool::{Content, OperationPlan, ToolResult},
};

/// What the rendering needs to know besides the plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Context<'a> {
    /// Authority that the API is called by: locations on it are shown as a path.
    pub authority: Option<&'a str>,
    /// Limit of a body after its content coding is removed, in bytes.
    pub max_body: usize,
    /// Limit of one text block, in bytes; what is over it is cut with a note.
    pub max_text: usize,
    /// Limit of a body that is passed on as image, audio or resource, in bytes.
    pub max_binary: usize,
}

impl Default for Context<'_> {
    fn default() -> Self {
        Self { authority: None, max_body: 32 << 20, max_text: 1 << 20, max_binary: 8 << 20 }
    }
}

/// The result of a call whose upstream request ended with `outcome`.
///
/// `arguments` are the checked arguments of the call: they choose the projection. Nothing fails:
/// whatever went wrong becomes a result that tells the agent what happened and whether it is safe
/// to try again.
pub fn render(
    plan: &OperationPlan,
    arguments: &Map<String, Value>,
    outcome: Result<UpstreamResponse, UpstreamError>,
    context: &Context<'_>,
) -> ToolResult {
    match outcome {
        Err(error) => ToolResult::error(failure::describe(error, &plan.method)),
        Ok(answer) => match answer.status {
            200..=299 => pattern::bounded(|| body::success(plan, arguments, answer, context)),
            300..=399 => status::redirect(&answer, context),
            0..=199 => {
                ToolResult::error(failure::describe(UpstreamError::ProtocolError, &plan.method))
            }
            _ => status::error(plan, answer, context),
        },
    }
}

/// A success with its body decoded, for steps that need more than a text of it.
///
/// # Errors
/// Anything else, as the text that [`render`] would give.
pub fn accepted(
    plan: &OperationPlan,
    outcome: Result<UpstreamResponse, UpstreamError>,
    context: &Context<'_>,
) -> Result<UpstreamResponse, String> {
    match outcome {
        Ok(mut answer) if (200..300).contains(&answer.status) => {
            let coding = answer.headers.get("content-encoding");
            answer.body =
                encoding::decode(coding, answer.body, context.max_body).map_err(|_| {
                    "The API's answer has a content coding that cannot be read".to_owned()
                })?;
            Ok(answer)
        }
        outcome => {
            let result = render(plan, &Map::new(), outcome, context);
            let text = result.content.into_iter().find_map(|block| match block {
                Content::Text(text) => Some(text),
                _ => None,
            });
            Err(text.unwrap_or_default())
        }
    }
}

#[cfg(test)]
mod tests;
