//! Names from the document inside messages: on one line, in backticks, not too long.

/// Longest text that a message repeats, in characters.
const LENGTH: usize = 60;

/// Names shown before the rest is only counted.
const SHOWN: usize = 20;

/// The text in backticks, cut to a readable length, without line breaks and backticks of its own.
pub(super) fn quote(text: &str) -> String {
    let mut clipped = String::from("`");
    let clean = |c: char| if c.is_control() || c == '`' { ' ' } else { c };
    clipped.extend(text.chars().take(LENGTH).map(clean));
    if text.chars().nth(LENGTH).is_some() {
        clipped.push('…');
    }
    clipped.push('`');
    clipped
}

/// Quoted names, joined by a separator and another one before the last.
pub(super) fn list(names: &[&str], separator: &str, last: &str) -> String {
    let mut shown: Vec<String> = names.iter().take(SHOWN).map(|name| quote(name)).collect();
    let more = names.len().saturating_sub(SHOWN);
    if more > 0 {
        shown.push(format!("{more} more"));
    }
    match shown.split_last() {
        None => "none".to_owned(),
        Some((only, [])) => only.clone(),
        Some((end, rest)) => format!("{}{last}{end}", rest.join(separator)),
    }
}
