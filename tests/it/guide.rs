//! `docs/x-agent.md`: every example does what the page says.
//!
//! The first `yaml` block is the document of the page; each later one is merged into it. The blocks
//! after it say what comes of it: `json route` (options), `json tool` (part of a listed tool: what is
//! named must be equal, `null` means absent, `properties` are complete), `json call`, `http` (the
//! request), `json answer` (of the API; an entity tag may follow), `text result`,
//! `markdown instructions`, `markdown file`, `text problem`. The calls of form tools in one example
//! are of one session.

use std::collections::BTreeSet;
use std::path::Path;

use openapi_mcp_filter::call::response::{self, Context};
use openapi_mcp_filter::call::{arguments, arguments::Validators, request};
use openapi_mcp_filter::exchange::{Pending, Step};
use openapi_mcp_filter::http::{Headers, UpstreamRequest, UpstreamResponse};
use openapi_mcp_filter::json;
use openapi_mcp_filter::tool::{Content, Tool};
use serde_json::{Map, Value, json};

use crate::forms::desk::{self, Called, Desk, Process};
use crate::harness::{self, Compiled};
use crate::vectors::{self, report};

struct Block {
    line: usize,
    kind: String,
    text: String,
}

#[test]
fn every_example_of_the_guide_does_what_it_says() {
    let blocks = blocks(&page());
    let mut blocks = blocks.iter();
    let document = yaml(blocks.next().unwrap());
    let mut example: Option<Example> = None;
    let (mut examples, mut checks) = (0, 0);
    for block in blocks {
        if block.kind == "yaml" {
            examples += 1;
            example = Some(Example::new(&document, yaml(block)));
        } else {
            example.as_mut().unwrap().check(block);
            checks += 1;
        }
    }
    report(&format!("docs/x-agent.md: {examples} examples, {checks} checks"));
    assert!(examples > 20 && checks > examples);
}

#[test]
fn the_guide_tells_of_every_field_and_has_an_example_of_each() {
    let page = page();
    let blocks = blocks(&page);
    let mut used = Fields::default();
    for block in blocks.iter().filter(|block| block.kind == "yaml").skip(1) {
        used.read(&yaml(block), "root");
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("schema/x-agent.schema.json");
    let schema = vectors::read(&path);
    let definitions = &schema["$defs"];
    let objects = ["root", "profile", "skill", "tag", "view", "parameter", "response", "property"];
    let objects = objects.map(|name| (name, &definitions[name]));
    let hints = ("annotations", &definitions["view"]["properties"]["annotations"]);
    for (object, definition) in objects.into_iter().chain([hints]) {
        for field in definition["properties"].as_object().unwrap().keys() {
            assert!(page.contains(&format!("`{field}`")), "{object}.{field} is not in the guide");
            let has_example = used.0.contains(&(object, field.clone()));
            assert!(has_example, "{object}.{field} has no example in the guide");
        }
    }
}

/// Fields of annotations, with what kind of object has them.
#[derive(Default)]
struct Fields(BTreeSet<(&'static str, String)>);

impl Fields {
    /// Reads what is below an object of OpenAPI; `kind` is what an annotation there would be.
    fn read(&mut self, value: &Value, kind: &'static str) {
        for (key, member) in value.as_object().into_iter().flatten() {
            match key.as_str() {
                "x-agent" => self.add(member, kind),
                "paths" => self.read(member, "view"),
                "parameters" => self.read(member, "parameter"),
                "schemas" => self.read(member, "property"),
                "tags" => member.as_array().unwrap().iter().for_each(|tag| self.read(tag, "tag")),
                _ => self.read(member, kind),
            }
        }
    }

    fn add(&mut self, annotation: &Value, kind: &'static str) {
        for view in annotation.as_array().into_iter().flatten() {
            self.add(view, kind);
        }
        for (key, value) in annotation.as_object().into_iter().flatten() {
            self.0.insert((kind, key.clone()));
            match (kind, key.as_str()) {
                ("root", "profiles") => {
                    self.add_all(value.as_object().unwrap().values(), "profile");
                }
                ("root", "skills") => self.add_all(value.as_array().unwrap(), "skill"),
                ("view", "params") => {
                    self.add_all(value.as_object().unwrap().values(), "parameter");
                }
                ("view", "annotations") => self.add(value, "annotations"),
                ("view", "response") => self.add(value, "response"),
                _ => {}
            }
        }
    }

    fn add_all<'v>(&mut self, values: impl IntoIterator<Item = &'v Value>, kind: &'static str) {
        values.into_iter().for_each(|value| self.add(value, kind));
    }
}

#[test]
fn the_example_of_the_readme_has_no_fault() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let readme = std::fs::read_to_string(root.join("README.md")).unwrap();
    let blocks = blocks(&readme);
    let is_example = |block: &&Block| block.text.starts_with("x-agent:");
    let change = yaml(blocks.iter().find(is_example).unwrap());
    let document = std::fs::read(root.join("envoy/upstream/openapi.yaml")).unwrap();
    let mut document = json::parse_text(&document).unwrap();
    merge(&mut document, change);
    let compiled = Compiled::of(&document, &harness::options(&json!({})), None);
    assert_eq!(compiled.problems, []);
    let tool = compiled.tool("library_search_books").unwrap();
    let arguments = &tool.input_schema["properties"];
    assert_eq!(arguments["size"]["maximum"], 50);
    assert!(arguments["query"].is_object() && arguments.get("sort").is_none(), "{arguments}");
}

fn page() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/x-agent.md");
    std::fs::read_to_string(path).unwrap()
}

