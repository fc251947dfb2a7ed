use std::cell::Cell;

use super::*;
use crate::store::Conflict;
use crate::store::memory::MemoryStore;

const NOW: u64 = 1_800_000_000_000;
const TTL: u64 = 60_000;

fn slots(count: usize) -> Slots {
    Slots::new(&config::Store::default(), "t", count, TTL)
}

fn key(owner: &str, name: &str) -> Key {
    Key::new(owner, format!("{owner}:{name}"))
}

#[track_caller]
fn put(slots: &Slots, store: &dyn Store, key: &Key, now: u64, value: &str) {
    slots.update(store, key, now, |_| Change::Put(value.into())).unwrap();
}

fn get(slots: &Slots, store: &dyn Store, key: &Key, now: u64) -> Option<String> {
    slots.get(store, key, now).map(|value| String::from_utf8(value).unwrap())
}

#[test]
fn entries_are_kept_changed_and_dropped() {
    let (slots, store) = (slots(100), MemoryStore::default());
    let (a, b) = (key("o", "a"), key("o", "b"));
    put(&slots, &store, &a, NOW, "1");
    put(&slots, &store, &b, NOW, "2");
    assert_eq!(get(&slots, &store, &a, NOW).as_deref(), Some("1"));
    let mut seen = None;
    slots
        .update(&store, &a, NOW, |value| {
            seen = value.map(<[u8]>::to_vec);
            Change::Put(b"3".to_vec())
        })
        .unwrap();
    assert_eq!(seen.as_deref(), Some(b"1".as_slice()));
    slots.update(&store, &b, NOW, |_| Change::Drop).unwrap();
    assert_eq!(get(&slots, &store, &a, NOW).as_deref(), Some("3"));
    assert_eq!(get(&slots, &store, &b, NOW), None);
}

#[test]
fn an_entry_lives_from_its_last_use() {
    let (slots, store) = (slots(4), MemoryStore::default());
    let a = key("o", "a");
    put(&slots, &store, &a, NOW, "1");
    put(&slots, &store, &a, NOW + TTL - 1, "2");
    assert_eq!(get(&slots, &store, &a, NOW + 2 * TTL - 2).as_deref(), Some("2"));
    assert_eq!(get(&slots, &store, &a, NOW + 2 * TTL - 1), None);
    // A clock that is set back forgets nothing.
    assert_eq!(get(&slots, &store, &a, NOW - TTL).as_deref(), Some("2"));
}

#[test]
fn endless_churn_keeps_the_number_of_keys_and_bytes_bounded() {
    let (slots, store) = (slots(200), MemoryStore::default());
    let value = "x".repeat(1_000);
    for number in 0..100_000 {
        put(&slots, &store, &key("o", &number.to_string()), NOW + number, &value);
    }
    let (keys, bytes) = store.size();
    assert!(keys <= 208 && bytes < 208 * 1_100, "{keys} keys, {bytes} bytes");
    assert!(get(&slots, &store, &key("o", "99999"), NOW + 100_000).is_some());
}

#[test]
fn one_owner_cannot_evict_everything_of_another() {
    let (slots, store) = (slots(16), MemoryStore::default());
    for number in 0..16 {
        put(&slots, &store, &key("victim", &number.to_string()), NOW + number, "v");
    }
    for number in 0..1_000 {
        put(&slots, &store, &key("attacker", &number.to_string()), NOW + 100 + number, "a");
    }
    let kept = (0..16).filter(|number| {
        get(&slots, &store, &key("victim", &number.to_string()), NOW + 2_000).is_some()
    });
    // The least recently used ones made room.
    assert_eq!(kept.collect::<Vec<_>>(), (8..16).collect::<Vec<u64>>());
}

#[test]
fn expired_entries_make_room_first() {
    let (slots, store) = (slots(2), MemoryStore::default());
    put(&slots, &store, &key("o", "old"), NOW, "1");
    put(&slots, &store, &key("o", "a"), NOW + TTL, "2");
    put(&slots, &store, &key("p", "b"), NOW + TTL, "3");
    assert_eq!(get(&slots, &store, &key("o", "a"), NOW + TTL).as_deref(), Some("2"));
    assert_eq!(get(&slots, &store, &key("p", "b"), NOW + TTL).as_deref(), Some("3"));
}

