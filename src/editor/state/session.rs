//! What a session keeps between two calls: data only, cheap to encode.

use serde_json::Value;

/// One editing session of one document.
///
/// Everything that is shown is rebuilt from this and the [`Form`](super::Form) per call. All lists
/// are bounded by [`Limits`](super::Limits).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Session {
    /// The document as edited so far.
    pub data: Value,
    /// The document as last loaded or saved, which changes are measured against.
    pub saved: Value,
    /// The version of the document that `saved` is, as the wiring wrote it (`ETag` or
    /// `Last-Modified` with a prefix for its kind); nothing here looks inside.
    pub validator: Option<String>,
    /// Chosen branches of unions and opened items of lists.
    pub activated: Vec<Activation>,
    /// Suggestions that can be applied by index, per path as the agent wrote it.
    pub suggestions: Vec<Memory>,
    /// Fetched item lists that later questions on the same field are answered from.
    pub lists: Vec<ItemList>,
    /// Unions whose branches were listed before: pointer of the union, path they were listed for.
    pub shown: Vec<(String, String)>,
    /// How the last save ended.
    pub status: Status,
}

/// How the last save or load ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Status {
    /// Nothing is wrong.
    #[default]
    Ready,
    /// The last save or load failed; the edits are kept.
    Error,
    /// The document changed at its source since it was loaded; the edits are kept.
    Stale,
    /// The last save made a new document, and nothing was edited since.
    Created,
}

/// The active branch of a union, or the opened item of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Activation {
    /// Path of the union or list in the form.
    pub path: String,
    /// Index of the branch or item.
    pub index: usize,
    /// Chosen by the agent, as opposed to found from the data.
    pub explicit: bool,
}

/// Suggestions given for one field.
#[derive(Debug, Clone, PartialEq)]
pub struct Memory {
    /// The path as the agent wrote it.
    pub path: String,
    /// What the list was made from: its URL, or a digest of its items.
    pub source: String,
    /// Values by suggestion index; empty once a write may have changed the list.
    pub values: Vec<Value>,
    /// A write dropped the values.
    pub dropped: bool,
}

/// The items of one remote list as fetched.
#[derive(Debug, Clone, PartialEq)]
pub struct ItemList {
    /// Path of the field in the form.
    pub path: String,
    /// The URL they came from.
    pub source: String,
    /// When they came, in seconds since the Unix epoch.
    pub fetched: u64,
    /// Items as `[title, key, value]`.
    pub items: Vec<Value>,
}
