//! The sentences of the tools.

use super::super::state::Phrase;

pub(super) const PATH_REQUIRED: Phrase = Phrase([
    "give `path`: a path from describeState, or the place of a value in the data",
    "indiquez `path` : un chemin donné par describeState, ou la place d'une valeur dans les données",
    "`path` angeben: ein Pfad aus describeState oder die Stelle eines Werts in den Daten",
    "geef `path` op: een pad uit describeState of de plaats van een waarde in de gegevens",
]);
pub(super) const PATH_TEXT: Phrase = Phrase([
    "`path` must be a text",
    "`path` doit être un texte",
    "`path` muss ein Text sein",
    "`path` moet een tekst zijn",
]);
pub(super) const VALUE_REQUIRED: Phrase = Phrase([
    "give `value` (null clears the field) or `suggestionIndex`",
    "indiquez `value` (null vide le champ) ou `suggestionIndex`",
    "`value` (null leert das Feld) oder `suggestionIndex` angeben",
    "geef `value` (null maakt het veld leeg) of `suggestionIndex` op",
]);
pub(super) const VALUE_EXCLUSIVE: Phrase = Phrase([
    "give either `value` or `suggestionIndex`, not both",
    "indiquez soit `value`, soit `suggestionIndex`, pas les deux",
    "entweder `value` oder `suggestionIndex` angeben, nicht beides",
    "geef `value` of `suggestionIndex` op, niet allebei",
]);
pub(super) const DATA_REQUIRED: Phrase = Phrase([
    "give `data`: an object with the keys to write",
    "indiquez `data` : un objet avec les clés à écrire",
    "`data` angeben: ein Objekt mit den zu schreibenden Schlüsseln",
    "geef `data` op: een object met de te schrijven sleutels",
]);
pub(super) const ACTION_REQUIRED: Phrase = Phrase([
    "give `path` and `action`",
    "indiquez `path` et `action`",
    "`path` und `action` angeben",
    "geef `path` en `action` op",
]);
pub(super) const ACTION_UNKNOWN: Phrase = Phrase([
    "`action` is \"add\" or \"remove\", not {0}",
    "`action` est « add » ou « remove », pas {0}",
    "`action` ist \"add\" oder \"remove\", nicht {0}",
    "`action` is \"add\" of \"remove\", niet {0}",
]);
pub(super) const NUMBER_EXPECTED: Phrase = Phrase([
    "`{0}` must be a number",
    "`{0}` doit être un nombre",
    "`{0}` muss eine Zahl sein",
    "`{0}` moet een getal zijn",
]);
pub(super) const NOT_FOUND: Phrase = Phrase([
    "there is no field at {0}; the form has {1} at its top. Take a path from describeState, or the place of a value in the data",
    "il n'y a pas de champ à {0} ; le formulaire commence par {1}. Prenez un chemin donné par describeState, ou la place d'une valeur dans les données",
    "es gibt kein Feld unter {0}; oben im Formular stehen {1}. Einen Pfad aus describeState nehmen oder die Stelle eines Werts in den Daten",
    "er is geen veld op {0}; bovenaan het formulier staan {1}. Neem een pad uit describeState of de plaats van een waarde in de gegevens",
]);
pub(super) const NOT_SHOWN: Phrase = Phrase([
    "there is no field at {0} now, although the data has a value there: a condition hides it, or another field stands for the whole. See describeState for the fields that are shown",
    "il n'y a pas de champ à {0} pour l'instant, bien que les données y aient une valeur : une condition le masque, ou un autre champ vaut pour l'ensemble. describeState montre les champs affichés",
    "unter {0} gibt es jetzt kein Feld, obwohl die Daten dort einen Wert haben: Eine Bedingung blendet es aus, oder ein anderes Feld steht für das Ganze. describeState zeigt die sichtbaren Felder",
    "er is nu geen veld op {0}, hoewel de gegevens daar een waarde hebben: een voorwaarde verbergt het, of een ander veld staat voor het geheel. describeState toont de zichtbare velden",
]);
pub(super) const NO_DATA_OF_ITS_OWN: Phrase = Phrase([
    "{0} only arranges fields, its data is that of {1}. Read one of its fields ({2}), or the document without `path`",
    "{0} ne fait que regrouper des champs, ses données sont celles de {1}. Lisez un de ses champs ({2}), ou le document sans `path`",
    "{0} ordnet nur Felder an, seine Daten sind die von {1}. Eines der Felder lesen ({2}) oder das Dokument ohne `path`",
    "{0} groepeert alleen velden, de gegevens zijn die van {1}. Lees een van de velden ({2}), of het document zonder `path`",
]);
pub(super) const DOCUMENT: Phrase =
    Phrase(["the document", "du document", "das Dokument", "het document"]);
pub(super) const AND_MORE: Phrase =
    Phrase(["and {0} more", "et {0} de plus", "und {0} weitere", "en nog {0}"]);
