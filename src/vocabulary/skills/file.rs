//! `SKILL.md` files (Agent Skills format).

use crate::digest;

/// Longest description of a skill, in characters (Agent Skills format).
const DESCRIPTION: usize = 1024;

/// The only file of a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillFile {
    /// Address of the file, `skill://…/<name>/SKILL.md`.
    pub uri: String,
    /// Name of the skill; the segment before the last of the address.
    pub name: String,
    /// Description of the skill: one line of 1 to 1024 characters.
    pub description: String,
    /// The whole file: front matter and markdown.
    pub text: String,
    /// `sha256:` and the lower-case hexadecimal digest of the file.
    pub digest: String,
    /// Size of the file in bytes.
    pub size: usize,
}

impl SkillFile {
    pub(super) fn new(uri: String, name: &str, description: &str, body: &str) -> Self {
        let description = if description.is_empty() { name } else { description };
        let description: String = description.chars().take(DESCRIPTION).collect();
        let quoted = quote(&description);
        let plain_name = yaml_name(name);
        let text = format!("---\nname: {plain_name}\ndescription: {quoted}\n---\n\n{body}\n");
        let digest = digest::named(text.as_bytes());
        Self { uri, name: name.to_owned(), description, size: text.len(), digest, text }
    }
}

/// A text with the names of its tools after it.
pub(super) fn body(text: &str, tools: &[String]) -> String {
    if tools.is_empty() {
        return text.to_owned();
    }
    format!("{text}\n\nTools: {}", tools.join(", "))
}

/// The text up to the first blank line, on one line.
pub(super) fn first_paragraph(text: &str) -> String {
    let lines: Vec<&str> = text.lines().take_while(|line| !line.trim().is_empty()).collect();
    one_line(&lines.join(" "))
}

/// The text with single spaces for white space of any kind.
pub(super) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A name as YAML text; one that YAML would read as a number, a date or a word with a meaning of
/// its own is quoted.
fn yaml_name(name: &str) -> String {
    let special =
        matches!(name, "null" | "true" | "false" | "yes" | "no" | "on" | "off" | "y" | "n");
    if special || name.starts_with(|c: char| c.is_ascii_digit()) {
        quote(name)
    } else {
        name.to_owned()
    }
}

/// A JSON string, which is a YAML string too.
fn quote(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
