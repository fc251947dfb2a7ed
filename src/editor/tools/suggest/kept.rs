//! Fetched lists are kept for a moment: agents ask for a list and look for something in it, or ask
//! again. They are part of the session, so of one caller.

use serde_json::{Value, json};

use super::request::Request;
use crate::editor::{
    state::{Choosable, ItemList, Session, StateNode},
    tools::Env,
};

/// How long a list is kept, in seconds.
const LIFETIME: u64 = 60;
/// Bytes of JSON that all kept lists may take, and how many lists there may be.
const LARGEST: usize = 64 << 10;
const MOST: usize = 8;

/// The list that a request was answered with a moment ago.
pub(super) fn kept(
    session: &Session,
    node: &StateNode<'_>,
    request: &Request,
    env: &Env<'_>,
) -> Option<Vec<Choosable>> {
    let is_it = |list: &&ItemList| {
        list.path == node.path && list.source == request.ask.url && is_fresh(list, env)
    };
    let list = session.lists.iter().find(is_it)?;
    let known = list.items.iter().filter_map(|item| match item.as_array()?.as_slice() {
        [Value::String(title), key, value] => {
            Some(Choosable { title: title.clone(), key: Some(key.clone()), value: value.clone() })
        }
        _ => None,
    });
    Some(known.collect())
}

fn is_fresh(list: &ItemList, env: &Env<'_>) -> bool {
    env.now.checked_sub(list.fetched).is_some_and(|age| age < LIFETIME)
}

/// Keeps the list that a request was answered with; the oldest ones make room.
pub(super) fn keep(
    session: &mut Session,
    node: &StateNode<'_>,
    request: &Request,
    known: &[Choosable],
    env: &Env<'_>,
) {
    let is_same = |list: &ItemList| list.path == node.path && list.source == request.ask.url;
    session.lists.retain(|list| is_fresh(list, env) && !is_same(list));
    let items = known.iter().map(|option| json!([option.title, option.key, option.value]));
    let (path, source) = (node.path.clone(), request.ask.url.clone());
    session.lists.push(ItemList { path, source, fetched: env.now, items: items.collect() });
    let sizes: Vec<usize> = session.lists.iter().map(size).collect();
    let mut total = 0;
    let fits = |size: &&usize| {
        total += **size;
        total <= LARGEST
    };
    let room = sizes.iter().rev().take_while(fits).take(MOST).count();
    session.lists.drain(..session.lists.len() - room);
}

/// Bytes of a list as it is stored.
fn size(list: &ItemList) -> usize {
    let items = list.items.iter().map(|item| item.to_string().len());
    list.source.len() + items.sum::<usize>()
}
