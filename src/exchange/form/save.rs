//! Saving: the whole document through the write operation, on condition that nobody else has.

use serde_json::Value;

use super::load::validator;
use super::{Changed, FormCall, Waiting, invalid};
use crate::call::{request, response};
use crate::editor::state::Session;
use crate::editor::tools::{self, Answer, SaveOutcome};
use crate::exchange::Step;
use crate::http::{UpstreamError, UpstreamResponse};
use crate::json;
use crate::tool::FormPlan;

impl FormCall {
    pub(super) fn save(self, document: Value, version: Option<String>) -> Step {
        let Some(plan) = self.plan() else { return self.fail(super::GONE) };
        let mut arguments = self.identifiers.clone();
        arguments.insert(FormPlan::DOCUMENT.to_owned(), document.clone());
        match request::build(&plan.write, &arguments) {
            Ok(mut request) => {
                let condition = version.as_deref().and_then(condition);
                let conditional = condition.is_some();
                request.headers.extend(condition);
                self.send(request, Waiting::Save { document, conditional })
            }
            Err(problems) => self.fail(&invalid(&problems, None)),
        }
    }

    pub(super) fn take_saved(
        mut self,
        sent: &Value,
        conditional: bool,
        outcome: Result<UpstreamResponse, UpstreamError>,
    ) -> Step {
        let Some(plan) = self.plan().map(|plan| plan.write.clone()) else {
            return self.fail(super::GONE);
        };
        let conflicts = matches!(&outcome, Ok(answer) if matches!(answer.status, 409 | 412));
        // What a form creates hides nothing, so it does not take over what an answer hides.
        let hides_answers = self.plan().is_some_and(|plan| plan.hidden != plan.concealed());
        let doubt = outcome.as_ref().err().and_then(|error| response::doubt(*error));
        let created = self.plan().is_none_or(FormPlan::creates);
        let outcome = match self.accept(&plan, outcome) {
            Ok(answer) => SaveOutcome::Saved {
                returned: returned(&answer, sent).filter(|_| !hides_answers),
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
        let mut answer = None;
        let changed = self.change(&mut |form, session, env| {
            let former = session.validator.clone();
            answer = Some(tools::saved(form, session, sent, env, outcome.clone()));
            if is_versionless {
                session.validator = former;
            }
            true
        });
        if !matches!(changed, Changed::Done) {
            // The session ended meanwhile, but the agent learns what became of the save.
            let mut session = Session { data: sent.clone(), ..Session::default() };
            let form = self.schema.as_ref().map(|schema| &*schema.form);
            answer = form.map(|it| tools::saved(it, &mut session, sent, &self.env(), outcome));
        }
        match answer {
            Some(answer) if is_versionless => self.ask_version(sent, answer),
            Some(answer) => self.answer(answer),
            None => self.fail(super::GONE),
        }
    }

    /// Reads what was saved, because the answer to the save did not say its version. Until that is
    /// known the session keeps the former one, with which the API refuses the next save.
    fn ask_version(self, sent: &Value, answer: Answer) -> Step {
        let plan = self.plan().and_then(|plan| plan.read.as_ref());
        match plan.map(|plan| request::build(plan, &self.identifiers)) {
            Some(Ok(request)) => {
                self.send(request, Waiting::Version { document: sent.clone(), answer })
            }
            _ => self.answer(answer),
        }
    }

    /// Takes the version over, if it is the one of the document that was saved.
    pub(super) fn take_version(
        mut self,
        sent: &Value,
        answer: Answer,
        outcome: Result<UpstreamResponse, UpstreamError>,
    ) -> Step {
        let read = self.plan().and_then(|plan| plan.read.clone());
        let found = read.and_then(|read| self.accept(&read, outcome).ok());
        let found = found.filter(|found| holds(found, sent));
        if let Some(version) = found.and_then(|found| validator(&found.headers)) {
            self.change(&mut |_, session, _| {
                session.validator = Some(version.clone());
                true
            });
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
fn condition(version: &str) -> Option<(String, String)> {
    let (kind, value) = version.split_once(' ')?;
    let name = if kind == "etag" { "if-match" } else { "if-unmodified-since" };
    Some((name.to_owned(), value.to_owned()))
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
