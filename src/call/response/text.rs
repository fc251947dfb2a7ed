//! Strings cut to a number of UTF-16 code units and kept on one line of Markdown.

use crate::json::escape;

/// Limit of what is only useful whole, in UTF-16 code units: keys, and the address of the next page.
pub(super) const LONG: usize = 8192;

/// The longest start of `text` of at most `units` UTF-16 code units, and how many it has.
pub(super) fn head(text: &str, units: usize) -> (&str, usize) {
    if text.len() <= units && text.is_ascii() {
        return (text, text.len());
    }
    let mut used = 0;
    for (at, c) in text.char_indices() {
        let next = used + c.len_utf16();
        if next > units {
            return (text.get(..at).unwrap_or_default(), used);
        }
        used = next;
    }
    (text, used)
}

/// Appends `text` cut at `units` UTF-16 code units, with `…` when something is missing.
pub(super) fn push_cut(out: &mut String, text: &str, units: usize) {
    let (start, _) = head(text, units);
    out.push_str(start);
    if start.len() < text.len() {
        out.push('…');
    }
}

/// Cuts `text` to at most `limit` bytes, at the end of a line where there is one.
pub(super) fn truncate_lines(text: &mut String, limit: usize) {
    let mut end = limit.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.truncate(end);
    if let Some(line) = text.rfind('\n') {
        text.truncate(line);
    }
}

/// What a [`Line`] escapes besides line breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Escape {
    /// Nothing: for text outside of table cells.
    Breaks,
    /// The pipe, which would end a table cell.
    Pipes,
}

/// Appends pieces of one value: line breaks become spaces, pipes are escaped, and what is over the
/// limit of UTF-16 code units (counted before escaping) is replaced by `…`.
#[derive(Debug)]
pub(super) struct Line<'o> {
    out: &'o mut String,
    escape: Escape,
    left: usize,
    cut: bool,
    backslashes: usize,
    carriage_return: bool,
}

impl<'o> Line<'o> {
    pub(super) fn new(out: &'o mut String, escape: Escape, limit: usize) -> Self {
        Self { out, escape, left: limit, cut: false, backslashes: 0, carriage_return: false }
    }

    pub(super) fn push(&mut self, text: &str) {
        if self.cut {
            return;
        }
        if text.len() <= self.left && is_plain(text) {
            if !text.is_empty() {
                self.left -= text.len();
                self.backslashes = 0;
                self.carriage_return = false;
                self.out.push_str(text);
            }
            return;
        }
        self.push_special(text);
    }

    #[cold]
    fn push_special(&mut self, text: &str) {
        let (start, used) = head(text, self.left);
        self.left -= used;
        for piece in start.split_inclusive(is_special) {
            self.write(piece);
        }
        if start.len() < text.len() {
            self.cut = true;
            self.out.push('…');
        }
    }

    /// Whether the limit is reached: what is pushed from now on is dropped.
    pub(super) fn is_cut(&self) -> bool {
        self.cut
    }

    /// Writes plain characters followed by at most one special one.
    fn write(&mut self, piece: &str) {
        let mut plain = piece.chars();
        let special = plain.next_back().filter(|&c| is_special(c));
        let plain = if special.is_some() { plain.as_str() } else { piece };
        if !plain.is_empty() {
            self.out.push_str(plain);
            self.backslashes = 0;
            self.carriage_return = false;
        }
        if let Some(c) = special {
            self.write_special(c);
        }
    }

    fn write_special(&mut self, c: char) {
        let backslashes = std::mem::take(&mut self.backslashes);
        let carriage_return = std::mem::take(&mut self.carriage_return);
        match (c, self.escape) {
            ('\\', _) => {
                self.out.push('\\');
                self.backslashes = backslashes + 1;
            }
            ('|', Escape::Breaks) => self.out.push('|'),
            ('|', Escape::Pipes) => {
                // A backslash before the pipe would otherwise escape the escape.
                self.out.extend(std::iter::repeat_n('\\', backslashes));
                self.out.push_str("\\|");
            }
            ('\n', _) if carriage_return => {}
            _ => {
                self.out.push(' ');
                self.carriage_return = c == '\r';
            }
        }
    }
}

/// Whether there are only ASCII characters that are not special: the common case, checked first.
fn is_plain(text: &str) -> bool {
    text.is_ascii() && escape::plain(text.as_bytes(), *b"|\\") == text.len()
}

fn is_special(c: char) -> bool {
    matches!(c, '|' | '\\' | '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pieces: &[&str], escape: Escape, limit: usize, expected: &str) {
        let mut out = String::new();
        let mut line = Line::new(&mut out, escape, limit);
        for piece in pieces {
            line.push(piece);
        }
        assert_eq!(out, expected);
    }

    #[test]
    fn line_breaks_are_spaces_and_pipes_are_escaped() {
        check(&["a\r\nb\nc\rd\u{2028}e|f"], Escape::Pipes, 99, "a b c d e\\|f");
        check(&["a\r", "\nb|"], Escape::Breaks, 99, "a b|");
    }

    #[test]
    fn a_backslash_never_escapes_the_escape_of_a_pipe() {
        check(&["a\\|b\\\\", "|c\\d"], Escape::Pipes, 99, "a\\\\\\|b\\\\\\\\\\|c\\d");
    }

    #[test]
    fn the_limit_counts_utf16_units_before_escaping_and_keeps_pairs_whole() {
        check(&["ab|cd"], Escape::Pipes, 5, "ab\\|cd");
        check(&["ab|cd", "e"], Escape::Pipes, 5, "ab\\|cd…");
        check(&["é😀😀😀x"], Escape::Pipes, 5, "é😀😀…");
        check(&["é😀😀😀x"], Escape::Pipes, 4, "é😀…");
        check(&["a", "", "b", "c"], Escape::Pipes, 0, "…");
    }

    #[test]
    fn truncation_ends_at_a_line() {
        let mut text = "one\ntwo é\nthree".to_owned();
        truncate_lines(&mut text, 9);
        assert_eq!(text, "one");
    }
}
