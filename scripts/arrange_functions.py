"""Arrange a module for Envoy: what every request runs side by side, the rest out of its way.

    arrange_functions.py IN.wasm OUT.wasm --profile PROFILE.json

Envoy compiles the module at its start with V8's optimising compiler alone, and keeps the machine code in the order of
the functions. Three things follow.

A request runs some three hundred of the functions, each once or twice, on caches that Envoy emptied since the last
request. Next to each other they are on half as many pages of memory: those come first that most requests run.

Half of such a function is for cases that no usual request has. Branch hints tell the compiler which way to expect, and
it moves the other one to the end of the function.

Without a profile that compiler inlines whatever is called, up to 60 calls a function and through several levels, which
more than doubles the machine code and the time to the first request; it has no switch for it, and it does not inline
indirect calls. So calls go through the function table, except those of tiny functions, to inline which costs next to
nothing, and among the functions of requests those of small ones.
"""

from __future__ import annotations

import json
import pathlib
import sys

from wasm_code import (
    CALL,
    CALL_INDIRECT,
    I32_CONST,
    REF_FUNC,
    behind,
    bodies,
    branches,
    calls,
    imported_functions,
    numbers,
    start_of_code,
    write_bodies,
)
from wasm_module import (
    CODE,
    CUSTOM,
    ELEMENT,
    EXPORT,
    FUNCTION,
    IMPORT,
    START,
    TABLE,
    assemble,
    exports,
    parser,
    read_number,
    sections,
    vector,
    write_exports,
    write_name,
    write_number,
    write_signed,
)

# A function of fewer bytes is called directly,
TINY = 70
# and one of fewer than these where both are for requests.
SMALL = 150


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

    def sections(self, renumbered: dict[int, int]) -> dict[int, bytes]:
        size = write_number(self.first + len(self.functions))
        items = vector([write_number(renumbered[function]) for function in self.functions])
        return {
            TABLE: b"\x01\x70\x01" + size + size,
            ELEMENT: b"\x01\x00\x41" + write_signed(self.first) + b"\x0b" + items,
        }


class Module:
    """The sections of a module that know functions by their index."""

    def __init__(self, module: bytes) -> None:
        self.parts = sections(module)
        self.one = dict(self.parts)
        if START in self.one:
            raise ValueError("a module with a start function")
        self.imported = imported_functions(self.one[IMPORT])
        self.types, self.codes = numbers(self.one[FUNCTION]), bodies(self.one[CODE])
        self.table = Table(self.one[TABLE], self.one[ELEMENT])

    def call_indirectly(self, hot: set[int]) -> int:
        """Send calls through the table, see above; how many."""
        sizes = [len(body) for body in self.codes]
        changed = 0
        for caller, body in enumerate(self.codes):
            out, at = bytearray(), 0
            for start, end, index in calls(body):
                callee = index - self.imported
                limit = SMALL if caller in hot and callee in hot else TINY
                if callee < 0 or sizes[callee] < limit:
                    continue
                out += body[at:start] + bytes([I32_CONST]) + write_signed(self.table.place(index))
                out += bytes([CALL_INDIRECT]) + write_number(self.types[callee]) + b"\0"
                at, changed = end, changed + 1
            self.codes[caller] = bytes(out + body[at:])
        return changed

    def assemble(self, order: list[int], hints: dict[int, dict[int, int]]) -> bytes:
        """The module with its functions in this order, and which way their branches are expected to go."""
        renumbered = {index: index for index in range(self.imported)}
        renumbered |= {old + self.imported: new + self.imported for new, old in enumerate(order)}
        codes = [renumber(self.codes[number], renumbered) for number in order]
        new = self.table.sections(renumbered)
        new[CODE] = write_bodies(codes)
        new[FUNCTION] = vector([write_number(self.types[number]) for number in order])
        entries = exports(self.one[EXPORT])
        new[EXPORT] = write_exports([(name, kind, at if kind else renumbered[at]) for name, kind, at in entries])
        hinted = [
            write_number(renumbered[number + self.imported]) + write_hints(code, hints[number])
            for number, code in zip(order, codes, strict=True)
            if number in hints
        ]
        parts = [(kind, new.get(kind, content)) for kind, content in self.parts]
        place = [kind for kind, _ in parts].index(CODE)
        parts.insert(place, (CUSTOM, write_name("metadata.code.branch_hint") + vector(hinted)))
        return assemble(parts)


def write_hints(body: bytes, ways: dict[int, int]) -> bytes:
    """The hints of a function (WebAssembly branch hinting): offset of a branch, 1 where its condition will hold."""
    places = branches(body)
    return vector([write_number(places[number]) + bytes([1, way]) for number, way in sorted(ways.items())])


def renumber(body: bytes, renumbered: dict[int, int]) -> bytes:
    """The body with other function indices."""
    out, copied, at = bytearray(), 0, start_of_code(body)
    while at < len(body):
        end = behind(body, at)
        if body[at] in (CALL, REF_FUNC):
            index, _ = read_number(body, at + 1)
            out += body[copied : at + 1] + write_number(renumbered[index])
            copied = end
        at = end
    return bytes(out + body[copied:])


def arrange(source: bytes, profile: dict[str, list[list[int]]]) -> tuple[bytes, int]:
    """The module arranged by a profile (see profile_requests.py), and how many calls are indirect now."""
    module = Module(source)
    runs = {function: count for function, count in profile["functions"]}
    hints: dict[int, dict[int, int]] = {}
    for function, number, way in profile["branches"]:
        hints.setdefault(function, {})[number] = way
    changed = module.call_indirectly(set(runs))
    order = sorted(range(len(module.codes)), key=lambda number: (-runs.get(number, 0), number))
    return module.assemble(order, hints), changed


def main() -> int:
    command = parser(__doc__)
    command.add_argument("--profile", type=pathlib.Path, required=True, help="what requests run")
    options = command.parse_args()
    profile = json.loads(options.profile.read_text())
    module, changed = arrange(options.source.read_bytes(), profile)
    options.target.write_bytes(module)
    first, hints = (len(profile[part]) for part in ("functions", "branches"))
    print(f"{options.target}: {len(module)} bytes, {first} functions first, {hints} hints, {changed} indirect calls")
    return 0


if __name__ == "__main__":
    sys.exit(main())
