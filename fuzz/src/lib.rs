//! What the fuzz targets share: the API they work with, and mutations of JSON.
//!
//! Most inputs are lines of JSON, since a fuzzer that changes bytes alone rarely gets behind the
//! parser. [`mutate`] changes one value of one line; what is not JSON is left to libFuzzer.

use openapi_mcp_filter::{
    catalog::{Compiler, Finding, Input},
    config::ViewOptions,
    json,
    openapi::Document,
    toolset::{self, Contents, Meta, ToolSet},
};
use serde_json::{Map, Value};

/// The document of an API with a tool of every kind.
pub const API: &str = include_str!("../api.json");

/// Names and texts that mean something to what is fuzzed.
const WORDS: &str = include_str!("../words.txt");

/// Compiles a document and opens its tools as a worker does.
///
/// # Panics
/// When tools that were encoded cannot be opened.
pub fn open(document: &Document, options: &ViewOptions) -> Result<ToolSet, Vec<Finding>> {
    let input = Input {
        upstream: "api",
        document: Some(document),
        document_url: None,
        base_url: None,
        servers: &[],
        credentials: &[],
        linked: &[],
    };
    let outcome = Compiler::new(vec![input], options).finish();
    let contents = Contents::from(outcome.set.ok_or(outcome.problems)?);
    let meta = Meta { page_size: 2, ttl_ms: 1000, cache_private: false };
    let set = ToolSet::open(toolset::encode(&contents, &meta));
    Ok(set.expect("tools open as they were encoded"))
}

/// The lines of an input, as far as they are JSON.
pub fn lines(input: &[u8]) -> impl Iterator<Item = Value> {
    input.split(|&byte| byte == b'\n').map_while(|line| json::parse(line).ok())
}

/// Changes an input of JSON lines in place; returns its new length. To be called by
/// `fuzz_mutator!` with its arguments.
pub fn mutate(data: &mut [u8], size: usize, max_size: usize, seed: u32) -> usize {
    let mut random = Random(u64::from(seed) | 1 << 40);
    let read: Option<Vec<Value>> =
        data[..size].split(|&byte| byte == b'\n').map(|line| json::parse(line).ok()).collect();
    let Some(mut lines) = read.filter(|_| random.below(4) > 0) else {
        return libfuzzer_sys::fuzzer_mutate(data, size, max_size);
    };
    for _ in 0..=random.below(3) {
        change_line(&mut lines, &mut random);
    }
    let text = lines.iter().map(Value::to_string).collect::<Vec<_>>().join("\n");
    if text.len() > max_size {
        return libfuzzer_sys::fuzzer_mutate(data, size, max_size);
    }
    data[..text.len()].copy_from_slice(text.as_bytes());
    text.len()
}

/// Numbers that only have to be spread.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap_or(0) % end.max(1)
    }

    fn of<'v, T: ?Sized>(&mut self, all: &[&'v T]) -> &'v T {
        all[self.below(all.len())]
    }
}

fn change_line(lines: &mut Vec<Value>, random: &mut Random) {
    let (at, other) = (random.below(lines.len()), random.below(lines.len()));
    let count = count(&lines[other]);
    let copy = nth(&mut lines[other], &mut random.below(count)).cloned().unwrap_or_default();
    match random.below(16) {
        0 => lines.push(lines[at].clone()),
        1 if lines.len() > 1 => drop(lines.remove(at)),
        2 => lines.swap(at, other),
        _ => {
            let count = self::count(&lines[at]);
            if let Some(place) = nth(&mut lines[at], &mut random.below(count)) {
                change(place, copy, random);
            }
        }
    }
}

/// Changes a value; `copy` is one from somewhere else.
fn change(place: &mut Value, copy: Value, random: &mut Random) {
    match (random.below(6), place) {
        (0, place) => *place = scalar(random),
        (1, place) => *place = copy,
        (2, place) => *place = wrapped(place.take(), random),
        (_, Value::Object(map)) => change_map(map, copy, random),
        (_, Value::Array(list)) => change_list(list, copy, random),
        (3, place) => *place = word(random).into(),
        (_, place) => *place = scalar(random),
    }
}

fn change_map(map: &mut Map<String, Value>, copy: Value, random: &mut Random) {
    let at = random.below(map.len());
    let key = map.keys().nth(at).cloned().unwrap_or_default();
    match random.below(4) {
        0 => drop(map.shift_remove(&key)),
        1 => {
            let value = map.shift_remove(&key).unwrap_or_default();
            map.insert(word(random).to_owned(), value);
        }
        2 => drop(map.insert(word(random).to_owned(), copy)),
        _ => drop(map.insert(word(random).to_owned(), scalar(random))),
    }
}

fn change_list(list: &mut Vec<Value>, copy: Value, random: &mut Random) {
    let at = random.below(list.len());
    match random.below(3) {
        0 if !list.is_empty() => drop(list.remove(at)),
        1 => list.push(scalar(random)),
        _ => list.insert(at, copy),
    }
}

fn wrapped(value: Value, random: &mut Random) -> Value {
    match random.below(2) {
        0 => Value::Array(vec![value]),
        _ => Value::Object([(word(random).to_owned(), value)].into_iter().collect()),
    }
}

fn scalar(random: &mut Random) -> Value {
    const TEXTS: &[&str] = &[
        "null",
        "true",
        "false",
        "{}",
        "[]",
        "0",
        "-1",
        "1.5",
        "1e3",
        "-0.0",
        "1e999",
        "2147483648",
        "18446744073709551616",
    ];
    match random.below(2) {
        0 => word(random).into(),
        _ => random.of(TEXTS).parse().unwrap_or_default(),
    }
}

fn word(random: &mut Random) -> &'static str {
    let count = WORDS.lines().count();
    WORDS.lines().nth(random.below(count)).unwrap_or_default()
}

/// Number of the values in a value, itself included.
fn count(value: &Value) -> usize {
    1 + match value {
        Value::Array(list) => list.iter().map(count).sum::<usize>(),
        Value::Object(map) => map.values().map(count).sum::<usize>(),
        _ => 0,
    }
}

/// The value of a number in document order; `left` counts down.
fn nth<'v>(value: &'v mut Value, left: &mut usize) -> Option<&'v mut Value> {
    if *left == 0 {
        return Some(value);
    }
    *left -= 1;
    match value {
        Value::Array(list) => list.iter_mut().find_map(|value| nth(value, left)),
        Value::Object(map) => map.values_mut().find_map(|value| nth(value, left)),
        _ => None,
    }
}
