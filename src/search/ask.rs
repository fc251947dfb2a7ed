//! Asking the index.

use super::build::rarity;
use super::words;

/// Words of a query that are looked at.
const MOST_WORDS: usize = 24;
/// Words that one word of a query stands for, besides itself.
const MOST_RELATED: usize = 40;
/// Results must be worth this part of the best one.
const LEAST_PART: u32 = 4;

/// An operation that fits a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hit {
    /// Its number.
    pub operation: u32,
    /// How well it fits; comparable within one query.
    pub score: u32,
}

/// The operations of an index that fit some words best, at most `most`, the best first.
///
/// An index that is cut or altered gives fewer results.
pub fn find(index: &[u8], query: &str, most: usize) -> Vec<Hit> {
    search(index, query, most).unwrap_or_default()
}

fn search(index: &[u8], query: &str, most: usize) -> Option<Vec<Hit>> {
    let index = Index::open(index)?;
    let mut asked: Vec<String> = Vec::new();
    words::each(query, &mut |word| {
        let word = words::meant(word);
        if asked.len() < MOST_WORDS && !asked.iter().any(|known| known == word) {
            asked.push(word.to_owned());
        }
    });
    let mut totals = vec![0_u32; index.operations];
    let mut matched = vec![0_u32; index.operations];
    let mut best = vec![0_u32; index.operations];
    for word in &asked {
        best.fill(0);
        let exact = index.exact(word.as_bytes()).map(|term| index.rarity(term));
        for (term, weight) in index.related(word) {
            let own = index.rarity(term);
            // a rare relative is not worth more than the word itself
            let weight = weight * 16 * exact.unwrap_or(own).min(own) / own.max(1);
            index.each(term, &mut |operation, worth| {
                if let Some(best) = best.get_mut(operation) {
                    *best = (*best).max(u32::from(worth) * weight);
                }
            });
        }
        let sums = totals.iter_mut().zip(&mut matched);
        for ((total, matched), best) in sums.zip(&best).filter(|(_, best)| **best > 0) {
            *total += best;
            *matched += 1;
        }
    }
    let count = u32::try_from(asked.len()).ok()?;
    for (total, matched) in totals.iter_mut().zip(&matched) {
        // operations that have more of the words come first
        *total = *total * (count + matched) / (2 * count).max(1);
    }
    let mut hits = largest(totals, most);
    let least = hits.first().map_or(0, |hit| hit.score / LEAST_PART);
    hits.retain(|hit| hit.score >= least);
    Some(hits)
}

/// The largest numbers above zero, by size and then by place; there are few to find.
pub(crate) fn largest(mut numbers: Vec<u32>, most: usize) -> Vec<Hit> {
    let mut found = Vec::new();
    while found.len() < most {
        let mut best = Hit { operation: 0, score: 0 };
        for (score, operation) in numbers.iter().copied().zip(0_u32..) {
            if score > best.score {
                best = Hit { operation, score };
            }
        }
        match numbers.get_mut(best.operation as usize) {
            Some(number) if best.score > 0 => *number = 0,
            _ => break,
        }
        found.push(best);
    }
    found
}

/// The parts of an index.
struct Index<'b> {
    operations: usize,
    terms: usize,
    table: &'b [u8],
    texts: &'b [u8],
    lists: &'b [u8],
}

impl<'b> Index<'b> {
    fn open(bytes: &'b [u8]) -> Option<Self> {
        let (operations, rest) = number(bytes)?;
        let (terms, rest) = number(rest)?;
        let (table, rest) = rest.split_at_checked(terms.checked_mul(8)?)?;
        // every operation has a name, whose words have lists
        let operations = operations.min(rest.len());
        let mut index = Self { operations, terms, table, texts: &[], lists: &[] };
        let length = index.ends(terms.checked_sub(1)?)?.0;
        (index.texts, index.lists) = rest.split_at_checked(length)?;
        Some(index)
    }

    /// Where the text and the list of a word end.
    fn ends(&self, term: usize) -> Option<(usize, usize)> {
        let (text, rest) = number(self.table.get(term * 8..)?)?;
        Some((text, number(rest)?.0))
    }

    fn starts(&self, term: usize) -> Option<(usize, usize)> {
        term.checked_sub(1).map_or(Some((0, 0)), |before| self.ends(before))
    }

    fn text(&self, term: usize) -> &'b [u8] {
        let range = self.starts(term).zip(self.ends(term));
        range.and_then(|(start, end)| self.texts.get(start.0..end.0)).unwrap_or_default()
    }

    /// The first word that is not before this one.
    fn position(&self, word: &[u8]) -> usize {
        let (mut low, mut high) = (0, self.terms);
        while low < high {
            let middle = usize::midpoint(low, high);
            if self.text(middle) < word { low = middle + 1 } else { high = middle }
        }
        low
    }

    fn exact(&self, word: &[u8]) -> Option<usize> {
        let position = self.position(word);
        (position < self.terms && self.text(position) == word).then_some(position)
    }

    /// The words that one stands for, and what they are worth then: itself, words that it begins,
    /// words that begin it, and synonyms.
    fn related(&self, word: &str) -> Vec<(usize, u32)> {
        let bytes = word.as_bytes();
        let mut found: Vec<(usize, u32)> =
            self.exact(bytes).map(|term| (term, 8)).into_iter().collect();
        if bytes.len() >= 3 {
            let longer = self.position(bytes)..self.terms;
            let longer = longer.take_while(|&term| self.text(term).starts_with(bytes));
            found.extend(longer.take(MOST_RELATED).map(|term| (term, 3)));
        }
        for length in 4..bytes.len() {
            let shorter = bytes.get(..length).and_then(|start| self.exact(start));
            found.extend(shorter.map(|term| (term, 3)));
        }
        let group = words::SYNONYMS.iter().find(|group| group.contains(&word));
        for other in group.into_iter().copied().flatten() {
            found.extend(self.exact(other.as_bytes()).map(|term| (term, 3)));
        }
        found
    }

    /// How rare a word is: its list has at least two bytes for each operation.
    fn rarity(&self, term: usize) -> u32 {
        let range = self.starts(term).zip(self.ends(term));
        let length = range.map_or(0, |(start, end)| end.1.saturating_sub(start.1));
        u32::try_from(rarity(self.operations, length / 2)).unwrap_or(u32::MAX)
    }

    /// Calls `take` for each operation with a word, and what the word is worth for it.
    fn each(&self, term: usize, take: &mut dyn FnMut(usize, u8)) {
        let range = self.starts(term).zip(self.ends(term));
        let list = range.and_then(|(start, end)| self.lists.get(start.1..end.1));
        let mut rest = list.unwrap_or_default();
        let mut operation = 0_usize;
        while let Some((distance, after)) = variable(rest) {
            let Some((&worth, after)) = after.split_first() else { return };
            operation = operation.saturating_add(distance);
            take(operation, worth);
            rest = after;
        }
    }
}

fn number(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let (number, rest) = bytes.split_first_chunk()?;
    Some((usize::try_from(u32::from_le_bytes(*number)).ok()?, rest))
}

fn variable(mut bytes: &[u8]) -> Option<(usize, &[u8])> {
    let mut number = 0_usize;
    for shift in [0, 7, 14, 21, 28] {
        let (&byte, rest) = bytes.split_first()?;
        bytes = rest;
        number |= usize::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some((number, bytes));
        }
    }
    None
}
