//! Matching.

use crate::{
    parse::Look,
    program::{Program, Step},
    set,
    set::Set,
};

/// Why a match was given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Exhausted;

/// Bits of memory about what failed; with more, only the limit of steps back bounds a match.
const MEMORY: usize = 1 << 26;
/// Places to go back to that are kept at once.
const PLACES: usize = 1 << 20;
/// Units of work for a step of one way, and for one of all ways at once.
const STEP: u64 = 4;
const SHARED_STEP: u64 = 2;
/// Units of work to look for characters that differ in case alone.
const FOLD: u64 = 10_000;
/// Bytes that are cleared for a unit.
const CLEARED: usize = 16;

/// Whether the pattern matches somewhere in the text; takes what it costs from `budget`.
pub(crate) fn is_match(
    program: &Program,
    text: &str,
    steps_back: usize,
    budget: &mut u64,
) -> Result<bool, Exhausted> {
    if program.is_regular {
        return Crowd::new(program, text, budget).matches();
    }
    let mut search = Search::new(program, text, steps_back, budget)?;
    let starts = text.char_indices().map(|(at, _)| at).chain([text.len()]);
    for start in starts {
        if search.run(0, start)?.is_some() {
            return Ok(true);
        }
        if matches!(program.steps.first(), Some(Step::Look(Look::Start))) {
            break;
        }
    }
    Ok(false)
}

fn spend(budget: &mut u64, units: u64) -> Result<(), Exhausted> {
    *budget = budget.checked_sub(units).ok_or(Exhausted)?;
    Ok(())
}

/// All ways through a pattern without look-around and back-references at once: each character of the text
/// is looked at once.
struct Crowd<'a> {
    program: &'a Program,
    text: &'a str,
    budget: &'a mut u64,
    /// The step that was last at this place: which round it was in.
    seen: Vec<u32>,
    round: u32,
    todo: Vec<u32>,
}

impl<'a> Crowd<'a> {
    fn new(program: &'a Program, text: &'a str, budget: &'a mut u64) -> Self {
        Self {
            program,
            text,
            budget,
            seen: vec![0; program.steps.len()],
            round: 0,
            todo: Vec::new(),
        }
    }

    fn matches(mut self) -> Result<bool, Exhausted> {
        // What could not be finished is not begun.
        let most = (self.seen.len() as u64).saturating_mul(self.text.len() as u64 + 1);
        self.budget.checked_sub(most).ok_or(Exhausted)?;
        spend(self.budget, (self.seen.len() / CLEARED) as u64)?;
        let is_anchored = matches!(self.program.steps.first(), Some(Step::Look(Look::Start)));
        let mut reading: Vec<u32> = Vec::new();
        let mut arrived: Vec<u32> = Vec::new();
        let mut at = 0;
        loop {
            self.round += 1;
            reading.clear();
            for place in arrived.drain(..) {
                if self.spread(place, at, &mut reading)? {
                    return Ok(true);
                }
            }
            if (at == 0 || !is_anchored) && self.spread(0, at, &mut reading)? {
                return Ok(true);
            }
            let Some(c) = self.text.get(at..).and_then(|rest| rest.chars().next()) else {
                return Ok(false);
            };
            if is_anchored && reading.is_empty() {
                return Ok(false);
            }
            spend(self.budget, reading.len() as u64 + 1)?;
            for &place in &reading {
                if self
                    .program
                    .steps
                    .get(place as usize)
                    .is_some_and(|step| self.program.reads(*step, c))
                {
                    arrived.push(place + 1);
                }
            }
            at += c.len_utf8();
        }
    }

    /// Goes on from a place to all that read a character; whether the end of the pattern is among them.
    fn spread(&mut self, place: u32, at: usize, reading: &mut Vec<u32>) -> Result<bool, Exhausted> {
        let mut next = Some(place);
        while let Some(place) = next.or_else(|| self.todo.pop()) {
            next = None;
            let Some(seen) = self.seen.get_mut(place as usize) else { continue };
            if std::mem::replace(seen, self.round) == self.round {
                continue;
            }
            spend(self.budget, SHARED_STEP)?;
            match self.program.steps.get(place as usize) {
                Some(Step::Match) | None => return Ok(true),
                Some(Step::Char { .. } | Step::Class { .. }) => reading.push(place),
                Some(Step::Look(look)) => {
                    next = self.program.holds(*look, self.text, at).then_some(place + 1);
                }
                Some(&Step::Fork(one, other)) => {
                    self.todo.push(other);
                    next = Some(one);
                }
                Some(&Step::Jump(to)) => next = Some(to),
                Some(_) => next = Some(place + 1),
            }
        }
        Ok(false)
    }
}

/// What to do when a way ends.
enum Place {
    /// Go on at this step with this place of the text.
    Branch(u32, usize),
    Restore(u32, usize),
}

