//! getFieldSuggestions: what a field accepts, from the schema, an expression or the API.

use serde_json::{Value, json};
use url::Url;

use super::{
    Answer, Env, ItemsRequest, Step,
    field::whole,
    line::{length, plain, quoted},
    paths::{self, shown},
    words,
};
use crate::{
    digest,
    editor::{
        layout::{self, Kind},
        state::{
            Choosable, Finding, Form, ItemList, Memory, Remote, Session, Source, StateNode, View,
            fetched as list_in, findings, fixed, is_union, options,
        },
    },
};

/// Longest value that a line shows.
const LONGEST_VALUE: usize = 100;
/// Most bytes of JSON that are remembered as suggestions.
const LARGEST_MEMORY: usize = 128 << 10;
/// Most fields whose suggestions are remembered.
const MOST_MEMORIES: usize = 32;
/// Largest fetched list that is kept, as JSON in bytes, and how many are.
const LARGEST_LIST: usize = 32 << 10;
const MOST_LISTS: usize = 8;

/// Answers getFieldSuggestions, or asks for the list.
pub(super) fn start(
    form: &Form,
    session: &mut Session,
    path: &str,
    query: Option<&str>,
    env: &Env<'_>,
) -> Step {
    let found = findings(form, session);
    let copy = session.clone();
    let view = View::new(form, &copy, &found, env.context);
    let Some(node) = paths::resolve(&view, path) else {
        return Step::Answer(Answer::failed(paths::not_found(&view, path, env)));
    };
    let known = match source(node, query, env) {
        Ok(Known::Options(known)) => known,
        Ok(Known::Remote(request)) => match kept(session, node, &request) {
            Some(known) => filtered(known, query),
            None => return Step::Fetch(request.ask),
        },
        Err(answer) => return Step::Answer(answer),
    };
    Step::Answer(list(session, path, node, known, env))
}

/// Answers getFieldSuggestions with a fetched list.
pub(super) fn finish(
    form: &Form,
    session: &mut Session,
    (path, query): (&str, Option<&str>),
    env: &Env<'_>,
    body: Result<Value, String>,
) -> Answer {
    let found = findings(form, session);
    let copy = session.clone();
    let view = View::new(form, &copy, &found, env.context);
    let Some(node) = paths::resolve(&view, path) else {
        return Answer::failed(paths::not_found(&view, path, env));
    };
    let name = shown(&node.path);
    let body = match body {
        Ok(body) => body,
        Err(text) => return Answer::failed(words::LIST_FAILED.say(env.locale, &[name, &text])),
    };
    let items = node.component.items.as_ref();
    let list_of = items.and_then(|items| Some((items, list_in(items, &body, env.context)?)));
    let Some((items, raw)) = list_of else {
        return Answer::failed(words::NO_LIST.say(env.locale, &[name]));
    };
    let mut known = options(items, &raw, env.context);
    if let Ok(Known::Remote(request)) = source(node, query, env)
        && !request.searched
    {
        keep(session, node, &request.source, &known);
        known = filtered(known, query);
    }
    list(session, path, node, known, env)
}

/// Where the options of a field come from.
enum Known {
    Options(Vec<Choosable>),
    Remote(Request),
}

/// A list to fetch.
struct Request {
    ask: ItemsRequest,
    /// The URL without a query, which tells whether the list is another one.
    source: String,
    /// The server searches.
    searched: bool,
}

