//! The text of an HTML page: what a person would read.

/// `html` without markup, one line per block, white space collapsed.
pub(super) fn text(html: &str) -> String {
    let mut page = Text::default();
    let mut rest = html;
    while let Some((before, tag)) = rest.split_once('<') {
        page.push(before);
        rest = if let Some(tag) = Tag::parse(tag) {
            page.open(&tag)
        } else {
            page.push("<");
            tag
        };
    }
    page.push(rest);
    page.out.truncate(page.out.trim_end().len());
    page.out
}

struct Tag<'h> {
    name: &'h str,
    closing: bool,
    rest: &'h str,
}

impl<'h> Tag<'h> {
    /// Parses what follows `<`; `None` when it is not a tag.
    fn parse(text: &'h str) -> Option<Self> {
        if let Some(comment) = text.strip_prefix("!--") {
            let rest = comment.split_once("-->").map_or("", |(_, rest)| rest);
            return Some(Self { name: "!--", closing: false, rest });
        }
        let (closing, name) = match text.strip_prefix('/') {
            Some(name) => (true, name),
            None => (false, text),
        };
        if !name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '!' || c == '?') {
            return None;
        }
        let end = name.find(|c: char| c.is_ascii_whitespace() || c == '>' || c == '/');
        let (name, attributes) = name.split_at_checked(end.unwrap_or(name.len()))?;
        Some(Self { name, closing, rest: after_attributes(attributes) })
    }

    fn is(&self, names: &[&str]) -> bool {
        names.iter().any(|name| name.eq_ignore_ascii_case(self.name))
    }
}

/// What follows the `>` that is not inside of a quoted attribute value.
fn after_attributes(text: &str) -> &str {
    let mut quote = None;
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (None, '>') => return text.get(at + 1..).unwrap_or_default(),
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), c) if open == c => quote = None,
            _ => {}
        }
    }
    ""
}

/// Elements whose content is not read.
const HIDDEN: &[&str] = &["script", "style", "template", "noscript", "svg"];
/// Elements that flow inside of a line.
const INLINE: &[&str] = &[
    "a", "abbr", "b", "bdi", "bdo", "cite", "code", "del", "dfn", "em", "font", "i", "ins", "kbd",
    "mark", "q", "s", "samp", "small", "span", "strong", "sub", "sup", "time", "tt", "u", "var",
];

#[derive(Default)]
struct Text {
    out: String,
    space: bool,
    line: bool,
}

impl Text {
    /// Handles a tag; returns the text that follows it, or its hidden content.
    fn open<'h>(&mut self, tag: &Tag<'h>) -> &'h str {
        if tag.is(&["td", "th"]) {
            self.space = true;
        } else if tag.name != "!--" && !tag.is(INLINE) {
            self.line = true;
        }
        if tag.is(HIDDEN) && !tag.closing { after_closing(tag.rest, tag.name) } else { tag.rest }
    }

    fn push(&mut self, text: &str) {
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            let (shown, length) = match c {
                '&' => entity(rest).unwrap_or((c, 1)),
                c => (c, c.len_utf8()),
            };
            self.push_char(shown);
            rest = rest.get(length..).unwrap_or_default();
        }
    }

    fn push_char(&mut self, c: char) {
        if c.is_whitespace() {
            self.space = true;
            return;
        }
        if !self.out.is_empty() {
            match (self.line, self.space) {
                (true, _) => self.out.push('\n'),
                (false, true) => self.out.push(' '),
                (false, false) => {}
            }
        }
        self.line = false;
        self.space = false;
        self.out.push(c);
    }
}

/// What follows the closing tag of `name`.
fn after_closing<'h>(text: &'h str, name: &str) -> &'h str {
    let mut rest = text;
    while let Some((_, tag)) = rest.split_once("</") {
        rest = tag;
        let closes = tag.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name));
        if closes {
            return after_attributes(tag.get(name.len()..).unwrap_or_default());
        }
    }
    ""
}

/// The character of a reference at the start of `text`, and the bytes it takes.
fn entity(text: &str) -> Option<(char, usize)> {
    let end = text.bytes().take(12).position(|b| b == b';')?;
    let name = text.get(1..end)?;
    let c = match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        "nbsp" => ' ',
        "hellip" => '…',
        "mdash" => '—',
        "ndash" => '–',
        "copy" => '©',
        "middot" => '·',
        "laquo" => '«',
        "raquo" => '»',
        "rsquo" => '’',
        _ => char::from_u32(code_point(name.strip_prefix('#')?)?)?,
    };
    Some((c, end + 1))
}

fn code_point(digits: &str) -> Option<u32> {
    match digits.strip_prefix(['x', 'X']) {
        Some(hex) => u32::from_str_radix(hex, 16).ok(),
        None => digits.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(html: &str, expected: &str) {
        assert_eq!(text(html), expected);
    }

    #[test]
    fn markup_is_gone_and_blocks_are_lines() {
        check(
            "<!DOCTYPE html><html><head><title>502 Bad Gateway</title><style>p{a:b}</style></head>\n\
             <body>\n<center><h1>502 <i>Bad</i> Gateway</h1></center>\n<hr><p a='x>y'>nginx\n  1.2</p>\
             <!-- secret --><script>if (a<b) x('</p>')</SCRIPT ><table><tr><td>a<td>b</table></body>",
            "502 Bad Gateway\n502 Bad Gateway\nnginx 1.2\na b",
        );
    }

    #[test]
    fn references_and_stray_signs_are_kept_as_characters() {
        check("a &lt; b &amp;&#39;&#x41; &nope; & 1<2 <3", "a < b &'A &nope; & 1<2 <3");
    }

    #[test]
    fn what_is_not_closed_ends_the_page() {
        check("a<b", "a");
        check("a<script>b", "a");
        check("a<!-- b", "a");
        check("a<p title=\"b>", "a");
    }
}
