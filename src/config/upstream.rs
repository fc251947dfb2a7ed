//! `upstreams`: the APIs and where their documents come from.

use std::time::Duration;

use serde_json::Value;
use url::Url;

use super::access::{self, Credential, Server};
use super::fields::Fields;
use super::units::{LARGEST_SIZE, count, duration, size};
use super::words::{expected, quote};
use super::{check, keys};

const MINUTE: Duration = Duration::from_mins(1);
const SHORTEST_TIMEOUT: Duration = Duration::from_millis(10);
const LONGEST_TIMEOUT: Duration = Duration::from_hours(1);
const SHORTEST_REFRESH: Duration = Duration::from_secs(1);
const LONGEST_REFRESH: Duration = Duration::from_hours(30 * 24);

/// Forwarded headers that say nothing about who calls, and differ from call to call.
const VARYING: [&str; 12] = [
    "accept",
    "accept-encoding",
    "accept-language",
    "baggage",
    "cache-control",
    "content-language",
    "origin",
    "referer",
    "traceparent",
    "tracestate",
    "user-agent",
    "x-request-id",
];

/// One API.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Upstream {
    /// Name by which routes and logs refer to it.
    pub name: String,
    /// Target of dispatched calls: a cluster name, or `host:port` on `ngx_wasm_module`.
    pub cluster: String,
    /// The configured `:authority`; [`authority`](Self::authority) has the default.
    pub authority: Option<String>,
    /// Where its OpenAPI document comes from.
    pub document: DocumentSource,
    /// The other files that the document may refer to.
    pub files: FileRules,
    /// Where the overlays come from that change its document, in order.
    pub overlays: Vec<DocumentSource>,
    /// The configured base of request URLs; the document's first server when absent.
    pub base_url: Option<Url>,
    /// Other servers of the document, by origin.
    pub servers: Vec<Server>,
    /// What is sent for the security schemes of the document.
    pub credentials: Vec<Credential>,
    /// Request headers copied from the MCP request to each API call, in lower case.
    pub forward_headers: Vec<String>,
    /// Constant headers of each API call, names in lower case.
    pub headers: Vec<(String, String)>,
    /// Time limit of one API call.
    pub timeout: Duration,
}

/// Where an OpenAPI document or an overlay comes from, and how often.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct DocumentSource {
    /// Its place.
    pub origin: DocumentOrigin,
    /// Time between two fetches; zero for one fetch only.
    pub refresh: Duration,
    /// Time limit of one fetch.
    pub timeout: Duration,
    /// Largest text, of a document with all its files, in bytes.
    pub max_size: u64,
}

/// Which other files a document may refer to.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FileRules {
    /// Most files.
    pub max_files: usize,
    /// Most references one after the other from the document to a file.
    pub max_depth: usize,
    /// Other servers that files may be on.
    pub references: Vec<ReferenceLocation>,
}

impl Default for FileRules {
    fn default() -> Self {
        Self { max_files: 500, max_depth: 16, references: Vec::new() }
    }
}

/// A place from which files of a document may be fetched besides its own server.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ReferenceLocation {
    /// What the addresses of the files start with; ends with `/`.
    pub location: Url,
    /// Target of the call.
    pub cluster: String,
    /// `:authority` of the call.
    pub authority: String,
    /// Constant headers, names in lower case.
    pub headers: Vec<(String, String)>,
}

/// The place of a document.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum DocumentOrigin {
    /// Fetched with GET.
    Fetched {
        /// Path, with a query if there is one.
        path: String,
        /// Target of the call.
        cluster: String,
        /// `:authority` of the call.
        authority: String,
        /// Constant headers, names in lower case.
        headers: Vec<(String, String)>,
    },
    /// Part of the configuration: JSON or YAML text.
    Inline(String),
}

impl Upstream {
    /// `:authority` of dispatched calls: the configured one, else host and port of the configured
    /// base URL, else the cluster.
    pub fn authority(&self) -> &str {
        match (&self.authority, &self.base_url) {
            (Some(authority), _) => authority,
            (None, Some(url)) => url.authority(),
            (None, None) => &self.cluster,
        }
    }

    /// Cluster and `:authority` of a call: those of the upstream, or of one of its servers; `None`
    /// when no such server is configured.
    pub fn target(&self, server: Option<&str>) -> Option<(&str, &str)> {
        let Some(origin) = server else { return Some((&self.cluster, self.authority())) };
        let server = self.servers.iter().find(|server| server.origin == origin)?;
        Some((&server.cluster, &server.authority))
    }

