//! `exposure`: which operations become tools, and whether they are listed or found by a search.

mod glob;

use serde_json::Value;

use super::fields::Fields;
use super::units::count;
use super::words::{expected, quote};
use super::{check, keys};

/// Which operations become tools, and how agents come upon them.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Exposure {
    /// The operations to take.
    pub include: Include,
    /// Operations to leave out, whatever `include` says.
    pub exclude: Vec<Selector>,
    /// Leave out what changes something.
    pub read_only: bool,
    /// Take deprecated operations, too.
    pub deprecated: bool,
    /// Three tools that find and call the operations, instead of one tool each.
    pub search: Option<Search>,
}

/// The operations to take.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub enum Include {
    /// Those with `x-agent`.
    #[default]
    Annotated,
    /// Every operation.
    All,
    /// Those that one of these fits.
    Matching(Vec<Selector>),
}

/// A description of operations: each list that is not empty must have something that fits.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Selector {
    /// HTTP methods, upper case.
    pub methods: Vec<String>,
    /// Tags.
    pub tags: Vec<String>,
    /// Paths as in the document: `*` is anything within a segment, `**` any number of segments.
    pub paths: Vec<String>,
    /// Values of `operationId`; `*` is anything.
    pub operation_ids: Vec<String>,
}

/// What selectors look at in an operation.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'o> {
    /// HTTP method as sent.
    pub method: &'o str,
    /// Path template as in the document.
    pub path: &'o str,
    /// Its tags.
    pub tags: &'o [&'o str],
    /// Its `operationId`.
    pub operation_id: Option<&'o str>,
    /// OpenAPI `deprecated`.
    pub deprecated: bool,
    /// It has `x-agent`.
    pub annotated: bool,
}

/// The tools that stand for all others.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Search {
    /// Name of the tool that finds operations, without the prefix.
    pub search_tool: String,
    /// Name of the tool that describes one, without the prefix.
    pub describe_tool: String,
    /// Name of the tool that calls one, without the prefix.
    pub call_tool: String,
    /// Most operations that one search returns.
    pub max_results: usize,
}

impl Default for Exposure {
    fn default() -> Self {
        Self {
            include: Include::Annotated,
            exclude: Vec::new(),
            read_only: false,
            deprecated: true,
            search: None,
        }
    }
}

impl Default for Search {
    fn default() -> Self {
        Self {
            search_tool: "search_operations".to_owned(),
            describe_tool: "describe_operation".to_owned(),
            call_tool: "call_operation".to_owned(),
            max_results: 8,
        }
    }
}

impl Exposure {
    /// Every operation, each as a tool.
    pub fn all() -> Self {
        Self { include: Include::All, ..Self::default() }
    }

    /// Whether an operation is taken, `read_only` aside.
    pub fn takes(&self, subject: &Subject<'_>) -> bool {
        let included = match &self.include {
            Include::Annotated => subject.annotated,
            Include::All => true,
            Include::Matching(selectors) => selectors.iter().any(|it| it.fits(subject)),
        };
        included
            && (self.deprecated || !subject.deprecated)
            && !self.exclude.iter().any(|it| it.fits(subject))
    }
}

impl Selector {
    /// Whether it describes an operation.
    pub fn fits(&self, subject: &Subject<'_>) -> bool {
        let one = |list: &[String], fits: &dyn Fn(&str) -> bool| {
            list.is_empty() || list.iter().any(|item| fits(item))
        };
        one(&self.methods, &|method| method.eq_ignore_ascii_case(subject.method))
            && one(&self.tags, &|tag| subject.tags.contains(&tag))
            && one(&self.paths, &|glob| glob::path(glob, subject.path))
            && one(&self.operation_ids, &|glob| {
                subject.operation_id.is_some_and(|id| glob::text(glob, id))
            })
    }
}

/// The exposure under `exposure`, if there is one.
pub(super) fn read(fields: &mut Fields<'_, '_>) -> Option<Exposure> {
    if fields.read("exposure", |value| Ok(value.is_object()))? {
        return fields.child("exposure", keys::EXPOSURE).map(|mut own| read_rules(&mut own));
    }
    fields.read("exposure", word)
}

/// The short forms, which route metadata can have, too.
fn word(value: &Value) -> Result<Exposure, String> {
    let all = Exposure::all();
    match value.as_str() {
        Some("annotated") => Ok(Exposure::default()),
        Some("all") => Ok(all),
        Some("readOnly") => Ok(Exposure { read_only: true, ..all }),
        Some("search") => Ok(Exposure { search: Some(Search::default()), ..all }),
        _ => Err(expected("an object, or one of `annotated`, `all`, `readOnly`, `search`", value)),
    }
}

