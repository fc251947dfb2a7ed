//! A call of a form tool: find the session or open it, run the command, save.
//!
//! A session changes only by compare-and-swap around a pure function, which is run again on the
//! newer session when another call was faster. Between two steps nothing is held: a step after an
//! upstream call starts from the session as it is then.

mod items;
mod load;
mod save;
mod words;

use std::cell::RefCell;
use std::rc::Rc;

use serde_json::{Map, Value};

use super::credentials::Secrets;
use super::forms::Forms;
use super::{Outcome, Pending, Step, decorate, finish, identity, invalid};
use crate::call::{arguments, request, response};
use crate::config::Upstream;
use crate::editor::session::{self, Change, Key, Stored};
use crate::editor::state::{Form, Locale, Phrase};
use crate::editor::tools::{self, Answer, Command, Env, Verb};
use crate::http::{Headers, UpstreamError, UpstreamRequest, UpstreamResponse};
use crate::mcp::{Envelope, ToolCall, Trace};
use crate::pattern;
use crate::tool::{Content, FormPlan, FormSchema, OperationPlan, Plan, ToolResult};
use crate::toolset::{OpenTool, ToolSet};

/// Times that a call may find the session of another schema than before.
const ROUNDS: u8 = 3;

/// Milliseconds that a call may take beyond the time limit of its request.
const SLACK: u64 = 5_000;

/// A call of a form tool that waits for an answer of the API.
#[derive(Debug)]
pub struct FormCall {
    envelope: Envelope,
    tool: Rc<OpenTool>,
    /// The tool that has the plan of the form.
    holder: Rc<OpenTool>,
    /// Arguments that say which document is edited.
    identifiers: Map<String, Value>,
    command: Command,
    owner: String,
    key: Key,
    headers: Headers,
    trace: Trace,
    forms: Rc<Forms>,
    schema: Option<Compiled>,
    /// The session may be taken over from another version of its schema.
    migrates: bool,
    notes: Vec<&'static Phrase>,
    /// What the session could not take over of a document.
    left_out: RefCell<Option<String>>,
    /// What another schema changed in the session.
    altered: RefCell<Option<String>>,
    rounds: u8,
    waiting: Waiting,
    /// What may be sent for the caller and must not be shown.
    secrets: Secrets,
    /// How the call ends unless something else is learnt.
    outcome: Outcome,
}

/// A form and the version of its schema.
#[derive(Debug, Clone)]
struct Compiled {
    version: String,
    form: Rc<Form>,
}

/// What is awaited.
#[derive(Debug, Clone)]
enum Waiting {
    Nothing,
    /// The schema, and what it is kept by.
    Schema(Key),
    Document,
    /// The list at this URL.
    Items(String),
    /// The answer to this document.
    Save {
        sent: Sent,
        /// The save was on condition of a version.
        conditional: bool,
    },
    /// The version of this document, which was saved; then the answer is given.
    Version {
        sent: Sent,
        answer: Answer,
    },
}

/// What was sent to be saved.
#[derive(Debug, Clone)]
struct Sent {
    document: Value,
    /// The session it is of, as it was then.
    generation: u64,
}

/// What came of changing the stored session.
enum Changed {
    /// It was changed, or left as it is.
    Done,
    /// There is none.
    Gone,
    /// It is of another version of the schema.
    OtherSchema,
    /// It cannot be stored; the text says why.
    Refused(String),
}

/// Starts the call of a form tool.
#[cold]
pub(super) fn start(
    call: ToolCall,
    headers: &Headers,
    tools: &ToolSet,
    (forms, route): (&Rc<Forms>, usize),
) -> Step {
    let ToolCall { envelope, tool, arguments, advice, trace } = call;
    forms.note_use();
    let advice = advice.as_deref();
    let prepared = prepare(&tool, (arguments, advice), headers, tools, (forms, route));
    match prepared {
        Ok(Prepared { holder, identifiers, command, owner, key, secrets }) => {
            let call = FormCall {
                envelope,
                tool,
                holder,
                identifiers,
                command,
                owner,
                key,
                headers: headers.clone(),
                trace,
                forms: Rc::clone(forms),
                schema: None,
                migrates: false,
                notes: Vec::new(),
                left_out: RefCell::default(),
                altered: RefCell::default(),
                rounds: ROUNDS,
                waiting: Waiting::Nothing,
                secrets,
                outcome: Outcome::Success,
            };
            pattern::bounded(|| call.begin())
        }
        Err((text, outcome)) => finish(&envelope, tool, ToolResult::error(text), outcome),
    }
}

