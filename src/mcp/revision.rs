//! Protocol revisions.

use crate::toolset::Family;

/// A revision of MCP that is spoken here, oldest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the names are the revisions'")]
pub enum Revision {
    V2025_03_26,
    V2025_06_18,
    V2025_11_25,
    V2026_07_28,
}

impl Revision {
    /// The newest revision that is negotiated by `initialize`.
    pub(super) const NEWEST_LEGACY: Self = Self::V2025_11_25;
    /// The newest revision.
    pub(super) const MODERN: Self = Self::V2026_07_28;

    /// The revision's identifier.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::V2025_03_26 => "2025-03-26",
            Self::V2025_06_18 => "2025-06-18",
            Self::V2025_11_25 => "2025-11-25",
            Self::V2026_07_28 => "2026-07-28",
        }
    }

    /// How tools are shown in this revision.
    pub fn family(self) -> Family {
        match self {
            Self::V2025_03_26 => Family::Basic,
            Self::V2025_06_18 | Self::V2025_11_25 => Family::Structured,
            Self::V2026_07_28 => Family::Modern,
        }
    }

    /// The revision with this identifier.
    pub(super) fn find(identifier: &str) -> Option<Self> {
        [Self::V2025_03_26, Self::V2025_06_18, Self::V2025_11_25, Self::V2026_07_28]
            .into_iter()
            .find(|revision| revision.as_str() == identifier)
    }

    /// The revision with this identifier, if it is one of those that `initialize` negotiates.
    pub(super) fn find_legacy(identifier: &str) -> Option<Self> {
        Self::find(identifier).filter(|revision| !revision.is_modern())
    }

    /// Whether requests carry their version themselves.
    pub(super) fn is_modern(self) -> bool {
        self == Self::MODERN
    }
}
