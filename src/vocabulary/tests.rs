//! Tests from data: the golden vectors as far as the vocabulary alone decides them.

mod annotations;
mod checks;
mod lints;
mod profile_sets;
mod random;
mod skill_files;

use serde_json::{Value, json};

use super::{profiles::Selection, *};
use crate::json::{Pointer, Problem};

/// The cases of a vector; what is ours on purpose replaces what the vector says.
fn cases(file: &str) -> Vec<Value> {
    let vector = read(&format!("golden/{file}"));
    let exceptions = read("golden/exceptions.json");
    let mut cases = vector["cases"].as_array().unwrap().clone();
    for case in &mut cases {
        if case.get("doc").is_none() {
            case["doc"] = vector["doc"].clone();
        }
        case["files"] = vector["files"].clone();
        for exception in exceptions.as_array().unwrap() {
            if exception["file"] == file && exception["case"] == case["title"] {
                for (key, value) in exception["ours"].as_object().into_iter().flatten() {
                    case[key] = value.clone();
                }
            }
        }
    }
    cases
}

fn read(path: &str) -> Value {
    let path = format!("{}/tests/{path}", env!("CARGO_MANIFEST_DIR"));
    crate::json::parse(&std::fs::read(&path).expect(&path)).expect(&path)
}

/// Problems match when there is one inside every expected place that mentions the expected names,
/// and none elsewhere.
#[track_caller]
fn check_refused(title: &str, expected: &Value, problems: &[Problem]) {
    let none = Vec::new();
    let expected = expected.as_array().unwrap_or(&none);
    for place in expected {
        let at = place["at"].as_str().unwrap();
        let inside: Vec<_> = problems.iter().filter(|p| p.at.starts_with(at)).collect();
        assert!(!inside.is_empty(), "{title}: nothing at {at}: {problems:?}");
        for name in place["names"].as_array().unwrap() {
            let name = name.as_str().unwrap();
            let named = inside.iter().any(|p| p.message.contains(&format!("`{name}`")));
            assert!(named, "{title}: {name} is not named: {inside:?}");
        }
    }
    for problem in problems {
        let known = expected.iter().any(|p| problem.at.starts_with(p["at"].as_str().unwrap()));
        assert!(known, "{title}: {problem}");
    }
}

/// The annotated operations of a document, as the catalog will see them.
struct Operation<'d> {
    value: &'d Value,
    tags: Vec<&'d str>,
    annotation: OperationAnnotation,
}

fn operations(document: &Value) -> Vec<Operation<'_>> {
    let items = document["paths"].as_object().into_iter().flatten();
    let values = items.flat_map(|(path, item)| {
        item.as_object().unwrap().iter().map(move |(method, value)| (path, method, value))
    });
    let annotated = values.filter(|(_, _, value)| value.get(KEY).is_some());
    annotated
        .flat_map(|(path, method, value)| {
            let pointer = Pointer::root().join("paths").join(path).join(method).join(KEY);
            let annotations = OperationAnnotation::read_all(&value[KEY], &pointer);
            annotations.into_iter().map(move |annotation| Operation {
                value,
                tags: value["tags"].as_array().map_or_else(Vec::new, |tags| {
                    tags.iter().map(|tag| tag.as_str().unwrap()).collect()
                }),
                annotation,
            })
        })
        .collect()
}

impl Operation<'_> {
    fn name(&self, prefix: &str) -> String {
        let id = self.value["operationId"].as_str().unwrap_or_default();
        let snake = id.chars().fold(String::new(), |mut name, c| {
            if c.is_ascii_uppercase() {
                name.push('_');
            }
            name.push(c.to_ascii_lowercase());
            name
        });
        format!("{prefix}{}", self.annotation.name.as_deref().unwrap_or(&snake))
    }
}

/// What a route would serve of a document.
struct Loaded {
    root: Root,
    tags: Vec<TagAnnotation>,
    selection: Selection,
    prefix: String,
    offered: Vec<String>,
    others: Vec<String>,
    carried: Vec<String>,
}

fn load(case: &Value) -> Result<Loaded, Vec<Problem>> {
    let (document, options) = (&case["doc"], &case["options"]);
    let mut problems = check(document);
    let root = Root::read(document);
    let tags = TagAnnotation::read_all(document);
    let requested: Vec<String> = match (&options["profiles"], &options["profile"]) {
        (Value::Array(names), _) => names.iter().map(|n| n.as_str().unwrap().to_owned()).collect(),
        (_, Value::String(name)) => vec![name.clone()],
        _ => Vec::new(),
    };
    let selection = match profiles::select(&root, &requested) {
        Ok(selection) if problems.is_empty() => selection,
        Ok(_) => return Err(problems),
        Err(more) => {
            problems.extend(more);
            return Err(problems);
        }
    };
    let declared = root.name_prefix.as_deref().unwrap_or_default();
    let prefix = options["namePrefix"].as_str().unwrap_or(declared).to_owned();
    let (mut offered, mut others, mut carried) = (Vec::new(), Vec::new(), Vec::new());
    for operation in operations(document) {
        let own = operation.annotation.profiles.as_ref();
        if selection.takes(profiles::effective(own, &operation.tags, &tags)) {
            offered.push(operation.name(&prefix));
            carried.extend(operation.tags.iter().map(|tag| (*tag).to_owned()));
        } else {
            others.push(operation.name(&prefix));
        }
    }
    Ok(Loaded { root, tags, selection, prefix, offered, others, carried })
}

impl Loaded {
    fn render(&self, locale: &str, linked: &[skills::Linked]) -> skills::Rendered {
        let carried: Vec<&str> = self.carried.iter().map(String::as_str).collect();
        skills::render(&skills::Guide {
            root: &self.root,
            tags: &self.tags,
            selection: &self.selection,
            locale,
            tools: skills::ToolNames {
                declared_prefix: self.root.name_prefix.as_deref().unwrap_or_default(),
                prefix: &self.prefix,
                offered: &self.offered,
                others: &self.others,
            },
            carried: &carried,
            linked,
            scope: None,
        })
    }
}

fn names(values: &Value) -> Vec<&str> {
    let values = values.as_array().map_or(&[][..], Vec::as_slice);
    values.iter().map(|value| value["name"].as_str().unwrap()).collect()
}

fn document(annotation: &Value) -> Value {
    json!({ "openapi": "3.1.0", "paths": {}, KEY: annotation })
}
