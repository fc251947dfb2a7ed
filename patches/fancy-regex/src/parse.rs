//! Patterns: the syntax of the `regex` crate with look-around, back-references and atomic groups.

use std::collections::BTreeMap;

use crate::{set::Set, unicode};

/// Groups and repetitions inside each other.
const DEPTH: u32 = 250;
/// Quantifiers behind one another.
const STACKED: u32 = 4;
/// Sets that a new one is compared with.
const RECENT: usize = 64;

#[derive(Clone, Debug)]
pub(crate) enum Node {
    Empty,
    /// One character of the set with this number.
    Set(usize),
    Look(Look),
    Concat(Vec<Node>),
    Either(Vec<Node>),
    Repeat {
        node: Box<Node>,
        min: u32,
        max: Option<u32>,
        is_greedy: bool,
    },
    Group(usize, Box<Node>),
    Around {
        node: Box<Node>,
        is_behind: bool,
        is_negated: bool,
    },
    Atomic(Box<Node>),
    Back {
        group: Reference,
        is_folded: bool,
    },
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Reference {
    Number(usize),
    /// The place among the names that are referred to.
    Name(usize),
}

/// Assertions about the characters before and after a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Look {
    Start,
    End,
    StartLine { is_crlf: bool },
    EndLine { is_crlf: bool },
    Word,
    NotWord,
    WordStart,
    WordEnd,
    WordStartHalf,
    WordEndHalf,
}

/// What is wrong with a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Invalid(pub(crate) &'static str);

/// A pattern.
#[derive(Debug)]
pub(crate) struct Pattern {
    pub(crate) node: Node,
    pub(crate) sets: Vec<Set>,
    pub(crate) groups: usize,
    /// The groups that are referred to by name.
    pub(crate) named: Vec<usize>,
    /// Whether the whole is a look at one place after another with no memory.
    pub(crate) is_regular: bool,
}

pub(crate) fn parse(pattern: &str, room: usize) -> Result<Pattern, Invalid> {
    let mut parser = Parser::new(pattern, room);
    let node = parser.alternatives()?;
    if parser.peek().is_some() {
        return Err(Invalid("a group is closed that was not opened"));
    }
    parser.finish(node)
}

#[derive(Clone, Copy, Debug, Default)]
struct Flags {
    ignore_case: bool,
    multi_line: bool,
    dot_all: bool,
    swap_greed: bool,
    ignore_space: bool,
    is_crlf: bool,
}

#[derive(Debug)]
enum Escape<'p> {
    Char(char),
    Set(Set),
    Look(Look),
    Back(usize),
    Named(&'p str),
}

struct Parser<'p> {
    text: &'p str,
    at: usize,
    flags: Flags,
    depth: u32,
    sets: Vec<Set>,
    /// Ranges that the sets may have in all.
    room: usize,
    literals: BTreeMap<char, usize>,
    properties: BTreeMap<&'p str, Set>,
    groups: usize,
    names: BTreeMap<&'p str, usize>,
    named_references: Vec<&'p str>,
    last_reference: usize,
    is_regular: bool,
    is_stacked: bool,
}

impl<'p> Parser<'p> {
    fn new(text: &'p str, room: usize) -> Self {
        Self {
            text,
            at: 0,
            flags: Flags::default(),
            depth: 0,
            sets: Vec::new(),
            room,
            literals: BTreeMap::new(),
            properties: BTreeMap::new(),
            groups: 0,
            names: BTreeMap::new(),
            named_references: Vec::new(),
            last_reference: 0,
            is_regular: true,
            is_stacked: false,
        }
    }

    fn finish(self, node: Node) -> Result<Pattern, Invalid> {
        let named = self.named_references.iter().map(|name| self.names.get(name).copied());
        let named = named.collect::<Option<_>>().ok_or(Invalid("no group has this name"))?;
        if self.last_reference > self.groups {
            return Err(Invalid("no group has this number"));
        }
        // `a*+` is a repetition of one for one syntax, a possessive one for the other.
        if self.is_stacked && !self.is_regular {
            return Err(Invalid("a quantifier follows another one"));
        }
        let Self { sets, groups, is_regular, .. } = self;
        Ok(Pattern { node, sets, groups, named, is_regular })
    }

