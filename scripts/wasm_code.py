"""The code of a WebAssembly module: function bodies and the instructions in them.

WebAssembly Core Specification, chapter 5.4 (instructions) and 5.5.13 (code section).
"""

from __future__ import annotations

from wasm_module import CUSTOM, read_name, read_number, sections, vector, write_number

IF, BR_IF, CALL, CALL_INDIRECT, I32_CONST, REF_FUNC = 0x04, 0x0D, 0x10, 0x11, 0x41, 0xD2
# Opcodes by what follows them (chapter 5.4).
NUMBER = {0x02, 0x03, 0x04, 0x0C, 0x0D, *range(0x20, 0x27), 0x3F, 0x40, CALL, I32_CONST, 0x42, 0xD0, REF_FUNC}
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


def read_locals(body: bytes) -> tuple[list[tuple[int, int]], int]:
    """Number and type of each group of locals, and the offset behind them."""
    groups, at = read_number(body, 0)
    found = []
    for _ in range(groups):
        count, at = read_number(body, at)
        found.append((count, body[at]))
        at += 1
    return found, at


def start_of_code(body: bytes) -> int:
    """Offset behind the declarations of locals."""
    return read_locals(body)[1]


def branches(body: bytes) -> list[int]:
    """Offsets of the instructions `if` and `br_if`."""
    found, at = [], start_of_code(body)
    while at < len(body):
        if body[at] in (IF, BR_IF):
            found.append(at)
        at = behind(body, at)
    return found


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


def parameters(section: bytes) -> list[int]:
    """Number of parameters of each function type."""
    count, at = read_number(section, 0)
    found = []
    for _ in range(count):
        if section[at] != 0x60:
            raise ValueError("a type that is no function")
        size, at = read_number(section, at + 1)
        found.append(size)
        results, at = read_number(section, at + size)
        at += results
    return found


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


def write_bodies(codes: list[bytes]) -> bytes:
    """The code section of these bodies."""
    return vector([write_number(len(body)) + body for body in codes])


def function_names(module: bytes) -> dict[int, str]:
    """Names of functions by index, from the custom section `name` (appendix 7.4.1)."""
    names: dict[int, str] = {}
    for kind, content in sections(module):
        title, at = read_name(content, 0) if kind == CUSTOM else ("", 0)
        while title == "name" and at < len(content):
            subsection = content[at]
            size, at = read_number(content, at + 1)
            end = at + size
            if subsection == 1:
                count, at = read_number(content, at)
                for _ in range(count):
                    index, at = read_number(content, at)
                    names[index], at = read_name(content, at)
            at = end
    return names