/// What is known of a call before its session is looked at.
struct Prepared {
    holder: Rc<OpenTool>,
    identifiers: Map<String, Value>,
    command: Command,
    owner: String,
    key: Key,
    secrets: Secrets,
}

fn prepare(
    tool: &OpenTool,
    (given, advice): (Map<String, Value>, Option<&str>),
    headers: &Headers,
    tools: &ToolSet,
    (forms, route): (&Rc<Forms>, usize),
) -> Result<Prepared, (String, Outcome)> {
    let damaged = || ("Request failed: the form cannot be read.".to_owned(), Outcome::NoAnswer);
    let Plan::Editor(plan) = &tool.tool.plan else { return Err(damaged()) };
    let holder = tools.open_tool(&plan.holder).ok().flatten().ok_or_else(damaged)?;
    let (form, verb) = form_plan(&holder).zip(Verb::of(&plan.verb)).ok_or_else(damaged)?;
    let refused = |text| (text, Outcome::InvalidArguments);
    let mut own = arguments::check(&tool.tool, tool.validators(), given)
        .map_err(|problems| refused(invalid(&problems, advice)))?;
    let identifiers = form.identifiers.iter().filter_map(|name| own.shift_remove_entry(name));
    let identifiers: Map<String, Value> = identifiers.collect();
    let locale = Locale::of(&form.locale);
    let command = Command::parse(verb, &own, locale).map_err(refused)?;
    // Values that the path cannot take are refused at once.
    request::build(&form.write, &identifiers)
        .map_err(|problems| refused(invalid(&problems, advice)))?;
    let upstream = forms.config.upstreams.iter().find(|it| it.name == form.write.upstream);
    let upstream = upstream.ok_or_else(damaged)?;
    let route = forms.config.routes.get(route);
    let owner = identity::identify(route, upstream, headers, &*forms.host).map_err(refused)?;
    let key = key(&owner, upstream, form, identifiers.values());
    let credentials = form.operations().flat_map(|plan| plan.credentials.iter().flatten());
    let secrets = Secrets::of(credentials, headers, upstream);
    let holder = Rc::clone(&holder);
    Ok(Prepared { holder, identifiers, command, owner, key, secrets })
}

fn form_plan(holder: &OpenTool) -> Option<&FormPlan> {
    match &holder.tool.plan {
        Plan::Editor(plan) => plan.form.as_ref(),
        Plan::Operation(_) => None,
    }
}

/// The key of the session of one caller and one document: no two lists of values give the same, and
/// views that load another document or fix other values have sessions of their own.
fn key<'v>(
    owner: &str,
    upstream: &Upstream,
    form: &FormPlan,
    values: impl Iterator<Item = &'v Value>,
) -> Key {
    let pointer = &form.write.pointer;
    let place = [owner, &upstream.name, &upstream.cluster, upstream.authority(), pointer];
    let mut parts: Vec<Value> = place.into_iter().map(Value::from).collect();
    parts.push(form.read.as_ref().map(|read| read.pointer.as_str()).into());
    parts.push(form.fixed().cloned().unwrap_or_default().into());
    parts.extend(values.cloned());
    Key::new(owner, Value::Array(parts).to_string())
}

impl FormCall {
    /// Goes on with the answer that was awaited.
    pub(super) fn resume(mut self, outcome: Result<UpstreamResponse, UpstreamError>) -> Step {
        let waiting = std::mem::replace(&mut self.waiting, Waiting::Nothing);
        pattern::bounded(|| self.take(waiting, outcome))
    }

    fn take(self, waiting: Waiting, outcome: Result<UpstreamResponse, UpstreamError>) -> Step {
        match waiting {
            Waiting::Schema(question) => self.take_schema(&question, outcome),
            Waiting::Document => self.take_document(outcome),
            Waiting::Items(url) => self.take_items(&url, outcome),
            Waiting::Save { sent, conditional } => self.take_saved(sent, conditional, outcome),
            Waiting::Version { sent, answer } => self.take_version(&sent, answer, outcome),
            Waiting::Nothing => self.refuse(&words::GONE, ""),
        }
    }

    /// The tool that is being called.
    pub(super) fn tool(&self) -> &OpenTool {
        &self.tool
    }

