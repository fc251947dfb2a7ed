//! Brotli (RFC 7932). The tables of its appendices are one deflated file: the dictionary, the texts
//! of the transforms and the transforms.
//!
//! Codes are read bit by bit, which is slow and small: answers are rarely compressed like this,
//! because requests ask for none.

mod bits;
mod code;
mod dictionary;

use bits::Bits;
use code::Code;
use dictionary::Dictionary;

/// The tables, deflated.
pub(super) const TABLES: &[u8] = include_bytes!("brotli/tables.deflate");
/// Their size, in bytes.
pub(super) const TABLES_SIZE: usize = 123_355;

/// Why data cannot be decoded.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Failure {
    /// It is not what the format says.
    Corrupt,
    /// More than the limit would come of it.
    TooLarge,
}

/// Extra bits of insert lengths, copy lengths and block counts (§5 and §6).
const INSERT: &[u8; 24] =
    &[0, 0, 0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 7, 8, 9, 10, 12, 14, 24];
const COPY: &[u8; 24] = &[0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 7, 8, 9, 10, 24];
const COUNT: &[u8; 26] =
    &[2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 6, 6, 7, 8, 9, 10, 11, 12, 13, 24];

/// Insert and copy codes that the blocks of 64 command codes start at (§5).
const COMMANDS: &[(usize, usize); 11] =
    &[(0, 0), (0, 8), (0, 0), (0, 8), (8, 0), (8, 8), (0, 16), (16, 0), (8, 16), (16, 8), (16, 16)];

/// Which of the last distances the short codes mean, and what is added (§4).
const RECENT: &[(usize, i64); 16] = &[
    (0, 0),
    (1, 0),
    (2, 0),
    (3, 0),
    (0, -1),
    (0, 1),
    (0, -2),
    (0, 2),
    (0, -3),
    (0, 3),
    (1, -1),
    (1, 1),
    (1, -2),
    (1, 2),
    (1, -3),
    (1, 3),
];

/// Decodes a stream into at most `limit` bytes; `tables` are the inflated tables.
pub(super) fn decode(data: &[u8], limit: usize, tables: &[u8]) -> Result<Vec<u8>, Failure> {
    let mut bits = Bits::new(data);
    let window = window(&mut bits).ok_or(Failure::Corrupt)?;
    let dictionary = Dictionary::new(tables);
    let recent = [4, 11, 15, 16];
    let mut stream = Stream { bits, out: Vec::new(), limit, window, recent, dictionary };
    while stream.meta_block()? {}
    Ok(stream.out)
}

/// The size of the window (§9.1).
fn window(bits: &mut Bits<'_>) -> Option<usize> {
    let mut exponent = 16;
    if bits.read(1)? == 1 {
        exponent = match bits.read(3)? {
            0 => match bits.read(3)? {
                0 => 17,
                1 => return None,
                few => 8 + few,
            },
            more => 17 + more,
        };
    }
    Some((1 << exponent) - 16)
}

struct Stream<'d> {
    bits: Bits<'d>,
    out: Vec<u8>,
    limit: usize,
    window: usize,
    /// The last four distances, the latest first.
    recent: [usize; 4],
    dictionary: Dictionary<'d>,
}

/// What the header of a meta-block says about literals, commands or distances.
struct Blocks {
    types: usize,
    type_code: Code,
    count_code: Code,
    current: usize,
    previous: usize,
    left: usize,
}

/// The codes of one meta-block.
struct Codes {
    literal: Blocks,
    command: Blocks,
    distance: Blocks,
    postfix: u32,
    direct: usize,
    modes: Vec<usize>,
    literal_map: Vec<u8>,
    distance_map: Vec<u8>,
    literals: Vec<Code>,
    commands: Vec<Code>,
    distances: Vec<Code>,
}

