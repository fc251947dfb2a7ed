//! The eight tools as agents see them.

use serde_json::{Value, json};

use super::{
    super::state::{Locale, Phrase},
    command::Verb,
};

/// One of the eight tools as `tools/list` shows it.
#[derive(Debug, Clone, PartialEq)]
pub struct Definition {
    /// Which one.
    pub verb: Verb,
    /// What agents are told.
    pub description: String,
    /// JSON Schema of the arguments, without the path parameters of the operation.
    pub input_schema: Value,
    /// JSON Schema of [`super::Answer::structured`].
    pub output_schema: Value,
    /// Changes nothing but what the session remembers (`readOnlyHint`).
    pub read_only: bool,
    /// Discards or overwrites (`destructiveHint`).
    pub destructive: bool,
}

/// The eight tools of a form, in order. Descriptions of arguments are in English, as all that is
/// generated for arguments.
pub fn definitions(title: &str, locale: Locale) -> Vec<Definition> {
    Verb::ALL.into_iter().map(|verb| definition(verb, title, locale)).collect()
}

fn definition(verb: Verb, title: &str, locale: Locale) -> Definition {
    let text = match verb {
        Verb::GetData => GET_DATA,
        Verb::SetData => SET_DATA,
        Verb::DescribeState => DESCRIBE_STATE,
        Verb::SetFieldValue => SET_FIELD_VALUE,
        Verb::GetFieldSuggestions => GET_FIELD_SUGGESTIONS,
        Verb::EditArray => EDIT_ARRAY,
        Verb::SaveForm => SAVE_FORM,
        Verb::ReloadForm => RELOAD_FORM,
    };
    Definition {
        verb,
        description: text.say(locale, &[title]),
        input_schema: input_schema(verb),
        output_schema: output_schema(verb),
        read_only: matches!(verb, Verb::GetData | Verb::DescribeState | Verb::GetFieldSuggestions),
        destructive: matches!(verb, Verb::SaveForm | Verb::ReloadForm),
    }
}

