//! Patterns as instructions.

use crate::parse::{Invalid, Look, Node, Pattern, Reference};

#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    /// The end of the pattern, or of the inside of a look-around or an atomic group.
    Match,
    Char {
        c: char,
        is_behind: bool,
    },
    /// One of the ranges from `start` to `end`.
    Class {
        start: u32,
        end: u32,
        is_behind: bool,
    },
    Look(Look),
    /// Goes on at both, at the first one first.
    Fork(u32, u32),
    Jump(u32),
    Save(u32),
    /// Fails when nothing was read since the place was saved in the slot.
    Progress(u32),
    /// What is looked at stands behind it up to `end`, then the rest.
    Around {
        end: u32,
        is_negated: bool,
    },
    Atomic {
        end: u32,
    },
    Back {
        group: u32,
        is_folded: bool,
        is_behind: bool,
    },
}

/// Bytes of a step.
const STEP: usize = size_of::<Step>();
/// Bytes of a range.
pub(crate) const RANGE: usize = size_of::<(u32, u32)>();

#[derive(Clone, Debug, Default)]
pub(crate) struct Program {
    pub(crate) steps: Vec<Step>,
    pub(crate) ranges: Vec<(u32, u32)>,
    /// The characters of words, if the pattern asks for them.
    pub(crate) words: Vec<(u32, u32)>,
    pub(crate) slots: usize,
    pub(crate) is_regular: bool,
    /// What fails once fails again, whatever was matched before.
    pub(crate) is_memoryless: bool,
}

/// Compiles a pattern to at most `room` bytes.
pub(crate) fn compile(pattern: &Pattern, room: usize) -> Result<Program, Invalid> {
    let mut sets = Vec::new();
    let mut ranges = Vec::new();
    for set in &pattern.sets {
        let start = ranges.len();
        ranges.extend_from_slice(set.ranges());
        sets.push((start, ranges.len()));
    }
    let room = room.saturating_sub(ranges.len() * RANGE) / STEP;
    let program = Program { ranges, is_regular: pattern.is_regular, ..Program::default() };
    let mut compiler = Compiler {
        sets,
        named: &pattern.named,
        keeps_groups: has_references(&pattern.node),
        slots: 0,
        room,
        is_behind: false,
        program,
    };
    if compiler.keeps_groups {
        compiler.slots = (pattern.groups + 1) * 2;
    }
    compiler.node(&pattern.node)?;
    compiler.push(Step::Match)?;
    let mut program = compiler.program;
    program.slots = compiler.slots;
    program.is_memoryless = !compiler.keeps_groups;
    Ok(program)
}

fn has_references(node: &Node) -> bool {
    match node {
        Node::Back { .. } => true,
        Node::Concat(nodes) | Node::Either(nodes) => nodes.iter().any(has_references),
        Node::Repeat { node, .. }
        | Node::Group(_, node)
        | Node::Around { node, .. }
        | Node::Atomic(node) => has_references(node),
        Node::Empty | Node::Set(_) | Node::Look(_) => false,
    }
}

/// Whether the node can match without reading.
fn is_nullable(node: &Node) -> bool {
    match node {
        Node::Set(_) => false,
        Node::Concat(nodes) => nodes.iter().all(is_nullable),
        Node::Either(nodes) => nodes.iter().any(is_nullable),
        Node::Repeat { node, min, .. } => *min == 0 || is_nullable(node),
        Node::Group(_, node) | Node::Atomic(node) => is_nullable(node),
        Node::Empty | Node::Look(_) | Node::Around { .. } | Node::Back { .. } => true,
    }
}

struct Compiler<'p> {
    /// Where the ranges of each set are.
    sets: Vec<(usize, usize)>,
    named: &'p [usize],
    keeps_groups: bool,
    slots: usize,
    room: usize,
    /// Inside of a look-behind, everything is read backwards.
    is_behind: bool,
    program: Program,
}

fn short(number: usize) -> Result<u32, Invalid> {
    u32::try_from(number).map_err(|_| TOO_LARGE)
}

/// Over the limit for compiled patterns.
pub(crate) const TOO_LARGE: Invalid = Invalid("the pattern is too large");

