//! What one session may cost.

/// Limits of form sessions (`limits.editor` of the configuration).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Largest document in bytes of JSON.
    pub document_bytes: usize,
    /// Deepest nesting of the document.
    pub depth: usize,
    /// Most items of one array.
    pub array_length: usize,
    /// Longest text of one answer in bytes; a longer one is cut with a note that says how to read on.
    pub text_bytes: usize,
    /// Most suggestions given for one question, and most kept for all fields of a session.
    pub suggestions: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            document_bytes: 1 << 20,
            depth: 32,
            array_length: 10_000,
            text_bytes: 256 << 10,
            suggestions: 1000,
        }
    }
}