    /// The forwarded headers that may tell callers apart, in lower case.
    pub fn identifying_headers(&self) -> impl Iterator<Item = &str> {
        let names = self.forward_headers.iter().map(String::as_str);
        names.filter(|name| !VARYING.contains(name))
    }
}

/// All upstreams. What could not be read is replaced by something: it has been reported.
pub(super) fn read_all(config: &mut Fields<'_, '_>) -> Vec<Upstream> {
    let mut upstreams: Vec<Upstream> = Vec::new();
    for (index, item) in config.required_items("upstreams", "upstream").iter().enumerate() {
        let Some(mut fields) = config.element("upstreams", index, item, keys::UPSTREAM) else {
            continue;
        };
        let upstream = read(&mut fields);
        let named = !upstream.name.is_empty();
        if named && upstreams.iter().any(|earlier| earlier.name == upstream.name) {
            let name = quote(&upstream.name);
            fields.problem("name", format!("{name} is the name of an earlier upstream already"));
        }
        upstreams.push(upstream);
    }
    upstreams
}

fn read(fields: &mut Fields<'_, '_>) -> Upstream {
    let mut upstream = Upstream {
        name: read_name(fields),
        cluster: fields.require("cluster", check::CLUSTER, check::cluster).unwrap_or_default(),
        authority: fields.read("authority", check::authority),
        document: defaults(),
        files: FileRules::default(),
        overlays: Vec::new(),
        base_url: fields.read("baseUrl", check::base_url),
        servers: access::read_servers(fields),
        credentials: access::read_credentials(fields),
        forward_headers: fields.texts("forwardHeaders", check::forwarded_header),
        headers: read_headers(fields),
        timeout: fields.read("timeout", timeout).unwrap_or(MINUTE / 2),
    };
    check_headers(fields, &upstream);
    require_authority(fields, &upstream.cluster, upstream.authority());
    read_document(fields, &mut upstream);
    upstream.overlays = read_overlays(fields, &upstream);
    upstream
}

/// Nothing, as often and as large as documents are by default.
fn defaults() -> DocumentSource {
    DocumentSource {
        origin: DocumentOrigin::Inline(String::new()),
        refresh: MINUTE,
        timeout: Duration::from_secs(10),
        max_size: 16 << 20,
    }
}

/// The name, empty if what is there cannot be one.
fn read_name(fields: &mut Fields<'_, '_>) -> String {
    if fields.has("name") {
        fields.read("name", check::name).unwrap_or_default()
    } else {
        "default".to_owned()
    }
}

fn timeout(value: &Value) -> Result<Duration, String> {
    duration(value, SHORTEST_TIMEOUT, LONGEST_TIMEOUT)
}

fn refresh(value: &Value) -> Result<Duration, String> {
    match duration(value, Duration::ZERO, LONGEST_REFRESH)? {
        refresh if refresh.is_zero() || refresh >= SHORTEST_REFRESH => Ok(refresh),
        _ => Err(expected("`0` (never) or at least `1s`", value)),
    }
}

fn read_headers(fields: &mut Fields<'_, '_>) -> Vec<(String, String)> {
    let mut headers: Vec<(String, String)> = Vec::new();
    for (key, value) in fields.entries("headers").into_iter().flatten() {
        let at = format!("headers.{key}");
        let name = check::header_name(key);
        let value = check::header_value(value);
        match (name, value) {
            (Ok(name), Ok(_)) if headers.iter().any(|(earlier, _)| *earlier == name) => {
                fields.problem(&at, format!("{} is repeated", quote(&name)));
            }
            (Ok(name), Ok(value)) => headers.push((name, value)),
            (name, value) => {
                name.err().into_iter().chain(value.err()).for_each(|m| fields.problem(&at, m));
            }
        }
    }
    headers
}

fn check_headers(fields: &mut Fields<'_, '_>, upstream: &Upstream) {
    for (name, _) in &upstream.headers {
        if upstream.forward_headers.contains(name) {
            fields.problem(
                &format!("headers.{name}"),
                "also in `forwardHeaders`; a header is either forwarded or constant",
            );
        }
    }
}

/// Reports a cluster whose name cannot stand in for the authority that is not configured.
fn require_authority(fields: &mut Fields<'_, '_>, cluster: &str, authority: &str) {
    if authority == cluster && !cluster.is_empty() && !check::is_authority(cluster) {
        let cluster = quote(cluster);
        fields.problem(
            "authority",
            format!("missing; the cluster {cluster} cannot serve as host name"),
        );
    }
}

