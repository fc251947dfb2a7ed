//! Names of tools and arguments: unique, and within what every client accepts.

use crate::digest;

/// Longest name of a tool or an argument that strict clients accept.
pub(super) const MAX_LENGTH: usize = 64;

/// Length of `_` and the eight hexadecimal digits that follow what is kept of a longer name.
const TAIL: usize = 9;

/// Where the name of a tool comes from.
#[derive(Debug, Clone, Copy)]
pub(super) enum Origin<'o> {
    /// `x-agent.name`.
    Explicit(&'o str),
    /// `operationId`, if there is one, else method and path.
    Operation {
        /// The operation's `operationId`.
        id: Option<&'o str>,
        /// HTTP method.
        method: &'o str,
        /// Path template as in the document.
        path: &'o str,
    },
}

/// The name of a tool: `^[A-Za-z0-9_.-]{1,64}$`, with room for `reserved` more characters.
///
/// # Errors
/// An explicit name that is too long or contains other characters; generated names are shortened.
pub(super) fn tool(prefix: &str, origin: Origin<'_>, reserved: usize) -> Result<String, String> {
    let most = MAX_LENGTH - reserved;
    match origin {
        Origin::Explicit(name) => {
            let name = [prefix, name].concat();
            if name.len() <= most && !name.is_empty() && name.bytes().all(is_name_byte) {
                return Ok(name);
            }
            Err(format!(
                "the tool name `{name}` has {} characters, expected 1 to {most} letters, \
                 digits, `_`, `-` and `.`, prefix included: choose a shorter one",
                name.chars().count()
            ))
        }
        Origin::Operation { id, method, path } => {
            let mut name = prefix.to_owned();
            let id = id.map(snake_case).filter(|id| !id.is_empty());
            name.push_str(&id.unwrap_or_else(|| snake_case(&[method, " ", path].concat())));
            Ok(shorten_to(name, most))
        }
    }
}

/// An argument name that strict clients accept: other characters become `_`.
pub(super) fn clean(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    let mut gap = false;
    for c in name.chars() {
        if u8::try_from(c).is_ok_and(is_name_byte) {
            if std::mem::take(&mut gap) && !text.is_empty() {
                text.push('_');
            }
            text.push(c);
        } else {
            gap = true;
        }
    }
    if text.is_empty() {
        text.push_str("value");
    }
    shorten(text)
}

/// The first of `name`, `name_2`, `name_3`, … that is free.
pub(super) fn unique(name: String, is_taken: impl Fn(&str) -> bool) -> String {
    unique_after(name, &mut 1, is_taken)
}

/// As [`unique`], for many names in a row: `number` is the last one that was taken after this name.
pub(super) fn unique_after(
    name: String,
    number: &mut usize,
    is_taken: impl Fn(&str) -> bool,
) -> String {
    if *number == 1 && !is_taken(&name) {
        return name;
    }
    loop {
        *number += 1;
        let candidate = shorten(format!("{name}_{number}"));
        if !is_taken(&candidate) {
            return candidate;
        }
    }
}

/// `getValuesAgg` → `get_values_agg`, `get-book.page` → `get_book_page`; ASCII only.
pub(super) fn snake_case(text: &str) -> String {
    let mut name = String::with_capacity(text.len() + 8);
    let mut previous = '_';
    for c in text.chars() {
        let starts_word =
            c.is_ascii_uppercase() && (previous.is_ascii_lowercase() || previous.is_ascii_digit());
        if (starts_word || !c.is_ascii_alphanumeric()) && !name.ends_with('_') && !name.is_empty() {
            name.push('_');
        }
        if c.is_ascii_alphanumeric() {
            name.push(c.to_ascii_lowercase());
        }
        previous = c;
    }
    name.truncate(name.trim_end_matches('_').len());
    name
}

