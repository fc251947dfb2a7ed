//! The golden vectors of forms: sessions of tool calls with what they answer, fetch and save.
//!
//! Sentences are not compared: field and suggestion lines are, whole but for the message of an error;
//! listed errors by their path; data, validity, status, fetched URLs and saved documents.
//! `exceptions.json` lists where ours differs on purpose; an exception that is not needed fails.

use openapi_mcp_filter::editor::{
    layout::CompileOptions,
    prepare,
    state::{Form, Limits, Locale, Session, Status},
    tools::{self, Answer, Command, Env, Loaded, SaveOutcome, Step, Verb},
};
use serde_json::{Map, Value, json};

use crate::vectors;

/// Steps in all vectors.
const STEPS: usize = 356;

#[test]
fn sessions_equal_the_vectors() {
    let exceptions = exceptions();
    let only = std::env::var("SCENARIO").ok();
    let (mut passed, mut excepted, mut failed) = (0, 0, Vec::new());
    for path in vectors::files("golden-editor") {
        let file = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let scenario = vectors::read(&path);
        if scenario.get("steps").is_none()
            || only.as_ref().is_some_and(|o| !file.starts_with(o.as_str()))
        {
            continue;
        }
        let mut run = match Run::open(&scenario) {
            Ok(run) => run,
            Err(why) => {
                let count = scenario["steps"].as_array().unwrap().len();
                failed.push(format!("{file}: {why} ({count} steps)"));
                continue;
            }
        };
        let opened = json!({"data": run.session.data, "valid": run.is_valid()});
        let expected =
            json!({"data": scenario["initial"]["data"], "valid": scenario["initial"]["valid"]});
        if opened != expected {
            failed.push(format!("{file} open:\n  expected {expected}\n       got {opened}"));
        }
        let (mut well, mut differs) = (0, 0);
        for (index, step) in scenario["steps"].as_array().unwrap().iter().enumerate() {
            let (ours, text) = run.step(step);
            let mut expected = expected_of(step);
            let exception = exceptions.iter().find(|e| e["scenario"] == file && e["step"] == index);
            if exception.is_some() && expected == ours {
                failed.push(format!("{file} {index}: the exception is not needed"));
            }
            for (key, value) in exception.iter().flat_map(|e| e["ours"].as_object().unwrap()) {
                expected[key] = value.clone();
            }
            if expected == ours {
                if exception.is_some() { differs += 1 } else { well += 1 }
            } else {
                failed.push(difference(
                    &format!("{file} {index}"),
                    step,
                    (&expected, &ours),
                    &text,
                ));
            }
        }
        vectors::report(&format!("{file}: {well} passed, {differs} excepted"));
        passed += well;
        excepted += differs;
    }
    vectors::report(&format!("editor: {passed} of {STEPS} steps passed, {excepted} excepted"));
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    assert!(only.is_some() || passed + excepted == STEPS);
}

/// A failing condition keeps the session of the reference from opening.
#[test]
fn a_form_with_a_failing_condition_opens() {
    let files = vectors::files("golden-editor");
    let file = files.iter().find(|path| path.ends_with("20-open-error.json")).unwrap();
    let scenario = vectors::read(file);
    assert!(scenario["openError"].is_string());
    let run = Run::open(&scenario).unwrap();
    assert_eq!(run.session.data, scenario["documents"][0]);
}

fn exceptions() -> Vec<Value> {
    let files = vectors::files("golden-editor");
    let file = files.iter().find(|path| path.ends_with("exceptions.json"));
    file.map_or(Vec::new(), |path| vectors::read(path).as_array().unwrap().clone())
}

fn difference(place: &str, step: &Value, (expected, ours): (&Value, &Value), said: &str) -> String {
    let mut text = format!("{place} {} {}:", step["tool"], step["args"]);
    for (key, value) in expected.as_object().unwrap() {
        if *value != ours[key] {
            let parts = ["\n  ", key, "\n    expected ", &value.to_string(), "\n         got "];
            text.extend(parts);
            text.push_str(&ours[key].to_string());
        }
    }
    text.push_str("\n  said ");
    text.push_str(said);
    text
}

/// One session of a vector.
struct Run<'v> {
    scenario: &'v Value,
    form: Form,
    session: Session,
    limits: Limits,
    context: Value,
    loads: usize,
    saves: usize,
}

impl<'v> Run<'v> {
    fn open(scenario: &'v Value) -> Result<Self, String> {
        let mut schema = scenario["schema"].clone();
        if scenario["prepareSchema"] == true {
            schema = prepare::prepare(&schema);
        }
        let own = scenario.get("compileOptions");
        let options = CompileOptions {
            locale: own.map_or("en", |own| own["locale"].as_str().unwrap()),
            x_i18n: own.is_some(),
            ..CompileOptions::default()
        };
        let form = Form::compile(&schema, &options).map_err(|problems| format!("{problems:?}"))?;
        let context = scenario.pointer("/stateOptions/context").cloned().unwrap_or(json!({}));
        let limits = Limits::default();
        let session = Session::default();
        let mut run = Self { scenario, form, session, limits, context, loads: 0, saves: 0 };
        let loaded = run.load();
        run.session = tools::open(&run.form, loaded, &run.env())?;
        Ok(run)
    }