const GET_DATA: Phrase = Phrase([
    "Read the document of the form \"{0}\" as JSON, unsaved edits included, and whether it is valid. With `path` only one part of it; large documents are best read in parts.",
    "Lit le document du formulaire « {0} » en JSON, modifications non enregistrées comprises, et s'il est valide. Avec `path`, une partie seulement ; un grand document se lit mieux par parties.",
    "Liest das Dokument des Formulars „{0}“ als JSON, mit nicht gespeicherten Änderungen, und ob es gültig ist. Mit `path` nur einen Teil; große Dokumente am besten in Teilen lesen.",
    "Leest het document van het formulier \"{0}\" als JSON, met niet-opgeslagen wijzigingen, en of het geldig is. Met `path` alleen een deel; lees grote documenten in delen.",
]);
const SET_DATA: Phrase = Phrase([
    "Write several values of the form \"{0}\" at once. Use it when the values are known; use setFieldValue for a single one. Read-only and hidden fields are refused, then nothing is written. The answer lists what is still wrong.",
    "Écrit plusieurs valeurs du formulaire « {0} » d'un coup. À utiliser quand les valeurs sont connues ; pour une seule, setFieldValue. Les champs en lecture seule ou masqués sont refusés, alors rien n'est écrit. La réponse dit ce qui reste à corriger.",
    "Schreibt mehrere Werte des Formulars „{0}“ auf einmal, wenn sie bekannt sind; für einen einzelnen setFieldValue. Schreibgeschützte und verborgene Felder werden abgelehnt, dann wird nichts geschrieben. Die Antwort nennt, was noch falsch ist.",
    "Schrijft meerdere waarden van het formulier \"{0}\" tegelijk, als ze bekend zijn; voor één waarde setFieldValue. Alleen-lezen en verborgen velden worden geweigerd, dan wordt niets geschreven. Het antwoord noemt wat nog fout is.",
]);
const DESCRIBE_STATE: Phrase = Phrase([
    "Show the form \"{0}\": one line per field with path, type, constraints, value and error. Start here. With `path` only one part; for a variant that is not chosen or an item that is not there yet, what it would hold.",
    "Montre le formulaire « {0} » : une ligne par champ avec chemin, type, contraintes, valeur et erreur. À appeler en premier. Avec `path`, une partie seulement ; pour une variante non choisie ou un élément à venir, ce qu'il contiendrait.",
    "Zeigt das Formular „{0}“: eine Zeile je Feld mit Pfad, Typ, Bedingungen, Wert und Fehler. Hier anfangen. Mit `path` nur einen Teil; für eine nicht gewählte Variante oder ein noch fehlendes Element, was es enthielte.",
    "Toont het formulier \"{0}\": één regel per veld met pad, type, voorwaarden, waarde en fout. Begin hier. Met `path` alleen een deel; voor een niet gekozen variant of een nog ontbrekend element wat het zou bevatten.",
]);
const SET_FIELD_VALUE: Phrase = Phrase([
    "Write one field of the form \"{0}\". A variant-selector takes the number of a variant, and the answer shows the fields it brings. Errors in the answer are those of this field; others are counted.",
    "Écrit un champ du formulaire « {0} ». Un variant-selector prend le numéro d'une variante, et la réponse montre les champs qu'elle apporte. Les erreurs de la réponse sont celles de ce champ ; les autres sont comptées.",
    "Schreibt ein Feld des Formulars „{0}“. Ein variant-selector nimmt die Nummer einer Variante, die Antwort zeigt deren Felder. Fehler in der Antwort sind die dieses Felds; andere werden gezählt.",
    "Schrijft één veld van het formulier \"{0}\". Een variant-selector neemt het nummer van een variant; het antwoord toont de velden ervan. Fouten in het antwoord zijn die van dit veld; andere worden geteld.",
]);
const GET_FIELD_SUGGESTIONS: Phrase = Phrase([
    "List what a field of the form \"{0}\" accepts, for fields that describeState marks with \"suggestions\". Choose one by giving its number to setFieldValue as `suggestionIndex`. Fields that show values=[…] need no such call.",
    "Liste ce qu'accepte un champ du formulaire « {0} », pour les champs que describeState marque \"suggestions\". On en choisit une en donnant son numéro à setFieldValue comme `suggestionIndex`. Inutile pour les champs qui montrent values=[…].",
    "Listet auf, was ein Feld des Formulars „{0}“ annimmt, für Felder, die describeState mit \"suggestions\" kennzeichnet. Gewählt wird mit der Nummer als `suggestionIndex` von setFieldValue. Felder mit values=[…] brauchen das nicht.",
    "Toont wat een veld van het formulier \"{0}\" aanneemt, voor velden die describeState met \"suggestions\" aanduidt. Kies er een door het nummer als `suggestionIndex` aan setFieldValue te geven. Velden met values=[…] hebben dit niet nodig.",
]);
const EDIT_ARRAY: Phrase = Phrase([
    "Add an item to an array of the form \"{0}\", or remove one. A new item is opened and its fields are shown, to be filled with setFieldValue. Arrays of plain values that are shown as select, combobox or the like are written whole with setFieldValue instead.",
    "Ajoute un élément à un tableau du formulaire « {0} », ou en retire un. Un nouvel élément est ouvert et ses champs sont montrés, à remplir avec setFieldValue. Un tableau de valeurs simples affiché comme select, combobox ou semblable s'écrit en entier avec setFieldValue.",
    "Fügt einem Array des Formulars „{0}“ ein Element hinzu oder entfernt eines. Ein neues Element wird geöffnet, seine Felder werden gezeigt und mit setFieldValue gefüllt. Arrays einfacher Werte, die als select, combobox oder ähnlich erscheinen, werden stattdessen mit setFieldValue im Ganzen geschrieben.",
    "Voegt een element toe aan een array van het formulier \"{0}\", of verwijdert er een. Een nieuw element wordt geopend en de velden ervan worden getoond, te vullen met setFieldValue. Arrays van gewone waarden die als select, combobox of dergelijke verschijnen, worden in hun geheel met setFieldValue geschreven.",
]);
const SAVE_FORM: Phrase = Phrase([
    "Save the document of the form \"{0}\" as a whole. Nothing is sent while the form is not valid: the answer says what is wrong. Nothing is overwritten when somebody changed the document meanwhile.",
    "Enregistre le document entier du formulaire « {0} ». Rien n'est envoyé tant que le formulaire n'est pas valide : la réponse dit pourquoi. Rien n'est écrasé si quelqu'un a modifié le document entre-temps.",
    "Speichert das ganze Dokument des Formulars „{0}“. Nichts wird gesendet, solange das Formular nicht gültig ist: Die Antwort sagt, was falsch ist. Nichts wird überschrieben, wenn jemand das Dokument inzwischen geändert hat.",
    "Slaat het hele document van het formulier \"{0}\" op. Er wordt niets verzonden zolang het formulier niet geldig is: het antwoord zegt wat fout is. Er wordt niets overschreven als iemand het document intussen heeft gewijzigd.",
]);
const RELOAD_FORM: Phrase = Phrase([
    "Load the document of the form \"{0}\" again. Edits that were not saved are lost.",
    "Recharge le document du formulaire « {0} ». Les modifications non enregistrées sont perdues.",
    "Lädt das Dokument des Formulars „{0}“ neu. Nicht gespeicherte Änderungen gehen verloren.",
    "Laadt het document van het formulier \"{0}\" opnieuw. Niet-opgeslagen wijzigingen gaan verloren.",
]);

