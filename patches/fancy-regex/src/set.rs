//! Sets of characters.

use crate::unicode;

const LAST: u32 = 0x0010_FFFF;

/// Ranges in order, which do not touch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Set(Vec<(u32, u32)>);

impl Set {
    pub(crate) fn full() -> Self {
        Self::range(0, LAST)
    }

    pub(crate) fn range(start: u32, end: u32) -> Self {
        Self(vec![(start, end)])
    }

    pub(crate) fn char(c: char) -> Self {
        Self::range(c.into(), c.into())
    }

    /// From the points where membership changes, in any order.
    pub(crate) fn from_edges(mut edges: Vec<u32>) -> Self {
        edges.sort_unstable();
        let mut kept: Vec<u32> = Vec::new();
        for edge in edges {
            if kept.last() == Some(&edge) {
                kept.pop();
            } else {
                kept.push(edge);
            }
        }
        Self(kept.chunks_exact(2).map(|pair| (pair[0], pair[1] - 1)).collect())
    }

    pub(crate) fn ranges(&self) -> &[(u32, u32)] {
        &self.0
    }

    pub(crate) fn push(&mut self, start: u32, end: u32) {
        self.0.push((start, end));
    }

    pub(crate) fn extend(&mut self, other: &Self) {
        self.0.extend_from_slice(&other.0);
    }

    pub(crate) fn union(mut self, other: Self) -> Self {
        self.extend(&other);
        self.sorted()
    }

    /// Brings pushed ranges into order.
    pub(crate) fn sorted(mut self) -> Self {
        self.0.sort_unstable();
        let mut merged: Vec<(u32, u32)> = Vec::with_capacity(self.0.len());
        for (start, end) in self.0 {
            match merged.last_mut() {
                Some(last) if start <= last.1.saturating_add(1) => last.1 = last.1.max(end),
                _ => merged.push((start, end)),
            }
        }
        Self(merged)
    }

    pub(crate) fn negated(self) -> Self {
        let mut edges: Vec<u32> =
            self.0.iter().flat_map(|&(start, end)| [start, end + 1]).collect();
        edges.extend([0, LAST + 1]);
        Self::from_edges(edges)
    }

    /// With all characters that differ from one in case alone.
    pub(crate) fn folded(self) -> Self {
        let mut all = Self(self.0.clone());
        // An orbit has at most four characters: three steps reach all.
        let mut last = self;
        for _ in 0..3 {
            let mut next = Self::default();
            unicode::folds(|first, end, stride, delta| {
                last.shifted(first, end, stride, delta, &mut next)
            });
            last = next.sorted();
            all.extend(&last);
        }
        all.sorted()
    }

    /// Pushes what the members among `first`, `first + stride` … `end` have at a distance.
    fn shifted(&self, first: u32, end: u32, stride: u32, delta: i32, into: &mut Self) {
        let from = self.0.partition_point(|range| range.1 < first);
        for &(low, high) in self.0.iter().skip(from).take_while(|range| range.0 <= end) {
            let low = low.max(first);
            let high = high.min(end);
            if stride == 1 {
                into.push(low.wrapping_add_signed(delta), high.wrapping_add_signed(delta));
                continue;
            }
            let mut c = low + (low - first) % 2;
            while c <= high {
                let other = c.wrapping_add_signed(delta);
                into.push(other, other);
                c += 2;
            }
        }
    }

    pub(crate) fn contains(&self, c: u32) -> bool {
        contains(&self.0, c)
    }
}

pub(crate) fn contains(ranges: &[(u32, u32)], c: u32) -> bool {
    // Most classes have a few ranges; the large ones are searched by halves.
    if ranges.len() <= 8 {
        return ranges.iter().any(|&(start, end)| start <= c && c <= end);
    }
    let at = ranges.partition_point(|range| range.1 < c);
    ranges.get(at).is_some_and(|range| range.0 <= c)
}
