//! Values of keywords: what is impossible is reported, what does not matter is dropped.

use hashbrown::HashSet;
use serde_json::{Map, Value, json};

use super::convert::Converter;
use super::keyword::Kind;
use crate::openapi::Node;
use crate::pattern;

/// Examples larger than this many bytes are dropped: they cost more than they tell.
const MAX_EXAMPLE: usize = 256;

const TYPES: [&str; 7] = ["string", "integer", "number", "boolean", "object", "array", "null"];

impl<'d> Converter<'d> {
    /// The value of a keyword that holds no schemas, ready to use; `None` drops the keyword.
    pub(super) fn plain_value(&mut self, kind: Kind, node: &Node<'d>) -> Option<Value> {
        let value = node.value;
        match kind {
            Kind::Prose => value.is_string().then(|| value.clone()),
            Kind::Mark => (value == &Value::Bool(true)).then_some(Value::Bool(true)),
            Kind::Data => Some(value.clone()),
            Kind::DataList => Some(Value::Array(distinct(self.expect_list(node)?))),
            Kind::Text => self.expect(value.is_string(), node, "expected a string"),
            Kind::Flag => self.expect(value.is_boolean(), node, "expected true or false"),
            Kind::Number => self.expect(value.is_number(), node, "expected a number"),
            Kind::Count => self.count(node),
            Kind::Pattern => {
                self.expect(value.is_string(), node, "expected a regular expression")?;
                self.check_pattern(value.as_str()?, node).then(|| value.clone())
            }
            Kind::Names => self.names(node),
            Kind::NamesMap => self.names_map(node),
            Kind::InPlace
            | Kind::InPlaceList
            | Kind::InPlaceMap
            | Kind::Child
            | Kind::ChildList
            | Kind::ChildMap => None,
        }
    }

    /// `type` as one name or a list of distinct names.
    pub(super) fn type_value(&mut self, node: &Node<'d>) -> Option<Value> {
        let names: Vec<&Value> = match node.value {
            Value::Array(names) => names.iter().collect(),
            name => vec![name],
        };
        let is_type = |name: &&Value| name.as_str().is_some_and(|name| TYPES.contains(&name));
        if let Some(wrong) = names.iter().find(|name| !is_type(name)) {
            let message = format!("`{wrong}` is not a type, expected one of {}", TYPES.join(", "));
            self.problem(node, message);
            return None;
        }
        match distinct(names).as_slice() {
            [] => self.expect(false, node, "expected at least one type"),
            [name] if !node.value.is_array() => Some(name.clone()),
            names => Some(Value::Array(names.to_vec())),
        }
    }

    /// Whether a regular expression compiles; reported when it does not.
    pub(super) fn check_pattern(&mut self, text: &str, at: &Node<'_>) -> bool {
        if self.document.good_patterns.borrow().contains(text) {
            return true;
        }
        let compiles = pattern::options().build(&json!({ "pattern": text })).is_ok();
        if compiles {
            self.document.good_patterns.borrow_mut().insert(text.to_owned());
        } else {
            let message = format!("`{text}` is not a regular expression that can be checked");
            self.problem(at, message);
        }
        compiles
    }

    /// `multipleOf`, which must be above zero.
    pub(super) fn divisor(&mut self, node: &Node<'d>) -> Option<Value> {
        let is_positive = node.value.as_f64().is_some_and(|number| number > 0.0);
        self.expect(is_positive, node, "expected a number above zero")
    }

    fn count(&mut self, node: &Node<'d>) -> Option<Value> {
        let whole = node.value.as_u64().or_else(|| integral(node.value.as_f64()?));
        self.expect(whole.is_some(), node, "expected a whole number that is not negative")?;
        whole.map(Value::from)
    }

    fn names(&mut self, node: &Node<'d>) -> Option<Value> {
        let names = self.expect_list(node)?;
        let all_names = names.iter().all(Value::is_string);
        self.expect(all_names, node, "expected a list of property names")?;
        Some(Value::Array(distinct(names)))
    }

    fn names_map(&mut self, node: &Node<'d>) -> Option<Value> {
        self.expect(node.value.is_object(), node, "expected lists of property names by name")?;
        let lists =
            node.members().filter_map(|(name, list)| Some((name.to_owned(), self.names(&list)?)));
        Some(Value::Object(lists.collect::<Map<_, _>>()))
    }

    fn expect_list(&mut self, node: &Node<'d>) -> Option<&'d [Value]> {
        self.expect(node.value.is_array(), node, "expected a list")?;
        node.value.as_array().map(Vec::as_slice)
    }

    /// The value of the node if it is as expected.
    fn expect(&mut self, as_expected: bool, node: &Node<'d>, message: &str) -> Option<Value> {
        if !as_expected {
            self.problem(node, message);
            return None;
        }
        Some(node.value.clone())
    }
}

/// Whether an example is small enough to keep.
pub(super) fn is_small_example(value: &Value) -> bool {
    value.to_string().len() <= MAX_EXAMPLE
}

/// The values without repetitions, in order.
fn distinct<'v>(values: impl IntoIterator<Item = &'v Value>) -> Vec<Value> {
    let mut seen = HashSet::new();
    values.into_iter().filter(|value| seen.insert(value.to_string())).cloned().collect()
}

fn integral(number: f64) -> Option<u64> {
    const LIMIT: f64 = 9_007_199_254_740_992.0;
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "whole, not negative and below 2^53"
    )]
    (number.fract() == 0.0 && (0.0..LIMIT).contains(&number)).then_some(number as u64)
}
