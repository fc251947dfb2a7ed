//! The wire form of `google.protobuf.Struct`, which Envoy passes when a configuration is written
//! inline in its own.

use serde_json::{Map, Number, Value};

/// Deepest nesting of objects and lists.
const MAX_DEPTH: usize = 64;

/// Decodes a serialized `Struct`; keys are sorted, as the wire form has no order. `None` for bytes
/// that are not one, fields unknown to `Struct`, `Value` and `ListValue` included.
pub(super) fn decode(bytes: &[u8]) -> Option<Value> {
    read_struct(bytes, MAX_DEPTH)
}

/// A double as a number, whole ones without a fraction; `None` if it is not finite.
pub(super) fn number(double: f64) -> Option<Value> {
    const LARGEST_EXACT: f64 = 9_007_199_254_740_992.0;
    if double.fract() == 0.0 && double.abs() <= LARGEST_EXACT {
        return format!("{double:.0}").parse::<i64>().ok().map(Value::from);
    }
    Number::from_f64(double).map(Value::Number)
}

/// `message Struct { map<string, Value> fields = 1; }`
fn read_struct(bytes: &[u8], depth: usize) -> Option<Value> {
    let mut entries = Vec::new();
    for field in Wire(bytes) {
        let (1, Payload::Bytes(entry)) = field? else { return None };
        entries.push(read_entry(entry, depth)?);
    }
    entries.sort_by(|(a, _), (b, _)| a.cmp(b));
    Some(Value::Object(entries.into_iter().collect::<Map<_, _>>()))
}

/// One entry of the map: `string key = 1; Value value = 2;`
fn read_entry(bytes: &[u8], depth: usize) -> Option<(String, Value)> {
    let mut entry = (String::new(), Value::Null);
    for field in Wire(bytes) {
        match field? {
            (1, Payload::Bytes(key)) => entry.0 = text(key)?,
            (2, Payload::Bytes(value)) => entry.1 = read_value(value, depth.checked_sub(1)?)?,
            _ => return None,
        }
    }
    Some(entry)
}

/// `message Value { oneof kind { null = 1; number = 2; string = 3; bool = 4; struct = 5; list = 6; } }`
fn read_value(bytes: &[u8], depth: usize) -> Option<Value> {
    let mut value = Value::Null;
    for field in Wire(bytes) {
        value = match field? {
            (1, Payload::Varint(_)) => Value::Null,
            (2, Payload::Fixed64(bits)) => number(f64::from_bits(bits))?,
            (3, Payload::Bytes(bytes)) => Value::String(text(bytes)?),
            (4, Payload::Varint(flag)) => Value::Bool(flag != 0),
            (5, Payload::Bytes(bytes)) => read_struct(bytes, depth)?,
            (6, Payload::Bytes(bytes)) => read_list(bytes, depth)?,
            _ => return None,
        };
    }
    Some(value)
}

/// `message ListValue { repeated Value values = 1; }`
fn read_list(bytes: &[u8], depth: usize) -> Option<Value> {
    let mut items = Vec::new();
    for field in Wire(bytes) {
        let (1, Payload::Bytes(item)) = field? else { return None };
        items.push(read_value(item, depth.checked_sub(1)?)?);
    }
    Some(Value::Array(items))
}

fn text(bytes: &[u8]) -> Option<String> {
    std::str::from_utf8(bytes).ok().map(str::to_owned)
}

/// The fields of one message in order. After a malformed one (`None`) nothing more follows.
struct Wire<'b>(&'b [u8]);

enum Payload<'b> {
    Varint(u64),
    Fixed64(u64),
    Bytes(&'b [u8]),
}

impl<'b> Iterator for Wire<'b> {
    type Item = Option<(u64, Payload<'b>)>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.0.is_empty() {
            return None;
        }
        let field = self.field();
        if field.is_none() {
            self.0 = &[];
        }
        Some(field)
    }
}

impl<'b> Wire<'b> {
    fn field(&mut self) -> Option<(u64, Payload<'b>)> {
        let tag = self.varint()?;
        let payload = match tag & 7 {
            0 => Payload::Varint(self.varint()?),
            1 => Payload::Fixed64(u64::from_le_bytes(self.take(8)?.try_into().ok()?)),
            2 => {
                let length = usize::try_from(self.varint()?).ok()?;
                Payload::Bytes(self.take(length)?)
            }
            _ => return None,
        };
        Some((tag >> 3, payload))
    }

    fn varint(&mut self) -> Option<u64> {
        let mut number = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = *self.take(1)?.first()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    fn take(&mut self, length: usize) -> Option<&'b [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }
}

#[cfg(test)]
mod tests;
