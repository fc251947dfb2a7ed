//! "Did you mean": the known name nearest to a mistyped one.

/// Longest name that is compared, in characters.
const LONGEST: usize = 64;

/// Most known names that are compared.
const MOST: usize = 200;

/// The known name that is closest to `name` if it is close at all: a third of the letters may
/// differ. Case, `-`, `_` and `.` do not count.
pub fn nearest<'k>(name: &str, known: &[&'k str]) -> Option<&'k str> {
    let wanted = folded(name)?;
    known
        .iter()
        .take(MOST)
        .filter_map(|candidate| Some((distance(&wanted, &folded(candidate)?), *candidate)))
        .filter(|(distance, _)| *distance <= wanted.len().div_ceil(3))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// The letters that count; `None` for a name without any and for one too long to compare.
fn folded(name: &str) -> Option<Vec<char>> {
    let letters = name.chars().filter(|c| !matches!(c, '-' | '_' | '.'));
    let letters: Vec<char> = letters.flat_map(char::to_lowercase).take(LONGEST + 1).collect();
    (1..=LONGEST).contains(&letters.len()).then_some(letters)
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
