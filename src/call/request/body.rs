//! The request body (OpenAPI 3.1 §4.8.13 to §4.8.15).

use std::borrow::Cow;

use base64::Engine as _;
use serde_json::{Map, Value};

use super::{form, multipart, style};
use crate::{
    http::common,
    json::{Pointer, Problem},
    media::{Coding, coding},
    tool::{BodyPlan, BodyShape},
};

/// Whether a media type is `application/x-www-form-urlencoded`.
pub(super) fn is_form(media_type: &str) -> bool {
    coding(media_type) == Coding::Form
}

/// Builds the body; `None` when there is nothing to send.
pub(super) fn build(
    plan: &BodyPlan,
    arguments: &Map<String, Value>,
    problems: &mut Vec<Problem>,
) -> Option<(Cow<'static, str>, Vec<u8>)> {
    let body = Body::new(plan, arguments)?;
    let mut media_type = common(&plan.media_type);
    let bytes = match coding(&plan.media_type) {
        Coding::Json => body.json(),
        Coding::JsonLines => body.whole().map_or_else(|| body.json(), json_lines),
        Coding::Form => form::encode(plan, &body.members(problems)).into_bytes(),
        Coding::Multipart => {
            let (boundary, bytes) = multipart::encode(plan, &body.members(problems), problems);
            media_type.to_mut().push_str("; boundary=");
            media_type.to_mut().push_str(&boundary);
            bytes
        }
        Coding::Text => body.text(),
        Coding::Binary => {
            let value = body.whole().unwrap_or(&Value::Null);
            bytes_of(value, &body.place(), problems).unwrap_or_default()
        }
    };
    Some((media_type, bytes))
}

/// One property of an object body: name, value, and its place in the arguments.
pub(super) struct Member<'a> {
    /// Name in the API.
    pub name: &'a str,
    /// The value.
    pub value: &'a Value,
    /// Place of the value in the arguments.
    pub at: Pointer,
}

/// What the arguments give for the body.
enum Body<'a> {
    /// One value, with the name of its argument and the fixed properties that win over its own.
    Whole { argument: &'a str, value: &'a Value, fixed: &'a Map<String, Value> },
    /// Properties in the order they are sent; the argument's name is absent for fixed ones.
    Flat(Vec<(Option<&'a str>, &'a str, &'a Value)>),
}

impl<'a> Body<'a> {
    /// Collects the body; `None` when nothing is given and nothing must be sent.
    fn new(plan: &'a BodyPlan, arguments: &'a Map<String, Value>) -> Option<Self> {
        match &plan.shape {
            BodyShape::Whole { argument } => {
                match arguments.get(argument).filter(|value| !value.is_null()) {
                    Some(value) => Some(Self::Whole { argument, value, fixed: &plan.fixed }),
                    None if plan.fixed.is_empty() => None,
                    None => Some(Self::Flat(fixed(plan).collect())),
                }
            }
            BodyShape::Flat { properties } => {
                let given = properties.iter().filter_map(|(argument, name)| {
                    let value = arguments.get(argument)?;
                    let sent = !plan.fixed.contains_key(name);
                    sent.then_some((Some(argument.as_str()), name.as_str(), value))
                });
                let members: Vec<_> = given.chain(fixed(plan)).collect();
                (plan.required || !members.is_empty()).then_some(Self::Flat(members))
            }
        }
    }

    /// The value that is the whole body, when no properties are added to it.
    fn whole(&self) -> Option<&'a Value> {
        match self {
            Self::Whole { value, fixed, .. } if fixed.is_empty() || !value.is_object() => {
                Some(value)
            }
            _ => None,
        }
    }

    /// Place of the whole body in the arguments.
    fn place(&self) -> Pointer {
        match self {
            Self::Whole { argument, .. } => Pointer::root().join(argument),
            Self::Flat(_) => Pointer::root(),
        }
    }

    /// The properties of an object body.
    fn members(&self, problems: &mut Vec<Problem>) -> Vec<Member<'a>> {
        match self {
            Self::Flat(members) => members
                .iter()
                .map(|&(argument, name, value)| Member {
                    name,
                    value,
                    at: Pointer::root().join(argument.unwrap_or(name)),
                })
                .collect(),
            Self::Whole { value: Value::Object(object), fixed, .. } => {
                let place = self.place();
                let given = object.iter().filter(|(name, _)| !fixed.contains_key(*name));
                given
                    .chain(fixed.iter())
                    .map(|(name, value)| Member { name, value, at: place.join(name) })
                    .collect()
            }
            Self::Whole { .. } => {
                problems
                    .push(Problem::new(self.place(), "must be an object, it is sent as a form"));
                Vec::new()
            }
        }
    }

    fn json(&self) -> Vec<u8> {
        if let Some(value) = self.whole() {
            return value.to_string().into_bytes();
        }
        let mut out = Vec::with_capacity(128);
        out.push(b'{');
        for (position, member) in self.members(&mut Vec::new()).iter().enumerate() {
            if position > 0 {
                out.push(b',');
            }
            write_json(&mut out, member.name);
            out.push(b':');
            write_json(&mut out, member.value);
        }
        out.push(b'}');
        out
    }

    #[cold]
    fn text(&self) -> Vec<u8> {
        match self.whole() {
            Some(value @ (Value::Array(_) | Value::Object(_))) => value.to_string().into_bytes(),
            Some(value) => style::flat(value).into_owned().into_bytes(),
            None => self.json(),
        }
    }
}

fn fixed(plan: &BodyPlan) -> impl Iterator<Item = (Option<&str>, &str, &Value)> {
    plan.fixed.iter().map(|(name, value)| (None, name.as_str(), value))
}

/// Appends a value as compact JSON; writing to memory cannot fail.
fn write_json(out: &mut Vec<u8>, value: &(impl serde::Serialize + ?Sized)) {
    let written = serde_json::to_writer(&mut *out, value);
    debug_assert!(written.is_ok());
}

#[cold]
fn json_lines(value: &Value) -> Vec<u8> {
    let mut out = Vec::new();
    match value {
        Value::String(text) => out.extend_from_slice(text.as_bytes()),
        Value::Array(items) => {
            for item in items {
                write_json(&mut out, item);
                out.push(b'\n');
            }
        }
        other => {
            write_json(&mut out, other);
            out.push(b'\n');
        }
    }
    out
}

/// The bytes of a value in base64: standard or URL-safe alphabet, padding optional, white space
/// ignored.
#[cold]
pub(super) fn bytes_of(
    value: &Value,
    at: &Pointer,
    problems: &mut Vec<Problem>,
) -> Option<Vec<u8>> {
    let decoded = value.as_str().and_then(decode);
    if decoded.is_none() {
        problems.push(Problem::new(at.clone(), "must be bytes as a base64 string"));
    }
    decoded
}

fn decode(text: &str) -> Option<Vec<u8>> {
    let strange = |c: char| matches!(c, '-' | '_') || c.is_ascii_whitespace();
    let text = if text.contains(strange) {
        let standard = |c| match c {
            '-' => '+',
            '_' => '/',
            c => c,
        };
        Cow::Owned(
            text.chars().filter(|c| !c.is_ascii_whitespace()).map(standard).collect::<String>(),
        )
    } else {
        Cow::Borrowed(text)
    };
    base64::prelude::BASE64_STANDARD_NO_PAD.decode(text.trim_end_matches('=')).ok()
}
