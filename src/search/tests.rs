use proptest::prelude::*;

use super::*;

fn words_of(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    words::each(text, &mut |word| found.push(word.to_owned()));
    found
}

#[test]
fn names_and_texts_fall_apart_into_stemmed_words() {
    for (text, words) in [
        ("listForRepo", &["list", "repo"][..]),
        ("list_for-repo.v2", &["list", "repo", "v2"]),
        ("getHTTPStatus", &["get", "http", "status"]),
        ("/repos/{owner}/{pull_number}", &["repo", "owner", "pull", "number"]),
        ("Create, creates, created, creating the creation", &["creat"; 5]),
        ("repositories repository", &["repository"; 2]),
        ("starred starring star stars", &["star"; 4]),
        ("installing installations installed", &["install"; 3]),
        ("boxes branches matches", &["box", "branch", "match"]),
        ("close closed closing", &["clos"; 3]),
        ("user's address", &["user", "address"]),
        ("I want all of my things", &["i", "my", "thing"]),
        ("Été déjà", &["été", "déjà"]),
        ("用户 list", &["用", "户", "list"]),
        ("a b 1 42", &["42"]),
        ("", &[]),
    ] {
        let found = words_of(text);
        assert_eq!(found, words, "{text}");
    }
}

const OPERATIONS: &[(&str, &str, &str, &str)] = &[
    ("issues_create", "POST", "/repos/{owner}/{repo}/issues", "Create an issue"),
    ("issues_list", "GET", "/repos/{owner}/{repo}/issues", "List repository issues"),
    ("issues_remove_label", "DELETE", "/issues/{id}/labels/{name}", "Remove a label from an issue"),
    ("issues_create_label", "POST", "/repos/{owner}/{repo}/labels", "Create a label"),
    ("users_get", "GET", "/users/{username}", "Get a user\n\nThe issue tracker shows users."),
    ("activity_star", "PUT", "/user/starred/{owner}/{repo}", "Star a repository"),
];

fn index() -> Vec<u8> {
    let mut builder = Builder::default();
    for (name, method, path, description) in OPERATIONS {
        builder.add(&Fields {
            name,
            title: "",
            description,
            method,
            path,
            tags: &[],
            arguments: "",
            is_deprecated: false,
            part: Part::Alone,
        });
    }
    builder.finish()
}

#[track_caller]
fn check(query: &str, first: &str) {
    let hits = find(&index(), query, 3);
    let names: Vec<_> = hits.iter().map(|hit| OPERATIONS[hit.operation as usize].0).collect();
    assert_eq!(names.first(), Some(&first), "{query}: {names:?} {hits:?}");
}

#[test]
fn the_operation_that_is_meant_comes_first() {
    check("create issue", "issues_create");
    check("creating issues", "issues_create");
    check("open a new issue", "issues_create");
    check("delete label", "issues_remove_label");
    check("add label", "issues_create_label");
    check("starring", "activity_star");
    check("repo stars", "activity_star");
    check("find users", "users_get");
    check("list issues", "issues_list");
    check("/users/{username}", "users_get");
    check("issues_list", "issues_list");
}

#[test]
fn nothing_fits_nothing() {
    for query in ["", "the of", "zebra", "?!"] {
        assert_eq!(find(&index(), query, 3), [], "{query}");
    }
    assert_eq!(find(&Builder::default().finish(), "issue", 3), []);
    assert_eq!(find(&index(), "issue", 1).len(), 1);
}

#[test]
fn deprecated_operations_come_last() {
    let mut builder = Builder::default();
    for is_deprecated in [true, false] {
        builder.add(&Fields {
            name: "users_get",
            title: "",
            description: "",
            method: "GET",
            path: "/users",
            tags: &[],
            arguments: "",
            is_deprecated,
            part: Part::Alone,
        });
    }
    let hits = find(&builder.finish(), "users", 2);
    assert_eq!(hits.iter().map(|hit| hit.operation).collect::<Vec<_>>(), [1, 0]);
}

#[test]
fn a_cut_index_does_no_harm() {
    let index = index();
    for length in 0..index.len() {
        find(&index[..length], "create issue repo", 5);
    }
}

proptest! {
    #[test]
    fn an_altered_index_and_any_query_do_no_harm(
        position in 0usize..2_000, byte in any::<u8>(), query in "\\PC{0,40}",
    ) {
        let mut index = index();
        let length = index.len();
        index[position % length] = byte;
        find(&index, &query, 5);
        find(&index, "create issue repo", 5);
    }
}
