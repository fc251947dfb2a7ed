//! The eight tools of a form: what they are, what a call asks for, what it answers.
//!
//! A call is a state machine without I/O. [`Command::parse`] reads the arguments; [`apply`] works on
//! a session and either answers or names the one thing that must happen first; the outcome goes to
//! [`fetched`], [`saved`] or [`reloaded`]. All of them are pure: after a lost compare-and-swap they
//! are run again on the newer session.

mod command;

pub use command::{Action, Choice, Command, Verb};

use serde_json::Value;

use super::state::{Form, Limits, Locale, Session};

/// What calls are run with, from configuration and annotation.
#[derive(Debug, Clone, Copy)]
pub struct Env<'e> {
    /// Title of the form, as sentences name it.
    pub title: &'e str,
    /// Prefix of the tool names (`<name>_`).
    pub prefix: &'e str,
    /// Language of the sentences.
    pub locale: Locale,
    /// Base URL of the API with a trailing slash: item lists are resolved against it.
    pub base: &'e str,
    /// The variable `context` of expressions; an object.
    pub context: &'e Value,
    /// What a session may cost.
    pub limits: &'e Limits,
    /// There is an operation to save with.
    pub writable: bool,
}

/// What happens next in a call.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// The call is answered; keep the session if it changed.
    Answer(Answer),
    /// Get this list, then call [`fetched`].
    Fetch(ItemsRequest),
    /// Send this document through the write operation (conditionally, if `Session::validator` is
    /// set), then call [`saved`] with the same document.
    Save(Value),
    /// Load the document again (and its schema, if it is fetched), then call [`reloaded`].
    Reload,
}

/// The answer of a call, before it is written for a protocol revision.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Answer {
    /// The text.
    pub text: String,
    /// The call failed; the text says why and what to do.
    pub is_error: bool,
    /// The same as data, matching [`Definition::output_schema`]; `None` for failures.
    pub structured: Option<Value>,
}

/// A list of items to get with `GET`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemsRequest {
    /// Absolute URL (`http` or `https`). Whether its origin is allowed is for the caller to check.
    pub url: String,
    /// Header fields that the form asks for, names in lower case.
    pub headers: Vec<(String, String)>,
}

/// How a save ended.
#[derive(Debug, Clone, PartialEq)]
pub enum SaveOutcome {
    /// The API took the document.
    Saved {
        /// The document as the API returned it, if it did.
        returned: Option<Value>,
        /// Version of the saved document, if it is known.
        validator: Option<String>,
    },
    /// The API has a newer document (409 or 412); the text is its message, maybe empty.
    Conflict(String),
    /// Anything else; the text says what, without a final period.
    Failed(String),
}

/// A document as loaded.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Loaded {
    /// The document; `None` when there is nothing to compare changes with.
    pub data: Option<Value>,
    /// Its version, if it is known.
    pub validator: Option<String>,
}

/// One of the eight tools as `tools/list` shows it.
#[derive(Debug, Clone, PartialEq)]
pub struct Definition {
    /// Which one.
    pub verb: Verb,
    /// What agents are told.
    pub description: String,
    /// JSON Schema of the arguments, without the path parameters of the operation.
    pub input_schema: Value,
    /// JSON Schema of [`Answer::structured`].
    pub output_schema: Value,
    /// Changes nothing but what the session remembers (`readOnlyHint`).
    pub read_only: bool,
    /// Discards or overwrites (`destructiveHint`).
    pub destructive: bool,
}

/// The eight tools in order, described in one language.
pub fn definitions(title: &str, locale: Locale) -> Vec<Definition> {
    let _ = (title, locale);
    Vec::new()
}

/// Starts a session with a loaded document: defaults are applied.
///
/// # Errors
/// The document breaks a limit, or the form does not come to rest with it.
pub fn open(form: &Form, loaded: Loaded, env: &Env<'_>) -> Result<Session, String> {
    let _ = (form, env);
    Ok(Session {
        data: loaded.data.unwrap_or_default(),
        validator: loaded.validator,
        ..Session::default()
    })
}

/// Runs a command as far as it goes without I/O.
pub fn apply(form: &Form, session: &mut Session, command: &Command, env: &Env<'_>) -> Step {
    let _ = (form, session, command, env);
    Step::Answer(Answer::default())
}

/// Ends a command that asked for [`Step::Fetch`]: the parsed body, or what went wrong.
pub fn fetched(
    form: &Form,
    session: &mut Session,
    command: &Command,
    env: &Env<'_>,
    body: Result<Value, String>,
) -> Answer {
    let _ = (form, session, command, env, body);
    Answer::default()
}

/// Ends a command that asked for [`Step::Save`]; `sent` is the document that was sent. Edits made
/// meanwhile by another call are kept.
pub fn saved(
    form: &Form,
    session: &mut Session,
    sent: &Value,
    env: &Env<'_>,
    outcome: SaveOutcome,
) -> Answer {
    let _ = (form, session, sent, env, outcome);
    Answer::default()
}

/// Ends a command that asked for [`Step::Reload`]. A failed load leaves the session as it was.
pub fn reloaded(
    form: &Form,
    session: &mut Session,
    env: &Env<'_>,
    loaded: Result<Loaded, String>,
) -> Answer {
    let _ = (form, session, env, loaded);
    Answer::default()
}
