//! Skills as MCP resources (MCP skills extension).

use serde_json::Value;

use super::{
    Skill, SkillFile,
    render::{push_blob, push_member, push_text},
};
use crate::digest;

/// The `Skill` object of `skills/list` and `skills/get`.
pub(super) fn entry(skill: &Skill) -> Vec<u8> {
    let mut out = b"{\"uri\":".to_vec();
    push_text(&mut out, &skill.uri);
    push_member(&mut out, "frontmatter", &skill.frontmatter);
    out.extend_from_slice(b",\"resources\":[");
    for (index, file) in skill.files.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        out.extend_from_slice(b"{\"uri\":");
        push_text(&mut out, &file.uri);
        push_member(&mut out, "digest", &digest::named(&file.content));
        push_member(&mut out, "size", &file.content.len());
        out.push(b'}');
    }
    out.extend_from_slice(b"]}");
    out
}

/// The `Resource` object of a file, as in `resources/list`.
pub(super) fn resource(skill: &Skill, file: &SkillFile) -> Vec<u8> {
    let field = |key| skill.frontmatter.get(key).and_then(Value::as_str).unwrap_or_default();
    let mut out = b"{\"uri\":".to_vec();
    push_text(&mut out, &file.uri);
    if file.uri == skill.uri {
        push_member(&mut out, "name", field("name"));
        push_member(&mut out, "description", field("description"));
    } else {
        let directory = skill.uri.strip_suffix("SKILL.md").unwrap_or(&skill.uri);
        push_member(&mut out, "name", file.uri.strip_prefix(directory).unwrap_or(&file.uri));
        push_member(&mut out, "description", &format!("file of the skill {}", field("name")));
    }
    push_member(&mut out, "mimeType", &file.mime_type);
    push_member(&mut out, "size", &file.content.len());
    out.push(b'}');
    out
}

/// The `Resource` object of a directory, as in `resources/directory/read`.
pub(super) fn directory(out: &mut Vec<u8>, uri: &str, name: &str) {
    out.extend_from_slice(b"{\"uri\":");
    push_text(out, uri);
    push_member(out, "name", name);
    push_member(out, "mimeType", "inode/directory");
    out.push(b'}');
}

/// The item of `contents` in a `resources/read` result.
pub(super) fn contents(file: &SkillFile) -> Vec<u8> {
    let mut out = b"{\"uri\":".to_vec();
    push_text(&mut out, &file.uri);
    push_member(&mut out, "mimeType", &file.mime_type);
    if let Ok(text) = std::str::from_utf8(&file.content) {
        push_member(&mut out, "text", text);
    } else {
        out.extend_from_slice(b",\"blob\":");
        push_blob(&mut out, &file.content);
    }
    out.push(b'}');
    out
}