fn source(node: &StateNode<'_>, query: Option<&str>, env: &Env<'_>) -> Result<Known, Answer> {
    let path = shown(&node.path);
    if is_union(node.node) {
        let variants = node.component.variants.iter().filter_map(|variant| {
            let value = Value::from(variant.index?);
            Some(Choosable { title: variant.title.clone(), key: None, value })
        });
        return Ok(Known::Options(variants.collect()));
    }
    match &node.items {
        Source::None => {
            let is_list = node.component.kind == Kind::List;
            let phrase = if is_list { words::LIST_SUGGESTIONS } else { words::NO_SUGGESTIONS };
            Err(Answer::failed(phrase.say(env.locale, &[path])))
        }
        Source::Blocked(text) => {
            let text = words::LIST_BLOCKED.say(env.locale, &[path, text]);
            Err(Answer::done(text, json!({ "suggestions": [] })))
        }
        Source::Fixed(items) => Ok(Known::Options(filtered(fixed(items), query))),
        Source::List(raw) => {
            let items = node.component.items.as_ref();
            let known = items.map(|items| options(items, raw, env.context)).unwrap_or_default();
            Ok(Known::Options(filtered(known, query)))
        }
        Source::Url(remote) => {
            let request = request(remote, search_param(node), query, env);
            request.map(Known::Remote).ok_or_else(|| {
                let why = words::BAD_URL.say(env.locale, &[&remote.url]);
                Answer::failed(words::LIST_FAILED.say(env.locale, &[path, &why]))
            })
        }
    }
}

fn search_param<'s>(node: &StateNode<'s>) -> Option<&'s str> {
    match &node.component.items.as_ref()?.source {
        layout::Source::Url { search_param, .. } => search_param.as_deref(),
        _ => None,
    }
}

/// The request for a list: the URL resolved against the API's, with its parameters and the query.
fn request(
    remote: &Remote,
    search_param: Option<&str>,
    query: Option<&str>,
    env: &Env<'_>,
) -> Option<Request> {
    if climbs(&remote.url) {
        return None;
    }
    let mut url = Url::parse(env.base).ok()?.join(&remote.url).ok()?;
    for (name, value) in &remote.params {
        set_pair(&mut url, name, Some(value));
    }
    let templates = pairs(&url);
    let template = |name: &str| templates.iter().find(|(known, _)| known == name);
    let with_query = templates.iter().rev().find(|(_, value)| value.contains("{q}"));
    let holder = search_param.or(with_query.map(|(name, _)| name.as_str()));
    let searched = holder.is_some() && query.is_some();
    let mut bare = url.clone();
    if let Some(name) = holder {
        set_pair(&mut bare, name, None);
        match query {
            None => url = bare.clone(),
            Some(query) => {
                let text = template(name).map_or("{q}", |(_, text)| text);
                let text = if text.contains("{q}") { text } else { "{q}" };
                set_pair(&mut url, name, Some(&text.replace("{q}", query)));
            }
        }
    }
    let source = String::from(bare);
    let headers =
        remote.headers.iter().map(|(name, value)| (name.to_ascii_lowercase(), value.clone()));
    let ask = ItemsRequest { url: url.into(), headers: headers.collect() };
    Some(Request { ask, source, searched })
}

/// Whether a URL has segments that lead out of where they stand, for the parser, which drops tabs
/// and line ends, or for a server that decodes first: data in a template may not choose another path.
fn climbs(url: &str) -> bool {
    let path = url.split(['?', '#']).next().unwrap_or_default().to_ascii_lowercase();
    let encoded = ["%2f", "%5c"].iter().any(|separator| path.contains(separator));
    let stripped = url.chars().any(|c| c.is_control() || c == '\\');
    let dots = path.replace("%2e", ".").split('/').any(|segment| matches!(segment, "." | ".."));
    encoded || stripped || dots
}

fn pairs(url: &Url) -> Vec<(String, String)> {
    url.query_pairs().map(|(name, value)| (name.into_owned(), value.into_owned())).collect()
}

/// Sets one query parameter at its place, or at the end; `None` removes it.
fn set_pair(url: &mut Url, name: &str, value: Option<&str>) {
    let old = pairs(url);
    let mut is_set = false;
    let mut new = Vec::new();
    for (key, text) in old {
        if key != name {
            new.push((key, text));
        } else if let (Some(value), false) = (value, is_set) {
            new.push((key, value.to_owned()));
            is_set = true;
        }
    }
    if let (Some(value), false) = (value, is_set) {
        new.push((name.to_owned(), value.to_owned()));
    }
    if new.is_empty() {
        url.set_query(None);
    } else {
        url.query_pairs_mut().clear().extend_pairs(new);
    }
}

