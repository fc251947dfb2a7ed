//! Text in one or several languages.

use serde_json::Value;

/// A text for agents: one for every language, or one for each of several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Localized {
    /// Text of the first declared language, or the only text.
    first: String,
    /// Language tags and texts in declared order; empty for a plain text.
    languages: Vec<(String, String)>,
}

impl Localized {
    /// Reads a plain string or a map from language to text; `None` for anything else.
    pub fn read(value: &Value) -> Option<Self> {
        match value {
            Value::String(text) => Some(Self { first: text.clone(), languages: Vec::new() }),
            Value::Object(map) => {
                let languages: Vec<_> = map
                    .iter()
                    .filter_map(|(tag, text)| Some((tag.clone(), text.as_str()?.to_owned())))
                    .collect();
                let first = languages.first().map(|(_, text)| text.clone())?;
                Some(Self { first, languages })
            }
            _ => None,
        }
    }

    /// The text for a language tag (BCP 47): the exact tag, else its base language (`fr-CA` → `fr`,
    /// one subtag less at a time as in RFC 4647 §3.4), else the first one declared.
    pub fn pick(&self, locale: &str) -> &str {
        let mut range = locale;
        loop {
            if let Some(text) = self.entry(range) {
                return text;
            }
            match range.rsplit_once('-') {
                Some((shorter, _)) => range = shorter,
                None => return &self.first,
            }
        }
    }

    /// The text declared for exactly this language tag; tags are case-insensitive.
    fn entry(&self, tag: &str) -> Option<&str> {
        let (_, text) = self.languages.iter().find(|(key, _)| key.eq_ignore_ascii_case(tag))?;
        Some(text)
    }
}
