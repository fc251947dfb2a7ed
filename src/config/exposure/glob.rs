//! Patterns with `*`.

/// Whether a path fits: `*` is anything within a segment, `**` any number of segments.
pub(super) fn path(glob: &str, path: &str) -> bool {
    let glob: Vec<&str> = glob.trim_start_matches('/').split('/').collect();
    let path: Vec<&str> = path.trim_start_matches('/').split('/').collect();
    matches(&glob, &path, |segment| *segment == "**", |glob, segment| text(glob, segment))
}

/// Whether a text fits: `*` is anything.
pub(super) fn text(glob: &str, text: &str) -> bool {
    matches(glob.as_bytes(), text.as_bytes(), |byte| *byte == b'*', |glob, byte| glob == byte)
}

/// Matches items against a pattern with stars. Only the last star is ever tried again, which is
/// enough and keeps the time within the product of both lengths.
fn matches<T>(
    pattern: &[T],
    items: &[T],
    is_star: fn(&T) -> bool,
    is_equal: fn(&T, &T) -> bool,
) -> bool {
    let (mut at, mut item) = (0, 0);
    let mut again: Option<(usize, usize)> = None;
    while let Some(next) = items.get(item) {
        match pattern.get(at) {
            Some(part) if is_star(part) => {
                again = Some((at + 1, item));
                at += 1;
            }
            Some(part) if is_equal(part, next) => {
                at += 1;
                item += 1;
            }
            _ => {
                let Some((after, taken)) = again else { return false };
                again = Some((after, taken + 1));
                (at, item) = (after, taken + 1);
            }
        }
    }
    pattern.iter().skip(at).all(is_star)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stand_for_a_part_of_a_segment_or_for_segments() {
        for (glob, value, fits) in [
            ("/repos", "/repos", true),
            ("/repos", "/repos/{id}", false),
            ("/repos/*", "/repos/{id}", true),
            ("/repos/*", "/repos", false),
            ("/repos/*", "/repos/a/b", false),
            ("/repos/**", "/repos", true),
            ("/repos/**", "/repos/a/b", true),
            ("/repos/**", "/repositories", false),
            ("/repos/{owner}/**", "/repos/{owner}/{repo}/issues", true),
            ("/**/issues", "/repos/{owner}/{repo}/issues", true),
            ("/**/issues", "/issues", true),
            ("**/issues", "/a/issues", true),
            ("/**/issues/**", "/a/issues/b/c", true),
            ("/**/issues/*", "/a/issues/issues/b", true),
            ("/**", "/", true),
            ("/v*/users", "/v2/users", true),
            ("/a*b*c", "/abxbc", true),
            ("/a*b*c", "/abxb", false),
        ] {
            assert_eq!(path(glob, value), fits, "{glob} {value}");
        }
        assert!(text("repos/*", "repos/get-branch") && !text("repos/*", "pulls/get"));
        assert!(text("*", "") && !text("", "x"));
    }

    #[test]
    fn many_stars_do_not_take_forever() {
        let glob = "*a".repeat(2_000) + "b";
        assert!(!text(&glob, &"a".repeat(20_000)));
    }
}
