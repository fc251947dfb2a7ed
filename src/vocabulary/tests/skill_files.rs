use serde_json::{Value, json};
use url::Url;

use super::{
    super::{
        skills::{Link, Linked, SkillFile, linked, resolve},
        *,
    },
    cases, document, load,
};
use crate::json::Pointer;

#[track_caller]
fn golden(file: &str, count: usize) {
    let cases: Vec<_> = cases(file).into_iter().filter(|case| case["refused"].is_null()).collect();
    assert_eq!(cases.len(), count);
    for case in &cases {
        check_case(case);
    }
}

/// Fetches from the files of the vector, renders, and compares with what it expects.
#[track_caller]
fn check_case(case: &Value) {
    let title = &case["title"];
    let loaded = load(case).unwrap();
    let locale = case["options"]["locale"].as_str().unwrap_or("en");
    let links = linked(&loaded.root, &loaded.selection, locale);
    let urls: Vec<_> = links.iter().map(|link| url(case, link)).collect();
    if let Some(requests) = case["requests"].as_array() {
        let expected: Vec<_> = requests.iter().map(|request| &request["url"]).collect();
        assert_eq!(json!(urls), json!(expected), "{title}");
    }
    let texts: Vec<_> = links.iter().zip(&urls).map(|(link, url)| fetch(case, link, url)).collect();
    let rendered = loaded.render(locale, &texts);
    if let Some(instructions) = case["instructions"].as_str() {
        assert_eq!(rendered.instructions, instructions, "{title}");
    }
    if let Some(skills) = case["skills"].as_array() {
        let expected: Vec<_> = skills.iter().map(|skill| &skill["file"]).collect();
        let files: Vec<_> = rendered.skills.iter().map(as_json).collect();
        assert_eq!(json!(files), json!(expected), "{title}");
    }
    let problems = rendered.problems.iter().chain(&rendered.unread);
    let problems: Vec<_> = problems.map(|problem| &problem.at).collect();
    assert_eq!(json!(problems), case.get("findings").cloned().unwrap_or(json!([])), "{title}");
}

fn url(case: &Value, link: &Link) -> String {
    let parse = |value: &Value| value.as_str().and_then(|text| Url::parse(text).ok());
    let document = parse(&case["options"]["documentUrl"]);
    let base = parse(&case["doc"]["servers"][0]["url"]);
    resolve(link, document.as_ref(), base.as_ref()).unwrap().to_string()
}

fn fetch(case: &Value, link: &Link, url: &str) -> Linked {
    let text = case["files"][url].as_str().map(str::to_owned).ok_or("HTTP 404".to_owned());
    Linked { href: link.href.clone(), text }
}

fn as_json(file: &SkillFile) -> Value {
    json!({
        "uri": file.uri,
        "frontmatter": { "name": file.name, "description": file.description },
        "text": file.text,
        "digest": file.digest,
        "size": file.size,
    })
}

#[test]
fn golden_skills_and_instructions() {
    golden("10-localisation.json", 5);
    golden("12-skills-instructions.json", 3);
    golden("20b-next-linked-skills.json", 4);
}

/// A document with one skill and the tools `p_read` (offered) and `p_write` (not offered).
fn one_skill(skill: Value) -> Value {
    let mut document = document(&json!({
        "namePrefix": "p_", "profiles": { "explore": {}, "edit": {} }, "skills": [skill]
    }));
    document["paths"] = json!({
        "/a": { "get": { "operationId": "read", "x-agent": {} },
                "post": { "operationId": "write", "x-agent": { "profiles": ["edit"] } } },
    });
    json!({ "doc": document, "options": {} })
}

#[test]
fn tools_are_shown_as_they_are_offered() {
    let skill = json!({ "name": "s", "description": "d",
        "tools": ["read", "p_read", "write", "p_write", "raed"] });
    let mut case = one_skill(skill);
    let rendered = load(&case).unwrap().render("en", &[]);
    assert_eq!(rendered.instructions, "## s\n\nd\n\nTools: p_read");
    assert_eq!(rendered.problems.len(), 1);
    assert_eq!(
        rendered.problems[0].to_string(),
        "/x-agent/skills/0/tools/4: skill `s` names the tool `raed`, which this document does not \
         have; correct or remove it"
    );
    case["options"]["namePrefix"] = json!("q_");
    let rendered = load(&case).unwrap().render("en", &[]);
    assert_eq!(rendered.instructions, "## s\n\nd\n\nTools: q_read");
}

