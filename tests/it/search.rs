//! Operations that are found instead of listed.

use openapi_mcp_filter::catalog::CompiledSet;
use openapi_mcp_filter::toolset::{self, Contents, Family, Listing, Meta, ToolSet};
use serde_json::{Value, json};

use crate::exposure::options;
use crate::harness::Compiled;
use crate::real;
use crate::vectors::report;

fn open(set: CompiledSet) -> ToolSet {
    let meta = Meta { page_size: 100, ttl_ms: 0, cache_private: false };
    ToolSet::open(toolset::encode(&Contents::from(set), &meta)).unwrap()
}

/// What an agent of GitHub's API is asked to do, and the operation that does it.
const QUERIES: &[(&str, &str)] = &[
    ("create an issue in a repository", "issues_create"),
    ("list my repositories", "repos_list_for_authenticated_user"),
    ("who am I", "users_get_authenticated"),
    ("star a repo", "activity_star_repo_for_authenticated_user"),
    ("merge pull request", "pulls_merge"),
    ("add a comment to an issue", "issues_create_comment"),
    ("close an issue", "issues_update"),
    ("delete a git reference", "git_delete_ref"),
    ("get the README of a repository", "repos_get_readme"),
    ("re-run failed jobs of a workflow run", "actions_re_run_workflow_failed_jobs"),
    ("trigger a workflow", "actions_create_workflow_dispatch"),
    ("list the commits on a pull request", "pulls_list_commits"),
    ("search code", "search_code"),
    ("invite someone to an organization", "orgs_create_invitation"),
    ("list the assets of a release", "repos_list_release_assets"),
    ("compare two commits", "repos_compare_commits_with_basehead"),
    ("dependabot alerts for a repo", "dependabot_list_alerts_for_repo"),
    ("create or update file contents", "repos_create_or_update_file_contents"),
    ("request reviewers for a pull request", "pulls_request_reviewers"),
    ("list the followers of a user", "users_list_followers_for_user"),
];

#[test]
fn githubs_operations_are_found_by_what_they_are_for() {
    let Some(path) = real::shared("openapi/github-rest-3.0.json.gz") else { return };
    let document = real::parse(&path).unwrap();
    let options = options(&json!("search"), &json!({ "lint": "off" }));
    let compiled = Compiled::of(&document, &options, None);
    let tools = open(compiled.set.unwrap());
    let mut missed = Vec::new();
    for (query, expected) in QUERIES {
        let found: Vec<_> = tools.found(query).into_iter().map(name_of).collect();
        let place = found.iter().position(|name| name == expected);
        if place.is_none_or(|place| place > 2) {
            missed.push(format!("{query}: {expected} is {place:?} in {found:?}"));
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

/// The name at the start of a line.
fn name_of(line: &[u8]) -> String {
    let line = std::str::from_utf8(line).unwrap();
    line.trim_start_matches("- ").split('(').next().unwrap().to_owned()
}
