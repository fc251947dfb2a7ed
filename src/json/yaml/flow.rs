//! Braces, brackets and quotes that close at the column of their key.
//!
//! YAML wants every line of a flow collection or quoted scalar indented deeper than what contains
//! it (§7.4, §8.1); the parser insists on it, while documents in the wild often close a brace below
//! its key. White space at the start of these lines has no meaning, so more of it may be added.

/// The text with every line that starts inside braces, brackets or quotes indented deep enough.
pub(super) fn indented(text: &str) -> String {
    let mut lexer = Lexer::default();
    let mut out = String::with_capacity(text.len() + text.len() / 4);
    for line in text.split_inclusive('\n') {
        if lexer.depth > 0 || lexer.quote.is_some() {
            out.extend(std::iter::repeat_n(' ', lexer.node + 1));
        }
        out.push_str(line);
        lexer.line(line);
    }
    out
}

/// Knows of each line no more than where collections, quoted and block scalars begin and end.
#[derive(Default)]
struct Lexer {
    /// Open braces and brackets.
    depth: usize,
    /// The open quote.
    quote: Option<char>,
    /// Column of the innermost block key or dash.
    node: usize,
    /// What more deeply indented lines continue.
    open: Open,
    /// Whether a value or key may begin at the next character.
    at_start: bool,
    /// Column where the current key or value began.
    start: usize,
    /// Whether it was quoted: a colon after it needs no space.
    after_quote: bool,
}

#[derive(Default, PartialEq)]
enum Open {
    #[default]
    Nothing,
    /// A plain or block scalar: its further lines are text.
    Scalar,
}

impl Lexer {
    fn line(&mut self, line: &str) {
        let content = line.trim_start_matches([' ', '\t']);
        let indent = line.len() - content.len();
        if self.depth == 0 && self.quote.is_none() {
            let blank = content.trim_end().is_empty() || content.starts_with('#');
            if blank || (self.open == Open::Scalar && indent > self.node) {
                return;
            }
            (self.node, self.open, self.at_start) = (indent, Open::Nothing, true);
        }
        self.content(content, indent);
    }

    fn content(&mut self, content: &str, indent: usize) {
        let mut chars = content.char_indices().peekable();
        let mut before = ' ';
        while let Some((offset, c)) = chars.next() {
            let next = chars.peek().map_or('\n', |(_, next)| *next);
            if let Some(quote) = self.quote {
                let escape = (quote == '"' && c == '\\') || (quote == '\'' && c == next);
                if c == quote && !escape {
                    self.quote = None;
                    self.after_quote = true;
                } else if escape && (c == '\\' || c == quote) {
                    chars.next();
                }
            } else if c == '#' && before.is_whitespace() {
                return;
            } else if self.at_start && matches!(c, '&' | '!') {
                // an anchor or a tag: what it belongs to follows
                while chars.next_if(|(_, c)| !c.is_whitespace()).is_some() {}
            } else if !c.is_whitespace() && !self.token(c, next, indent + offset) {
                return;
            }
            before = c;
        }
    }

    /// Takes a character outside quotes; `false` if the rest of the line is text.
    fn token(&mut self, c: char, next: char, column: usize) -> bool {
        let separates = std::mem::take(&mut self.after_quote)
            || next.is_whitespace()
            || (self.depth > 0 && ",[]{}".contains(next));
        if c == ':' && separates {
            self.colon();
        } else if self.depth > 0 {
            self.flow_token(c);
        } else if self.at_start {
            return self.block_token(c, next, column);
        }
        true
    }

    fn colon(&mut self) {
        self.at_start = true;
        if self.depth == 0 {
            self.node = self.start;
            self.open = Open::Nothing;
        }
    }

    fn flow_token(&mut self, c: char) {
        match c {
            '{' | '[' => self.depth += 1,
            '}' | ']' => self.depth -= 1,
            '"' | '\'' if self.at_start => self.quote = Some(c),
            _ => {}
        }
        self.at_start = matches!(c, '{' | '[' | ',');
    }

    fn block_token(&mut self, c: char, next: char, column: usize) -> bool {
        match c {
            '-' | '?' if next.is_whitespace() => {
                self.node = column;
                return true;
            }
            '|' | '>' => {
                self.open = Open::Scalar;
                return false;
            }
            '"' | '\'' => self.quote = Some(c),
            '{' | '[' => self.depth = 1,
            _ => self.open = Open::Scalar,
        }
        self.start = column;
        self.at_start = self.depth > 0;
        true
    }
}
