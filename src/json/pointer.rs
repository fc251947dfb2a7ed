//! JSON Pointer (RFC 6901).

use std::fmt::{self, Display};

use serde_json::Value;

/// A JSON Pointer, built segment by segment while walking a document.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pointer(String);

impl Pointer {
    /// The pointer to the whole document.
    pub fn root() -> Self {
        Self::default()
    }

    /// This pointer with one more segment, escaped.
    #[must_use]
    pub fn join(&self, segment: impl Display) -> Self {
        let mut text = self.0.clone();
        text.push('/');
        for c in segment.to_string().chars() {
            match c {
                '~' => text.push_str("~0"),
                '/' => text.push_str("~1"),
                c => text.push(c),
            }
        }
        Self(text)
    }

    /// The text of the pointer; empty for the root.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The value this pointer denotes in `document`.
    pub fn get<'v>(&self, document: &'v Value) -> Option<&'v Value> {
        document.pointer(&self.0)
    }
}

impl Display for Pointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<Pointer> for String {
    fn from(pointer: Pointer) -> Self {
        pointer.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_are_escaped() {
        let pointer = Pointer::root().join("paths").join("/a~b/{id}").join(0);
        assert_eq!(pointer.as_str(), "/paths/~1a~0b~1{id}/0");
    }
}
