//! One tool: what the agent is offered, and how a call becomes one upstream request and a result.
//!
//! Everything here was decided at load. A [`Tool`] travels as JSON inside the compiled tool set
//! (`toolset`) and is opened on first use in each worker.

pub(crate) mod graph;
pub(crate) mod template;

pub use template::Template;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A tool as compiled from the document, with everything `tools/list` shows and `tools/call` needs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Tool {
    /// Name offered to agents, `^[A-Za-z0-9_.-]{1,64}$`.
    pub name: String,
    /// Title in the route's language.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Description in the route's language; never empty.
    pub description: String,
    /// JSON Schema 2020-12 of the arguments, as offered; its root has `type: object`.
    pub input_schema: Value,
    /// The schema that arguments are checked against, where the offered one says less.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exact_schema: Option<Value>,
    /// JSON Schema of the result as it is from 2026-07-28 on (any root type); absent without
    /// `structuredContent`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<Value>,
    /// MCP tool annotations.
    pub annotations: Map<String, Value>,
    /// Example arguments, passed on in `_meta`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<Value>,
    /// Arguments mirrored in `Mcp-Param-*` headers (`x-mcp-header`): argument name → header suffix.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub param_headers: Map<String, Value>,
    /// How a call is executed.
    pub plan: Plan,
}

impl Tool {
    /// The schema that arguments are checked against.
    pub fn checked_schema(&self) -> &Value {
        self.exact_schema.as_ref().unwrap_or(&self.input_schema)
    }
}

/// How a tool is executed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Plan {
    /// One request to one operation of the API.
    Operation(Box<OperationPlan>),
    /// A step in an editing session.
    Editor(Box<EditorPlan>),
}

impl Plan {
    /// The operation, when the tool is one request to it.
    pub fn operation(&self) -> Option<&OperationPlan> {
        match self {
            Self::Operation(plan) => Some(plan),
            Self::Editor(_) => None,
        }
    }
}

/// One of the eight tools of a form.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EditorPlan {
    /// Name of the tool behind its prefix, such as `setFieldValue`.
    pub verb: String,
    /// Name of the tool of the same form that has `form`.
    pub holder: String,
    /// The form; only one of the eight tools has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub form: Option<FormPlan>,
}

/// What the eight tools of a form share.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FormPlan {
    /// Title of the form, as sentences name it.
    pub title: String,
    /// What the names of the eight tools start with.
    pub prefix: String,
    /// Language of the texts.
    pub locale: String,
    /// Base URL of the API with a final slash.
    pub base_url: String,
    /// Arguments that say which document is edited, in the order of the path.
    pub identifiers: Vec<String>,
    /// Where the schema of the document comes from.
    pub schema: FormSchema,
    /// Loads the document; a new one starts empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read: Option<OperationPlan>,
    /// Saves the document, which is the argument [`FormPlan::DOCUMENT`].
    pub write: OperationPlan,
    /// What the answers of the API hold that agents do not see; node 0 is the document.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hidden: Vec<Shape>,
}

impl FormPlan {
    /// The argument of [`FormPlan::write`] that is the document; no API parameter has this name.
    pub const DOCUMENT: &str = "\u{0}document";

    /// What of the document agents neither see nor set. What a form creates is the agent's own.
    pub fn concealed(&self) -> &[Shape] {
        if self.read.is_some() { &self.hidden } else { &[] }
    }

    /// Members of the document that have the same value in each save.
    pub fn fixed(&self) -> Option<&Map<String, Value>> {
        self.write.body.as_ref().map(|body| &body.fixed)
    }

    /// What may be sent to the API.
    pub fn operations(&self) -> impl Iterator<Item = &OperationPlan> {
        let schema = match &self.schema {
            FormSchema::Fetched(plan) => Some(&**plan),
            FormSchema::Declared { .. } => None,
        };
        [Some(&self.write), self.read.as_ref(), schema].into_iter().flatten()
    }

    /// Whether each save makes another document.
    pub fn creates(&self) -> bool {
        self.read.is_none() && self.write.method == "POST"
    }
}

/// Where the schema of a form comes from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum FormSchema {
    /// The document of the API has it.
    Declared {
        /// Digest of the schema.
        version: String,
        /// The schema, self-contained.
        schema: Value,
    },
    /// The response of this operation is the schema.
    Fetched(Box<OperationPlan>),
}

