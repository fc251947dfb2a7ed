//! One document of a tool set: check, select, compile operation by operation, finish.

use std::collections::{BTreeMap, BTreeSet};

use hashbrown::HashSet;
use serde_json::Value;

use super::context::{Base, Context, Report};
use super::security::Security;
use super::shape::Survey;
use super::{Finding, Input, Part, Request, Severity, Subject, editor, exposed, names, operation};
use crate::config::{Lint, ViewOptions};
use crate::editor::tools::Verb;
use crate::json::{Pointer, Problem};
use crate::openapi::{Document, Endpoint, Operation};
use crate::tool::Tool;
use crate::vocabulary::profiles::{self, Selection};
use crate::vocabulary::skills::{self, Guide, ToolNames};
use crate::vocabulary::{self, Checker, OperationAnnotation, Root, TagAnnotation, lint};

/// The work on one document.
#[derive(Debug)]
pub(super) struct Job<'d> {
    input: Input<'d>,
    options: ViewOptions,
    is_composed: bool,
    phase: Phase<'d>,
    root: Root,
    tags: Vec<TagAnnotation>,
    made: Vec<Made>,
    /// The tools of forms, which come after all others.
    forms: Vec<Made>,
    /// What the instructions say of the forms.
    form_notes: Vec<String>,
    /// Names of tools that no selected profile offers.
    others: Vec<String>,
    /// Names of the tags that offered operations carry.
    carried: Vec<&'d str>,
    selection: Option<Selection>,
    findings: Vec<Finding>,
    /// Texts of the findings that are noted once.
    noted: HashSet<String>,
    /// The document takes no part, which is no fault.
    is_silent: bool,
}

/// What the work waits for.
#[derive(Debug)]
enum Phase<'d> {
    Check(&'d Document, Checker<'d>, Vec<String>),
    Survey(&'d Document, Survey<'d>),
    Compile(Box<Context<'d>>, std::vec::IntoIter<Endpoint<'d>>, Option<View<'d>>),
    Done,
}

/// An endpoint whose views are being compiled.
#[derive(Debug)]
struct View<'d> {
    endpoint: Endpoint<'d>,
    waiting: std::vec::IntoIter<OperationAnnotation>,
}

/// A tool and where its annotation is.
#[derive(Debug)]
struct Made {
    tool: Tool,
    at: Pointer,
    /// Method and path.
    address: String,
    /// Arguments whose description an annotation wrote, and where.
    authored: Vec<(String, Pointer)>,
    /// Another name, for an operation whose own the API's owner did not choose.
    spare: Option<String>,
    subject: Subject,
}

impl<'d> Job<'d> {
    pub(super) fn new(
        input: Input<'d>,
        options: &ViewOptions,
        request: Request,
        is_composed: bool,
    ) -> Self {
        let mut job = Self {
            input,
            options: options.clone(),
            is_composed,
            phase: Phase::Done,
            root: Root::default(),
            tags: Vec::new(),
            made: Vec::new(),
            forms: Vec::new(),
            form_notes: Vec::new(),
            others: Vec::new(),
            carried: Vec::new(),
            selection: None,
            findings: Vec::new(),
            noted: HashSet::new(),
            is_silent: false,
        };
        match (input.document, request) {
            (None, _) => {
                let severity = if is_composed { Severity::Warning } else { Severity::Refused };
                let message = "the document is missing, so its tools are left out";
                job.find(severity, Problem::new("", message));
            }
            (Some(_), Request::Nothing) => job.is_silent = true,
            (Some(document), Request::Profiles(names)) => {
                job.phase = Phase::Check(document, Checker::new(document.root()), names);
            }
        }
        job
    }

    /// Does a piece of the work; false when all is done.
    pub(super) fn step(&mut self) -> bool {
        self.phase = match std::mem::replace(&mut self.phase, Phase::Done) {
            Phase::Check(document, mut checker, names) => {
                if checker.step() {
                    Phase::Check(document, checker, names)
                } else {
                    self.select(document, checker.finish(), &names)
                }
            }
            Phase::Survey(document, mut survey) => {
                if survey.step() {
                    Phase::Survey(document, survey)
                } else {
                    self.open(document, survey.is_annotated())
                }
            }
            Phase::Compile(context, endpoints, view) => self.compile(context, endpoints, view),
            Phase::Done => Phase::Done,
        };
        !matches!(self.phase, Phase::Done)
    }

