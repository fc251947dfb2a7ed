//! Response header fields that an agent can use.

use crate::http::Headers;

use super::{
    Context,
    text::{Escape, LONG, Line},
};

/// Relations of `link` that lead on from an answer (RFC 8288); `preload` and the like do not.
const RELATIONS: &[&str] =
    &["next", "prev", "previous", "first", "last", "up", "item", "collection"];

/// The fields of a successful answer to `method` that matter, one line each; `None` for none.
pub(super) fn of_success(
    method: &str,
    status: u16,
    headers: &Headers,
    context: &Context<'_>,
) -> Option<String> {
    let mut lines = String::new();
    if let (201 | 202, Some(target)) = (status, headers.get("location")) {
        push(&mut lines, "Location", &location(target, context));
    }
    for link in headers.all("link") {
        if let Some(links) = std::str::from_utf8(link).ok().and_then(useful_links) {
            push(&mut lines, "Link", &links);
        }
    }
    let known: &[(&str, &str)] = match method {
        "HEAD" => &[
            ("content-type", "Content-Type"),
            ("content-length", "Content-Length"),
            ("last-modified", "Last-Modified"),
            ("etag", "ETag"),
        ],
        _ => &[("etag", "ETag"), ("retry-after", "Retry-After")],
    };
    for (name, label) in known {
        if let Some(value) = headers.get(name) {
            push(&mut lines, label, value);
        }
    }
    (!lines.is_empty()).then_some(lines)
}

/// Appends `Retry-After`, if the answer has it, as a line of its own.
pub(super) fn push_retry_after(text: &mut String, headers: &Headers) {
    if let Some(value) = headers.get("retry-after") {
        push(text, "Retry-After", value);
    }
}

/// A location without what might be secret: on the API itself the path with its query; elsewhere
/// no user, query or fragment.
#[cold]
pub(super) fn location(target: &str, context: &Context<'_>) -> String {
    let target = target.split_once('#').map_or(target, |(target, _)| target);
    let (scheme, rest) = match target.split_once("://") {
        Some((scheme, rest)) if scheme.bytes().all(|b| b.is_ascii_alphanumeric()) => (scheme, rest),
        _ => match target.strip_prefix("//") {
            Some(rest) => ("", rest),
            None => return target.to_owned(),
        },
    };
    let (authority, path) =
        rest.split_at_checked(rest.find(['/', '?']).unwrap_or(rest.len())).unwrap_or((rest, ""));
    let authority = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    if context.authority.is_some_and(|own| own.eq_ignore_ascii_case(authority)) {
        return if path.starts_with('/') { path.to_owned() } else { format!("/{path}") };
    }
    let path = path.split_once('?').map_or(path, |(path, _)| path);
    let separator = if scheme.is_empty() { "//" } else { "://" };
    format!("{scheme}{separator}{authority}{path}")
}

#[cold]
fn push(lines: &mut String, label: &str, value: &str) {
    if !lines.is_empty() {
        lines.push('\n');
    }
    lines.push_str(label);
    lines.push_str(": ");
    Line::new(lines, Escape::Breaks, LONG).push(value);
}

/// The links of a field that an agent can follow; `None` for none.
#[cold]
fn useful_links(field: &str) -> Option<String> {
    let useful: Vec<_> = split_links(field).filter(|link| is_useful(link)).collect();
    (!useful.is_empty()).then(|| useful.join(", "))
}

/// The elements of a `link` field: commas also occur inside of `<…>` and quoted strings.
fn split_links(field: &str) -> impl Iterator<Item = &str> {
    let mut inside = None;
    field
        .split(move |c| {
            match (inside, c) {
                (None, '<') => inside = Some('>'),
                (None, '"') => inside = Some('"'),
                (Some(end), c) if end == c => inside = None,
                _ => {}
            }
            c == ',' && inside.is_none()
        })
        .map(str::trim)
}

fn is_useful(link: &str) -> bool {
    let parameters = link.rsplit_once('>').map_or("", |(_, parameters)| parameters);
    parameters.split(';').filter_map(|parameter| parameter.split_once('=')).any(|(name, value)| {
        name.trim().eq_ignore_ascii_case("rel")
            && value
                .trim()
                .trim_matches('"')
                .split_ascii_whitespace()
                .any(|relation| RELATIONS.iter().any(|known| known.eq_ignore_ascii_case(relation)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locations_show_no_secrets() {
        let context = Context { authority: Some("api.test:8443"), ..Context::default() };
        for (target, expected) in [
            ("/v1/b/12?view=full#top", "/v1/b/12?view=full"),
            ("../c", "../c"),
            ("https://api.test:8443/v1/b?x=1", "/v1/b?x=1"),
            ("https://API.test:8443", "/"),
            ("https://user:pw@evil.test/login?token=s#f", "https://evil.test/login"),
            ("https://evil.test?token=s", "https://evil.test"),
            ("//evil.test/a?b", "//evil.test/a"),
        ] {
            assert_eq!(location(target, &context), expected, "{target}");
        }
    }

    #[track_caller]
    fn check(method: &str, status: u16, headers: &[(&str, &str)], expected: Option<&str>) {
        let headers = headers.iter().copied().collect();
        let notes = of_success(method, status, &headers, &Context::default());
        assert_eq!(notes.as_deref(), expected);
    }

    #[test]
    fn fields_that_matter_are_listed() {
        check("GET", 200, &[("content-type", "text/plain"), ("date", "x")], None);
        check(
            "POST",
            201,
            &[("location", "/v1/b/1"), ("ETag", "\"a\"")],
            Some("Location: /v1/b/1\nETag: \"a\""),
        );
        check("GET", 200, &[("location", "/v1/b/1")], None);
        check("POST", 202, &[("retry-after", "5")], Some("Retry-After: 5"));
        check(
            "HEAD",
            200,
            &[("content-length", "12"), ("content-type", "text/plain")],
            Some("Content-Type: text/plain\nContent-Length: 12"),
        );
    }

    #[test]
    fn only_links_that_lead_on_are_listed() {
        check(
            "GET",
            200,
            &[
                ("link", "</a,b?x=1>; title=\"x, y\"; rel=\"next\", </s.css>; rel=preload"),
                ("link", "</p>; rel=\"prev first\""),
                ("link", "</q>; rel=preload"),
            ],
            Some("Link: </a,b?x=1>; title=\"x, y\"; rel=\"next\"\nLink: </p>; rel=\"prev first\""),
        );
    }
}