    /// Looks for the session and for the form it needs.
    fn begin(mut self) -> Step {
        let Some(rounds) = self.rounds.checked_sub(1) else { return self.refuse(&words::BUSY, "") };
        self.rounds = rounds;
        match (self.stored(), &self.command) {
            (None, Command::SaveForm) => self.refuse(&words::GONE, ""),
            (None, _) | (_, Command::ReloadForm) => self.load_schema(),
            (Some(stored), _) => self.find_form(&stored),
        }
    }

    fn stored(&self) -> Option<Stored> {
        let forms = &self.forms;
        let bytes = forms.sessions.get(forms.host.store(), &self.key, forms.host.now())?;
        read(&bytes)
    }

    /// Finds the form that a session was opened with; a declared schema may have changed since.
    fn find_form(mut self, stored: &Stored) -> Step {
        let fetched = self.plan().filter(|plan| matches!(plan.schema, FormSchema::Fetched(_)));
        let form = fetched.and_then(|plan| self.forms.fetched_form(&stored.schema, plan));
        match form {
            Some(Ok(form)) => {
                self.schema = Some(Compiled { version: stored.schema.clone(), form });
                self.run()
            }
            Some(Err(text)) => self.fail(&text),
            None => self.load_schema(),
        }
    }

    /// Runs the command on the session.
    fn run(self) -> Step {
        let mut next = None;
        let mut begun = None;
        let changed = self.change(&mut |form, stored, env| {
            let mut step = self.unseen().map_or_else(
                || tools::apply(form, &mut stored.session, &self.command, env),
                tools::Step::Answer,
            );
            if matches!(step, tools::Step::Save(_)) {
                match self.begin_save(stored) {
                    Ok(save) => begun = Some(save),
                    Err(answer) => step = tools::Step::Answer(answer),
                }
            }
            let keeps = matches!(step, tools::Step::Answer(_) | tools::Step::Save(_));
            next = Some(step);
            keeps
        });
        match (changed, next) {
            (Changed::Done, Some(tools::Step::Answer(answer))) => self.answer(answer),
            (Changed::Done, Some(tools::Step::Fetch(request))) => self.fetch_items(&request),
            (Changed::Done, Some(tools::Step::Save(document))) => self.save(document, begun),
            (Changed::Done, Some(tools::Step::Reload)) => self.load_schema(),
            (Changed::Refused(text), _) => self.fail(&text),
            (Changed::OtherSchema, _) => self.begin(),
            (Changed::Gone | Changed::Done, _) => self.refuse(&words::GONE, ""),
        }
    }

    /// The answer to a save of a document that another schema has just changed: the agent has not
    /// seen it.
    fn unseen(&self) -> Option<Answer> {
        let altered = self.altered.borrow();
        let places = altered.as_ref().filter(|_| self.command == Command::SaveForm)?;
        let text = self.say(&words::UNSEEN, places);
        Some(Answer { text, is_error: true, structured: None })
    }

    /// Changes the stored session by compare-and-swap. `work` says whether to store what it made of
    /// the session, and is called again when another call was faster.
    fn change(&self, work: &mut dyn FnMut(&Form, &mut Stored, &Env<'_>) -> bool) -> Changed {
        let Some(schema) = &self.schema else { return Changed::Gone };
        let (forms, env) = (&self.forms, self.env());
        let mut result = Changed::Gone;
        let done =
            forms.sessions.update(forms.host.store(), &self.key, forms.host.now(), |bytes| {
                result = Changed::Gone;
                self.altered.take();
                let Some(mut stored) = bytes.and_then(read) else { return Change::Keep };
                if stored.schema != schema.version {
                    if !self.migrates {
                        result = Changed::OtherSchema;
                        return Change::Keep;
                    }
                    schema.version.clone_into(&mut stored.schema);
                    let before = stored.session.data.clone();
                    if let Err(text) = tools::adopt(&schema.form, &mut stored.session, &env) {
                        result = Changed::Refused(text);
                        return Change::Keep;
                    }
                    *self.left_out.borrow_mut() =
                        tools::left_out(&schema.form, &before, &stored.session, &env);
                    *self.altered.borrow_mut() =
                        tools::altered(&schema.form, &before, &stored.session, &env);
                }
                result = Changed::Done;
                if !work(&schema.form, &mut stored, &env) {
                    return Change::Keep;
                }
                self.encoded(&stored).map_or_else(
                    |text| {
                        result = Changed::Refused(text);
                        Change::Keep
                    },
                    Change::Put,
                )
            });
        if done.is_err() { Changed::Refused(self.say(&words::BUSY, "")) } else { result }
    }

    fn encoded(&self, stored: &Stored) -> Result<Vec<u8>, String> {
        let most = self.forms.config.limits.sessions.max_size;
        let bytes = session::encode(stored);
        if bytes.len() <= most {
            return Ok(bytes);
        }
        Err(self.say(&words::TOO_LARGE, &most.to_string()))
    }

    fn plan(&self) -> Option<&FormPlan> {
        form_plan(&self.holder)
    }

    fn env(&self) -> Env<'_> {
        let plan = self.plan();
        Env {
            title: plan.map_or("", |plan| &plan.title),
            prefix: plan.map_or("", |plan| &plan.prefix),
            locale: self.locale(),
            base: plan.map_or("", |plan| &plan.base_url),
            context: &self.forms.context,
            limits: &self.forms.limits,
            writable: true,
            creates: plan.is_some_and(FormPlan::creates),
            now: self.forms.host.now() / 1000,
        }
    }