/// One way through a pattern after the other.
struct Search<'a> {
    program: &'a Program,
    text: &'a str,
    steps_back: usize,
    budget: &'a mut u64,
    places: Vec<Place>,
    slots: Vec<usize>,
    /// Whether a way from a step and a place of the text failed, for patterns without back-references.
    failed: Vec<u64>,
    /// Bits of `failed` in the order in which they were set.
    marks: Vec<usize>,
}

const UNSET: usize = usize::MAX;

impl<'a> Search<'a> {
    fn new(
        program: &'a Program,
        text: &'a str,
        steps_back: usize,
        budget: &'a mut u64,
    ) -> Result<Self, Exhausted> {
        let bits = program.steps.len().saturating_mul(text.len() + 1);
        let words = if program.is_memoryless && bits <= MEMORY { bits.div_ceil(64) } else { 0 };
        spend(budget, (words * 8 / CLEARED) as u64)?;
        Ok(Self {
            program,
            text,
            steps_back,
            budget,
            places: Vec::new(),
            slots: vec![UNSET; program.slots],
            failed: vec![0; words],
            marks: Vec::new(),
        })
    }

    /// Where the text ends that matches from a step on.
    fn run(&mut self, step: u32, at: usize) -> Result<Option<usize>, Exhausted> {
        let base = self.places.len();
        let marks = self.marks.len();
        let (mut step, mut at) = (step, at);
        loop {
            spend(self.budget, STEP)?;
            match self.next(step, at)? {
                Next::Go(to, place) => (step, at) = (to, place),
                Next::End => {
                    self.keep_saved(base);
                    self.forget(marks);
                    return Ok(Some(at));
                }
                Next::Fail => match self.back(base)? {
                    Some(place) => (step, at) = place,
                    None => return Ok(None),
                },
            }
        }
    }

    /// The way that succeeded passed places that are marked as failed, and another one may as well.
    fn forget(&mut self, marks: usize) {
        for bit in self.marks.drain(marks..) {
            if let Some(word) = self.failed.get_mut(bit / 64) {
                *word &= !(1 << (bit % 64));
            }
        }
    }

    /// Drops the ways that are left, but not what to restore when the whole fails later.
    fn keep_saved(&mut self, base: usize) {
        let kept = self.places.drain(base..).filter(|place| matches!(place, Place::Restore(..)));
        let kept: Vec<_> = kept.collect();
        self.places.extend(kept);
    }

    fn back(&mut self, base: usize) -> Result<Option<(u32, usize)>, Exhausted> {
        while self.places.len() > base {
            match self.places.pop() {
                Some(Place::Branch(step, at)) => {
                    if self.failed.is_empty() {
                        self.steps_back = self.steps_back.checked_sub(1).ok_or(Exhausted)?;
                    }
                    return Ok(Some((step, at)));
                }
                Some(Place::Restore(slot, value)) => self.set_slot(slot, value),
                None => break,
            }
        }
        Ok(None)
    }

    /// Undoes everything since `base`.
    fn undo(&mut self, base: usize) {
        while self.places.len() > base {
            if let Some(Place::Restore(slot, value)) = self.places.pop() {
                self.set_slot(slot, value);
            }
        }
    }

    fn set_slot(&mut self, slot: u32, value: usize) {
        if let Some(place) = self.slots.get_mut(slot as usize) {
            *place = value;
        }
    }

    fn slot(&self, slot: u32) -> usize {
        self.slots.get(slot as usize).copied().unwrap_or(UNSET)
    }

    fn push(&mut self, place: Place) -> Result<(), Exhausted> {
        if self.places.len() >= PLACES {
            return Err(Exhausted);
        }
        self.places.push(place);
        Ok(())
    }

    /// Whether this was tried before; it failed then.
    fn is_known(&mut self, step: u32, at: usize) -> bool {
        let bit = step as usize * (self.text.len() + 1) + at;
        let Some(word) = self.failed.get_mut(bit / 64) else { return false };
        let mask = 1 << (bit % 64);
        if *word & mask != 0 {
            return true;
        }
        *word |= mask;
        self.marks.push(bit);
        false
    }