    /// Notes what is wrong with the annotations and selects the profiles.
    fn select(
        &mut self,
        document: &'d Document,
        offences: Vec<Problem>,
        names: &[String],
    ) -> Phase<'d> {
        self.root = Root::read(document.root());
        self.tags = TagAnnotation::read_all(document.root());
        self.find_all(Severity::Warning, document.remarks().to_vec());
        self.find_all(Severity::Refused, offences);
        match profiles::select(&self.root, names) {
            Ok(selection) => self.selection = Some(selection),
            Err(problems) => self.find_all(Severity::Refused, problems),
        }
        if self.is_refused() {
            return Phase::Done;
        }
        let undeclared = profiles::undeclared_elsewhere(&self.root, &self.tags);
        self.find_all(Severity::Warning, undeclared);
        Phase::Survey(document, Survey::new(document.root()))
    }

    /// Lists the operations.
    fn open(&mut self, document: &'d Document, is_annotated: bool) -> Phase<'d> {
        let (endpoints, problems) = document.endpoints();
        self.find_all(Severity::Skipped, problems);
        let Some(context) = self.context(document, &endpoints, is_annotated) else {
            return Phase::Done;
        };
        if !self.is_composed {
            self.find_all(Severity::Warning, exposed::idle(&self.options.exposure, &endpoints));
        }
        let taken = endpoints.into_iter().filter(|it| exposed::takes(&self.options.exposure, it));
        let taken: Vec<_> = taken.collect();
        Phase::Compile(Box::new(context), taken.into_iter(), None)
    }

    fn context(
        &mut self,
        document: &'d Document,
        endpoints: &[Endpoint<'d>],
        is_annotated: bool,
    ) -> Option<Context<'d>> {
        let Input { document_url, base_url, servers, credentials, .. } = self.input;
        let base = Base::new(document, document_url, base_url, servers);
        let base = match base {
            Ok(base) => base,
            Err(problem) => {
                self.find(Severity::Refused, problem);
                return None;
            }
        };
        let (security, problems) = Security::new(document, credentials);
        self.find_all(Severity::Warning, problems);
        let own = self.root.name_prefix.clone().unwrap_or_default();
        Some(Context {
            upstream: self.input.upstream,
            document,
            prefix: self.options.name_prefix.clone().unwrap_or(own),
            options: self.options.clone(),
            base,
            security,
            is_annotated,
            operations: by_id(endpoints),
        })
    }

    /// Compiles the next view, or opens the next endpoint.
    fn compile(
        &mut self,
        context: Box<Context<'d>>,
        mut endpoints: std::vec::IntoIter<Endpoint<'d>>,
        view: Option<View<'d>>,
    ) -> Phase<'d> {
        let view = view.or_else(|| endpoints.next().map(View::open));
        let Some(mut view) = view else { return Phase::Done };
        match view.waiting.next() {
            Some(annotation) => {
                self.compile_view(&context, &view.endpoint, &annotation);
                Phase::Compile(context, endpoints, Some(view))
            }
            None => Phase::Compile(context, endpoints, None),
        }
    }

    fn compile_view(
        &mut self,
        context: &Context<'d>,
        endpoint: &Endpoint<'d>,
        annotation: &OperationAnnotation,
    ) {
        let origin = (endpoint.method.as_str(), endpoint.path);
        let name = operation::name(&context.prefix, annotation, endpoint.value, origin);
        let tags = exposed::tags(endpoint);
        let own = annotation.profiles.as_ref();
        for problem in profiles::undeclared(&self.root, own, &annotation.pointer) {
            self.find(Severity::Warning, problem);
        }
        if self.options.exposure.read_only
            && !operation::is_read_only(&endpoint.method, &annotation.annotations)
        {
            return;
        }
        let labels = profiles::effective(own, &tags, &self.tags);
        if self.selection.as_ref().is_none_or(|selection| !selection.takes(labels)) {
            let at = own.is_some().then_some(&annotation.pointer);
            let selection = self.selection.as_ref();
            let unselectable = at.zip(selection).and_then(|(at, selection)| {
                profiles::unselectable(&self.root, selection, labels, at)
            });
            if let Some(problem) = unselectable {
                self.find(Severity::Warning, problem);
            }
            match &annotation.editor {
                Some(_) => self.others.extend(
                    name.iter().flat_map(|it| Verb::ALL.map(|verb| editor::tool_name(it, verb))),
                ),
                None => self.others.extend(name),
            }
            return;
        }
        let name = match name {
            Ok(name) => name,
            Err(problem) => return self.find(Severity::Refused, problem),
        };
        match context.document.operation(endpoint) {
            Ok(found) => {
                let mut report = Report::default();
                let is_made = self.make(context, (&found, annotation), (name, &tags), &mut report);
                for problem in found.warnings {
                    self.find_once(Severity::Warning, problem);
                }
                for (severity, problem) in report.findings {
                    self.find_once(severity, problem);
                }
                if is_made {
                    self.carried.extend(tags);
                }
            }
            Err(problems) => {
                for problem in problems {
                    self.find_once(Severity::Skipped, problem);
                }
            }
        }
    }

    /// Makes the tool of an operation, or the tools of its form; returns whether there are any.
    fn make(
        &mut self,
        context: &Context<'d>,
        (found, annotation): (&Operation<'d>, &OperationAnnotation),
        (name, tags): (String, &[&str]),
        report: &mut Report,
    ) -> bool {
        let at = annotation.pointer.clone();
        let subject = Subject {
            tags: tags.iter().map(|&tag| tag.to_owned()).collect(),
            is_deprecated: found.deprecated,
        };
        if let Some(editor) = &annotation.editor {
            let tools = editor::tools(context, (found, annotation, editor), &name, report);
            return self.add_form(tools, &name, (&at, found), &subject);
        }
        let tool = operation::tool(context, found, annotation, name, report);
        let authored = std::mem::take(&mut report.authored);
        let origin = (found.method.as_str(), found.path);
        let spare = found.annotation.is_none().then(|| context.spare_name(origin));
        let address = [&found.method, " ", found.path].concat();
        let made = tool.map(|tool| Made { tool, at, address, authored, spare, subject });
        let is_made = made.is_some();
        self.made.extend(made);
        is_made
    }

    /// Adds the tools of a form; returns whether there are any.
    fn add_form(
        &mut self,
        tools: Vec<Tool>,
        name: &str,
        (at, found): (&Pointer, &Operation<'_>),
        subject: &Subject,
    ) -> bool {
        let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
        if names.is_empty() {
            return false;
        }
        self.form_notes.push(format!("## {name}\n\nTools: {}", names.join(", ")));
        self.forms.extend(tools.into_iter().map(|tool| Made {
            tool,
            at: at.clone(),
            address: [&found.method, " ", found.path].concat(),
            authored: Vec::new(),
            spare: None,
            subject: subject.clone(),
        }));
        true
    }

    /// This document's part of the set, if it has one, and everything found.
    ///
    /// `taken` holds the tool names of earlier documents, and who has them.
    pub(super) fn finish(
        mut self,
        taken: &mut BTreeMap<String, String>,
    ) -> (Option<Part>, Vec<Finding>) {
        self.made.append(&mut self.forms);
        self.settle_names(taken);
        self.check_names(taken);
        if self.options.lint != Lint::Off {
            self.lint();
        }
        let part = self.part();
        let part = part.filter(|_| !self.is_refused());
        for tool in part.iter().flat_map(|part| &part.tools) {
            taken.insert(tool.name.clone(), format!("the upstream `{}`", self.input.upstream));
        }
        (part, self.findings)
    }

    fn part(&mut self) -> Option<Part> {
        let document = self.input.document?;
        if self.is_silent {
            return Some(Part::empty(document));
        }
        let selection = self.selection.clone().filter(|_| !self.is_refused())?;
        let offered: Vec<String> = self.made.iter().map(|made| made.tool.name.clone()).collect();
        let own = self.root.name_prefix.as_deref().unwrap_or_default();
        let rendered = skills::render(&Guide {
            root: &self.root,
            tags: &self.tags,
            selection: &selection,
            locale: &self.options.locale,
            tools: ToolNames {
                declared_prefix: own,
                prefix: self.options.name_prefix.as_deref().unwrap_or(own),
                offered: &offered,
                others: &self.others,
            },
            carried: &self.carried,
            linked: self.input.linked,
            scope: self.is_composed.then_some(self.input.upstream),
        });
        self.find_all(Severity::Warning, rendered.problems);
        // Whether another server answers is no property of the document, so not even `strict` refuses.
        self.note_all(Severity::Warning, rendered.unread);
        let title = document.title();
        let mut instructions = rendered.instructions;
        for note in &self.form_notes {
            if !instructions.is_empty() {
                instructions.push_str("\n\n");
            }
            instructions.push_str(note);
        }
        if self.is_composed && !instructions.is_empty() {
            let title = if title.is_empty() { self.input.upstream } else { title };
            instructions = format!("# {title}\n\n{instructions}");
        }
        let made = std::mem::take(&mut self.made).into_iter();
        let (tools, subjects) = made.map(|made| (made.tool, made.subject)).unzip();
        let skills = rendered.skills;
        Some(Part { instructions, skills, tools, subjects, ..Part::empty(document) })
    }

    /// Gives operations without `x-agent` another name where theirs is taken: nobody may be there
    /// who could change the document.
    fn settle_names(&mut self, taken: &BTreeMap<String, String>) {
        let fixed = self.made.iter().filter(|made| made.spare.is_none());
        let mut used: BTreeSet<String> = fixed.map(|made| made.tool.name.clone()).collect();
        let mut numbers: BTreeMap<String, usize> = BTreeMap::new();
        let mut problems = Vec::new();
        for Made { tool, at, spare, .. } in &mut self.made {
            let Some(spare) = spare.take() else { continue };
            let is_taken = |name: &str| used.contains(name) || taken.contains_key(name);
            if is_taken(&tool.name) {
                let number = numbers.entry(spare.clone()).or_insert(1);
                let name = names::unique_after(spare, number, is_taken);
                let message =
                    format!("the tool name `{}` is taken, this one is `{name}`", tool.name);
                problems.push(Problem::new(at.clone(), message));
                tool.name = name;
            }
            used.insert(tool.name.clone());
        }
        self.find_all(Severity::Warning, problems);
    }

    /// Refuses names that another tool has already.
    fn check_names(&mut self, taken: &BTreeMap<String, String>) {
        let mut own: BTreeMap<&str, &Made> = BTreeMap::new();
        let mut problems = Vec::new();
        for made in &self.made {
            let name = made.tool.name.as_str();
            let message = match (taken.get(name), own.get(name)) {
                (None, None) => None,
                (None, Some(other)) if other.at == made.at => Some(format!(
                    "the tool name `{name}` is the one of `{}` and of `{}`, which share this \
                     operation: give one of the paths an operation of its own, or leave it out",
                    other.address, made.address
                )),
                (Some(other), _) => Some(taken_name(name, other)),
                (None, Some(other)) => Some(taken_name(name, &format!("`{}`", other.at))),
            };
            problems.extend(message.map(|message| Problem::new(made.at.clone(), message)));
            own.entry(name).or_insert(made);
        }
        self.find_all(Severity::Refused, problems);
    }

    fn lint(&mut self) {
        let severity = match self.options.lint {
            Lint::Error => Severity::Refused,
            Lint::Warn | Lint::Off => Severity::Warning,
        };
        let mut problems = Vec::new();
        for Made { tool, authored, .. } in &self.made {
            let properties = tool.input_schema.get("properties");
            for (argument, pointer) in authored {
                let Some(schema) = properties.and_then(|found| found.get(argument)) else {
                    continue;
                };
                let description = schema.get("description").and_then(Value::as_str);
                let subject = lint::Subject {
                    tool: &tool.name,
                    argument,
                    description: description.unwrap_or_default(),
                    schema,
                    pointer,
                };
                problems.extend(lint::check(&subject).into_iter().map(|finding| finding.problem));
            }
        }
        self.note_all(severity, problems);
    }

    /// Notes findings as they are, whatever `strict` says.
    fn note_all(&mut self, severity: Severity, problems: Vec<Problem>) {
        let origin = self.input.upstream;
        self.findings.extend(problems.into_iter().map(|problem| Finding {
            severity,
            origin: origin.to_owned(),
            problem,
        }));
    }

    /// Notes a finding; with `strict` every one refuses the document.
    fn find(&mut self, severity: Severity, problem: Problem) {
        let severity = if self.options.strict { Severity::Refused } else { severity };
        self.findings.push(Finding { severity, origin: self.input.upstream.to_owned(), problem });
    }

    fn find_all(&mut self, severity: Severity, problems: Vec<Problem>) {
        for problem in problems {
            self.find(severity, problem);
        }
    }

    /// Notes a finding that several operations or views may share.
    fn find_once(&mut self, severity: Severity, problem: Problem) {
        if self.noted.insert(problem.to_string()) {
            self.find(severity, problem);
        }
    }

    fn is_refused(&self) -> bool {
        self.findings.iter().any(|finding| finding.severity == Severity::Refused)
    }
}

impl<'d> View<'d> {
    fn open(endpoint: Endpoint<'d>) -> Self {
        let at = endpoint.pointer.join(vocabulary::KEY);
        let views = match endpoint.value.get(vocabulary::KEY) {
            Some(value) => OperationAnnotation::read_all(value, &at),
            None => OperationAnnotation::read_all(&Value::Null, &endpoint.pointer),
        };
        Self { waiting: views.into_iter(), endpoint }
    }
}

fn taken_name(name: &str, other: &str) -> String {
    format!(
        "the tool name `{name}` is also the one of {other}: give one of them another \
         `x-agent.name`"
    )
}

fn by_id<'d>(endpoints: &[Endpoint<'d>]) -> BTreeMap<&'d str, Endpoint<'d>> {
    let mut operations = BTreeMap::new();
    for endpoint in endpoints {
        if let Some(id) = endpoint.value.get("operationId").and_then(Value::as_str) {
            operations.entry(id).or_insert_with(|| endpoint.clone());
        }
    }
    operations
}