    /// Sends a request and waits for its answer.
    fn send(mut self, mut request: UpstreamRequest, waiting: Waiting) -> Step {
        if let Some(plan) = self.asked(&waiting) {
            let (credentials, upstream) = (&plan.credentials, self.upstream());
            decorate::decorate(&mut request, credentials, &self.headers, &self.trace, upstream);
        }
        self.waiting = waiting;
        Step::Call(request, Box::new(Pending::Form(Box::new(self))))
    }

    /// The operation whose answer is awaited. Lists are asked for like the document is written.
    fn asked(&self, waiting: &Waiting) -> Option<&OperationPlan> {
        let plan = self.plan()?;
        match (waiting, &plan.schema) {
            (Waiting::Schema(_), FormSchema::Fetched(schema)) => Some(schema),
            (Waiting::Document | Waiting::Version { .. }, _) => plan.read.as_ref(),
            _ => Some(&plan.write),
        }
    }

    fn upstream(&self) -> Option<&Upstream> {
        let name = &self.plan()?.write.upstream;
        self.forms.config.upstreams.iter().find(|upstream| upstream.name == *name)
    }

    /// What is needed to read an answer of the API.
    fn context(&self) -> response::Context<'_> {
        response::Context {
            authority: self.upstream().map(Upstream::authority),
            max_body: self.forms.config.limits.upstream_body,
            ..response::Context::default()
        }
    }

    /// The success that an answer is; else what went wrong, which also decides how the call ends.
    fn accept(
        &mut self,
        plan: &OperationPlan,
        outcome: Result<UpstreamResponse, UpstreamError>,
    ) -> Result<UpstreamResponse, String> {
        let failed = if outcome.is_ok() { Outcome::ApiError } else { Outcome::NoAnswer };
        response::accepted(plan, outcome, &self.context()).inspect_err(|_| self.outcome = failed)
    }

    fn locale(&self) -> Locale {
        self.plan().map_or(Locale::En, |plan| Locale::of(&plan.locale))
    }

    /// A sentence in the language of the form, with its part.
    fn say(&self, phrase: &Phrase, part: &str) -> String {
        phrase.say(self.locale(), &[part])
    }

    fn refuse(self, phrase: &Phrase, part: &str) -> Step {
        let text = self.say(phrase, part);
        self.fail(&text)
    }

    fn fail(self, text: &str) -> Step {
        self.answer(Answer { text: text.to_owned(), is_error: true, structured: None })
    }

    fn answer(self, answer: Answer) -> Step {
        let mut content = vec![Content::Text(answer.text)];
        content.extend(self.notes.iter().map(|note| Content::Text(self.say(note, ""))));
        content.extend(self.left_out.take().map(Content::Text));
        let is_declared = self.tool.tool.output_schema.is_some();
        let structured = answer.structured.filter(|_| is_declared);
        let mut result = ToolResult { content, structured, is_error: answer.is_error };
        self.secrets.blank(&mut result);
        let outcome = match (answer.is_error, self.outcome) {
            (true, Outcome::Success) => Outcome::InvalidArguments,
            (true, outcome) => outcome,
            (false, _) => Outcome::Success,
        };
        finish(&self.envelope, self.tool, result, outcome)
    }
}

/// Reads a stored session; one that cannot be read is reported and counts as absent.
fn read(bytes: &[u8]) -> Option<Stored> {
    let stored = session::decode(bytes);
    if stored.is_none() {
        log::warn!("event=unreadable_session_dropped bytes={}", bytes.len());
    }
    stored
}
