//! Opening a session: its schema, then its document.

use serde_json::{Map, Value};

use super::{Compiled, FormCall, Waiting, invalid, read, session, words};
use crate::call::request;
use crate::editor::session::{Change, Key, Stored};
use crate::editor::tools::{self, Command, Loaded};
use crate::exchange::Step;
use crate::http::{Headers, UpstreamError, UpstreamRequest, UpstreamResponse};
use crate::json;
use crate::tool::{FormSchema, OperationPlan};

impl FormCall {
    /// Gets the schema: the declared one, one fetched not long ago, or a new one. A reload always
    /// fetches.
    pub(super) fn load_schema(mut self) -> Step {
        let Some(plan) = self.plan() else { return self.refuse(&words::GONE, "") };
        let form = match &plan.schema {
            FormSchema::Declared { version, schema } => {
                let form = self.forms.form(version, schema, plan);
                form.map(|form| Compiled { version: version.clone(), form })
            }
            FormSchema::Fetched(_) => return self.find_schema(),
        };
        match form {
            Ok(form) => {
                self.schema = Some(form);
                self.load_document()
            }
            Err(text) => self.fail(&text),
        }
    }

    fn find_schema(mut self) -> Step {
        let (request, question) = match self.schema_request() {
            Ok(found) => found,
            Err(text) => return self.fail(&text),
        };
        if self.command != Command::ReloadForm
            && let Some(version) = self.forms.known_schema(&question)
            && let Some(plan) = self.plan()
            && let Some(Ok(form)) = self.forms.fetched_form(&version, plan)
        {
            self.schema = Some(Compiled { version, form });
            return self.load_document();
        }
        self.send(request, Waiting::Schema(question))
    }

    /// The request for the schema, and what its answer is kept by: one caller's answer is not given
    /// to another.
    fn schema_request(&self) -> Result<(UpstreamRequest, Key), String> {
        let Some(FormSchema::Fetched(plan)) = self.plan().map(|plan| &plan.schema) else {
            return Err(self.say(&words::GONE, ""));
        };
        let request = request::build(plan, &self.identifiers).map_err(|it| invalid(&it, None))?;
        let text = [self.owner.as_str(), &request.upstream, &request.method, &request.path];
        let text = Value::from(text.map(Value::from).to_vec()).to_string();
        Ok((request, Key::new(&self.owner, text)))
    }

    pub(super) fn take_schema(
        mut self,
        question: &Key,
        outcome: Result<UpstreamResponse, UpstreamError>,
    ) -> Step {
        let Some(FormSchema::Fetched(plan)) = self.plan().map(|plan| plan.schema.clone()) else {
            return self.refuse(&words::GONE, "");
        };
        let most = self.forms.config.limits.editor.max_schema;
        let body = self.accept(&plan, outcome).map(|answer| answer.body);
        let body = body.and_then(|body| {
            let fits = body.len() <= most;
            fits.then_some(body)
                .ok_or_else(|| format!("it has more than {most} bytes (`limits.editor.maxSchema`)"))
        });
        let version = body.map(|body| self.forms.keep_schema(question, &body));
        let found = version.and_then(|version| {
            let form = self.plan().and_then(|plan| self.forms.fetched_form(&version, plan));
            let form = form.unwrap_or_else(|| Err("it could not be kept".to_owned()))?;
            Ok(Compiled { version, form })
        });
        match found {
            Ok(schema) => {
                self.schema = Some(schema);
                self.load_document()
            }
            Err(text) => {
                let text = self.say(&words::NO_SCHEMA, &text);
                self.fail_load(&text)
            }
        }
    }

    /// Loads the document, unless there is a session already whose schema has changed.
    fn load_document(mut self) -> Step {
        let stored = self.stored();
        if self.command != Command::ReloadForm
            && let Some(stored) = stored
        {
            self.migrates = true;
            if self.schema.as_ref().is_some_and(|schema| schema.version != stored.schema) {
                self.notes.push(&words::CHANGED);
            }
            return self.run();
        }
        let Some(plan) = self.plan().and_then(|plan| plan.read.as_ref()) else {
            let data = Some(Value::Object(Map::new()));
            return self.take_loaded(&Loaded { data, validator: None });
        };
        match request::build(plan, &self.identifiers) {
            Ok(request) => self.send(request, Waiting::Document),
            Err(problems) => self.fail(&invalid(&problems, None)),
        }
    }

