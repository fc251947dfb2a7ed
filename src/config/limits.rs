//! `limits`: upper bounds on what one message, session or document may cost.

use std::time::Duration;

use super::fields::Fields;
use super::keys;
use super::units::{LARGEST_SIZE, count, duration, memory};

/// Upper bounds on what one message, session or document may cost.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Limits {
    /// Largest body of an MCP request, in bytes.
    pub request_body: usize,
    /// Largest body of an API response, in bytes.
    pub upstream_body: usize,
    /// Most distinct tool sets kept compiled at once.
    pub max_views: usize,
    /// Editor sessions.
    pub sessions: SessionLimits,
    /// What an editor accepts and returns.
    pub editor: EditorLimits,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            request_body: 1 << 20,
            upstream_body: 8 << 20,
            max_views: 64,
            sessions: SessionLimits::default(),
            editor: EditorLimits::default(),
        }
    }
}

/// Bounds on editor sessions.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SessionLimits {
    /// How long an unused session lives.
    pub ttl: Duration,
    /// Most sessions alive at once, of all callers.
    pub max_count: usize,
    /// Largest stored session, in bytes.
    pub max_size: usize,
}

impl Default for SessionLimits {
    fn default() -> Self {
        Self { ttl: Duration::from_mins(30), max_count: 10_000, max_size: 1 << 20 }
    }
}

/// Bounds on what an editor accepts and returns.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct EditorLimits {
    /// Largest document under edition, in bytes of JSON.
    pub max_document: usize,
    /// Largest schema of a document, in bytes of JSON.
    pub max_schema: usize,
    /// Deepest nesting of a document's layout.
    pub max_depth: usize,
    /// Most items of one array, and most suggestions of one field.
    pub max_items: usize,
    /// Longest text of one tool result, in bytes.
    pub max_text: usize,
}

impl Default for EditorLimits {
    fn default() -> Self {
        Self {
            max_document: 1 << 20,
            max_schema: 1 << 20,
            max_depth: 32,
            max_items: 1_000,
            max_text: 64 << 10,
        }
    }
}

pub(super) fn read(config: &mut Fields<'_, '_>) -> Limits {
    let defaults = Limits::default();
    let Some(mut fields) = config.child("limits", keys::LIMITS) else { return defaults };
    let body = |value: &_| memory(value, 1 << 10, LARGEST_SIZE);
    Limits {
        request_body: fields.read("requestBody", body).unwrap_or(defaults.request_body),
        upstream_body: fields.read("upstreamBody", body).unwrap_or(defaults.upstream_body),
        max_views: fields.read("views", |v| count(v, 1, 10_000)).unwrap_or(defaults.max_views),
        sessions: read_sessions(&mut fields),
        editor: read_editor(&mut fields),
    }
}

fn read_sessions(limits: &mut Fields<'_, '_>) -> SessionLimits {
    const WEEK: Duration = Duration::from_hours(7 * 24);
    let defaults = SessionLimits::default();
    let Some(mut fields) = limits.child("sessions", keys::SESSIONS) else { return defaults };
    let ttl = |value: &_| duration(value, Duration::from_secs(1), WEEK);
    SessionLimits {
        ttl: fields.read("ttl", ttl).unwrap_or(defaults.ttl),
        max_count: fields
            .read("maxCount", |v| count(v, 1, 1_000_000))
            .unwrap_or(defaults.max_count),
        max_size: fields
            .read("maxSize", |v| memory(v, 1 << 10, LARGEST_SIZE))
            .unwrap_or(defaults.max_size),
    }
}

fn read_editor(limits: &mut Fields<'_, '_>) -> EditorLimits {
    let defaults = EditorLimits::default();
    let Some(mut fields) = limits.child("editor", keys::EDITOR) else { return defaults };
    let bytes = |value: &_| memory(value, 1 << 10, LARGEST_SIZE);
    EditorLimits {
        max_document: fields.read("maxDocument", bytes).unwrap_or(defaults.max_document),
        max_schema: fields.read("maxSchema", bytes).unwrap_or(defaults.max_schema),
        max_depth: fields.read("maxDepth", |v| count(v, 1, 128)).unwrap_or(defaults.max_depth),
        max_items: fields.read("maxItems", |v| count(v, 1, 100_000)).unwrap_or(defaults.max_items),
        max_text: fields.read("maxText", bytes).unwrap_or(defaults.max_text),
    }
}
