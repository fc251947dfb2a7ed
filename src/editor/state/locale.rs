//! The language of messages.

/// Languages that messages of forms exist in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Locale {
    /// English.
    #[default]
    En,
    /// French.
    Fr,
    /// German.
    De,
    /// Dutch.
    Nl,
}

impl Locale {
    /// The language of a BCP 47 tag, English for one without messages.
    pub fn of(tag: &str) -> Self {
        match tag.split(['-', '_']).next().unwrap_or_default().to_ascii_lowercase().as_str() {
            "fr" => Self::Fr,
            "de" => Self::De,
            "nl" => Self::Nl,
            _ => Self::En,
        }
    }

    /// The language as a BCP 47 tag.
    pub fn tag(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::Fr => "fr",
            Self::De => "de",
            Self::Nl => "nl",
        }
    }
}
