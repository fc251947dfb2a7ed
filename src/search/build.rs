//! Building the index.

use std::collections::BTreeMap;

use super::words;

/// How much of a long text counts.
const MOST_WORDS: u32 = 60;
/// Words of name, title and summary that count against an operation.
const LONGEST: u32 = 24;
/// How fast more occurrences of a word stop counting.
const SATURATION: u64 = 4;
/// What a word is worth at most, before it is cut to a byte: that of one in 4,096 operations.
const MOST_WORTH: u64 = 12 << 8;

/// The texts of one operation.
#[derive(Debug, Clone, Copy)]
pub struct Fields<'o> {
    /// Name of the tool.
    pub name: &'o str,
    /// Title; empty for none.
    pub title: &'o str,
    /// Description; its first paragraph counts for more than the rest.
    pub description: &'o str,
    /// HTTP method.
    pub method: &'o str,
    /// Path template.
    pub path: &'o str,
    /// Tags.
    pub tags: &'o [String],
    /// Names and values of its arguments, separated by spaces.
    pub arguments: &'o str,
    /// It is worth half.
    pub is_deprecated: bool,
    /// Its place among operations that belong together.
    pub part: Part,
}

/// The place of an operation among those that belong together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// It stands for itself.
    Alone,
    /// It is the one to start with.
    First,
    /// It is of use after the first; it is worth a little less.
    Later,
}

/// Collects the words of operations, which are numbered in the order of [`Builder::add`].
#[derive(Debug, Default)]
pub struct Builder {
    /// Operations with a word, each with the weight of the word.
    terms: BTreeMap<String, Vec<(u32, u32)>>,
    operations: Vec<Operation>,
}

#[derive(Debug, Clone, Copy)]
struct Operation {
    /// Words of name, title and summary.
    length: u32,
    is_deprecated: bool,
    part: Part,
    is_reading: bool,
}

impl Builder {
    /// Adds the next operation.
    pub fn add(&mut self, fields: &Fields<'_>) {
        let (summary, rest) =
            fields.description.split_once("\n\n").unwrap_or((fields.description, ""));
        let heading =
            self.take(fields.name, 5) + self.take(fields.title, 4) + self.take(summary, 4);
        self.take(rest, 1);
        self.take(fields.path, 1);
        self.take(fields.arguments, 1);
        self.take(&fields.tags.join(" "), 2);
        self.take(verb(fields.method), 1);
        self.operations.push(Operation {
            length: heading.min(LONGEST),
            is_deprecated: fields.is_deprecated,
            part: fields.part,
            is_reading: verb(fields.method) == "get",
        });
    }

    /// Notes the words of a text of the operation that comes next; returns how many there are.
    fn take(&mut self, text: &str, weight: u32) -> u32 {
        let next = u32::try_from(self.operations.len()).unwrap_or(u32::MAX);
        let mut count = 0_u32;
        words::each(text, &mut |word| {
            count += 1;
            if count > MOST_WORDS {
                return;
            }
            if !self.terms.contains_key(word) {
                self.terms.insert(word.to_owned(), Vec::new());
            }
            let Some(occurrences) = self.terms.get_mut(word) else { return };
            match occurrences.last_mut() {
                Some((operation, known)) if *operation == next => *known += weight,
                _ => occurrences.push((next, weight)),
            }
        });
        count
    }

    /// The index: number of operations and of words, the end of each word and of its list, words,
    /// lists. A list has, for each operation with the word, the distance from the one before as a
    /// variable-length number, and one byte for what the word is worth.
    pub fn finish(self) -> Vec<u8> {
        let mut texts = Vec::new();
        let mut lists = Vec::new();
        let mut table = Vec::new();
        for number in [self.operations.len(), self.terms.len()] {
            push_number(&mut table, number);
        }
        for (word, occurrences) in &self.terms {
            texts.extend_from_slice(word.as_bytes());
            self.push_list(&mut lists, occurrences);
            push_number(&mut table, texts.len());
            push_number(&mut table, lists.len());
        }
        table.append(&mut texts);
        table.append(&mut lists);
        table
    }

    fn push_list(&self, out: &mut Vec<u8>, occurrences: &[(u32, u32)]) {
        let rarity = rarity(self.operations.len(), occurrences.len());
        let total: u64 = self.operations.iter().map(|it| u64::from(it.length)).sum();
        let average = (total / (self.operations.len() as u64).max(1)).max(1);
        let mut last = 0;
        for (operation, weight) in occurrences {
            let Some(found) = self.operations.get(*operation as usize) else { continue };
            push_variable(out, operation - last);
            last = *operation;
            // operations that say more need more occurrences for the same worth
            let norm = SATURATION * (4 * average + 6 * u64::from(found.length)) / 10;
            let weight = u64::from(*weight) * average;
            let worth = rarity * weight / (weight + norm).max(1);
            let worth = if found.is_deprecated { worth / 2 } else { worth };
            let worth = if found.part == Part::Later { worth * 3 / 4 } else { worth };
            // among equals, what changes nothing or is to start with comes first
            let is_first = found.is_reading || found.part == Part::First;
            let rounding = if is_first { MOST_WORTH - 1 } else { 0 };
            let byte = ((worth * 255 + rounding) / MOST_WORTH).clamp(1, 255);
            out.push(u8::try_from(byte).unwrap_or(u8::MAX));
        }
    }
}

/// The word for a method that is nowhere in the texts.
fn verb(method: &str) -> &'static str {
    match method {
        "GET" | "HEAD" | "QUERY" => "get",
        "POST" => "create",
        "PUT" | "PATCH" => "update",
        "DELETE" => "delete",
        _ => "",
    }
}

/// The binary logarithm of how rare a word is, in 256ths; the curve between two powers is a line, so
/// that every machine comes to the same result.
pub(super) fn rarity(operations: usize, with_word: usize) -> u64 {
    let ratio = ((operations as u64 + 1) << 8) / (with_word as u64).max(1);
    let log = |number: u64| {
        let number = number.max(1);
        let whole = u64::from(number.ilog2());
        (whole << 8) + ((number << 8) >> whole) - 256
    };
    log(ratio).saturating_sub(log(256)).max(32)
}

fn push_number(out: &mut Vec<u8>, number: usize) {
    out.extend(u32::try_from(number).unwrap_or(u32::MAX).to_le_bytes());
}

fn push_variable(out: &mut Vec<u8>, mut number: u32) {
    loop {
        let low = u8::try_from(number & 0x7f).unwrap_or_default();
        number >>= 7;
        if number == 0 {
            out.push(low);
            return;
        }
        out.push(low | 0x80);
    }
}
