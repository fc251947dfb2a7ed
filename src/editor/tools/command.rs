//! What a call asks for.

use serde_json::{Map, Value};

use super::words;
use crate::{
    editor::state::{Locale, Phrase},
    json,
};

/// The eight tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are the tools'")]
pub enum Verb {
    GetData,
    SetData,
    DescribeState,
    SetFieldValue,
    GetFieldSuggestions,
    EditArray,
    SaveForm,
    ReloadForm,
}

impl Verb {
    /// All tools in the order of their listing.
    pub const ALL: [Self; 8] = [
        Self::GetData,
        Self::SetData,
        Self::DescribeState,
        Self::SetFieldValue,
        Self::GetFieldSuggestions,
        Self::EditArray,
        Self::SaveForm,
        Self::ReloadForm,
    ];

    /// Name of the tool behind its prefix.
    pub fn name(self) -> &'static str {
        match self {
            Self::GetData => "getData",
            Self::SetData => "setData",
            Self::DescribeState => "describeState",
            Self::SetFieldValue => "setFieldValue",
            Self::GetFieldSuggestions => "getFieldSuggestions",
            Self::EditArray => "editArray",
            Self::SaveForm => "saveForm",
            Self::ReloadForm => "reloadForm",
        }
    }

    /// The tool of a name without its prefix.
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|verb| verb.name() == name)
    }
}

/// One call with its arguments checked.
#[derive(Debug, Clone, PartialEq)]
pub enum Command {
    /// Read the document, or the part at a path.
    GetData {
        /// Path in the form or the data; empty for the whole.
        path: String,
    },
    /// Write many fields.
    SetData {
        /// The values.
        data: Map<String, Value>,
        /// Keep what is not named.
        merge: bool,
    },
    /// Show fields with their values and errors.
    DescribeState {
        /// Path in the form or the data; `None` for the whole form.
        path: Option<String>,
    },
    /// Write one field.
    SetFieldValue {
        /// Path in the form or the data.
        path: String,
        /// The value.
        choice: Choice,
    },
    /// List what a field accepts.
    GetFieldSuggestions {
        /// Path in the form or the data.
        path: String,
        /// Text to search for.
        query: Option<String>,
    },
    /// Add or remove an item.
    EditArray {
        /// Path in the form or the data.
        path: String,
        /// What to do.
        action: Action,
        /// Where; a number that may be no index.
        index: Option<f64>,
    },
    /// Save the document.
    SaveForm,
    /// Load the document again.
    ReloadForm,
}

/// What a field is set to.
#[derive(Debug, Clone, PartialEq)]
pub enum Choice {
    /// A value; `null` clears.
    Value(Value),
    /// A suggestion by its index; a number that may be no index.
    Suggestion(f64),
}

/// What to do with an array.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// Insert an item.
    Add(Option<Value>),
    /// Remove an item.
    Remove,
}

impl Command {
    /// Reads the arguments of a call, without the path parameters of the operation. Values that are
    /// JSON in a text are read as JSON.
    ///
    /// # Errors
    /// A sentence that says which argument is missing or wrong.
    pub fn parse(
        verb: Verb,
        arguments: &Map<String, Value>,
        locale: Locale,
    ) -> Result<Self, String> {
        let read = Arguments { arguments, locale };
        Ok(match verb {
            Verb::GetData => Self::GetData { path: read.text("path")?.unwrap_or_default() },
            Verb::DescribeState => Self::DescribeState { path: read.text("path")? },
            Verb::SetData => Self::SetData { data: read.data()?, merge: read.merge() },
            Verb::SetFieldValue => Self::SetFieldValue {
                path: read.path(&words::PATH_REQUIRED)?,
                choice: read.choice()?,
            },
            Verb::GetFieldSuggestions => Self::GetFieldSuggestions {
                path: read.path(&words::PATH_REQUIRED)?,
                query: read.query(),
            },
            Verb::EditArray => Self::EditArray {
                path: read.path(&words::ACTION_REQUIRED)?,
                action: read.action()?,
                index: read.number("index")?,
            },
            Verb::SaveForm => Self::SaveForm,
            Verb::ReloadForm => Self::ReloadForm,
        })
    }
}

/// The arguments of one call.
struct Arguments<'a> {
    arguments: &'a Map<String, Value>,
    locale: Locale,
}

impl Arguments<'_> {
    fn get(&self, name: &str) -> Option<&Value> {
        self.arguments.get(name)
    }

    fn fail<T>(&self, phrase: &Phrase, parts: &[&str]) -> Result<T, String> {
        Err(phrase.say(self.locale, parts))
    }

    fn text(&self, name: &str) -> Result<Option<String>, String> {
        match self.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(_) => self.fail(&words::PATH_TEXT, &[]),
        }
    }

    fn path(&self, missing: &Phrase) -> Result<String, String> {
        match self.text("path")? {
            Some(path) => Ok(path),
            None => self.fail(missing, &[]),
        }
    }

    fn data(&self) -> Result<Map<String, Value>, String> {
        match self.get("data").map(unwrap_json) {
            Some(Value::Object(data)) => Ok(data),
            _ => self.fail(&words::DATA_REQUIRED, &[]),
        }
    }

    fn merge(&self) -> bool {
        self.get("merge") != Some(&Value::Bool(false))
    }

    fn choice(&self) -> Result<Choice, String> {
        match (self.get("value"), self.number("suggestionIndex")?) {
            (Some(_), Some(_)) => self.fail(&words::VALUE_EXCLUSIVE, &[]),
            (Some(value), None) => Ok(Choice::Value(unwrap_json(value))),
            (None, Some(index)) => Ok(Choice::Suggestion(index)),
            (None, None) => self.fail(&words::VALUE_REQUIRED, &[]),
        }
    }

    fn query(&self) -> Option<String> {
        let query = self.get("query")?;
        let query = query.as_str().map_or_else(|| query.to_string(), str::to_owned);
        Some(query).filter(|query| !query.is_empty() && query != "null")
    }

    fn action(&self) -> Result<Action, String> {
        match self.get("action") {
            Some(Value::String(action)) if action == "add" => {
                Ok(Action::Add(self.get("value").map(unwrap_json)))
            }
            Some(Value::String(action)) if action == "remove" => Ok(Action::Remove),
            None | Some(Value::Null) => self.fail(&words::ACTION_REQUIRED, &[]),
            Some(other) => self.fail(&words::ACTION_UNKNOWN, &[&other.to_string()]),
        }
    }

    fn number(&self, name: &str) -> Result<Option<f64>, String> {
        match self.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => match value.as_f64() {
                Some(number) => Ok(Some(number)),
                None => self.fail(&words::NUMBER_EXPECTED, &[name]),
            },
        }
    }
}

/// A value; one that is an object or array written as text is read.
fn unwrap_json(value: &Value) -> Value {
    let text = value.as_str().map(str::trim).filter(|text| {
        text.starts_with('{') && text.ends_with('}') || text.starts_with('[') && text.ends_with(']')
    });
    text.and_then(|text| json::parse(text.as_bytes()).ok()).unwrap_or_else(|| value.clone())
}
