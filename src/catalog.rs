//! From documents and options to tools.
//!
//! A [`Compiler`] works in slices, one operation at a time, so that compiling never blocks for
//! long. Several documents make up one tool set: each is asked for the same profiles, and a document
//! that is missing or refused stays out without taking the others with it.

mod arguments;
mod body;
mod cases;
mod choice;
mod context;
mod directory;
mod editor;
mod exposed;
mod job;
mod listing;
mod media;
mod minimal;
mod names;
mod operation;
mod output;
mod overlap;
mod parameter;
mod response;
mod schema;
mod security;
mod shape;
mod verbatim;

use std::collections::BTreeMap;

use url::Url;

use crate::config::{Credential, Server, ViewOptions};
use crate::json::Problem;
use crate::openapi::Document;
use crate::tool::Tool;
use crate::vocabulary::skills::{self, Link, Linked, SkillFile};
use crate::vocabulary::{Root, profiles};
pub use directory::{Directory, Subject};
use job::Job;

/// One document of a tool set.
#[derive(Debug, Clone, Copy)]
pub struct Input<'d> {
    /// Name of the upstream.
    pub upstream: &'d str,
    /// The document; `None` when it could not be fetched or read.
    pub document: Option<&'d Document>,
    /// Where the document was found; relative servers start there.
    pub document_url: Option<&'d Url>,
    /// The configured base URL, which wins over the document's servers.
    pub base_url: Option<&'d Url>,
    /// Other servers that are configured for it.
    pub servers: &'d [Server],
    /// The credentials that are configured for it.
    pub credentials: &'d [Credential],
    /// The texts behind the links of its skills, as far as they were fetched.
    pub linked: &'d [Linked],
}

/// What a compilation came to.
#[derive(Debug)]
pub struct Outcome {
    /// The tools; `None` when no document is left.
    pub set: Option<CompiledSet>,
    /// Everything found, in order of the documents.
    pub problems: Vec<Finding>,
}

/// The tools of a route.
#[derive(Debug, Clone, PartialEq)]
pub struct CompiledSet {
    /// Title of the API; of several, joined by commas.
    pub title: String,
    /// Version of the API; of several, joined by commas.
    pub version: String,
    /// Instructions for agents; empty for none.
    pub instructions: String,
    /// Skills in document order.
    pub skills: Vec<SkillFile>,
    /// Tools in document order, names unique.
    pub tools: Vec<Tool>,
    /// The tools are found by a search instead of being listed.
    pub directory: Option<Directory>,
}

/// A problem with what it costs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What it costs.
    pub severity: Severity,
    /// Name of the upstream whose document has it.
    pub origin: String,
    /// Where and what.
    pub problem: Problem,
}

/// What a problem costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Nothing.
    Warning,
    /// The operation, which is left out.
    Skipped,
    /// The document, which is left out with all its tools.
    Refused,
}

impl Severity {
    /// Name in logs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Warning => "none",
            Self::Skipped => "operation_left_out",
            Self::Refused => "document_refused",
        }
    }
}

/// A compilation in progress.
#[derive(Debug)]
pub struct Compiler<'d> {
    jobs: Vec<Job<'d>>,
    current: usize,
    directory: Option<Result<Directory, Finding>>,
}

impl<'d> Compiler<'d> {
    /// A compilation of these documents, in this order.
    pub fn new(inputs: Vec<Input<'d>>, options: &ViewOptions) -> Self {
        let requests = requests(&inputs, options);
        let is_composed = inputs.len() > 1;
        let directory = directory(&inputs, options);
        let jobs = inputs.into_iter().zip(requests);
        let jobs = jobs.map(|(input, request)| Job::new(input, options, request, is_composed));
        Self { jobs: jobs.collect(), current: 0, directory }
    }

    /// Does a small, bounded piece of the work, at most one operation; false when all is done.
    pub fn step(&mut self) -> bool {
        let Some(job) = self.jobs.get_mut(self.current) else { return false };
        if !job.step() {
            self.current += 1;
        }
        self.current < self.jobs.len()
    }

    /// The tool set of the documents that are not refused.
    ///
    /// Every finding is there; with `strict`, all of them are [`Severity::Refused`].
    pub fn finish(mut self) -> Outcome {
        while self.step() {}
        let mut taken: BTreeMap<String, String> = BTreeMap::new();
        let mut problems = Vec::new();
        let mut parts = Vec::new();
        let directory = match self.directory.transpose() {
            Ok(directory) => directory,
            Err(found) => return Outcome { set: None, problems: vec![found] },
        };
        for name in directory.iter().flat_map(Directory::names) {
            taken.insert(name.clone(), "a tool of `exposure.search`".to_owned());
        }
        for job in self.jobs {
            let (part, found) = job.finish(&mut taken);
            problems.extend(found);
            parts.extend(part);
        }
        Outcome { set: join(parts, directory), problems }
    }
}

