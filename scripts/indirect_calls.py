"""Keep V8 from inlining: turn direct calls into calls through the function table.

    indirect_calls.py IN.wasm OUT.wasm

Envoy compiles the module at its start with V8's optimising compiler alone. Without a profile that compiler inlines
whatever is called, up to 60 calls a function and through several levels, which more than doubles the machine code and
the time to the first request; it has no switch for it, and it does not inline indirect calls. These cost two
nanoseconds more, so calls of tiny functions stay as they are: to inline those costs next to nothing.
"""

from __future__ import annotations

import argparse
import pathlib
import sys

from wasm_module import (
    CODE,
    ELEMENT,
    FUNCTION,
    IMPORT,
    TABLE,
    assemble,
    read_name,
    read_number,
    sections,
    vector,
    write_number,
    write_signed,
)

# Bytes of a function that is called directly.
TINY = 60

CALL, CALL_INDIRECT, I32_CONST = 0x10, 0x11, 0x41
# Opcodes by what follows them (chapter 5.4).
NUMBER = {0x02, 0x03, 0x04, 0x0C, 0x0D, *range(0x20, 0x27), 0x3F, 0x40, CALL, I32_CONST, 0x42, 0xD0, 0xD2}
TWO_NUMBERS = {CALL_INDIRECT, *range(0x28, 0x3F)}
PREFIXED_NUMBERS = {8: 2, 9: 1, 10: 2, 11: 1, 12: 2, 13: 1, 14: 2, 15: 1, 16: 1, 17: 1}


def skip_numbers(code: bytes, at: int, count: int) -> int:
    for _ in range(count):
        while code[at] >= 0x80:
            at += 1
        at += 1
    return at


def behind(code: bytes, at: int) -> int:
    """Offset behind the instruction at `at`; `ValueError` for one that the build does not use."""
    opcode, at = code[at], at + 1
    if opcode in NUMBER:
        return skip_numbers(code, at, 1)
    if opcode in TWO_NUMBERS:
        return skip_numbers(code, at, 2)
    if opcode == 0x0E:
        count, at = read_number(code, at)
        return skip_numbers(code, at, count + 1)
    if opcode == 0x1C:
        count, at = read_number(code, at)
        return at + count
    if opcode in (0x43, 0x44):
        return at + (4 if opcode == 0x43 else 8)
    if opcode == 0xFC:
        which, at = read_number(code, at)
        return skip_numbers(code, at, PREFIXED_NUMBERS.get(which, 0))
    if opcode == 0xFD:
        which, at = read_number(code, at)
        if which <= 11 or 84 <= which <= 93:
            at = skip_numbers(code, at, 2)
        return at + (16 if which in (12, 13) else 1 if 21 <= which <= 34 or 84 <= which <= 91 else 0)
    if opcode <= 0x11 or 0x1A <= opcode <= 0x1B or 0x45 <= opcode <= 0xC4 or opcode == 0xD1:
        return at
    raise ValueError(f"instruction {opcode:#x}")


def start_of_code(body: bytes) -> int:
    """Offset behind the declarations of locals."""
    groups, at = read_number(body, 0)
    for _ in range(groups):
        at = skip_numbers(body, at, 1) + 1
    return at


def calls(body: bytes) -> list[tuple[int, int, int]]:
    """Start, end and callee of each direct call."""
    found, at = [], start_of_code(body)
    while at < len(body):
        end = behind(body, at)
        if body[at] == CALL:
            found.append((at, end, read_number(body, at + 1)[0]))
        at = end
    return found


def imported_functions(section: bytes) -> int:
    count, at = read_number(section, 0)
    functions = 0
    for _ in range(count):
        _module, at = read_name(section, at)
        _name, at = read_name(section, at)
        if section[at] != 0:
            raise ValueError("an import that is no function")
        functions += 1
        at = skip_numbers(section, at + 1, 1)
    return functions


class Table:
    """The table of functions, which one element segment fills from its first entry on."""

    def __init__(self, table: bytes, elements: bytes) -> None:
        # One table of functions with a maximum; one active segment `i32.const FIRST` with function indices.
        if table[:3] != b"\x01\x70\x01" or elements[:3] != b"\x01\x00\x41":
            raise ValueError("not the table that the linker writes")
        self.first, at = read_number(elements, 3)
        count, at = read_number(elements, at + 1)
        self.functions = []
        for _ in range(count):
            index, at = read_number(elements, at)
            self.functions.append(index)
        self.places = {function: place for place, function in enumerate(self.functions)}

    def place(self, function: int) -> int:
        """Where the function stands; puts it there when it is in the table nowhere."""
        if function not in self.places:
            self.places[function] = len(self.functions)
            self.functions.append(function)
        return self.first + self.places[function]

    def sections(self) -> tuple[bytes, bytes]:
        size = write_number(self.first + len(self.functions))
        items = vector([write_number(function) for function in self.functions])
        return b"\x01\x70\x01" + size + size, b"\x01\x00\x41" + write_signed(self.first) + b"\x0b" + items


def numbers(section: bytes) -> list[int]:
    count, at = read_number(section, 0)
    out = []
    for _ in range(count):
        value, at = read_number(section, at)
        out.append(value)
    return out


def bodies(section: bytes) -> list[bytes]:
    count, at = read_number(section, 0)
    out = []
    for _ in range(count):
        size, at = read_number(section, at)
        out.append(section[at : at + size])
        at += size
    return out


def convert(module: bytes) -> tuple[bytes, int]:
    """The module with indirect calls, and how many there are."""
    parts = sections(module)
    one = dict(parts)
    imported = imported_functions(one[IMPORT])
    types, codes = numbers(one[FUNCTION]), bodies(one[CODE])
    table = Table(one[TABLE], one[ELEMENT])
    sizes = [len(body) for body in codes]
    changed = 0
    for number, body in enumerate(codes):
        out, at = bytearray(), 0
        for start, end, callee in calls(body):
            callee_number = callee - imported
            if callee_number < 0 or sizes[callee_number] < TINY:
                continue
            out += body[at:start] + bytes([I32_CONST]) + write_signed(table.place(callee))
            out += bytes([CALL_INDIRECT]) + write_number(types[callee_number]) + b"\0"
            at, changed = end, changed + 1
        codes[number] = bytes(out + body[at:])
    new = dict(zip((TABLE, ELEMENT), table.sections(), strict=True))
    new[CODE] = vector([write_number(len(body)) + body for body in codes])
    return assemble([(kind, new.get(kind, content)) for kind, content in parts]), changed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("target", type=pathlib.Path)
    options = parser.parse_args()
    module, changed = convert(options.source.read_bytes())
    options.target.write_bytes(module)
    print(f"{options.target}: {len(module)} bytes, {changed} calls through the table")
    return 0


if __name__ == "__main__":
    sys.exit(main())
