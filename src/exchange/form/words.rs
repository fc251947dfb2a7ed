//! What is said of the session of a form, in the languages of forms.

use crate::editor::state::Phrase;

pub(super) const OPENED: Phrase = Phrase([
    "Note: this form was opened anew by this call and holds no earlier edits. If you have edited it \
     before, that session has ended and the edits are gone.",
    "Remarque : cet appel a ouvert le formulaire à nouveau, sans modifications antérieures. Si vous \
     l'aviez modifié, cette session est terminée et les modifications sont perdues.",
    "Hinweis: Dieser Aufruf hat das Formular neu geöffnet, ohne frühere Änderungen. Wurde es schon \
     bearbeitet, ist jene Sitzung beendet und die Änderungen sind verloren.",
    "Let op: deze aanroep heeft het formulier opnieuw geopend, zonder eerdere wijzigingen. Was het \
     al bewerkt, dan is die sessie beëindigd en zijn de wijzigingen weg.",
]);
pub(super) const CHANGED: Phrase = Phrase([
    "Note: the schema of this form has changed since the session was opened. The data is kept; look \
     at the fields again with describeState.",
    "Remarque : le schéma de ce formulaire a changé depuis l'ouverture de la session. Les données \
     sont conservées ; revoyez les champs avec describeState.",
    "Hinweis: Das Schema dieses Formulars hat sich seit dem Öffnen geändert. Die Daten bleiben; \
     die Felder mit describeState erneut ansehen.",
    "Let op: het schema van dit formulier is gewijzigd sinds de sessie begon. De gegevens blijven; \
     bekijk de velden opnieuw met describeState.",
]);
pub(super) const GONE: Phrase = Phrase([
    "There is no session of this form: it was not opened yet, or it ended because it was not used, \
     had to make room, or the gateway was restarted. Nothing was saved. Open it with describeState \
     and make the edits again.",
    "Il n'y a pas de session de ce formulaire : il n'a pas été ouvert, ou elle a pris fin faute \
     d'usage, de place, ou par un redémarrage de la passerelle. Rien n'a été enregistré. Ouvrez-le \
     avec describeState et refaites les modifications.",
    "Es gibt keine Sitzung dieses Formulars: Es wurde noch nicht geöffnet, oder sie endete, weil sie \
     ungenutzt blieb, Platz machen musste oder das Gateway neu startete. Nichts wurde gespeichert. \
     Mit describeState öffnen und die Änderungen wiederholen.",
    "Er is geen sessie van dit formulier: het is nog niet geopend, of ze eindigde omdat ze niet \
     gebruikt werd, plaats moest maken of de gateway herstartte. Er is niets opgeslagen. Open het \
     met describeState en maak de wijzigingen opnieuw.",
]);
pub(super) const BUSY: Phrase = Phrase([
    "Other calls are changing this form at the same moment. Nothing was changed; try again.",
    "D'autres appels modifient ce formulaire en même temps. Rien n'a été changé ; réessayez.",
    "Andere Aufrufe ändern dieses Formular gerade. Nichts wurde geändert; erneut versuchen.",
    "Andere aanroepen wijzigen dit formulier op dit moment. Er is niets gewijzigd; probeer opnieuw.",
]);
pub(super) const UNSEEN: Phrase = Phrase([
    "Nothing was sent, because the schema of this form has changed and values were changed to fit \
     it: {0}. Look at them with describeState, then save again.",
    "Rien n'a été envoyé : le schéma de ce formulaire a changé et des valeurs ont été adaptées : {0}. \
     Voyez-les avec describeState, puis enregistrez à nouveau.",
    "Nichts wurde gesendet, weil sich das Schema dieses Formulars geändert hat und Werte angepasst \
     wurden: {0}. Mit describeState ansehen und erneut speichern.",
    "Er is niets verzonden: het schema van dit formulier is gewijzigd en waarden zijn aangepast: {0}. \
     Bekijk ze met describeState en sla opnieuw op.",
]);
pub(super) const TOO_LARGE: Phrase = Phrase([
    "The session of this form would take more than {0} bytes (`limits.sessions.maxSize`). Nothing \
     was changed.",
    "La session de ce formulaire prendrait plus de {0} octets (`limits.sessions.maxSize`). Rien n'a \
     été changé.",
    "Die Sitzung dieses Formulars bräuchte mehr als {0} Bytes (`limits.sessions.maxSize`). Nichts \
     wurde geändert.",
    "De sessie van dit formulier zou meer dan {0} bytes nodig hebben (`limits.sessions.maxSize`). Er \
     is niets gewijzigd.",
]);
pub(super) const REPLACED: Phrase = Phrase([
    "Note: while this save was under way, the form was loaded again or opened anew, so it does not \
     hold what was sent. Look at it with getData before you save again, or load it with reloadForm.",
    "Remarque : pendant cet enregistrement, le formulaire a été rechargé ou rouvert ; il ne contient \
     pas ce qui a été envoyé. Voyez-le avec getData avant d'enregistrer, ou utilisez reloadForm.",
    "Hinweis: Während des Speicherns wurde das Formular neu geladen oder geöffnet; es enthält nicht, \
     was gesendet wurde. Vor dem nächsten Speichern mit getData ansehen oder reloadForm nutzen.",
    "Let op: tijdens dit opslaan is het formulier opnieuw geladen of geopend; het bevat niet wat \
     verzonden is. Bekijk het met getData voor u weer opslaat, of gebruik reloadForm.",
]);
pub(super) const SAVING: Phrase = Phrase([
    "This form is being saved by another call, so nothing was sent. Wait for its answer; if there is \
     none, try again after {0} seconds.",
    "Un autre appel enregistre ce formulaire ; rien n'a été envoyé. Attendez sa réponse ; sans \
     réponse, réessayez après {0} secondes.",
    "Ein anderer Aufruf speichert dieses Formular; nichts wurde gesendet. Die Antwort abwarten; \
     bleibt sie aus, nach {0} Sekunden erneut versuchen.",
    "Een andere aanroep slaat dit formulier op; er is niets verzonden. Wacht het antwoord af; komt \
     dat niet, probeer dan na {0} seconden opnieuw.",
]);
pub(super) const NO_SCHEMA: Phrase = Phrase([
    "The schema of the form was not loaded: {0}",
    "Le schéma du formulaire n'a pas été chargé : {0}",
    "Das Schema des Formulars wurde nicht geladen: {0}",
    "Het schema van het formulier is niet geladen: {0}",
]);
pub(super) const NO_DOCUMENT: Phrase = Phrase([
    "The document was not loaded: {0}",
    "Le document n'a pas été chargé : {0}",
    "Das Dokument wurde nicht geladen: {0}",
    "Het document is niet geladen: {0}",
]);
