//! The part of the `unicode-general-category` API that `jsonschema` uses for internationalized host names,
//! over the tables that patterns need as well.

use std::sync::OnceLock;

/// General categories, as far as they matter for host names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum GeneralCategory {
    UppercaseLetter,
    LowercaseLetter,
    TitlecaseLetter,
    ModifierLetter,
    OtherLetter,
    NonspacingMark,
    SpacingMark,
    EnclosingMark,
    DecimalNumber,
    /// All others.
    Other,
}

impl GeneralCategory {
    fn named(name: &str) -> Self {
        match name {
            "lu" => Self::UppercaseLetter,
            "ll" => Self::LowercaseLetter,
            "lt" => Self::TitlecaseLetter,
            "lm" => Self::ModifierLetter,
            "lo" => Self::OtherLetter,
            "mn" => Self::NonspacingMark,
            "mc" => Self::SpacingMark,
            "me" => Self::EnclosingMark,
            "nd" => Self::DecimalNumber,
            _ => Self::Other,
        }
    }
}

type Ranges = Vec<(u32, u32, GeneralCategory)>;

/// The category of a character.
pub fn get_general_category(c: char) -> GeneralCategory {
    static RANGES: OnceLock<Ranges> = OnceLock::new();
    let ranges = RANGES.get_or_init(|| {
        let named = |(start, end, name)| (start, end, GeneralCategory::named(name));
        fancy_regex::unicode::categories().into_iter().map(named).collect()
    });
    let at = ranges.partition_point(|range| range.1 < c.into());
    ranges.get(at).map_or(GeneralCategory::Other, |range| range.2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_have_their_category() {
        for (c, category) in [
            ('A', GeneralCategory::UppercaseLetter),
            ('ß', GeneralCategory::LowercaseLetter),
            ('ǅ', GeneralCategory::TitlecaseLetter),
            ('ʰ', GeneralCategory::ModifierLetter),
            ('中', GeneralCategory::OtherLetter),
            ('\u{301}', GeneralCategory::NonspacingMark),
            ('\u{903}', GeneralCategory::SpacingMark),
            ('\u{20DD}', GeneralCategory::EnclosingMark),
            ('٣', GeneralCategory::DecimalNumber),
            ('-', GeneralCategory::Other),
            ('\u{10FFFF}', GeneralCategory::Other),
        ] {
            assert_eq!(get_general_category(c), category, "{c:?}");
        }
    }
}