/// The options whose titles contain a text.
fn filtered(known: Vec<Choosable>, query: Option<&str>) -> Vec<Choosable> {
    let Some(query) = query.map(str::to_lowercase) else { return known };
    known.into_iter().filter(|option| option.title.to_lowercase().contains(&query)).collect()
}

/// The list of a field as fetched before.
fn kept(session: &Session, node: &StateNode<'_>, request: &Request) -> Option<Vec<Choosable>> {
    if request.searched {
        return None;
    }
    let list = session.lists.iter().find(|l| l.path == node.path && l.source == request.source)?;
    let known = list.items.iter().filter_map(|item| match item.as_array()?.as_slice() {
        [Value::String(title), key, value] => {
            Some(Choosable { title: title.clone(), key: Some(key.clone()), value: value.clone() })
        }
        _ => None,
    });
    Some(known.collect())
}

fn keep(session: &mut Session, node: &StateNode<'_>, source: &str, known: &[Choosable]) {
    session.lists.retain(|list| list.path != node.path);
    let items: Vec<Value> =
        known.iter().map(|option| json!([option.title, option.key, option.value])).collect();
    let size: usize = items.iter().map(|item| item.to_string().len()).sum();
    if size <= LARGEST_LIST {
        session.lists.push(ItemList { path: node.path.clone(), source: source.to_owned(), items });
    }
    if session.lists.len() > MOST_LISTS {
        session.lists.remove(0);
    }
}

/// Lists options and remembers their values.
fn list(
    session: &mut Session,
    path: &str,
    node: &StateNode<'_>,
    mut known: Vec<Choosable>,
    env: &Env<'_>,
) -> Answer {
    if known.is_empty() {
        let text = words::NOTHING_MATCHES.say(env.locale, &[]);
        return Answer::done(text, json!({ "suggestions": [] }));
    }
    let count = known.len();
    known.truncate(env.limits.suggestions.min(fitting(&known)));
    let mut memory = recall(session, path, node, env);
    memory.values.extend(known.iter().map(|option| option.value.clone()));
    let is_too_much = memory.values.len() > env.limits.suggestions;
    if is_too_much || size(&memory) > LARGEST_MEMORY {
        memory.values.drain(..memory.values.len() - known.len());
    }
    let first = memory.values.len() - known.len();
    session.suggestions.push(memory);
    drop_oldest(session);
    let mut lines = vec![words::SUGGESTIONS.say(env.locale, &[&known.len().to_string()])];
    let mut listed = Vec::new();
    for (offset, option) in known.iter().enumerate() {
        lines.push(line(first + offset, option));
        listed.push(json!({ "index": first + offset, "title": option.title }));
    }
    if count > known.len() {
        let more = (count - known.len()).to_string();
        lines.push(words::MORE_SUGGESTIONS.say(env.locale, &[&more]));
    }
    Answer::done(lines.join("\n"), json!({ "suggestions": listed }))
}

/// How many options can be remembered together.
fn fitting(known: &[Choosable]) -> usize {
    let mut left = LARGEST_MEMORY;
    let fits = |option: &&Choosable| {
        let rest = left.checked_sub(option.value.to_string().len());
        left = rest.unwrap_or(0);
        rest.is_some()
    };
    known.iter().take_while(fits).count()
}

/// Bytes of the remembered values as JSON.
fn size(memory: &Memory) -> usize {
    memory.values.iter().map(|value| value.to_string().len()).sum()
}

/// Forgets the oldest suggestions when all together are too much; the last ones stay.
fn drop_oldest(session: &mut Session) {
    let mut total: usize = session.suggestions.iter().map(size).sum();
    let last = session.suggestions.len().saturating_sub(1);
    for memory in session.suggestions.iter_mut().take(last) {
        if total <= LARGEST_MEMORY {
            break;
        }
        total -= size(memory);
        memory.values.clear();
        memory.dropped = true;
    }
}

