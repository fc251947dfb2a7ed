"""The scripts that finish the module: they change what they should and nothing else."""

from __future__ import annotations

import re

import pytest
from arrange_functions import SMALL, TINY, arrange
from empty_methods import TRAP, empty
from profile_requests import Marks, serve
from wasm_code import bodies, branches, function_names, parameters, write_bodies
from wasm_module import (
    CODE,
    ELEMENT,
    EXPORT,
    FUNCTION,
    IMPORT,
    MEMORY,
    TABLE,
    TYPE,
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
NOP, DROP, END = b"\x01", b"\x1a", b"\x0b"
NO_TYPES = b"\x01\x60\0\0"


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
            (TYPE, NO_TYPES),
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
NO_HINTS = write_name("metadata.code.branch_hint") + b"\0"


def profile(functions: dict[int, int], branches: list[list[int]] | None = None) -> dict:
    return {"functions": [list(pair) for pair in functions.items()], "branches": branches or []}


def test_calls_of_larger_functions_go_through_the_table() -> None:
    # 0 to 2 are large, 0 and 1 stand in the table already, 3 is tiny; 4 calls all of them.
    constant = b"\x41\xe4\x00" + DROP
    calls = body(constant + call(0) + call(2) + call(3) + call(1))
    source = functions([LARGE, LARGE, LARGE, body(NOP), calls], {})
    module, changed = arrange(source, profile({}))
    new = dict(sections(module))
    through = body(constant + through_table(1) + through_table(3) + call(3) + through_table(2))
    assert changed == 3
    assert bodies(new[CODE]) == [LARGE, LARGE, LARGE, body(NOP), through]
    assert (new[TABLE], new[ELEMENT]) == (b"\x01\x70\x01\x04\x04", b"\x01\x00\x41\x01\x0b\x03\x00\x01\x02")
    assert [write_signed(value) for value in (63, 64, 300)] == [b"\x3f", b"\xc0\x00", b"\xac\x02"]


def test_hot_functions_come_first_and_small_ones_are_called_directly_there() -> None:
    cold, small, large = LARGE, body(NOP * (SMALL - 3)), body(NOP * SMALL)
    caller = body(call(1) + call(0) + call(2) + b"\xd2\x01" + DROP)
    module, changed = arrange(functions([cold, small, large, caller], {"run": 3}), profile({1: 2, 2: 1, 3: 2}))
    new = dict(sections(module))
    # The small one is 0 now, the caller 1, the large one 2, the cold one 3; the table has the same functions at the
    # same places and one more.
    assert changed == 2
    new_caller = body(call(0) + through_table(1) + through_table(3) + b"\xd2\x00" + DROP)
    assert bodies(new[CODE]) == [small, new_caller, large, cold]
    assert new[ELEMENT] == b"\x01\x00\x41\x01\x0b\x03\x03\x00\x02"
    assert new[EXPORT] == vector([write_name("run") + b"\0\x01"])


BLOCK, IF, BR_IF, ONE = b"\x02\x40", b"\x04\x40", b"\x0d\0", b"\x41\x01"


def test_hints_say_which_way_branches_go() -> None:
    # Behind the call, which gets longer, two branches.
    brancher = body(call(0) + ONE + IF + NOP + END + BLOCK + ONE + BR_IF + END)
    module, _ = arrange(functions([LARGE, brancher], {}), profile({1: 1}, [[1, 0, 1], [1, 1, 0]]))
    (hints,) = [content for kind, content in sections(module)[:-1] if kind == 0]
    moved = bodies(dict(sections(module))[CODE])[0]
    places = branches(moved)
    assert [moved[at : at + 2] for at in places] == [IF, BR_IF]
    function = b"\0" + vector([bytes([places[0], 1, 1]), bytes([places[1], 1, 0])])
    assert hints == write_name("metadata.code.branch_hint") + vector([function])
    kinds = [kind for kind, _ in sections(module)]
    assert kinds.index(0) == kinds.index(CODE) - 1


def test_a_module_without_branches_has_no_hints() -> None:
    module, _ = arrange(functions([LARGE, LARGE], {}), profile({0: 1}))
    assert (0, NO_HINTS) in sections(module)


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


def test_every_function_and_branch_leaves_its_own_marks() -> None:
    # Two locals of type i64 and one of type i32.
    branching = b"\x02\x02\x7e\x01\x7f" + ONE + IF + NOP + END + END
    marks = Marks(functions([body(NOP), branching], {}))
    new = dict(sections(marks.module()))
    assert (marks.first, marks.count, new[MEMORY]) == (2 * 65_536, 4, b"\x01\0\x03")
    first = marks.first

    def mark(function: int) -> bytes:
        return b"\x41" + write_signed(first + function) + ONE + b"\x3a\0\0"

    condition = b"\x21\x03\x20\x03\x45" + ONE + b"\x3a\0" + write_number(first + 2) + b"\x20\x03"
    assert bodies(new[CODE]) == [
        b"\x01\x01\x7f" + mark(0) + NOP + END,
        b"\x03\x02\x7e\x01\x7f\x01\x7f" + mark(1) + ONE + condition + IF + NOP + END + END,
    ]
    assert marks.profile([[0, 1, 2], [1, 2]]) == profile({0: 1, 1: 2}, [[1, 0, 1]])
    assert marks.profile([[1, 3]]) == profile({1: 1}, [[1, 0, 0]])
    # Of one request or of several, both ways are no way; one way in five is.
    assert marks.profile([[1, 2, 3]]) == profile({1: 1})
    assert marks.profile([[1, 2]] * 4 + [[1, 3]]) == profile({1: 5})
    assert marks.profile([[1, 2]] * 5 + [[1, 3]]) == profile({1: 6}, [[1, 0, 1]])


def test_parameters_of_types_are_counted() -> None:
    assert parameters(vector([b"\x60\x02\x7f\x7e\x01\x7f", b"\x60\0\0"])) == [2, 0]
    with pytest.raises(ValueError, match="no function"):
        parameters(vector([b"\x5f\0"]))


def test_requests_run_some_functions_of_the_module() -> None:
    marks = Marks((ROOT / "dist" / "openapi-mcp-filter.wasm").read_bytes())
    found = marks.profile(serve(marks.module(), marks.first, marks.count, str(NODE)))
    runs = [count for _, count in found["functions"]]
    # The module is arranged: what requests run is what comes first in it, and most of them run what comes first there.
    assert [function for function, _ in found["functions"]] == list(range(len(runs)))
    assert runs == sorted(runs, reverse=True)
    assert 100 < len(runs) < len(marks.codes) // 5
    assert 500 < len(found["branches"]) < sum(len(places) for places in marks.branches) // 5
