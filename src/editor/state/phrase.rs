//! Sentences in the languages of forms.

use super::Locale;

/// One sentence in English, French, German and Dutch; `{0}`, `{1}`, … are its parts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Phrase(pub(crate) [&'static str; 4]);

impl Phrase {
    /// The sentence in one language, with its parts put in.
    pub(crate) fn say(&self, locale: Locale, parts: &[&str]) -> String {
        let text = self.0.get(locale as usize).copied().unwrap_or_default();
        let mut said = String::with_capacity(text.len() + 16);
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('{') {
            said.push_str(before);
            let Some((number, after)) = after.split_once('}') else { break };
            let part = number.parse::<usize>().ok().and_then(|number| parts.get(number));
            said.push_str(part.copied().unwrap_or_default());
            rest = after;
        }
        said.push_str(rest);
        said
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_put_where_the_language_wants_them() {
        let phrase = Phrase(["{0} of {1}", "{1}: {0}", "", ""]);
        assert_eq!(phrase.say(Locale::En, &["a", "{1}"]), "a of {1}");
        assert_eq!(phrase.say(Locale::Fr, &["a", "b"]), "b: a");
        assert_eq!(phrase.say(Locale::De, &[]), "");
    }
}
