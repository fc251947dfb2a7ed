//! What a query selects.

use std::cmp::Ordering;

use serde_json::Value;

use super::path::{Comparison, Operand, Path, Query, Segment, Selector, Test};

/// Values that one query may look at.
const MOST_VISITS: usize = 5_000_000;
/// Values that one query may select.
const MOST_PLACES: usize = 200_000;

/// One step from a value to one in it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Key {
    Index(usize),
    Name(String),
}

/// The way from the root to a value.
pub(super) type Place = Vec<Key>;

#[derive(Debug, Clone)]
struct Node<'v> {
    value: &'v Value,
    place: Place,
}

/// The places that a path selects, none twice.
///
/// # Errors
/// The query costs too much.
pub(super) fn places(document: &Value, path: &Path) -> Result<Vec<Place>, String> {
    let mut search = Search { root: document, visits: 0 };
    let nodes = search.run(document, &path.segments);
    let mut places: Vec<Place> = nodes?.into_iter().map(|node| node.place).collect();
    let count = places.len();
    let mut seen = std::collections::BTreeSet::new();
    if count > 1 {
        places.retain(|place| seen.insert(place.clone()));
    }
    Ok(places)
}

struct Search<'v> {
    root: &'v Value,
    visits: usize,
}

impl<'v> Search<'v> {
    fn run(&mut self, start: &'v Value, segments: &[Segment]) -> Result<Vec<Node<'v>>, String> {
        let mut nodes = vec![Node { value: start, place: Vec::new() }];
        for segment in segments {
            let mut next = Vec::new();
            for node in nodes {
                let mut place = node.place;
                self.segment(node.value, segment, &mut place, &mut next)?;
            }
            nodes = next;
        }
        Ok(nodes)
    }

    /// Recursion ends with the document, which is at most 128 levels deep.
    fn segment(
        &mut self,
        value: &'v Value,
        segment: &Segment,
        place: &mut Place,
        out: &mut Vec<Node<'v>>,
    ) -> Result<(), String> {
        for selector in &segment.selectors {
            self.select(value, selector, place, out)?;
        }
        if segment.is_deep {
            for (key, child) in children(value) {
                place.push(key);
                self.segment(child, segment, place, out)?;
                place.pop();
            }
        }
        Ok(())
    }

    fn select(
        &mut self,
        value: &'v Value,
        selector: &Selector,
        place: &Place,
        out: &mut Vec<Node<'v>>,
    ) -> Result<(), String> {
        self.visit(1)?;
        match selector {
            Selector::Name(name) => {
                if let Some(child) = value.as_object().and_then(|map| map.get(name)) {
                    push(out, child, place, Key::Name(name.clone()))?;
                }
            }
            Selector::Index(index) => {
                let items = value.as_array().map_or(&[][..], Vec::as_slice);
                let index = match usize::try_from(*index) {
                    Ok(index) => Some(index),
                    Err(_) => usize::try_from(index.unsigned_abs())
                        .ok()
                        .and_then(|back| items.len().checked_sub(back)),
                };
                if let Some((index, child)) = index.and_then(|at| Some((at, items.get(at)?))) {
                    push(out, child, place, Key::Index(index))?;
                }
            }
            Selector::Wildcard | Selector::Filter(_) => {
                for (key, child) in children(value) {
                    self.visit(1)?;
                    let is_taken = match selector {
                        Selector::Filter(test) => self.passes(child, test)?,
                        _ => true,
                    };
                    if is_taken {
                        push(out, child, place, key)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn passes(&mut self, value: &'v Value, test: &Test) -> Result<bool, String> {
        Ok(match test {
            Test::Any(tests) => {
                for test in tests {
                    if self.passes(value, test)? {
                        return Ok(true);
                    }
                }
                false
            }
            Test::All(tests) => {
                for test in tests {
                    if !self.passes(value, test)? {
                        return Ok(false);
                    }
                }
                true
            }
            Test::Not(test) => !self.passes(value, test)?,
            Test::Exists(query) => !self.query(value, query)?.is_empty(),
            Test::Compare(left, comparison, right) => {
                let found = self.operand(value, left)?;
                let left = found.or(literal(left));
                let found = self.operand(value, right)?;
                compare(left, *comparison, found.or(literal(right)))
            }
        })
    }

    fn operand(
        &mut self,
        value: &'v Value,
        operand: &Operand,
    ) -> Result<Option<&'v Value>, String> {
        match operand {
            Operand::Literal(_) => Ok(None),
            Operand::Query(query) => Ok(self.query(value, query)?.first().map(|node| node.value)),
        }
    }

    fn query(&mut self, value: &'v Value, query: &Query) -> Result<Vec<Node<'v>>, String> {
        self.run(if query.is_absolute { self.root } else { value }, &query.segments)
    }

    fn visit(&mut self, count: usize) -> Result<(), String> {
        self.visits += count;
        if self.visits > MOST_VISITS {
            return Err(format!("the target looks at more than {MOST_VISITS} values; narrow it"));
        }
        Ok(())
    }
}

fn push<'v>(
    out: &mut Vec<Node<'v>>,
    value: &'v Value,
    place: &Place,
    key: Key,
) -> Result<(), String> {
    if out.len() >= MOST_PLACES {
        return Err(format!("the target selects more than {MOST_PLACES} values; narrow it"));
    }
    let mut place = place.clone();
    place.push(key);
    out.push(Node { value, place });
    Ok(())
}

fn children(value: &Value) -> Vec<(Key, &Value)> {
    match value {
        Value::Array(items) => {
            items.iter().enumerate().map(|(index, item)| (Key::Index(index), item)).collect()
        }
        Value::Object(map) => {
            map.iter().map(|(name, member)| (Key::Name(name.clone()), member)).collect()
        }
        _ => Vec::new(),
    }
}

fn literal(operand: &Operand) -> Option<&Value> {
    match operand {
        Operand::Literal(value) => Some(value),
        Operand::Query(_) => None,
    }
}

/// RFC 9535 §2.3.5.2.2; `None` is the result of a query that selects nothing.
fn compare(left: Option<&Value>, comparison: Comparison, right: Option<&Value>) -> bool {
    let order = order(left, right);
    let is_equal = order == Some(Ordering::Equal) || left == right;
    match comparison {
        Comparison::Equal => is_equal,
        Comparison::Unequal => !is_equal,
        Comparison::Less => order == Some(Ordering::Less),
        Comparison::Greater => order == Some(Ordering::Greater),
        Comparison::LessOrEqual => is_equal || order == Some(Ordering::Less),
        Comparison::GreaterOrEqual => is_equal || order == Some(Ordering::Greater),
    }
}

/// The order of two numbers or two texts.
fn order(left: Option<&Value>, right: Option<&Value>) -> Option<Ordering> {
    match (left?, right?) {
        (Value::Number(left), Value::Number(right)) => left.as_f64()?.partial_cmp(&right.as_f64()?),
        (Value::String(left), Value::String(right)) => Some(left.cmp(right)),
        _ => None,
    }
}