/// The links behind which the selected skills of each document have their text, in the order of the
/// inputs: to be fetched and given as [`Input::linked`].
pub fn links(inputs: &[Input<'_>], options: &ViewOptions) -> Vec<Vec<Link>> {
    let asked = inputs.iter().zip(requests(inputs, options));
    asked
        .map(|(input, request)| {
            let (Some(document), Request::Profiles(names)) = (input.document, request) else {
                return Vec::new();
            };
            let root = Root::read(document.root());
            let selection = profiles::select(&root, &names);
            selection.map(|it| skills::linked(&root, &it, &options.locale)).unwrap_or_default()
        })
        .collect()
}

/// The tools of the search that the options ask for, with the prefix of the only document or of the
/// route.
fn directory(inputs: &[Input<'_>], options: &ViewOptions) -> Option<Result<Directory, Finding>> {
    let search = options.exposure.search.as_ref()?;
    let own = match inputs {
        [input] => input.document.and_then(|it| Root::read(it.root()).name_prefix),
        _ => None,
    };
    let prefix = options.name_prefix.clone().or(own).unwrap_or_default();
    Some(Directory::new(search, &prefix).map_err(|problem| Finding {
        severity: Severity::Refused,
        origin: options.upstreams.first().cloned().unwrap_or_default(),
        problem,
    }))
}

/// What is asked of one document.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Request {
    /// These profiles; an empty list for the document's default.
    Profiles(Vec<String>),
    /// Nothing: it declares none of the requested profiles, others do.
    Nothing,
}

/// What is asked of each document: of a composition, every profile that it declares. A name that no
/// document declares is asked of all, so that it is refused, unless a document is missing that may
/// declare it.
fn requests(inputs: &[Input<'_>], options: &ViewOptions) -> Vec<Request> {
    let roots: Vec<Option<Root>> =
        inputs.iter().map(|input| Some(Root::read(input.document?.root()))).collect();
    if inputs.len() < 2 {
        return inputs.iter().map(|_| Request::Profiles(options.profiles.clone())).collect();
    }
    let default = || {
        let first = roots.iter().flatten().find_map(|root| root.profiles.first());
        first.map(|(name, _)| name.clone()).into_iter().collect()
    };
    let wanted = if options.profiles.is_empty() { default() } else { options.profiles.clone() };
    let is_complete = roots.iter().all(Option::is_some);
    let is_known = |name: &String| roots.iter().flatten().any(|root| root.declares(name));
    let unknown = wanted.iter().filter(|name| is_complete && !is_known(name));
    let unknown: Vec<String> = unknown.cloned().collect();
    let request = |root: &Option<Root>| {
        let Some(root) = root else { return Request::Nothing };
        let own = wanted.iter().filter(|name| root.declares(name) || unknown.contains(name));
        let own: Vec<String> = own.cloned().collect();
        if own.is_empty() && !wanted.is_empty() { Request::Nothing } else { Request::Profiles(own) }
    };
    roots.iter().map(request).collect()
}

/// One document's part of a set.
#[derive(Debug)]
struct Part {
    title: String,
    version: String,
    instructions: String,
    skills: Vec<SkillFile>,
    tools: Vec<Tool>,
    subjects: Vec<Subject>,
}

impl Part {
    fn empty(document: &Document) -> Self {
        Self {
            title: document.title().to_owned(),
            version: document.api_version().to_owned(),
            instructions: String::new(),
            skills: Vec::new(),
            tools: Vec::new(),
            subjects: Vec::new(),
        }
    }
}

fn join(parts: Vec<Part>, mut directory: Option<Directory>) -> Option<CompiledSet> {
    let mut parts = parts.into_iter();
    let first = parts.next()?;
    let mut subjects = first.subjects;
    let mut set = CompiledSet {
        title: first.title,
        version: first.version,
        instructions: first.instructions,
        skills: first.skills,
        tools: first.tools,
        directory: None,
    };
    for part in parts {
        set.title = [&set.title, ", ", &part.title].concat();
        set.version = [&set.version, ", ", &part.version].concat();
        if !set.instructions.is_empty() && !part.instructions.is_empty() {
            set.instructions.push_str("\n\n");
        }
        set.instructions.push_str(&part.instructions);
        set.skills.extend(part.skills);
        set.tools.extend(part.tools);
        subjects.extend(part.subjects);
    }
    if let Some(directory) = &mut directory {
        directory.subjects = subjects;
        directory.explain(&mut set.instructions, !set.skills.is_empty());
    }
    set.directory = directory;
    Some(set)
}
