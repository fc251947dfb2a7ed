//! The golden vectors as data: what they expect of a call or a tool, and which differences from them
//! are on purpose.

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use openapi_mcp_filter::json;
use serde_json::{Value, json};

/// One comparison that failed or is excepted: what is compared, expected and ours.
#[derive(Debug)]
pub(crate) struct Check {
    pub(crate) file: String,
    pub(crate) case: String,
    /// Name of the tool, index of the call, or what else is compared.
    pub(crate) subject: Subject,
    pub(crate) expected: Value,
    pub(crate) ours: Value,
}

/// What an exception is for: its key and the value there.
pub(crate) type Subject = (&'static str, Value);

#[derive(Default)]
pub(crate) struct Tally {
    pub(crate) passed: usize,
    pub(crate) excepted: usize,
    failed: Vec<Check>,
}

/// A listed tool with the order of its arguments, which plain equality does not see.
pub(crate) fn with_order(tool: &Value) -> Value {
    let mut tool = tool.clone();
    let properties = tool.pointer("/inputSchema/properties").and_then(Value::as_object);
    let order: Option<Vec<_>> = properties.map(|map| map.keys().cloned().collect());
    if let (Some(order), Some(map)) = (order, tool.as_object_mut()) {
        map.insert("argumentOrder".into(), order.into());
    }
    tool
}

pub(crate) fn expected_request(call: &Value) -> Value {
    let request = &call["expectedRequest"];
    if request.is_null() {
        return Value::Null;
    }
    let url = request["url"].as_str().unwrap();
    let authority = url.find("://").map_or(0, |at| at + 3);
    let target = url[authority..].find('/').map_or("/", |at| &url[authority + at..]);
    let mut headers = request["headers"].as_object().unwrap().clone();
    for name in call.pointer("/ctx/headers").and_then(Value::as_object).into_iter().flatten() {
        headers.shift_remove(&name.0.to_ascii_lowercase());
    }
    json!({"method": request["method"], "target": target, "headers": headers, "body": request["body"]})
}

pub(crate) fn names_all(text: &Value, names: &Value) -> bool {
    let text = text.as_str().unwrap();
    names.as_array().unwrap().iter().all(|name| text.contains(name.as_str().unwrap()))
}
/// What a vector expects of a result; where it gives only what an error text must name, and ours does,
/// our own.
pub(crate) fn expected_result(call: &Value, ours: &Value) -> Value {
    let names = call["result"].get("names");
    let is_named = names.is_some_and(|names| names_all(&ours["text"], names));
    if is_named && ours["isError"] == true { ours.clone() } else { call["result"].clone() }
}

/// Status, headers and body.
pub(crate) type Answer = (u16, Vec<(String, String)>, Vec<u8>);

/// The upstream's answer; `None` for a failure of the network.
pub(crate) fn answer(call: &Value) -> Option<Answer> {
    let answer = &call["upstreamResponse"];
    if answer["networkError"].is_string() {
        return None;
    }
    let headers = answer["headers"].as_object().into_iter().flatten();
    let headers = headers.map(|(name, value)| (name.clone(), value.as_str().unwrap().into()));
    let body = match &answer["body"] {
        Value::Null => Vec::new(),
        Value::String(text) => text.clone().into_bytes(),
        body => body.to_string().into_bytes(),
    };
    let status = u16::try_from(answer["status"].as_u64().unwrap()).unwrap();
    Some((status, headers.collect(), body))
}

/// Differences that are on purpose.
pub(crate) struct Exceptions {
    entries: Vec<Value>,
    used: RefCell<Vec<bool>>,
    total: RefCell<Tally>,
}

impl Exceptions {
    pub(crate) fn load() -> Self {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/exceptions.json");
        let entries = read(path.as_ref());
        let entries = entries.as_array().unwrap().clone();
        let used = RefCell::new(vec![false; entries.len()]);
        Self { entries, used, total: RefCell::default() }
    }

    pub(crate) fn judge(&self, check: Check, tally: &mut Tally) {
        let is_for = |entry: &Value| {
            entry["file"] == check.file.as_str()
                && entry["case"] == check.case.as_str()
                && entry.get(check.subject.0) == Some(&check.subject.1)
        };
        let candidates = self.entries.iter().enumerate().filter(|(_, entry)| is_for(entry));
        let excepted: Vec<usize> = candidates
            .filter(|(_, entry)| entry["ours"] == check.ours)
            .map(|(index, _)| index)
            .collect();
        for &index in &excepted {
            self.used.borrow_mut()[index] = true;
        }
        match (excepted.is_empty(), check.expected == check.ours) {
            (_, true) => tally.passed += 1,
            (false, false) => tally.excepted += 1,
            (true, false) => tally.failed.push(check),
        }
    }

    pub(crate) fn add(&self, tally: Tally) {
        let mut total = self.total.borrow_mut();
        total.passed += tally.passed;
        total.excepted += tally.excepted;
        total.failed.extend(tally.failed);
    }

    /// Reports and fails. `is_run` tells which exceptions the tests of this crate must come across.
    pub(crate) fn finish(self, is_run: impl Fn(&Value) -> bool) {
        let total = self.total.into_inner();
        report(&format!("golden: {} passed, {} excepted", total.passed, total.excepted));
        for check in &total.failed {
            report(&format!("expected {}", check.expected));
            let entry = json!({"file": check.file, "case": check.case, check.subject.0: check.subject.1,
                "reason": "", "ours": check.ours});
            report(&format!("{entry},"));
        }
        for (entry, used) in self.entries.iter().zip(self.used.into_inner()) {
            assert!(used || !is_run(entry), "needless exception: {entry}");
        }
        assert!(total.failed.is_empty(), "{} differences are not listed", total.failed.len());
    }
}

pub(crate) fn read(path: &Path) -> Value {
    let bytes = std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    json::parse(&bytes).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The files of a test data directory, sorted.
pub(crate) fn files(directory: &str) -> Vec<PathBuf> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(directory);
    let mut files: Vec<_> = std::fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .collect();
    files.sort();
    files
}

/// Prints a line of the test report.
#[allow(clippy::print_stderr, reason = "a report for whoever runs the tests")]
pub(crate) fn report(line: &str) {
    eprintln!("{line}");
}