/// One API operation: how arguments become a request and a response becomes a result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OperationPlan {
    /// Name of the configured upstream.
    pub upstream: String,
    /// JSON Pointer of the operation in its document, for messages and logs.
    pub pointer: String,
    /// HTTP method, upper case.
    pub method: String,
    /// Path of the base URL without a trailing slash, percent-encoded; empty for the root.
    pub base_path: String,
    /// Path template as in the document (`/books/{bookId}`); every `{name}` has a path parameter.
    pub path: Template,
    /// Parameters in binding order; query parameters are sent in this order.
    pub parameters: Vec<ParameterPlan>,
    /// The request body, if the operation takes one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<BodyPlan>,
    /// Origin of the configured server that is called instead of the upstream's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// Alternatives of credentials, in order of preference; of one alternative all are sent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub credentials: Vec<Vec<CredentialPlan>>,
    /// What to do with the response.
    pub response: ResponsePlan,
}

/// A credential that is configured for the upstream: where it goes. Its value is not part of the plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CredentialPlan {
    /// Name of the security scheme.
    pub scheme: String,
    /// Header, query or cookie.
    pub place: Place,
    /// Name there; of a header in lower case.
    pub name: String,
    /// What stands before the value and a space: the scheme of `authorization`; empty for nothing.
    pub prefix: String,
}

/// Where a parameter goes (OpenAPI 3.1 §4.8.12 `in`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Place {
    /// A `{name}` of the path template.
    Path,
    /// The query string.
    Query,
    /// A header field.
    Header,
    /// The `cookie` header.
    Cookie,
    /// The whole query string (OpenAPI 3.2 `in: querystring`); such a parameter has a `content`.
    Querystring,
}

/// How a structured value is written (OpenAPI 3.1 §4.8.12.3; `cookie` is OpenAPI 3.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[allow(missing_docs, reason = "the names are OpenAPI's")]
pub enum Style {
    Simple,
    Label,
    Matrix,
    Form,
    SpaceDelimited,
    PipeDelimited,
    DeepObject,
    Cookie,
}

/// One API parameter: where its value comes from and how it is written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ParameterPlan {
    /// Name in the API.
    pub name: String,
    /// Where it goes.
    pub place: Place,
    /// How it is written.
    pub style: Style,
    /// OpenAPI `explode`.
    pub explode: bool,
    /// OpenAPI `allowReserved`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub allow_reserved: bool,
    /// Media type of a `content` parameter: the value is serialised as a whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// Where the value comes from.
    pub source: Source,
}

/// Where a value comes from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Source {
    /// The tool argument of this name; nothing is sent when it is absent.
    Argument(String),
    /// A fixed value that agents never see.
    Fixed(Value),
    /// The generated projection argument of this name (`response.selectParam`); when it is absent
    /// the fixed value, if there is one, is sent.
    Selection {
        /// Name of the generated argument, `fields` unless the API has one of that name.
        argument: String,
        /// `fixed` value of the same parameter.
        fallback: Option<Value>,
    },
}

/// The request body.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BodyPlan {
    /// Media type sent as `content-type`.
    pub media_type: String,
    /// How arguments make up the body.
    pub shape: BodyShape,
    /// Fixed properties of an object body; they win over arguments.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub fixed: Map<String, Value>,
    /// OpenAPI `requestBody.required`: an empty flat body is sent as `{}`.
    pub required: bool,
    /// Schema that validates a compact body before the request (JSON Schema 2020-12, self-contained).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<Value>,
    /// How properties of a form or multipart body are written, by name (OpenAPI 3.1 §4.8.15);
    /// properties without an entry follow the defaults of their type.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub encoding: Vec<(String, PropertyEncoding)>,
    /// The body in the other media types that a call can choose.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<BodyPlan>,
    /// Name of the generated argument that names the media type, where there are others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chosen_by: Option<String>,
}

impl BodyPlan {
    /// The body in the media type that the arguments choose, which by default is this one.
    pub fn chosen(&self, arguments: &Map<String, Value>) -> &Self {
        let Some(argument) = &self.chosen_by else { return self };
        let wanted = arguments.get(argument).and_then(Value::as_str);
        let mut others = self.others.iter();
        others.find(|other| Some(other.media_type.as_str()) == wanted).unwrap_or(self)
    }
}

/// How one property of a form or multipart body is written (OpenAPI 3.1 §4.8.15).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PropertyEncoding {
    /// Media type of the value; one concrete type, not a list or range.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content_type: Option<String>,
    /// Style of the value, when the document gives `style`, `explode` or `allowReserved`; it then
    /// decides instead of the media type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub style: Option<Style>,
    /// OpenAPI `explode`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub explode: bool,
    /// OpenAPI `allowReserved`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub allow_reserved: bool,
    /// Constant header fields of the part, besides its content type (multipart only).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub headers: Vec<(String, String)>,
    /// The argument holds bytes in base64, sent decoded, and in multipart bodies as a file.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub binary: bool,
}

