//! The listing that describes a compact request body in place of its schema.

use serde_json::{Map, Value};

use super::schema::{follow, has_type};

/// Longest description of one property, in UTF-16 units.
const MAX_DESCRIPTION: usize = 80;
/// Most values of an enumeration that are shown.
const MAX_VALUES: usize = 8;
/// Deepest nesting of arrays and alternatives that is spelled out.
const MAX_DEPTH: usize = 8;

/// One line for each property of an object schema: name, whether it is optional, type, description.
///
/// `schema` is self-contained: references point into its own `$defs`.
pub(super) fn describe(schema: &Value) -> String {
    let listing = Listing { defs: schema.get("$defs").and_then(Value::as_object) };
    let required = schema.get("required").and_then(Value::as_array);
    let mut text = "Request body, one property per line (`?` = optional):\n".to_owned();
    let properties = schema.get("properties").and_then(Value::as_object);
    for (name, property) in properties.into_iter().flatten() {
        text.push('\n');
        text.push_str(name);
        let is_required =
            required.is_some_and(|names| names.iter().any(|entry| entry.as_str() == Some(name)));
        text.push_str(if is_required { ": " } else { "?: " });
        listing.push_property(&mut text, property);
    }
    if properties.is_none_or(Map::is_empty) {
        text.push('\n');
    }
    text
}

struct Listing<'s> {
    defs: Option<&'s Map<String, Value>>,
}

impl Listing<'_> {
    fn push_property(&self, text: &mut String, property: &Value) {
        self.push_type(text, property, MAX_DEPTH);
        let description = |schema: &Value| {
            let description = schema.get("description").and_then(Value::as_str);
            description.map(one_line).filter(|description| !description.is_empty())
        };
        let target = follow(self.defs, property);
        let shown = description(property)
            .or_else(|| description(target))
            .or_else(|| description(follow(self.defs, only_alternative(target)?)));
        if let Some(shown) = shown {
            text.push_str(" — ");
            text.push_str(&shown);
        }
    }

    fn push_type(&self, text: &mut String, schema: &Value, depth: usize) {
        let schema = follow(self.defs, schema);
        let Some(depth) = depth.checked_sub(1) else { return text.push_str("any") };
        if let Some(values) = schema.get("enum").and_then(Value::as_array) {
            push_values(text, values);
        } else if let Some(alternatives) = alternatives(schema) {
            for (index, alternative) in alternatives.iter().enumerate() {
                text.push_str(if index == 0 { "" } else { " | " });
                self.push_type(text, alternative, depth);
            }
        } else if schema.get("type").and_then(Value::as_str) == Some("array") {
            match schema.get("items") {
                Some(items) => self.push_type(text, items, depth),
                None => text.push_str("any"),
            }
            text.push_str("[]");
        } else if schema.get("properties").is_some() {
            text.push_str("object");
        } else {
            push_type_name(text, schema.get("type"));
        }
    }
}

/// The alternative that is not `null`, when there is exactly one.
fn only_alternative(schema: &Value) -> Option<&Value> {
    let mut others =
        alternatives(schema)?.iter().filter(|&alternative| !has_type(alternative, "null"));
    let only = others.next()?;
    others.next().is_none().then_some(only)
}

fn alternatives(schema: &Value) -> Option<&Vec<Value>> {
    let found = schema.get("oneOf").or_else(|| schema.get("anyOf"))?.as_array()?;
    (!found.is_empty()).then_some(found)
}

fn push_values(text: &mut String, values: &[Value]) {
    for (index, value) in values.iter().take(MAX_VALUES).enumerate() {
        text.push_str(if index == 0 { "" } else { "|" });
        text.push_str(&value.to_string());
    }
    if values.len() > MAX_VALUES {
        text.push_str("|… (");
        text.push_str(&values.len().to_string());
        text.push_str(" values)");
    }
}

fn push_type_name(text: &mut String, name: Option<&Value>) {
    match name {
        Some(Value::String(name)) => text.push_str(name),
        Some(Value::Array(names)) if !names.is_empty() => {
            for (index, name) in names.iter().filter_map(Value::as_str).enumerate() {
                text.push_str(if index == 0 { "" } else { "|" });
                text.push_str(name);
            }
        }
        _ => text.push_str("any"),
    }
}

/// The text with single spaces, cut when it is too long.
fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len().min(2 * MAX_DESCRIPTION));
    let mut units = 0;
    for word in text.split_whitespace() {
        let gap = if line.is_empty() { None } else { Some(' ') };
        for c in gap.into_iter().chain(word.chars()) {
            units += c.len_utf16();
            if units > MAX_DESCRIPTION {
                line.push('…');
                return line;
            }
            line.push(c);
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(property: &Value, expected: &str) {
        let schema = json!({
            "properties": {"p": property},
            "$defs": {"Node": {"type": "object", "description": "A node", "properties": {}}}
        });
        let text = describe(&schema);
        assert_eq!(text.lines().last(), Some(expected));
    }

    #[test]
    fn a_line_shows_type_and_description() {
        check(&json!({"type": "string"}), "p?: string");
        check(&json!({"$ref": "#/$defs/Node"}), "p?: object — A node");
        check(&json!({"type": "array", "items": {"$ref": "#/$defs/Node"}}), "p?: object[]");
        check(&json!({"enum": [1, "a"]}), "p?: 1|\"a\"");
        check(
            &json!({"oneOf": [{"$ref": "#/$defs/Node"}, {"type": "null"}]}),
            "p?: object | null — A node",
        );
        check(&json!(true), "p?: any");
    }

    #[test]
    fn descriptions_are_one_line_and_cut_by_utf16_units() {
        assert_eq!(one_line(" a\n  b "), "a b");
        assert_eq!(one_line(&"x".repeat(80)), "x".repeat(80));
        assert_eq!(one_line(&"x".repeat(81)), format!("{}…", "x".repeat(80)));
        assert_eq!(one_line(&"𝄞".repeat(41)), format!("{}…", "𝄞".repeat(40)));
    }
}
