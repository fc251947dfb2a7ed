//! Skills whose text is behind a link.

use url::Url;

use super::super::{Root, Skill, SkillText, profiles::Selection, words::quote};
use crate::json::{Pointer, Problem};

/// A text to fetch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// The link as written in the document.
    pub href: String,
    /// Place of the link in the document.
    pub pointer: Pointer,
}

/// What came of fetching a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Linked {
    /// The link as written in the document.
    pub href: String,
    /// The text (UTF-8), or why there is none.
    pub text: Result<String, String>,
}

/// The links that the selected skills need in one language, each once, in document order.
pub fn linked(root: &Root, selection: &Selection, locale: &str) -> Vec<Link> {
    let mut links: Vec<Link> = Vec::new();
    for skill in &root.skills {
        let shown = skill.profiles.as_ref().is_none_or(|labels| selection.takes_any(labels));
        if let (true, SkillText::Href(href)) = (shown, &skill.text) {
            let href = href.pick(locale).to_owned();
            if links.iter().all(|known| known.href != href) {
                links.push(Link { href, pointer: skill.pointer.join("href") });
            }
        }
    }
    links
}

/// The absolute address of a link: relative ones start at the document, or, when its address is not
/// known, inside the base URL of the API.
///
/// # Errors
/// The link is no URL of http or https, or is relative and there is nothing to start from.
pub fn resolve(link: &Link, document: Option<&Url>, base: Option<&Url>) -> Result<Url, Problem> {
    let start = document.cloned().or_else(|| base.cloned().map(directory));
    let url = match &start {
        Some(start) => start.join(&link.href),
        None => Url::parse(&link.href),
    };
    match url {
        Ok(url) if matches!(url.scheme(), "http" | "https") => Ok(url),
        Ok(url) => {
            Err(link.problem(&format!("has the scheme `{}`, not http or https", url.scheme())))
        }
        Err(error) => Err(link.problem(&format!("cannot be followed: {error}"))),
    }
}

fn directory(mut url: Url) -> Url {
    if !url.path().ends_with('/') {
        let path = format!("{}/", url.path());
        url.set_path(&path);
    }
    url
}

impl Link {
    fn problem(&self, what: &str) -> Problem {
        Problem::new(self.pointer.as_str(), format!("the link {} {what}", quote(&self.href)))
    }
}

/// The text of a linked skill without front matter.
pub(super) fn text<'t>(
    linked: &'t [Linked],
    href: &str,
    skill: &Skill,
) -> Result<&'t str, Problem> {
    let found = linked.iter().find(|known| known.href == href);
    let reason = match found.map(|known| &known.text) {
        Some(Ok(text)) => match without_front_matter(text) {
            "" => "it is empty",
            text => return Ok(text),
        },
        Some(Err(reason)) => reason.as_str(),
        None => "it was not fetched",
    };
    Err(Problem::new(
        skill.pointer.join("href").as_str(),
        format!(
            "skill {} is left out, its text {} cannot be read: {reason}",
            quote(&skill.name),
            quote(href)
        ),
    ))
}

/// Leaves out a leading YAML block between two lines of `---`, and the white space around the rest.
fn without_front_matter(text: &str) -> &str {
    let text = text.trim_start_matches('\u{feff}').trim();
    let mut lines = text.split_inclusive('\n');
    if lines.next().is_none_or(|line| line.trim_end() != "---") {
        return text;
    }
    let mut rest = text.split_once('\n').map_or("", |(_, rest)| rest);
    for line in lines {
        rest = rest.get(line.len()..).unwrap_or_default();
        if line.trim_end() == "---" {
            return rest.trim();
        }
    }
    text
}
