//! Saving: the whole document through the write operation, on condition that nobody else has.

use serde_json::Value;

use super::load::validator;
use super::{Changed, FormCall, Waiting, invalid};
use crate::call::request;
use crate::editor::state::Session;
use crate::editor::tools::{self, SaveOutcome};
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
                request.headers.extend(version.as_deref().and_then(condition));
                self.send(request, Waiting::Save(document))
            }
            Err(problems) => self.fail(&invalid(&problems, None)),
        }
    }

    pub(super) fn take_saved(
        mut self,
        sent: &Value,
        outcome: Result<UpstreamResponse, UpstreamError>,
    ) -> Step {
        let Some(plan) = self.plan().map(|plan| plan.write.clone()) else {
            return self.fail(super::GONE);
        };
        let conflicts = matches!(&outcome, Ok(answer) if matches!(answer.status, 409 | 412));
        let outcome = match self.accept(&plan, outcome) {
            Ok(answer) => SaveOutcome::Saved {
                returned: returned(&answer, sent),
                validator: validator(&answer.headers),
            },
            Err(text) if conflicts => SaveOutcome::Conflict(text),
            Err(text) => SaveOutcome::Failed(text),
        };
        let mut answer = None;
        let changed = self.change(&mut |form, session, env| {
            answer = Some(tools::saved(form, session, sent, env, outcome.clone()));
            true
        });
        if !matches!(changed, Changed::Done) {
            // The session ended meanwhile, but the agent learns what became of the save.
            let mut session = Session { data: sent.clone(), ..Session::default() };
            let form = self.schema.as_ref().map(|schema| &*schema.form);
            answer = form.map(|it| tools::saved(it, &mut session, sent, &self.env(), outcome));
        }
        match answer {
            Some(answer) => self.answer(answer),
            None => self.fail(super::GONE),
        }
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
