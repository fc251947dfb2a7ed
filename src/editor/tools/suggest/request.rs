//! The request for a list.

use url::{Url, form_urlencoded};

use crate::editor::{
    layout,
    state::{Remote, StateNode},
    tools::{Env, ItemsRequest},
};

/// What stands for the text that is searched for.
const QUERY: &str = "{q}";

/// A list to fetch.
pub(super) struct Request {
    pub(super) ask: ItemsRequest,
    /// The URL without a query, which tells whether the list is another one.
    pub(super) source: String,
    /// The server searches.
    pub(super) searched: bool,
}

/// The request for a list: the URL resolved against the API's, with its parameters and the query.
pub(super) fn request(
    remote: &Remote,
    node: &StateNode<'_>,
    query: Option<&str>,
    env: &Env<'_>,
) -> Option<Request> {
    let mut url = Url::parse(env.base).ok()?.join(&remote.url).ok()?;
    let holder = search_param(node).map(str::to_owned).or_else(|| placeholder(&url));
    for (name, value) in &remote.params {
        set_pair(&mut url, name, Some(value));
    }
    let searched = holder.is_some() && query.is_some();
    let mut bare = url.clone();
    if let Some(name) = &holder {
        set_pair(&mut bare, name, None);
        match query {
            None => url = bare.clone(),
            Some(query) => {
                let template = pairs(&url).into_iter().find(|(known, _)| known == name);
                let template = template.map(|(_, text)| text).filter(|text| text.contains(QUERY));
                let text = template.map_or_else(|| query.to_owned(), |it| it.replace(QUERY, query));
                set_pair(&mut url, name, Some(&text));
            }
        }
    }
    let headers =
        remote.headers.iter().map(|(name, value)| (name.to_ascii_lowercase(), value.clone()));
    let ask = ItemsRequest { url: url.into(), headers: headers.collect() };
    Some(Request { ask, source: bare.into(), searched })
}

/// The parameter that the schema names for the query, or writes the placeholder into.
fn search_param<'s>(node: &StateNode<'s>) -> Option<&'s str> {
    let source = &node.component.items.as_ref()?.source;
    let layout::Source::Url { search_param, search_params, .. } = source else { return None };
    let holds = |(_, text): &&(String, crate::editor::expression::Expression)| {
        text.source().contains(QUERY)
    };
    let templates = || search_params.iter().rev().find(holds).map(|(name, _)| name.as_str());
    search_param.as_deref().or_else(templates)
}

/// The last parameter of a URL with the placeholder. Data in a URL has no brackets, so it cannot
/// be one.
fn placeholder(url: &Url) -> Option<String> {
    let pair = url
        .query()?
        .split('&')
        .rev()
        .find(|pair| pair.split_once('=').is_some_and(|(_, value)| value.contains(QUERY)))?;
    let (name, _) = form_urlencoded::parse(pair.as_bytes()).next()?;
    Some(name.into_owned())
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