/// How arguments make up the body.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum BodyShape {
    /// One argument is the whole body.
    Whole {
        /// Name of the argument.
        argument: String,
    },
    /// Each property has an argument, in the order of the schema.
    Flat {
        /// Pairs of argument name and body property name.
        properties: Vec<(String, String)>,
    },
}

/// What to do with the response.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ResponsePlan {
    /// Value of the `accept` header.
    pub accept: String,
    /// Key of the array of row objects, rendered as a table.
    pub rows: Option<String>,
    /// Fields of the concise presentation.
    pub concise: Option<Vec<String>>,
    /// Fields of the detailed presentation; `None` inside means every field.
    pub detailed: Option<Detailed>,
    /// Name of the generated `fields` argument, when there is one.
    pub fields_argument: Option<String>,
    /// Name of the generated `response_format` argument, when there is one.
    pub format_argument: Option<String>,
    /// Show `meta.hints` as footnotes.
    pub hints: bool,
    /// What the response schema says about rendering; node 0 is the root.
    pub shape: Vec<Shape>,
    /// Other roots, where successes have different schemas: status (0 for any), media type in lower
    /// case without parameters (empty for any), node of `shape`. The first that fits counts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cases: Vec<(u16, String, usize)>,
    /// Return `structuredContent` too.
    pub structured: bool,
    /// Truncation limit of rendered strings.
    pub max_string_length: usize,
    /// Truncation limit of error bodies.
    pub max_error_length: usize,
}

impl ResponsePlan {
    /// The node of [`Self::shape`] that describes an answer; `media_type` is in lower case, without
    /// parameters.
    pub fn root(&self, status: u16, media_type: &str) -> usize {
        let mut cases = self.cases.iter();
        let found = cases.find(|(code, name, _)| {
            (*code == 0 || *code == status) && (name.is_empty() || name == media_type)
        });
        found.map_or(0, |(.., node)| *node)
    }
}

/// Fields of the detailed presentation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Detailed {
    /// Every field.
    All,
    /// These fields, in this order.
    Fields(Vec<String>),
}

/// What a response schema says about rendering one value: a node of a graph, because schemas recurse.
///
/// References are indices into [`ResponsePlan::shape`]. The applicators `allOf`, `anyOf`, `oneOf`,
/// `if/then/else` and `$ref` are already merged into the node.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Shape {
    /// Declared properties in document order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub properties: Vec<Property>,
    /// Patterns of `patternProperties` (ECMAScript) and their nodes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub patterns: Vec<(String, Property)>,
    /// `additionalProperties` / `unevaluatedProperties`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub additional: Option<Box<Property>>,
    /// `items`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub items: Option<usize>,
    /// `prefixItems`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub prefix_items: Vec<usize>,
}

/// One property of a [`Shape`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Property {
    /// Name in the API; empty for patterns and additional properties.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// `x-agent.hint` in the route's language.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// `x-agent.exclude`, or `writeOnly`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub exclude: bool,
    /// Node of the property's value, when something is known about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node: Option<usize>,
}

/// What a tool call returns, before it is written for one protocol revision.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ToolResult {
    /// Content blocks, in order.
    pub content: Vec<Content>,
    /// `structuredContent` as it is from 2026-07-28 on; older revisions get it wrapped or not at all.
    pub structured: Option<Value>,
    /// Something the agent can react to went wrong.
    pub is_error: bool,
}

/// One content block (MCP 2025-11-25 `ContentBlock`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// Text.
    Text(String),
    /// An image.
    Image {
        /// The bytes.
        data: Vec<u8>,
        /// Media type.
        mime_type: String,
    },
    /// Audio.
    Audio {
        /// The bytes.
        data: Vec<u8>,
        /// Media type.
        mime_type: String,
    },
    /// Any other bytes, embedded as a resource.
    Resource {
        /// Identifier of the resource.
        uri: String,
        /// Media type.
        mime_type: String,
        /// The bytes.
        data: Vec<u8>,
    },
}

impl ToolResult {
    /// A successful result of one text block.
    pub fn text(text: impl Into<String>) -> Self {
        Self { content: vec![Content::Text(text.into())], ..Self::default() }
    }

    /// A failed result that tells the agent what went wrong and what to do.
    pub fn error(text: impl Into<String>) -> Self {
        Self { is_error: true, ..Self::text(text) }
    }
}
