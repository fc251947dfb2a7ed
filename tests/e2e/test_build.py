"""The scripts that finish the module: they change what they should and nothing else."""

from __future__ import annotations

import json
import re
import subprocess

import pytest
from arrange_functions import TINY, arrange
from empty_methods import TRAP, empty
from hot_functions import REQUESTS, mark
from wasm_code import bodies, function_names, write_bodies
from wasm_module import (
    CODE,
    ELEMENT,
    EXPORT,
    FUNCTION,
    IMPORT,
    MEMORY,
    TABLE,
    assemble,
    exports,
    read_number,
    sections,
    vector,
    write_name,
    write_number,
    write_signed,
)

from harness.net import ROOT
from strip_exports import strip

NODE = ROOT / ".tools" / "node" / "bin" / "node"
NOP, DROP, END, UNREACHABLE = b"\x01", b"\x1a", b"\x0b", b"\0"
TYPE = (1, b"\x01\x60\0\0")


def module(*names: str) -> bytes:
    entries = b"".join(write_number(len(name)) + name.encode() + b"\0" + write_number(300) for name in names)
    section = write_number(len(names)) + entries
    custom = b"\0" + write_number(5) + b"\x04note"
    return b"\0asm\x01\0\0\0" + custom + b"\x07" + write_number(len(section)) + section + custom


def test_stripping_removes_only_the_named_exports() -> None:
    assert strip(module("memory", "unused", "proxy_on_tick"), {"unused"}) == module("memory", "proxy_on_tick")
    assert strip(module("memory"), set()) == module("memory")


def test_stripping_refuses_a_name_that_is_not_exported() -> None:
    with pytest.raises(KeyError, match="typo"):
        strip(module("memory"), {"typo"})
    with pytest.raises(ValueError, match="not a WebAssembly module"):
        strip(b"ELF", set())


def test_numbers_survive_encoding() -> None:
    for value in (0, 127, 128, 300, 1 << 32):
        assert read_number(write_number(value), 0) == (value, len(write_number(value)))
    section = module("memory")[15 + 2 :]
    assert exports(section)[0][0] == "memory"


def body(code: bytes) -> bytes:
    """A function without locals."""
    return b"\0" + code + END


def functions(codes: list[bytes], exported: dict[str, int], names: dict[int, str] | None = None) -> bytes:
    """A module whose functions take and return nothing; the first two are in its table, from place 1 on."""
    listed = vector([write_number(index) + write_name(name) for index, name in (names or {}).items()])
    custom = write_name("name") + b"\x01" + write_number(len(listed)) + listed
    return assemble(
        [
            TYPE,
            (IMPORT, b"\0"),
            (FUNCTION, vector([b"\0"] * len(codes))),
            (TABLE, b"\x01\x70\x01\x03\x03"),
            (MEMORY, b"\x01\0\x02"),
            (EXPORT, vector([write_name(name) + b"\0" + write_number(at) for name, at in exported.items()])),
            (ELEMENT, b"\x01\x00\x41\x01\x0b\x02\x00\x01"),
            (CODE, write_bodies(codes)),
            (0, custom),
        ]
    )


def call(index: int) -> bytes:
    return b"\x10" + write_number(index)


def through_table(place: int) -> bytes:
    return b"\x41" + write_signed(place) + b"\x11\0\0"


LARGE = body(NOP * TINY)


def test_calls_of_larger_functions_go_through_the_table() -> None:
    # 0 to 2 are large, 0 and 1 stand in the table already, 3 is tiny; 4 calls all of them.
    constant = b"\x41\xe4\x00" + DROP
    calls = body(constant + call(0) + call(2) + call(3) + call(1))
    module, changed = arrange(functions([LARGE, LARGE, LARGE, body(NOP), calls], {}), set())
    new = dict(sections(module))
    through = body(constant + through_table(1) + through_table(3) + call(3) + through_table(2))
    assert changed == 3
    assert bodies(new[CODE]) == [LARGE, LARGE, LARGE, body(NOP), through]
    assert (new[TABLE], new[ELEMENT]) == (b"\x01\x70\x01\x04\x04", b"\x01\x00\x41\x01\x0b\x03\x00\x01\x02")
    assert [write_signed(value) for value in (63, 64, 300)] == [b"\x3f", b"\xc0\x00", b"\xac\x02"]


def test_hot_functions_come_first_and_call_each_other_directly() -> None:
    cold, hot, caller = LARGE, body(NOP * TINY + NOP), body(call(1) + call(0) + b"\xd2\x01" + DROP)
    module, changed = arrange(functions([cold, hot, caller], {"run": 2}), {1, 2})
    new = dict(sections(module))
    # The hot one is 0 now, its caller 1, the cold one 2; the table has the same functions at the same places.
    assert changed == 1
    assert bodies(new[CODE]) == [hot, body(call(0) + through_table(1) + b"\xd2\x00" + DROP), cold]
    assert new[ELEMENT] == b"\x01\x00\x41\x01\x0b\x02\x02\x00"
    assert new[EXPORT] == vector([write_name("run") + b"\0\x01"])


def test_methods_that_only_a_table_has_are_emptied() -> None:
    names = {0: "Some::evaluate17h", 1: "Other::evaluate17h", 2: "Some::check17h"}
    source = functions([body(call(1)), LARGE, LARGE], {"check": 2}, names)
    module, saved = empty(source, re.compile("evaluate17h"))
    assert bodies(dict(sections(module))[CODE]) == [TRAP, TRAP, LARGE]
    assert saved == len(body(call(1))) + len(LARGE) - 2 * len(TRAP)
    assert function_names(source) == names


def test_methods_in_use_are_not_emptied() -> None:
    names = {0: "Some::evaluate17h", 1: "main"}
    for codes, exported in [([LARGE, body(call(0))], {}), ([LARGE, LARGE], {"evaluate": 0})]:
        with pytest.raises(ValueError, match="in use: Some::evaluate17h"):
            empty(functions(codes, exported, names), re.compile("evaluate17h"))
    with pytest.raises(ValueError, match="no function"):
        empty(functions([LARGE], {}, names), re.compile("typo"))


def test_every_function_leaves_its_own_mark() -> None:
    module, first, count = mark(functions([LARGE, body(NOP)], {}))
    new = dict(sections(module))
    assert (first, count, new[MEMORY]) == (2 * 65_536, 2, b"\x01\0\x03")
    for number, code in enumerate([LARGE, body(NOP)]):
        marked = b"\0" + b"\x41" + write_signed(first + number) + b"\x41\x01\x3a\0\0" + code[1:]
        assert bodies(new[CODE])[number] == marked


def test_requests_run_some_functions_of_the_module(tmp_path) -> None:
    built = (ROOT / "dist" / "openapi-mcp-filter.wasm").read_bytes()
    marked, first, count = mark(built)
    path = tmp_path / "marked.wasm"
    path.write_bytes(marked)
    command = [NODE, REQUESTS, path, str(first), str(count)]
    hot = json.loads(subprocess.run(command, check=True, capture_output=True, timeout=60).stdout)
    # The module is arranged: what requests run is what comes first in it.
    assert hot == list(range(len(hot)))
    assert 100 < len(hot) < count // 5