    pub(super) fn take_document(
        mut self,
        outcome: Result<UpstreamResponse, UpstreamError>,
    ) -> Step {
        let Some(plan) = self.plan().and_then(|plan| plan.read.clone()) else {
            return self.refuse(&words::GONE, "");
        };
        match self.loaded(&plan, outcome) {
            Ok(loaded) => self.take_loaded(&loaded),
            Err(text) => {
                let text = self.say(&words::NO_DOCUMENT, &text);
                self.fail_load(&text)
            }
        }
    }

    fn loaded(
        &mut self,
        plan: &OperationPlan,
        outcome: Result<UpstreamResponse, UpstreamError>,
    ) -> Result<Loaded, String> {
        let answer = self.accept(plan, outcome)?;
        let data =
            json::parse(&answer.body).map_err(|problem| format!("it is no JSON: {problem}"))?;
        if !(data.is_object() || data.is_null()) {
            return Err(
                "it is no JSON object, so there is nothing that the form could edit".to_owned()
            );
        }
        Ok(Loaded { data: Some(data), validator: validator(&answer.headers) })
    }

    /// Makes the session of a loaded document, then runs the command.
    fn take_loaded(mut self, loaded: &Loaded) -> Step {
        let Some(schema) = self.schema.clone() else { return self.refuse(&words::GONE, "") };
        let opened = tools::open(&schema.form, loaded.clone(), &self.env());
        let session = match opened {
            Ok(session) => session,
            Err(text) => return self.fail_load(&text),
        };
        let mut fresh = Stored { schema: schema.version.clone(), session, ..Stored::default() };
        fresh.renew(self.forms.host.now());
        let bytes = match self.encoded(&fresh) {
            Ok(bytes) => bytes,
            Err(text) => return self.fail_load(&text),
        };
        let reloads = self.command == Command::ReloadForm;
        let forms = &self.forms;
        let mut answer = None;
        let put =
            forms.sessions.update(forms.host.store(), &self.key, forms.host.now(), |stored| {
                match stored.and_then(read) {
                    // Another call opened it meanwhile.
                    Some(_) if !reloads => {
                        self.left_out.take();
                        Change::Keep
                    }
                    stored => {
                        if !reloads {
                            let session = &fresh.session;
                            *self.left_out.borrow_mut() =
                                tools::left_out(&schema.form, &session.saved, session, &self.env());
                            return Change::Put(bytes.clone());
                        }
                        let mut stored = stored.unwrap_or_else(|| fresh.clone());
                        let (session, loaded) = (&mut stored.session, Ok(loaded.clone()));
                        answer = Some(tools::reloaded(&schema.form, session, &self.env(), loaded));
                        schema.version.clone_into(&mut stored.schema);
                        stored.renew(forms.host.now());
                        Change::Put(session::encode(&stored))
                    }
                }
            });
        if put.is_err() {
            return self.refuse(&words::BUSY, "");
        }
        if let Some(answer) = answer {
            return self.answer(answer);
        }
        self.notes.push(&words::OPENED);
        self.run()
    }

    /// Answers that something was not loaded. A session that was to be reloaded stays as it is.
    fn fail_load(mut self, text: &str) -> Step {
        let stored = self.stored().filter(|_| self.command == Command::ReloadForm);
        let form = stored.and_then(|stored| {
            let form = self.form_at_hand(&stored.schema)?;
            Some(Compiled { version: stored.schema, form })
        });
        if form.is_none() {
            return self.fail(text);
        }
        self.schema = form;
        let mut answer = None;
        self.change(&mut |form, stored, env| {
            let failed = Err(text.to_owned());
            answer = Some(tools::reloaded(form, &mut stored.session, env, failed));
            true
        });
        match answer {
            Some(answer) => self.answer(answer),
            None => self.fail(text),
        }
    }

    /// The form of a version of the schema, if it need not be fetched.
    fn form_at_hand(&self, version: &str) -> Option<std::rc::Rc<crate::editor::state::Form>> {
        let plan = self.plan()?;
        match &plan.schema {
            FormSchema::Declared { version: own, schema } if own == version => {
                self.forms.form(version, schema, plan).ok()
            }
            FormSchema::Declared { .. } => None,
            FormSchema::Fetched(_) => self.forms.fetched_form(version, plan)?.ok(),
        }
    }
}

/// What says which version of a document this is: a strong `ETag`, else `Last-Modified` (RFC 9110
/// §8.8). A weak tag never matches `If-Match`.
pub(super) fn validator(headers: &Headers) -> Option<String> {
    let tag = headers.get("etag").filter(|tag| tag.starts_with('"'));
    let date = headers.get("last-modified").filter(|date| !date.is_empty());
    let found = tag.map(|tag| ["etag ", tag].concat());
    found.or_else(|| date.map(|date| ["date ", date].concat()))
}
