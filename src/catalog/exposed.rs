//! Which operations the operator exposes.

use serde_json::Value;

use crate::config::{Exposure, Include, Selector, Subject};
use crate::json::Problem;
use crate::openapi::Endpoint;
use crate::vocabulary;

/// Whether an operation becomes a tool, as far as its definition says.
pub(super) fn takes(exposure: &Exposure, endpoint: &Endpoint<'_>) -> bool {
    exposure.takes(&subject(endpoint, &tags(endpoint)))
}

/// Selectors that fit no operation of the document, which are most likely misspelt.
pub(super) fn idle(exposure: &Exposure, endpoints: &[Endpoint<'_>]) -> Vec<Problem> {
    let included = match &exposure.include {
        Include::Matching(selectors) => selectors.as_slice(),
        Include::Annotated | Include::All => &[],
    };
    let fits = |selector: &Selector| {
        endpoints.iter().any(|endpoint| selector.fits(&subject(endpoint, &tags(endpoint))))
    };
    let mut problems = Vec::new();
    for (key, selectors) in [("include", included), ("exclude", &exposure.exclude)] {
        for (index, _) in selectors.iter().enumerate().filter(|(_, selector)| !fits(selector)) {
            let message = format!("`exposure.{key}[{index}]` fits no operation of this document");
            problems.push(Problem::new("", message));
        }
    }
    problems
}

/// The `operationId` of an endpoint.
pub(super) fn operation_id<'d>(endpoint: &Endpoint<'d>) -> Option<&'d str> {
    endpoint.value.get("operationId").and_then(Value::as_str)
}

/// The tags of an endpoint.
pub(super) fn tags<'d>(endpoint: &Endpoint<'d>) -> Vec<&'d str> {
    let tags = endpoint.value.get("tags").and_then(Value::as_array);
    tags.into_iter().flatten().filter_map(Value::as_str).collect()
}

fn subject<'s>(endpoint: &'s Endpoint<'_>, tags: &'s [&'s str]) -> Subject<'s> {
    Subject {
        method: &endpoint.method,
        path: endpoint.path,
        tags,
        operation_id: operation_id(endpoint),
        deprecated: endpoint.value.get("deprecated").and_then(Value::as_bool).unwrap_or(false),
        annotated: endpoint.value.contains_key(vocabulary::KEY),
    }
}