pub(super) const READ_ONLY_FIELD: Phrase = Phrase([
    "{0} is read-only: nothing was written. Leave it out, or give the value it has",
    "{0} est en lecture seule : rien n'a été écrit. Omettez-le, ou donnez la valeur actuelle",
    "{0} ist schreibgeschützt: Nichts wurde geschrieben. Weglassen oder den vorhandenen Wert angeben",
    "{0} is alleen-lezen: er is niets geschreven. Laat het weg of geef de huidige waarde",
]);
pub(super) const READ_ONLY_ITEMS: Phrase = Phrase([
    "the items of {0} have read-only values, and it is not known which of them the new items keep: nothing was written. Give each item the read-only values it has, set the fields of single items, or add and remove items with editArray",
    "les éléments de {0} ont des valeurs en lecture seule, et on ne sait pas lesquelles les nouveaux éléments gardent : rien n'a été écrit. Donnez à chaque élément ses valeurs en lecture seule, renseignez les champs d'un seul élément, ou ajoutez et retirez des éléments avec editArray",
    "die Elemente von {0} haben schreibgeschützte Werte, und welche davon die neuen Elemente behalten, ist nicht bekannt: Nichts wurde geschrieben. Jedem Element seine schreibgeschützten Werte mitgeben, Felder einzelner Elemente setzen oder Elemente mit editArray hinzufügen und entfernen",
    "de items van {0} hebben alleen-lezen waarden, en het is niet bekend welke daarvan de nieuwe items houden: er is niets geschreven. Geef elk item de alleen-lezen waarden die het heeft, zet velden van losse items, of voeg items toe en verwijder ze met editArray",
]);
pub(super) const WRONG_TYPE: Phrase = Phrase([
    "{0} ({1}) does not take {2}: nothing was written. Give a value of its type, or `null` to clear it",
    "{0} ({1}) n'accepte pas {2} : rien n'a été écrit. Donnez une valeur de son type, ou `null` pour l'effacer",
    "{0} ({1}) nimmt {2} nicht an: Nichts wurde geschrieben. Einen Wert seines Typs angeben, oder `null`, um es zu leeren",
    "{0} ({1}) accepteert {2} niet: er is niets geschreven. Geef een waarde van zijn type, of `null` om het leeg te maken",
]);
pub(super) const TAKES_LIST: Phrase = Phrase([
    "takes a list of values",
    "accepte une liste de valeurs",
    "nimmt eine Liste von Werten",
    "accepteert een lijst van waarden",
]);
pub(super) const CHOICE_ADDED: Phrase = Phrase([
    "{0} takes several values: the suggestion was added to them. To remove or replace values, write all that it should have as `value`",
    "{0} accepte plusieurs valeurs : la suggestion y a été ajoutée. Pour en retirer ou en remplacer, écrivez l'ensemble voulu comme `value`",
    "{0} nimmt mehrere Werte: Der Vorschlag wurde hinzugefügt. Um Werte zu entfernen oder zu ersetzen, alle gewünschten als `value` schreiben",
    "{0} accepteert meerdere waarden: de suggestie is toegevoegd. Schrijf alle gewenste waarden als `value` om er te verwijderen of te vervangen",
]);
pub(super) const HIDDEN_FIELD: Phrase = Phrase([
    "{0} is not part of the form, it is kept or computed elsewhere: nothing was written. Leave it out, or give the value it has",
    "{0} ne fait pas partie du formulaire, sa valeur vient d'ailleurs : rien n'a été écrit. Omettez-le, ou donnez la valeur actuelle",
    "{0} gehört nicht zum Formular, sein Wert kommt von anderswo: Nichts wurde geschrieben. Weglassen oder den vorhandenen Wert angeben",
    "{0} hoort niet bij het formulier, de waarde komt van elders: er is niets geschreven. Laat het weg of geef de huidige waarde",
]);
pub(super) const CONCEALED_FIELD: Phrase = Phrase([
    "{0} is not part of the form: nothing was written. Leave it out",
    "{0} ne fait pas partie du formulaire : rien n'a été écrit. Omettez-le",
    "{0} gehört nicht zum Formular: Nichts wurde geschrieben. Weglassen",
    "{0} hoort niet bij het formulier: er is niets geschreven. Laat het weg",
]);
pub(super) const CONCEALS: Phrase = Phrase([
    "{0} holds values that are not part of the form and must be kept, and it is not known which part of the new value they belong to: nothing was written. Set its fields one by one, and add or remove items with editArray",
    "{0} contient des valeurs qui ne font pas partie du formulaire et doivent être conservées, et on ne sait pas à quelle partie de la nouvelle valeur elles appartiennent : rien n'a été écrit. Renseignez ses champs un par un, et ajoutez ou retirez des éléments avec editArray",
    "{0} enthält Werte, die nicht zum Formular gehören und erhalten bleiben müssen, und zu welchem Teil des neuen Werts sie gehören, ist nicht bekannt: Nichts wurde geschrieben. Die Felder einzeln setzen, Elemente mit editArray hinzufügen oder entfernen",
    "{0} bevat waarden die niet bij het formulier horen en bewaard moeten blijven, en het is niet bekend bij welk deel van de nieuwe waarde ze horen: er is niets geschreven. Zet de velden een voor een, en voeg elementen toe of verwijder ze met editArray",
]);
pub(super) const FIXED_FIELD: Phrase = Phrase([
    "{0} is always {1}: nothing was written",
    "{0} vaut toujours {1} : rien n'a été écrit",
    "{0} ist immer {1}: Nichts wurde geschrieben",
    "{0} is altijd {1}: er is niets geschreven",
]);
pub(super) const SEGMENT_IN_DATA: Phrase = Phrase([
    "`{0}` (at {1}) belongs in paths, not in data: nothing was written. To choose a variant, set the path that ends in $oneOf to its number",
    "`{0}` (à {1}) a sa place dans les chemins, pas dans les données : rien n'a été écrit. Pour choisir une variante, mettez son numéro au chemin qui finit par $oneOf",
    "`{0}` (unter {1}) gehört in Pfade, nicht in Daten: Nichts wurde geschrieben. Eine Variante wird gewählt, indem der Pfad, der auf $oneOf endet, auf ihre Nummer gesetzt wird",
    "`{0}` (op {1}) hoort in paden, niet in gegevens: er is niets geschreven. Kies een variant door het pad dat op $oneOf eindigt op het nummer te zetten",
]);
pub(super) const VARIANT_EXPECTED: Phrase = Phrase([
    "{0} takes the number of a variant: {1}",
    "{0} prend le numéro d'une variante : {1}",
    "{0} nimmt die Nummer einer Variante: {1}",
    "{0} neemt het nummer van een variant: {1}",
]);
pub(super) const NO_SUGGESTIONS: Phrase = Phrase([
    "{0} has no list to choose from; write its value with setFieldValue",
    "{0} n'a pas de liste de choix ; écrivez sa valeur avec setFieldValue",
    "{0} hat keine Auswahlliste; den Wert mit setFieldValue schreiben",
    "{0} heeft geen keuzelijst; schrijf de waarde met setFieldValue",
]);
pub(super) const LIST_SUGGESTIONS: Phrase = Phrase([
    "{0} is an array; add an item with editArray and ask for the suggestions of the fields of that item",
    "{0} est un tableau ; ajoutez un élément avec editArray et demandez les suggestions des champs de cet élément",
    "{0} ist ein Array; mit editArray ein Element hinzufügen und nach den Vorschlägen seiner Felder fragen",
    "{0} is een array; voeg met editArray een element toe en vraag de suggesties van de velden ervan",
]);
pub(super) const SUGGESTIONS: Phrase = Phrase([
    "{0} suggestion(s); choose one with setFieldValue and its number as `suggestionIndex`:",
    "{0} suggestion(s) ; choisissez avec setFieldValue et le numéro comme `suggestionIndex` :",
    "{0} Vorschlag/Vorschläge; mit setFieldValue und der Nummer als `suggestionIndex` wählen:",
    "{0} suggestie(s); kies met setFieldValue en het nummer als `suggestionIndex`:",
]);
pub(super) const MORE_SUGGESTIONS: Phrase = Phrase([
    "{0} more are not shown; narrow the list with `query`",
    "{0} autres ne sont pas montrées ; affinez avec `query`",
    "{0} weitere werden nicht gezeigt; mit `query` eingrenzen",
    "{0} andere worden niet getoond; verfijn met `query`",
]);
pub(super) const NOTHING_MATCHES: Phrase = Phrase([
    "nothing in the list matches; try a shorter `query`, or none",
    "rien ne correspond dans la liste ; essayez une `query` plus courte, ou aucune",
    "nichts in der Liste passt; eine kürzere `query` versuchen oder keine",
    "niets in de lijst past; probeer een kortere `query`, of geen",
]);
pub(super) const LIST_BLOCKED: Phrase = Phrase([
    "the list of {0} is not known yet: it is made with `{1}`, which needs the value of another field. Set that one first",
    "la liste de {0} n'est pas encore connue : elle vient de `{1}`, qui dépend de la valeur d'un autre champ. Renseignez-le d'abord",
    "die Liste von {0} ist noch nicht bekannt: Sie entsteht aus `{1}` und braucht den Wert eines anderen Felds. Dieses zuerst setzen",
    "de lijst van {0} is nog niet bekend: die komt uit `{1}` en heeft de waarde van een ander veld nodig. Vul dat eerst in",
]);
pub(super) const LIST_NEEDS: Phrase = Phrase([
    "the list of {0} depends on {1}, which has no value yet. Set {1} first, then ask again",
    "la liste de {0} dépend de {1}, qui n'a pas encore de valeur. Renseignez d'abord {1}, puis redemandez",
    "die Liste von {0} hängt von {1} ab, das noch keinen Wert hat. Zuerst {1} setzen, dann erneut fragen",
    "de lijst van {0} hangt af van {1}, dat nog geen waarde heeft. Vul eerst {1} in en vraag dan opnieuw",
]);
pub(super) const ASTRAY: Phrase = Phrase([
    "a value in its address `{0}` is not allowed there, because it would lead to another place (`.` or `..`)",
    "une valeur dans son adresse `{0}` n'y est pas permise, car elle mènerait ailleurs (`.` ou `..`)",
    "ein Wert in ihrer Adresse `{0}` ist dort nicht erlaubt, weil er an eine andere Stelle führen würde (`.` oder `..`)",
    "een waarde in het adres `{0}` is daar niet toegestaan, omdat die ergens anders heen zou leiden (`.` of `..`)",
]);
pub(super) const LIST_TOO_LONG: Phrase = Phrase([
    "it is too long to be worked with; narrow it with `query`, or write the value with setFieldValue if you know it",
    "elle est trop longue pour être traitée ; affinez avec `query`, ou écrivez la valeur avec setFieldValue si vous la connaissez",
    "sie ist zu lang, um verarbeitet zu werden; mit `query` eingrenzen oder den Wert mit setFieldValue schreiben, falls bekannt",
    "die is te lang om te verwerken; verfijn met `query`, of schrijf de waarde met setFieldValue als u die kent",
]);
pub(super) const NO_LIST: Phrase = Phrase([
    "the answer for {0} has no list where the form expects one; write the value with setFieldValue if you know it",
    "la réponse pour {0} ne contient pas de liste là où le formulaire en attend une ; écrivez la valeur avec setFieldValue si vous la connaissez",
    "die Antwort für {0} enthält keine Liste, wo das Formular eine erwartet; den Wert mit setFieldValue schreiben, falls bekannt",
    "het antwoord voor {0} bevat geen lijst waar het formulier die verwacht; schrijf de waarde met setFieldValue als u die kent",
]);
pub(super) const LIST_FAILED: Phrase = Phrase([
    "the list of {0} could not be fetched: {1}",
    "la liste de {0} n'a pas pu être obtenue : {1}",
    "die Liste von {0} konnte nicht geholt werden: {1}",
    "de lijst van {0} kon niet worden opgehaald: {1}",
]);
pub(super) const BAD_URL: Phrase = Phrase([
    "its address `{0}` is no URL",
    "son adresse `{0}` n'est pas une URL",
    "ihre Adresse `{0}` ist keine URL",
    "het adres `{0}` is geen URL",
]);
pub(super) const NOTHING_REMEMBERED: Phrase = Phrase([
    "no suggestions were given for {0}; call getFieldSuggestions with this path first",
    "aucune suggestion n'a été donnée pour {0} ; appelez d'abord getFieldSuggestions avec ce chemin",
    "für {0} gab es noch keine Vorschläge; zuerst getFieldSuggestions mit diesem Pfad aufrufen",
    "voor {0} zijn nog geen suggesties gegeven; roep eerst getFieldSuggestions met dit pad aan",
]);
pub(super) const FORGOTTEN: Phrase = Phrase([
    "the list of {0} may have changed with a later write; call getFieldSuggestions with this path again",
    "la liste de {0} a pu changer avec une écriture ultérieure ; rappelez getFieldSuggestions avec ce chemin",
    "die Liste von {0} kann sich durch ein späteres Schreiben geändert haben; getFieldSuggestions mit diesem Pfad erneut aufrufen",
    "de lijst van {0} kan door een latere wijziging veranderd zijn; roep getFieldSuggestions met dit pad opnieuw aan",
]);
pub(super) const NO_SUCH_SUGGESTION: Phrase = Phrase([
    "there is no suggestion {0} for {1}; {2} were given, counted from 0",
    "il n'y a pas de suggestion {0} pour {1} ; {2} ont été données, à partir de 0",
    "es gibt keinen Vorschlag {0} für {1}; {2} wurden gegeben, ab 0 gezählt",
    "er is geen suggestie {0} voor {1}; er zijn er {2} gegeven, geteld vanaf 0",
]);
pub(super) const NOT_AN_ARRAY: Phrase = Phrase([
    "{0} is no array that is edited by items (it is a {1}); write its whole value with setFieldValue",
    "{0} n'est pas un tableau modifié par éléments (c'est un {1}) ; écrivez sa valeur entière avec setFieldValue",
    "{0} ist kein Array, das elementweise bearbeitet wird (sondern {1}); den ganzen Wert mit setFieldValue schreiben",
    "{0} is geen array dat per element wordt bewerkt (maar {1}); schrijf de hele waarde met setFieldValue",
]);
pub(super) const IS_A_MAP: Phrase = Phrase([
    "the entries of {0} have names: set {1}/<name> with setData, or the whole map with setFieldValue on {1}",
    "les entrées de {0} ont des noms : renseignez {1}/<nom> avec setData, ou l'ensemble avec setFieldValue sur {1}",
    "die Einträge von {0} haben Namen: {1}/<Name> mit setData setzen oder das Ganze mit setFieldValue auf {1}",
    "de items van {0} hebben namen: zet {1}/<naam> met setData, of het geheel met setFieldValue op {1}",
]);
pub(super) const OUT_OF_BOUNDS: Phrase = Phrase([
    "there is no place {0} in {1}, which has {2} item(s); use 0 to {3}",
    "il n'y a pas de place {0} dans {1}, qui a {2} élément(s) ; utilisez 0 à {3}",
    "es gibt keine Stelle {0} in {1}, das {2} Element(e) hat; 0 bis {3} verwenden",
    "er is geen plaats {0} in {1}, dat {2} element(en) heeft; gebruik 0 tot {3}",
]);
pub(super) const NOTHING_TO_REMOVE: Phrase = Phrase([
    "{0} has no items to remove",
    "{0} n'a pas d'élément à retirer",
    "{0} hat keine Elemente zum Entfernen",
    "{0} heeft geen elementen om te verwijderen",
]);
pub(super) const UNKNOWN_TAG: Phrase = Phrase([
    "{0} {1} names no variant of an item; there are {2}. Give one of them, or add the item without `value` and choose its variant at its $oneOf",
    "{0} {1} ne désigne aucune variante d'un élément ; il y a {2}. Donnez l'une d'elles, ou ajoutez l'élément sans `value` et choisissez sa variante à son $oneOf",
    "{0} {1} nennt keine Variante eines Elements; es gibt {2}. Eine davon angeben oder das Element ohne `value` hinzufügen und die Variante an seinem $oneOf wählen",
    "{0} {1} noemt geen variant van een element; er zijn {2}. Geef een daarvan, of voeg het element zonder `value` toe en kies de variant bij zijn $oneOf",
]);
pub(super) const ADDED: Phrase = Phrase([
    "item {0} was added, {1} in all",
    "l'élément {0} a été ajouté, {1} en tout",
    "Element {0} wurde hinzugefügt, insgesamt {1}",
    "element {0} is toegevoegd, {1} in totaal",
]);
pub(super) const REMOVED: Phrase = Phrase([
    "item {0} was removed, {1} left",
    "l'élément {0} a été retiré, il en reste {1}",
    "Element {0} wurde entfernt, {1} übrig",
    "element {0} is verwijderd, {1} over",
]);
pub(super) const ITEM_FIELDS: Phrase =
    Phrase(["Its fields:", "Ses champs :", "Seine Felder:", "De velden ervan:"]);
