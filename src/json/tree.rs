//! JSON text as a tree that borrows from it: for values that are looked at and then forgotten.

use std::borrow::Cow;

use hashbrown::HashMap;
use serde_json::{Map, Value};

use super::{array_index, escape};

/// Levels of nesting that are not read any more.
const DEPTH: usize = 128;
/// Members up to which each is compared with each.
const FEW: usize = 20;

/// A value in JSON text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Tree<'a> {
    Null,
    Bool(bool),
    /// A number as it is written.
    Number(&'a str),
    String(Cow<'a, str>),
    Array(Vec<Tree<'a>>),
    /// Members as in [`super::parse`]: in ECMAScript's order, of several with one name the last.
    Object(Vec<Member<'a>>),
}

/// A member of an object.
pub(crate) type Member<'a> = (Cow<'a, str>, Tree<'a>);

/// Reads JSON text, at most 127 levels deep. Unpaired surrogates, which the grammar allows, become
/// U+FFFD. `None` for anything else: [`super::parse`] says what is wrong with it.
pub(crate) fn parse(text: &str) -> Option<Tree<'_>> {
    Parser { text, at: 0, depth: DEPTH, mends: true }.whole()
}

/// Reads what [`super::parse`] reads: `None` also for unpaired surrogates.
pub(crate) fn parse_strictly(text: &str) -> Option<Tree<'_>> {
    Parser { text, at: 0, depth: DEPTH, mends: false }.whole()
}

/// The value of the member `name`.
pub(crate) fn get<'m, 'a>(members: &'m [Member<'a>], name: &str) -> Option<&'m Tree<'a>> {
    members.iter().find(|(known, _)| known == name).map(|(_, value)| value)
}

impl<'a> Tree<'a> {
    pub(crate) fn as_array(&self) -> Option<&[Self]> {
        if let Self::Array(items) = self { Some(items) } else { None }
    }

    pub(crate) fn as_object(&self) -> Option<&[Member<'a>]> {
        if let Self::Object(members) = self { Some(members) } else { None }
    }
}

impl From<Tree<'_>> for Value {
    fn from(tree: Tree<'_>) -> Self {
        match tree {
            Tree::Null => Self::Null,
            Tree::Bool(value) => Self::Bool(value),
            Tree::Number(text) => text.parse().unwrap_or_default(),
            Tree::String(text) => Self::String(text.into_owned()),
            Tree::Array(items) => Self::Array(items.into_iter().map(Self::from).collect()),
            Tree::Object(members) => Self::Object(to_map(members)),
        }
    }
}

/// The members as a map.
pub(crate) fn to_map(members: Vec<Member<'_>>) -> Map<String, Value> {
    members.into_iter().map(|(key, value)| (key.into_owned(), value.into())).collect()
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    /// Levels that are left.
    depth: usize,
    /// Unpaired surrogates are replaced.
    mends: bool,
}

