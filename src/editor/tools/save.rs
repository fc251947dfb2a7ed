//! saveForm and reloadForm.

use serde_json::{Value, json};

use super::{
    Answer, Env, Loaded, SaveOutcome, errors, open,
    paths::{list, shown},
    words,
};
use crate::editor::state::{Form, Session, Status, View, Write, findings, settle};

/// The document to save, or why it is not saved.
pub(super) fn start(form: &Form, session: &Session, env: &Env<'_>) -> Result<Value, Answer> {
    if !env.writable {
        return Err(Answer::failed(words::CANNOT_SAVE.say(env.locale, &[env.title])));
    }
    if session.status == Status::Created && env.creates {
        return Err(Answer::failed(words::CREATED_ALREADY.say(env.locale, &[env.title])));
    }
    let found = findings(form, session);
    if found.is_empty() {
        return Ok(session.data.clone());
    }
    let view = View::new(form, session, &found, env.context);
    let listed = errors::whole(&view, env);
    let head = words::INVALID_WITH.say(env.locale, &[&listed.len().to_string()]);
    let named = listed.iter().map(|(path, text)| format!("{} {text}", shown(path)));
    let why = [&head, " ", &list(named.collect(), env)].concat();
    Err(Answer::failed(words::NOT_SAVED_YET.say(env.locale, &[env.title, &why])))
}

/// What a save led to.
pub(super) fn finish(
    form: &Form,
    session: &mut Session,
    sent: &Value,
    env: &Env<'_>,
    outcome: SaveOutcome,
) -> Answer {
    match outcome {
        SaveOutcome::Saved { returned, validator } => {
            let is_current = session.data == *sent;
            let is_new = env.creates && is_current;
            session.status = if is_new { Status::Created } else { Status::Ready };
            session.validator = validator;
            session.saved = sent.clone();
            if let Some(returned) = returned.filter(Value::is_object) {
                take(form, session, returned, is_current, env);
            }
            let mut text = words::SAVED.say(env.locale, &[env.title]);
            if !is_current {
                text.push_str("; ");
                text.push_str(&words::SAVED_BEFORE_EDITS.say(env.locale, &[]));
            }
            if is_new {
                text.push_str(". ");
                text.push_str(&words::CREATES_EACH_TIME.say(env.locale, &[]));
            }
            Answer::done(text, json!({ "saved": true, "unsavedEdits": !is_current }))
        }
        SaveOutcome::Conflict(message) => {
            session.status = Status::Stale;
            let message = if message.is_empty() { message } else { format!(" ({message})") };
            Answer::failed(words::CONFLICT.say(env.locale, &[env.title, &message]))
        }
        SaveOutcome::Unknown { cause, created } => {
            session.status = Status::Error;
            let phrase = if created { words::MAYBE_CREATED } else { words::MAYBE_SAVED };
            Answer::failed(phrase.say(env.locale, &[env.title, &cause]))
        }
        SaveOutcome::Failed(message) => {
            session.status = Status::Error;
            Answer::failed(words::NOT_SAVED.say(env.locale, &[env.title, &message]))
        }
    }
}

/// Takes the document that the API returned, unless there are newer edits or the form cannot hold
/// it.
fn take(form: &Form, session: &mut Session, returned: Value, is_current: bool, env: &Env<'_>) {
    if super::write::check_limits(&returned, env).is_err() {
        return;
    }
    if is_current {
        let mut next = session.clone();
        next.data = returned.clone();
        next.saved = returned.clone();
        if settle(form, &mut next, env.context, Write { field: None, replaced: Some("") }).is_err()
        {
            return;
        }
        *session = next;
    }
    session.saved = returned;
}

/// What a load led to: a new session, or the old one.
pub(super) fn reloaded(
    form: &Form,
    session: &mut Session,
    env: &Env<'_>,
    loaded: Result<Loaded, String>,
) -> Answer {
    match loaded.and_then(|loaded| open(form, loaded, env)) {
        Ok(fresh) => {
            *session = fresh;
            let valid = findings(form, session).is_empty();
            let mut text = words::RELOADED.say(env.locale, &[env.title]);
            if let Some(note) = super::left_out(form, &session.saved, session, env) {
                text.push('\n');
                text.push_str(&note);
            }
            Answer::done(text, json!({ "reloaded": true, "valid": valid }))
        }
        Err(why) => {
            session.status = Status::Error;
            Answer::failed(words::NOT_RELOADED.say(env.locale, &[env.title, &why]))
        }
    }
}
