//! Content codings (RFC 9110 §8.4): `gzip` (RFC 1952) and `deflate` (RFC 1950, or RFC 1951 as sent
//! by some) and `br` (RFC 7932), within a limit. Requests ask for none; some APIs compress anyway.

mod brotli;

use miniz_oxide::inflate::{
    TINFLStatus,
    core::{DecompressorOxide, decompress, inflate_flags},
};

/// Codings applied on top of each other that are removed at most.
const MAX_CODINGS: usize = 3;

/// Why a body could not be decoded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum DecodeError {
    /// The coding is not one that is known here.
    Unsupported(String),
    /// The body is not what its coding says.
    Corrupt(&'static str),
    /// The decoded body is over the limit.
    TooLarge,
}

/// Removes the codings that `field`, the `content-encoding`, lists, in reverse order. No step may
/// yield more than `limit` bytes.
pub(super) fn decode(
    field: Option<&str>,
    body: Vec<u8>,
    limit: usize,
) -> Result<Vec<u8>, DecodeError> {
    match field {
        Some(field) => decode_listed(field, body, limit),
        None => Ok(body),
    }
}

#[cold]
fn decode_listed(field: &str, mut body: Vec<u8>, limit: usize) -> Result<Vec<u8>, DecodeError> {
    let codings = field.split(',').map(str::trim);
    let codings: Vec<_> = codings.filter(|coding| !coding.is_empty()).collect();
    if codings.len() > MAX_CODINGS {
        return Err(DecodeError::Unsupported(codings.join(", ")));
    }
    if body.is_empty() {
        return Ok(body);
    }
    for coding in codings.into_iter().rev() {
        body = match coding.to_ascii_lowercase().as_str() {
            "identity" => body,
            "gzip" | "x-gzip" => gunzip(&body, limit)?,
            "deflate" => inflate_either(&body, limit)?,
            "br" => unbrotli(&body, limit)?,
            _ => return Err(DecodeError::Unsupported(coding.to_owned())),
        };
    }
    Ok(body)
}

/// All members of a gzip file, checked against their checksums.
fn gunzip(body: &[u8], limit: usize) -> Result<Vec<u8>, DecodeError> {
    let mut out = Vec::new();
    let mut rest = body;
    while !rest.is_empty() {
        let start = out.len();
        let data = gzip_data(rest).ok_or(DecodeError::Corrupt("gzip"))?;
        rest = inflate(data, &mut out, limit, 0, "gzip")?;
        let (trailer, next) = rest.split_at_checked(8).ok_or(DecodeError::Corrupt("gzip"))?;
        let member = out.get(start..).unwrap_or_default();
        let length = u32::try_from(member.len()).unwrap_or(u32::MAX);
        if trailer != [crc32(member).to_le_bytes(), length.to_le_bytes()].concat() {
            return Err(DecodeError::Corrupt("gzip"));
        }
        rest = next;
    }
    Ok(out)
}

/// What follows the header of a gzip member (RFC 1952 §2.3).
fn gzip_data(member: &[u8]) -> Option<&[u8]> {
    const HEADER_CHECKSUM: u8 = 2;
    const EXTRA: u8 = 4;
    const NAME: u8 = 8;
    const COMMENT: u8 = 16;
    let [0x1F, 0x8B, 8, flags, _, _, _, _, _, _, rest @ ..] = member else { return None };
    let mut rest = rest;
    if flags & EXTRA != 0 {
        let (length, after) = rest.split_first_chunk::<2>()?;
        rest = after.get(usize::from(u16::from_le_bytes(*length))..)?;
    }
    for _ in 0..(flags & NAME).count_ones() + (flags & COMMENT).count_ones() {
        let end = rest.iter().position(|&byte| byte == 0)?;
        rest = rest.get(end + 1..)?;
    }
    if flags & HEADER_CHECKSUM != 0 {
        rest = rest.get(2..)?;
    }
    Some(rest)
}

fn unbrotli(body: &[u8], limit: usize) -> Result<Vec<u8>, DecodeError> {
    let mut tables = Vec::new();
    inflate(brotli::TABLES, &mut tables, brotli::TABLES_SIZE, 0, "br")?;
    brotli::decode(body, limit, &tables).map_err(|failure| match failure {
        brotli::Failure::Corrupt => DecodeError::Corrupt("br"),
        brotli::Failure::TooLarge => DecodeError::TooLarge,
    })
}

/// `deflate` means zlib, but bare deflate data is sent under that name too.
fn inflate_either(body: &[u8], limit: usize) -> Result<Vec<u8>, DecodeError> {
    let mut out = Vec::new();
    let zlib = inflate_flags::TINFL_FLAG_PARSE_ZLIB_HEADER;
    match inflate(body, &mut out, limit, zlib, "deflate") {
        Err(DecodeError::Corrupt(_)) => {
            out.clear();
            inflate(body, &mut out, limit, 0, "deflate")?;
        }
        other => {
            other?;
        }
    }
    Ok(out)
}