const PATH: &str =
    "Path of a field from describeState (/address/city), or place of a value in the data.";

fn input_schema(verb: Verb) -> Value {
    let path = || json!({ "type": "string", "description": PATH });
    let part = || {
        let text = [PATH, " Everything when absent."].concat();
        json!({ "type": "string", "description": text })
    };
    match verb {
        Verb::GetData | Verb::DescribeState => object(json!({ "path": part() }), &[]),
        Verb::SetData => object(
            json!({
                "data": { "description": "Object with the values to write; null clears." },
                "merge": {
                    "type": "boolean",
                    "description": "Keep what is not given (default). false removes it.",
                },
            }),
            &["data"],
        ),
        Verb::SetFieldValue => object(
            json!({
                "path": path(),
                "value": { "description": "The value; null clears. Not with `suggestionIndex`." },
                "suggestionIndex": {
                    "type": "number",
                    "description": "Number of a suggestion given for the same path. Not with `value`.",
                },
            }),
            &["path"],
        ),
        Verb::GetFieldSuggestions => object(
            json!({
                "path": path(),
                "query": { "type": "string", "description": "Text to search for." },
            }),
            &["path"],
        ),
        Verb::EditArray => object(edit_array(path()), &["path", "action"]),
        Verb::SaveForm | Verb::ReloadForm => json!({ "type": "object", "properties": {} }),
    }
}

fn edit_array(path: Value) -> Value {
    json!({
        "path": path,
        "action": {
            "type": "string",
            "enum": ["add", "remove"],
            "description": "What to do with an item.",
        },
        "index": {
            "type": "number",
            "description": "Where, from 0. Default: at the end, or the last item.",
        },
        "value": {
            "description": "The new item. One with variants names its variant by the value that \
                describeState shows for it; or leave it out and choose at the item's $oneOf.",
        },
    })
}

fn object(properties: Value, required: &[&str]) -> Value {
    let mut schema = json!({ "type": "object", "properties": properties });
    if let (Some(schema), false) = (schema.as_object_mut(), required.is_empty()) {
        schema.insert("required".to_owned(), json!(required));
    }
    schema
}

fn output_schema(verb: Verb) -> Value {
    let boolean = || json!({ "type": "boolean" });
    let text = || json!({ "type": "string" });
    let errors = || {
        let error = json!({ "path": text(), "message": text() });
        json!({ "type": "array", "items": object(error, &["path", "message"]) })
    };
    let texts = || json!({ "type": "array", "items": text() });
    let properties = match verb {
        Verb::GetData => json!({ "data": {}, "unset": boolean(), "valid": boolean() }),
        Verb::SetData => json!({
            "valid": boolean(), "errors": errors(), "stored": texts(), "unknown": texts(),
        }),
        Verb::DescribeState => json!({ "valid": boolean(), "errors": errors() }),
        Verb::SetFieldValue => json!({
            "path": text(), "value": {}, "valid": boolean(), "errors": errors(),
        }),
        Verb::GetFieldSuggestions => {
            let one =
                object(json!({ "index": { "type": "integer" }, "title": text() }), &["index"]);
            json!({ "suggestions": { "type": "array", "items": one } })
        }
        Verb::EditArray => json!({
            "path": text(),
            "index": { "type": "integer" },
            "length": { "type": "integer" },
            "valid": boolean(),
            "errors": errors(),
        }),
        Verb::SaveForm => json!({ "saved": boolean(), "unsavedEdits": boolean() }),
        Verb::ReloadForm => json!({ "reloaded": boolean(), "valid": boolean() }),
    };
    object(properties, &[])
}