#[test]
fn a_sweep_empties_what_nobody_uses() {
    let (slots, store) = (slots(40), MemoryStore::default());
    for number in 0..20 {
        let used = if number % 2 == 0 { NOW } else { NOW + TTL };
        put(&slots, &store, &key("o", &number.to_string()), used, &"x".repeat(1_000));
    }
    let mut next = 0;
    for _ in 0..10 {
        next = slots.sweep(&store, NOW + TTL, next, 5);
    }
    assert!(store.size().1 < 10 * 1_100 + 48 * 20, "{:?}", store.size());
    assert!(get(&slots, &store, &key("o", "1"), NOW + TTL).is_some());
}

#[test]
fn foreign_and_damaged_values_are_no_entries() {
    let (slots, store) = (slots(1), MemoryStore::default());
    let a = key("o", "a");
    put(&slots, &store, &a, NOW, "1");
    let (bytes, _) = store.get("openapi-mcp/t/0");
    let whole = bytes.unwrap();
    for length in 1..whole.len() - 2 {
        let (_, cas) = store.get("openapi-mcp/t/0");
        store.set("openapi-mcp/t/0", &whole[..length], cas).unwrap();
        assert_eq!(get(&slots, &store, &a, NOW), None, "{length}");
    }
    put(&slots, &store, &a, NOW, "2");
    assert_eq!(get(&slots, &store, &a, NOW).as_deref(), Some("2"));
}

/// A store in which another worker acts before each write.
struct Racing<'s, F: Fn(usize)> {
    inner: &'s MemoryStore,
    writes: Cell<usize>,
    before: F,
}

impl<F: Fn(usize)> Store for Racing<'_, F> {
    fn get(&self, key: &str) -> (Option<Vec<u8>>, Option<u32>) {
        self.inner.get(key)
    }

    fn set(&self, key: &str, value: &[u8], cas: Option<u32>) -> Result<(), Conflict> {
        let number = self.writes.get();
        self.writes.set(number + 1);
        (self.before)(number);
        self.inner.set(key, value, cas)
    }
}

fn append(text: &'static str) -> impl FnMut(Option<&[u8]>) -> Change {
    move |value| Change::Put([value.unwrap_or_default(), text.as_bytes()].concat())
}

#[test]
fn a_lost_race_is_run_again_on_the_newer_value() {
    let (slots, store) = (slots(8), MemoryStore::default());
    let a = key("o", "a");
    let other = |number: usize| {
        if number < 3 {
            slots.update(&store, &a, NOW, append("x")).unwrap();
        }
    };
    let racing = Racing { inner: &store, writes: Cell::default(), before: other };
    slots.update(&racing, &a, NOW, append("y")).unwrap();
    assert_eq!(get(&slots, &store, &a, NOW).as_deref(), Some("xxxy"));
}

#[test]
fn changes_are_given_up_after_many_lost_races() {
    let (slots, store) = (slots(8), MemoryStore::default());
    let a = key("o", "a");
    let other = |_| slots.update(&store, &a, NOW, append("x")).unwrap();
    let racing = Racing { inner: &store, writes: Cell::default(), before: other };
    assert_eq!(slots.update(&racing, &a, NOW, append("y")), Err(Busy));
    assert!(!get(&slots, &store, &a, NOW).unwrap().contains('y'));
}

#[test]
fn an_entry_made_twice_is_one() {
    let (slots, store) = (slots(2), MemoryStore::default());
    let (a, b) = (key("o", "a"), key("p", "b"));
    let first = slots.slots(&a).next().unwrap();
    // While `a` is about to take the first slot's neighbour, it gets free and is taken for `a`.
    store
        .set(&first, &Entry { used: NOW, owner: b.owner, key: &b.text, value: b"b" }.write(), None)
        .unwrap();
    let other = |number: usize| {
        if number == 0 {
            let (_, cas) = store.get(&first);
            store.set(&first, &[], cas).unwrap();
            slots.update(&store, &a, NOW, append("x")).unwrap();
        }
    };
    let racing = Racing { inner: &store, writes: Cell::default(), before: other };
    slots.update(&racing, &a, NOW, append("y")).unwrap();
    assert_eq!(get(&slots, &store, &a, NOW).as_deref(), Some("xy"));
}
