//! Annotations of the whole document: its root and its tags.

use serde_json::Value;

use super::{KEY, Localized, Profiles, read::Fields};
use crate::json::Pointer;

/// `x-agent` of the document root.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Root {
    /// Prepended to every tool name.
    pub name_prefix: Option<String>,
    /// Declared profiles in document order; the first is the default.
    pub profiles: Vec<(String, Profile)>,
    /// Skills in document order.
    pub skills: Vec<Skill>,
}

/// One declared profile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Profile {
    /// Title for humans.
    pub title: Option<Localized>,
    /// What the profile is for.
    pub description: Option<Localized>,
    /// Profiles that this one also selects.
    pub includes: Vec<String>,
}

/// One skill: a text that tells agents how to work with the tools.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skill {
    /// Name in the Agent Skills format.
    pub name: String,
    /// The whole text, or what the text in `text` is for.
    pub description: Localized,
    /// Where the text is.
    pub text: SkillText,
    /// Profiles that select the skill; `None` for every profile, an empty list for no profile.
    pub profiles: Option<Vec<String>>,
    /// Tools the skill is about, as written.
    pub tools: Vec<String>,
    /// Place of the skill in the document.
    pub pointer: Pointer,
}

/// Where the text of a skill is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SkillText {
    /// The description is the text.
    Description,
    /// Beside a short description.
    Body(Localized),
    /// Behind a link: an absolute URL, or one relative to the document.
    Href(Localized),
}

/// `x-agent` of one entry of `tags`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TagAnnotation {
    /// Name of the tag.
    pub tag: String,
    /// Profiles of the tag's operations that set none themselves.
    pub profiles: Option<Profiles>,
    /// Instructions shown when a selected operation has the tag.
    pub skill: Option<Localized>,
    /// Place of the annotation in the document.
    pub pointer: Pointer,
}

impl Root {
    /// Reads the root annotation of a document.
    pub fn read(document: &Value) -> Self {
        let fields = Fields::of(document.get(KEY));
        let skills = Pointer::root().join(KEY).join("skills");
        Self {
            name_prefix: fields.text("namePrefix"),
            profiles: fields
                .entries("profiles")
                .map(|(name, value)| (name.clone(), Profile::read(value)))
                .collect(),
            skills: fields
                .list("skills")
                .iter()
                .enumerate()
                .filter_map(|(index, value)| Skill::read(value, skills.join(index)))
                .collect(),
        }
    }

    /// Whether a profile may be requested: it is declared, or the document declares none at all.
    pub fn declares(&self, profile: &str) -> bool {
        self.profiles.is_empty() || self.profiles.iter().any(|(name, _)| name == profile)
    }
}

impl Profile {
    fn read(value: &Value) -> Self {
        let fields = Fields::of(Some(value));
        Self {
            title: fields.localized("title"),
            description: fields.localized("description"),
            includes: fields.strings("includes"),
        }
    }
}

impl Skill {
    fn read(value: &Value, pointer: Pointer) -> Option<Self> {
        let fields = Fields::of(Some(value));
        let text = match (fields.localized("body"), fields.localized("href")) {
            (Some(body), _) => SkillText::Body(body),
            (None, Some(href)) => SkillText::Href(href),
            (None, None) => SkillText::Description,
        };
        Some(Self {
            name: fields.text("name")?,
            description: fields.localized("description")?,
            text,
            profiles: fields.get("profiles").map(|_| fields.strings("profiles")),
            tools: fields.strings("tools"),
            pointer,
        })
    }
}

impl TagAnnotation {
    /// Reads the annotated tags of a document, in document order.
    pub fn read_all(document: &Value) -> Vec<Self> {
        let tags = Pointer::root().join("tags");
        Fields::of(Some(document))
            .list("tags")
            .iter()
            .enumerate()
            .filter_map(|(index, tag)| Self::read(tag, tags.join(index).join(KEY)))
            .collect()
    }

    fn read(tag: &Value, pointer: Pointer) -> Option<Self> {
        let fields = Fields::of(Some(tag.get(KEY)?));
        Some(Self {
            tag: tag.get("name")?.as_str()?.to_owned(),
            profiles: fields.choice("profiles"),
            skill: fields.localized("skill"),
            pointer,
        })
    }
}
