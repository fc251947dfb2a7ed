//! Descriptions in Markdown or HTML as plain text in one line.

/// The text of a description.
pub(super) fn plain(description: &str) -> String {
    let mut out = Text::default();
    for line in description.lines() {
        out.space();
        out.push_line(line.trim());
    }
    out.text
}

/// Text with white space collapsed.
#[derive(Debug, Default)]
struct Text {
    text: String,
    pending: bool,
}

impl Text {
    fn space(&mut self) {
        self.pending = !self.text.is_empty();
    }

    fn push(&mut self, c: char) {
        if c.is_whitespace() {
            self.space();
            return;
        }
        if std::mem::take(&mut self.pending) {
            self.text.push(' ');
        }
        self.text.push(c);
    }

    fn push_line(&mut self, line: &str) {
        let line = line.trim_start_matches(['#', '>']).trim_start();
        let item = ["- ", "* ", "+ "].into_iter().find_map(|mark| line.strip_prefix(mark));
        if item.is_some() {
            self.push('-');
            self.space();
        }
        self.inline(item.unwrap_or(line));
    }

    fn inline(&mut self, line: &str) {
        let mut rest = line;
        let mut before = ' ';
        while let Some(c) = rest.chars().next() {
            let (length, shown) = match c {
                '<' => match tag(rest) {
                    Some(tag) => {
                        self.markup(tag);
                        (tag.len(), None)
                    }
                    None => (1, Some(c)),
                },
                '&' => entity(rest).unwrap_or((1, Some(c))),
                '`' => (1, None),
                '*' | '_' => emphasis(rest, before),
                '[' => (1, Some(c).filter(|_| !is_link(rest))),
                ']' => link_end(rest).unwrap_or((1, Some(c))),
                c => (c.len_utf8(), Some(c)),
            };
            if let Some(shown) = shown {
                self.push(shown);
            }
            before = c;
            rest = rest.get(length..).unwrap_or_default();
        }
    }

    /// Items of lists are marked, other tags that break the line separate words.
    fn markup(&mut self, tag: &str) {
        const INLINE: &[&str] =
            &["b", "i", "a", "em", "strong", "code", "span", "u", "s", "sup", "sub"];
        let name = tag.trim_start_matches(['<', '/']);
        let end = name.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(name.len());
        let name = name.get(..end).unwrap_or_default().to_ascii_lowercase();
        if name == "li" && !tag.starts_with("</") {
            self.space();
            self.push('-');
        }
        if !INLINE.contains(&name.as_str()) {
            self.space();
        }
    }
}

/// The tag that a text starts with.
fn tag(text: &str) -> Option<&str> {
    let second = text.chars().nth(1)?;
    if !(second.is_ascii_alphabetic() || second == '/' || second == '!') {
        return None;
    }
    text.get(..=text.find('>')?)
}

/// The length of the character reference that a text starts with, and its character.
fn entity(text: &str) -> Option<(usize, Option<char>)> {
    let end = text.bytes().take(10).position(|b| b == b';')?;
    let c = match text.get(1..end)? {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        "nbsp" => ' ',
        name => {
            let digits = name.strip_prefix('#')?;
            let code = match digits.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => digits.parse().ok()?,
            };
            char::from_u32(code)?
        }
    };
    Some((end + 1, Some(c)))
}

/// Marks of emphasis are at the edge of a word; others, as in `a_b` and `2 * 3`, are text.
fn emphasis(text: &str, before: char) -> (usize, Option<char>) {
    let mark = text.chars().next().unwrap_or_default();
    let length = text.len() - text.trim_start_matches(mark).len();
    let after = text.get(length..).and_then(|rest| rest.chars().next()).unwrap_or(' ');
    let is_word = |c: char| !c.is_whitespace();
    let inside = before.is_alphanumeric() && after.is_alphanumeric();
    let is_mark = length <= 3 && is_word(before) != is_word(after)
        || (length <= 3 && is_word(before) && is_word(after) && !inside);
    if is_mark { (length, None) } else { (1, Some(mark)) }
}

fn is_link(text: &str) -> bool {
    text.split_once("](").is_some_and(|(label, rest)| !label.contains(']') && rest.contains(')'))
}

/// The length of the end of a link, with its address.
fn link_end(text: &str) -> Option<(usize, Option<char>)> {
    let address = text.strip_prefix("](")?;
    Some((address.find(')')? + 3, None))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_is_gone_and_the_words_stay() {
        for (description, expected) in [
            (
                "Three <b>capital</b> letters &amp; nothing else",
                "Three capital letters & nothing else",
            ),
            (
                "# Title\n\nSome **bold** and *soft* `code`,\n> quoted",
                "Title Some bold and soft code, quoted",
            ),
            ("One:\n- a\n* b\n", "One: - a - b"),
            ("<ul><li>a</li><li>b</li></ul>", "- a - b"),
            ("See [the page](https://a/b?c) or <a href='x'>this</a>.", "See the page or this."),
            ("snake_case_name, 2 * 3 < 5 and a<b", "snake_case_name, 2 * 3 < 5 and a<b"),
            ("a<br>b&nbsp;&#39;c&#x41; &unknown; [x]", "a b 'cA &unknown; [x]"),
            ("  \n ", ""),
        ] {
            assert_eq!(plain(description), expected, "{description}");
        }
    }
}