fn read_document(upstream_fields: &mut Fields<'_, '_>, upstream: &mut Upstream) {
    let Some(mut fields) = upstream_fields.child("document", keys::DOCUMENT) else {
        if !upstream_fields.has("document") {
            upstream_fields
                .problem("document", "missing; expected an object with `path` or `inline`");
        }
        return;
    };
    if let Some(source) = read_source(&mut fields, upstream) {
        upstream.document = source;
    }
    upstream.files = read_files(&mut fields);
}

fn read_files(fields: &mut Fields<'_, '_>) -> FileRules {
    let defaults = FileRules::default();
    FileRules {
        max_files: fields.read("maxFiles", |v| count(v, 0, 100_000)).unwrap_or(defaults.max_files),
        max_depth: fields.read("maxDepth", |v| count(v, 1, 100)).unwrap_or(defaults.max_depth),
        references: read_references(fields),
    }
}

fn read_references(fields: &mut Fields<'_, '_>) -> Vec<ReferenceLocation> {
    let mut references = Vec::new();
    for (index, item) in fields.items("references").iter().enumerate() {
        let Some(mut fields) = fields.element("references", index, item, keys::REFERENCE) else {
            continue;
        };
        let what = "an http or https URL whose path ends with `/`";
        let location = fields.require("location", what, check::location);
        let cluster = fields.require("cluster", check::CLUSTER, check::cluster);
        let authority = fields.read("authority", check::authority);
        let headers = read_headers(&mut fields);
        if let (Some(location), Some(cluster)) = (location, cluster) {
            let authority = authority.unwrap_or_else(|| location.authority().to_owned());
            references.push(ReferenceLocation { location, cluster, authority, headers });
        }
    }
    references
}

fn read_overlays(upstream_fields: &mut Fields<'_, '_>, upstream: &Upstream) -> Vec<DocumentSource> {
    let items = upstream_fields.items("overlays").iter().enumerate();
    items
        .filter_map(|(index, item)| {
            let mut fields = upstream_fields.element("overlays", index, item, keys::SOURCE)?;
            read_source(&mut fields, upstream)
        })
        .collect()
}

/// Where a document comes from; `upstream` has the server for one that names none.
fn read_source(fields: &mut Fields<'_, '_>, upstream: &Upstream) -> Option<DocumentSource> {
    match (fields.has("path"), fields.has("inline")) {
        (true, true) => {
            fields.problem("inline", "expected either `path` or `inline`, found both");
            None
        }
        (false, false) => {
            fields.problem("path", "missing; expected either `path` or `inline`");
            None
        }
        (true, false) => Some(read_fetched(fields, upstream)),
        (false, true) => Some(read_inline(fields)),
    }
}

fn read_fetched(fields: &mut Fields<'_, '_>, upstream: &Upstream) -> DocumentSource {
    let path = fields.read("path", check::request_path).unwrap_or_default();
    let own_cluster = fields.read("cluster", check::cluster);
    let own_authority = fields.read("authority", check::authority);
    if let (Some(cluster), None) = (&own_cluster, &own_authority) {
        require_authority(fields, cluster, cluster);
    }
    let authority = own_authority
        .or_else(|| own_cluster.clone())
        .unwrap_or_else(|| upstream.authority().to_owned());
    let defaults = defaults();
    DocumentSource {
        origin: DocumentOrigin::Fetched {
            path,
            cluster: own_cluster.unwrap_or_else(|| upstream.cluster.clone()),
            authority,
            headers: read_headers(fields),
        },
        refresh: fields.read("refresh", refresh).unwrap_or(defaults.refresh),
        timeout: fields.read("timeout", timeout).unwrap_or(defaults.timeout),
        max_size: fields
            .read("maxSize", |v| size(v, 1 << 10, LARGEST_SIZE))
            .unwrap_or(defaults.max_size),
    }
}

fn read_inline(fields: &mut Fields<'_, '_>) -> DocumentSource {
    let is_useless =
        |key: &&&str| keys::SOURCE.contains(key) && !matches!(**key, "path" | "inline");
    for key in keys::DOCUMENT.iter().filter(is_useless) {
        if fields.has(key) {
            fields.problem(key, "has no effect on what is `inline`");
        }
    }
    let text = fields.read("inline", |value| match value {
        Value::Object(_) => {
            Err(format!("{}; write `inline: |` and indent it", expected("its text", value)))
        }
        _ => check::text(value, "the text of the document").map(str::to_owned),
    });
    DocumentSource {
        origin: DocumentOrigin::Inline(text.unwrap_or_default()),
        refresh: Duration::ZERO,
        ..defaults()
    }
}
