"""Remove exports that nothing needs from a WebAssembly module.

    strip_exports.py IN.wasm OUT.wasm --drop proxy_on_log,proxy_on_done

A host calls every Proxy-Wasm callback that a module exports, and each call costs about 0.4 µs per request, also
when the callback does nothing. The names to drop must be exported, so that a typing error does not go unnoticed.
"""

from __future__ import annotations

import argparse
import pathlib
import sys

from wasm_module import EXPORT, assemble, read_name, read_number, sections, vector


def exports(section: bytes) -> list[tuple[str, bytes]]:
    """Name and whole encoding of every entry of an export section."""
    count, at = read_number(section, 0)
    found = []
    for _ in range(count):
        start = at
        name, at = read_name(section, at)
        _index, at = read_number(section, at + 1)
        found.append((name, section[start:at]))
    return found


def strip(module: bytes, drop: set[str]) -> bytes:
    """The module without the exports named in `drop`; raises `KeyError` with those that it does not have."""
    out, missing = [], set(drop)
    for kind, content in sections(module):
        if kind == EXPORT:
            entries = exports(content)
            missing -= {name for name, _ in entries}
            content = vector([encoded for name, encoded in entries if name not in drop])
        out.append((kind, content))
    if missing:
        raise KeyError(", ".join(sorted(missing)))
    return assemble(out)


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