pub(super) const VARIANT_FIELDS: Phrase = Phrase([
    "Fields of this variant:",
    "Champs de cette variante :",
    "Felder dieser Variante:",
    "Velden van deze variant:",
]);
pub(super) const FORMER_REMOVED: Phrase = Phrase([
    "{0} key(s) of the former variant were removed: {1}",
    "{0} clé(s) de la variante précédente ont été retirées : {1}",
    "{0} Schlüssel der vorigen Variante wurden entfernt: {1}",
    "{0} sleutel(s) van de vorige variant zijn verwijderd: {1}",
]);
pub(super) const FORMER_KEPT: Phrase = Phrase([
    "{0} key(s) of the former variant are still there and will be saved: {1}. To drop them, write the whole object without them",
    "{0} clé(s) de la variante précédente sont toujours là et seront enregistrées : {1}. Pour les retirer, écrivez l'objet entier sans elles",
    "{0} Schlüssel der vorigen Variante sind noch da und werden gespeichert: {1}. Zum Entfernen das ganze Objekt ohne sie schreiben",
    "{0} sleutel(s) van de vorige variant zijn er nog en worden opgeslagen: {1}. Schrijf het hele object zonder deze om ze te verwijderen",
]);
pub(super) const VALID: Phrase = Phrase([
    "the form is valid",
    "le formulaire est valide",
    "das Formular ist gültig",
    "het formulier is geldig",
]);
pub(super) const NO_ERROR_HERE: Phrase = Phrase([
    "nothing is wrong here",
    "rien à corriger ici",
    "hier ist nichts falsch",
    "hier is niets fout",
]);
pub(super) const ERRORS_HERE: Phrase =
    Phrase(["{0} error(s) here:", "{0} erreur(s) ici :", "{0} Fehler hier:", "{0} fout(en) hier:"]);
