//! Durations, sizes and counts as they are written.

use std::time::Duration;

use serde_json::Value;

use super::words::expected;

/// The largest size that may be configured, in bytes: what the memory of one VM holds a few times.
pub(super) const LARGEST_SIZE: u64 = 256 << 20;

/// A duration such as `30s`, between two bounds; `0` needs no unit.
pub(super) fn duration(value: &Value, least: Duration, most: Duration) -> Result<Duration, String> {
    let duration = match value {
        Value::String(text) => parse_duration(text),
        Value::Number(number) if number.as_u64() == Some(0) => Some(Duration::ZERO),
        _ => None,
    }
    .ok_or_else(|| expected("a duration such as `30s`, `500ms`, `5m` or `1h`", value))?;
    if duration < least || duration > most {
        let (least, most) = (show_duration(least), show_duration(most));
        return Err(expected(&format!("a duration from `{least}` to `{most}`"), value));
    }
    Ok(duration)
}

/// A size such as `4MiB`, or a number of bytes, between two bounds.
pub(super) fn size(value: &Value, least: u64, most: u64) -> Result<u64, String> {
    let size = match value {
        Value::String(text) => parse_size(text),
        Value::Number(number) => number.as_u64(),
        _ => None,
    }
    .ok_or_else(|| expected("a size such as `4MiB`, `64KiB` or a number of bytes", value))?;
    if size < least || size > most {
        let (least, most) = (show_size(least), show_size(most));
        return Err(expected(&format!("a size from `{least}` to `{most}`"), value));
    }
    Ok(size)
}

/// [`size`] for what is held in memory.
pub(super) fn memory(value: &Value, least: u64, most: u64) -> Result<usize, String> {
    size(value, least, most).map(|size| usize::try_from(size).unwrap_or(usize::MAX))
}

/// A whole number between two bounds.
pub(super) fn count(value: &Value, least: usize, most: usize) -> Result<usize, String> {
    let number = match value {
        Value::Number(number) => number.as_u64().and_then(|number| usize::try_from(number).ok()),
        _ => None,
    };
    number
        .filter(|number| (least..=most).contains(number))
        .ok_or_else(|| expected(&format!("a whole number from {least} to {most}"), value))
}

fn parse_duration(text: &str) -> Option<Duration> {
    let (number, unit) = split_unit(text)?;
    let millis = match unit {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        "" if number == 0 => 1,
        _ => return None,
    };
    number.checked_mul(millis).map(Duration::from_millis)
}

fn parse_size(text: &str) -> Option<u64> {
    let (number, unit) = split_unit(text)?;
    let bytes = match unit {
        "" | "B" => 1,
        "kB" | "KB" => 1_000,
        "MB" => 1_000_000,
        "GB" => 1_000_000_000,
        "KiB" => 1 << 10,
        "MiB" => 1 << 20,
        "GiB" => 1 << 30,
        _ => return None,
    };
    number.checked_mul(bytes)
}

/// The digits at the beginning as a number, and the rest without spaces before it.
fn split_unit(text: &str) -> Option<(u64, &str)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at_checked(digits)?;
    Some((number.parse().ok()?, unit.trim_start_matches(' ')))
}

fn show_duration(duration: Duration) -> String {
    let millis = duration.as_millis();
    match millis {
        0 => "0".to_owned(),
        _ if millis.is_multiple_of(3_600_000) => format!("{}h", millis / 3_600_000),
        _ if millis.is_multiple_of(60_000) => format!("{}m", millis / 60_000),
        _ if millis.is_multiple_of(1_000) => format!("{}s", millis / 1_000),
        _ => format!("{millis}ms"),
    }
}

fn show_size(size: u64) -> String {
    match size {
        0 => "0".to_owned(),
        _ if size.is_multiple_of(1 << 30) => format!("{}GiB", size >> 30),
        _ if size.is_multiple_of(1 << 20) => format!("{}MiB", size >> 20),
        _ if size.is_multiple_of(1 << 10) => format!("{}KiB", size >> 10),
        _ => format!("{size}B"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_need_a_unit_unless_they_are_zero() {
        for (text, millis) in [
            ("30s", Some(30_000)),
            ("500ms", Some(500)),
            ("5m", Some(300_000)),
            ("1h", Some(3_600_000)),
            ("0", Some(0)),
            ("0s", Some(0)),
            ("10 s", Some(10_000)),
            ("30", None),
            ("", None),
            ("s", None),
            ("-1s", None),
            ("1.5s", None),
            ("1d", None),
            ("99999999999999999999s", None),
            ("18446744073709551615h", None),
        ] {
            assert_eq!(parse_duration(text), millis.map(Duration::from_millis), "{text}");
        }
    }

    #[test]
    fn sizes_are_binary_or_decimal_by_their_unit() {
        for (text, size) in [
            ("4MiB", Some(4 << 20)),
            ("64KiB", Some(64 << 10)),
            ("1GiB", Some(1 << 30)),
            ("1MB", Some(1_000_000)),
            ("2kB", Some(2_000)),
            ("2KB", Some(2_000)),
            ("12", Some(12)),
            ("12B", Some(12)),
            ("1mib", None),
            ("1M", None),
            ("KiB", None),
            ("18446744073709551615KiB", None),
        ] {
            assert_eq!(parse_size(text), size, "{text}");
        }
    }

    #[test]
    fn bounds_are_shown_in_the_largest_whole_unit() {
        assert_eq!(show_size(3 << 20), "3MiB");
        assert_eq!(show_size(1_025), "1025B");
        assert_eq!(show_duration(Duration::from_secs(90)), "90s");
        assert_eq!(show_duration(Duration::from_millis(1)), "1ms");
    }
}
