//! Words of names and texts, in a form in which related ones are equal.

/// Words that say nothing about an operation; in their stemmed form.
const STOP: &[&str] = &[
    "about", "all", "am", "an", "and", "any", "are", "as", "at", "be", "by", "can", "do", "for",
    "from", "given", "has", "have", "how", "if", "in", "into", "is", "it", "its", "need", "of",
    "on", "or", "our", "pleas", "some", "that", "the", "their", "them", "thi", "this", "to", "via",
    "want", "was", "what", "when", "where", "which", "who", "will", "with", "you", "your",
];

/// Words that stand for each other, stemmed. The first ones are what methods are called.
pub(super) const SYNONYMS: &[&[&str]] = &[
    &["creat", "add", "new", "mak", "insert", "register", "submit", "post", "open", "send"],
    &["updat", "edit", "chang", "modify", "set", "patch", "replac", "put", "renam", "clos"],
    &["delet", "remov", "destroy", "drop", "eras", "cancel", "clear"],
    &[CALLER, "me", "current", "own"],
    &["get", "list", "show", "read", "view", "fetch", "retriev", "find", "search", "look"],
];

/// What APIs call the one who asks.
const CALLER: &str = "authenticat";

/// What a word of a query means.
pub(super) fn meant(word: &str) -> &str {
    if matches!(word, "i" | "me" | "my" | "min" | "myself") { CALLER } else { word }
}

/// Calls `take` for each word of a text: lower case, without endings.
pub(super) fn each(text: &str, take: &mut dyn FnMut(&str)) {
    let mut word = String::new();
    let mut chars = text.chars().peekable();
    let mut previous = ' ';
    while let Some(c) = chars.next() {
        let is_next_lower = chars.peek().is_some_and(|next| next.is_lowercase());
        let starts = c.is_uppercase()
            && (previous.is_lowercase()
                || previous.is_ascii_digit()
                || (previous.is_uppercase() && is_next_lower));
        if starts || !c.is_alphanumeric() || is_ideograph(c) || is_ideograph(previous) {
            flush(&mut word, take);
        }
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        }
        if is_ideograph(c) {
            // scripts without spaces: every character counts by itself
            take(&word);
            word.clear();
        }
        previous = c;
    }
    flush(&mut word, take);
}

fn flush(word: &mut String, take: &mut dyn FnMut(&str)) {
    stem(word);
    let is_word = word == "i" || word.chars().count() > 1;
    if is_word && !STOP.contains(&word.as_str()) {
        take(word);
    }
    word.clear();
}

fn is_ideograph(c: char) -> bool {
    ('\u{2e80}'..='\u{9fff}').contains(&c) || ('\u{ac00}'..='\u{d7ff}').contains(&c)
}

/// Takes the endings of English words off, so that most forms of a word become equal. The result is
/// not a word, and need not be.
fn stem(word: &mut String) {
    if word.len() < 4 || !word.is_ascii() {
        return;
    }
    if word.ends_with("ies") && word.len() > 4 {
        word.truncate(word.len() - 3);
        word.push('y');
    } else if ["sses", "xes", "ches", "shes"].iter().any(|ending| word.ends_with(ending)) {
        word.truncate(word.len() - 2);
    } else if word.ends_with('s') && !["ss", "us", "is"].iter().any(|end| word.ends_with(end)) {
        word.truncate(word.len() - 1);
    }
    for (ending, shortest) in [("ation", 9), ("ion", 7), ("ing", 6), ("ed", 5), ("e", 4)] {
        if word.len() >= shortest && word.ends_with(ending) {
            word.truncate(word.len() - ending.len());
            if matches!(ending, "ing" | "ed") {
                undouble(word);
            }
            break;
        }
    }
    if word.len() > 4 && word.ends_with('e') {
        word.pop();
    }
}

/// `starr` → `star`, as left by `starring`; `ll` and `ss` belong to words.
fn undouble(word: &mut String) {
    if let [.., a, b] = word.as_bytes()
        && a == b
        && !matches!(b, b'l' | b's')
    {
        word.pop();
    }
}
