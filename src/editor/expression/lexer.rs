//! Tokens of expressions.

use super::parser::Fault;

/// A token; what it means is its text, except for literals.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token<'t> {
    End,
    Name(&'t str),
    Number(f64),
    Text(String),
    /// An operator or bracket, or the backtick that opens a template.
    Sign(&'t str),
}

/// Signs, longer ones before their prefixes.
const SIGNS: &[&str] = &[
    "...", "===", "!==", "?.", "??", "=>", "==", "!=", "<=", ">=", "&&", "||", "(", ")", "[", "]",
    "{", "}", ".", ",", ";", ":", "?", "<", ">", "+", "-", "*", "/", "%", "!", "=", "`",
];

/// Reads one token from `text` at `*at`, after white space and comments.
pub(super) fn token<'t>(text: &'t str, at: &mut usize) -> Result<Token<'t>, Fault> {
    skip_space(text, at)?;
    let rest = text.get(*at..).unwrap_or_default();
    let Some(first) = rest.chars().next() else { return Ok(Token::End) };
    if is_name_start(first) {
        let end = rest.find(|c| !is_name_part(c)).unwrap_or(rest.len());
        *at += end;
        return Ok(Token::Name(rest.get(..end).unwrap_or_default()));
    }
    let next_is_digit = rest.as_bytes().get(1).is_some_and(u8::is_ascii_digit);
    if first.is_ascii_digit() || (first == '.' && next_is_digit) {
        return number(rest, at);
    }
    if first == '"' || first == '\'' {
        *at += 1;
        return quoted(text, at, first).map(Token::Text);
    }
    sign(rest, at)
}

fn sign<'t>(rest: &'t str, at: &mut usize) -> Result<Token<'t>, Fault> {
    // in `a?.5:b`, the point belongs to the number
    let digit_after = rest.as_bytes().get(2).is_some_and(u8::is_ascii_digit);
    let found =
        SIGNS.iter().find(|sign| rest.starts_with(**sign) && !(**sign == "?." && digit_after));
    let length = found.map(|sign| sign.len());
    match length.and_then(|length| rest.get(..length)) {
        Some(sign) => {
            *at += sign.len();
            Ok(Token::Sign(sign))
        }
        None => Err(Fault::new(*at, "a character that has no meaning here")),
    }
}

fn is_name_start(c: char) -> bool {
    c.is_alphabetic() || c == '_' || c == '$'
}

fn is_name_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

fn skip_space(text: &str, at: &mut usize) -> Result<(), Fault> {
    loop {
        let rest = text.get(*at..).unwrap_or_default();
        let trimmed = rest.trim_start();
        *at += rest.len() - trimmed.len();
        if trimmed.starts_with("//") {
            *at += trimmed.find('\n').unwrap_or(trimmed.len());
        } else if let Some(comment) = trimmed.strip_prefix("/*") {
            let end = comment.find("*/").ok_or(Fault::new(*at, "a comment that does not end"))?;
            *at += end + 4;
        } else {
            return Ok(());
        }
    }
}

fn number<'t>(rest: &str, at: &mut usize) -> Result<Token<'t>, Fault> {
    let mut end = 0;
    let mut previous = ' ';
    for c in rest.chars() {
        let in_exponent = matches!(previous, 'e' | 'E') && !rest.starts_with("0x");
        if !(is_name_part(c) || c == '.' || (in_exponent && matches!(c, '+' | '-'))) {
            break;
        }
        previous = c;
        end += c.len_utf8();
    }
    let text = rest.get(..end).unwrap_or_default();
    let fault = Fault::new(*at, "a number that cannot be read");
    *at += end;
    super::convert::number_literal(text).map(Token::Number).ok_or(fault)
}

/// Reads up to the closing quote.
fn quoted(text: &str, at: &mut usize, quote: char) -> Result<String, Fault> {
    let start = *at;
    let mut out = String::new();
    loop {
        let rest = text.get(*at..).unwrap_or_default();
        match rest.chars().next() {
            None | Some('\n') => return Err(Fault::new(start, "a text that does not end")),
            Some('\\') => escape(text, at, &mut out)?,
            Some(c) => {
                *at += c.len_utf8();
                if c == quote {
                    return Ok(out);
                }
                out.push(c);
            }
        }
    }
}

/// Reads one escape sequence, the backslash included.
pub(super) fn escape(text: &str, at: &mut usize, out: &mut String) -> Result<(), Fault> {
    let start = *at;
    let mut rest = text.get(start + 1..).unwrap_or_default().chars();
    let c = rest.next().ok_or(Fault::new(start, "a text that does not end"))?;
    *at += 1 + c.len_utf8();
    match c {
        'n' => out.push('\n'),
        't' => out.push('\t'),
        'r' => out.push('\r'),
        'b' => out.push('\u{8}'),
        'f' => out.push('\u{c}'),
        'v' => out.push('\u{b}'),
        '0' => out.push('\0'),
        '\n' => {}
        'x' => code(text, at, 2, out)?,
        'u' => code(text, at, 4, out)?,
        c => out.push(c),
    }
    Ok(())
}

/// Reads the digits of `\x41`, `\u0041` or `\u{41}`.
fn code(text: &str, at: &mut usize, digits: usize, out: &mut String) -> Result<(), Fault> {
    let fault = Fault::new(*at, "an escape that names no character");
    let rest = text.get(*at..).unwrap_or_default();
    let (hex, length) = match rest.strip_prefix('{') {
        Some(braced) if digits == 4 => {
            let end = braced.find('}').ok_or(fault)?;
            (braced.get(..end), end + 2)
        }
        _ => (rest.get(..digits), digits),
    };
    let value = hex.and_then(|hex| u32::from_str_radix(hex, 16).ok()).ok_or(fault)?;
    *at += length;
    out.push(char::from_u32(value).unwrap_or(char::REPLACEMENT_CHARACTER));
    Ok(())
}
