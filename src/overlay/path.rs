//! `JSONPath` (RFC 9535): names, wildcards, indices, descendants, unions of them, and filters with
//! comparisons, `&&`, `||`, `!` and parentheses. Slices and functions are refused. Names without
//! quotes may contain `-`, as those of extensions do.

use serde_json::Value;

/// Filters and parentheses inside each other.
const DEEPEST: usize = 16;

/// A query from the root of a document.
#[derive(Debug)]
pub(super) struct Path {
    /// As written.
    pub(super) text: String,
    pub(super) segments: Vec<Segment>,
}

/// One step of a query.
#[derive(Debug)]
pub(super) struct Segment {
    /// Look at the descendants of a value, and at itself, instead of only at itself.
    pub(super) is_deep: bool,
    pub(super) selectors: Vec<Selector>,
}

#[derive(Debug)]
pub(super) enum Selector {
    Name(String),
    Wildcard,
    /// From the end when it is negative.
    Index(i64),
    Filter(Test),
}

/// What a filter asks of a value.
#[derive(Debug)]
pub(super) enum Test {
    Any(Vec<Test>),
    All(Vec<Test>),
    Not(Box<Test>),
    Exists(Query),
    Compare(Operand, Comparison, Operand),
}

#[derive(Debug)]
pub(super) enum Operand {
    Literal(Value),
    Query(Query),
}

/// A query inside a filter.
#[derive(Debug)]
pub(super) struct Query {
    /// From the root of the document instead of from the value that is tested.
    pub(super) is_absolute: bool,
    pub(super) segments: Vec<Segment>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Comparison {
    Equal,
    Unequal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl Path {
    /// Reads a query.
    ///
    /// # Errors
    /// What was expected, and where.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let mut parser = Parser { text, rest: text, depth: 0 };
        if !parser.take("$") {
            return Err(parser.expected("`$`"));
        }
        let segments = parser.segments()?;
        if !parser.rest.is_empty() {
            return Err(parser.expected("`.`, `[` or the end"));
        }
        Ok(Self { text: text.to_owned(), segments })
    }
}

struct Parser<'t> {
    text: &'t str,
    rest: &'t str,
    depth: usize,
}

