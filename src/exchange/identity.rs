//! Who calls: what keeps the form sessions of one caller from those of another.

use sha2::{Digest, Sha256};

use super::forms::Host;
use crate::config::{Identity, Route, Upstream};
use crate::http::Headers;

/// A digest of what identifies the caller, which itself is kept nowhere.
///
/// # Errors
/// Nothing does; the text says which configuration key to set.
pub(super) fn identify(
    route: Option<&Route>,
    upstream: &Upstream,
    caller: &Headers,
    host: &dyn Host,
) -> Result<String, String> {
    let mut parts: Vec<&[u8]> = Vec::new();
    let property;
    match route.and_then(|route| route.identity.as_ref()) {
        Some(Identity::Anonymous) => parts.push(b"anonymous"),
        Some(Identity::Header(name)) => {
            let mut values = caller.all(name).filter(|value| !value.trim_ascii().is_empty());
            let value = values.next().ok_or_else(|| missing(&format!("the header `{name}`")))?;
            if values.next().is_some() {
                return Err(format!(
                    "The header `{name}` is there more than once, so it does not say who calls."
                ));
            }
            parts.extend([b"header", name.as_bytes(), value]);
        }
        Some(Identity::Property(path)) => {
            let name = path.join(".");
            let missing = || missing(&format!("the host property `{name}`"));
            property = host.property(path).filter(|it| !it.is_empty()).ok_or_else(missing)?;
            parts.push(b"property");
            parts.extend(path.iter().map(String::as_bytes));
            parts.push(&property);
        }
        None => {
            for name in upstream.identifying_headers() {
                for value in caller.all(name) {
                    parts.extend([name.as_bytes(), value]);
                }
            }
            if parts.is_empty() {
                return Err(unknown(upstream.identifying_headers().next().is_some()));
            }
        }
    }
    Ok(digest(&parts))
}

/// Why a caller without credentials is nobody; `is_possible` if there are some to send.
fn unknown(is_possible: bool) -> String {
    let reason = if is_possible {
        "the request has none of the credentials that are forwarded to the API. Send them, or let the \
         operator set `identity` of the route."
    } else {
        "none of their credentials is forwarded to the API. Only the operator can change this, by \
         `identity` of the route or `forwardHeaders` of the upstream; use other tools."
    };
    ["Forms are not available: this route cannot tell callers apart, as ", reason].concat()
}

fn missing(what: &str) -> String {
    format!(
        "Forms are not available: the request lacks {what}, by which callers are told apart \
         (`identity` of the route)."
    )
}

/// A digest of a list: no two lists have the same.
fn digest(parts: &[&[u8]]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    crate::digest::hexadecimal(&hash.finalize())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agents_are_asked_only_for_what_they_can_send() {
        assert!(unknown(true).contains("Send them"));
        let text = unknown(false);
        assert!(!text.contains("Send") && text.contains("`forwardHeaders`"), "{text}");
    }
}