    fn env(&self) -> Env<'_> {
        let locale = self.scenario.pointer("/compileOptions/locale").and_then(Value::as_str);
        let is_read_only = self.scenario["covers"].to_string().contains("read-only session");
        Env {
            title: self.scenario["title"].as_str().unwrap(),
            prefix: self.scenario["prefixName"].as_str().unwrap(),
            locale: Locale::of(locale.unwrap_or("en")),
            base: self.scenario["baseURL"].as_str().unwrap(),
            context: &self.context,
            limits: &self.limits,
            writable: !is_read_only,
            creates: false,
            now: 0,
        }
    }

    fn load(&mut self) -> Loaded {
        let nth = |key: &str| {
            let list = self.scenario.get(key).and_then(Value::as_array)?;
            list.get(self.loads.min(list.len() - 1)).filter(|value| !value.is_null())
        };
        let loaded = Loaded {
            data: nth("documents").cloned(),
            validator: nth("versions").map(Value::to_string),
        };
        self.loads += 1;
        loaded
    }

    fn is_valid(&self) -> bool {
        let command = Command::GetData { path: String::new() };
        let mut session = self.session.clone();
        let Step::Answer(answer) = tools::apply(&self.form, &mut session, &command, &self.env())
        else {
            panic!("getData asks for nothing")
        };
        answer.structured.unwrap()["valid"] == true
    }

    /// Runs a step; answers what is compared, and the text.
    fn step(&mut self, step: &Value) -> (Value, String) {
        let verb = Verb::of(step["tool"].as_str().unwrap()).unwrap();
        let arguments = step["args"].as_object().unwrap();
        let (mut fetched, mut save) = (Value::Null, Value::Null);
        let answer = match Command::parse(verb, arguments, self.env().locale) {
            Ok(command) => self.run(&command, &mut fetched, &mut save),
            Err(text) => Answer { text, is_error: true, structured: None },
        };
        let data = if step["after"].get("data").is_some() {
            self.session.data.clone()
        } else {
            Value::Null
        };
        let ours = json!({
            "isError": answer.is_error,
            "lines": lines(&answer.text),
            "json": parsed(&answer.text),
            "data": data,
            "valid": self.is_valid(),
            "status": match self.session.status {
                Status::Ready | Status::Created => "ready",
                Status::Error => "error",
                Status::Stale => "stale",
            },
            "fetched": fetched,
            "save": save,
        });
        (ours, answer.text)
    }

    fn run(&mut self, command: &Command, fetched: &mut Value, save: &mut Value) -> Answer {
        let mut session = std::mem::take(&mut self.session);
        let step = tools::apply(&self.form, &mut session, command, &self.env());
        let answer = match step {
            Step::Answer(answer) => answer,
            Step::Fetch(request) => {
                *fetched = json!([request.url]);
                let body = self.fetch(&request.url);
                let answer = (request.url.as_str(), body);
                tools::fetched(&self.form, &mut session, command, &self.env(), answer)
            }
            Step::Save(body) => {
                *save = json!({"body": body, "base": session.saved, "version": session.validator});
                let outcome = self.outcome();
                tools::saved(&self.form, &mut session, &body, &self.env(), outcome)
            }
            Step::Reload => {
                let loaded = self.load();
                tools::reloaded(&self.form, &mut session, &self.env(), Ok(loaded))
            }
        };
        self.session = session;
        answer
    }

    fn fetch(&self, url: &str) -> Result<Value, String> {
        let mocks = self.scenario["mocks"].as_array().unwrap();
        let Some(mock) = mocks.iter().find(|mock| mock["url"] == url) else {
            return Err(format!("no mock for {url}"));
        };
        mock.get("response").cloned().ok_or_else(|| mock["error"].to_string())
    }

    fn outcome(&mut self) -> SaveOutcome {
        let responses = self.scenario.get("saveResponses").and_then(Value::as_array);
        let response =
            responses.and_then(|list| list.get(self.saves)).cloned().unwrap_or(json!({}));
        self.saves += 1;
        match (response["error"].as_str(), response["status"].as_u64()) {
            (None, _) => SaveOutcome::Saved {
                returned: None,
                validator: response.get("version").map(Value::to_string),
            },
            (Some(text), Some(409)) => SaveOutcome::Conflict(text.to_owned()),
            (Some(text), _) => SaveOutcome::Failed(text.to_owned()),
        }
    }
}

fn expected_of(step: &Value) -> Value {
    let text = step["result"]["content"][0]["text"].as_str().unwrap();
    let save = step.get("save").map_or(Value::Null, |save| {
        let version = &save["context"]["version"];
        let version = if version.is_null() { Value::Null } else { version.to_string().into() };
        json!({"body": save["body"], "base": save["context"]["base"], "version": version})
    });
    json!({
        "isError": step["result"]["isError"] == true,
        "lines": lines(text),
        "json": parsed(text),
        "data": step["after"]["data"],
        "valid": step["after"]["valid"],
        "status": step["after"]["status"],
        "fetched": step["fetched"],
        "save": save,
    })
}

fn parsed(text: &str) -> Value {
    serde_json::from_str::<Map<String, Value>>(text).map_or(Value::Null, Value::Object)
}

/// What a text says in the grammar of lines.
fn lines(text: &str) -> Vec<String> {
    text.lines().filter_map(compared).collect()
}

fn compared(line: &str) -> Option<String> {
    let start = line.trim_start();
    if start.starts_with("- [") || (start.starts_with("- variant ")) {
        return Some(line.trim_end().to_owned());
    }
    let place = start.strip_prefix("- ").or(Some(line).filter(|line| line.starts_with('/')))?;
    let (path, rest) = place.split_once(' ').unwrap_or((place, ""));
    if let Some(path) = path.strip_suffix(':') {
        return Some(format!("error at {}", if path == "/" { "" } else { path }));
    }
    if !path.starts_with('/') || !rest.starts_with('(') {
        return None;
    }
    let has_error =
        rest.split(')').next().is_some_and(|meta| meta.split(", ").any(|m| m == "error"));
    let end = if has_error { line.rfind(" — ").unwrap_or(line.len()) } else { line.len() };
    Some(line[..end].trim_end().to_owned())
}
