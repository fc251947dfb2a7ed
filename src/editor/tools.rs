//! The eight tools of a form: what they are, what a call asks for, what it answers.
//!
//! A call is a state machine without I/O. [`Command::parse`] reads the arguments; [`apply`] works on
//! a session and either answers or names the one thing that must happen first; the outcome goes to
//! [`fetched`], [`saved`] or [`reloaded`]. All of them are pure: after a lost compare-and-swap they
//! are run again on the newer session.

mod array;
mod command;
mod data;
mod definitions;
mod describe;
mod errors;
mod field;
mod line;
mod lost;
mod overview;
mod paths;
mod save;
mod shape;
mod suggest;
mod words;
mod write;

pub use command::{Action, Choice, Command, Verb};
pub use definitions::{Definition, definitions};

use serde_json::Value;

use super::state::{Form, Limits, Locale, Session, View, Write, findings, settle};

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
    /// Saving makes another document each time, as with `POST`.
    pub creates: bool,
    /// Seconds since the Unix epoch: fetched lists are kept for a moment.
    pub now: u64,
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
    /// There was no answer that says whether the API took the document.
    Unknown {
        /// Why, without a final period.
        cause: String,
        /// Saving makes another document each time.
        created: bool,
    },
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

/// Starts a session with a loaded document: defaults are applied.
///
/// # Errors
/// The document breaks a limit, or the form does not come to rest with it.
pub fn open(form: &Form, loaded: Loaded, env: &Env<'_>) -> Result<Session, String> {
    let saved = loaded.data.unwrap_or(Value::Null);
    write::check_limits(&saved, env)?;
    let mut session =
        Session { data: saved.clone(), saved, validator: loaded.validator, ..Session::default() };
    settle(form, &mut session, env.context, Write::default())
        .map_err(|()| words::RESTLESS.say(env.locale, &[]))?;
    Ok(session)
}

/// Brings a session to rest with another form, after its schema changed: the data is kept, choices
/// are made anew.
///
/// # Errors
/// The form does not come to rest with the data.
pub fn adopt(form: &Form, session: &mut Session, env: &Env<'_>) -> Result<(), String> {
    let mut next = Session {
        data: session.data.clone(),
        saved: session.saved.clone(),
        validator: session.validator.clone(),
        status: session.status,
        ..Session::default()
    };
    settle(form, &mut next, env.context, Write::default())
        .map_err(|()| words::RESTLESS.say(env.locale, &[]))?;
    *session = next;
    Ok(())
}

/// What of a document is not in a session that has just taken it over with [`open`] or [`adopt`]: a
/// sentence, or none when everything is there.
pub fn left_out(form: &Form, document: &Value, session: &Session, env: &Env<'_>) -> Option<String> {
    lost::note(form, document, &session.data, env)
}

/// Places whose values [`adopt`] changed, removed or added, in words; none when there are none.
pub fn altered(form: &Form, before: &Value, session: &Session, env: &Env<'_>) -> Option<String> {
    lost::altered(form, before, &session.data, env)
}

/// Runs a command as far as it goes without I/O.
pub fn apply(form: &Form, session: &mut Session, command: &Command, env: &Env<'_>) -> Step {
    let answer = match command {
        Command::GetData { path } => read(form, session, env, |view, _| data::get(view, path, env)),
        Command::DescribeState { path } => read(form, session, env, |view, shown| {
            describe::describe(form, view, shown, path.as_deref(), env)
        }),
        Command::SetData { data, merge } => data::set(form, session, data, *merge, env),
        Command::SetFieldValue { path, choice } => field::set(form, session, path, choice, env),
        Command::EditArray { path, action, index } => {
            array::edit(form, session, path, action, *index, env)
        }
        Command::GetFieldSuggestions { path, query } => {
            return match suggest::start(form, session, path, query.as_deref(), env) {
                Step::Answer(answer) => Step::Answer(answer.within(env)),
                step => step,
            };
        }
        Command::SaveForm => match save::start(form, session, env) {
            Ok(document) => return Step::Save(document),
            Err(answer) => answer,
        },
        Command::ReloadForm => return Step::Reload,
    };
    Step::Answer(answer.within(env))
}

/// Answers from a session at rest; what is shown is remembered in it.
fn read(
    form: &Form,
    session: &mut Session,
    env: &Env<'_>,
    answer: impl FnOnce(&View<'_>, &mut describe::Shown) -> Answer,
) -> Answer {
    let mut shown = std::mem::take(&mut session.shown);
    let found = findings(form, session);
    let answer = answer(&View::new(form, session, &found, env.context), &mut shown);
    session.shown = shown;
    answer
}

/// Ends a command that asked for [`Step::Fetch`]: the URL that was asked for, and the parsed body or
/// what went wrong.
pub fn fetched(
    form: &Form,
    session: &mut Session,
    command: &Command,
    env: &Env<'_>,
    answer: (&str, Result<Value, String>),
) -> Answer {
    match command {
        Command::GetFieldSuggestions { path, query } => {
            suggest::finish(form, session, (path, query.as_deref()), env, answer).within(env)
        }
        _ => Answer::failed(words::NO_SUGGESTIONS.say(env.locale, &["/"])),
    }
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
    save::finish(form, session, sent, env, outcome).within(env)
}

/// Ends a command that asked for [`Step::Reload`]. A failed load leaves the session as it was.
pub fn reloaded(
    form: &Form,
    session: &mut Session,
    env: &Env<'_>,
    loaded: Result<Loaded, String>,
) -> Answer {
    save::reloaded(form, session, env, loaded).within(env)
}

impl Answer {
    /// A call that did what it was asked for.
    fn done(text: String, structured: Value) -> Self {
        Self { text, is_error: false, structured: Some(structured) }
    }

    /// A call that failed.
    fn failed(text: String) -> Self {
        Self { text, is_error: true, structured: None }
    }

    /// The same with a text that is not too long: cut after a line.
    fn within(mut self, env: &Env<'_>) -> Self {
        let most = env.limits.text_bytes;
        if self.text.len() > most {
            let end = self.text.floor_char_boundary(most);
            let kept = self.text.get(..end).unwrap_or_default();
            let kept = kept.rsplit_once('\n').map_or(kept, |(lines, _)| lines);
            self.text = [kept, "\n", &words::CUT.say(env.locale, &[])].concat();
        }
        self
    }
}

#[cfg(test)]
mod tests;