#[test]
fn a_link_that_cannot_be_read_leaves_its_skill_out() {
    let case = one_skill(json!({ "name": "s", "description": "d", "href": "a.md" }));
    let loaded = load(&case).unwrap();
    let linked = |text: Result<&str, &str>| {
        let text = text.map(str::to_owned).map_err(str::to_owned);
        loaded.render("en", &[Linked { href: "a.md".to_owned(), text }])
    };
    let failed = linked(Err("HTTP 404"));
    assert_eq!((failed.instructions.as_str(), failed.skills.len()), ("", 0));
    assert_eq!(
        failed.unread[0].to_string(),
        "/x-agent/skills/0/href: skill `s` is left out, its text `a.md` cannot be read: HTTP 404"
    );
    assert!(loaded.render("en", &[]).unread[0].message.ends_with("it was not fetched"));
    assert!(linked(Ok("---\na: 1\n---\n")).unread[0].message.ends_with("it is empty"));
}

#[test]
fn front_matter_of_linked_texts_is_left_out() {
    let case = one_skill(json!({ "name": "s", "description": "d", "href": "a.md" }));
    let loaded = load(&case).unwrap();
    for (text, body) in [
        ("---\r\na: 1\r\n---\r\n\r\nB\r\nC", "B\r\nC"),
        ("\u{feff}---\na: 1\n---\nB", "B"),
        ("---\nno end\n", "---\nno end"),
        ("B\n---\na\n---\n", "B\n---\na\n---"),
        ("----\nB", "----\nB"),
    ] {
        let linked = Linked { href: "a.md".to_owned(), text: Ok(text.to_owned()) };
        let file = loaded.render("en", &[linked]).skills.remove(0);
        assert_eq!(file.text, format!("---\nname: s\ndescription: \"d\"\n---\n\n{body}\n"));
    }
}

#[test]
fn links_start_at_the_document_or_inside_the_base() {
    let link = |href: &str| Link { href: href.to_owned(), pointer: Pointer::root().join("href") };
    let url = |text: &str| Url::parse(text).unwrap();
    let base = url("https://api.test/v1");
    let document = url("https://docs.test/x/openapi.json");
    let to = |href: &str, document: Option<&Url>, base: Option<&Url>| {
        resolve(&link(href), document, base).map(String::from).map_err(|p| p.to_string())
    };
    assert_eq!(to("a.md", Some(&document), Some(&base)).unwrap(), "https://docs.test/x/a.md");
    assert_eq!(to("a.md", None, Some(&base)).unwrap(), "https://api.test/v1/a.md");
    assert_eq!(to("/a.md", None, Some(&base)).unwrap(), "https://api.test/a.md");
    assert_eq!(to("http://b.test/c", None, None).unwrap(), "http://b.test/c");
    let error = to("a.md", None, None).unwrap_err();
    assert!(error.starts_with("/href: the link `a.md` cannot be followed: "), "{error}");
    let error = to("file:///etc/passwd", None, Some(&base)).unwrap_err();
    assert!(error.ends_with("has the scheme `file`, not http or https"), "{error}");
}

#[test]
fn names_that_yaml_would_misread_are_quoted() {
    for (name, written) in [
        ("true", "\"true\""),
        ("no", "\"no\""),
        ("1e3", "\"1e3\""),
        ("2024-01-01", "\"2024-01-01\""),
        ("true-story", "true-story"),
    ] {
        let case = one_skill(json!({ "name": name, "description": "d" }));
        let file = load(&case).unwrap().render("en", &[]).skills.remove(0);
        assert!(file.text.starts_with(&format!("---\nname: {written}\n")), "{}", file.text);
    }
}

#[test]
fn a_scope_becomes_part_of_the_address() {
    let case = one_skill(json!({ "name": "s", "description": " ", "body": "B" }));
    let loaded = load(&case).unwrap();
    let guide = skills::Guide {
        root: &loaded.root,
        tags: &[],
        selection: &loaded.selection,
        locale: "en",
        tools: skills::ToolNames::default(),
        carried: &[],
        linked: &[],
        scope: Some("books"),
    };
    let rendered = skills::render(&guide);
    assert_eq!(rendered.skills[0].uri, "skill://books/s/SKILL.md");
    assert_eq!(rendered.skills[0].description, "s");
    assert!(rendered.instructions.ends_with("resource skill://books/s/SKILL.md."));
}