    fn next(&mut self, step: u32, at: usize) -> Result<Next, Exhausted> {
        let next = step + 1;
        Ok(match self.program.steps.get(step as usize).copied() {
            Some(Step::Match) | None => Next::End,
            Some(read @ (Step::Char { is_behind, .. } | Step::Class { is_behind, .. })) => {
                match neighbour(self.text, at, is_behind) {
                    Some(c) if self.program.reads(read, c) => {
                        Next::Go(next, moved(at, c, is_behind))
                    }
                    _ => Next::Fail,
                }
            }
            Some(Step::Look(look)) if self.program.holds(look, self.text, at) => Next::Go(next, at),
            Some(Step::Look(_)) => Next::Fail,
            Some(Step::Fork(..) | Step::Around { .. } | Step::Atomic { .. })
                if self.is_known(step, at) =>
            {
                Next::Fail
            }
            Some(Step::Fork(one, other)) => {
                self.push(Place::Branch(other, at))?;
                Next::Go(one, at)
            }
            Some(Step::Jump(to)) => Next::Go(to, at),
            Some(Step::Save(slot)) => {
                self.push(Place::Restore(slot, self.slot(slot)))?;
                self.set_slot(slot, at);
                Next::Go(next, at)
            }
            Some(Step::Progress(slot)) if self.slot(slot) == at => Next::Fail,
            Some(Step::Progress(_)) => Next::Go(next, at),
            Some(Step::Around { end, is_negated }) => {
                let base = self.places.len();
                let found = self.run(next, at)?.is_some();
                if found && is_negated {
                    self.undo(base);
                }
                if found == is_negated { Next::Fail } else { Next::Go(end, at) }
            }
            Some(Step::Atomic { end }) => match self.run(next, at)? {
                Some(place) => Next::Go(end, place),
                None => Next::Fail,
            },
            Some(Step::Back { group, is_folded, is_behind }) => {
                match self.repeated(group, at, is_folded, is_behind)? {
                    Some(place) => Next::Go(next, place),
                    None => Next::Fail,
                }
            }
        })
    }

    /// Reads what a group matched once more; one that matched nothing yet cannot be read.
    fn repeated(
        &mut self,
        group: u32,
        at: usize,
        is_folded: bool,
        is_behind: bool,
    ) -> Result<Option<usize>, Exhausted> {
        let (start, end) = (self.slot(group * 2), self.slot(group * 2 + 1));
        let text = self.text;
        let Some(before) = text.get(start..end) else { return Ok(None) };
        spend(self.budget, before.len() as u64 / 8 + 1)?;
        let (mut at, mut left) = (at, before);
        while let Some(c) = neighbour(left, if is_behind { left.len() } else { 0 }, is_behind) {
            let rest =
                if is_behind { 0..left.len() - c.len_utf8() } else { c.len_utf8()..left.len() };
            left = left.get(rest).unwrap_or_default();
            let Some(other) = neighbour(text, at, is_behind) else { return Ok(None) };
            if c != other && !(is_folded && self.differ_in_case(c, other)?) {
                return Ok(None);
            }
            at = moved(at, other, is_behind);
        }
        Ok(Some(at))
    }

    fn differ_in_case(&mut self, one: char, other: char) -> Result<bool, Exhausted> {
        if one.is_ascii() && other.is_ascii() {
            return Ok(one.eq_ignore_ascii_case(&other));
        }
        spend(self.budget, FOLD)?;
        Ok(Set::char(one).folded().contains(other.into()))
    }
}

enum Next {
    Go(u32, usize),
    End,
    Fail,
}

fn neighbour(text: &str, at: usize, is_behind: bool) -> Option<char> {
    if is_behind { text.get(..at)?.chars().next_back() } else { text.get(at..)?.chars().next() }
}

fn moved(at: usize, c: char, is_behind: bool) -> usize {
    if is_behind { at - c.len_utf8() } else { at + c.len_utf8() }
}

impl Look {
    /// Whether it does not ask for words.
    pub(crate) fn is_plain(self) -> bool {
        matches!(self, Self::Start | Self::End | Self::StartLine { .. } | Self::EndLine { .. })
    }
}

impl Program {
    fn reads(&self, step: Step, c: char) -> bool {
        match step {
            Step::Char { c: expected, .. } => expected == c,
            Step::Class { start, end, .. } => {
                let ranges = self.ranges.get(start as usize..end as usize).unwrap_or_default();
                set::contains(ranges, c.into())
            }
            _ => false,
        }
    }

    fn is_word(&self, c: Option<char>) -> bool {
        c.is_some_and(|c| {
            if c.is_ascii() {
                c.is_ascii_alphanumeric() || c == '_'
            } else {
                set::contains(&self.words, c.into())
            }
        })
    }

    fn holds(&self, look: Look, text: &str, at: usize) -> bool {
        match look {
            Look::Start => return at == 0,
            Look::End => return at == text.len(),
            _ => {}
        }
        let (before, after) = (neighbour(text, at, true), neighbour(text, at, false));
        match look {
            Look::StartLine { is_crlf: false } => matches!(before, None | Some('\n')),
            Look::EndLine { is_crlf: false } => matches!(after, None | Some('\n')),
            Look::StartLine { .. } => {
                matches!(before, None | Some('\n')) || (before == Some('\r') && after != Some('\n'))
            }
            Look::EndLine { .. } => {
                matches!(after, None | Some('\r')) || (after == Some('\n') && before != Some('\r'))
            }
            _ => self.holds_for_words(look, self.is_word(before), self.is_word(after)),
        }
    }

    fn holds_for_words(&self, look: Look, before: bool, after: bool) -> bool {
        match look {
            Look::Word => before != after,
            Look::NotWord => before == after,
            Look::WordStart => !before && after,
            Look::WordEnd => before && !after,
            Look::WordStartHalf => !before,
            _ => !after,
        }
    }
}
