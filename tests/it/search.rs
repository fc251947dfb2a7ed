//! Operations that are found instead of listed.

use std::rc::Rc;

use openapi_mcp_filter::catalog::{CompiledSet, Compiler, Input};
use openapi_mcp_filter::config::Config;
use openapi_mcp_filter::exchange::{self, Called, Forms, Outcome, Step};
use openapi_mcp_filter::http::{Headers, UpstreamRequest};
use openapi_mcp_filter::openapi::Document;
use openapi_mcp_filter::toolset::{self, Contents, Meta, ToolSet};
use serde_json::{Value, json};

use crate::exposure::options;
use crate::forms::desk;
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
    ("fork a repository", "repos_create_fork"),
    ("list open pull requests", "pulls_list"),
    ("block a user", "users_block"),
    ("rate limit", "rate_limit_get"),
    ("add collaborator to repo", "repos_add_collaborator"),
    ("latest release", "repos_get_latest_release"),
    ("create gist", "gists_create"),
    ("list labels for an issue", "issues_list_labels_on_issue"),
    ("assign user to issue", "issues_add_assignees"),
    ("download artifact", "actions_download_artifact"),
    ("cancel workflow run", "actions_cancel_workflow_run"),
    ("list organization members", "orgs_list_members"),
    ("delete a repository", "repos_delete"),
    ("edit a comment", "issues_update_comment"),
    ("lock issue conversation", "issues_lock"),
    ("set repository topics", "repos_replace_all_topics"),
];

/// GitHub's API behind a search; `None` where the document is not there.
fn github() -> Option<ToolSet> {
    let document = real::parse(&real::shared("openapi/github-rest-3.0.json.gz")?).unwrap();
    let options = options(&json!("search"), &json!({}));
    Some(open(Compiled::of(&document, &options, None).set.unwrap()))
}

