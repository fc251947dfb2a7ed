//! Prefix codes (RFC 7932 §3).

use super::bits::Bits;

/// Longest code, in bits.
const LONGEST: usize = 15;
/// Order in which the lengths of the code of lengths are written.
const ORDER: &[usize; 18] = &[1, 2, 3, 4, 0, 5, 17, 6, 16, 7, 8, 9, 10, 11, 12, 13, 14, 15];

/// A canonical code: symbols in order of their codes, and how many there are of each length.
#[derive(Default)]
pub(super) struct Code {
    counts: [u16; LONGEST + 1],
    symbols: Vec<u16>,
}

impl Code {
    /// Reads the description of a code.
    pub(super) fn parse(bits: &mut Bits<'_>, alphabet: usize) -> Option<Self> {
        bits.spend(alphabet)?;
        let mut lengths = vec![0; alphabet];
        match bits.read(2)? {
            1 => simple(bits, &mut lengths)?,
            skipped => complex(bits, &mut lengths, skipped)?,
        }
        Some(Self::new(&lengths))
    }

    fn new(lengths: &[u8]) -> Self {
        let mut code = Self::default();
        let mut symbols: Vec<(u8, u16)> = lengths.iter().copied().zip(0..).collect();
        symbols.retain(|(length, _)| *length > 0);
        symbols.sort_unstable();
        for (length, symbol) in symbols {
            if let Some(count) = code.counts.get_mut(usize::from(length)) {
                *count += 1;
            }
            code.symbols.push(symbol);
        }
        code
    }

    /// Reads a symbol; one that is alone takes no bits.
    pub(super) fn read(&self, bits: &mut Bits<'_>) -> Option<usize> {
        if let [only] = self.symbols.as_slice() {
            return Some(usize::from(*only));
        }
        let (mut code, mut first, mut index) = (0, 0, 0);
        for &count in self.counts.get(1..)? {
            let count = usize::from(count);
            code |= bits.read(1)?;
            if code < first + count {
                return self.symbols.get(index + code - first).map(|&it| usize::from(it));
            }
            index += count;
            first = (first + count) << 1;
            code <<= 1;
        }
        None
    }
}

/// At most four symbols, listed.
fn simple(bits: &mut Bits<'_>, lengths: &mut [u8]) -> Option<()> {
    let width = usize::try_from(usize::BITS - (lengths.len() - 1).leading_zeros()).ok()?;
    let count = bits.read(2)? + 1;
    let mut symbols = [0; 4];
    for symbol in symbols.iter_mut().take(count) {
        *symbol = bits.read(width)?;
    }
    let shape: &[u8] = match count {
        1 => &[1],
        2 => &[1, 1],
        3 => &[1, 2, 2],
        _ if bits.read(1)? == 0 => &[2, 2, 2, 2],
        _ => &[1, 2, 3, 3],
    };
    for (symbol, length) in symbols.into_iter().zip(shape) {
        let slot = lengths.get_mut(symbol).filter(|slot| **slot == 0)?;
        *slot = *length;
    }
    Some(())
}

/// Lengths of all symbols, themselves coded.
fn complex(bits: &mut Bits<'_>, lengths: &mut [u8], skipped: usize) -> Option<()> {
    let code = lengths_code(bits, skipped)?;
    let (mut space, mut at) = (1_usize << LONGEST, 0);
    let (mut last, mut repeated, mut repeats) = (8, 0, 0);
    while at < lengths.len() && space > 0 {
        let symbol = code.read(bits)?;
        let (value, times) = if symbol < 16 {
            repeats = 0;
            let value = u8::try_from(symbol).ok()?;
            last = if value == 0 { last } else { value };
            (value, 1)
        } else {
            let (value, extra) = if symbol == 16 { (last, 2) } else { (0, 3) };
            if repeated != value {
                repeats = 0;
            }
            repeated = value;
            let old: usize = repeats;
            repeats = (old.saturating_sub(2) << extra) + bits.read(extra)? + 3;
            (value, repeats - old)
        };
        if value > 0 {
            space = space.checked_sub(times << (LONGEST - usize::from(value)))?;
        }
        lengths.get_mut(at..at + times)?.fill(value);
        at += times;
    }
    (space == 0).then_some(())
}

/// The code of the lengths.
fn lengths_code(bits: &mut Bits<'_>, skipped: usize) -> Option<Code> {
    let mut lengths = [0; 18];
    let mut space = 32_usize;
    for &symbol in ORDER.get(skipped..)? {
        let length = match bits.read(2)? {
            0 => 0,
            1 => 4,
            2 => 3,
            _ if bits.read(1)? == 0 => 2,
            _ if bits.read(1)? == 0 => 1,
            _ => 5,
        };
        *lengths.get_mut(symbol)? = length;
        if length > 0 {
            space = space.checked_sub(32 >> length)?;
        }
        if space == 0 {
            break;
        }
    }
    let alone = lengths.iter().filter(|length| **length > 0).count() == 1;
    (space == 0 || alone).then(|| Code::new(&lengths))
}