impl Stream<'_> {
    /// Decodes one meta-block (§9.2); false after the last one.
    fn meta_block(&mut self) -> Result<bool, Failure> {
        let is_last = self.read(1)? == 1;
        if is_last && self.read(1)? == 1 {
            return Ok(false);
        }
        let nibbles = match self.read(2)? {
            3 => return self.skip(is_last),
            few => few + 4,
        };
        let length = self.read(4 * nibbles)? + 1;
        if self.limit - self.out.len() < length {
            return Err(Failure::TooLarge);
        }
        if !is_last && self.read(1)? == 1 {
            let bytes = self.bits.bytes(length).ok_or(Failure::Corrupt)?;
            self.out.extend_from_slice(bytes);
            return Ok(true);
        }
        let mut codes = Codes::read(&mut self.bits).ok_or(Failure::Corrupt)?;
        let end = self.out.len() + length;
        while self.out.len() < end {
            self.command(&mut codes, end)?;
        }
        Ok(!is_last)
    }

    /// Skips a meta-block without data.
    fn skip(&mut self, is_last: bool) -> Result<bool, Failure> {
        if is_last || self.read(1)? == 1 {
            return Err(Failure::Corrupt);
        }
        let bytes = self.read(2)?;
        let length = if bytes == 0 { 0 } else { self.read(8 * bytes)? + 1 };
        self.bits.bytes(length).ok_or(Failure::Corrupt)?;
        Ok(true)
    }

    /// Literals, and a copy unless the meta-block ends before (§9.3).
    fn command(&mut self, codes: &mut Codes, end: usize) -> Result<(), Failure> {
        let (insert, copy, symbol) = codes.command(&mut self.bits).ok_or(Failure::Corrupt)?;
        if end - self.out.len() < insert {
            return Err(Failure::Corrupt);
        }
        for _ in 0..insert {
            let before = |back: usize| {
                self.out.len().checked_sub(back).and_then(|at| self.out.get(at)).copied()
            };
            let last = [before(1).unwrap_or(0), before(2).unwrap_or(0)];
            self.out.push(codes.literal(&mut self.bits, last).ok_or(Failure::Corrupt)?);
        }
        if self.out.len() == end {
            return Ok(());
        }
        let reach = self.window.min(self.out.len());
        let code = if symbol < 128 {
            0
        } else {
            codes.distance(&mut self.bits, copy).ok_or(Failure::Corrupt)?
        };
        let distance = self.distance(code, codes).ok_or(Failure::Corrupt)?;
        if distance <= reach {
            if code != 0 {
                self.recent.rotate_right(1);
                self.recent = [distance, self.recent[1], self.recent[2], self.recent[3]];
            }
            self.copy(distance, copy, end)
        } else {
            let word = self.dictionary.word(copy, distance - reach - 1).ok_or(Failure::Corrupt)?;
            if end - self.out.len() < word.len() {
                return Err(Failure::Corrupt);
            }
            self.out.extend(word);
            Ok(())
        }
    }

    fn copy(&mut self, distance: usize, length: usize, end: usize) -> Result<(), Failure> {
        if end - self.out.len() < length {
            return Err(Failure::Corrupt);
        }
        let from = self.out.len() - distance;
        for at in from..from + length {
            self.out.push(self.out.get(at).copied().ok_or(Failure::Corrupt)?);
        }
        Ok(())
    }

    /// The distance that a code and its extra bits mean (§4).
    fn distance(&mut self, code: usize, codes: &Codes) -> Option<usize> {
        if let Some(&(which, change)) = RECENT.get(code) {
            let recent = i64::try_from(*self.recent.get(which)?).ok()?;
            return usize::try_from(recent + change).ok().filter(|&distance| distance > 0);
        }
        let code = code - 16;
        let Some(code) = code.checked_sub(codes.direct) else { return Some(code + 1) };
        let extra = 1 + (code >> (codes.postfix + 1));
        let high = code >> codes.postfix;
        let low = code & ((1 << codes.postfix) - 1);
        let offset = ((2 + (high & 1)) << extra) - 4 + self.bits.read(extra)?;
        Some((offset << codes.postfix) + low + codes.direct + 1)
    }

    fn read(&mut self, count: usize) -> Result<usize, Failure> {
        self.bits.read(count).ok_or(Failure::Corrupt)
    }
}

impl Codes {
    fn read(bits: &mut Bits<'_>) -> Option<Self> {
        let [literal, command, distance] =
            [Blocks::read(bits)?, Blocks::read(bits)?, Blocks::read(bits)?];
        let postfix = u32::try_from(bits.read(2)?).ok()?;
        let direct = bits.read(4)? << postfix;
        let modes = (0..literal.types).map(|_| bits.read(2)).collect::<Option<_>>()?;
        let (literal_trees, literal_map) = map(bits, literal.types * 64)?;
        let (distance_trees, distance_map) = map(bits, distance.types * 4)?;
        let literals = codes(bits, literal_trees, 256)?;
        let commands = codes(bits, command.types, 704)?;
        let distances = codes(bits, distance_trees, 16 + direct + (48 << postfix))?;
        Some(Self {
            literal,
            command,
            distance,
            postfix,
            direct,
            modes,
            literal_map,
            distance_map,
            literals,
            commands,
            distances,
        })
    }

    /// Insert length, copy length and symbol.
    fn command(&mut self, bits: &mut Bits<'_>) -> Option<(usize, usize, usize)> {
        let kind = self.command.next(bits)?;
        let symbol = self.commands.get(kind)?.read(bits)?;
        let &(insert, copy) = COMMANDS.get(symbol >> 6)?;
        let insert = ranged(bits, INSERT, 0, insert + ((symbol >> 3) & 7))?;
        let copy = ranged(bits, COPY, 2, copy + (symbol & 7))?;
        Some((insert, copy, symbol))
    }

    fn literal(&mut self, bits: &mut Bits<'_>, last: [u8; 2]) -> Option<u8> {
        let kind = self.literal.next(bits)?;
        let context = context(*self.modes.get(kind)?, last);
        let tree = *self.literal_map.get(64 * kind + context)?;
        self.literals.get(usize::from(tree))?.read(bits)?.try_into().ok()
    }

