//! Answers with a status that is not a success.

use crate::{
    http::UpstreamResponse,
    tool::{OperationPlan, ToolResult},
};

use super::{
    Context,
    encoding::{self, DecodeError},
    html,
    media::{self, Kind, MediaType},
    notes,
    text::{Escape, LONG, Line, push_cut},
};

/// A redirect is not followed (RFC 9110 §15.4): the agent learns where it pointed.
#[cold]
pub(super) fn redirect(answer: &UpstreamResponse, context: &Context<'_>) -> ToolResult {
    let mut text = format!("HTTP {}: ", answer.status);
    match answer.headers.get("location") {
        Some(target) => {
            text.push_str("the API redirects to ");
            let target = notes::location(target, context);
            Line::new(&mut text, Escape::Breaks, LONG).push(&target);
            text.push_str("; redirects are not followed");
        }
        None if answer.status == 304 => text.push_str("not modified, there is no new content"),
        None => text.push_str("the API redirects without saying where to"),
    }
    notes::push_retry_after(&mut text, &answer.headers);
    ToolResult::error(text)
}

/// An error: the status and what the API says about it, cut at the plan's limit. The body is often
/// how an agent learns to correct itself.
#[cold]
pub(super) fn error(
    plan: &OperationPlan,
    answer: UpstreamResponse,
    context: &Context<'_>,
) -> ToolResult {
    let UpstreamResponse { status, headers, body } = answer;
    let media = MediaType::parse(headers.get("content-type"));
    let body = match encoding::decode(headers.get("content-encoding"), body, context.max_body) {
        Ok(body) => message(&media, body),
        Err(DecodeError::Unsupported(coding)) => format!("(a body with coding {coding})"),
        Err(DecodeError::Corrupt(_) | DecodeError::TooLarge) => "(an unreadable body)".to_owned(),
    };
    let mut text = format!("HTTP {status}: ");
    push_cut(&mut text, &body, plan.response.max_error_length);
    notes::push_retry_after(&mut text, &headers);
    ToolResult::error(text)
}

fn message(media: &MediaType<'_>, body: Vec<u8>) -> String {
    match media.kind() {
        Kind::Html => html::text(&media.decode(body)),
        Kind::Unknown if is_page(&body) => html::text(&media.decode(body)),
        Kind::Json | Kind::JsonSequence | Kind::Text => media.decode(body),
        _ if media::looks_like_text(&body) => media.decode(body),
        Kind::Image | Kind::Audio | Kind::Binary | Kind::Unknown => {
            format!("({} bytes that are not text)", body.len())
        }
    }
}

fn is_page(body: &[u8]) -> bool {
    let body = body.trim_ascii_start();
    [b"<!doctype html".as_slice(), b"<html"]
        .iter()
        .any(|start| body.get(..start.len()).is_some_and(|bytes| bytes.eq_ignore_ascii_case(start)))
}
