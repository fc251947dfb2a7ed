//! Annotations of operations, parameters and response properties.

use serde_json::{Map, Number, Value};

use super::{
    Localized, Profiles,
    read::{Choice, Fields},
};
use crate::json::Pointer;

/// `x-agent` of an operation, or one of its views: what one tool looks like.
#[derive(Debug, Clone, PartialEq)]
pub struct OperationAnnotation {
    /// Place of the annotation (of the view) in the document.
    pub pointer: Pointer,
    /// Profiles of the tool; `None` to inherit them from the tags.
    pub profiles: Option<Profiles>,
    /// Name of the tool without the prefix.
    pub name: Option<String>,
    /// Title of the tool.
    pub title: Option<Localized>,
    /// Description of the tool.
    pub description: Option<Localized>,
    /// Example arguments.
    pub examples: Vec<Value>,
    /// MCP tool annotations to set.
    pub annotations: Map<String, Value>,
    /// Overrides by API parameter name, in document order.
    pub params: Vec<(String, ParamOverride)>,
    /// Values sent on every call and never shown.
    pub fixed: Map<String, Value>,
    /// How the request body reaches the arguments.
    pub body: BodyMode,
    /// The only body properties that are offered, in this order.
    pub body_fields: Option<Vec<String>>,
    /// Projection and rendering of the response.
    pub response: ResponseAnnotation,
    /// Form tools instead of a plain tool.
    pub editor: Option<Editor>,
}

/// How a request body reaches the arguments of a tool.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum BodyMode {
    /// Each property is an argument.
    #[default]
    Flat,
    /// One argument `body`, described by a short listing.
    Compact,
}

/// `response` of an operation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ResponseAnnotation {
    /// Key of the array of rows: the one segment of the pointer, unescaped (RFC 6901).
    pub rows: Option<String>,
    /// Fields of the concise presentation.
    pub concise: Option<Vec<String>>,
    /// Fields of the detailed presentation.
    pub detailed: Option<Choice>,
    /// API parameter that selects the fields of the response.
    pub select_param: Option<String>,
    /// Show `meta.hints` as footnotes.
    pub hints: bool,
}

/// `editor` of a write operation.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Editor {
    /// Operation whose response is the JSON Schema of the body; the declared one when absent.
    pub schema_operation: Option<String>,
    /// Parameter values for the schema operation.
    pub schema_params: Map<String, Value>,
    /// Operation that loads the current document; a new one is created when absent.
    pub read_operation: Option<String>,
}

/// Overrides of one parameter, from its definition and from the operation's `params`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ParamOverride {
    /// Name of the argument.
    pub name: Option<String>,
    /// Description that replaces the inherited one.
    pub description: Option<Localized>,
    /// Leave the parameter out of the arguments and of requests.
    pub exclude: Option<bool>,
    /// Default value; `Some(null)` is the default `null`.
    pub default: Option<Value>,
    /// Largest allowed number.
    pub maximum: Option<Number>,
    /// The only allowed values.
    pub enumeration: Option<Vec<Value>>,
    /// Whether the argument must be given.
    pub required: Option<bool>,
}

/// `x-agent` of a schema property.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SchemaAnnotation {
    /// Note rendered next to the value.
    pub hint: Option<Localized>,
    /// Never show the property.
    pub exclude: bool,
}

impl OperationAnnotation {
    /// Reads the annotation of an operation: one, or one for each view.
    ///
    /// `pointer` is the place of `value` in the document.
    pub fn read_all(value: &Value, pointer: &Pointer) -> Vec<Self> {
        match value {
            Value::Array(views) => views
                .iter()
                .enumerate()
                .map(|(index, view)| Self::read(view, pointer.join(index)))
                .collect(),
            _ => vec![Self::read(value, pointer.clone())],
        }
    }

    fn read(value: &Value, pointer: Pointer) -> Self {
        let fields = Fields::of(Some(value));
        Self {
            pointer,
            profiles: fields.choice("profiles"),
            name: fields.text("name"),
            title: fields.localized("title"),
            description: fields.localized("description"),
            examples: fields.list("examples").to_vec(),
            annotations: fields.map("annotations"),
            params: fields
                .entries("params")
                .map(|(name, value)| (name.clone(), ParamOverride::read(value)))
                .collect(),
            fixed: fields.map("fixed"),
            body: BodyMode::read(fields.get("body")),
            body_fields: fields.names("bodyFields"),
            response: ResponseAnnotation::read(fields.get("response")),
            editor: fields.get("editor").and_then(Editor::read),
        }
    }
}

impl BodyMode {
    fn read(value: Option<&Value>) -> Self {
        match value.and_then(Value::as_str) {
            Some("compact") => Self::Compact,
            _ => Self::Flat,
        }
    }
}

impl ResponseAnnotation {
    fn read(value: Option<&Value>) -> Self {
        let fields = Fields::of(value);
        Self {
            rows: fields.get("rows").and_then(Value::as_str).and_then(segment),
            concise: fields.names("concise"),
            detailed: fields.choice("detailed"),
            select_param: fields.text("selectParam"),
            hints: fields.flag("hints").unwrap_or(false),
        }
    }
}

/// The only segment of a JSON Pointer, unescaped.
fn segment(pointer: &str) -> Option<String> {
    Some(pointer.strip_prefix('/')?.replace("~1", "/").replace("~0", "~"))
}

impl Editor {
    fn read(value: &Value) -> Option<Self> {
        if !matches!(value, Value::Bool(true) | Value::Object(_)) {
            return None;
        }
        let fields = Fields::of(Some(value));
        Some(Self {
            schema_operation: fields.text("schemaOperation"),
            schema_params: fields.map("schemaParams"),
            read_operation: fields.text("readOperation"),
        })
    }
}

impl ParamOverride {
    /// Reads an override, of a parameter definition or of an operation.
    pub fn read(value: &Value) -> Self {
        let fields = Fields::of(Some(value));
        Self {
            name: fields.text("name"),
            description: fields.localized("description"),
            exclude: fields.flag("exclude"),
            default: fields.get("default").cloned(),
            maximum: fields.get("maximum").and_then(Value::as_number).cloned(),
            enumeration: fields.get("enum").and_then(Value::as_array).cloned(),
            required: fields.flag("required"),
        }
    }

    /// These overrides (of the parameter) with those of the operation, which win key by key.
    #[must_use]
    pub fn merge(self, operation: Option<&Self>) -> Self {
        let Some(operation) = operation.cloned() else {
            return self;
        };
        Self {
            name: operation.name.or(self.name),
            description: operation.description.or(self.description),
            exclude: operation.exclude.or(self.exclude),
            default: operation.default.or(self.default),
            maximum: operation.maximum.or(self.maximum),
            enumeration: operation.enumeration.or(self.enumeration),
            required: operation.required.or(self.required),
        }
    }

    /// Whether the parameter is left out.
    pub fn excluded(&self) -> bool {
        self.exclude.unwrap_or(false)
    }
}

impl SchemaAnnotation {
    /// Reads the annotation of a schema; nothing is annotated when there is none.
    pub fn read(schema: &Value) -> Self {
        let fields = Fields::of(schema.get(super::KEY));
        Self { hint: fields.localized("hint"), exclude: fields.flag("exclude").unwrap_or(false) }
    }
}
