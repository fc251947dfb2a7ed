//! Every key of the configuration, by the object that holds it.

pub(super) const ROOT: &[&str] = &["upstreams", "routes", "limits", "role", "store"];

pub(super) const UPSTREAM: &[&str] = &[
    "name",
    "cluster",
    "authority",
    "document",
    "overlays",
    "baseUrl",
    "servers",
    "credentials",
    "forwardHeaders",
    "headers",
    "timeout",
];

pub(super) const SERVER: &[&str] = &["url", "cluster", "authority"];

pub(super) const CREDENTIAL: &[&str] = &["value", "username", "password", "forward"];

/// Where a text comes from.
pub(super) const SOURCE: &[&str] =
    &["path", "inline", "cluster", "authority", "headers", "refresh", "timeout", "maxSize"];

pub(super) const DOCUMENT: &[&str] = &[
    "path",
    "inline",
    "cluster",
    "authority",
    "headers",
    "refresh",
    "timeout",
    "maxSize",
    "maxFiles",
    "maxDepth",
    "references",
];

pub(super) const REFERENCE: &[&str] = &["location", "cluster", "authority", "headers"];

/// Keys of a route that say which requests it takes and how they are treated.
pub(super) const ROUTE: &[&str] =
    &["path", "host", "upstream", "upstreams", "allowedOrigins", "identity"];

/// Keys of a route that shape its tools; route metadata may override each of them.
pub(super) const VIEW: &[&str] = &[
    "profiles",
    "locale",
    "namePrefix",
    "structuredContent",
    "maxStringLength",
    "maxErrorLength",
    "lint",
    "strict",
    "schemaProfile",
    "pageSize",
    "exposure",
];

pub(super) const EXPOSURE: &[&str] = &["include", "exclude", "readOnly", "deprecated", "search"];

pub(super) const SELECTOR: &[&str] = &["methods", "tags", "paths", "operationIds"];

pub(super) const SEARCH: &[&str] = &["searchTool", "describeTool", "callTool", "maxResults"];

pub(super) const IDENTITY: &[&str] = &["header", "property"];

pub(super) const LIMITS: &[&str] = &["requestBody", "upstreamBody", "views", "sessions", "editor"];

pub(super) const SESSIONS: &[&str] = &["ttl", "maxCount", "maxSize"];

pub(super) const EDITOR: &[&str] = &["maxDocument", "maxSchema", "maxDepth", "maxItems", "maxText"];

pub(super) const STORE: &[&str] = &["zone"];
