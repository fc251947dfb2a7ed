//! A stream of bits, the least significant of each byte first.

/// Symbols that all codes of a stream may have together. Codes take few bits and some time: a stream
/// of nothing else would be a bomb of its own.
const SYMBOLS: usize = 1 << 24;

/// What is left of the data.
pub(super) struct Bits<'d> {
    rest: &'d [u8],
    held: u64,
    count: usize,
    symbols: usize,
}

impl<'d> Bits<'d> {
    pub(super) fn new(data: &'d [u8]) -> Self {
        Self { rest: data, held: 0, count: 0, symbols: SYMBOLS }
    }

    /// The next bits, at most 32, as a number.
    pub(super) fn read(&mut self, count: usize) -> Option<usize> {
        while self.count < count {
            let (&byte, rest) = self.rest.split_first()?;
            self.held |= u64::from(byte) << self.count;
            self.count += 8;
            self.rest = rest;
        }
        let value = self.held & ((1 << count) - 1);
        self.held >>= count;
        self.count -= count;
        usize::try_from(value).ok()
    }

    /// Takes the symbols of one code from the budget.
    pub(super) fn spend(&mut self, symbols: usize) -> Option<()> {
        self.symbols = self.symbols.checked_sub(symbols)?;
        Some(())
    }

    /// The next whole bytes; the bits before them must be zero.
    pub(super) fn bytes(&mut self, length: usize) -> Option<&'d [u8]> {
        let padding = self.count % 8;
        if self.read(padding)? != 0 {
            return None;
        }
        debug_assert!(self.count == 0, "no whole byte is held");
        let (bytes, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        Some(bytes)
    }
}
