//! Profiles: which of the annotated operations and skills a route serves.

use std::collections::BTreeSet;

use hashbrown::HashMap;

use super::{
    KEY, Profiles, Root, TagAnnotation,
    words::{list, quote},
};
use crate::json::{Pointer, Problem};

/// Name of the only profile of a document that declares none.
const DEFAULT: &str = "default";

/// The requested profiles and everything they include.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selection {
    labels: BTreeSet<String>,
}

/// Selects profiles by name, with everything they include, transitively.
///
/// Without a request the first declared profile is selected. A document that declares no profile
/// takes every name.
///
/// # Errors
/// Every requested name that the document does not declare. Includes that cannot be followed are
/// problems of the document ([`include_problems`]) and are ignored here.
pub fn select(root: &Root, requested: &[String]) -> Result<Selection, Vec<Problem>> {
    let problems: Vec<_> = requested
        .iter()
        .filter(|name| !root.declares(name))
        .map(|name| unknown_request(root, name))
        .collect();
    if !problems.is_empty() {
        return Err(problems);
    }
    let default = || root.profiles.first().map_or(DEFAULT, |(name, _)| name).to_owned();
    let pending = if requested.is_empty() { vec![default()] } else { requested.to_vec() };
    Ok(Selection { labels: expand(root, pending) })
}

impl Selection {
    /// Whether something with these labels is selected.
    pub fn takes(&self, labels: &Profiles) -> bool {
        match labels {
            Profiles::All => true,
            Profiles::Only(names) => self.takes_any(names),
        }
    }

    /// Whether one of these labels is selected; an empty list never is.
    pub fn takes_any(&self, labels: &[String]) -> bool {
        labels.iter().any(|label| self.labels.contains(label))
    }
}

/// The labels of an operation: its own, else those of its first tag that has any, else all.
pub fn effective<'a>(
    own: Option<&'a Profiles>,
    operation_tags: &[&str],
    tags: &'a [TagAnnotation],
) -> &'a Profiles {
    let of_tag = |name: &&str| {
        tags.iter().filter(|tag| tag.tag == **name).find_map(|tag| tag.profiles.as_ref())
    };
    own.or_else(|| operation_tags.iter().find_map(of_tag)).unwrap_or(&Profiles::All)
}

/// Labels that name no declared profile: the operation can never be selected through them.
///
/// `at` is the place of the annotation that has the labels.
pub fn undeclared(root: &Root, labels: Option<&Profiles>, at: &Pointer) -> Vec<Problem> {
    match labels {
        Some(Profiles::Only(names)) => undeclared_names(root, names, at),
        Some(Profiles::All) | None => Vec::new(),
    }
}

/// What is labelled, in a document without profiles, for a profile that only a route's request could
/// select, when it requests none.
pub fn unselectable(
    root: &Root,
    selection: &Selection,
    labels: &Profiles,
    at: &Pointer,
) -> Option<Problem> {
    let Profiles::Only(names) = labels else { return None };
    let is_default = selection.labels.iter().eq([DEFAULT]);
    if !is_default || !root.profiles.is_empty() || names.is_empty() || selection.takes(labels) {
        return None;
    }
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let message = format!(
        "not offered: it is for {}, the document declares no profiles and none is requested; \
         declare it under `{KEY}.profiles` of the document, or request it with `profiles` of the \
         route",
        list(&names, ", ", " and ")
    );
    Some(Problem::new(at.join("profiles").as_str(), message))
}

/// Labels of tags and skills that name no declared profile.
pub fn undeclared_elsewhere(root: &Root, tags: &[TagAnnotation]) -> Vec<Problem> {
    let skills = root.skills.iter().flat_map(|skill| {
        let names = skill.profiles.as_deref().unwrap_or_default();
        undeclared_names(root, names, &skill.pointer)
    });
    let tags = tags.iter().flat_map(|tag| undeclared(root, tag.profiles.as_ref(), &tag.pointer));
    skills.chain(tags).collect()
}

/// Includes that name no declared profile, and includes that lead back to where they started.
pub fn include_problems(root: &Root) -> Vec<Problem> {
    let places: HashMap<&str, usize> =
        root.profiles.iter().enumerate().map(|(index, (name, _))| (name.as_str(), index)).collect();
    let mut problems = Vec::new();
    for (name, profile) in &root.profiles {
        for (index, include) in profile.includes.iter().enumerate() {
            if !places.contains_key(include.as_str()) {
                problems.push(unknown_include(root, name, index, include));
            }
        }
    }
    problems.extend(Cycles::new(root, places).find());
    problems
}

