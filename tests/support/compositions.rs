//! The composition vector: several documents as one tool set, chosen by profiles and services.
//!
//! It composes over an index with profiles and skills of its own, which routes do not have: where it
//! shows, `exceptions.json` has our value.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::vectors::{self, Check};

pub(crate) const FILE: &str = "19-compose.json";

/// One composition and what comes of it.
pub(crate) struct Composition {
    pub(crate) services: Vec<String>,
    pub(crate) profiles: Vec<String>,
    pub(crate) prefix: Option<String>,
    title: String,
    expected: Value,
}

/// The compositions, and the documents by service: one that is not there has none.
pub(crate) fn read() -> (Vec<Composition>, BTreeMap<String, Value>) {
    let path = format!("{}/tests/golden/{FILE}", env!("CARGO_MANIFEST_DIR"));
    let vector = vectors::read(path.as_ref());
    let services = texts(&vector["services"]);
    let documents = services.iter().filter_map(|id| {
        let document = vector["documents"].get(format!("https://d/{id}.json"))?;
        Some((id.clone(), document.clone()))
    });
    let documents = documents.collect();
    let compositions = vector["compositions"].as_array().unwrap().iter();
    let compositions = compositions.map(|value| Composition::read(value, &services));
    (compositions.collect(), documents)
}

impl Composition {
    fn read(value: &Value, services: &[String]) -> Self {
        let options = value.get("options").cloned().unwrap_or(json!({}));
        let chosen = texts(&options["services"]);
        let is_used = |id: &&String| chosen.is_empty() || chosen.contains(id);
        let profiles = texts(&value["requested"]);
        Self {
            services: services.iter().filter(is_used).cloned().collect(),
            prefix: options["namePrefix"].as_str().map(str::to_owned),
            title: format!("{profiles:?} {options}"),
            profiles,
            expected: value.clone(),
        }
    }

    /// The services that stay out because of a fault.
    pub(crate) fn faulty(&self) -> Vec<&str> {
        let services = self.expected["services"].as_array().unwrap().iter();
        let faulty = services.filter(|service| service["status"] == "error");
        faulty.map(|service| service["id"].as_str().unwrap()).collect()
    }

    pub(crate) fn check(&self, what: &str, ours: Value) -> Check {
        let expected = match what {
            "skills" => self.expected["skills"].as_array().unwrap().iter().map(id).collect(),
            "faulty" => self.faulty().into(),
            _ => self.expected[what].clone(),
        };
        Check {
            file: FILE.to_owned(),
            case: self.title.clone(),
            subject: ("what", what.into()),
            expected,
            ours,
        }
    }
}

fn id(skill: &Value) -> Value {
    skill["id"].clone()
}

fn texts(list: &Value) -> Vec<String> {
    let items = list.as_array().into_iter().flatten();
    items.map(|item| item.as_str().unwrap().to_owned()).collect()
}

/// The name by which a skill is addressed.
pub(crate) fn skill_id(uri: &str) -> &str {
    uri.strip_prefix("skill://").unwrap().strip_suffix("/SKILL.md").unwrap()
}
