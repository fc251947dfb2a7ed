//! A schema compiled for editing.

use serde_json::Value;

use super::Locale;
use crate::json::Problem;

/// A compiled form: layout and validators of one schema in one language.
///
/// Compiling is the expensive part (validators of the whole schema); keep it per VM by the hash of
/// the schema. It holds nothing of any session.
#[derive(Debug)]
pub struct Form {}

impl Form {
    /// Compiles a schema that `editor::prepare` has prepared.
    ///
    /// # Errors
    /// What in the schema cannot be edited as a form, by JSON Pointer into the schema.
    pub fn compile(schema: &Value, locale: Locale) -> Result<Self, Vec<Problem>> {
        let _ = (schema, locale);
        Ok(Self {})
    }
}
