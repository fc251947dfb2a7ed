//! What is wrong with a value, in words.

use serde_json::Value;

use super::{Locale, phrase::Phrase};

/// What a value breaks, with what the sentence about it needs.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::editor) enum Fault {
    /// A property is not there.
    Required(String),
    /// A property that the schema does not allow.
    Unexpected(String),
    /// None, or several, of the alternatives match.
    Alternatives,
    /// Something about what is hidden.
    Hidden,
    /// Another keyword, with the value that the sentence mentions.
    Keyword(&'static str, Option<String>),
}

const REQUIRED: Phrase = Phrase([
    "a value is required",
    "une valeur est requise",
    "ein Wert ist erforderlich",
    "een waarde is verplicht",
]);
const UNEXPECTED: Phrase = Phrase([
    "the key `{0}` is not allowed here",
    "la clé `{0}` n'est pas admise ici",
    "der Schlüssel `{0}` ist hier nicht erlaubt",
    "de sleutel `{0}` is hier niet toegestaan",
]);
const ALTERNATIVES: Phrase = Phrase([
    "must be one of the options",
    "doit être une des options",
    "muss eine der Optionen sein",
    "moet een van de opties zijn",
]);
const HIDDEN: Phrase = Phrase([
    "something here that is not shown is not valid; the form cannot correct it",
    "quelque chose ici qui n'est pas affiché n'est pas valide ; le formulaire ne peut pas le corriger",
    "etwas hier, das nicht angezeigt wird, ist ungültig; das Formular kann es nicht berichtigen",
    "iets hier dat niet wordt getoond is ongeldig; het formulier kan het niet verbeteren",
]);
const OTHER: Phrase = Phrase([
    "does not satisfy `{0}` of the schema",
    "ne satisfait pas `{0}` du schéma",
    "erfüllt `{0}` des Schemas nicht",
    "voldoet niet aan `{0}` van het schema",
]);

/// Sentences by keyword; `{0}` is the limit, type, pattern or format.
const KEYWORDS: &[(&str, Phrase)] = &[
    ("type", Phrase(["must be {0}", "doit être de type {0}", "muss {0} sein", "moet {0} zijn"])),
    ("enum", ALTERNATIVES),
    ("const", Phrase(["must be {0}", "doit être {0}", "muss {0} sein", "moet {0} zijn"])),
    (
        "minimum",
        Phrase(["must be >= {0}", "doit être >= {0}", "muss >= {0} sein", "moet >= {0} zijn"]),
    ),
    (
        "maximum",
        Phrase(["must be <= {0}", "doit être <= {0}", "muss <= {0} sein", "moet <= {0} zijn"]),
    ),
    (
        "exclusiveMinimum",
        Phrase(["must be > {0}", "doit être > {0}", "muss > {0} sein", "moet > {0} zijn"]),
    ),
    (
        "exclusiveMaximum",
        Phrase(["must be < {0}", "doit être < {0}", "muss < {0} sein", "moet < {0} zijn"]),
    ),
    (
        "multipleOf",
        Phrase([
            "must be a multiple of {0}",
            "doit être un multiple de {0}",
            "muss ein Vielfaches von {0} sein",
            "moet een veelvoud van {0} zijn",
        ]),
    ),
    (
        "minLength",
        Phrase([
            "needs at least {0} character(s)",
            "demande au moins {0} caractère(s)",
            "braucht mindestens {0} Zeichen",
            "moet minstens {0} teken(s) hebben",
        ]),
    ),
    (
        "maxLength",
        Phrase([
            "can have at most {0} character(s)",
            "peut avoir au plus {0} caractère(s)",
            "darf höchstens {0} Zeichen haben",
            "mag hoogstens {0} teken(s) hebben",
        ]),
    ),
    (
        "minItems",
        Phrase([
            "needs at least {0} item(s)",
            "demande au moins {0} élément(s)",
            "braucht mindestens {0} Element(e)",
            "moet minstens {0} element(en) hebben",
        ]),
    ),
    (
        "maxItems",
        Phrase([
            "can have at most {0} item(s)",
            "peut avoir au plus {0} élément(s)",
            "darf höchstens {0} Element(e) haben",
            "mag hoogstens {0} element(en) hebben",
        ]),
    ),
    (
        "minProperties",
        Phrase([
            "needs at least {0} key(s)",
            "demande au moins {0} clé(s)",
            "braucht mindestens {0} Schlüssel",
            "moet minstens {0} sleutel(s) hebben",
        ]),
    ),
    (
        "maxProperties",
        Phrase([
            "can have at most {0} key(s)",
            "peut avoir au plus {0} clé(s)",
            "darf höchstens {0} Schlüssel haben",
            "mag hoogstens {0} sleutel(s) hebben",
        ]),
    ),
    (
        "pattern",
        Phrase([
            "must match the pattern `{0}`",
            "doit suivre le motif `{0}`",
            "muss dem Muster `{0}` entsprechen",
            "moet aan het patroon `{0}` voldoen",
        ]),
    ),
    (
        "format",
        Phrase([
            "must have the format {0}",
            "doit être au format {0}",
            "muss das Format {0} haben",
            "moet het formaat {0} hebben",
        ]),
    ),
    (
        "uniqueItems",
        Phrase([
            "has the same item twice",
            "contient deux fois le même élément",
            "enthält ein Element doppelt",
            "bevat een element dubbel",
        ]),
    ),
    (
        "contains",
        Phrase([
            "lacks an item that the schema asks for",
            "il manque un élément demandé par le schéma",
            "ein vom Schema verlangtes Element fehlt",
            "een door het schema gevraagd element ontbreekt",
        ]),
    ),
    (
        "propertyNames",
        Phrase([
            "has a key with a name that is not allowed",
            "contient une clé dont le nom n'est pas admis",
            "hat einen Schlüssel mit unzulässigem Namen",
            "heeft een sleutel met een naam die niet mag",
        ]),
    ),
    (
        "not",
        Phrase([
            "is a value that the schema rules out",
            "est une valeur exclue par le schéma",
            "ist ein vom Schema ausgeschlossener Wert",
            "is een waarde die het schema uitsluit",
        ]),
    ),
    (
        "falseSchema",
        Phrase([
            "must not be set",
            "ne doit pas être renseigné",
            "darf nicht gesetzt sein",
            "mag niet ingevuld zijn",
        ]),
    ),
];

impl Fault {
    /// The sentence about it.
    pub(in crate::editor) fn say(&self, locale: Locale) -> String {
        match self {
            Self::Required(_) => REQUIRED.say(locale, &[]),
            Self::Unexpected(key) => UNEXPECTED.say(locale, &[key]),
            Self::Alternatives => ALTERNATIVES.say(locale, &[]),
            Self::Hidden => HIDDEN.say(locale, &[]),
            Self::Keyword(keyword, detail) => {
                let phrase = KEYWORDS.iter().find(|(known, _)| known == keyword);
                match (phrase, detail) {
                    (Some((_, phrase)), Some(detail)) => phrase.say(locale, &[detail]),
                    (Some((_, phrase)), None) => phrase.say(locale, &[]),
                    (None, _) => OTHER.say(locale, &[keyword]),
                }
            }
        }
    }
}

/// A number, string or other value as sentences show it.
pub(super) fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
