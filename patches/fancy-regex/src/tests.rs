//! Against the crates that this one stands in for.

use proptest::prelude::*;
use regex_syntax::hir::{Class, HirKind};

use super::*;
use crate::set::Set;

#[track_caller]
fn check(pattern: &str, matching: &[&str], other: &[&str]) {
    let regex = Regex::new(pattern).unwrap_or_else(|error| panic!("{pattern}: {error}"));
    for (texts, expected) in [(matching, true), (other, false)] {
        for text in texts {
            assert_eq!(regex.is_match(text), Ok(expected), "{pattern} on {text:?}");
        }
    }
}

#[test]
fn patterns_match_what_they_say() {
    check("^a{2,3}$", &["aa", "aaa"], &["a", "aaaa"]);
    check("^(?:ab|c)*?d", &["d", "abcabd"], &["abad"]);
    check("^(?!.*\\.\\.)[a-z.]{1,253}$", &["a.b"], &["a..b", ""]);
    check("^(?=.*[0-9])(?=.*[a-z]).{3,}$", &["a1x"], &["abc", "a1"]);
    check("(?<=a.*)b(?!c)", &["a--b", "abcab"], &["b", "abc"]);
    check("(?<!a{1,3})b", &["b", "cb"], &["ab"]);
    check("^(a+)-\\1$", &["aa-aa"], &["aa-a"]);
    check("^(?<x>a|b)\\k<x>$", &["bb"], &["ab"]);
    check("(?i)^(é)\\1ſ$", &["ÉéS"], &["ÉeS"]);
    check("(?i)(?<=\\1(éK))$", &["Éké\u{212A}"], &["éKe\u{212A}"]);
    check("^(?>a|ab)c$", &["ac"], &["abc"]);
    check("^(?:a|(b)|)*\\1$", &["abb"], &["ab"]);
    check("(?<=\\1(.))c", &["aac"], &["abc"]);
    check("\\bfoo\\b", &["a foo.", "foo"], &["afoo", "fooé"]);
    check("(?m)^b$", &["a\nb\nc"], &["ab\nc"]);
    check("(?x) a b # c\n d", &["abd"], &["a b"]);
    check("a{,2}b{x}", &["b{x}", "aab{x}"], &["b"]);
    check("^\\0\\x41\\u{1F600}\\u00e9$", &["\0A😀é"], &["A😀é"]);
}

#[test]
fn patterns_that_are_none_are_refused() {
    for pattern in [
        "*",
        "{2}",
        "a|*",
        "(",
        ")",
        "(a",
        "a)",
        "[",
        "[a",
        "[b-a]",
        "\\",
        "\\q",
        "\\p{Nope}",
        "\\pX",
        "a{3,2}",
        "(?=a)*",
        "\\1",
        "(a)\\2",
        "\\k<x>",
        "(?z)",
        "(?)",
        "(?-)",
        "(?i-:a)",
        "\\ud800",
        "\\x{110000}",
        "a{99999999999}",
        "[\\w-a]",
        "(?<>a)",
        "(?=a)b*+",
    ] {
        assert!(Regex::new(pattern).is_err(), "{pattern}");
    }
    for (open, close) in [("(", ")"), ("(?=", ")"), ("[", "a]"), ("(?:", ")*"), ("(?:a", "|)+")] {
        let deep = format!("{}{}", open.repeat(100_000), close.repeat(100_000));
        assert!(Regex::new(&deep).is_err(), "{open}");
        let allowed = format!("{}{}", open.repeat(249), close.repeat(249));
        let _ = Regex::new(&allowed).map(|regex| regex.is_match("aaaa"));
    }
}

#[test]
fn large_patterns_are_refused_soon() {
    for pattern in
        ["((a{1000}){1000}){1000}", "((((){4000000000}){4000000000}){4000000000})a{99999999}"]
    {
        assert!(Regex::new(pattern).is_err());
    }
    assert!(Regex::new(&format!("[{}]", "\\p{L}".repeat(10_000))).is_ok());
    let many: String = (0..100_000_u32)
        .filter_map(|at| char::from_u32(at + 0x400))
        .map(|c| format!("[a{c}]"))
        .collect();
    assert!(
        Regex::new(&many).is_ok()
            && RegexBuilder::new(&many).delegate_size_limit(1 << 16).build().is_err()
    );
    assert!(Regex::new("((){4000000000}){4000000000}").is_ok());
}