fn unknown_request(root: &Root, name: &str) -> Problem {
    Problem::new(
        profiles_pointer().as_str(),
        format!(
            "the requested profile {} is not declared; declared: {}",
            quote(name),
            declared(root)
        ),
    )
}

fn unknown_include(root: &Root, profile: &str, index: usize, include: &str) -> Problem {
    Problem::new(
        include_pointer(profile, index).as_str(),
        format!(
            "profile {} includes {}, which is not declared; declared: {}",
            quote(profile),
            quote(include),
            declared(root)
        ),
    )
}

fn undeclared_names(root: &Root, names: &[String], at: &Pointer) -> Vec<Problem> {
    let unknown = names.iter().enumerate().filter(|(_, name)| !root.declares(name));
    unknown
        .map(|(index, name)| {
            let message =
                format!("profile {} is not declared; declared: {}", quote(name), declared(root));
            Problem::new(at.join("profiles").join(index).as_str(), message)
        })
        .collect()
}

fn declared(root: &Root) -> String {
    let names: Vec<&str> = root.profiles.iter().map(|(name, _)| name.as_str()).collect();
    list(&names, ", ", " and ")
}

fn profiles_pointer() -> Pointer {
    Pointer::root().join(KEY).join("profiles")
}

fn include_pointer(profile: &str, index: usize) -> Pointer {
    profiles_pointer().join(profile).join("includes").join(index)
}

fn expand(root: &Root, mut pending: Vec<String>) -> BTreeSet<String> {
    let places: HashMap<&str, &[String]> = root
        .profiles
        .iter()
        .map(|(name, profile)| (name.as_str(), profile.includes.as_slice()))
        .collect();
    let mut labels = BTreeSet::new();
    while let Some(name) = pending.pop() {
        if !labels.contains(&name) {
            let includes = places.get(name.as_str()).copied().unwrap_or_default();
            let declared = includes.iter().filter(|include| places.contains_key(include.as_str()));
            pending.extend(declared.cloned());
            labels.insert(name);
        }
    }
    labels
}

/// A depth-first search for includes that close a cycle, without recursion.
struct Cycles<'r> {
    root: &'r Root,
    places: HashMap<&'r str, usize>,
    states: Vec<State>,
    /// Profile and the number of its includes already followed.
    path: Vec<(usize, usize)>,
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    New,
    OnPath,
    Done,
}

impl<'r> Cycles<'r> {
    fn new(root: &'r Root, places: HashMap<&'r str, usize>) -> Self {
        Self { root, places, states: vec![State::New; root.profiles.len()], path: Vec::new() }
    }

    fn find(mut self) -> Vec<Problem> {
        let mut problems = Vec::new();
        for start in 0..self.root.profiles.len() {
            self.enter(start);
            while let Some((profile, followed)) = self.advance() {
                problems.extend(self.follow(profile, followed));
            }
        }
        problems
    }

    fn enter(&mut self, profile: usize) {
        if let Some(state) = self.states.get_mut(profile).filter(|state| **state == State::New) {
            *state = State::OnPath;
            self.path.push((profile, 0));
        }
    }

    /// The profile at the end of the path and its next include to follow.
    fn advance(&mut self) -> Option<(usize, usize)> {
        let (profile, followed) = self.path.last_mut()?;
        *followed += 1;
        Some((*profile, *followed - 1))
    }

    fn follow(&mut self, profile: usize, include: usize) -> Option<Problem> {
        let (_, declared) = self.root.profiles.get(profile)?;
        let Some(name) = declared.includes.get(include) else {
            self.path.pop();
            *self.states.get_mut(profile)? = State::Done;
            return None;
        };
        let target = *self.places.get(name.as_str())?;
        if *self.states.get(target)? == State::OnPath {
            return self.cycle(profile, include, target);
        }
        self.enter(target);
        None
    }

    fn cycle(&self, profile: usize, include: usize, target: usize) -> Option<Problem> {
        let start = self.path.iter().position(|(on_path, _)| *on_path == target)?;
        let turn = self.path.get(start..)?.iter().map(|(index, _)| *index).chain([target]);
        let names: Vec<_> = turn.filter_map(|index| self.name(index)).collect();
        Some(Problem::new(
            include_pointer(self.name(profile)?, include).as_str(),
            format!(
                "profile includes form a cycle: {}; remove one of them",
                list(&names, " → ", " → ")
            ),
        ))
    }

    fn name(&self, index: usize) -> Option<&'r str> {
        self.root.profiles.get(index).map(|(name, _)| name.as_str())
    }
}