/// Appends the decompressed data to `out`, whose length stays within `limit`; returns what follows
/// the compressed data.
fn inflate<'b>(
    data: &'b [u8],
    out: &mut Vec<u8>,
    limit: usize,
    flags: u32,
    coding: &'static str,
) -> Result<&'b [u8], DecodeError> {
    let flags = flags | inflate_flags::TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF;
    let mut decompressor = Box::<DecompressorOxide>::default();
    let start = out.len();
    let mut rest = data;
    let mut written = 0;
    loop {
        let room = (out.len() - start).max(data.len()).max(1024).saturating_add(out.len());
        out.resize(room.min(limit), 0);
        let space = out.get_mut(start..).unwrap_or_default();
        let (status, read, wrote) = decompress(&mut decompressor, rest, space, written, flags);
        rest = rest.get(read..).unwrap_or_default();
        written += wrote;
        match status {
            TINFLStatus::Done => {
                out.truncate(start + written);
                return Ok(rest);
            }
            TINFLStatus::HasMoreOutput if out.len() < limit => {}
            TINFLStatus::HasMoreOutput => return Err(DecodeError::TooLarge),
            _ => return Err(DecodeError::Corrupt(coding)),
        }
    }
}

/// CRC-32 of RFC 1952 §8, half a byte at a time.
fn crc32(data: &[u8]) -> u32 {
    const TABLE: [u32; 16] = [
        0x0000_0000,
        0x1DB7_1064,
        0x3B6E_20C8,
        0x26D9_30AC,
        0x76DC_4190,
        0x6B6B_51F4,
        0x4DB2_6158,
        0x5005_713C,
        0xEDB8_8320,
        0xF00F_9344,
        0xD6D6_A3E8,
        0xCB61_B38C,
        0x9B64_C2B0,
        0x86D3_D2D4,
        0xA00A_E278,
        0xBDBD_F21C,
    ];
    let step = |crc: u32, nibble: u32| {
        let index = usize::try_from((crc ^ nibble) & 15).unwrap_or_default();
        (crc >> 4) ^ TABLE.get(index).copied().unwrap_or_default()
    };
    let crc = data.iter().fold(u32::MAX, |crc, &byte| {
        let byte = u32::from(byte);
        step(step(crc, byte), byte >> 4)
    });
    !crc
}

#[cfg(test)]
mod tests {
    use base64::{Engine as _, engine::general_purpose::STANDARD};
    use miniz_oxide::deflate::{compress_to_vec, compress_to_vec_zlib};

    use super::*;

    fn gzip(data: &[u8], flags: u8, extra: &[u8]) -> Vec<u8> {
        let length = u32::try_from(data.len()).unwrap();
        [
            &[0x1F, 0x8B, 8, flags, 0, 0, 0, 0, 0, 3],
            extra,
            &compress_to_vec(data, 6),
            &crc32(data).to_le_bytes(),
            &length.to_le_bytes(),
        ]
        .concat()
    }

    #[track_caller]
    fn check(field: &str, body: &[u8], expected: Result<&[u8], DecodeError>) {
        assert_eq!(decode(Some(field), body.to_vec(), 100_000), expected.map(<[u8]>::to_vec));
    }

    #[test]
    fn a_file_of_another_tool_is_read() {
        let file = STANDARD.decode("H4sIAAAAAAACA6tWSs4sqVSyUnIqSi0uUaoFADW4gL4QAAAA").unwrap();
        check("gzip", &file, Ok(br#"{"city":"Brest"}"#));
    }

    #[test]
    fn codings_are_removed_in_reverse_order() {
        let text = "repeated ".repeat(1000);
        let text = text.as_bytes();
        check("gzip", &gzip(text, 0, b""), Ok(text));
        check("X-GZIP, identity", &gzip(text, 0, b""), Ok(text));
        check("gzip", &gzip(text, 4 | 8 | 16 | 2, b"\x02\0abname\0comment\0hh"), Ok(text));
        check("gzip", &[gzip(b"one ", 0, b""), gzip(b"two", 0, b"")].concat(), Ok(b"one two"));
        check("deflate", &compress_to_vec_zlib(text, 6), Ok(text));
        check("deflate", &compress_to_vec(text, 6), Ok(text));
        check("deflate, gzip", &gzip(&compress_to_vec_zlib(text, 6), 0, b""), Ok(text));
        check("", b"plain", Ok(b"plain"));
        check("br", b"", Ok(b""));
    }

    #[test]
    fn what_is_not_what_it_says_is_refused() {
        let whole = gzip(b"text", 0, b"");
        for end in 1..whole.len() {
            check("gzip", &whole[..end], Err(DecodeError::Corrupt("gzip")));
        }
        let mut wrong = whole.clone();
        wrong[12] ^= 1;
        assert!(decode(Some("gzip"), wrong, 100).is_err());
        check("gzip", &gzip(b"text", 4, b"\xFF\xFF"), Err(DecodeError::Corrupt("gzip")));
        check("deflate", b"plain text", Err(DecodeError::Corrupt("deflate")));
        check("zstd", b"x", Err(DecodeError::Unsupported("zstd".into())));
        check(
            "gzip,gzip,gzip,gzip",
            b"x",
            Err(DecodeError::Unsupported("gzip, gzip, gzip, gzip".into())),
        );
    }

    #[test]
    fn a_bomb_stops_at_the_limit() {
        let exact = vec![0; 100_000];
        check("gzip", &gzip(&exact, 0, b""), Ok(&exact));
        check("gzip", &gzip(&vec![0; 100_001], 0, b""), Err(DecodeError::TooLarge));
        check("deflate", &compress_to_vec_zlib(&vec![0; 5_000_000], 9), Err(DecodeError::TooLarge));
        let twice = [gzip(&exact, 0, b""), gzip(b"x", 0, b"")].concat();
        check("gzip", &twice, Err(DecodeError::TooLarge));
    }
}