fn blocks(page: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut open: Option<Block> = None;
    for (index, line) in page.lines().enumerate() {
        match (line.strip_prefix("```"), &mut open) {
            (Some(kind), None) => {
                open = Some(Block { line: index + 1, kind: kind.to_owned(), text: String::new() });
            }
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (None, Some(block)) => block.text.extend([line, "\n"]),
            (None, None) => {}
        }
    }
    blocks
}

fn yaml(block: &Block) -> Value {
    json::parse_text(block.text.as_bytes())
        .unwrap_or_else(|problem| panic!("line {}: {problem}", block.line))
}

struct Example {
    document: Value,
    options: Value,
    call: Option<(Tool, Map<String, Value>, UpstreamRequest)>,
    desk: Option<Desk>,
    /// The request of a form tool that waits for its answer.
    waiting: Option<(UpstreamRequest, Box<Pending>)>,
    result: String,
}

impl Example {
    fn new(document: &Value, change: Value) -> Self {
        let mut document = document.clone();
        merge(&mut document, change);
        let result = String::new();
        Self { document, options: json!({}), call: None, desk: None, waiting: None, result }
    }

    fn compiled(&self) -> Compiled {
        Compiled::of(&self.document, &harness::options(&self.options), None)
    }

    fn check(&mut self, block: &Block) {
        let (line, text) = (block.line, block.text.trim_end());
        match block.kind.as_str() {
            "json route" => self.options = yaml(block),
            "json tool" => self.check_tool(line, &yaml(block)),
            "json call" => self.call(&yaml(block)),
            "http" => assert_eq!(self.request(), text, "line {line}"),
            "json answer" => self.answer(&yaml(block), None),
            kind if kind.starts_with("json answer ") => {
                self.answer(&yaml(block), kind.strip_prefix("json answer "));
            }
            "text result" => assert_eq!(self.result, text, "line {line}"),
            "markdown instructions" => {
                assert_eq!(self.compiled().set.unwrap().instructions, text, "line {line}");
            }
            "markdown file" => {
                let skills = self.compiled().set.unwrap().skills;
                assert!(
                    skills.iter().any(|it| it.text.trim_end() == text),
                    "line {line}: {skills:?}"
                );
            }
            "text problem" => {
                let problems = self.compiled().problems;
                let is_told = problems.iter().any(|found| found.problem.to_string() == text);
                assert!(is_told, "line {line}: {problems:?}");
            }
            other => panic!("line {line}: {other}"),
        }
    }

    fn check_tool(&self, line: usize, expected: &Value) {
        let compiled = self.compiled();
        let name = expected["name"].as_str().unwrap();
        let Some(tool) = compiled.tool(name) else {
            panic!("line {line}: {:?} {:?}", compiled.names(), compiled.problems)
        };
        let ours = harness::listed(tool);
        let difference = difference(expected, &ours, String::new());
        assert_eq!(difference, None, "line {line}: {ours}");
    }

