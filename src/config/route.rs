//! `routes`: the MCP endpoints and which requests they take.

use serde_json::Value;

use super::fields::Fields;
use super::words::{expected, list, quote};
use super::{Upstream, ViewOptions, check, keys};

/// One MCP endpoint.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Route {
    /// Exact path of the endpoint; `None` takes every path.
    pub path: Option<String>,
    /// Host of the endpoint; `None` takes every host.
    pub host: Option<HostPattern>,
    /// The composed upstreams, as indices into [`Config::upstreams`](super::Config::upstreams).
    pub upstreams: Vec<usize>,
    /// What shapes the tools.
    pub view: ViewOptions,
    /// Origins of browsers that may call, serialized as browsers send them.
    pub allowed_origins: Vec<String>,
    /// How callers are told apart; `None` for their forwarded credentials.
    pub identity: Option<Identity>,
}

/// A host name, or everything below one.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum HostPattern {
    /// One host, in lower case.
    Exact(String),
    /// Every host that ends in this: `.example.com`, in lower case.
    Below(String),
}

/// How callers are told apart.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Identity {
    /// The value of a request header, name in lower case.
    Header(String),
    /// The value of a host property, given as the segments of its path.
    Property(Vec<String>),
    /// All callers share one identity.
    Anonymous,
}

impl Route {
    /// Whether this route takes a request.
    pub(super) fn takes(&self, path: &str, host: Option<&str>) -> bool {
        self.takes_path(path)
            && self.host.as_ref().is_none_or(|own| host.is_some_and(|host| own.matches(host)))
    }

    /// Whether this route takes requests with this path, for some host.
    pub(super) fn takes_path(&self, path: &str) -> bool {
        self.path.as_deref().is_none_or(|own| {
            path.strip_prefix(own).is_some_and(|rest| rest.is_empty() || rest.starts_with('?'))
        })
    }

    /// Whether every request that `other` takes is taken by this route.
    fn covers(&self, other: &Self) -> bool {
        (self.path.is_none() || self.path == other.path)
            && match (&self.host, &other.host) {
                (None, _) => true,
                (Some(_), None) => false,
                (Some(own), Some(other)) => own.covers(other),
            }
    }
}

impl HostPattern {
    /// Whether a host, with or without a port, fits. Case does not count.
    pub fn matches(&self, host: &str) -> bool {
        let host = check::split_port(host).0.as_bytes();
        match self {
            Self::Exact(name) => host.eq_ignore_ascii_case(name.as_bytes()),
            Self::Below(suffix) => host
                .len()
                .checked_sub(suffix.len())
                .filter(|&start| start > 0)
                .and_then(|start| host.get(start..))
                .is_some_and(|tail| tail.eq_ignore_ascii_case(suffix.as_bytes())),
        }
    }

    fn covers(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Exact(own), Self::Exact(other)) => own == other,
            (Self::Exact(_), Self::Below(_)) => false,
            (Self::Below(_), Self::Exact(other)) => self.matches(other),
            (Self::Below(own), Self::Below(other)) => other.ends_with(own.as_str()),
        }
    }
}

/// All routes. What could not be read is replaced by something: it has been reported.
pub(super) fn read_all(config: &mut Fields<'_, '_>, upstreams: &[Upstream]) -> Vec<Route> {
    let mut routes: Vec<Route> = Vec::new();
    let mut readable: Vec<usize> = Vec::new();
    for (index, item) in config.required_items("routes", "route").iter().enumerate() {
        let known = [keys::ROUTE, keys::VIEW].concat();
        let Some(mut fields) = config.element("routes", index, item, &known) else { continue };
        let route = read(&mut fields, upstreams);
        // An address that could not be read is absent here, which would be every address.
        let is_readable = fields.has("path") == route.path.is_some()
            && fields.has("host") == route.host.is_some();
        let covering = routes.iter().zip(&readable).find(|(earlier, _)| earlier.covers(&route));
        if let Some((_, earlier)) = covering.filter(|_| is_readable) {
            fields
                .problem("path", format!("never matches: `routes[{earlier}]` takes its requests"));
        }
        if is_readable {
            readable.push(index);
            routes.push(route);
        }
    }
    routes
}

