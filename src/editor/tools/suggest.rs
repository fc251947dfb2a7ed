//! getFieldSuggestions: what a field accepts, from the schema, an expression or the API.

mod kept;
mod request;

use serde_json::{Value, json};

use self::{
    kept::{keep, kept},
    request::{Request, request},
};
use super::{
    Answer, Env, Step,
    field::whole,
    line::{length, plain, quoted},
    paths::{self, shown},
    words,
};
use crate::{
    digest,
    editor::{
        expression::Failure,
        layout::Kind,
        state::{
            Choosable, Finding, Form, Memory, Options, Session, Source, StateNode, View,
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
/// Bytes of an answer that are left for its first line and the one that says how many are not listed.
const FRAME: usize = 400;

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
    let known = match source(&view, node, query, env) {
        Ok(Known::Options(known)) => filtered(known, query),
        Ok(Known::Remote(request)) => match kept(session, node, &request, env) {
            Some(known) if request.searched => known.into(),
            Some(known) => filtered(known.into(), query),
            None => return Step::Fetch(request.ask),
        },
        Err(answer) => return Step::Answer(answer),
    };
    Step::Answer(list(session, path, node, known, env))
}

/// Answers getFieldSuggestions with the list that was fetched from a URL.
pub(super) fn finish(
    form: &Form,
    session: &mut Session,
    (path, query): (&str, Option<&str>),
    env: &Env<'_>,
    (url, body): (&str, Result<Value, String>),
) -> Answer {
    let found = findings(form, session);
    let copy = session.clone();
    let view = View::new(form, &copy, &found, env.context);
    let Some(node) = paths::resolve(&view, path) else {
        return Answer::failed(paths::not_found(&view, path, env));
    };
    let name = shown(&node.path);
    let failed = |why: &str| Answer::failed(words::LIST_FAILED.say(env.locale, &[name, why]));
    let body = match body {
        Ok(body) => body,
        Err(text) => return failed(&text),
    };
    let request = match source(&view, node, query, env) {
        Ok(Known::Remote(request)) if request.ask.url == url => request,
        _ => return Answer::failed(words::FORGOTTEN.say(env.locale, &[&quoted(path)])),
    };
    let Some(items) = &node.component.items else {
        return Answer::failed(words::NO_LIST.say(env.locale, &[name]));
    };
    let raw = match list_in(items, body, env.context) {
        Ok(Some(raw)) => raw,
        Err(Failure::Effort) => return failed(&words::LIST_TOO_LONG.say(env.locale, &[])),
        Ok(None) | Err(_) => return Answer::failed(words::NO_LIST.say(env.locale, &[name])),
    };
    let mut known = options(items, &raw, env.context);
    if known.rest == 0 {
        keep(session, node, &request, &known.list, env);
    }
    if !request.searched {
        known = filtered(known, query);
    }
    list(session, path, node, known, env)
}

/// Where the options of a field come from.
enum Known {
    Options(Options),
    Remote(Request),
}

fn source(
    view: &View<'_>,
    node: &StateNode<'_>,
    query: Option<&str>,
    env: &Env<'_>,
) -> Result<Known, Answer> {
    let path = shown(&node.path);
    if is_union(node.node) {
        let variants = node.component.variants.iter().filter_map(|variant| {
            let value = Value::from(variant.index?);
            Some(Choosable { title: variant.title.clone(), key: None, value })
        });
        return Ok(Known::Options(variants.collect::<Vec<_>>().into()));
    }
    match &node.items {
        Source::None => {
            let is_list = node.component.kind == Kind::List;
            let phrase = if is_list { words::LIST_SUGGESTIONS } else { words::NO_SUGGESTIONS };
            Err(Answer::failed(phrase.say(env.locale, &[path])))
        }
        Source::Blocked { expression, unset } => {
            let text = match field(view, node, unset) {
                Some(field) => words::LIST_NEEDS.say(env.locale, &[path, &field]),
                None => words::LIST_BLOCKED.say(env.locale, &[path, expression]),
            };
            Err(Answer::done(text, json!({ "suggestions": [] })))
        }
        Source::Astray(expression) => {
            let why = words::ASTRAY.say(env.locale, &[expression]);
            Err(Answer::failed(words::LIST_FAILED.say(env.locale, &[path, &why])))
        }
        Source::Fixed(items) => Ok(Known::Options(fixed(items).into())),
        Source::List(raw) => {
            let items = node.component.items.as_ref();
            let known = items.map(|items| options(items, raw, env.context)).unwrap_or_default();
            Ok(Known::Options(known))
        }
        Source::Url(remote) => {
            let request = request(remote, node, query, env);
            request.map(Known::Remote).ok_or_else(|| {
                let why = words::BAD_URL.say(env.locale, &[&remote.url]);
                Answer::failed(words::LIST_FAILED.say(env.locale, &[path, &why]))
            })
        }
    }
}

/// The path of the field that an expression names.
fn field(view: &View<'_>, node: &StateNode<'_>, names: &[String]) -> Option<String> {
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let (parent, names) = match names.as_slice() {
        ["rootData", names @ ..] => ("", names),
        ["parent", "data", names @ ..] if node.shares_data() => (node.data_path.as_str(), names),
        ["parent", "data", names @ ..] => (node.data_path.rsplit_once('/')?.0, names),
        _ => return None,
    };
    let place = [&[parent], names].concat().join("/");
    let field = paths::resolve(view, &place).filter(|_| !names.is_empty())?;
    Some(shown(&field.path).to_owned())
}

/// The options whose titles contain a text.
fn filtered(mut known: Options, query: Option<&str>) -> Options {
    if let Some(query) = query.map(str::to_lowercase) {
        known.list.retain(|option| option.title.to_lowercase().contains(&query));
    }
    known
}

/// Lists options and remembers their values.
fn list(
    session: &mut Session,
    path: &str,
    node: &StateNode<'_>,
    Options { list: mut known, rest }: Options,
    env: &Env<'_>,
) -> Answer {
    if known.is_empty() && rest == 0 {
        let text = words::NOTHING_MATCHES.say(env.locale, &[]);
        return Answer::done(text, json!({ "suggestions": [] }));
    }
    let count = known.len() + rest;
    known.truncate(env.limits.suggestions.min(fitting(&known)));
    let mut memory = recall(session, path, node, env);
    let is_too_much = memory.values.len() + known.len() > env.limits.suggestions;
    if is_too_much || size(&memory) + bytes(&known) > LARGEST_MEMORY {
        memory.values.clear();
    }
    let lines = lines(memory.values.len(), &known, env);
    known.truncate(lines.len());
    let first = memory.values.len();
    let indices = first..;
    let listed = indices.zip(&known).map(|(at, it)| json!({ "index": at, "title": it.title }));
    let listed: Vec<Value> = listed.collect();
    let head = words::SUGGESTIONS.say(env.locale, &[&known.len().to_string()]);
    let mut text = [&[head], lines.as_slice()].concat().join("\n");
    if count > known.len() {
        let more = (count - known.len()).to_string();
        text.push('\n');
        text.push_str(&words::MORE_SUGGESTIONS.say(env.locale, &[&more]));
    }
    memory.values.extend(known.into_iter().map(|option| option.value));
    session.suggestions.push(memory);
    drop_oldest(session);
    Answer::done(text, json!({ "suggestions": listed }))
}

/// The lines of the first options, as many as an answer can have.
fn lines(first: usize, known: &[Choosable], env: &Env<'_>) -> Vec<String> {
    let mut left = env.limits.text_bytes.saturating_sub(FRAME);
    let lines = known.iter().enumerate().map(|(offset, option)| line(first + offset, option));
    let fits = |line: &String| {
        let rest = left.checked_sub(line.len() + 1);
        left = rest.unwrap_or(0);
        rest.is_some()
    };
    lines.take_while(fits).collect()
}

fn bytes(known: &[Choosable]) -> usize {
    known.iter().map(|option| option.value.to_string().len()).sum()
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
        Source::Blocked { .. } | Source::Astray(_) => "blocked".to_owned(),
        Source::List(list) => digest::start(Value::Array(list.clone()).to_string().as_bytes(), 8),
        Source::Url(remote) => {
            request(remote, node, None, env).map_or_else(String::new, |request| request.source)
        }
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
mod tests;
