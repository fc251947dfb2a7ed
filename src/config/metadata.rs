//! Route metadata as the host's property calls return it: bytes whose form depends on the type of
//! the metadata value.

use serde_json::{Number, Value};

/// The value behind the bytes of one metadata key, as the configuration would write it. Bytes that
/// do not have the form which the key needs become a string, for the reader to refuse.
pub(super) fn decode(key: &str, bytes: &[u8]) -> Value {
    let typed = match key {
        "profiles" => Some(list(bytes)),
        "structuredContent" | "strict" => flag(bytes),
        "maxStringLength" | "maxErrorLength" | "pageSize" => number(bytes),
        _ => None,
    };
    typed.unwrap_or_else(|| Value::String(String::from_utf8_lossy(bytes).into_owned()))
}

/// A list: a serialized map whose keys are the elements, or text with commas.
fn list(bytes: &[u8]) -> Value {
    let names = pair_keys(bytes).unwrap_or_else(|| {
        let text = String::from_utf8_lossy(bytes);
        text.split(',').map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect()
    });
    Value::Array(names.into_iter().map(Value::String).collect())
}

/// A bool: one byte, or its text.
fn flag(bytes: &[u8]) -> Option<Value> {
    match bytes {
        [0] | b"false" => Some(Value::Bool(false)),
        [1] | b"true" => Some(Value::Bool(true)),
        _ => None,
    }
}

/// A number: its text, or a double in eight bytes, little-endian.
fn number(bytes: &[u8]) -> Option<Value> {
    if bytes.iter().all(u8::is_ascii_digit) {
        return serde_json::from_slice::<Number>(bytes).ok().map(Value::Number);
    }
    let double = f64::from_le_bytes(bytes.try_into().ok()?);
    super::structpb::number(double)
}

/// The keys of a serialized map: a count, the lengths of each key and value, then keys and values,
/// each followed by a zero byte. All numbers are 32 bits, little-endian.
fn pair_keys(bytes: &[u8]) -> Option<Vec<String>> {
    let (count, rest) = take_u32(bytes)?;
    let (mut lengths, mut data) = rest.split_at_checked(count.checked_mul(8)?)?;
    let mut keys = Vec::new();
    while !lengths.is_empty() {
        let (key_length, after) = take_u32(lengths)?;
        let (value_length, after) = take_u32(after)?;
        let (key, after_key) = take_terminated(data, key_length)?;
        keys.push(String::from_utf8(key.to_vec()).ok()?);
        (_, data) = take_terminated(after_key, value_length)?;
        lengths = after;
    }
    data.is_empty().then_some(keys)
}

fn take_u32(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let (number, rest) = bytes.split_first_chunk::<4>()?;
    Some((usize::try_from(u32::from_le_bytes(*number)).ok()?, rest))
}

fn take_terminated(bytes: &[u8], length: usize) -> Option<(&[u8], &[u8])> {
    let (text, rest) = bytes.split_at_checked(length)?;
    rest.strip_prefix(&[0]).map(|rest| (text, rest))
}
