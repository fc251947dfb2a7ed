//! Route metadata as the host's property calls return it: bytes whose form depends on the type of
//! the metadata value.

use std::ops::Range;

use serde_json::{Map, Number, Value};

/// The value behind the bytes of one metadata key, as the configuration would write it. Bytes that
/// do not have the form which the key needs become what they most likely are, for the reader to
/// refuse.
pub(super) fn decode(key: &str, bytes: &[u8]) -> Value {
    let typed = match key {
        "profiles" => list(bytes),
        "structuredContent" | "strict" => flag(bytes),
        "maxStringLength" | "maxErrorLength" | "pageSize" => number(bytes),
        _ => None,
    };
    typed.or_else(|| text(bytes).map(Value::from)).unwrap_or_else(|| untyped(bytes))
}

/// Bytes that may be a string.
fn text(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok().filter(|text| !text.contains(char::is_control))
}

/// What is no string: a bool, a number, or something with parts.
fn untyped(bytes: &[u8]) -> Value {
    let scalar = flag(bytes).or_else(|| number(bytes).filter(|_| pairs(bytes).is_none()));
    scalar.unwrap_or_else(|| Value::Object(Map::new()))
}

/// A list: a serialized map whose keys are the elements, or text with commas.
fn list(bytes: &[u8]) -> Option<Value> {
    let names = pair_keys(bytes).or_else(|| {
        let names = text(bytes)?.split(',').map(|name| name.trim().to_owned());
        Some(names.filter(|name| !name.is_empty()).collect())
    });
    names.map(|names| Value::Array(names.into_iter().map(Value::String).collect()))
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

fn pair_keys(bytes: &[u8]) -> Option<Vec<String>> {
    Some(pairs(bytes)?.into_iter().map(|(key, _)| key).collect())
}

/// The keys and values of a serialized map ([`crate::pairs`]). `None` for bytes of another form.
pub fn pairs(bytes: &[u8]) -> Option<Vec<(String, Vec<u8>)>> {
    let text = |place: Range<usize>| bytes.get(place).map(<[u8]>::to_vec);
    crate::pairs::places(bytes)?
        .map(|(key, value)| Some((String::from_utf8(text(key)?).ok()?, text(value)?)))
        .collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::needless_raw_string_hashes, reason = "expect-test writes them")]

    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::config::{Lint, SchemaProfile, ViewOptions};

    /// A list as the host serializes it.
    fn pair_map(names: &[&str]) -> Vec<u8> {
        let length = |text: &str| u32::try_from(text.len()).unwrap().to_le_bytes();
        let mut bytes = length(&"x".repeat(names.len())).to_vec();
        for name in names {
            bytes.extend(length(name));
            bytes.extend(length(""));
        }
        for name in names {
            bytes.extend(name.as_bytes());
            bytes.extend([0, 0]);
        }
        bytes
    }

    fn overridden(pairs: &[(&str, &[u8])]) -> Result<ViewOptions, Vec<String>> {
        let pairs: Vec<_> = pairs.iter().map(|(k, v)| ((*k).to_owned(), v.to_vec())).collect();
        let base = ViewOptions { upstreams: vec!["api".to_owned()], ..ViewOptions::default() };
        base.with_overrides(&pairs)
            .map_err(|problems| problems.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn each_form_of_a_value_is_decoded() {
        for (key, bytes, value) in [
            ("profiles", pair_map(&["edit", "explore"]), json!(["edit", "explore"])),
            ("profiles", pair_map(&[]), json!([])),
            ("profiles", b"edit, explore,".to_vec(), json!(["edit", "explore"])),
            ("profiles", b"".to_vec(), json!([])),
            ("strict", vec![1], json!(true)),
            ("strict", vec![0], json!(false)),
            ("structuredContent", b"true".to_vec(), json!(true)),
            ("strict", b"yes".to_vec(), json!("yes")),
            ("pageSize", 50f64.to_le_bytes().to_vec(), json!(50)),
            ("pageSize", b"50".to_vec(), json!(50)),
            ("pageSize", b"12345678".to_vec(), json!(12_345_678)),
            ("pageSize", b"many".to_vec(), json!("many")),
            ("pageSize", f64::NAN.to_le_bytes().to_vec(), json!({})),
            ("locale", b"fr".to_vec(), json!("fr")),
            ("locale", vec![0xff], json!({})),
            ("locale", vec![1], json!(true)),
            ("locale", 5f64.to_le_bytes().to_vec(), json!(5)),
            ("locale", pair_map(&["fr"]), json!({})),
            ("profiles", vec![0], json!(false)),
            ("strict", 0f64.to_le_bytes().to_vec(), json!(0)),
            ("pageSize", vec![1], json!(true)),
        ] {
            assert_eq!(decode(key, &bytes), value, "{key} {bytes:?}");
        }
        assert_eq!(decode("pageSize", &1.5f64.to_le_bytes()).to_string(), "1.5");
    }

    #[test]
    fn truncated_maps_are_not_maps() {
        let whole = pair_map(&["edit", "explore"]);
        for length in 0..whole.len() {
            assert_eq!(pair_keys(&whole[..length]), None, "{length}");
        }
        assert_eq!(pair_keys(&[0xff; 64]), None);
        assert_eq!(pair_keys(&[0, 0, 0, 0, 0]), None);
    }

    #[test]
    fn overrides_win_over_the_route_and_the_rest_stays() {
        let view = overridden(&[
            ("profiles", &pair_map(&["admin"])),
            ("locale", b"fr"),
            ("namePrefix", b""),
            ("structuredContent", &[1]),
            ("maxStringLength", &10f64.to_le_bytes()),
            ("maxErrorLength", b"20"),
            ("lint", b"off"),
            ("strict", b"true"),
            ("schemaProfile", b"full"),
            ("pageSize", &5f64.to_le_bytes()),
            ("exposure", b"all"),
        ]);
        let expected = ViewOptions {
            upstreams: vec!["api".to_owned()],
            profiles: vec!["admin".to_owned()],
            locale: "fr".to_owned(),
            name_prefix: Some(String::new()),
            structured_content: true,
            max_string_length: 10,
            max_error_length: 20,
            lint: Lint::Off,
            strict: true,
            schema_profile: SchemaProfile::Full,
            page_size: 5,
            exposure: crate::config::Exposure::all(),
        };
        assert_eq!(view, Ok(expected));
        let french = overridden(&[("locale", b"fr")]).unwrap();
        assert_eq!((french.page_size, french.upstreams.len()), (100, 1));
    }

    #[test]
    fn problems_of_overrides_are_reported_together() {
        let problems = overridden(&[
            ("profile", b"x"),
            ("locale", b"x y"),
            ("strict", &50f64.to_le_bytes()),
            ("pageSize", &0.5f64.to_le_bytes()),
            ("path", b"/x"),
        ]);
        expect_test::expect![[r#"
            openapi_mcp.profile: unknown key; did you mean `profiles`?
            openapi_mcp.path: unknown key; known here: `profiles`, `locale`, `namePrefix`, `structuredContent`, `maxStringLength`, `maxErrorLength`, `lint`, `strict`, `schemaProfile`, `pageSize`, `exposure`
            openapi_mcp.locale: expected a language tag such as `en` or `fr-CA`, found `x y`
            openapi_mcp.strict: expected `true` or `false`, found the number `50`
            openapi_mcp.pageSize: expected a whole number from 1 to 10000, found the number `0.5`"#]].assert_eq(&problems.unwrap_err().join("\n"));
    }

    #[test]
    fn the_key_is_the_same_for_equal_options_only() {
        let base = overridden(&[]).unwrap();
        assert_eq!(base.key(), "8814174369a20911");
        assert_eq!(overridden(&[("pageSize", b"100")]).unwrap().key(), base.key());
        let mut keys = vec![base.key()];
        for (key, value) in [
            ("locale", "de"),
            ("namePrefix", ""),
            ("profiles", "a,b"),
            ("profiles", "ab"),
            ("structuredContent", "true"),
            ("strict", "true"),
            ("maxStringLength", "1"),
            ("maxErrorLength", "1"),
            ("lint", "warn"),
            ("lint", "off"),
            ("schemaProfile", "full"),
            ("pageSize", "1"),
            ("exposure", "all"),
            ("exposure", "readOnly"),
            ("exposure", "search"),
        ] {
            keys.push(overridden(&[(key, value.as_bytes())]).unwrap().key());
        }
        let count = keys.len();
        keys.sort();
        keys.dedup();
        assert_eq!(keys.len(), count);
    }

    proptest! {
        #[test]
        fn any_metadata_gives_options_or_problems(
            key in proptest::sample::select(crate::config::keys::VIEW),
            bytes in proptest::collection::vec(any::<u8>(), 0..40),
        ) {
            let _ = overridden(&[(key, &bytes)]);
        }
    }
}