impl Compiler<'_> {
    fn here(&self) -> Result<u32, Invalid> {
        short(self.program.steps.len())
    }

    fn push(&mut self, step: Step) -> Result<usize, Invalid> {
        if self.program.steps.len() >= self.room {
            return Err(TOO_LARGE);
        }
        self.program.steps.push(step);
        Ok(self.program.steps.len() - 1)
    }

    fn set(&mut self, at: usize, step: Step) {
        if let Some(place) = self.program.steps.get_mut(at) {
            *place = step;
        }
    }

    fn node(&mut self, node: &Node) -> Result<(), Invalid> {
        match node {
            Node::Empty => {}
            Node::Set(number) => self.class(*number)?,
            Node::Look(look) => {
                if self.program.words.is_empty() && !look.is_plain() {
                    self.program.words = crate::unicode::word().ranges().to_vec();
                }
                self.push(Step::Look(*look))?;
            }
            Node::Concat(nodes) if self.is_behind => {
                nodes.iter().rev().try_for_each(|node| self.node(node))?
            }
            Node::Concat(nodes) => nodes.iter().try_for_each(|node| self.node(node))?,
            Node::Either(nodes) => self.either(nodes)?,
            Node::Repeat { node, min, max, is_greedy } => {
                self.repeat(node, *min, *max, *is_greedy)?
            }
            Node::Group(number, node) if self.keeps_groups => {
                let first = short(number * 2)?;
                let (before, after) =
                    if self.is_behind { (first + 1, first) } else { (first, first + 1) };
                self.push(Step::Save(before))?;
                self.node(node)?;
                self.push(Step::Save(after))?;
            }
            Node::Group(_, node) => self.node(node)?,
            Node::Around { node, is_behind, is_negated } => {
                let outer = std::mem::replace(&mut self.is_behind, *is_behind);
                self.nested(node, |end| Step::Around { end, is_negated: *is_negated })?;
                self.is_behind = outer;
            }
            Node::Atomic(node) => self.nested(node, |end| Step::Atomic { end })?,
            Node::Back { group, is_folded } => {
                let group = match *group {
                    Reference::Number(number) => number,
                    Reference::Name(place) => self.named.get(place).copied().unwrap_or_default(),
                };
                let group = short(group)?;
                self.push(Step::Back { group, is_folded: *is_folded, is_behind: self.is_behind })?;
            }
        }
        Ok(())
    }

    fn class(&mut self, number: usize) -> Result<(), Invalid> {
        let (start, end) = self.sets.get(number).copied().unwrap_or_default();
        let is_behind = self.is_behind;
        let step = match self.program.ranges.get(start..end) {
            Some(&[(first, last)]) if first == last => {
                char::from_u32(first).map(|c| Step::Char { c, is_behind })
            }
            _ => None,
        };
        let class = Step::Class { start: short(start)?, end: short(end)?, is_behind };
        self.push(step.unwrap_or(class))?;
        Ok(())
    }

    fn either(&mut self, nodes: &[Node]) -> Result<(), Invalid> {
        let mut ends = Vec::new();
        for (at, node) in nodes.iter().enumerate() {
            if at + 1 == nodes.len() {
                self.node(node)?;
                break;
            }
            let fork = self.push(Step::Match)?;
            self.node(node)?;
            ends.push(self.push(Step::Match)?);
            let next = self.here()?;
            self.set(fork, Step::Fork(short(fork)? + 1, next));
        }
        let end = self.here()?;
        ends.into_iter().for_each(|jump| self.set(jump, Step::Jump(end)));
        Ok(())
    }

    fn repeat(
        &mut self,
        node: &Node,
        min: u32,
        max: Option<u32>,
        is_greedy: bool,
    ) -> Result<(), Invalid> {
        let start = self.program.steps.len();
        for done in 0..min {
            self.node(node)?;
            // What is nothing once is nothing any number of times.
            if done == 0 && self.program.steps.len() == start {
                return Ok(());
            }
        }
        match max {
            None => self.star(node, is_greedy),
            Some(max) => self.optional(node, max - min, is_greedy),
        }
    }

    fn fork(&mut self, at: usize, end: u32, is_greedy: bool) -> Result<(), Invalid> {
        let inside = short(at)? + 1;
        self.set(at, if is_greedy { Step::Fork(inside, end) } else { Step::Fork(end, inside) });
        Ok(())
    }

    fn star(&mut self, node: &Node, is_greedy: bool) -> Result<(), Invalid> {
        let fork = self.push(Step::Match)?;
        // One way after the other, a round that reads nothing could be repeated for ever.
        let slot = if !self.program.is_regular && is_nullable(node) {
            let slot = short(self.slots)?;
            self.slots += 1;
            self.push(Step::Save(slot))?;
            Some(slot)
        } else {
            None
        };
        self.node(node)?;
        if let Some(slot) = slot {
            self.push(Step::Progress(slot))?;
        }
        self.push(Step::Jump(short(fork)?))?;
        let end = self.here()?;
        self.fork(fork, end, is_greedy)
    }

    fn optional(&mut self, node: &Node, times: u32, is_greedy: bool) -> Result<(), Invalid> {
        let mut forks = Vec::new();
        for _ in 0..times {
            forks.push(self.push(Step::Match)?);
            let start = self.program.steps.len();
            self.node(node)?;
            if self.program.steps.len() == start {
                break;
            }
        }
        let end = self.here()?;
        forks.into_iter().try_for_each(|fork| self.fork(fork, end, is_greedy))
    }

    fn nested(&mut self, node: &Node, step: impl Fn(u32) -> Step) -> Result<(), Invalid> {
        let at = self.push(Step::Match)?;
        self.node(node)?;
        self.push(Step::Match)?;
        let end = self.here()?;
        self.set(at, step(end));
        Ok(())
    }
}