    fn rest(&self) -> &'p str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(c)
    }

    fn take(&mut self, text: &str) -> bool {
        let is_next = self.rest().starts_with(text);
        if is_next {
            self.at += text.len();
        }
        is_next
    }

    /// Takes everything up to `end` and the end itself.
    fn until(&mut self, end: &str) -> Result<&'p str, Invalid> {
        let (text, _) = self.rest().split_once(end).ok_or(Invalid("something is not closed"))?;
        self.at += text.len() + end.len();
        Ok(text)
    }

    /// Skips what the flag `x` makes meaningless.
    fn skip_space(&mut self) {
        while self.flags.ignore_space {
            match self.peek() {
                Some('#') => {
                    let comment = self.rest().find('\n').unwrap_or(self.rest().len());
                    self.at += comment;
                }
                Some(c) if c.is_whitespace() => self.at += c.len_utf8(),
                _ => break,
            }
        }
    }

    fn alternatives(&mut self) -> Result<Node, Invalid> {
        let first = self.sequence()?;
        if self.peek() != Some('|') {
            return Ok(first);
        }
        let mut branches = vec![first];
        while self.take("|") {
            branches.push(self.sequence()?);
        }
        Ok(Node::Either(branches))
    }

    fn sequence(&mut self) -> Result<Node, Invalid> {
        let mut nodes = Vec::new();
        loop {
            self.skip_space();
            match self.peek() {
                None | Some('|' | ')') => break,
                Some(_) => {}
            }
            if self.quantifier()?.is_some() {
                return Err(Invalid("there is nothing to repeat"));
            }
            if let Some(atom) = self.atom()? {
                nodes.push(self.quantified(atom)?);
            }
        }
        Ok(match nodes.len() {
            0 => Node::Empty,
            1 => nodes.remove(0),
            _ => Node::Concat(nodes),
        })
    }

    fn quantified(&mut self, mut node: Node) -> Result<Node, Invalid> {
        for before in 0.. {
            self.skip_space();
            let start = self.at;
            let Some((min, max)) = self.quantifier()? else { break };
            if matches!(node, Node::Around { .. }) {
                self.at = start;
                return Err(Invalid("a look-around is repeated"));
            }
            if before == STACKED {
                return Err(Invalid("too many quantifiers follow one another"));
            }
            self.is_stacked |= before > 0;
            self.skip_space();
            let is_greedy = !self.take("?") ^ self.flags.swap_greed;
            node = Node::Repeat { node: Box::new(node), min, max, is_greedy };
        }
        Ok(node)
    }

    fn quantifier(&mut self) -> Result<Option<(u32, Option<u32>)>, Invalid> {
        let start = self.at;
        let counts = match self.peek() {
            Some('?') => (0, Some(1)),
            Some('*') => (0, None),
            Some('+') => (1, None),
            Some('{') => {
                self.at += 1;
                let Some(counts) = self.counts()? else {
                    self.at = start;
                    return Ok(None);
                };
                return Ok(Some(counts));
            }
            _ => return Ok(None),
        };
        self.at += 1;
        Ok(Some(counts))
    }

    /// `3}`, `3,}`, `,3}` or `3,5}`; nothing for what is no quantifier.
    fn counts(&mut self) -> Result<Option<(u32, Option<u32>)>, Invalid> {
        let Some((text, _)) = self.rest().split_once('}') else { return Ok(None) };
        let (min, max) = text.split_once(',').map_or((text, None), |(min, max)| (min, Some(max)));
        let is_count = |count: &str| count.trim().bytes().all(|byte| byte.is_ascii_digit());
        let is_empty = |count: &str| count.trim().is_empty();
        if !is_count(min) || !max.is_none_or(is_count) || (is_empty(min) && max.is_none()) {
            return Ok(None);
        }
        self.at += text.len() + 1;
        let count = |count: &str| {
            let count = count.trim();
            if count.is_empty() { Ok(None) } else { count.parse().map(Some) }
        };
        let large = |_| Invalid("a number of repetitions is too large");
        let least = count(min).map_err(large)?.unwrap_or(0);
        let most = max.map_or(Ok(Some(least)), count).map_err(large)?;
        if most.is_some_and(|most| most < least) {
            return Err(Invalid("a quantifier has more at least than at most"));
        }
        Ok(Some((least, most)))
    }

    /// Nothing for flags that are set for what follows.
    fn atom(&mut self) -> Result<Option<Node>, Invalid> {
        let flags = self.flags;
        Ok(Some(match self.next() {
            Some('(') => return self.group(),
            Some('[') => {
                let set = self.class()?;
                self.node(set)?
            }
            Some('\\') => match self.escape(false)? {
                Escape::Char(c) => self.literal(c)?,
                Escape::Set(set) => self.node(set)?,
                Escape::Look(look) => Node::Look(look),
                Escape::Back(group) => self.back_reference(group),
                Escape::Named(name) => self.named_reference(name),
            },
            Some('.') => {
                let mut except = Set::default();
                if !flags.dot_all {
                    except.push('\n'.into(), '\n'.into());
                    if flags.is_crlf {
                        except.push('\r'.into(), '\r'.into());
                    }
                }
                self.node(except.sorted().negated())?
            }
            Some('^') if flags.multi_line => Node::Look(Look::StartLine { is_crlf: flags.is_crlf }),
            Some('$') if flags.multi_line => Node::Look(Look::EndLine { is_crlf: flags.is_crlf }),
            Some('^') => Node::Look(Look::Start),
            Some('$') => Node::Look(Look::End),
            Some(c) => self.literal(c)?,
            None => Node::Empty,
        }))
    }

    fn literal(&mut self, c: char) -> Result<Node, Invalid> {
        if !self.flags.ignore_case {
            return self.node(Set::char(c));
        }
        if let Some(&set) = self.literals.get(&c) {
            return Ok(Node::Set(set));
        }
        let set = self.add(Set::char(c).folded())?;
        self.literals.insert(c, set);
        Ok(Node::Set(set))
    }

    fn node(&mut self, set: Set) -> Result<Node, Invalid> {
        Ok(Node::Set(self.add(set)?))
    }

    fn add(&mut self, set: Set) -> Result<usize, Invalid> {
        let known = self.sets.iter().rev().take(RECENT).position(|known| *known == set);
        if let Some(back) = known {
            return Ok(self.sets.len() - 1 - back);
        }
        let left = self.room.checked_sub(set.ranges().len() + 1);
        self.room = left.ok_or(Invalid("the classes are too large"))?;
        self.sets.push(set);
        Ok(self.sets.len() - 1)
    }

    fn back_reference(&mut self, number: usize) -> Node {
        self.is_regular = false;
        self.last_reference = self.last_reference.max(number);
        Node::Back { group: Reference::Number(number), is_folded: self.flags.ignore_case }
    }

    fn named_reference(&mut self, name: &'p str) -> Node {
        self.is_regular = false;
        self.named_references.push(name);
        let group = Reference::Name(self.named_references.len() - 1);
        Node::Back { group, is_folded: self.flags.ignore_case }
    }

    fn deeper(&mut self) -> Result<(), Invalid> {
        self.depth += 1;
        if self.depth > DEPTH { Err(Invalid("groups are nested too deeply")) } else { Ok(()) }
    }

    fn group(&mut self) -> Result<Option<Node>, Invalid> {
        self.deeper()?;
        let flags = self.flags;
        let node = self.group_by_kind()?;
        self.depth -= 1;
        if node.is_some() {
            self.flags = flags;
        }
        Ok(node)
    }

    fn group_by_kind(&mut self) -> Result<Option<Node>, Invalid> {
        self.skip_space();
        for (start, is_behind, is_negated) in
            [("?=", false, false), ("?!", false, true), ("?<=", true, false), ("?<!", true, true)]
        {
            if self.take(start) {
                self.is_regular = false;
                return Ok(Some(Node::Around {
                    node: Box::new(self.inner()?),
                    is_behind,
                    is_negated,
                }));
            }
        }
        if self.take("?>") {
            self.is_regular = false;
            return Ok(Some(Node::Atomic(Box::new(self.inner()?))));
        }
        if self.take("?P=") {
            let name = self.until(")")?;
            return Ok(Some(self.named_reference(name)));
        }
        if self.take("?<") || self.take("?P<") {
            let name = self.until(">")?;
            if name.is_empty() {
                return Err(Invalid("a group has an empty name"));
            }
            self.names.entry(name).or_insert(self.groups + 1);
        } else if self.take("?") {
            return self.flags();
        }
        self.groups += 1;
        let group = self.groups;
        Ok(Some(Node::Group(group, Box::new(self.inner()?))))
    }

    fn inner(&mut self) -> Result<Node, Invalid> {
        let node = self.alternatives()?;
        if self.take(")") { Ok(node) } else { Err(Invalid("a group is not closed")) }
    }

    /// `i-s)` or `i-s:…)`.
    fn flags(&mut self) -> Result<Option<Node>, Invalid> {
        let mut value = true;
        let mut flags = self.flags;
        let mut previous = '?';
        loop {
            let next = self.next();
            match next {
                Some('i') => flags.ignore_case = value,
                Some('m') => flags.multi_line = value,
                Some('s') => flags.dot_all = value,
                Some('U') => flags.swap_greed = value,
                Some('x') => flags.ignore_space = value,
                Some('R') => flags.is_crlf = value,
                Some('u') if value => {}
                Some('-') if value => value = false,
                Some(')') if !matches!(previous, '?' | '-') => {
                    self.flags = flags;
                    return Ok(None);
                }
                Some(':') if previous != '-' => {
                    self.flags = flags;
                    return Ok(Some(self.inner()?));
                }
                _ => return Err(Invalid("the kind of a group is unknown")),
            }
            previous = next.unwrap_or_default();
        }
    }

    /// Behind a backslash.
    fn escape(&mut self, in_class: bool) -> Result<Escape<'p>, Invalid> {
        let c = self.next().ok_or(Invalid("a backslash is at the end"))?;
        Ok(match c {
            '0' if !self.peek().is_some_and(|c| c.is_ascii_digit()) => Escape::Char('\0'),
            '1'..='9' if !in_class => {
                let digits = self.rest().bytes().take_while(u8::is_ascii_digit).count();
                let number = self.text.get(self.at - 1..self.at + digits).unwrap_or_default();
                self.at += digits;
                Escape::Back(number.parse().map_err(|_| Invalid("no group has this number"))?)
            }
            'k' if !in_class && self.take("<") => Escape::Named(self.until(">")?),
            'A' if !in_class => Escape::Look(Look::Start),
            'z' if !in_class => Escape::Look(Look::End),
            'B' if !in_class => Escape::Look(Look::NotWord),
            '<' if !in_class => Escape::Look(Look::WordStart),
            '>' if !in_class => Escape::Look(Look::WordEnd),
            'b' if in_class => Escape::Char('\u{8}'),
            'b' => Escape::Look(self.word_boundary()),
            'd' | 'D' | 's' | 'S' | 'w' | 'W' => Escape::Set(self.perl(c)),
            'p' | 'P' => Escape::Set(self.property(c == 'P')?),
            'x' => Escape::Char(self.code_point(2)?),
            'u' => Escape::Char(self.code_point(4)?),
            'U' => Escape::Char(self.code_point(8)?),
            'a' => Escape::Char('\u{7}'),
            'f' => Escape::Char('\u{C}'),
            'n' => Escape::Char('\n'),
            'r' => Escape::Char('\r'),
            't' => Escape::Char('\t'),
            'v' => Escape::Char('\u{B}'),
            _ if c.is_ascii_alphanumeric() => return Err(Invalid("an escape is unknown")),
            _ => Escape::Char(c),
        })
    }

    fn word_boundary(&mut self) -> Look {
        for (name, look) in [
            ("{start}", Look::WordStart),
            ("{end}", Look::WordEnd),
            ("{start-half}", Look::WordStartHalf),
            ("{end-half}", Look::WordEndHalf),
        ] {
            if self.take(name) {
                return look;
            }
        }
        Look::Word
    }

    fn perl(&mut self, kind: char) -> Set {
        let set = match kind.to_ascii_lowercase() {
            'd' => self.known("Nd"),
            's' => self.known("White_Space"),
            _ => self.known("\\w"),
        };
        if kind.is_ascii_uppercase() { set.negated() } else { set }
    }

    fn known(&mut self, name: &'p str) -> Set {
        self.named_set(name).unwrap_or_default()
    }

    fn named_set(&mut self, name: &'p str) -> Option<Set> {
        if let Some(set) = self.properties.get(name) {
            return Some(set.clone());
        }
        let set = if name == "\\w" { unicode::word() } else { unicode::class(name)? };
        self.properties.insert(name, set.clone());
        Some(set)
    }

    fn property(&mut self, is_negated: bool) -> Result<Set, Invalid> {
        let name = if self.take("{") {
            self.until("}")?
        } else {
            let start = self.at;
            self.next();
            self.text.get(start..self.at).unwrap_or_default()
        };
        let set = self.named_set(name).ok_or(Invalid("a character property is unknown"))?;
        let set = if self.flags.ignore_case { set.folded() } else { set };
        Ok(if is_negated { set.negated() } else { set })
    }

    fn code_point(&mut self, digits: usize) -> Result<char, Invalid> {
        let text = if self.take("{") {
            self.until("}")?
        } else {
            let text =
                self.rest().get(..digits).ok_or(Invalid("a code point has too few digits"))?;
            self.at += digits;
            text
        };
        let is_hex = text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let number = u32::from_str_radix(text, 16).ok().filter(|_| is_hex);
        number.and_then(char::from_u32).ok_or(Invalid("a code point is no character"))
    }

    /// Behind `[`.
    fn class(&mut self) -> Result<Set, Invalid> {
        self.deeper()?;
        self.skip_space();
        let is_negated = self.take("^");
        let mut set = Set::default();
        self.skip_space();
        let mut is_first = true;
        while self.take("-") {
            set.push('-'.into(), '-'.into());
            is_first = false;
            self.skip_space();
        }
        if is_first && self.take("]") {
            set.push(']'.into(), ']'.into());
        }
        loop {
            self.skip_space();
            if self.take("]") {
                break;
            }
            self.class_item(&mut set)?;
        }
        self.depth -= 1;
        let set = set.sorted();
        let set = if self.flags.ignore_case { set.folded() } else { set };
        Ok(if is_negated { set.negated() } else { set })
    }

    /// A character, a range, or a class.
    fn class_item(&mut self, set: &mut Set) -> Result<(), Invalid> {
        let start = match self.class_atom()? {
            Escape::Char(c) => c,
            Escape::Set(inner) => {
                set.extend(&inner);
                self.skip_space();
                return if self.is_range() {
                    Err(Invalid("a range starts with a class"))
                } else {
                    Ok(())
                };
            }
            _ => return Err(Invalid("an escape cannot stand in a class")),
        };
        self.skip_space();
        if !self.is_range() {
            set.push(start.into(), start.into());
            return Ok(());
        }
        self.at += 1;
        self.skip_space();
        match self.class_atom()? {
            Escape::Char(end) if end >= start => set.push(start.into(), end.into()),
            Escape::Char(_) => return Err(Invalid("a range ends before it starts")),
            _ => return Err(Invalid("a range ends with a class")),
        }
        Ok(())
    }

    /// Whether a hyphen is next that stands between two characters.
    fn is_range(&mut self) -> bool {
        if self.peek() != Some('-') {
            return false;
        }
        let start = self.at;
        self.at += 1;
        self.skip_space();
        let next = self.peek();
        self.at = start;
        !matches!(next, Some(']' | '-') | None)
    }

    fn class_atom(&mut self) -> Result<Escape<'p>, Invalid> {
        for operator in ["&&", "--", "~~", "[:"] {
            if self.rest().starts_with(operator) {
                return Err(Invalid("a class has an operator"));
            }
        }
        match self.next() {
            Some('\\') => self.escape(true),
            Some('[') => Ok(Escape::Set(self.class()?)),
            Some(c) => Ok(Escape::Char(c)),
            None => Err(Invalid("a class is not closed")),
        }
    }
}
