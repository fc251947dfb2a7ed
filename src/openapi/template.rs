//! Path templates (OpenAPI 3.1 §4.8.8.2): what is literal, what is a variable.

use url::form_urlencoded;

use super::uri;

/// A path template, ready to become the plan of a request.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Template<'d> {
    /// The path with its literal parts percent-encoded and its variables as they are.
    pub(super) path: String,
    /// Names of the variables, each once, in order.
    pub(super) variables: Vec<&'d str>,
    /// Query parameters that the template itself carries, decoded.
    pub(super) query: Vec<(String, String)>,
}

impl<'d> Template<'d> {
    /// Parses a key of `paths`. A fragment only tells operations of one path apart and is dropped.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(super) fn parse(text: &'d str) -> Result<Self, String> {
        if !text.starts_with('/') {
            return Err("a path starts with `/`".to_owned());
        }
        let text = text.split_once('#').map_or(text, |(path, _)| path);
        let (path, query) = text.split_once('?').unwrap_or((text, ""));
        let mut template = Self { query: parse_query(query)?, ..Self::default() };
        template.read_path(path)?;
        if template.path.split('/').any(is_dot_segment) {
            return Err("a path cannot contain the segments `.` and `..`".to_owned());
        }
        Ok(template)
    }

    fn read_path(&mut self, path: &'d str) -> Result<(), String> {
        let mut rest = path;
        while let Some((literal, tail)) = rest.split_once('{') {
            let (name, tail) = tail.split_once('}').ok_or("`{` is never closed by `}`")?;
            self.push_literal(literal)?;
            self.push_variable(name)?;
            rest = tail;
        }
        self.push_literal(rest)
    }

    fn push_literal(&mut self, literal: &str) -> Result<(), String> {
        if literal.contains('}') {
            return Err("`}` closes nothing".to_owned());
        }
        uri::push_path_literal(&mut self.path, literal);
        Ok(())
    }

    fn push_variable(&mut self, name: &'d str) -> Result<(), String> {
        if name.is_empty() || name.contains(['{', '/']) {
            return Err(format!("`{{{name}}}` is not a template variable"));
        }
        self.path.push('{');
        self.path.push_str(name);
        self.path.push('}');
        if !self.variables.contains(&name) {
            self.variables.push(name);
        }
        Ok(())
    }
}

fn parse_query(query: &str) -> Result<Vec<(String, String)>, String> {
    if query.contains(['{', '}']) {
        return Err(
            "a template variable cannot stand in the query: declare a query parameter".to_owned()
        );
    }
    Ok(form_urlencoded::parse(query.as_bytes()).into_owned().collect())
}

/// Dots may be percent-encoded (RFC 3986 §6.2.2.2).
fn is_dot_segment(segment: &str) -> bool {
    matches!(uri::decode(segment).as_deref(), Some("." | ".."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, path: &str, variables: &[&str], query: &[(&str, &str)]) {
        let template = Template::parse(text).unwrap();
        assert_eq!(template.path, path, "{text}");
        assert_eq!(template.variables, variables, "{text}");
        let pairs: Vec<_> = template.query.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
        assert_eq!(pairs, query, "{text}");
    }

    #[test]
    fn literals_are_encoded_and_variables_kept() {
        check("/", "/", &[], &[]);
        check("/a/{b}", "/a/{b}", &["b"], &[]);
        check("/{id}.json", "/{id}.json", &["id"], &[]);
        check("/a-{b}/{c}:{d}", "/a-{b}/{c}:{d}", &["b", "c", "d"], &[]);
        check("/{a}/{a}", "/{a}/{a}", &["a"], &[]);
        check("/bücher/{x y}", "/b%C3%BCcher/{x y}", &["x y"], &[]);
        check("/a%20b//c/", "/a%20b//c/", &[], &[]);
        check("//evil.test/x", "//evil.test/x", &[], &[]);
        check("/f/{id}#add_link", "/f/{id}", &["id"], &[]);
        check("/r?beta=true&x=%20#f", "/r", &[], &[("beta", "true"), ("x", " ")]);
    }

    #[test]
    fn malformed_templates_say_what_is_wrong() {
        let cases = [
            ("a", "starts with"),
            ("/{a", "never closed"),
            ("/a}", "closes nothing"),
            ("/{}", "not a template variable"),
            ("/{a{b}}", "not a template variable"),
            ("/a/../b", "`..`"),
            ("/a/%2e%2E/b", "`..`"),
            ("/./b", "`.`"),
            ("/a?x={y}", "declare a query parameter"),
        ];
        for (text, expected) in cases {
            let message = Template::parse(text).unwrap_err();
            assert!(message.contains(expected), "{text}: {message}");
        }
    }
}