#[test]
fn work_is_bounded() {
    let text = "a".repeat(100_000);
    for pattern in [
        "^(a|aa)+\\1$b",
        "(a*)*\\1b",
        "(?:a?){1000}(?=b)",
        "(?:(?=.*b|.*c).)*d",
        "(?:a{0,300}){300}b",
    ] {
        let regex = Regex::new(pattern).unwrap();
        let result = with_budget(1_000_000, || regex.is_match(&text));
        assert_eq!(
            result,
            Err(Error::RuntimeError(RuntimeError::BacktrackLimitExceeded)),
            "{pattern}"
        );
        assert!(
            with_budget(1_000_000, || with_budget(u64::MAX, || regex.is_match(&text))).is_err()
        );
    }
    assert_eq!(Regex::new("^(?=.*b)(a|aa)+$").unwrap().is_match(&text), Ok(false));
    assert_eq!(Regex::new("^(?!(a|aa)+$)").unwrap().is_match(&text), Ok(false));
}

/// The ranges that `regex-syntax` has for a class.
fn expected(class: &str) -> Option<Set> {
    let parsed = regex_syntax::parse(class).ok()?;
    let mut set = Set::default();
    match parsed.kind() {
        HirKind::Class(Class::Unicode(class)) => {
            class.iter().for_each(|range| set.push(range.start().into(), range.end().into()));
        }
        HirKind::Literal(literal) => {
            let c = std::str::from_utf8(&literal.0).unwrap().chars().next().unwrap();
            set.push(c.into(), c.into());
        }
        _ => return Some(set),
    }
    Some(set.sorted())
}

/// Without the surrogates, which are no characters.
fn characters(set: &Set) -> Set {
    let surrogates = Set::range(0xD800, 0xDFFF);
    set.clone().negated().union(surrogates).negated()
}

#[track_caller]
fn same_class(class: &str) {
    let ours = parse::parse(class, 1 << 20).unwrap_or_else(|error| panic!("{class}: {error:?}"));
    let theirs = expected(class).unwrap();
    assert_eq!(characters(&ours.sets[0]), characters(&theirs), "{class}");
}

#[test]
fn properties_have_the_same_characters() {
    let mut classes = 0;
    let names = include_str!("unicode/names.txt");
    let block = |at: usize| names.split("\n\n").nth(at).unwrap().split_whitespace();
    for name in block(0).chain(["any", "ascii", "assigned"]) {
        same_class(&format!("\\p{{{name}}}"));
        same_class(&format!("\\P{{gc={name}}}"));
        classes += 1;
    }
    for name in block(1) {
        for query in
            [format!("Is_{name}"), format!("sc={name}"), format!("Script_Extensions!={name}")]
        {
            same_class(&format!("\\p{{{query}}}"));
        }
        classes += 1;
    }
    for name in block(2) {
        same_class(&format!("\\p{{{}}}", name.to_uppercase()));
        classes += 1;
    }
    assert!(classes > 500);
    for class in [
        "\\w",
        "\\W",
        "\\d",
        "\\s",
        "\\S",
        "\\pL",
        "\\PN",
        "\\p{IsGreek}",
        "\\p{is-Latin }",
        "\\p{c}",
        ".",
    ] {
        same_class(class);
    }
}

#[test]
fn case_is_ignored_the_same_way() {
    for c in (0..=0x0010_FFFF).filter_map(char::from_u32) {
        if c.is_alphanumeric() || regex_syntax::is_word_character(c) {
            let folded = Set::char(c).folded();
            if folded.ranges().len() > 1 || folded.ranges() != Set::char(c).ranges() {
                same_class(&format!("(?i)[{c}]"));
            } else {
                assert_eq!(expected(&format!("(?i)[{c}]")).unwrap(), folded, "{c}");
            }
        }
    }
    for class in ["(?i)\\p{Lu}", "(?i)[^a-zα-ω]", "(?i)\\P{Ll}", "(?i)[k-s]", "(?i)[\\w]"] {
        same_class(class);
    }
}

#[test]
fn categories_cover_every_character_once() {
    let categories = unicode::categories();
    let known: u32 = categories.iter().map(|(start, end, _)| end - start + 1).sum();
    assert_eq!(known, 0x0011_0000 - 0x800);
    assert!(categories.windows(2).all(|pair| pair[0].1 < pair[1].0));
    assert!(categories.contains(&(0x41, 0x5A, "lu")));
}

