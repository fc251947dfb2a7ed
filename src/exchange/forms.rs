//! What the form tools of one configuration share within a VM, and through shared data between VMs.

use std::cell::{Cell, RefCell};
use std::fmt::Debug;
use std::rc::Rc;

use crate::config::Config;
use crate::digest;
use crate::editor::layout::CompileOptions;
use crate::editor::prepare::prepare;
use crate::editor::session::{Change, Key, Slots};
use crate::editor::state::{Form, Hidden, Limits};
use crate::json;
use crate::store::Store;
use crate::tool::{FormPlan, FormSchema};

use serde_json::{Map, Value};

/// Compiled forms kept in a VM.
const COMPILED: usize = 32;
/// Fetched schemas kept in shared data, of all callers.
const SCHEMAS: usize = 128;
/// Answers to "which schema has this one now" kept in shared data, of all callers.
const LOOKUPS: usize = 1_024;
/// How long such an answer is believed, in milliseconds; a reload never does.
const LOOKUP_LIFETIME: u64 = 300_000;
/// Keywords of which a schema of an object without `type` has one.
const DESCRIBING: [&str; 7] =
    ["properties", "patternProperties", "additionalProperties", "$ref", "allOf", "anyOf", "oneOf"];
/// Slots looked at in one sweep.
const SWEPT: u64 = 8;

/// What form tools need of the host.
pub trait Host: Debug {
    /// Milliseconds since the Unix epoch.
    fn now(&self) -> u64;
    /// A property of the request.
    fn property(&self, path: &[String]) -> Option<Vec<u8>>;
    /// Shared data.
    fn store(&self) -> &dyn Store;
}

/// Sessions, schemas and compiled forms.
#[derive(Debug)]
pub struct Forms {
    pub(super) host: Box<dyn Host>,
    pub(super) config: Rc<Config>,
    pub(super) limits: Limits,
    /// The variable `context` of expressions.
    pub(super) context: Value,
    pub(super) sessions: Slots,
    schemas: Slots,
    lookups: Slots,
    compiled: RefCell<Vec<Compiled>>,
    /// The next slot to sweep; none before the first form is used.
    swept: Cell<Option<u64>>,
}

#[derive(Debug)]
struct Compiled {
    schema: String,
    locale: String,
    form: Rc<Form>,
}

impl Forms {
    /// The forms of a configuration. Sessions are found by what they edit, not by the
    /// configuration: they survive its change.
    pub fn new(config: Rc<Config>, host: Box<dyn Host>) -> Self {
        let sessions = &config.limits.sessions;
        let ttl = u64::try_from(sessions.ttl.as_millis()).unwrap_or(u64::MAX);
        let slots = |name, count, ttl| Slots::new(&config.store, name, count, ttl);
        let editor = &config.limits.editor;
        Self {
            limits: Limits {
                document_bytes: editor.max_document,
                depth: editor.max_depth,
                array_length: editor.max_items,
                text_bytes: editor.max_text,
                suggestions: editor.max_items,
            },
            context: Value::Object(Map::new()),
            sessions: slots("session", sessions.max_count, ttl),
            schemas: slots("schema", SCHEMAS, u64::MAX),
            lookups: slots("schema-of", LOOKUPS, LOOKUP_LIFETIME),
            compiled: RefCell::default(),
            swept: Cell::new(None),
            config,
            host,
        }
    }

    /// Gives memory of sessions back that nobody uses any more: a few at a time, to be called on
    /// every tick.
    pub fn sweep(&self) {
        if let Some(from) = self.swept.get() {
            let next = self.sessions.sweep(self.host.store(), self.host.now(), from, SWEPT);
            self.swept.set(Some(next));
        }
    }

    /// Notes that forms are used here.
    pub(super) fn note_use(&self) {
        if self.swept.get().is_none() {
            self.swept.set(Some(0));
        }
    }

    /// The schema that was fetched for `question` not long ago, by its digest.
    pub(super) fn known_schema(&self, question: &Key) -> Option<String> {
        let known = self.lookups.get(self.host.store(), question, self.host.now())?;
        String::from_utf8(known).ok()
    }

    /// Keeps a fetched schema for all workers; returns its digest.
    pub(super) fn keep_schema(&self, question: &Key, text: &[u8]) -> String {
        let version = digest::start(text, 16);
        let (store, now) = (self.host.store(), self.host.now());
        let keep = |slots: &Slots, key: &Key, value: &[u8]| {
            let kept = slots.update(store, key, now, |_| Change::Put(value.to_vec()));
            if kept.is_err() {
                log::warn!("event=schema_not_kept version={version}");
            }
        };
        keep(&self.schemas, &schema_key(&version), text);
        keep(&self.lookups, question, version.as_bytes());
        version
    }

