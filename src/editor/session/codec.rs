//! A session as bytes.

use serde_json::Value;

use crate::editor::state::{Activation, ItemList, Memory, Session, Status};
use crate::json;

/// Version of the form below; the first byte.
const FORMAT: u8 = 3;

/// A session with what the filter itself keeps beside it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Stored {
    /// Hash of the schema that the form was compiled from.
    pub schema: String,
    /// Another number since each load and each save that was begun.
    pub generation: u64,
    /// The save whose answer is awaited.
    pub saving: Option<Saving>,
    /// The session.
    pub session: Session,
}

/// A save on its way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Saving {
    /// The generation of the session that it began.
    pub generation: u64,
    /// When it has ended in any case, in milliseconds since the Unix epoch.
    pub until: u64,
}

impl Stored {
    /// Makes what was learnt of the session before untrue of it.
    pub fn renew(&mut self, now: u64) {
        self.generation = self.generation.saturating_add(1).max(now);
    }

    /// Begins a save that ends within `lifetime` milliseconds; returns its generation.
    ///
    /// # Errors
    /// Another one is on its way, for so many milliseconds at most.
    pub fn begin_save(&mut self, now: u64, lifetime: u64) -> Result<u64, u64> {
        if let Some(left) = self.saving.and_then(|it| it.until.checked_sub(now))
            && left > 0
        {
            return Err(left);
        }
        self.renew(now);
        let generation = self.generation;
        self.saving = Some(Saving { generation, until: now.saturating_add(lifetime) });
        Ok(generation)
    }

    /// Ends the save of a generation, if it is the one on its way.
    pub fn end_save(&mut self, generation: u64) {
        self.saving = self.saving.filter(|it| it.generation != generation);
    }
}

/// The bytes of a session.
pub fn encode(stored: &Stored) -> Vec<u8> {
    let mut out = Writer(vec![FORMAT]);
    let session = &stored.session;
    out.text(&stored.schema);
    out.time(stored.generation);
    out.flag(stored.saving.is_some());
    if let Some(Saving { generation, until }) = stored.saving {
        out.time(generation);
        out.time(until);
    }
    let (data, saved) = (session.data.to_string(), session.saved.to_string());
    out.text(&data);
    // A document without changes is not stored twice.
    out.flag(saved == data);
    if saved != data {
        out.text(&saved);
    }
    out.flag(session.validator.is_some());
    out.text(session.validator.as_deref().unwrap_or_default());
    out.number(match session.status {
        Status::Ready => 0,
        Status::Error => 1,
        Status::Stale => 2,
        Status::Created => 3,
    });
    out.number(session.activated.len());
    for Activation { path, index, explicit } in &session.activated {
        out.text(path);
        out.number(*index);
        out.flag(*explicit);
    }
    out.number(session.suggestions.len());
    for Memory { path, source, values, dropped } in &session.suggestions {
        out.text(path);
        out.text(source);
        out.values(values);
        out.flag(*dropped);
    }
    out.number(session.lists.len());
    for ItemList { path, source, fetched, items } in &session.lists {
        out.text(path);
        out.text(source);
        out.time(*fetched);
        out.values(items);
    }
    out.number(session.shown.len());
    for (pointer, path) in &session.shown {
        out.text(pointer);
        out.text(path);
    }
    out.0
}

/// Reads what [`encode`] wrote. `None` for anything else, another format version included.
pub fn decode(bytes: &[u8]) -> Option<Stored> {
    let (&format, rest) = bytes.split_first()?;
    if format != FORMAT {
        return None;
    }
    let mut reader = Reader(rest);
    let schema = reader.text()?;
    let generation = reader.time()?;
    let saving = if reader.flag()? {
        Some(Saving { generation: reader.time()?, until: reader.time()? })
    } else {
        None
    };
    let data = reader.value()?;
    let saved = if reader.flag()? { data.clone() } else { reader.value()? };
    let has_validator = reader.flag()?;
    let validator = Some(reader.text()?).filter(|_| has_validator);
    let status = match reader.number()? {
        0 => Status::Ready,
        1 => Status::Error,
        2 => Status::Stale,
        3 => Status::Created,
        _ => return None,
    };
    let session = Session {
        data,
        saved,
        validator,
        status,
        activated: reader.many(|it| {
            Some(Activation { path: it.text()?, index: it.number()?, explicit: it.flag()? })
        })?,
        suggestions: reader.many(|it| {
            Some(Memory {
                path: it.text()?,
                source: it.text()?,
                values: it.values()?,
                dropped: it.flag()?,
            })
        })?,
        lists: reader.many(|it| {
            Some(ItemList {
                path: it.text()?,
                source: it.text()?,
                fetched: it.time()?,
                items: it.values()?,
            })
        })?,
        shown: reader.many(|it| Some((it.text()?, it.text()?)))?,
    };
    reader.0.is_empty().then_some(Stored { schema, generation, saving, session })
}

struct Writer(Vec<u8>);