fn read_rules(fields: &mut Fields<'_, '_>) -> Exposure {
    Exposure {
        include: read_include(fields),
        exclude: read_selectors(fields, "exclude"),
        read_only: fields.read("readOnly", check::flag).unwrap_or(false),
        deprecated: fields.read("deprecated", check::flag).unwrap_or(true),
        search: read_search(fields),
    }
}

/// `include`; everything when it is absent.
fn read_include(fields: &mut Fields<'_, '_>) -> Include {
    match fields.read("include", |value| Ok(value.is_array())) {
        None => Include::All,
        Some(true) => {
            if fields.items("include").is_empty() {
                fields.problem("include", "expected at least one selector, found an empty list");
            }
            Include::Matching(read_selectors(fields, "include"))
        }
        Some(false) => fields.read("include", include_word).unwrap_or_default(),
    }
}

fn include_word(value: &Value) -> Result<Include, String> {
    match value.as_str() {
        Some("annotated") => Ok(Include::Annotated),
        Some("all") => Ok(Include::All),
        _ => Err(expected("a list of selectors, `all` or `annotated`", value)),
    }
}

fn read_selectors(fields: &mut Fields<'_, '_>, key: &str) -> Vec<Selector> {
    let items = fields.items(key).iter().enumerate();
    items
        .filter_map(|(index, item)| {
            let mut own = fields.element(key, index, item, keys::SELECTOR)?;
            let selector = Selector {
                methods: own.texts("methods", method),
                tags: own.texts("tags", |v| check::text(v, "a tag").map(str::to_owned)),
                paths: own.texts("paths", path_glob),
                operation_ids: own.texts("operationIds", operation_id),
            };
            if keys::SELECTOR.iter().all(|key| own.items(key).is_empty()) {
                let what = "expected at least one of `methods`, `tags`, `paths`, `operationIds`";
                own.problem_here(format!("{what} with a value"));
            }
            Some(selector)
        })
        .collect()
}

fn method(value: &Value) -> Result<String, String> {
    let what = "an HTTP method such as `get`";
    let method = check::text(value, what)?;
    if check::is_token(method) {
        Ok(method.to_ascii_uppercase())
    } else {
        Err(expected(what, value))
    }
}

fn path_glob(value: &Value) -> Result<String, String> {
    let what = "a path that starts with `/`, with `*` and `**` for anything";
    let path = check::text(value, what)?;
    if !path.starts_with('/') && !path.starts_with("**") {
        return Err(expected(what, value));
    }
    if path.split('/').any(|segment| segment != "**" && segment.contains("**")) {
        return Err(format!("{}: `**` stands for whole segments", expected(what, value)));
    }
    Ok(path.to_owned())
}

fn operation_id(value: &Value) -> Result<String, String> {
    check::text(value, "an `operationId`, with `*` for anything").map(str::to_owned)
}

fn read_search(fields: &mut Fields<'_, '_>) -> Option<Search> {
    let is_object = fields.read("search", |value| Ok(value.is_object()))?;
    if !is_object {
        let is_on = fields.read("search", |value| {
            value.as_bool().ok_or_else(|| expected("an object, `true` or `false`", value))
        })?;
        return is_on.then(Search::default);
    }
    let mut own = fields.child("search", keys::SEARCH)?;
    let default = Search::default();
    let mut name = |key: &str, default: String| own.read(key, check::tool_name).unwrap_or(default);
    let search = Search {
        search_tool: name("searchTool", default.search_tool),
        describe_tool: name("describeTool", default.describe_tool),
        call_tool: name("callTool", default.call_tool),
        max_results: own.read("maxResults", |v| count(v, 1, 50)).unwrap_or(default.max_results),
    };
    check_names(&mut own, &search);
    Some(search)
}

/// Reports names that two of the tools have.
fn check_names(fields: &mut Fields<'_, '_>, search: &Search) {
    let tools = [
        ("searchTool", &search.search_tool),
        ("describeTool", &search.describe_tool),
        ("callTool", &search.call_tool),
    ];
    for (index, (key, name)) in tools.iter().enumerate() {
        let earlier = tools.iter().take(index).find(|(_, earlier)| earlier == name);
        if let Some((other, _)) = earlier {
            let name = quote(name);
            fields.problem(key, format!("{name} is the name of the tool `{other}` already"));
        }
    }
}

#[cfg(test)]
mod tests;
