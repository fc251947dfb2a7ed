//! Sessions of form tools. The first line is a schema, the second a document; each line after that
//! is a call: `tool`, `arguments`, the `answer` that a list, a save or a reload gets, if it gets one,
//! and `later`, the seconds since the call before. A line with a `schema` is a new schema of the form.
#![no_main]

use fuzz::{lines, mutate};
use libfuzzer_sys::{fuzz_mutator, fuzz_target};
use openapi_mcp_filter::editor::{
    layout::CompileOptions,
    prepare,
    session::{Stored, decode, encode},
    state::{Form, Limits, Locale, Session},
    tools::{self, Command, Env, Loaded, SaveOutcome, Step, Verb},
};
use serde_json::{Map, Value, json};

/// Most calls of one session.
const CALLS: usize = 12;

fuzz_target!(|input: &[u8]| {
    let mut lines = lines(input);
    let (Some(schema), Some(document)) = (lines.next(), lines.next()) else { return };
    let Some(mut form) = compile(&schema) else { return };
    let mut env = Env {
        title: "Form",
        prefix: "form_",
        locale: Locale::of("en"),
        base: "https://api.example.com/",
        context: &json!({"n": 1, "filter": "owner=a&b=1"}),
        limits: &Limits::default(),
        writable: true,
        creates: false,
        now: 0,
    };
    let loaded = Loaded { data: Some(document), validator: None };
    let Ok(mut session) = tools::open(&form, loaded, &env) else { return };
    for call in lines.take(CALLS) {
        env.now = env.now.wrapping_add(call.get("later").and_then(Value::as_u64).unwrap_or(1));
        match call.get("schema").map(compile) {
            None => run(&form, &mut session, &call, &env),
            Some(Some(new)) => {
                let former = session.clone();
                if tools::adopt(&new, &mut session, &env).is_ok() {
                    form = new;
                } else {
                    assert_eq!(session, former, "what is refused changes nothing");
                }
            }
            Some(None) => {}
        }
        let stored = Stored { schema: "s".to_owned(), session, ..Stored::default() };
        assert_eq!(decode(&encode(&stored)).as_ref(), Some(&stored), "sessions survive storage");
        session = stored.session;
    }
});

fn compile(schema: &Value) -> Option<Form> {
    Form::compile(&prepare::prepare(schema), &CompileOptions::default()).ok()
}

fn run(form: &Form, session: &mut Session, call: &Value, env: &Env<'_>) {
    let none = Map::new();
    let Some(verb) = call.get("tool").and_then(Value::as_str).and_then(Verb::of) else { return };
    let arguments = call.get("arguments").and_then(Value::as_object).unwrap_or(&none);
    let Ok(command) = Command::parse(verb, arguments, env.locale) else { return };
    let answer = call.get("answer").cloned();
    match tools::apply(form, session, &command, env) {
        Step::Answer(_) => {}
        Step::Fetch(request) => {
            let body = answer.ok_or_else(|| "no answer".to_owned());
            let _ = tools::fetched(form, session, &command, env, (&request.url, body));
        }
        Step::Save(sent) => {
            let cause = "no answer".to_owned();
            let outcome = match answer {
                None => SaveOutcome::Unknown { cause, created: false },
                Some(Value::String(text)) => SaveOutcome::Conflict(text),
                Some(Value::Number(number)) => SaveOutcome::Failed(number.to_string()),
                returned => SaveOutcome::Saved { returned, validator: None },
            };
            let _ = tools::saved(form, session, &sent, env, outcome);
        }
        Step::Reload => {
            let loaded = answer.ok_or_else(|| "no answer".to_owned());
            let loaded = loaded.map(|data| Loaded { data: Some(data), validator: None });
            let _ = tools::reloaded(form, session, env, loaded);
        }
    }
}

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    mutate(data, size, max_size, seed)
});