/// Cuts an ASCII name that is too long and makes it unique again by a digest of the whole.
pub(super) fn shorten(name: String) -> String {
    shorten_to(name, MAX_LENGTH)
}

fn shorten_to(name: String, most: usize) -> String {
    if name.len() <= most {
        return name;
    }
    let mut short: String = name.chars().take(most - TAIL).collect();
    short.push('_');
    short.push_str(&digest::start(name.as_bytes(), 4));
    short
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operation_ids_become_snake_case() {
        let cases = [
            ("getValuesAgg", "get_values_agg"),
            ("listHTTPThings", "list_httpthings"),
            ("HTTPServer", "httpserver"),
            ("v2List", "v2_list"),
            ("get-book.page", "get_book_page"),
            ("__x__Y", "x_y"),
            ("a1B2c", "a1_b2c"),
            ("masterData_singleSearch_{id}", "master_data_single_search_id"),
            ("GET /a/{b}", "get_a_b"),
            ("GET /", "get"),
            ("日本", ""),
            ("déjàVu", "d_j_vu"),
        ];
        for (id, name) in cases {
            assert_eq!(snake_case(id), name, "{id}");
        }
    }

    #[track_caller]
    fn check_tool(prefix: &str, origin: Origin<'_>, expected: Result<&str, &str>) {
        match (tool(prefix, origin, 0), expected) {
            (Ok(name), Ok(expected)) => assert_eq!(name, expected),
            (Err(message), Err(part)) => assert!(message.contains(part), "{message}"),
            (other, _) => panic!("{other:?}"),
        }
    }

    #[test]
    fn generated_tool_names_fall_back_to_method_and_path_and_are_shortened() {
        let operation = |id| Origin::Operation { id, method: "GET", path: "/users/{id}" };
        check_tool("p_", operation(Some("readUser")), Ok("p_read_user"));
        check_tool("p_", operation(None), Ok("p_get_users_id"));
        check_tool("", operation(Some("日本")), Ok("get_users_id"));
        let long = "listEveryRepositoryOfEachMemberOfAnOrganisationWithItsSecurityAdvisories";
        check_tool(
            "",
            operation(Some(long)),
            Ok("list_every_repository_of_each_member_of_an_organisation_4f6d2985"),
        );
    }

    #[test]
    fn an_explicit_name_is_kept_or_refused() {
        check_tool("p_", Origin::Explicit("x"), Ok("p_x"));
        let long = "x".repeat(63);
        check_tool("p_", Origin::Explicit(&long), Err("65 characters"));
        check_tool("é", Origin::Explicit("x"), Err("letters"));
    }

    #[test]
    fn names_leave_room_for_what_is_to_follow() {
        let operation = Origin::Operation { id: None, method: "GET", path: &"/ab".repeat(30) };
        assert_eq!(tool("", operation, 20).unwrap().len(), MAX_LENGTH - 20);
        assert!(tool("p_", Origin::Explicit(&"x".repeat(43)), 20).unwrap_err().contains("1 to 44"));
        assert!(tool("p_", Origin::Explicit(&"x".repeat(42)), 20).is_ok());
    }

    #[test]
    fn argument_names_are_made_of_allowed_characters() {
        let cases = [
            ("StartTime<", "StartTime"),
            ("rule_name[]", "rule_name"),
            ("filter[eq]", "filter_eq"),
            ("X-Trace.id", "X-Trace.id"),
            ("$top", "top"),
            ("日本", "value"),
            ("", "value"),
        ];
        for (name, expected) in cases {
            assert_eq!(clean(name), expected, "{name}");
        }
        assert_eq!(clean(&"a".repeat(70)).len(), MAX_LENGTH);
    }

    #[test]
    fn taken_names_get_a_number() {
        let taken = ["a", "a_2"];
        assert_eq!(unique("a".into(), |name| taken.contains(&name)), "a_3");
        assert_eq!(unique("b".into(), |name| taken.contains(&name)), "b");
    }
}
