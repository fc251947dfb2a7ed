//! "Did you mean": the nearest known name.

use super::fields::quote;

/// What to say about a key that is not known.
pub(super) fn unknown_key(key: &str, known: &[&str]) -> String {
    match nearest(key, known) {
        Some(name) => format!("unknown key; did you mean `{name}`?"),
        None => format!("unknown key; known here: {}", list(known)),
    }
}

/// What to say about a value that is none of the known ones: the hint that follows the error.
pub(super) fn hint(text: &str, known: &[&str]) -> String {
    nearest(text, known).map_or_else(String::new, |name| format!("; did you mean `{name}`?"))
}

/// Names in backticks, separated by commas.
pub(super) fn list(names: &[&str]) -> String {
    names.iter().map(|name| quote(name)).collect::<Vec<_>>().join(", ")
}

/// The known name that is closest to `name` if it is close at all: a third of the letters may
/// differ. Case, `-` and `_` do not count.
fn nearest<'k>(name: &str, known: &[&'k str]) -> Option<&'k str> {
    const LONGEST: usize = 64;
    let wanted = folded(name);
    if wanted.is_empty() || wanted.len() > LONGEST {
        return None;
    }
    known
        .iter()
        .map(|candidate| (distance(&wanted, &folded(candidate)), *candidate))
        .filter(|(distance, _)| *distance <= wanted.len().div_ceil(3))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

fn folded(name: &str) -> Vec<char> {
    name.chars().filter(|c| !matches!(c, '-' | '_')).map(|c| c.to_ascii_lowercase()).collect()
}

/// Optimal string alignment distance: insertions, deletions, substitutions and swaps of neighbours.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut previous: Vec<usize> = (0..=b.len()).collect();
    let mut last_a = None;
    for (row, &in_a) in a.iter().enumerate() {
        let mut current = vec![row + 1];
        let mut last_b = None;
        for (column, &in_b) in b.iter().enumerate() {
            let at =
                |line: &[usize], index: usize| line.get(index).copied().unwrap_or(usize::MAX - 1);
            let swapped = last_a == Some(in_b) && last_b == Some(in_a);
            let cost = (at(&previous, column) + usize::from(in_a != in_b))
                .min(at(&previous, column + 1) + 1)
                .min(at(&current, column) + 1);
            let swap = if swapped { at(&before, column.wrapping_sub(1)) + 1 } else { cost };
            current.push(cost.min(swap));
            last_b = Some(in_b);
        }
        last_a = Some(in_a);
        before = std::mem::replace(&mut previous, current);
    }
    previous.last().copied().unwrap_or(a.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, expected: Option<&str>) {
        assert_eq!(nearest(name, &["lint", "locale", "maxStringLength", "path"]), expected);
    }

    #[test]
    fn the_nearest_name_is_found_despite_slips() {
        check("lnit", Some("lint"));
        check("max_string_length", Some("maxStringLength"));
        check("maxStringLenght", Some("maxStringLength"));
        check("Locales", Some("locale"));
        check("paht", Some("path"));
    }

    #[test]
    fn a_name_that_resembles_none_gets_no_suggestion() {
        check("authorisation", None);
        check("", None);
        check(&"lint".repeat(100), None);
    }

    #[test]
    fn a_swap_of_neighbours_counts_once() {
        let letters = |text: &str| text.chars().collect::<Vec<_>>();
        assert_eq!(distance(&letters("ab"), &letters("ba")), 1);
        assert_eq!(distance(&letters("kitten"), &letters("sitting")), 3);
        assert_eq!(distance(&letters(""), &letters("abc")), 3);
    }
}