    /// The form of a schema, if this VM has compiled it or can.
    ///
    /// # Errors
    /// The schema makes no form.
    pub(super) fn fetched_form(
        &self,
        version: &str,
        plan: &FormPlan,
    ) -> Option<Result<Rc<Form>, String>> {
        if let Some(form) = self.find(version, plan) {
            return Some(Ok(form));
        }
        let text = self.schemas.get(self.host.store(), &schema_key(version), self.host.now())?;
        let form = read_schema(&text)
            .map_err(|why| refused(plan, why))
            .and_then(|schema| self.compile(version, &prepare(&schema), plan));
        Some(form)
    }

    /// The form of a schema that is at hand.
    ///
    /// # Errors
    /// The schema makes no form.
    pub(super) fn form(
        &self,
        version: &str,
        schema: &Value,
        plan: &FormPlan,
    ) -> Result<Rc<Form>, String> {
        self.find(version, plan).map_or_else(|| self.compile(version, schema, plan), Ok)
    }

    /// The form of a schema in the language of a plan, for documents that hide the same.
    fn find(&self, version: &str, plan: &FormPlan) -> Option<Rc<Form>> {
        let mut compiled = self.compiled.borrow_mut();
        let at = compiled.iter().position(|it| {
            it.schema == version
                && it.locale == plan.locale
                && it.form.concealed().is_of(plan.concealed(), plan.fixed())
        })?;
        let found = compiled.remove(at);
        let form = Rc::clone(&found.form);
        compiled.push(found);
        Some(form)
    }

    fn compile(&self, version: &str, schema: &Value, plan: &FormPlan) -> Result<Rc<Form>, String> {
        let options = CompileOptions { locale: &plan.locale, ..CompileOptions::default() };
        let form = Form::compile(schema, &options).map_err(|problems| {
            let texts: Vec<_> = problems.iter().take(8).map(ToString::to_string).collect();
            ["The schema cannot be edited as a form: ", &texts.join("; ")].concat()
        })?;
        for problem in form.layout().findings().iter().take(8) {
            log::warn!("event=form_finding schema={version} problem=\"{problem}\"");
        }
        let form = Rc::new(form.concealing(Hidden::new(plan.concealed(), plan.fixed())));
        let mut compiled = self.compiled.borrow_mut();
        if compiled.len() >= COMPILED {
            compiled.remove(0);
        }
        let (schema, locale) = (version.to_owned(), plan.locale.clone());
        compiled.push(Compiled { schema, locale, form: Rc::clone(&form) });
        Ok(form)
    }
}

/// The schema in an answer, or what is there instead.
fn read_schema(text: &[u8]) -> Result<Value, String> {
    let schema = json::parse(text).map_err(|problem| format!("it is no JSON: {problem}"))?;
    let Value::Object(map) = &schema else {
        return Err("it is no JSON object".to_owned());
    };
    let is_object = |name: &Value| name.as_str() == Some("object");
    match map.get("type") {
        Some(Value::Array(names)) if names.iter().any(is_object) => Ok(schema),
        Some(name) if is_object(name) => Ok(schema),
        Some(_) => Err("its `type` is not `object`".to_owned()),
        None if DESCRIBING.iter().any(|keyword| map.contains_key(*keyword)) => Ok(schema),
        None => Err(format!("it has none of `type`, {}", listed(&DESCRIBING))),
    }
}

fn listed(keywords: &[&str]) -> String {
    let quoted: Vec<_> = keywords.iter().map(|keyword| ["`", keyword, "`"].concat()).collect();
    quoted.join(", ")
}

/// Says which answer is no schema, to the caller and in the log.
fn refused(plan: &FormPlan, why: String) -> String {
    let place = match &plan.schema {
        FormSchema::Fetched(plan) => [plan.method.as_str(), " ", &plan.path].concat(),
        FormSchema::Declared { .. } => String::new(),
    };
    let text = format!("the answer of `{place}` is no JSON Schema of an object: {why}");
    log::warn!("event=form_schema_refused problem=\"{text}\"");
    text
}

fn schema_key(version: &str) -> Key {
    Key::new("", version.to_owned())
}
