//! Saving: the whole document through the write operation, on condition that nobody else has.

use serde_json::Value;

use super::load::validator;
use super::{Changed, FormCall, SLACK, Sent, Waiting, invalid, words};
use crate::call::{request, response};
use crate::editor::session::{Change, Stored, encode};
use crate::editor::state::Session;
use crate::editor::tools::{self, Answer, SaveOutcome};
use crate::exchange::Step;
use crate::http::{Field, UpstreamError, UpstreamRequest, UpstreamResponse};
use crate::json;
use crate::tool::FormPlan;

/// A save that is marked in the session.
pub(super) struct Begun {
    generation: u64,
    /// The version of the document that is overwritten.
    version: Option<String>,
}

impl FormCall {
    /// Marks in the session that it is being saved; two saves at once could create two documents.
    pub(super) fn begin_save(&self, stored: &mut Stored) -> Result<Begun, Answer> {
        let begun = stored.begin_save(self.forms.host.now(), self.save_lifetime());
        let version = stored.session.validator.clone();
        begun.map(|generation| Begun { generation, version }).map_err(|left| Answer {
            text: self.say(&words::SAVING, &left.div_ceil(1000).to_string()),
            is_error: true,
            structured: None,
        })
    }

    /// Milliseconds after which a save has been answered in any case.
    fn save_lifetime(&self) -> u64 {
        let timeout = self.upstream().map(|upstream| upstream.timeout).unwrap_or_default();
        u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX).saturating_add(SLACK)
    }

    /// Takes the mark of a save away.
    fn end_save(&self, generation: u64) {
        let forms = &self.forms;
        let (store, now) = (forms.host.store(), forms.host.now());
        let ended = forms.sessions.update(store, &self.key, now, |bytes| {
            let Some(mut stored) = bytes.and_then(super::read) else { return Change::Keep };
            stored.end_save(generation);
            Change::Put(encode(&stored))
        });
        if ended.is_err() {
            log::warn!("event=save_mark_left_until_it_expires");
        }
    }

    pub(super) fn save(self, document: Value, begun: Option<Begun>) -> Step {
        let (Some(plan), Some(Begun { generation, version })) = (self.plan(), begun) else {
            return self.refuse(&words::GONE, "");
        };
        let mut arguments = self.identifiers.clone();
        arguments.insert(FormPlan::DOCUMENT.to_owned(), document.clone());
        match request::build(&plan.write, &arguments) {
            Ok(mut request) => {
                let condition = version.as_deref().and_then(condition);
                let conditional = condition.is_some();
                request.headers.extend(condition);
                self.send(
                    request,
                    Waiting::Save { sent: Sent { document, generation }, conditional },
                )
            }
            Err(problems) => {
                self.end_save(generation);
                self.fail(&invalid(&problems, None))
            }
        }
    }

    pub(super) fn take_saved(
        mut self,
        sent: Sent,
        conditional: bool,
        outcome: Result<UpstreamResponse, UpstreamError>,
    ) -> Step {
        let Some(plan) = self.plan().map(|plan| plan.write.clone()) else {
            return self.refuse(&words::GONE, "");
        };
        let conflicts = matches!(&outcome, Ok(answer) if matches!(answer.status, 409 | 412));
        // What a form creates hides nothing, so it does not take over what an answer hides.
        let hides_answers = self.plan().is_some_and(|plan| plan.hidden != plan.concealed());
        let doubt = outcome.as_ref().err().and_then(|error| response::doubt(*error));
        let created = self.plan().is_none_or(FormPlan::creates);
        let outcome = match self.accept(&plan, outcome) {
            Ok(answer) => SaveOutcome::Saved {
                returned: returned(&answer, &sent.document).filter(|_| !hides_answers),
                validator: validator(&answer.headers),
            },
            Err(text) if conflicts => SaveOutcome::Conflict(text),
            Err(text) => match doubt {
                Some(cause) => SaveOutcome::Unknown { cause: cause.to_owned(), created },
                None => SaveOutcome::Failed(text.trim_end_matches('.').to_owned()),
            },
        };
        let is_versionless =
            conditional && matches!(&outcome, SaveOutcome::Saved { validator: None, .. });
        let question = if is_versionless { self.version_request() } else { None };
        let document = &sent.document;
        let mut answer = None;
        let changed = self.change(&mut |form, stored, env| {
            answer = None;
            if question.is_none() {
                stored.end_save(sent.generation);
            }
            if stored.generation != sent.generation {
                return true;
            }
            let session = &mut stored.session;
            let former = session.validator.clone();
            answer = Some(tools::saved(form, session, document, env, outcome.clone()));
            if is_versionless {
                session.validator = former;
            }
            true
        });
        match (changed, answer) {
            (Changed::Done, Some(answer)) => match question {
                Some(request) => self.send(request, Waiting::Version { sent, answer }),
                None => self.answer(answer),
            },
            (changed, _) => self.report(&sent, outcome, matches!(changed, Changed::Done)),
        }
    }

    /// Answers what became of a save although the session is not the one that was saved any more.
    fn report(mut self, sent: &Sent, outcome: SaveOutcome, is_replaced: bool) -> Step {
        self.end_save(sent.generation);
        if is_replaced {
            self.notes.push(&words::REPLACED);
        }
        let Some(schema) = self.schema.clone() else { return self.refuse(&words::GONE, "") };
        let mut session = Session { data: sent.document.clone(), ..Session::default() };
        let (session, document) = (&mut session, &sent.document);
        let answer = tools::saved(&schema.form, session, document, &self.env(), outcome);
        self.answer(answer)
    }

    /// The request for what was saved, because the answer to the save did not say its version.
    /// Until that is known the session keeps the former one, with which the API refuses the next
    /// save.
    fn version_request(&self) -> Option<UpstreamRequest> {
        let read = self.plan()?.read.as_ref()?;
        request::build(read, &self.identifiers).ok()
    }

    /// Takes the version over, if it is the one of the document that was saved.
    pub(super) fn take_version(
        mut self,
        sent: &Sent,
        answer: Answer,
        outcome: Result<UpstreamResponse, UpstreamError>,
    ) -> Step {
        let read = self.plan().and_then(|plan| plan.read.clone());
        let found = read.and_then(|read| self.accept(&read, outcome).ok());
        let found = found.filter(|found| holds(found, &sent.document));
        let version = found.and_then(|found| validator(&found.headers));
        let changed = self.change(&mut |_, stored, _| {
            stored.end_save(sent.generation);
            if stored.generation == sent.generation && version.is_some() {
                stored.session.validator.clone_from(&version);
            }
            true
        });
        if !matches!(changed, Changed::Done) {
            self.end_save(sent.generation);
        }
        self.answer(answer)
    }
}

/// Whether an answer is the document that was sent, perhaps with more members.
fn holds(answer: &UpstreamResponse, sent: &Value) -> bool {
    match (json::parse(&answer.body), sent) {
        (Ok(Value::Object(document)), Value::Object(sent)) => {
            sent.iter().all(|(key, value)| document.get(key) == Some(value))
        }
        (Ok(document), sent) => document == *sent,
        (Err(_), _) => false,
    }
}

/// The header that makes the API refuse to overwrite another version (RFC 9110 §13.1).
fn condition(version: &str) -> Option<Field> {
    let (kind, value) = version.split_once(' ')?;
    let name = if kind == "etag" { "if-match" } else { "if-unmodified-since" };
    Some((name.into(), value.to_owned().into()))
}

/// The document as saved, if the answer is one: it has at least the members that were sent.
fn returned(answer: &UpstreamResponse, sent: &Value) -> Option<Value> {
    let document = json::parse(&answer.body).ok()?;
    let is_document = match (&document, sent) {
        (Value::Object(document), Value::Object(sent)) => {
            !document.is_empty() && sent.keys().all(|key| document.contains_key(key))
        }
        _ => false,
    };
    is_document.then_some(document)
}
