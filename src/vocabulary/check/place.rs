//! Where the OpenAPI Specification has objects, and which of them take an annotation.

use serde_json::Value;

/// What is expected at one place of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// One object.
    One(Kind),
    /// A list of objects.
    List(Kind),
    /// A map from names to objects.
    Map(Kind),
}

/// The objects of OpenAPI 3.0 to 3.2, as far as annotations can be in them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Document,
    Info,
    Server,
    Paths,
    PathItem,
    Operation,
    /// A path item of requests that the API sends: webhooks and callbacks.
    SentItem,
    /// A request that the API sends: it never becomes a tool.
    SentOperation,
    Parameter,
    Header,
    RequestBody,
    Responses,
    Response,
    MediaType,
    Encoding,
    Callback,
    Components,
    Tag,
    Schema,
    /// An object without further places.
    Leaf,
}

/// A place that takes an annotation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Annotation {
    Root,
    Tag,
    Operation,
    Parameter,
    Property,
}

impl Annotation {
    /// Name of its definition in the schema.
    pub(super) fn definition(self) -> &'static str {
        match self {
            Self::Root => "root",
            Self::Tag => "tag",
            Self::Operation => "operation",
            Self::Parameter => "parameter",
            Self::Property => "property",
        }
    }
}

impl Place {
    /// What is expected in the member `key` of `value`, which is at this place.
    pub(super) fn child(self, value: &Value, key: &str) -> Option<Self> {
        match (value, self) {
            (Value::Object(_), Self::One(kind)) => kind.child(key),
            (Value::Object(_), Self::Map(kind)) | (Value::Array(_), Self::List(kind)) => {
                Some(Self::One(kind))
            }
            // `items` of older drafts
            (Value::Array(_), Self::One(Kind::Schema)) => Some(self),
            _ => None,
        }
    }

    /// The same place below requests that the API sends.
    fn sent(self) -> Self {
        match self {
            Self::One(Kind::Operation) => Self::One(Kind::SentOperation),
            Self::Map(Kind::Operation) => Self::Map(Kind::SentOperation),
            other => other,
        }
    }
}

impl Kind {
    /// What `x-agent` means in this object; `None` where it means nothing.
    pub(super) fn annotation(self) -> Option<Annotation> {
        match self {
            Self::Document => Some(Annotation::Root),
            Self::Tag => Some(Annotation::Tag),
            Self::Operation => Some(Annotation::Operation),
            Self::Parameter => Some(Annotation::Parameter),
            Self::Schema => Some(Annotation::Property),
            _ => None,
        }
    }

    fn child(self, key: &str) -> Option<Place> {
        match self {
            Self::Document => document(key),
            Self::Components => component(key),
            Self::PathItem => path_item(key),
            Self::SentItem => path_item(key).map(Place::sent),
            Self::Operation | Self::SentOperation => operation(key),
            Self::Schema => schema(key),
            Self::Paths => key.starts_with('/').then_some(Place::One(Self::PathItem)),
            Self::Responses => named(key, Self::Response),
            Self::Callback => named(key, Self::SentItem),
            Self::Info => matches!(key, "contact" | "license").then_some(Place::One(Self::Leaf)),
            Self::Server => (key == "variables").then_some(Place::Map(Self::Leaf)),
            Self::Tag => (key == "externalDocs").then_some(Place::One(Self::Leaf)),
            _ => payload(self, key),
        }
    }
}

/// A member of an object whose names are free, except for extensions.
fn named(key: &str, kind: Kind) -> Option<Place> {
    (!key.starts_with("x-")).then_some(Place::One(kind))
}

fn document(key: &str) -> Option<Place> {
    Some(match key {
        "info" => Place::One(Kind::Info),
        "servers" => Place::List(Kind::Server),
        "paths" => Place::One(Kind::Paths),
        "webhooks" => Place::Map(Kind::SentItem),
        "components" => Place::One(Kind::Components),
        "tags" => Place::List(Kind::Tag),
        "externalDocs" => Place::One(Kind::Leaf),
        _ => return None,
    })
}

fn component(key: &str) -> Option<Place> {
    Some(Place::Map(match key {
        "schemas" => Kind::Schema,
        "responses" => Kind::Response,
        "parameters" => Kind::Parameter,
        "requestBodies" => Kind::RequestBody,
        "headers" => Kind::Header,
        "callbacks" => Kind::Callback,
        "pathItems" => Kind::PathItem,
        "mediaTypes" => Kind::MediaType,
        "links" | "securitySchemes" => Kind::Leaf,
        _ => return None,
    }))
}

fn path_item(key: &str) -> Option<Place> {
    Some(match key {
        "get" | "put" | "post" | "delete" | "options" | "head" | "patch" | "trace" | "query" => {
            Place::One(Kind::Operation)
        }
        "additionalOperations" => Place::Map(Kind::Operation),
        "parameters" => Place::List(Kind::Parameter),
        "servers" => Place::List(Kind::Server),
        _ => return None,
    })
}

fn operation(key: &str) -> Option<Place> {
    Some(match key {
        "parameters" => Place::List(Kind::Parameter),
        "requestBody" => Place::One(Kind::RequestBody),
        "responses" => Place::One(Kind::Responses),
        "callbacks" => Place::Map(Kind::Callback),
        "servers" => Place::List(Kind::Server),
        "externalDocs" => Place::One(Kind::Leaf),
        _ => return None,
    })
}

/// Parameters, headers, bodies, responses and what is in them.
fn payload(kind: Kind, key: &str) -> Option<Place> {
    Some(match (kind, key) {
        (Kind::Parameter | Kind::Header | Kind::MediaType, "schema")
        | (Kind::MediaType, "itemSchema") => Place::One(Kind::Schema),
        (Kind::Parameter | Kind::Header | Kind::RequestBody | Kind::Response, "content") => {
            Place::Map(Kind::MediaType)
        }
        (Kind::MediaType | Kind::Encoding, "encoding") => Place::Map(Kind::Encoding),
        (Kind::MediaType | Kind::Encoding, "itemEncoding") => Place::One(Kind::Encoding),
        (Kind::MediaType | Kind::Encoding, "prefixEncoding") => Place::List(Kind::Encoding),
        (Kind::Response | Kind::Encoding, "headers") => Place::Map(Kind::Header),
        (Kind::Response, "links") => Place::Map(Kind::Leaf),
        _ => return None,
    })
}

/// Keywords that hold schemas: JSON Schema 2020-12 and the older names still in use.
fn schema(key: &str) -> Option<Place> {
    Some(match key {
        "additionalItems"
        | "additionalProperties"
        | "contains"
        | "contentSchema"
        | "else"
        | "if"
        | "items"
        | "not"
        | "propertyNames"
        | "then"
        | "unevaluatedItems"
        | "unevaluatedProperties" => Place::One(Kind::Schema),
        "allOf" | "anyOf" | "oneOf" | "prefixItems" => Place::List(Kind::Schema),
        "$defs" | "definitions" | "dependencies" | "dependentSchemas" | "patternProperties"
        | "properties" => Place::Map(Kind::Schema),
        "discriminator" | "externalDocs" | "xml" => Place::One(Kind::Leaf),
        _ => return None,
    })
}
