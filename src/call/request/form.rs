//! `application/x-www-form-urlencoded` bodies (OpenAPI 3.1 §4.8.14.2 and §4.8.15).

use std::borrow::Cow;

use serde_json::Value;

use super::{
    body::Member,
    content,
    escape::Keep,
    style::{self, Pair},
};
use crate::tool::{BodyPlan, PropertyEncoding, Style};

/// Writes the members as pairs. Without an `encoding` an array repeats its name and an object is
/// JSON text.
#[cold]
pub(super) fn encode(plan: &BodyPlan, members: &[Member<'_>]) -> String {
    let mut out = String::new();
    for member in members {
        let encoding = encoding_of(plan, member.name);
        let keep =
            if encoding.is_some_and(|e| e.allow_reserved) { Keep::Query } else { Keep::Form };
        pairs(member.name, member.value, encoding, &mut |pair| {
            if !out.is_empty() {
                out.push('&');
            }
            pair.push_name(&mut out, Keep::Form);
            out.push('=');
            pair.push_value(&mut out, keep);
        });
    }
    out
}

/// The encoding the document gives for a property.
pub(super) fn encoding_of<'p>(plan: &'p BodyPlan, name: &str) -> Option<&'p PropertyEncoding> {
    plan.encoding.iter().find(|(property, _)| property == name).map(|(_, encoding)| encoding)
}

/// Hands the pairs of one member to `sink`.
fn pairs(
    name: &str,
    value: &Value,
    encoding: Option<&PropertyEncoding>,
    sink: &mut dyn FnMut(Pair<'_>),
) {
    if let Some(PropertyEncoding { style: Some(style), explode, .. }) = encoding {
        return style::pairs(name, *style, *explode, value, sink);
    }
    let media_type = encoding.and_then(|e| e.content_type.as_deref()).unwrap_or_default();
    match value {
        Value::Null => {}
        Value::Array(_) if media_type.is_empty() => {
            style::pairs(name, Style::Form, true, value, sink);
        }
        _ => {
            let text: Cow<'_, str> = content(media_type, value);
            sink(Pair { name, keys: &[], atoms: &[text], delimiter: ',' });
        }
    }
}
