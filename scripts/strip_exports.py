"""Remove exports that nothing needs from a WebAssembly module.

    strip_exports.py IN.wasm OUT.wasm --drop proxy_on_log,proxy_on_done

A host calls every Proxy-Wasm callback that a module exports, and each call costs about 0.4 µs per request, also
when the callback does nothing. The names to drop must be exported, so that a typing error does not go unnoticed.
"""

from __future__ import annotations

import argparse
import pathlib
import sys

MAGIC = b"\0asm\x01\0\0\0"
EXPORT_SECTION = 7


def read_number(data: bytes, at: int) -> tuple[int, int]:
    """One unsigned LEB128 number and the offset behind it."""
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def write_number(value: int) -> bytes:
    out = bytearray()
    while True:
        value, low = value >> 7, value & 0x7F
        out.append(low | (0x80 if value else 0))
        if not value:
            return bytes(out)


def exports(section: bytes) -> list[tuple[str, bytes]]:
    """Name and whole encoding of every entry of an export section."""
    count, at = read_number(section, 0)
    found = []
    for _ in range(count):
        start = at
        length, at = read_number(section, at)
        name = section[at : at + length].decode()
        _index, at = read_number(section, at + length + 1)
        found.append((name, section[start:at]))
    return found


def strip(module: bytes, drop: set[str]) -> bytes:
    """The module without the exports named in `drop`; raises `KeyError` with those that it does not have."""
    if not module.startswith(MAGIC):
        raise ValueError("not a WebAssembly module")
    out, at = bytearray(MAGIC), len(MAGIC)
    missing = set(drop)
    while at < len(module):
        start, kind = at, module[at]
        size, at = read_number(module, at + 1)
        body, at = module[at : at + size], at + size
        if kind != EXPORT_SECTION:
            out += module[start:at]
            continue
        entries = exports(body)
        missing -= {name for name, _ in entries}
        kept = [encoded for name, encoded in entries if name not in drop]
        section = write_number(len(kept)) + b"".join(kept)
        out += bytes([EXPORT_SECTION]) + write_number(len(section)) + section
    if missing:
        raise KeyError(", ".join(sorted(missing)))
    return bytes(out)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("target", type=pathlib.Path)
    parser.add_argument("--drop", default="", help="names, separated by commas")
    options = parser.parse_args()
    try:
        module = strip(options.source.read_bytes(), set(filter(None, options.drop.split(","))))
    except KeyError as error:
        print(f"strip_exports: not exported: {error.args[0]}", file=sys.stderr)
        return 1
    options.target.write_bytes(module)
    print(f"{options.target}: {len(module)} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