fn atom() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[abcé1 ]",
        1 => prop::sample::select(vec![
            ".", "\\d", "\\w", "\\W", "\\s", "\\S", "[ab]", "[^a]", "[a-c1]", "[^\\d]", "[a-]", "[]b]", "[é-ü]",
            "\\p{L}", "\\p{Lu}", "\\P{Nd}", "^", "$", "\\b", "\\B", "\\x61", "\\u00e9", "\\u{62}", "\\.", "\\/", "\\-",
            "\\n", "(?i)", "(?-i)", "(?s)", "(?m)", "(?i:A)", "[[:a]", "[a[0-9]]", "\\b{start}", "\\>", "()", "\\A",
            "\\z", "{", "a{", "[\\]]", "[\\-a]", "[\\--b]", "\\\\", "\\cA", "\\1", "\\2",
        ]).prop_map(str::to_owned),
    ]
}

fn pattern() -> impl Strategy<Value = String> {
    let quantifier = || {
        prop::sample::select(vec![
            "", "", "", "", "*", "+", "?", "*?", "+?", "??", "{2}", "{1,2}", "{0,3}", "{2,}",
            "{1,2}?", "{0}", "**",
        ])
    };
    let leaf = (atom(), quantifier()).prop_map(|(atom, quantifier)| atom + quantifier);
    leaf.prop_recursive(4, 24, 4, move |inner| {
        let group =
            prop::sample::select(vec!["(", "(?:", "(?=", "(?!", "(?<=", "(?<!", "(?i:", "(?<n>"]);
        prop_oneof![
            prop::collection::vec(inner.clone(), 1..5).prop_map(|parts| parts.concat()),
            prop::collection::vec(inner.clone(), 1..4).prop_map(|parts| parts.join("|")),
            (group, inner, quantifier())
                .prop_map(|(open, inner, quantifier)| format!("{open}{inner}){quantifier}")),
        ]
    })
}

/// What the crates say: the first one that takes the pattern.
fn theirs(pattern: &str) -> Option<Box<dyn Fn(&str) -> Option<bool>>> {
    if let Ok(regex) = regex::Regex::new(pattern) {
        return Some(Box::new(move |text| Some(regex.is_match(text))));
    }
    let regex = fancy::Regex::new(pattern).ok()?;
    Some(Box::new(move |text| regex.is_match(text).ok()))
}

/// Whether a group of a generated pattern refers to itself. Engines agree on nothing then: in a second round
/// Perl reads what the group matched in the first one, ECMAScript nothing, and the original fails or not
/// depending on how it writes the rounds out.
fn refers_to_itself(pattern: &str) -> bool {
    let (mut open, mut groups) = (Vec::new(), 0);
    let mut rest = pattern.chars();
    while let Some(c) = rest.next() {
        match c {
            '\\' => {
                let group = rest.next().and_then(|c| c.to_digit(10));
                if group.is_some_and(|group| open.contains(&group)) {
                    return true;
                }
            }
            '(' if rest.as_str().starts_with('?') && !rest.as_str().starts_with("?<n>") => {
                open.push(0)
            }
            '(' => {
                groups += 1;
                open.push(groups);
            }
            ')' => drop(open.pop()),
            _ => {}
        }
    }
    false
}

#[test]
fn a_group_that_refers_to_itself_reads_nothing_in_the_next_round() {
    for (pattern, text) in
        [("^(a|b\\1)+$", "ab"), ("^(a|b\\1)+$", "aba"), ("^([é-ü]|\\1){2}$", "é")]
    {
        assert!(refers_to_itself(pattern));
        assert_eq!(Regex::new(pattern).unwrap().is_match(text), Ok(true), "{pattern} on {text}");
    }
    for pattern in ["(a)\\1", "(?:\\1)", "(?=a(b)\\1)", "(?<n>a)(\\1)", "\\(\\1"] {
        assert!(!refers_to_itself(pattern), "{pattern}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 5_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn generated_patterns_match_the_same_texts(
        pattern in pattern(),
        texts in prop::collection::vec("[abAcéÉ1 .\n]{0,6}", 8),
    ) {
        let Some(theirs) = theirs(&pattern).filter(|_| !refers_to_itself(&pattern)) else { return Ok(()) };
        let ours = match Regex::new(&pattern) {
            Ok(regex) => regex,
            Err(error) => return Err(TestCaseError::fail(format!("{pattern}: {error}"))),
        };
        for text in texts {
            if let Some(expected) = theirs(&text) {
                prop_assert_eq!(ours.is_match(&text), Ok(expected), "{} on {:?}", pattern, text);
            }
        }
    }

    #[test]
    fn nothing_makes_it_panic(pattern in "[ab()\\[\\]{}*+?|^$.\\\\,0-9:=!<>iPpkuxdwé-]{0,24}", text in "[abé1]{0,8}") {
        let _ = Regex::new(&pattern).map(|regex| regex.is_match(&text));
    }
}