    /// Prepares a call; where its arguments are refused, the result says so.
    fn call(&mut self, call: &Value) {
        let compiled = self.compiled();
        let name = call["tool"].as_str().unwrap();
        let tool = compiled.tool(name).unwrap_or_else(|| panic!("{:?}", compiled.problems)).clone();
        if tool.plan.operation().is_none() {
            let document = &self.document;
            let desk = self.desk.get_or_insert_with(|| Desk::new(&Process::new(), document));
            let step = desk.start(&[("x-user", "me")], (name, call["arguments"].clone()));
            return self.follow(step);
        }
        let given = call["arguments"].as_object().unwrap().clone();
        match arguments::check(&tool, &Validators::default(), given) {
            Ok(given) => {
                let request = request::build(harness::plan(&tool), &given).unwrap();
                self.call = Some((tool, given, request));
            }
            Err(problems) => {
                let texts = problems.iter().map(|problem| format!("\n- {problem}"));
                let texts =
                    std::iter::once("Invalid arguments, nothing was sent:".to_owned()).chain(texts);
                self.result = texts.collect();
            }
        }
    }

    fn follow(&mut self, step: Step) {
        match step {
            Step::Call(request, pending) => self.waiting = Some((request, pending)),
            Step::Reply(reply, _) => {
                let called = Called::read(&reply.body, Vec::new());
                self.result = [vec![called.text], called.notes].concat().join("\n");
            }
        }
    }

    fn request(&self) -> String {
        let waiting = self.waiting.as_ref().map(|(request, _)| request);
        let request = waiting.unwrap_or_else(|| &self.call.as_ref().unwrap().2);
        let mut text = format!("{} {}", request.method, request.path);
        for (name, value) in request.headers.iter().filter(|(name, _)| is_told(name)) {
            text.extend(["\n", name, ": ", value]);
        }
        if let Some(body) = &request.body {
            text.extend(["\n\n", &String::from_utf8_lossy(body)]);
        }
        text
    }

    fn answer(&mut self, body: &Value, tag: Option<&str>) {
        if let Some((_, pending)) = self.waiting.take() {
            let tag = tag.map(|tag| ("etag", tag));
            let headers: Vec<_> = tag.into_iter().collect();
            return self.follow(pending.resume(desk::answer(200, &headers, body)));
        }
        let (tool, arguments, _) = self.call.as_ref().unwrap();
        let headers: Headers = [("content-type", "application/json")].into_iter().collect();
        let answer = UpstreamResponse { status: 200, headers, body: body.to_string().into_bytes() };
        let plan = harness::plan(tool);
        let result = response::render(plan, arguments, Ok(answer), &Context::default());
        let [Content::Text(text)] = &result.content[..] else { panic!("{result:?}") };
        self.result.clone_from(text);
    }
}

/// Whether the page shows a header: not those of every request.
fn is_told(name: &str) -> bool {
    !matches!(name, "accept" | "accept-encoding" | "user-agent")
}

fn merge(target: &mut Value, change: Value) {
    match (target, change) {
        (Value::Object(target), Value::Object(change)) => {
            for (key, value) in change {
                merge(target.entry(key).or_insert(Value::Null), value);
            }
        }
        (target, change) => *target = change,
    }
}

/// Where what is expected differs, if anywhere.
fn difference(expected: &Value, ours: &Value, at: String) -> Option<String> {
    let (Some(map), Some(own)) = (expected.as_object(), ours.as_object()) else {
        return (expected != ours).then(|| format!("{at}: {expected}"));
    };
    if at.ends_with("/properties") && !map.keys().eq(own.keys()) {
        return Some(format!("{at}: {:?}", own.keys().collect::<Vec<_>>()));
    }
    map.iter().find_map(|(key, value)| {
        let at = format!("{at}/{key}");
        match (value, own.get(key)) {
            (Value::Null, None) => None,
            (_, Some(found)) => difference(value, found, at),
            (_, None) => Some(at),
        }
    })
}
