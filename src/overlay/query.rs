//! What a query selects.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use serde_json::Value;

use super::path::{Comparison, Operand, Path, Query, Segment, Selector, Test};
use super::place::{self, Place};

/// Values that one query may look at.
const MOST_VISITS: usize = 5_000_000;
/// Values that one query may select.
const MOST_PLACES: usize = 200_000;

#[derive(Debug)]
struct Node<'v> {
    value: &'v Value,
    place: Place,
}

/// The places that a path selects, a value before those in it.
///
/// # Errors
/// The query costs too much.
pub(super) fn places(document: &Value, path: &Path) -> Result<BTreeSet<Place>, String> {
    let mut search = Search { root: document, visits: 0 };
    let nodes = search.run(document, &path.segments)?;
    Ok(nodes.into_iter().map(|node| node.place).collect())
}

struct Search<'v> {
    root: &'v Value,
    visits: usize,
}

impl<'v> Search<'v> {
    fn run(&mut self, start: &'v Value, segments: &[Segment]) -> Result<Vec<Node<'v>>, String> {
        let mut nodes = vec![Node { value: start, place: Place::new() }];
        for segment in segments {
            let mut next = Vec::new();
            for mut node in nodes {
                self.segment(node.value, segment, &mut node.place, &mut next)?;
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
            self.each_child(value, place, &mut |search, child, place| {
                search.segment(child, segment, place, out)
            })?;
        }
        Ok(())
    }

    fn select(
        &mut self,
        value: &'v Value,
        selector: &Selector,
        place: &mut Place,
        out: &mut Vec<Node<'v>>,
    ) -> Result<(), String> {
        self.visit()?;
        match selector {
            Selector::Name(name) => {
                if let Some(child) = value.as_object().and_then(|map| map.get(name)) {
                    let length = place.len();
                    place::push_name(place, name);
                    push(out, child, place)?;
                    place.truncate(length);
                }
            }
            Selector::Index(index) => {
                let items = value.as_array().map_or(&[][..], Vec::as_slice);
                let from_end =
                    || items.len().checked_sub(usize::try_from(index.unsigned_abs()).ok()?);
                let index = usize::try_from(*index).ok().or_else(from_end);
                if let Some((index, child)) = index.and_then(|at| Some((at, items.get(at)?))) {
                    let length = place.len();
                    place::push_index(place, index);
                    push(out, child, place)?;
                    place.truncate(length);
                }
            }
            Selector::Wildcard => {
                self.each_child(value, place, &mut |_, child, place| push(out, child, place))?;
            }
            Selector::Filter(test) => {
                self.each_child(value, place, &mut |search, child, place| {
                    if search.passes(child, test)? { push(out, child, place) } else { Ok(()) }
                })?;
            }
        }
        Ok(())
    }

    /// Calls `take` for each value in an object or a list.
    fn each_child(
        &mut self,
        value: &'v Value,
        place: &mut Place,
        take: &mut dyn FnMut(&mut Self, &'v Value, &mut Place) -> Result<(), String>,
    ) -> Result<(), String> {
        let length = place.len();
        match value {
            Value::Array(items) => {
                for (index, child) in items.iter().enumerate() {
                    self.visit()?;
                    place::push_index(place, index);
                    take(self, child, place)?;
                    place.truncate(length);
                }
            }
            Value::Object(map) => {
                for (name, child) in map {
                    self.visit()?;
                    place::push_name(place, name);
                    take(self, child, place)?;
                    place.truncate(length);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
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

    fn visit(&mut self) -> Result<(), String> {
        self.visits += 1;
        if self.visits > MOST_VISITS {
            return Err(format!("the target looks at more than {MOST_VISITS} values; narrow it"));
        }
        Ok(())
    }
}

fn push<'v>(out: &mut Vec<Node<'v>>, value: &'v Value, place: &Place) -> Result<(), String> {
    if out.len() >= MOST_PLACES {
        return Err(format!("the target selects more than {MOST_PLACES} values; narrow it"));
    }
    out.push(Node { value, place: place.clone() });
    Ok(())
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
