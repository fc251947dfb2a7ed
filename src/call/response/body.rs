//! The body of a successful answer as content blocks.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use crate::{
    http::UpstreamResponse,
    json,
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
    media: &MediaType,
    body: Vec<u8>,
    context: &Context<'_>,
) -> ToolResult {
    match media.kind() {
        Kind::Json => match parse(&media.decode(body)) {
            Ok(value) => json((plan, root), arguments, value, context),
            Err(error) => ToolResult::error(format!("Invalid JSON response: {error}.")),
        },
        Kind::JsonSequence => sequence((plan, root), arguments, media.decode(body), context),
        Kind::Text | Kind::Html => plain(media.decode(body), context),
        Kind::Unknown if media::looks_like_text(&body) => plain(media.decode(body), context),
        kind => binary(kind, media, body, context),
    }
}

/// A parsed answer: its text and, if the plan says so, its structured content.
fn json(
    (plan, root): (&OperationPlan, usize),
    arguments: &Map<String, Value>,
    value: Value,
    context: &Context<'_>,
) -> ToolResult {
    let plan = &plan.response;
    let fields = selection::fields(plan, arguments);
    let text = markdown::render((plan, root), fields.as_deref(), &value, context.max_text);
    let structured =
        plan.structured.then(|| structured::shown((plan, root), fields.as_deref(), value));
    ToolResult { structured, ..ToolResult::text(text) }
}

/// A sequence of one text is that text; others stay as they are.
fn sequence(
    plan: (&OperationPlan, usize),
    arguments: &Map<String, Value>,
    body: String,
    context: &Context<'_>,
) -> ToolResult {
    match parse(body.trim_start_matches('\u{1e}')) {
        Ok(value) => json(plan, arguments, value, context),
        Err(_) => plain(body, context),
    }
}

fn plain(mut body: String, context: &Context<'_>) -> ToolResult {
    if body.len() > context.max_text {
        text::truncate_lines(&mut body, context.max_text);
        body.push_str("\n\n");
        body.push_str(&markdown::too_long(context.max_text));
    }
    ToolResult::text(body)
}

fn binary(kind: Kind, media: &MediaType, data: Vec<u8>, context: &Context<'_>) -> ToolResult {
    let mime_type = match media.essence.as_str() {
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

/// Parses JSON; unpaired surrogates, which the grammar allows, become U+FFFD.
fn parse(text: &str) -> Result<Value, String> {
    json::parse(text.as_bytes()).or_else(|error| {
        mend_surrogates(text)
            .and_then(|mended| json::parse(mended.as_bytes()).ok())
            .ok_or_else(|| error.to_string().replace(DEEP, "nested deeper than 128 levels"))
    })
}

/// `text` with the escapes of unpaired surrogates replaced; `None` when there are none.
fn mend_surrogates(text: &str) -> Option<String> {
    let mut mended = String::with_capacity(text.len());
    let mut rest = text;
    let mut found = false;
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at_checked(at)?;
        mended.push_str(before);
        let length = match (surrogate(escape), escape.get(6..).and_then(surrogate)) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => 12,
            (Some(_), _) => 0,
            (None, _) => 1 + escape.chars().nth(1).map_or(0, char::len_utf8),
        };
        if length == 0 {
            mended.push_str("\\ufffd");
            rest = escape.get(6..)?;
            found = true;
        } else {
            mended.push_str(escape.get(..length)?);
            rest = escape.get(length..)?;
        }
    }
    mended.push_str(rest);
    found.then_some(mended)
}

/// The surrogate that an escape at the start of `text` denotes.
fn surrogate(text: &str) -> Option<u16> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    u16::from_str_radix(digits, 16).ok().filter(|unit| (0xD800..=0xDFFF).contains(unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unpaired_surrogates_are_replaced() {
        for (text, expected) in [
            (r#""\ud83d\ude00""#, "😀"),
            (r#""a\ud83db""#, "a\u{FFFD}b"),
            (r#""\ude00\ud83d\ude00\uD83D""#, "\u{FFFD}😀\u{FFFD}"),
            (r#""\\ud83d\udc00""#, "\\ud83d\u{FFFD}"),
        ] {
            assert_eq!(parse(text), Ok(Value::from(expected)), "{text}");
        }
        assert!(parse(r#""\ud83d"#).is_err());
    }
}
