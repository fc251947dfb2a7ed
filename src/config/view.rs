//! What shapes a tool set: the keys that a route and, on Envoy, route metadata may set.

use serde_json::Value;

use super::fields::Fields;
use super::units::count;
use super::words::expected;
use super::{Exposure, check, exposure, keys, metadata, stable};
use crate::json::Problem;

/// Everything that determines the tools of a route: equal options over equal documents give equal
/// tool sets.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ViewOptions {
    /// Names of the upstreams whose documents are composed, in order.
    pub upstreams: Vec<String>,
    /// Requested profiles; empty for the document's first declared one.
    pub profiles: Vec<String>,
    /// Language of agent-facing texts (BCP 47).
    pub locale: String,
    /// Prefix of tool names; `None` for the document's own, empty for none.
    pub name_prefix: Option<String>,
    /// Whether tools declare an output schema and return structured content.
    pub structured_content: bool,
    /// Longest string in rendered text, in UTF-16 units.
    pub max_string_length: usize,
    /// Longest part of an error response that is shown, in UTF-16 units.
    pub max_error_length: usize,
    /// What findings of the linter cost.
    pub lint: Lint,
    /// Whether findings that otherwise cost one operation refuse the document.
    pub strict: bool,
    /// Which JSON Schema features input schemas use.
    pub schema_profile: SchemaProfile,
    /// Tools in one page of `tools/list`.
    pub page_size: usize,
    /// Which operations become tools, and how agents come upon them.
    pub exposure: Exposure,
}

/// What findings of the linter cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Lint {
    /// The document is refused.
    #[default]
    Error,
    /// They are logged.
    Warn,
    /// The linter does not run.
    Off,
}

/// Which JSON Schema features input schemas use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum SchemaProfile {
    /// What strict clients accept: an object without combinators at the top, clean names.
    #[default]
    Portable,
    /// JSON Schema 2020-12 as the document has it.
    Full,
    /// Without `$ref`, `anyOf` and lists of types.
    Minimal,
}

impl Default for ViewOptions {
    fn default() -> Self {
        Self {
            upstreams: Vec::new(),
            profiles: Vec::new(),
            locale: "en".to_owned(),
            name_prefix: None,
            structured_content: false,
            max_string_length: 500,
            max_error_length: 4_000,
            lint: Lint::default(),
            strict: false,
            schema_profile: SchemaProfile::default(),
            page_size: 100,
            exposure: Exposure::default(),
        }
    }
}

impl ViewOptions {
    /// These options with the keys that route metadata sets
    /// (`xds.route_metadata.filter_metadata.openapi_mcp`), each a key and the bytes of the host's
    /// property value.
    ///
    /// # Errors
    /// Every unknown key and every value of a wrong type or out of bounds.
    pub fn with_overrides(&self, pairs: &[(String, Vec<u8>)]) -> Result<Self, Vec<Problem>> {
        let value = Value::Object(
            pairs.iter().map(|(key, bytes)| (key.clone(), metadata::decode(key, bytes))).collect(),
        );
        let mut problems = Vec::new();
        let view = Fields::open(&value, "openapi_mcp".to_owned(), keys::VIEW, &mut problems)
            .map(|mut fields| self.overlaid(&mut fields));
        view.filter(|_| problems.is_empty()).ok_or(problems)
    }

    /// Identifies these options: 16 hexadecimal digits, the same in every VM.
    pub fn key(&self) -> String {
        stable::id(self)
    }

    /// These options with every key that `fields` has.
    pub(super) fn overlaid(&self, fields: &mut Fields<'_, '_>) -> Self {
        let flag = check::flag;
        let length = |value: &_| count(value, 1, 1_000_000);
        let mut view = self.clone();
        if fields.has("profiles") {
            view.profiles = fields.texts("profiles", profile);
        }
        set(&mut view.locale, fields.read("locale", check::locale));
        set(&mut view.name_prefix, fields.read("namePrefix", check::name_prefix).map(Some));
        set(&mut view.structured_content, fields.read("structuredContent", flag));
        set(&mut view.max_string_length, fields.read("maxStringLength", length));
        set(&mut view.max_error_length, fields.read("maxErrorLength", length));
        set(&mut view.lint, fields.read("lint", lint));
        set(&mut view.strict, fields.read("strict", flag));
        set(&mut view.schema_profile, fields.read("schemaProfile", schema_profile));
        set(&mut view.page_size, fields.read("pageSize", |v| count(v, 1, 10_000)));
        set(&mut view.exposure, exposure::read(fields));
        view
    }
}

fn set<T>(target: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *target = value;
    }
}

fn profile(value: &Value) -> Result<String, String> {
    let name = check::text(value, "a profile name")?;
    let plain = name.chars().count() <= 64
        && name.trim() == name
        && !name.contains(|c: char| c == ',' || c.is_control());
    if plain {
        Ok(name.to_owned())
    } else {
        Err(expected("a profile name of at most 64 characters without `,`", value))
    }
}

fn lint(value: &Value) -> Result<Lint, String> {
    check::one_of(value, &[("error", Lint::Error), ("warn", Lint::Warn), ("off", Lint::Off)])
}

fn schema_profile(value: &Value) -> Result<SchemaProfile, String> {
    check::one_of(
        value,
        &[
            ("portable", SchemaProfile::Portable),
            ("full", SchemaProfile::Full),
            ("minimal", SchemaProfile::Minimal),
        ],
    )
}
