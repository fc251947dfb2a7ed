"""The parts of the WebAssembly binary format that the build scripts read and write.

WebAssembly Core Specification, chapter 5 (binary format).
"""

from __future__ import annotations

import argparse
import pathlib

MAGIC = b"\0asm\x01\0\0\0"
CUSTOM, TYPE, IMPORT, FUNCTION, TABLE, MEMORY, EXPORT, START, ELEMENT, CODE = 0, 1, 2, 3, 4, 5, 7, 8, 9, 10


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
    """Unsigned LEB128."""
    out = bytearray()
    while True:
        value, low = value >> 7, value & 0x7F
        out.append(low | (0x80 if value else 0))
        if not value:
            return bytes(out)


def write_signed(value: int) -> bytes:
    """Signed LEB128 of a number that is not negative."""
    out = bytearray()
    while True:
        value, low = value >> 7, value & 0x7F
        done = value == 0 and not low & 0x40
        out.append(low if done else low | 0x80)
        if done:
            return bytes(out)


def read_name(data: bytes, at: int) -> tuple[str, int]:
    """A name and the offset behind it."""
    length, at = read_number(data, at)
    return data[at : at + length].decode(), at + length


def write_name(name: str) -> bytes:
    """A name with its length."""
    encoded = name.encode()
    return write_number(len(encoded)) + encoded


def sections(module: bytes) -> list[tuple[int, bytes]]:
    """Identifier and content of each section; `ValueError` when this is no module."""
    if not module.startswith(MAGIC):
        raise ValueError("not a WebAssembly module")
    found, at = [], len(MAGIC)
    while at < len(module):
        kind = module[at]
        size, at = read_number(module, at + 1)
        found.append((kind, module[at : at + size]))
        at += size
    return found


def assemble(parts: list[tuple[int, bytes]]) -> bytes:
    """The module of these sections."""
    out = bytearray(MAGIC)
    for kind, content in parts:
        out += bytes([kind]) + write_number(len(content)) + content
    return bytes(out)


def vector(items: list[bytes]) -> bytes:
    """A vector of encoded items."""
    return write_number(len(items)) + b"".join(items)


def replace(parts: list[tuple[int, bytes]], new: dict[int, bytes]) -> bytes:
    """The module of these sections, those in `new` with other content."""
    return assemble([(kind, new.get(kind, content)) for kind, content in parts])


def exports(section: bytes) -> list[tuple[str, int, int]]:
    """Name, kind (0 for functions) and index of every export."""
    count, at = read_number(section, 0)
    found = []
    for _ in range(count):
        name, at = read_name(section, at)
        kind = section[at]
        index, at = read_number(section, at + 1)
        found.append((name, kind, index))
    return found


def write_exports(entries: list[tuple[str, int, int]]) -> bytes:
    """The export section of these entries."""
    return vector([write_name(name) + bytes([kind]) + write_number(index) for name, kind, index in entries])


def parser(documentation: str) -> argparse.ArgumentParser:
    """The command line of a script that reads one file and writes another."""
    made = argparse.ArgumentParser(description=documentation.splitlines()[0])
    made.add_argument("source", type=pathlib.Path)
    made.add_argument("target", type=pathlib.Path)
    return made