#[test]
fn githubs_operations_are_found_by_what_they_are_for() {
    let Some(tools) = github() else { return };
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

#[test]
fn a_task_on_github_takes_a_few_kilobytes() {
    let Some(tools) = github() else { return };
    let mut agent = Agent::new(tools);
    agent.result("tools/list", &json!({}));
    let found = agent.text("search_operations", &json!({ "query": "add a comment to an issue" }));
    assert!(found.contains("- issues_create_comment(owner, repo, issue_number, body)"), "{found}");
    let name = "issues_create_comment";
    agent.text("describe_operation", &json!({ "name": name }));
    let arguments = json!({ "owner": "o", "repo": "r", "issue_number": 1, "body": "b" });
    let request = agent.sent("call_operation", &json!({ "name": name, "arguments": arguments }));
    assert_eq!(request.path, "/repos/o/r/issues/1/comments");
    report(&format!("a task on GitHub: {} bytes of answers", agent.received));
    assert!(agent.received < 8_000, "{}", agent.received);
}

#[test]
fn calls_that_send_nothing_are_reported_under_the_name_of_their_tool() {
    let Some(tools) = github() else { return };
    let agent = Agent::new(tools);
    let check = |tool: &str, arguments: Value, outcome: Outcome| {
        let Step::Reply(_, report) = agent.call(tool, &arguments) else { panic!("{tool}") };
        assert_eq!(report.tool.as_ref().map(Called::name), Some(tool));
        assert_eq!(report.outcome, outcome, "{tool} {arguments}");
    };
    check("search_operations", json!({ "query": "gist" }), Outcome::Success);
    check("search_operations", json!({}), Outcome::InvalidArguments);
    check("describe_operation", json!({ "name": "gists_create" }), Outcome::Success);
    check("describe_operation", json!({ "name": "gist" }), Outcome::InvalidArguments);
    check("call_operation", json!({ "name": "gist" }), Outcome::InvalidArguments);
    let call = json!({ "name": "gists_create", "arguments": {} });
    let Step::Reply(_, report) = agent.call("call_operation", &call) else { panic!() };
    assert_eq!(report.tool.as_ref().map(Called::name), Some("gists_create"));
}

/// Speaks MCP to a tool set.
struct Agent {
    tools: ToolSet,
    forms: Rc<Forms>,
    received: usize,
}

impl Agent {
    fn new(tools: ToolSet) -> Self {
        let config = "{upstreams: [{name: api, cluster: api, document: {path: /}}], routes: [{}]}";
        let forms = desk::forms(Config::parse(config.as_bytes()).unwrap());
        Self { tools, forms, received: 0 }
    }

    fn step(&self, method: &str, params: &Value) -> Step {
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let headers: Headers = [("mcp-protocol-version", "2025-11-25")].into_iter().collect();
        exchange::start(&headers, body.to_string().as_bytes(), &self.tools, (&self.forms, 0))
    }

    fn call(&self, tool: &str, arguments: &Value) -> Step {
        self.step("tools/call", &json!({ "name": tool, "arguments": arguments }))
    }

    /// The message that answers.
    fn answer(&mut self, step: Step) -> Value {
        let Step::Reply(reply, _) = step else { panic!("{step:?}") };
        self.received += reply.body.len();
        serde_json::from_slice(&reply.body).unwrap()
    }

    fn result(&mut self, method: &str, params: &Value) -> Value {
        let step = self.step(method, params);
        self.answer(step)["result"].take()
    }

    fn tool_result(&mut self, tool: &str, arguments: &Value) -> (bool, String) {
        let step = self.call(tool, arguments);
        let message = self.answer(step);
        let text = message["result"]["content"][0]["text"].as_str();
        let text = text.unwrap_or_else(|| panic!("{message}")).to_owned();
        (message["result"]["isError"] == true, text)
    }

    #[track_caller]
    fn text(&mut self, tool: &str, arguments: &Value) -> String {
        let (is_error, text) = self.tool_result(tool, arguments);
        assert!(!is_error, "{text}");
        text
    }

    #[track_caller]
    fn refusal(&mut self, tool: &str, arguments: &Value) -> String {
        let (is_error, text) = self.tool_result(tool, arguments);
        assert!(is_error, "{text}");
        text
    }

    #[track_caller]
    fn sent(&self, tool: &str, arguments: &Value) -> UpstreamRequest {
        match self.call(tool, arguments) {
            Step::Call(request, _) => request,
            Step::Reply(reply, _) => panic!("{}", String::from_utf8_lossy(&reply.body)),
        }
    }
}

fn library() -> Value {
    let id =
        json!({ "in": "path", "name": "id", "required": true, "schema": { "type": "integer" } });
    json!({
        "openapi": "3.1.0",
        "info": { "title": "Library", "version": "1" },
        "servers": [{ "url": "https://api.test/v1" }],
        "x-agent": { "profiles": { "read": {}, "all": { "includes": ["read"] } } },
        "tags": [
            { "name": "books", "x-agent": { "profiles": ["read"] } },
            { "name": "staff", "x-agent": { "profiles": ["all"] } },
        ],
        "paths": {
            "/books": { "get": {
                "operationId": "listBooks", "tags": ["books"], "summary": "List books",
                "parameters": [{ "in": "query", "name": "author", "schema": { "type": "string" } }],
            } },
            "/books/{id}": {
                "parameters": [id],
                "get": {
                    "operationId": "getBook", "tags": ["books"], "summary": "Read a book",
                    "x-agent": { "title": "One book", "examples": [{ "id": 7 }] },
                },
                "delete": {
                    "operationId": "burnBook", "tags": ["staff"], "summary": "Burn a \"book\"",
                    "deprecated": true,
                },
            },
        },
    })
}

fn agent(exposure: &Value, more: &Value) -> Agent {
    let compiled = Compiled::of(&library(), &options(exposure, more), None);
    assert_eq!(compiled.refusals(), Vec::<String>::new());
    Agent::new(open(compiled.set.unwrap()))
}

fn searching() -> Agent {
    agent(&json!("search"), &json!({ "profiles": ["all"] }))
}

#[test]
fn three_tools_are_listed_instead_of_all() {
    let listed = searching().result("tools/list", &json!({}));
    let tools = listed["tools"].as_array().unwrap();
    let shown: Vec<_> = tools
        .iter()
        .map(|tool| {
            (
                tool["name"].as_str().unwrap(),
                tool["annotations"].to_string(),
                tool["inputSchema"]["required"].to_string(),
            )
        })
        .collect();
    let reading = json!({ "readOnlyHint": true, "destructiveHint": false }).to_string();
    let calling = json!({ "readOnlyHint": false, "destructiveHint": true }).to_string();
    assert_eq!(
        shown,
        [
            ("search_operations", reading.clone(), json!(["query"]).to_string()),
            ("describe_operation", reading.clone(), json!(["name"]).to_string()),
            ("call_operation", calling, json!(["name"]).to_string()),
        ]
    );
    let description = tools[0]["description"].as_str().unwrap();
    assert!(description.contains("of Library by words"), "{description}");
    assert!(description.contains("There are 3 operations, by tag: books (2), staff (1)."));
    let mut reading_agent = agent(&json!({ "readOnly": true, "search": true }), &json!({}));
    let listed = reading_agent.result("tools/list", &json!({}));
    assert_eq!(listed["tools"][2]["annotations"].to_string(), reading);
    assert!(listed.get("nextCursor").is_none());
}

#[test]
fn operations_are_searched_described_and_called() {
    let mut agent = searching();
    assert_eq!(
        agent.text("search_operations", &json!({ "query": "books" })),
        "- list_books(…): List books [GET /books]\n\
         - get_book(id): One book [GET /books/{id}]\n\
         - burn_book(id): Burn a \"book\" [DELETE /books/{id}] (deprecated)"
    );
    assert_eq!(
        agent.text("describe_operation", &json!({ "name": "get_book" })),
        "get_book: GET /books/{id}\n\nOne book\n\nRead a book\n\n\
         Arguments for `call_operation`, as JSON Schema:\n\
         {\"type\":\"object\",\"properties\":{\"id\":{\"type\":\"integer\"}},\
         \"additionalProperties\":false,\"required\":[\"id\"]}\n\nExample:\n{\"id\":7}"
    );
    for arguments in [json!({ "id": 7 }), json!("{\"id\": 7}"), json!({ "id": 7.0 })] {
        let call = json!({ "name": "get_book", "arguments": arguments });
        let request = agent.sent("call_operation", &call);
        assert_eq!((&*request.method, request.path.as_str()), ("GET", "/v1/books/7"));
    }
    for call in
        [json!({ "name": "list_books" }), json!({ "name": "list_books", "arguments": null })]
    {
        assert_eq!(agent.sent("call_operation", &call).path, "/v1/books");
    }
}

#[test]
fn refusals_say_what_to_do() {
    let mut agent = searching();
    for (tool, arguments, expected) in [
        (
            "search_operations",
            json!({ "query": " " }),
            "Nothing was done: `query` must be some words for what is to be done, such as `create issue`, as a string.",
        ),
        (
            "describe_operation",
            json!({}),
            "Nothing was done: `name` must be the name of an operation, as a string.",
        ),
        (
            "describe_operation",
            json!({ "name": "read_book" }),
            "There is no operation `read_book`. Perhaps one of these is meant: get_book, list_books. \
             Call `search_operations` to find operations.",
        ),
        (
            "call_operation",
            json!({ "name": "x" }),
            "There is no operation `x`. Call `search_operations` to find operations.",
        ),
        (
            "call_operation",
            json!({ "name": "get_book", "id": 7 }),
            "Nothing was sent: `id` is not an argument of `call_operation`. Arguments of the operation belong into \
             `arguments`, an object.",
        ),
        (
            "call_operation",
            json!({ "name": "get_book", "arguments": [7] }),
            "Nothing was sent: `arguments` must be an object. Call `describe_operation` to see the arguments of an \
             operation.",
        ),
        (
            "call_operation",
            json!({ "name": "get_book", "arguments": { "id": "x" } }),
            "Invalid arguments, nothing was sent:\n- /id: expected integer, found string\n\
             Call `describe_operation` to see the arguments of an operation.",
        ),
    ] {
        assert_eq!(agent.refusal(tool, &arguments), expected, "{tool} {arguments}");
    }
    assert_eq!(
        agent.text("search_operations", &json!({ "query": "zebra \"x\"" })),
        "Nothing fits `zebra \"x\"`; try other words. There are 3 operations, by tag: books (2), staff (1)."
    );
}

#[test]
fn operations_behind_a_search_are_no_tools() {
    let mut agent = searching();
    let step = agent.call("get_book", &json!({ "id": 7 }));
    assert_eq!(agent.answer(step)["error"]["code"], -32_602);
    let mut listing = self::agent(&json!("all"), &json!({}));
    let step = listing.call("call_operation", &json!({ "name": "get_book" }));
    assert_eq!(listing.answer(step)["error"]["code"], -32_602);
}

#[test]
fn only_what_the_profiles_select_is_found() {
    let mut agent = agent(&json!("search"), &json!({ "profiles": ["read"] }));
    let found = agent.text("search_operations", &json!({ "query": "book" }));
    assert!(found.contains("get_book") && !found.contains("burn_book"), "{found}");
    let refusal = agent.refusal("call_operation", &json!({ "name": "burn_book" }));
    assert!(refusal.starts_with("There is no operation `burn_book`."), "{refusal}");
}

#[test]
fn operations_of_several_upstreams_are_found_together() {
    let mut other = library();
    other["paths"]["/books/{id}"]["get"]["x-agent"] = json!({ "name": "unroll" });
    other["paths"]["/scrolls"] = json!({ "get": { "summary": "List scrolls", "tags": ["old"] } });
    let documents = [library(), other].map(|it| Document::from_value(it).unwrap());
    let inputs = documents.iter().zip(["library", "archive"]);
    let inputs = inputs.map(|(document, upstream)| Input {
        upstream,
        document: Some(document),
        document_url: None,
        base_url: None,
        servers: &[],
        credentials: &[],
        linked: &[],
    });
    let outcome = Compiler::new(inputs.collect(), &options(&json!("search"), &json!({}))).finish();
    let mut agent = Agent::new(open(outcome.set.unwrap()));
    let found = agent.text("search_operations", &json!({ "query": "scrolls" }));
    assert_eq!(found, "- get_scrolls(): List scrolls [GET /scrolls]");
    let found = agent.text("search_operations", &json!({ "query": "books" }));
    assert!(found.contains("- list_books(") && found.contains("- get_books("), "{found}");
    let nothing = agent.text("search_operations", &json!({ "query": "zebra" }));
    assert!(nothing.ends_with("There are 5 operations, by tag: books (4), old (1)."), "{nothing}");
}

#[test]
fn names_can_be_chosen_and_must_be_free() {
    let names = json!({ "searchTool": "find", "callTool": "run", "maxResults": 1 });
    let exposure = json!({ "search": names });
    let mut agent = agent(&exposure, &json!({ "namePrefix": "lib_" }));
    let found = agent.text("lib_find", &json!({ "query": "book" }));
    assert_eq!(found.lines().count(), 1);
    assert!(found.starts_with("- lib_list_books("), "{found}");
    assert_eq!(agent.sent("lib_run", &json!({ "name": "lib_list_books" })).path, "/v1/books");

    let mut document = library();
    document["paths"]["/books"]["get"]["x-agent"] = json!({ "name": "run" });
    let compiled = Compiled::of(&document, &options(&exposure, &json!({})), None);
    let [found] = compiled.problems.as_slice() else { panic!("{:?}", compiled.problems) };
    assert!(compiled.set.is_none());
    assert_eq!(
        found.problem.to_string(),
        "/paths/~1books/get/x-agent: the tool name `run` is also the one of a tool of `exposure.search`: \
         give one of them another `x-agent.name`"
    );
    let long = json!({ "search": { "callTool": "c".repeat(40) } });
    let compiled =
        Compiled::of(&library(), &options(&long, &json!({ "namePrefix": "p".repeat(30) })), None);
    assert!(
        compiled.set.is_none() && compiled.problems[0].problem.message.contains("70 characters")
    );
}

#[test]
fn guides_say_how_operations_are_called() {
    let mut document = library();
    document["tags"][0]["x-agent"]["skill"] = json!("Be quick.");
    let compiled = Compiled::of(&document, &options(&json!("search"), &json!({})), None);
    let instructions = compiled.set.unwrap().instructions;
    let expected =
        "Be quick.\n\nOperations that are not listed as tools are called with `call_operation`.";
    assert!(instructions.ends_with(expected), "{instructions}");
}

/// The name at the start of a line.
fn name_of(line: &[u8]) -> String {
    let line = std::str::from_utf8(line).unwrap();
    line.trim_start_matches("- ").split('(').next().unwrap().to_owned()
}

#[test]
fn a_form_is_found_by_the_tool_to_start_with() {
    let body = json!({"application/json": {"schema": {"type": "object", "properties": {"a": {}}}}});
    let id = json!([{"name": "id", "in": "path", "required": true, "schema": {"type": "string"}}]);
    let item = json!({
        "parameters": id,
        "get": {"operationId": "readItem", "responses": {}},
        "put": {
            "operationId": "edit_item", "requestBody": {"content": body}, "responses": {},
            "x-agent": {"title": "Catalogue item", "editor": {"readOperation": "readItem"}},
        },
    });
    let document = json!({
        "openapi": "3.1.0", "info": {"title": "T", "version": "1"},
        "servers": [{"url": "https://api.test"}], "paths": {"/items/{id}": item},
    });
    let exposure = json!({"include": "annotated", "search": {}});
    let tools = open(Compiled::of(&document, &options(&exposure, &json!({})), None).set.unwrap());
    let first = |query: &str| tools.found(query).into_iter().map(name_of).next().unwrap();
    for query in ["item", "edit item", "catalogue item", "form of an item"] {
        assert_eq!(first(query), "edit_item_describeState", "{query}");
    }
    for (query, verb) in [("save the item", "saveForm"), ("edit array of the item", "editArray")] {
        assert_eq!(first(query), ["edit_item_", verb].concat(), "{query}");
    }
}