fn read(fields: &mut Fields<'_, '_>, upstreams: &[Upstream]) -> Route {
    let path = fields.read("path", check::path);
    let host = fields.read("host", host_pattern);
    let chosen = read_upstreams(fields, upstreams);
    let names = chosen.iter().filter_map(|&index| upstreams.get(index)).map(|u| u.name.clone());
    let defaults = ViewOptions { upstreams: names.collect(), ..ViewOptions::default() };
    Route {
        path,
        host,
        upstreams: chosen,
        view: defaults.overlaid(fields),
        allowed_origins: fields.texts("allowedOrigins", check::origin),
        identity: read_identity(fields),
    }
}

/// The indices of the upstreams of a route: those it names, else the first.
fn read_upstreams(fields: &mut Fields<'_, '_>, upstreams: &[Upstream]) -> Vec<usize> {
    let find = |value: &Value| find_upstream(value, upstreams);
    match (fields.has("upstream"), fields.has("upstreams")) {
        (true, true) => {
            fields.problem("upstreams", "expected either `upstream` or `upstreams`, found both");
            Vec::new()
        }
        (true, false) => fields.read("upstream", find).into_iter().collect(),
        (false, true) => read_composed(fields, find),
        (false, false) => vec![0],
    }
}

fn read_composed(
    fields: &mut Fields<'_, '_>,
    find: impl Fn(&Value) -> Result<usize, String>,
) -> Vec<usize> {
    let mut chosen: Vec<usize> = Vec::new();
    for (position, item) in fields.required_items("upstreams", "upstream").iter().enumerate() {
        let at = format!("upstreams[{position}]");
        match find(item) {
            Ok(index) if chosen.contains(&index) => fields.problem(&at, "is repeated"),
            Ok(index) => chosen.push(index),
            Err(message) => fields.problem(&at, message),
        }
    }
    chosen
}

fn find_upstream(value: &Value, upstreams: &[Upstream]) -> Result<usize, String> {
    let name = check::text(value, "the name of an upstream")?;
    upstreams.iter().position(|upstream| upstream.name == name).ok_or_else(|| {
        let names: Vec<_> = upstreams.iter().map(|upstream| upstream.name.as_str()).collect();
        format!("no upstream is named {}; known: {}", quote(name), list(&names))
    })
}

fn host_pattern(value: &Value) -> Result<HostPattern, String> {
    let what = "a host name without a port, or `*.` and a host name";
    let host = check::text(value, what)?.to_ascii_lowercase();
    let name = host.strip_prefix("*.").unwrap_or(&host);
    if !check::is_authority(name) || check::split_port(name).1.is_some() {
        return Err(expected(what, value));
    }
    Ok(match host.strip_prefix('*') {
        Some(suffix) => HostPattern::Below(suffix.to_owned()),
        None => HostPattern::Exact(host),
    })
}

fn read_identity(fields: &mut Fields<'_, '_>) -> Option<Identity> {
    if fields.read("identity", |value| Ok(value.is_object()))? {
        return fields.child("identity", keys::IDENTITY).and_then(|mut own| read_source(&mut own));
    }
    fields.read("identity", |value| match value.as_str() {
        Some("anonymous") => Ok(Identity::Anonymous),
        _ => Err(expected("an object with `header` or `property`, or `anonymous`", value)),
    })
}

fn read_source(fields: &mut Fields<'_, '_>) -> Option<Identity> {
    match (fields.has("header"), fields.has("property")) {
        (true, true) => {
            fields.problem("property", "expected either `header` or `property`, found both");
            None
        }
        (false, false) => {
            fields.problem("header", "missing; expected either `header` or `property`");
            None
        }
        (true, false) => fields.read("header", |v| {
            check::header_name(check::text(v, "a header name")?).map(Identity::Header)
        }),
        (false, true) => fields.read("property", property).map(Identity::Property),
    }
}

/// A property path: its segments, or their text joined by dots.
fn property(value: &Value) -> Result<Vec<String>, String> {
    let what = "a property path: a list of its segments, or a string with dots";
    let segments: Option<Vec<String>> = match value {
        Value::String(path) => Some(path.split('.').map(str::to_owned).collect()),
        Value::Array(items) => items.iter().map(|v| v.as_str().map(str::to_owned)).collect(),
        _ => None,
    };
    let usable = |segment: &String| !segment.is_empty() && !segment.contains('\0');
    segments
        .filter(|segments| !segments.is_empty() && segments.iter().all(usable))
        .ok_or_else(|| expected(what, value))
}