pub(super) const ERRORS_ELSEWHERE: Phrase = Phrase([
    "the form has {0} error(s) elsewhere; describeState lists them",
    "le formulaire a {0} erreur(s) ailleurs ; describeState les montre",
    "das Formular hat anderswo {0} Fehler; describeState zeigt sie",
    "het formulier heeft elders {0} fout(en); describeState toont ze",
]);
pub(super) const INVALID: Phrase = Phrase([
    "the form is not valid yet",
    "le formulaire n'est pas encore valide",
    "das Formular ist noch nicht gültig",
    "het formulier is nog niet geldig",
]);
pub(super) const INVALID_WITH: Phrase = Phrase([
    "the form is not valid, {0} error(s):",
    "le formulaire n'est pas valide, {0} erreur(s) :",
    "das Formular ist nicht gültig, {0} Fehler:",
    "het formulier is niet geldig, {0} fout(en):",
]);
pub(super) const ERRORS: Phrase = Phrase(["Errors:", "Erreurs :", "Fehler:", "Fouten:"]);
pub(super) const FIELDS: Phrase = Phrase(["Fields:", "Champs :", "Felder:", "Velden:"]);
pub(super) const STORED: Phrase = Phrase([
    "{0} key(s) written: {1}",
    "{0} clé(s) écrite(s) : {1}",
    "{0} Schlüssel geschrieben: {1}",
    "{0} sleutel(s) geschreven: {1}",
]);
pub(super) const DROPPED: Phrase = Phrase([
    "{0} key(s) removed because `merge` is false: {1}",
    "{0} clé(s) retirée(s) parce que `merge` est faux : {1}",
    "{0} Schlüssel entfernt, weil `merge` falsch ist: {1}",
    "{0} sleutel(s) verwijderd omdat `merge` onwaar is: {1}",
]);
pub(super) const UNKNOWN_KEPT: Phrase = Phrase([
    "{0} key(s) have no field in the form but are in the document and will be saved: {1}. Check for typing errors",
    "{0} clé(s) n'ont pas de champ dans le formulaire mais sont dans le document et seront enregistrées : {1}. Vérifiez l'orthographe",
    "{0} Schlüssel haben kein Feld im Formular, stehen aber im Dokument und werden gespeichert: {1}. Auf Tippfehler prüfen",
    "{0} sleutel(s) hebben geen veld in het formulier maar staan in het document en worden bewaard: {1}. Controleer op typefouten",
]);
pub(super) const UNKNOWN_DROPPED: Phrase = Phrase([
    "{0} key(s) are not allowed by the form and were left out: {1}",
    "{0} clé(s) ne sont pas admises par le formulaire et ont été omises : {1}",
    "{0} Schlüssel sind im Formular nicht erlaubt und wurden weggelassen: {1}",
    "{0} sleutel(s) zijn in het formulier niet toegestaan en zijn weggelaten: {1}",
]);
pub(super) const APPEARED: Phrase = Phrase([
    "{0} field(s) are shown now: {1}",
    "{0} champ(s) sont maintenant affichés : {1}",
    "{0} Feld(er) werden jetzt angezeigt: {1}",
    "{0} veld(en) worden nu getoond: {1}",
]);
pub(super) const DISAPPEARED: Phrase = Phrase([
    "{0} field(s) are not shown any more: {1}",
    "{0} champ(s) ne sont plus affichés : {1}",
    "{0} Feld(er) werden nicht mehr angezeigt: {1}",
    "{0} veld(en) worden niet meer getoond: {1}",
]);
pub(super) const SAVED: Phrase = Phrase([
    "\"{0}\" is saved",
    "« {0} » est enregistré",
    "„{0}“ ist gespeichert",
    "\"{0}\" is opgeslagen",
]);
pub(super) const SAVED_BEFORE_EDITS: Phrase = Phrase([
    "edits made while it was being saved are still to be saved",
    "les modifications faites pendant l'enregistrement restent à enregistrer",
    "Änderungen während des Speicherns sind noch zu speichern",
    "wijzigingen tijdens het opslaan moeten nog worden opgeslagen",
]);
pub(super) const CREATES_EACH_TIME: Phrase = Phrase([
    "The next save creates another one: call reloadForm to fill that in from the start, or edit what is there",
    "Le prochain enregistrement en crée un autre : reloadForm pour le remplir depuis le début, ou modifiez ce qui est là",
    "Das nächste Speichern legt ein weiteres an: reloadForm, um es von Anfang an auszufüllen, oder das Vorhandene ändern",
    "De volgende keer opslaan maakt een nieuw exemplaar: reloadForm om dat vanaf het begin in te vullen, of wijzig wat er staat",
]);
pub(super) const CREATED_ALREADY: Phrase = Phrase([
    "\"{0}\" was created with the last save and nothing has changed since, so nothing was sent: saving again would create it twice. For another one call reloadForm and fill it in",
    "« {0} » a été créé par le dernier enregistrement et rien n'a changé depuis, donc rien n'a été envoyé : enregistrer à nouveau le créerait deux fois. Pour en créer un autre, appelez reloadForm et remplissez-le",
    "„{0}“ wurde mit dem letzten Speichern angelegt und seitdem nicht geändert, deshalb wurde nichts gesendet: Erneutes Speichern würde es doppelt anlegen. Für ein weiteres reloadForm aufrufen und ausfüllen",
    "\"{0}\" is bij de laatste keer opslaan aangemaakt en sindsdien niet gewijzigd, dus er is niets verzonden: opnieuw opslaan zou het dubbel aanmaken. Roep voor een nieuw exemplaar reloadForm aan en vul het in",
]);
pub(super) const NOT_SAVED: Phrase = Phrase([
    "\"{0}\" was not saved: {1}. The edits are kept; correct what is wrong and save again",
    "« {0} » n'a pas été enregistré : {1}. Les modifications sont conservées ; corrigez puis enregistrez à nouveau",
    "„{0}“ wurde nicht gespeichert: {1}. Die Änderungen bleiben; korrigieren und erneut speichern",
    "\"{0}\" is niet opgeslagen: {1}. De wijzigingen blijven; verbeter en sla opnieuw op",
]);
pub(super) const MAYBE_SAVED: Phrase = Phrase([
    "it is not known whether \"{0}\" was saved: {1}. The edits are kept. To find out, read them with getData, then call reloadForm, which shows what the API has now and drops them; write again what is missing and save",
    "on ne sait pas si « {0} » a été enregistré : {1}. Les modifications sont conservées. Pour le savoir, lisez-les avec getData, puis appelez reloadForm, qui montre ce que l'API a maintenant et les abandonne ; écrivez à nouveau ce qui manque et enregistrez",
    "es ist nicht bekannt, ob „{0}“ gespeichert wurde: {1}. Die Änderungen bleiben. Um es herauszufinden, mit getData lesen und dann reloadForm aufrufen, das zeigt, was die API jetzt hat, und sie verwirft; was fehlt, erneut schreiben und speichern",
    "het is niet bekend of \"{0}\" is opgeslagen: {1}. De wijzigingen blijven. Lees ze met getData en roep dan reloadForm aan, dat toont wat de API nu heeft en ze verwerpt; schrijf opnieuw wat ontbreekt en sla op",
]);
pub(super) const MAYBE_CREATED: Phrase = Phrase([
    "it is not known whether \"{0}\" was saved: {1}. The edits are kept. Saving again may create it a second time: first find out with other tools whether it is there, and call reloadForm to start anew if it is",
    "on ne sait pas si « {0} » a été enregistré : {1}. Les modifications sont conservées. Enregistrer à nouveau peut le créer une seconde fois : vérifiez d'abord avec d'autres outils s'il existe, et appelez alors reloadForm pour recommencer",
    "es ist nicht bekannt, ob „{0}“ gespeichert wurde: {1}. Die Änderungen bleiben. Erneutes Speichern kann es ein zweites Mal anlegen: Zuerst mit anderen Tools herausfinden, ob es da ist, und dann mit reloadForm neu beginnen",
    "het is niet bekend of \"{0}\" is opgeslagen: {1}. De wijzigingen blijven. Opnieuw opslaan kan het een tweede keer aanmaken: ga eerst met andere tools na of het bestaat, en begin dan opnieuw met reloadForm",
]);
pub(super) const CONFLICT: Phrase = Phrase([
    "\"{0}\" was not saved: somebody changed it at its source since it was loaded{1}. Nothing was overwritten and the edits are kept. Read them with getData, then call reloadForm, write them again and save",
    "« {0} » n'a pas été enregistré : il a été modifié à la source depuis son chargement{1}. Rien n'a été écrasé et les modifications sont conservées. Lisez-les avec getData, appelez reloadForm, écrivez-les à nouveau et enregistrez",
    "„{0}“ wurde nicht gespeichert: An der Quelle wurde es seit dem Laden geändert{1}. Nichts wurde überschrieben, die Änderungen bleiben. Mit getData lesen, reloadForm aufrufen, erneut schreiben und speichern",
    "\"{0}\" is niet opgeslagen: het is bij de bron gewijzigd sinds het laden{1}. Er is niets overschreven en de wijzigingen blijven. Lees ze met getData, roep reloadForm aan, schrijf ze opnieuw en sla op",
]);
pub(super) const CANNOT_SAVE: Phrase = Phrase([
    "\"{0}\" cannot be saved: there is no operation for it",
    "« {0} » ne peut pas être enregistré : aucune opération ne le permet",
    "„{0}“ kann nicht gespeichert werden: Es gibt keine Operation dafür",
    "\"{0}\" kan niet worden opgeslagen: er is geen operatie voor",
]);
pub(super) const RELOADED: Phrase = Phrase([
    "\"{0}\" was loaded again; edits that were not saved are gone",
    "« {0} » a été rechargé ; les modifications non enregistrées sont perdues",
    "„{0}“ wurde neu geladen; nicht gespeicherte Änderungen sind verworfen",
    "\"{0}\" is opnieuw geladen; niet-opgeslagen wijzigingen zijn weg",
]);
pub(super) const LEFT_OUT: Phrase = Phrase([
    "{0} value(s) of the loaded document have no place in this form and were left out: {1}. A save sends the document without them",
    "{0} valeur(s) du document chargé n'ont pas de place dans ce formulaire et ont été omises : {1}. Un enregistrement envoie le document sans elles",
    "{0} Wert(e) des geladenen Dokuments haben in diesem Formular keinen Platz und wurden weggelassen: {1}. Beim Speichern wird das Dokument ohne sie gesendet",
    "{0} waarde(n) van het geladen document hebben geen plaats in dit formulier en zijn weggelaten: {1}. Bij opslaan wordt het document zonder deze verzonden",
]);
pub(super) const NOT_RELOADED: Phrase = Phrase([
    "\"{0}\" could not be loaded: {1}. The session is as it was; try reloadForm again",
    "« {0} » n'a pas pu être chargé : {1}. La session est restée en l'état ; réessayez reloadForm",
    "„{0}“ konnte nicht geladen werden: {1}. Die Sitzung ist unverändert; reloadForm erneut versuchen",
    "\"{0}\" kon niet worden geladen: {1}. De sessie is ongewijzigd; probeer reloadForm opnieuw",
]);
pub(super) const TOO_LARGE: Phrase = Phrase([
    "the document would have {0} bytes, {1} are allowed; nothing was written",
    "le document ferait {0} octets, {1} sont permis ; rien n'a été écrit",
    "das Dokument hätte {0} Bytes, erlaubt sind {1}; nichts wurde geschrieben",
    "het document zou {0} bytes hebben, {1} zijn toegestaan; er is niets geschreven",
]);
pub(super) const TOO_DEEP: Phrase = Phrase([
    "the document would be nested {0} levels deep, {1} are allowed; nothing was written",
    "le document aurait {0} niveaux, {1} sont permis ; rien n'a été écrit",
    "das Dokument hätte {0} Ebenen, erlaubt sind {1}; nichts wurde geschrieben",
    "het document zou {0} niveaus hebben, {1} zijn toegestaan; er is niets geschreven",
]);
pub(super) const TOO_LONG: Phrase = Phrase([
    "an array would have {0} items, {1} are allowed; nothing was written",
    "un tableau aurait {0} éléments, {1} sont permis ; rien n'a été écrit",
    "ein Array hätte {0} Elemente, erlaubt sind {1}; nichts wurde geschrieben",
    "een array zou {0} elementen hebben, {1} zijn toegestaan; er is niets geschreven",
]);
pub(super) const RESTLESS: Phrase = Phrase([
    "the form keeps changing this data by its own rules; nothing was written",
    "le formulaire modifie sans fin ces données par ses propres règles ; rien n'a été écrit",
    "das Formular ändert diese Daten durch eigene Regeln immer weiter; nichts wurde geschrieben",
    "het formulier blijft deze gegevens door eigen regels wijzigen; er is niets geschreven",
]);
pub(super) const CUT: Phrase = Phrase([
    "(cut here, the rest is too long; ask for a part with `path`)",
    "(coupé ici, la suite est trop longue ; demandez une partie avec `path`)",
    "(hier gekürzt, der Rest ist zu lang; einen Teil mit `path` abfragen)",
    "(hier afgebroken, de rest is te lang; vraag een deel met `path`)",
]);
pub(super) const NOT_YET: Phrase = Phrase([
    "not in the form yet; once it is chosen or added it holds:",
    "pas encore dans le formulaire ; une fois choisi ou ajouté, il contient :",
    "noch nicht im Formular; gewählt oder hinzugefügt enthält es:",
    "nog niet in het formulier; eenmaal gekozen of toegevoegd bevat het:",
]);
pub(super) const SAME_VARIANTS: Phrase = Phrase([
    "the same as for {0}; call describeState on {1} to see them",
    "les mêmes que pour {0} ; describeState sur {1} les montre",
    "dieselben wie bei {0}; describeState auf {1} zeigt sie",
    "dezelfde als bij {0}; describeState op {1} toont ze",
]);
pub(super) const TOO_MUCH: Phrase = Phrase([
    "the answer would have {0} bytes, which is too long; read parts of {1} by their paths",
    "la réponse ferait {0} octets, c'est trop long ; lisez des parties de {1} par leurs chemins",
    "die Antwort hätte {0} Bytes, das ist zu lang; Teile von {1} über ihre Pfade lesen",
    "het antwoord zou {0} bytes hebben, dat is te lang; lees delen van {1} via hun paden",
]);
pub(super) const NOT_SAVED_YET: Phrase = Phrase([
    "\"{0}\" was not saved: {1}",
    "« {0} » n'a pas été enregistré : {1}",
    "„{0}“ wurde nicht gespeichert: {1}",
    "\"{0}\" is niet opgeslagen: {1}",
]);
