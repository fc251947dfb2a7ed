//! Instructions and skills of a tool set.
//!
//! A skill is a text that tells agents how to work with the tools. Its file (`SKILL.md`, Agent
//! Skills format) is served through MCP resources and the skills extension; the instructions show
//! the text itself or, for a skill with a short description, where to read it.

mod file;
mod link;

pub use file::SkillFile;
pub use link::{Link, Linked, linked, resolve};

use std::fmt::Write;

use super::{Root, Skill, SkillText, TagAnnotation, profiles::Selection, words::quote};
use crate::json::{Pointer, Problem};

/// Everything that instructions and skills are made of.
#[derive(Debug, Clone)]
pub struct Guide<'a> {
    /// The root annotation.
    pub root: &'a Root,
    /// The annotated tags.
    pub tags: &'a [TagAnnotation],
    /// The selected profiles.
    pub selection: &'a Selection,
    /// Language tag of the texts.
    pub locale: &'a str,
    /// The tools of the set.
    pub tools: ToolNames<'a>,
    /// Names of the tags that at least one offered operation carries.
    pub carried: &'a [&'a str],
    /// The texts of linked skills, as far as they were asked for ([`linked`]).
    pub linked: &'a [Linked],
    /// Segment before the skill's name in its address, when several documents make up one set.
    pub scope: Option<&'a str>,
}

/// The tools that a text may name.
#[derive(Debug, Clone, Copy, Default)]
pub struct ToolNames<'a> {
    /// Prefix that the document declares.
    pub declared_prefix: &'a str,
    /// Prefix in effect.
    pub prefix: &'a str,
    /// Names of the offered tools, with the prefix in effect.
    pub offered: &'a [String],
    /// Names of other tools of the document, which no selected profile offers.
    pub others: &'a [String],
}

/// Instructions and skills of one document.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rendered {
    /// Instructions in markdown; empty when there is nothing to say.
    pub instructions: String,
    /// Skills in document order, each address once.
    pub skills: Vec<SkillFile>,
    /// What was left out and why; nothing of it is fatal.
    pub problems: Vec<Problem>,
    /// Skills left out because their linked text could not be read: no fault of the document.
    pub unread: Vec<Problem>,
}

/// Renders the selected skills, then the instructions of the tags that are carried.
///
/// Tools of a skill are shown with the name under which they are offered. One that no selected
/// profile offers is left out silently, one that the document does not have is a problem. A
/// skill whose linked text could not be fetched is left out and reported apart.
pub fn render(guide: &Guide<'_>) -> Rendered {
    let mut rendered = Rendered::default();
    let mut sections = Vec::new();
    for skill in &guide.root.skills {
        if guide.shows(skill) {
            sections.extend(guide.skill(skill, &mut rendered));
        }
    }
    let tags = guide.tags.iter().filter(|tag| guide.carried.contains(&tag.tag.as_str()));
    sections.extend(tags.filter_map(|tag| {
        let text = tag.skill.as_ref()?.pick(guide.locale).trim();
        (!text.is_empty()).then(|| section(&tag.tag, text))
    }));
    rendered.instructions = sections.join("\n\n");
    rendered
}

fn section(title: &str, text: &str) -> String {
    format!("## {title}\n\n{text}")
}

impl Guide<'_> {
    fn shows(&self, skill: &Skill) -> bool {
        skill.profiles.as_ref().is_none_or(|labels| self.selection.takes_any(labels))
    }

    /// Adds the file of a skill and returns its section of the instructions.
    fn skill(&self, skill: &Skill, rendered: &mut Rendered) -> Option<String> {
        let description = skill.description.pick(self.locale).trim();
        let text = match self.text(skill, description) {
            Ok(text) => text,
            Err(problem) => {
                rendered.unread.push(problem);
                return None;
            }
        };
        let tools = self.tool_names(skill, &mut rendered.problems);
        let file = self.file(skill, description, text, &tools);
        let mut text = file::body(description, &tools);
        if skill.text != SkillText::Description {
            text.push_str(if tools.is_empty() { "\n\n" } else { "\n" });
            let _ = write!(text, "Read it as the MCP resource {}.", file.uri);
        }
        rendered.add(file, &skill.pointer);
        Some(section(&skill.name, &text))
    }

    fn text<'t>(&'t self, skill: &'t Skill, description: &'t str) -> Result<&'t str, Problem> {
        match &skill.text {
            SkillText::Description => Ok(description),
            SkillText::Body(body) => Ok(body.pick(self.locale).trim()),
            SkillText::Href(href) => link::text(self.linked, href.pick(self.locale), skill),
        }
    }

    fn file(&self, skill: &Skill, description: &str, text: &str, tools: &[String]) -> SkillFile {
        let summary = match skill.text {
            SkillText::Description => file::first_paragraph(description),
            _ => file::one_line(description),
        };
        let scope = self.scope.map(|scope| format!("{scope}/")).unwrap_or_default();
        let uri = format!("skill://{scope}{}/SKILL.md", skill.name);
        SkillFile::new(uri, &skill.name, &summary, &file::body(text, tools))
    }

    fn tool_names(&self, skill: &Skill, problems: &mut Vec<Problem>) -> Vec<String> {
        let mut names = Vec::new();
        for (index, written) in skill.tools.iter().enumerate() {
            if let Some(name) = self.tools.find(written, self.tools.offered) {
                if !names.contains(&name) {
                    names.push(name);
                }
            } else if self.tools.find(written, self.tools.others).is_none() {
                problems.push(Problem::new(
                    skill.pointer.join("tools").join(index).as_str(),
                    format!(
                        "skill {} names the tool {}, which this document does not have; correct \
                         or remove it",
                        quote(&skill.name),
                        quote(written)
                    ),
                ));
            }
        }
        names
    }
}

impl ToolNames<'_> {
    /// The name among `names` that `written` means: as it is, or without or with another prefix.
    fn find(&self, written: &str, names: &[String]) -> Option<String> {
        let bare = written.strip_prefix(self.declared_prefix).unwrap_or(written);
        [written.to_owned(), format!("{}{written}", self.prefix), format!("{}{bare}", self.prefix)]
            .into_iter()
            .find(|name| names.contains(name))
    }
}

impl Rendered {
    /// Adds a file; of two with one address the later is kept.
    fn add(&mut self, file: SkillFile, pointer: &Pointer) {
        match self.skills.iter_mut().find(|known| known.uri == file.uri) {
            None => self.skills.push(file),
            Some(known) => {
                self.problems.push(Problem::new(
                    pointer.join("name").as_str(),
                    format!(
                        "two skills shown together are called {}, and only the last can be read; \
                         rename one of them",
                        quote(&file.name)
                    ),
                ));
                *known = file;
            }
        }
    }
}