    fn distance(&mut self, bits: &mut Bits<'_>, copy: usize) -> Option<usize> {
        let kind = self.distance.next(bits)?;
        let tree = *self.distance_map.get(4 * kind + (copy - 2).min(3))?;
        self.distances.get(usize::from(tree))?.read(bits)
    }
}

/// Context of a literal, by mode and the two bytes before it (§7.1).
fn context(mode: usize, [last, before]: [u8; 2]) -> usize {
    let context = match mode {
        0 => last & 63,
        1 => last >> 2,
        2 => utf8_last(last) | utf8_before(before),
        _ => signed(last) << 3 | signed(before),
    };
    usize::from(context)
}

fn utf8_last(byte: u8) -> u8 {
    match byte {
        b'\t' | b'\n' | b'\r' => 4,
        0..b' ' | 127 => 0,
        b' ' => 8,
        b'"' | b'\'' => 16,
        b'%' => 20,
        b'(' | b'<' | b'[' | b'{' => 24,
        b')' | b'>' | b']' | b'}' => 28,
        b',' | b':' | b';' => 32,
        b'.' => 36,
        b'=' => 40,
        b'0'..=b'9' => 44,
        b'A' | b'E' | b'I' | b'O' | b'U' => 48,
        b'A'..=b'Z' => 52,
        b'a' | b'e' | b'i' | b'o' | b'u' => 56,
        b'a'..=b'z' => 60,
        ..128 => 12,
        128..192 => byte & 1,
        192.. => 2 | (byte & 1),
    }
}

fn utf8_before(byte: u8) -> u8 {
    match byte {
        0..=b' ' | 127..224 => 0,
        b'a'..=b'z' => 3,
        b'0'..=b'9' | b'A'..=b'Z' | 224.. => 2,
        _ => 1,
    }
}

fn signed(byte: u8) -> u8 {
    match byte {
        0 => 0,
        1..16 => 1,
        16..64 => 2,
        64..128 => 3,
        128..192 => 4,
        192..240 => 5,
        240..255 => 6,
        255 => 7,
    }
}

impl Blocks {
    fn read(bits: &mut Bits<'_>) -> Option<Self> {
        let types = few(bits)?;
        let mut blocks = Self {
            types,
            type_code: Code::default(),
            count_code: Code::default(),
            current: 0,
            previous: 1,
            left: 1 << 24,
        };
        if types > 1 {
            blocks.type_code = Code::parse(bits, types + 2)?;
            blocks.count_code = Code::parse(bits, 26)?;
            blocks.left = blocks.count(bits)?;
        }
        Some(blocks)
    }

    fn count(&self, bits: &mut Bits<'_>) -> Option<usize> {
        let symbol = self.count_code.read(bits)?;
        ranged(bits, COUNT, 1, symbol)
    }

    /// The block type of the next symbol.
    fn next(&mut self, bits: &mut Bits<'_>) -> Option<usize> {
        if self.left == 0 {
            let next = match self.type_code.read(bits)? {
                0 => self.previous,
                1 => (self.current + 1) % self.types,
                other => other - 2,
            };
            self.previous = std::mem::replace(&mut self.current, next);
            self.left = self.count(bits)?;
        }
        self.left -= 1;
        Some(self.current)
    }
}

/// A number from 1 to 256.
fn few(bits: &mut Bits<'_>) -> Option<usize> {
    if bits.read(1)? == 0 {
        return Some(1);
    }
    let count = bits.read(3)?;
    Some((1 << count) + 1 + bits.read(count)?)
}

/// A number of the range that a code stands for: ranges follow each other from `start` on.
fn ranged(bits: &mut Bits<'_>, extra: &[u8], start: usize, code: usize) -> Option<usize> {
    let before: usize = extra.get(..code)?.iter().map(|&extra| 1 << extra).sum();
    Some(start + before + bits.read(usize::from(*extra.get(code)?))?)
}

fn codes(bits: &mut Bits<'_>, count: usize, alphabet: usize) -> Option<Vec<Code>> {
    (0..count).map(|_| Code::parse(bits, alphabet)).collect()
}

/// A context map and how many trees it leads to (§7.3).
fn map(bits: &mut Bits<'_>, size: usize) -> Option<(usize, Vec<u8>)> {
    let trees = few(bits)?;
    let mut map = Vec::with_capacity(size);
    if trees < 2 {
        map.resize(size, 0);
        return Some((trees, map));
    }
    let longest = if bits.read(1)? == 1 { bits.read(4)? + 1 } else { 0 };
    let code = Code::parse(bits, trees + longest)?;
    while map.len() < size {
        match code.read(bits)? {
            0 => map.push(0),
            run if run <= longest => {
                let end = map.len() + (1 << run) + bits.read(run)?;
                if end > size {
                    return None;
                }
                map.resize(end, 0);
            }
            tree => map.push(u8::try_from(tree - longest).ok()?),
        }
    }
    if bits.read(1)? == 1 {
        let mut recent: Vec<u8> = (0..=255).collect();
        for tree in &mut map {
            let value = recent.remove(usize::from(*tree));
            recent.insert(0, value);
            *tree = value;
        }
    }
    Some((trees, map))
}

#[cfg(test)]
mod tests;
