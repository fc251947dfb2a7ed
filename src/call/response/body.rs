//! The body of a successful answer as content blocks.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use crate::{
    http::UpstreamResponse,
    json::{self, tree},
    tool::{Content, OperationPlan, ToolResult},
};

use super::{
    Context,
    encoding::{self, DecodeError},
    failure, markdown,
    media::{self, Kind, MediaType},
    notes, selection, structured, text,
};

/// The result of an answer with status 2xx.
pub(super) fn success(
    plan: &OperationPlan,
    arguments: &Map<String, Value>,
    answer: UpstreamResponse,
    context: &Context<'_>,
) -> ToolResult {
    let UpstreamResponse { status, headers, body } = answer;
    let media = MediaType::parse(headers.get("content-type"));
    let mut result = match encoding::decode(headers.get("content-encoding"), body, context.max_body)
    {
        Ok(body) if body.trim_ascii().is_empty() => ToolResult::text("OK"),
        Ok(body) => {
            let root = plan.response.root(status, &media.essence);
            content((plan, root), arguments, &media, body, context)
        }
        Err(error) => unreadable(&error, &plan.method, context),
    };
    if result.is_error {
        if let Some(Content::Text(text)) = result.content.first_mut() {
            text.push_str(" (The API answered HTTP ");
            text.push_str(&status.to_string());
            text.push_str(".)");
        }
    } else if let Some(notes) = notes::of_success(&plan.method, status, &headers, context) {
        result.content.push(Content::Text(notes));
    }
    result
}

/// The content of an answer that the node `root` of the plan describes.
fn content(
    (plan, root): (&OperationPlan, usize),
    arguments: &Map<String, Value>,
    media: &MediaType<'_>,
    body: Vec<u8>,
    context: &Context<'_>,
) -> ToolResult {
    match media.kind() {
        Kind::Json => {
            let text = media.decode(body);
            json((plan, root), arguments, &text, context).unwrap_or_else(|| {
                ToolResult::error(format!("Invalid JSON response: {}.", fault(&text)))
            })
        }
        Kind::JsonSequence => sequence((plan, root), arguments, media.decode(body), context),
        Kind::Text | Kind::Html => plain(media.decode(body), context),
        Kind::Unknown if media::looks_like_text(&body) => plain(media.decode(body), context),
        kind => binary(kind, media, body, context),
    }
}

/// An answer that is JSON: its text and, if the plan says so, its structured content.
fn json(
    (plan, root): (&OperationPlan, usize),
    arguments: &Map<String, Value>,
    body: &str,
    context: &Context<'_>,
) -> Option<ToolResult> {
    let value = tree::parse(body)?;
    let plan = &plan.response;
    let fields = selection::fields(plan, arguments);
    let size = (body.len(), context.max_text);
    let text = markdown::render((plan, root), fields.as_deref(), &value, size);
    let structured =
        plan.structured.then(|| structured::shown((plan, root), fields.as_deref(), value.into()));
    Some(ToolResult { structured, ..ToolResult::text(text) })
}

/// A sequence of one text is that text; others stay as they are.
#[cold]
fn sequence(
    plan: (&OperationPlan, usize),
    arguments: &Map<String, Value>,
    body: String,
    context: &Context<'_>,
) -> ToolResult {
    let text = body.trim_start_matches('\u{1e}');
    json(plan, arguments, text, context).unwrap_or_else(|| plain(body, context))
}

fn plain(mut body: String, context: &Context<'_>) -> ToolResult {
    if body.len() > context.max_text {
        text::truncate_lines(&mut body, context.max_text);
        body.push_str("\n\n");
        body.push_str(&markdown::too_long(context.max_text));
    }
    ToolResult::text(body)
}

#[cold]
fn binary(kind: Kind, media: &MediaType<'_>, data: Vec<u8>, context: &Context<'_>) -> ToolResult {
    let mime_type = match &*media.essence {
        "" => "application/octet-stream".to_owned(),
        essence => essence.to_owned(),
    };
    if data.len() > context.max_binary {
        return ToolResult::error(format!(
            "The API answered {} bytes of {mime_type}; at most {} bytes are passed on.",
            data.len(),
            context.max_binary
        ));
    }
    let block = match kind {
        Kind::Image => Content::Image { data, mime_type },
        Kind::Audio => Content::Audio { data, mime_type },
        _ => Content::Resource { uri: name_of(&data), mime_type, data },
    };
    ToolResult { content: vec![block], ..ToolResult::default() }
}

/// An identifier that says nothing but what the bytes are (RFC 6920 §3).
fn name_of(data: &[u8]) -> String {
    format!("ni:///sha-256;{}", URL_SAFE_NO_PAD.encode(Sha256::digest(data)))
}

#[cold]
fn unreadable(error: &DecodeError, method: &str, context: &Context<'_>) -> ToolResult {
    ToolResult::error(match error {
        DecodeError::TooLarge => {
            failure::too_large(u64::try_from(context.max_body).unwrap_or(u64::MAX), method)
        }
        DecodeError::Corrupt(coding) => {
            format!("The API's answer cannot be read: it is not valid {coding} data.")
        }
        DecodeError::Unsupported(coding) => format!(
            "The API's answer cannot be read: it is compressed as `{coding}`, which was not asked for: \
             only gzip, deflate and br can be read."
        ),
    })
}

/// How the parser says that it gave up on nesting.
const DEEP: &str = "recursion limit exceeded";

/// What is wrong with `text`, which is no JSON.
#[cold]
fn fault(text: &str) -> String {
    let fault = json::parse(text.as_bytes()).err();
    fault.map_or_else(String::new, |it| {
        it.to_string().replace(DEEP, "nested deeper than 128 levels")
    })
}
