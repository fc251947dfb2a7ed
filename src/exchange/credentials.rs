//! What the security schemes of an operation ask for, taken from the configuration or the caller.
//!
//! Values pass from there to the request and nowhere else: agents do not see them, and what the API
//! says of them in its answer is blanked out.

use std::borrow::Cow;
use std::fmt;

use serde_json::Value;
use url::form_urlencoded;

use crate::config::{Credential, CredentialSource, Upstream};
use crate::http::{Field, Headers, UpstreamRequest};
use crate::tool::{Content, CredentialPlan, Place, ToolResult};

/// Values that must not be shown.
#[derive(Default)]
pub(super) struct Secrets(Vec<String>);

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secrets")
    }
}

/// What stands in place of a value.
const BLANK: &str = "[credential]";

/// Shorter values occur by chance.
const SHORTEST: usize = 4;

/// Adds the credentials of the first alternative that is complete for this caller; without one,
/// none. They replace what else has their place.
pub(super) fn add(
    request: &mut UpstreamRequest,
    alternatives: &[Vec<CredentialPlan>],
    caller: &Headers,
    upstream: &Upstream,
) -> Secrets {
    let found = alternatives.iter().find_map(|alternative| {
        let values = alternative.iter().map(|credential| value(credential, caller, upstream));
        Some((alternative, values.collect::<Option<Vec<_>>>()?))
    });
    let mut secrets = Secrets::default();
    let Some((alternative, values)) = found else { return secrets };
    for (credential, value) in alternative.iter().zip(values) {
        secrets.note(&value);
        put(request, credential, &value, &mut secrets);
    }
    secrets
}

/// The value of one credential; `None` when the caller does not give it.
fn value<'c>(
    plan: &CredentialPlan,
    caller: &'c Headers,
    upstream: &'c Upstream,
) -> Option<Cow<'c, str>> {
    let configured = upstream.credentials.iter().find(|it| it.scheme == plan.scheme);
    let Credential { source, .. } = configured?;
    let given = match source {
        CredentialSource::Value(secret) | CredentialSource::Basic(secret) => {
            Cow::Borrowed(secret.reveal())
        }
        CredentialSource::ForwardHeader(name) if *name != plan.name => {
            Cow::Borrowed(caller.get(name)?)
        }
        CredentialSource::ForwardHeader(_) | CredentialSource::Forward => forwarded(plan, caller)?,
    };
    let is_cookie = plan.place == Place::Cookie;
    let ends = |c: char| c.is_control() || (is_cookie && matches!(c, ';' | ',' | ' ' | '"'));
    (!given.is_empty() && !given.contains(ends)).then_some(given)
}

/// What the caller's request has where the API wants the credential.
fn forwarded<'c>(plan: &CredentialPlan, caller: &'c Headers) -> Option<Cow<'c, str>> {
    match plan.place {
        Place::Header => {
            let value = caller.get(&plan.name)?;
            let prefix = plan.prefix.as_str();
            let rest = value.get(..prefix.len()).filter(|it| it.eq_ignore_ascii_case(prefix));
            rest.and_then(|_| value.get(prefix.len()..)).map(|rest| Cow::Borrowed(rest.trim()))
        }
        Place::Cookie => {
            let fields = caller.all("cookie").filter_map(|field| std::str::from_utf8(field).ok());
            let mut pairs = fields.flat_map(|field| field.split(';'));
            pairs.find_map(|pair| {
                let (name, value) = pair.trim().split_once('=')?;
                (name == plan.name).then_some(Cow::Borrowed(value))
            })
        }
        Place::Query => {
            let (_, query) = caller.get(":path")?.split_once('?')?;
            let mut pairs = form_urlencoded::parse(query.as_bytes());
            pairs.find(|(name, _)| *name == plan.name).map(|(_, value)| value)
        }
        Place::Path | Place::Querystring => None,
    }
}

fn put(request: &mut UpstreamRequest, plan: &CredentialPlan, value: &str, secrets: &mut Secrets) {
    match plan.place {
        Place::Header => {
            let value = match plan.prefix.as_str() {
                "" => value.to_owned(),
                prefix => [prefix, " ", value].concat(),
            };
            super::decorate::set(&mut request.headers, &plan.name, &value);
        }
        Place::Cookie => put_cookie(&mut request.headers, &plan.name, value),
        Place::Query => {
            let encoded: String = form_urlencoded::byte_serialize(value.as_bytes()).collect();
            request.path.push(if request.path.contains('?') { '&' } else { '?' });
            request.path.extend(form_urlencoded::byte_serialize(plan.name.as_bytes()));
            request.path.push('=');
            request.path.push_str(&encoded);
            secrets.note(&encoded);
        }
        Place::Path | Place::Querystring => {}
    }
}

/// Sets a cookie beside the others.
fn put_cookie(headers: &mut Vec<Field>, name: &str, value: &str) {
    let pair = [name, "=", value].concat();
    let Some((_, cookies)) = headers.iter_mut().find(|(field, _)| field == "cookie") else {
        return headers.push((Cow::Borrowed("cookie"), pair.into()));
    };
    let is_other = |cookie: &&str| cookie.split_once('=').is_none_or(|(known, _)| known != name);
    let mut kept: Vec<&str> =
        cookies.split(';').map(str::trim).filter(|it| !it.is_empty()).filter(is_other).collect();
    kept.push(&pair);
    *cookies = kept.join("; ").into();
}

impl Secrets {
    /// Everything that an upstream may be sent for this caller: what it once answered may hold any
    /// of it.
    pub(super) fn of<'p>(
        plans: impl Iterator<Item = &'p CredentialPlan>,
        caller: &Headers,
        upstream: &Upstream,
    ) -> Self {
        let mut secrets = Self::default();
        for credential in &upstream.credentials {
            if let CredentialSource::Value(secret) | CredentialSource::Basic(secret) =
                &credential.source
            {
                secrets.note_encoded(secret.reveal());
            }
        }
        for value in plans.filter_map(|plan| value(plan, caller, upstream)) {
            secrets.note_encoded(&value);
        }
        secrets
    }

    /// Notes a value, and how it is written in a query.
    fn note_encoded(&mut self, value: &str) {
        self.note(value);
        self.note(&form_urlencoded::byte_serialize(value.as_bytes()).collect::<String>());
    }

    fn note(&mut self, value: &str) {
        if value.len() >= SHORTEST && !self.0.iter().any(|known| known == value) {
            self.0.push(value.to_owned());
        }
    }

    /// Blanks the values out of a result: APIs repeat keys in links and messages.
    pub(super) fn blank(&self, result: &mut ToolResult) {
        if self.0.is_empty() {
            return;
        }
        for block in &mut result.content {
            if let Content::Text(text) = block {
                self.blank_text(text);
            }
        }
        if let Some(structured) = &mut result.structured {
            self.blank_value(structured);
        }
    }

    fn blank_text(&self, text: &mut String) {
        for secret in &self.0 {
            if text.contains(secret.as_str()) {
                *text = text.replace(secret.as_str(), BLANK);
            }
        }
    }

    fn blank_value(&self, value: &mut Value) {
        match value {
            Value::String(text) => self.blank_text(text),
            Value::Array(items) => items.iter_mut().for_each(|item| self.blank_value(item)),
            Value::Object(members) => {
                members.values_mut().for_each(|member| self.blank_value(member));
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

#[cfg(test)]
mod tests;
