//! Sessions of form tools. The first line is a schema, the second a document; each line after that
//! is a call: `tool`, `arguments`, and the `answer` that a list, a save or a reload gets.
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
    let Ok(form) = Form::compile(&prepare::prepare(&schema), &CompileOptions::default()) else {
        return;
    };
    let env = Env {
        title: "Form",
        prefix: "form_",
        locale: Locale::of("en"),
        base: "https://api.example.com/",
        context: &json!({"n": 1}),
        limits: &Limits::default(),
        writable: true,
        creates: false,
    };
    let loaded = Loaded { data: Some(document), validator: None };
    let Ok(mut session) = tools::open(&form, loaded, &env) else { return };
    for call in lines.take(CALLS) {
        run(&form, &mut session, &call, &env);
        let stored = Stored { schema: "s".to_owned(), session };
        assert_eq!(decode(&encode(&stored)).as_ref(), Some(&stored), "sessions survive storage");
        session = stored.session;
    }
});

fn run(form: &Form, session: &mut Session, call: &Value, env: &Env<'_>) {
    let none = Map::new();
    let Some(verb) = call.get("tool").and_then(Value::as_str).and_then(Verb::of) else { return };
    let arguments = call.get("arguments").and_then(Value::as_object).unwrap_or(&none);
    let Ok(command) = Command::parse(verb, arguments, env.locale) else { return };
    let answer = call.get("answer").cloned();
    match tools::apply(form, session, &command, env) {
        Step::Answer(_) => {}
        Step::Fetch(_) => {
            let body = answer.ok_or_else(|| "no answer".to_owned());
            let _ = tools::fetched(form, session, &command, env, body);
        }
        Step::Save(sent) => {
            let outcome = SaveOutcome::Saved { returned: answer, validator: None };
            let _ = tools::saved(form, session, &sent, env, outcome);
        }
        Step::Reload => {
            let loaded = Ok(Loaded { data: answer, validator: None });
            let _ = tools::reloaded(form, session, env, loaded);
        }
    }
}

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    mutate(data, size, max_size, seed)
});
