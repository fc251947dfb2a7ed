//! Header fields and cookies (RFC 9110 §5, RFC 6265 §4.1.1, OpenAPI 3.1 Appendix D).

use std::borrow::Cow;

use super::{
    Bound, Place, content,
    escape::Keep,
    style::{self, Pair},
};
use crate::{
    http::{Field, common, is_reserved_header},
    json::Problem,
    tool::Style,
};

/// Fields that most requests have besides parameters, those of the gateway included.
const USUAL: usize = 8;

/// Builds the header fields: `accept`, `content-type`, header parameters in order, `cookie`.
pub(super) fn build(
    accept: &str,
    content_type: Option<Cow<'static, str>>,
    bound: &[Bound<'_>],
    problems: &mut Vec<Problem>,
) -> Vec<Field> {
    let mut headers = Vec::with_capacity(USUAL + bound.len());
    if !accept.is_empty() {
        headers.push((Cow::Borrowed("accept"), common(accept)));
    }
    if let Some(value) = content_type {
        headers.push((Cow::Borrowed("content-type"), value));
    }
    let mut cookies = String::new();
    for parameter in bound {
        match parameter.plan.place {
            Place::Header => header(&mut headers, &mut cookies, parameter, problems),
            Place::Cookie => cookie(&mut cookies, parameter, problems),
            Place::Path | Place::Query | Place::Querystring => {}
        }
    }
    if !cookies.is_empty() {
        headers.push((Cow::Borrowed("cookie"), cookies.into()));
    }
    headers
}

#[cold]
fn header(
    headers: &mut Vec<Field>,
    cookies: &mut String,
    parameter: &Bound<'_>,
    problems: &mut Vec<Problem>,
) {
    let plan = parameter.plan;
    if is_reserved_header(&plan.name) {
        return;
    }
    let value = match &plan.content {
        Some(media_type) => content(media_type, &parameter.value).into_owned(),
        None => simple(parameter),
    };
    if !is_token(&plan.name) {
        problems.push(parameter.problem("the API gives this header a name that cannot be sent"));
    } else if value.chars().any(char::is_control) {
        problems.push(parameter.problem(
            "is sent as a header and must not hold line breaks or other control characters",
        ));
    } else if plan.name.eq_ignore_ascii_case("cookie") {
        start_cookie(cookies);
        cookies.push_str(value.trim_matches(' '));
    } else {
        let value = value.trim_matches(' ').to_owned();
        headers.push((plan.name.to_ascii_lowercase().into(), value.into()));
    }
}

fn simple(parameter: &Bound<'_>) -> String {
    let (plan, mut value) = (parameter.plan, String::new());
    style::push_segment(
        &mut value,
        &plan.name,
        Style::Simple,
        plan.explode,
        &parameter.value,
        Keep::All,
    );
    value
}

/// Whether a text is a field name (RFC 9110 §5.6.2 `token`).
pub(super) fn is_token(name: &str) -> bool {
    !name.is_empty()
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b))
}

/// Appends one cookie parameter. Style `form` percent-encodes, style `cookie` sends the value as it
/// is, so that it must already be a valid cookie value.
#[cold]
fn cookie(out: &mut String, parameter: &Bound<'_>, problems: &mut Vec<Problem>) {
    let plan = parameter.plan;
    let keep = if plan.style == Style::Cookie { Keep::All } else { Keep::Unreserved };
    let mut pair = |pair: Pair<'_>| {
        start_cookie(out);
        pair.push_name(out, keep);
        out.push('=');
        pair.push_value(out, keep);
        let raw = || pair.atoms.iter().map(|atom| &**atom).chain([pair.name]);
        if keep == Keep::All && !raw().all(is_cookie_text) {
            problems.push(parameter.problem(
                "is sent as a cookie and must not hold spaces, quotes, `,`, `;`, `\\` or \
                 characters beyond ASCII; percent-encode them",
            ));
        }
    };
    match &plan.content {
        None => style::pairs(&plan.name, plan.style, plan.explode, &parameter.value, &mut pair),
        Some(media_type) => {
            let text: Cow<'_, str> = content(media_type, &parameter.value);
            pair(Pair { name: &plan.name, keys: &[], atoms: &[text], delimiter: ',' });
        }
    }
}

fn start_cookie(out: &mut String) {
    if !out.is_empty() {
        out.push_str("; ");
    }
}

/// Whether a text can stand in a cookie (RFC 6265 §4.1.1 `cookie-octet`).
fn is_cookie_text(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_graphic() && !matches!(b, b'"' | b',' | b';' | b'\\'))
}
