//! The character properties of Unicode, packed by `tables.py`.

use crate::set::Set;

/// Lines of normalized names in three blocks: general categories, scripts, binary properties.
const NAMES: &str = include_str!("unicode/names.txt");
/// The sets in the order of the names, then once more those of the scripts as script extensions.
const SETS: &[u8] = include_bytes!("unicode/sets.bin");
const FOLDS: &[u8] = include_bytes!("unicode/folds.bin");

const CATEGORIES: usize = 0;
const SCRIPTS: usize = 1;
const BINARY: usize = 2;

/// The set of `\p{…}`.
pub(crate) fn class(query: &str) -> Option<Set> {
    let separator = query.find(':').or_else(|| query.find('='));
    let Some((property, value)) =
        separator.and_then(|at| Some((query.get(..at)?, query.get(at + 1..)?)))
    else {
        return binary(&normalized(query));
    };
    if let Some(property) = property.strip_suffix('!') {
        return Some(valued(&normalized(property), &normalized(value))?.negated());
    }
    valued(&normalized(property), &normalized(value))
}

/// A value of general category or script counts as a property of its own. Where it has the name of
/// one, it is meant, as in UTS 18.
fn binary(name: &str) -> Option<Set> {
    let own = if matches!(name, "cf" | "sc" | "lc") { None } else { set(BINARY, name) };
    own.or_else(|| category(name)).or_else(|| set(SCRIPTS, name))
}

fn valued(property: &str, value: &str) -> Option<Set> {
    match property {
        "gc" | "generalcategory" => category(value),
        "sc" | "script" => set(SCRIPTS, value),
        "scx" | "scriptextensions" => {
            let blocks = |block| NAMES.split("\n\n").nth(block).map(|names| names.lines().count());
            let extensions = blocks(SCRIPTS)? + blocks(BINARY)?;
            Some(unpacked(place(SCRIPTS, value)? + extensions))
        }
        _ => None,
    }
}

fn category(name: &str) -> Option<Set> {
    match name {
        "any" => Some(Set::full()),
        "ascii" => Some(Set::range(0, 0x7F)),
        "assigned" => Some(set(CATEGORIES, "cn")?.negated()),
        _ => set(CATEGORIES, name),
    }
}

fn set(block: usize, name: &str) -> Option<Set> {
    Some(unpacked(place(block, name)?))
}

/// Which of all sets has this name.
fn place(block: usize, name: &str) -> Option<usize> {
    let mut before = 0;
    for (at, names) in NAMES.split("\n\n").enumerate() {
        if at == block {
            let found = names.lines().position(|names| names.split(' ').any(|one| one == name));
            return found.map(|line| before + line);
        }
        before += names.lines().count();
    }
    None
}

/// As UAX 44 compares names: without case, blanks, `_`, `-` and a leading `is`.
fn normalized(name: &str) -> String {
    let kept = name.chars().filter(|c| c.is_ascii() && !matches!(c, ' ' | '_' | '-'));
    let lower: String = kept.map(|c| c.to_ascii_lowercase()).collect();
    let is_prefixed = name.get(..2).is_some_and(|start| start.eq_ignore_ascii_case("is"));
    match lower.strip_prefix("is") {
        Some(rest) if is_prefixed && rest != "c" => rest.to_owned(),
        _ => lower,
    }
}

/// The characters that `\w` matches (UTS 18, annex C).
pub(crate) fn word() -> Set {
    let names = ["alphabetic", "m", "nd", "pc", "joincontrol"];
    names.into_iter().filter_map(binary).fold(Set::default(), Set::union)
}

/// The general category of every character, as ranges in order with the place of the category.
pub fn categories() -> Vec<(u32, u32, &'static str)> {
    let names = NAMES.split("\n\n").next().unwrap_or_default();
    let short = names.lines().filter_map(|names| names.split(' ').find(|name| name.len() == 2));
    let single = short.filter(|name| *name != "lc");
    let ranges = single.flat_map(|name| {
        let set = category(name).unwrap_or_default();
        set.ranges().iter().map(|&(start, end)| (start, end, name)).collect::<Vec<_>>()
    });
    let mut ranges: Vec<_> = ranges.collect();
    ranges.sort_unstable();
    ranges
}

/// Undoes `packed_sets` of `tables.py`.
fn unpacked(mut at: usize) -> Set {
    let mut edges = Vec::new();
    loop {
        let (base, mut data) = record(at);
        let mut behind = 0;
        while !data.is_empty() {
            let start = behind + number(&mut data);
            behind = start + number(&mut data) + 1;
            edges.extend([start, behind]);
        }
        // The bases stand before.
        if base == 0 || base > at {
            return Set::from_edges(edges);
        }
        at = base - 1;
    }
}

fn record(at: usize) -> (usize, &'static [u8]) {
    let mut data = SETS;
    for _ in 0..at {
        number(&mut data);
        let length = number(&mut data) as usize;
        data = data.get(length..).unwrap_or_default();
    }
    let base = number(&mut data) as usize;
    let length = number(&mut data) as usize;
    (base, data.get(..length).unwrap_or_default())
}

fn number(data: &mut &[u8]) -> u32 {
    let mut value = 0;
    let mut shift = 0;
    while let Some((&byte, rest)) = data.split_first() {
        *data = rest;
        value |= u32::from(byte & 0x7F) << (shift & 31);
        shift += 7;
        if byte < 0x80 {
            break;
        }
    }
    value
}

/// Calls `each` with runs of characters (first, last, distance between two) and the distance of each to
/// the next of those that differ from it in case alone.
pub(crate) fn folds(mut each: impl FnMut(u32, u32, u32, i32)) {
    let mut data = FOLDS;
    let mut start = 0;
    while !data.is_empty() {
        start += number(&mut data);
        let run = number(&mut data);
        let delta = number(&mut data);
        let stride = (run & 1) + 1;
        let delta = (delta >> 1).cast_signed() ^ -(delta & 1).cast_signed();
        each(start, start + ((run >> 1).max(1) - 1) * stride, stride, delta);
    }
}