impl<'a> Parser<'a> {
    /// The only value in the text.
    fn whole(mut self) -> Option<Tree<'a>> {
        let value = self.value()?;
        self.peek().is_none().then_some(value)
    }

    /// The byte at the next token.
    fn peek(&mut self) -> Option<u8> {
        loop {
            match self.text.as_bytes().get(self.at) {
                Some(b' ' | b'\n' | b'\r' | b'\t') => self.at += 1,
                byte => return byte.copied(),
            }
        }
    }

    /// Steps over the next byte if it is this one.
    fn accept(&mut self, byte: u8) -> bool {
        let accepted = self.text.as_bytes().get(self.at) == Some(&byte);
        self.at += usize::from(accepted);
        accepted
    }

    fn expect(&mut self, byte: u8) -> Option<()> {
        let found = self.peek()? == byte;
        self.at += 1;
        found.then_some(())
    }

    fn value(&mut self) -> Option<Tree<'a>> {
        match self.peek()? {
            b'"' => self.string().map(Tree::String),
            b'{' => self.object(),
            b'[' => self.array(),
            b't' => self.word("true", Tree::Bool(true)),
            b'f' => self.word("false", Tree::Bool(false)),
            b'n' => self.word("null", Tree::Null),
            _ => self.number(),
        }
    }

    fn word(&mut self, word: &str, value: Tree<'a>) -> Option<Tree<'a>> {
        let found = self.text.get(self.at..)?.starts_with(word);
        self.at += word.len();
        found.then_some(value)
    }

    fn array(&mut self) -> Option<Tree<'a>> {
        let mut items = Vec::new();
        let mut more = self.open(b']')?;
        while more {
            items.push(self.value()?);
            more = self.next(b']')?;
        }
        Some(Tree::Array(items))
    }

    fn object(&mut self) -> Option<Tree<'a>> {
        let mut members = Vec::new();
        let mut has_index = false;
        let mut more = self.open(b'}')?;
        while more {
            let key = self.string()?;
            self.expect(b':')?;
            has_index |= array_index(&key).is_some();
            members.push((key, self.value()?));
            more = self.next(b'}')?;
        }
        if !are_distinct(&members) {
            unite(&mut members);
        }
        if has_index {
            members.sort_by_key(|(key, _)| array_index(key).unwrap_or(u32::MAX));
        }
        Some(Tree::Object(members))
    }

    /// Steps into an array or object; whether anything is in it.
    fn open(&mut self, end: u8) -> Option<bool> {
        self.at += 1;
        self.depth -= 1;
        if self.depth == 0 {
            return None;
        }
        let is_empty = self.peek()? == end;
        if is_empty { self.next(end) } else { Some(true) }
    }

    /// Steps behind an element; whether there is another one.
    fn next(&mut self, end: u8) -> Option<bool> {
        let byte = self.peek()?;
        self.at += 1;
        self.depth += usize::from(byte == end);
        (byte == end || byte == b',').then_some(byte == b',')
    }

    fn number(&mut self) -> Option<Tree<'a>> {
        let start = self.at;
        self.accept(b'-');
        if !self.accept(b'0') {
            self.digits()?;
        }
        if self.accept(b'.') {
            self.digits()?;
        }
        if self.accept(b'e') || self.accept(b'E') {
            let _ = self.accept(b'+') || self.accept(b'-');
            self.digits()?;
        }
        self.text.get(start..self.at).map(Tree::Number)
    }

    fn digits(&mut self) -> Option<()> {
        let start = self.at;
        while let Some(b'0'..=b'9') = self.text.as_bytes().get(self.at) {
            self.at += 1;
        }
        (self.at > start).then_some(())
    }

    fn string(&mut self) -> Option<Cow<'a, str>> {
        self.expect(b'"')?;
        let mut mended = String::new();
        loop {
            let rest = self.text.get(self.at..)?;
            let length = escape::plain(rest.as_bytes(), escape::SPECIAL);
            let (piece, rest) = rest.split_at_checked(length)?;
            self.at += length + 1;
            match rest.as_bytes().first() {
                Some(b'"') if mended.is_empty() => return Some(Cow::Borrowed(piece)),
                Some(b'"') => {
                    mended.push_str(piece);
                    return Some(Cow::Owned(mended));
                }
                Some(b'\\') => {
                    mended.push_str(piece);
                    mended.push(self.escape()?);
                }
                _ => return None,
            }
        }
    }

    fn escape(&mut self) -> Option<char> {
        let byte = *self.text.as_bytes().get(self.at)?;
        self.at += 1;
        Some(match byte {
            b'"' | b'\\' | b'/' => char::from(byte),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => self.unit()?,
            _ => return None,
        })
    }

    /// The character of a UTF-16 code unit, or of a pair of them.
    #[cold]
    fn unit(&mut self) -> Option<char> {
        let high = self.hex()?;
        let behind = self.at;
        if (0xD800..0xDC00).contains(&high)
            && self.accept(b'\\')
            && self.accept(b'u')
            && let Some(low @ 0xDC00..0xE000) = self.hex()
        {
            return char::from_u32(0x1_0000 + (((high & 0x3FF) << 10) | (low & 0x3FF)));
        }
        self.at = behind;
        char::from_u32(high).or(self.mends.then_some(char::REPLACEMENT_CHARACTER))
    }

    fn hex(&mut self) -> Option<u32> {
        let digits = self.text.as_bytes().get(self.at..self.at + 4)?;
        self.at += 4;
        digits.iter().try_fold(0, |unit, &byte| Some((unit << 4) | char::from(byte).to_digit(16)?))
    }
}

