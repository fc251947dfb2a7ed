//! Media types (RFC 9110 §8.3.1): their essence, and how a value of one is written.

/// How a value of some media type is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coding {
    /// JSON text (`application/json`, `+json`).
    Json,
    /// One JSON text per line for an array (`application/x-ndjson`, `application/jsonl`); a string
    /// is sent as it is.
    JsonLines,
    /// `application/x-www-form-urlencoded`: the value is an object.
    Form,
    /// `multipart/*`: the value is an object; each property becomes a part.
    Multipart,
    /// Text: the value is a string, sent in UTF-8.
    Text,
    /// Bytes: the value is a string in base64, sent decoded.
    Binary,
}

/// How a body or value of this media type is written; parameters and case do not matter.
pub fn coding(media_type: &str) -> Coding {
    const TEXTS: [&str; 7] = [
        "application/xml",
        "application/yaml",
        "application/x-yaml",
        "application/graphql",
        "application/javascript",
        "application/sdp",
        "application/sql",
    ];
    let essence = essence(media_type).to_ascii_lowercase();
    let ends = |suffix| essence.ends_with(suffix);
    match essence.as_str() {
        "application/json" | "text/json" => Coding::Json,
        "application/x-ndjson" | "application/ndjson" | "application/jsonl" => Coding::JsonLines,
        "application/x-www-form-urlencoded" => Coding::Form,
        _ if ends("+json") => Coding::Json,
        other if other.starts_with("multipart/") => Coding::Multipart,
        other if other.starts_with("text/") || ends("+xml") || ends("+yaml") => Coding::Text,
        other if TEXTS.contains(&other) => Coding::Text,
        _ => Coding::Binary,
    }
}

/// A media type without its parameters, in the case that it was written in.
pub fn essence(media_type: &str) -> &str {
    media_type.split_once(';').map_or(media_type, |(essence, _)| essence).trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_and_case_do_not_decide_the_coding() {
        let cases = [
            ("application/json", Coding::Json),
            ("Application/Vnd.API+JSON; v=1", Coding::Json),
            ("application/jsonl", Coding::JsonLines),
            ("application/x-www-form-urlencoded;charset=utf-8", Coding::Form),
            ("multipart/form-data", Coding::Multipart),
            ("text/csv", Coding::Text),
            ("application/atom+xml", Coding::Text),
            ("application/yaml", Coding::Text),
            ("application/octet-stream", Coding::Binary),
            ("", Coding::Binary),
        ];
        for (media_type, expected) in cases {
            assert_eq!(coding(media_type), expected, "{media_type}");
        }
    }

    #[test]
    fn the_essence_ends_before_the_parameters() {
        assert_eq!(essence(" Text/Plain ; charset=utf-8; x=y"), "Text/Plain");
        assert_eq!(essence("text/plain"), "text/plain");
        assert_eq!(essence(""), "");
    }
}