fn line(index: usize, option: &Choosable) -> String {
    let key = option
        .key
        .as_ref()
        .filter(|key| (key.is_string() || key.is_number()) && plain(key) != option.title);
    let key = key.map_or_else(String::new, |key| format!(" ({})", plain(key)));
    let title = option.title.replace(['\n', '\r'], " ");
    let value = option.value.to_string();
    let is_short = !option.value.is_object() && !option.value.is_array();
    if is_short && length(&value) <= LONGEST_VALUE {
        format!("- [{index}] {title}{key} — value={value}")
    } else {
        format!("- [{index}] {title}{key} — apply with suggestionIndex={index}")
    }
}

/// Takes out what was suggested for a path before, unless the list is another one now.
fn recall(session: &mut Session, path: &str, node: &StateNode<'_>, env: &Env<'_>) -> Memory {
    let source = identity(node, env);
    let known = session.suggestions.iter().position(|memory| memory.path == path);
    let known = known.map(|at| session.suggestions.remove(at));
    if session.suggestions.len() >= MOST_MEMORIES {
        session.suggestions.remove(0);
    }
    known.filter(|memory| !memory.dropped && memory.source == source).unwrap_or_else(|| Memory {
        path: path.to_owned(),
        source,
        values: Vec::new(),
        dropped: false,
    })
}

/// What tells one list from another.
fn identity(node: &StateNode<'_>, env: &Env<'_>) -> String {
    match &node.items {
        Source::None | Source::Fixed(_) => String::new(),
        Source::Blocked(_) => "blocked".to_owned(),
        Source::List(list) => digest::start(Value::Array(list.clone()).to_string().as_bytes(), 8),
        Source::Url(remote) => request(remote, search_param(node), None, env)
            .map_or_else(String::new, |request| request.source),
    }
}

/// The value of a suggestion given before.
pub(super) fn chosen(
    session: &Session,
    path: &str,
    index: f64,
    env: &Env<'_>,
) -> Result<Value, String> {
    let name = quoted(path);
    let memory = session.suggestions.iter().find(|memory| memory.path == path);
    let memory = memory.ok_or_else(|| words::NOTHING_REMEMBERED.say(env.locale, &[&name]))?;
    if memory.dropped {
        return Err(words::FORGOTTEN.say(env.locale, &[&name]));
    }
    let value = whole(index).and_then(|index| memory.values.get(index));
    value.cloned().ok_or_else(|| {
        let parts = [index.to_string(), name, memory.values.len().to_string()];
        words::NO_SUCH_SUGGESTION.say(env.locale, &parts.each_ref().map(String::as_str))
    })
}

/// Forgets all suggestions.
pub(super) fn forget(session: &mut Session) {
    for memory in &mut session.suggestions {
        memory.values.clear();
        memory.dropped = true;
    }
}

/// Forgets the suggestions of fields whose lists are others now.
pub(super) fn forget_changed(form: &Form, session: &mut Session, found: &[Finding], env: &Env<'_>) {
    if session.suggestions.is_empty() {
        return;
    }
    let mut memories = std::mem::take(&mut session.suggestions);
    let view = View::new(form, session, found, env.context);
    for memory in memories.iter_mut().filter(|memory| !memory.dropped) {
        let now = paths::resolve(&view, &memory.path).map(|node| identity(node, env));
        if now.as_ref() != Some(&memory.source) {
            memory.values.clear();
            memory.dropped = true;
        }
    }
    session.suggestions = memories;
}

#[cfg(test)]
mod tests {
    use super::climbs;

    #[test]
    fn data_in_a_url_cannot_lead_out_of_its_folder() {
        for url in [
            "a/../b",
            "..",
            "a/.",
            "a/%2e%2E/b",
            "a/.%2e",
            "a/\t..\t/b",
            ".\n./b",
            "a/%2\te%2e/b",
            "a\\..\\b",
            "a/..%2f..%2fb",
            "a/%5C..",
            "a/b%2Fc",
        ] {
            assert!(climbs(url), "{url:?}");
        }
        for url in ["a/b", "a/.b/c..", "http://api.test/a?to=../b%2Fc", "a#/../b", "?q={q}"] {
            assert!(!climbs(url), "{url:?}");
        }
    }
}