/// Whether each name is there once; of many members that is not known.
fn are_distinct(members: &[Member<'_>]) -> bool {
    let is_new = |(at, (key, _)): (usize, &Member<'_>)| {
        members.get(..at).is_some_and(|before| get(before, key).is_none())
    };
    members.len() <= FEW && members.iter().enumerate().all(is_new)
}

/// Leaves one member of each name: the last value, at the place of the first.
#[cold]
fn unite(members: &mut Vec<Member<'_>>) {
    let places = places(members);
    let mut united: Vec<Member<'_>> = Vec::with_capacity(members.len());
    for (member, place) in std::mem::take(members).into_iter().zip(places) {
        match united.get_mut(place) {
            Some(first) => first.1 = member.1,
            None => united.push(member),
        }
    }
    *members = united;
}

/// Where each member goes when there is one of each name.
fn places(members: &[Member<'_>]) -> Vec<usize> {
    let mut known = HashMap::new();
    let mut place = |key| {
        let next = known.len();
        known.get(key).copied().unwrap_or_else(|| {
            known.insert(key, next);
            next
        })
    };
    members.iter().map(|(key, _)| place(&**key)).collect()
}

#[cfg(test)]
mod tests {
    use proptest::{collection::vec, prelude::*};
    use serde_json::json;

    use super::*;
    use crate::json;

    /// A tree is what the other parser reads.
    fn check(text: &str) {
        assert_eq!(parse(text).map(Value::from), json::parse(text.as_bytes()).ok(), "{text}");
    }

    fn nested(depth: usize) -> String {
        ["[".repeat(depth), "]".repeat(depth)].concat()
    }

    #[test]
    fn the_grammar_is_that_of_json() {
        for text in [
            "",
            " ",
            "null",
            " true\n",
            "\tfalse\r",
            "nul",
            "nulll",
            "null null",
            "True",
            "NaN",
            "[]",
            "[ ]",
            "[1,]",
            "[,1]",
            "[1 2]",
            "[1",
            "[",
            "]",
            "{}",
            "{ }",
            "{\"a\":1,}",
            "{\"a\" : 1}",
            "{\"a\"}",
            "{\"a\":}",
            "{1:2}",
            "{,}",
            "{",
            "[}",
            "{]",
            "[1}",
            "{\"a\":1]",
            "\u{feff}1",
            "1,",
            "/",
            "\u{a0}1",
            "-",
            "+1",
            "01",
            "-01",
            "-0",
            "0",
            "1.",
            ".5",
            "1.5",
            "1.5.5",
            "1e",
            "1e+",
            "1e5",
            "1E-5",
            "1e+05",
            "-1.50e400",
            "1e99999999999999999999",
            "0x1",
            "0e0",
            "00",
            "- 1",
            "1 .5",
            "12345678901234567890123",
            "\"",
            "\"a",
            "\"a\n\"",
            "\"\u{7f}\u{80}é😀\"",
            r#""\"\\\/\b\f\n\r\t""#,
            r#""\x""#,
            r#""\u12"#,
            r#""\u12G4""#,
            r#""\u+123""#,
            r#""a\u00e9b\uD83D\uDE00c""#,
            r#""\"#,
            r#""\u00é""#,
            r#"{"\u0061":1,"a":2}"#,
            r#"{"b":1,"10":{"x":0,"0":0},"2":1,"01":1,"a":1,"4294967295":0}"#,
            r#"{"a":1,"1":2,"b":3,"a":4,"1":5}"#,
        ] {
            check(text);
        }
        for depth in [126, 127, 128, 129] {
            check(&nested(depth));
            check(&nested(depth).replace('[', "{\"a\":[").replace(']', "]}"));
        }
        check(&format!("[{}{0}1]", "[],".repeat(300)));
    }

    #[test]
    fn unpaired_surrogates_are_replaced() {
        for (text, expected) in [
            (r#""\ud83d\ude00""#, "😀"),
            (r#""a\ud83db""#, "a\u{FFFD}b"),
            (r#""\ud83d\u0041""#, "\u{FFFD}A"),
            (r#""\ude00\ud83d\ude00\uD83D""#, "\u{FFFD}😀\u{FFFD}"),
            (r#""\\ud83d\udc00""#, "\\ud83d\u{FFFD}"),
            (r#""\ud83d\ud83d\n""#, "\u{FFFD}\u{FFFD}\n"),
        ] {
            assert_eq!(parse(text), Some(Tree::String(expected.into())), "{text}");
            let strict = parse_strictly(text).map(Value::from);
            assert_eq!(strict, json::parse(text.as_bytes()).ok(), "{text}");
        }
        for text in [r#""\ud83d"#, r#""\ud83d\u""#, r#""\ud83d\x""#] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    #[test]
    fn of_many_members_too_the_last_counts_at_the_place_of_the_first() {
        let members: Vec<_> = (0..200).map(|at| format!(r#""k{}":{at}"#, at % 90)).collect();
        for count in [10, 25, 90, 91, 200] {
            check(&format!("{{{}}}", members[..count].join(",")));
        }
    }

    #[test]
    fn a_member_is_found_by_name() {
        let tree = parse(r#"{"a":1,"\u0062":[true]}"#).unwrap();
        let members = tree.as_object().unwrap();
        assert_eq!(get(members, "b").and_then(Tree::as_array), Some(&[Tree::Bool(true)][..]));
        assert_eq!(get(members, "c"), None);
        assert_eq!(Value::from(tree), json!({ "a": 1, "b": [true] }));
    }

    proptest! {
        #[test]
        fn any_text_is_read_as_by_the_other_parser(
            pieces in vec(
                prop_oneof![
                    "[\\[\\]{},:]", Just("\"a\":".to_owned()), Just("\"b\"".to_owned()),
                    "(true|null|-?[0-9]{1,2}(\\.[0-9])?(e[+-]?[0-9])?)", "[ \\n\\t\"\\\\/u0-9a-f-]",
                ],
                0..12,
            ),
        ) {
            let text = pieces.concat();
            let expected = json::parse(text.as_bytes()).ok();
            prop_assert_eq!(parse(&text).map(Value::from), expected.clone());
            prop_assert_eq!(parse_strictly(&text).map(Value::from), expected);
        }
    }
}