impl Writer {
    /// Seven bits to a byte, the lowest first.
    fn number(&mut self, mut number: usize) {
        while number > 0x7f {
            self.0.push(low(number) | 0x80);
            number >>= 7;
        }
        self.0.push(low(number));
    }

    fn flag(&mut self, flag: bool) {
        self.0.push(flag.into());
    }

    fn time(&mut self, time: u64) {
        self.0.extend_from_slice(&time.to_le_bytes());
    }

    fn text(&mut self, text: &str) {
        self.number(text.len());
        self.0.extend_from_slice(text.as_bytes());
    }

    fn value(&mut self, value: &Value) {
        self.text(&value.to_string());
    }

    fn values(&mut self, values: &[Value]) {
        self.number(values.len());
        for value in values {
            self.value(value);
        }
    }
}

fn low(number: usize) -> u8 {
    u8::try_from(number & 0x7f).unwrap_or_default()
}

/// Reads what [`Writer`] wrote; `None` for anything else.
struct Reader<'b>(&'b [u8]);

impl Reader<'_> {
    fn number(&mut self) -> Option<usize> {
        let mut number = 0_usize;
        for shift in (0..usize::BITS).step_by(7) {
            let (&byte, rest) = self.0.split_first()?;
            self.0 = rest;
            number |= usize::from(byte & 0x7f).checked_shl(shift)?;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    fn flag(&mut self) -> Option<bool> {
        match self.number()? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }

    fn time(&mut self) -> Option<u64> {
        let (seconds, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*seconds))
    }

    fn text(&mut self) -> Option<String> {
        let length = self.number()?;
        let (text, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(std::str::from_utf8(text).ok()?.to_owned())
    }

    fn value(&mut self) -> Option<Value> {
        json::parse(self.text()?.as_bytes()).ok()
    }

    fn values(&mut self) -> Option<Vec<Value>> {
        self.many(Self::value)
    }

    fn many<T>(&mut self, read: impl Fn(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let count = self.number()?;
        // Each is at least one byte.
        (count <= self.0.len()).then_some(())?;
        (0..count).map(|_| read(self)).collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn stored() -> Stored {
        Stored {
            schema: "abc".to_owned(),
            generation: 1 << 50,
            saving: Some(Saving { generation: 7, until: u64::MAX }),
            session: Session {
                data: json::parse(br#"{"b":1.50,"a":[null,"\u00e9",{"2":true,"1":false}]}"#)
                    .unwrap(),
                saved: json!({"a": "x".repeat(300)}),
                validator: Some("etag:\"1\"".to_owned()),
                activated: vec![Activation { path: "/a".into(), index: 300, explicit: true }],
                suggestions: vec![Memory {
                    path: "/b".into(),
                    source: "u".into(),
                    values: vec![json!(1), json!({"k": []})],
                    dropped: true,
                }],
                lists: vec![ItemList {
                    path: "/c".into(),
                    source: String::new(),
                    fetched: 1 << 40,
                    items: vec![json!(["t", "k", 1])],
                }],
                shown: vec![("#/p".into(), "/d".into())],
                status: Status::Stale,
            },
        }
    }

    #[track_caller]
    fn check(stored: &Stored) {
        let bytes = encode(stored);
        let back = decode(&bytes).unwrap();
        assert_eq!(&back, stored);
        assert_eq!(back.session.data.to_string(), stored.session.data.to_string());
        for length in 0..bytes.len() {
            assert_eq!(decode(&bytes[..length]), None, "{length}");
        }
    }

    #[test]
    fn a_session_is_read_as_it_was_written() {
        check(&stored());
        check(&Stored::default());
        let mut clean = stored();
        clean.session.saved = clean.session.data.clone();
        clean.session.validator = None;
        clean.session.status = Status::Created;
        check(&clean);
        assert!(encode(&clean).len() < encode(&stored()).len());
    }

    #[test]
    fn one_save_at_a_time_is_begun_until_it_ends_or_expires() {
        let mut stored = Stored { generation: 90, ..Stored::default() };
        assert_eq!(stored.begin_save(50, 10), Ok(91));
        assert_eq!(stored.begin_save(59, 10), Err(1));
        stored.end_save(90);
        assert_eq!(stored.begin_save(59, 10), Err(1), "another save ended");
        assert_eq!(stored.begin_save(60, 10), Ok(92), "it has expired");
        stored.end_save(92);
        stored.renew(200);
        assert_eq!(stored.begin_save(60, 10), Ok(201));
    }

    #[test]
    fn another_format_is_not_read() {
        let mut bytes = encode(&stored());
        bytes[0] += 1;
        assert_eq!(decode(&bytes), None);
        assert_eq!(
            decode(&[FORMAT, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]),
            None
        );
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200), at in 0_usize..400, byte in any::<u8>()) {
            let _ = decode(&bytes);
            let mut changed = encode(&stored());
            let at = at % changed.len();
            changed[at] = byte;
            let _ = decode(&changed);
        }
    }
}
