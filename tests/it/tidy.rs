//! Rules of the tree that no compiler checks.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Longest source file, tests included, in lines.
const LONGEST: usize = 800;

/// A file, by its path from the root of the repository, and its text.
struct Source {
    path: PathBuf,
    text: String,
}

impl Source {
    /// The module of the crate's root that the file belongs to: `src/call/request.rs` is of `call`.
    fn module(&self) -> &str {
        let first = self.path.iter().nth(1).and_then(|name| name.to_str()).unwrap_or_default();
        first.strip_suffix(".rs").unwrap_or(first)
    }

    /// The lines, with their numbers.
    fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        self.text.lines().enumerate().map(|(index, line)| (index + 1, line))
    }

    /// The names of the modules of the crate's root that the file uses, in code and in links.
    fn uses(&self) -> BTreeSet<String> {
        let mut names = BTreeSet::new();
        for (at, path) in self.text.match_indices("crate::") {
            let rest = &self.text[at + path.len()..];
            let group = rest.strip_prefix('{').map(group);
            names.extend(group.unwrap_or_else(|| vec![first_name(rest)]));
        }
        names
    }
}

/// The first names of the paths of `use crate::{…}`, given what follows the brace.
fn group(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut depth = 1;
    let mut starts = true;
    for (at, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' => starts = depth == 1,
            c if starts && !c.is_whitespace() => {
                names.push(first_name(&text[at..]));
                starts = false;
            }
            _ => {}
        }
        if depth == 0 {
            break;
        }
    }
    names
}

fn first_name(path: &str) -> String {
    path.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect()
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The files that are or would be under version control, except binary ones.
fn tracked() -> Vec<Source> {
    let arguments = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
    let output = Command::new("git").args(arguments).current_dir(root()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let paths = String::from_utf8(output.stdout).unwrap();
    let files = paths.split_terminator('\0').filter_map(|path| {
        let text = fs::read_to_string(root().join(path)).ok()?;
        Some(Source { path: path.into(), text })
    });
    files.collect()
}

fn sources() -> Vec<Source> {
    let is_source = |file: &Source| {
        file.path.starts_with("src") && file.path.extension().is_some_and(|end| end == "rs")
    };
    let mut files = tracked();
    files.retain(is_source);
    assert!(files.len() > 50, "the sources were not found");
    files
}

/// The modules from the ground up, as the first table of `ARCHITECTURE.md` lists them.
fn layers() -> Vec<String> {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let (_, table) = text.split_once("| module | what it does |").unwrap();
    let rows = table.lines().skip(1).take_while(|line| line.starts_with('|'));
    rows.filter_map(|row| Some(row.split('`').nth(1)?.to_owned())).collect()
}

#[track_caller]
fn assert_none(offences: Vec<String>) {
    assert!(offences.is_empty(), "{}", offences.join("\n"));
}

/// Every line of the files that `is_wrong` finds something in.
fn offences(files: &[Source], is_wrong: impl Fn(&str) -> bool) -> Vec<String> {
    let wrong = files.iter().flat_map(|file| {
        let lines = file.lines().filter(|(_, line)| is_wrong(line));
        lines.map(|(number, line)| format!("{}:{number}: {}", file.path.display(), line.trim()))
    });
    wrong.collect()
}

#[test]
fn modules_use_only_those_above_them() {
    let layers = layers();
    let place = |name: &str| layers.iter().position(|layer| layer == name);
    let mut wrong = Vec::new();
    for file in sources().iter().filter(|file| file.module() != "lib") {
        let Some(own) = place(file.module()) else {
            wrong.push(format!("{} is not in the table", file.module()));
            continue;
        };
        for name in file.uses() {
            if place(&name).is_some_and(|used| used > own) {
                wrong.push(format!("{} uses `{name}`", file.path.display()));
            }
        }
    }
    assert_none(wrong);
}

#[test]
fn the_table_of_modules_is_complete() {
    let modules: BTreeSet<_> = sources().iter().map(|file| file.module().to_owned()).collect();
    let listed: BTreeSet<_> = layers().into_iter().chain(["lib".to_owned()]).collect();
    assert_eq!(modules, listed);
}

#[test]
fn groups_of_imports_are_read() {
    let source = Source {
        path: "src/call/request.rs".into(),
        text: "use crate::{\n    http::{Headers, Reply},\n    tool,\n};\nuse crate::json::Problem;"
            .into(),
    };
    assert_eq!(source.module(), "call");
    assert_eq!(source.uses().into_iter().collect::<Vec<_>>(), ["http", "json", "tool"]);
}

#[test]
fn files_are_short() {
    let long = sources().into_iter().filter(|file| file.text.lines().count() > LONGEST);
    assert_none(long.map(|file| file.path.display().to_string()).collect());
}

#[test]
fn nothing_is_left_to_be_done() {
    // Written in two parts, so that this file is not found.
    let marks = [("TO", "DO"), ("FIX", "ME"), ("XX", "X"), ("todo", "!("), ("unimplemented", "!(")];
    let marks = marks.map(|(start, end)| format!("{start}{end}"));
    let mut files = tracked();
    files.retain(|file| {
        let is_code = ["rs", "py", "mjs", "lua", "toml", "yaml", "md"].map(std::ffi::OsStr::new);
        file.path.extension().is_some_and(|end| is_code.contains(&end))
    });
    assert_none(offences(&files, |line| marks.iter().any(|mark| line.contains(mark))));
}

#[test]
fn no_machine_and_no_registry_is_named() {
    let places = [("/ho", "me/"), ("/ro", "ot/"), ("/Use", "rs/"), ("/wo", "rk/"), ("/tm", "p/")];
    let hosts = [("registry.npmjs", ".org"), ("pypi", ".org"), ("static.crates", ".io")];
    let names: Vec<_> = places.iter().chain(&hosts).map(|(a, b)| format!("{a}{b}")).collect();
    let is_wrong = |line: &str| {
        names.iter().any(|name| {
            line.match_indices(name).any(|(at, _)| {
                let before = line[..at].chars().next_back();
                !name.starts_with('/') || !before.is_some_and(|c| c.is_alphanumeric() || c == '}')
            })
        })
    };
    assert!(
        is_wrong(&format!("open {}x", names[0])) && !is_wrong(&format!("https://a{}", names[0]))
    );
    assert_none(offences(&tracked(), is_wrong));
}

#[test]
fn only_the_shell_names_the_host() {
    let mut files = sources();
    files.retain(|file| file.module() != "filter");
    assert_none(offences(&files, |line| line.contains("proxy_wasm")));
}