impl Parser<'_> {
    fn segments(&mut self) -> Result<Vec<Segment>, String> {
        let mut segments = Vec::new();
        loop {
            let before = self.rest;
            self.space();
            let (is_deep, is_bracket) = if self.take("..") {
                (true, self.rest.starts_with('['))
            } else if self.rest.starts_with('[') {
                (false, true)
            } else if self.take(".") {
                (false, false)
            } else {
                self.rest = before;
                return Ok(segments);
            };
            let selectors = if is_bracket { self.bracketed()? } else { vec![self.dotted()?] };
            segments.push(Segment { is_deep, selectors });
        }
    }

    fn dotted(&mut self) -> Result<Selector, String> {
        if self.take("*") {
            return Ok(Selector::Wildcard);
        }
        let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '-' || !c.is_ascii();
        let is_first = |c: char| is_name(c) && !c.is_ascii_digit() && c != '-';
        if !self.rest.starts_with(is_first) {
            return Err(self.expected("a name, `*` or `[`"));
        }
        let end = self.rest.find(|c| !is_name(c)).unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at_checked(end).unwrap_or((self.rest, ""));
        self.rest = rest;
        if rest.starts_with('(') {
            return Err(self.unsupported("functions"));
        }
        Ok(Selector::Name(name.to_owned()))
    }

    fn bracketed(&mut self) -> Result<Vec<Selector>, String> {
        self.take("[");
        let mut selectors = Vec::new();
        loop {
            self.space();
            selectors.push(self.selector()?);
            self.space();
            if self.take("]") {
                return Ok(selectors);
            }
            if self.rest.starts_with(':') {
                return Err(self.unsupported("slices"));
            }
            if !self.take(",") {
                return Err(self.expected("`,` or `]`"));
            }
        }
    }

    fn selector(&mut self) -> Result<Selector, String> {
        match self.rest.chars().next() {
            Some('*') => {
                self.take("*");
                Ok(Selector::Wildcard)
            }
            Some('?') => {
                self.take("?");
                self.any().map(Selector::Filter)
            }
            Some('\'' | '"') => self.string().map(Selector::Name),
            Some(':') => Err(self.unsupported("slices")),
            _ => {
                let before = self.rest;
                if let Some(index) = self.number().and_then(|number| number.as_i64()) {
                    return Ok(Selector::Index(index));
                }
                self.rest = before;
                Err(self.expected("a name in quotes, a number, `*` or `?`"))
            }
        }
    }

    fn any(&mut self) -> Result<Test, String> {
        self.list("||", Self::all, Test::Any)
    }

    fn all(&mut self) -> Result<Test, String> {
        self.list("&&", Self::one, Test::All)
    }

    fn list(
        &mut self,
        separator: &str,
        item: fn(&mut Self) -> Result<Test, String>,
        join: fn(Vec<Test>) -> Test,
    ) -> Result<Test, String> {
        let first = item(self)?;
        let mut tests = vec![first];
        loop {
            self.space();
            if !self.take(separator) {
                break;
            }
            tests.push(item(self)?);
        }
        Ok(match tests.len() {
            1 => tests.remove(0),
            _ => join(tests),
        })
    }

    fn one(&mut self) -> Result<Test, String> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(format!("filters are nested more than {DEEPEST} levels deep"));
        }
        let test = self.one_within();
        self.depth -= 1;
        test
    }

    fn one_within(&mut self) -> Result<Test, String> {
        self.space();
        if self.rest.starts_with('!') && !self.rest.starts_with("!=") {
            self.take("!");
            return self.one().map(|test| Test::Not(Box::new(test)));
        }
        if self.take("(") {
            let test = self.any()?;
            self.space();
            return if self.take(")") { Ok(test) } else { Err(self.expected("`)`")) };
        }
        let left = self.operand()?;
        self.space();
        match (self.comparison(), left) {
            (Some(comparison), left) => {
                self.space();
                let right = self.operand()?;
                self.check_single(&left)?;
                self.check_single(&right)?;
                Ok(Test::Compare(left, comparison, right))
            }
            (None, Operand::Query(query)) => Ok(Test::Exists(query)),
            (None, Operand::Literal(_)) => Err(self.expected("a comparison such as `==`")),
        }
    }

    /// A query that is compared selects at most one value.
    fn check_single(&self, operand: &Operand) -> Result<(), String> {
        let is_single = |segment: &Segment| {
            let one =
                matches!(segment.selectors.as_slice(), [Selector::Name(_) | Selector::Index(_)]);
            one && !segment.is_deep
        };
        match operand {
            Operand::Query(query) if !query.segments.iter().all(is_single) => {
                Err(self.expected("a query of names and indices alone in a comparison"))
            }
            Operand::Query(_) | Operand::Literal(_) => Ok(()),
        }
    }

    fn operand(&mut self) -> Result<Operand, String> {
        let is_absolute = self.rest.starts_with('$');
        if self.take("$") || self.take("@") {
            let segments = self.segments()?;
            return Ok(Operand::Query(Query { is_absolute, segments }));
        }
        if self.rest.starts_with(['\'', '"']) {
            return self.string().map(|text| Operand::Literal(Value::String(text)));
        }
        for (word, value) in
            [("true", Value::Bool(true)), ("false", Value::Bool(false)), ("null", Value::Null)]
        {
            if self.take(word) {
                return Ok(Operand::Literal(value));
            }
        }
        if self.rest.starts_with(|c: char| c.is_ascii_alphabetic()) {
            return Err(self.unsupported("functions"));
        }
        match self.number() {
            Some(number) => Ok(Operand::Literal(Value::Number(number))),
            None => {
                Err(self
                    .expected("`@`, `$`, a text in quotes, a number, `true`, `false` or `null`"))
            }
        }
    }

    fn comparison(&mut self) -> Option<Comparison> {
        let known = [
            ("==", Comparison::Equal),
            ("!=", Comparison::Unequal),
            ("<=", Comparison::LessOrEqual),
            (">=", Comparison::GreaterOrEqual),
            ("<", Comparison::Less),
            (">", Comparison::Greater),
        ];
        known.into_iter().find(|(sign, _)| self.take(sign)).map(|(_, comparison)| comparison)
    }

    fn number(&mut self) -> Option<serde_json::Number> {
        let is_part = |c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.' | 'e' | 'E');
        let end = self.rest.find(|c| !is_part(c)).unwrap_or(self.rest.len());
        let (number, rest) = self.rest.split_at_checked(end)?;
        self.rest = rest;
        number.parse().ok()
    }

    /// A text in quotes, as JSON has it but for the quotes.
    fn string(&mut self) -> Result<String, String> {
        let mut chars = self.rest.char_indices();
        let quote = chars.next().map_or('"', |(_, c)| c);
        let mut json = String::from('"');
        let mut is_escaped = false;
        for (at, c) in chars {
            if c == quote && !is_escaped {
                json.push('"');
                self.rest = self.rest.get(at + 1..).unwrap_or_default();
                return serde_json::from_str(&json)
                    .map_err(|_| self.expected("a text with valid escapes"));
            }
            if c == '\'' && is_escaped {
                json.pop();
            } else if c == '"' && !is_escaped {
                json.push('\\');
            }
            json.push(c);
            is_escaped = c == '\\' && !is_escaped;
        }
        Err(self.expected("the end of the text in quotes"))
    }

    fn space(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t', '\n', '\r']);
    }

    fn take(&mut self, token: &str) -> bool {
        match self.rest.strip_prefix(token) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn expected(&self, what: &str) -> String {
        let text = self.text;
        format!("`{text}` is no JSONPath: expected {what} at character {}", self.position())
    }

    fn unsupported(&self, what: &str) -> String {
        let position = self.position();
        format!("`{}`: {what} are not supported, at character {position}", self.text)
    }

    /// The number of the next character, from 1.
    fn position(&self) -> usize {
        self.text.chars().count() - self.rest.chars().count() + 1
    }
}
