"""Profile a module while it serves requests: which functions run, and which way branches go.

    profile_requests.py IN.wasm OUT.json --node NODE

In a copy of the module each function sets a byte of its own in additional memory, and each conditional branch one of
two. `requests.mjs` lets the copy serve requests of the usual kinds and reads the bytes after each. OUT.json:

- `functions`: pairs of a function that ran, as the code section numbers them, and the number of requests that ran it;
- `branches`: function, number of the branch in it, and 1 where its condition nearly always held, 0 where it hardly ever
  did.
"""

from __future__ import annotations

import collections
import json
import pathlib
import subprocess
import sys
import tempfile

from wasm_code import I32_CONST, bodies, branches, numbers, parameters, read_locals, write_bodies
from wasm_module import (
    CODE,
    FUNCTION,
    MEMORY,
    TYPE,
    parser,
    read_number,
    replace,
    sections,
    vector,
    write_number,
    write_signed,
)

PAGE = 65_536
# A branch goes one way if more than that many times as many requests take it as the other one.
DECIDED = 4
REQUESTS = pathlib.Path(__file__).parent / "requests.mjs"
I32 = 0x7F
LOCAL_GET, LOCAL_SET, I32_EQZ, I32_STORE8 = b"\x20", b"\x21", b"\x45", b"\x3a\0"
ONE = bytes([I32_CONST, 1])


class Marks:
    """The bytes that a module sets: one for each function, then two for each branch."""

    def __init__(self, module: bytes) -> None:
        self.parts = sections(module)
        one = dict(self.parts)
        self.codes, self.memory = bodies(one[CODE]), one[MEMORY]
        kinds = parameters(one[TYPE])
        self.parameters = [kinds[kind] for kind in numbers(one[FUNCTION])]
        self.branches = [branches(body) for body in self.codes]
        self.pages, self.behind_pages = read_number(self.memory, 2)
        if self.memory[0] != 1:
            raise ValueError("not one memory")

    @property
    def first(self) -> int:
        """Address of the first mark."""
        return self.pages * PAGE

    @property
    def count(self) -> int:
        return len(self.codes) + 2 * sum(len(places) for places in self.branches)

    def module(self) -> bytes:
        """The module that sets them."""
        mark = self.first + len(self.codes)
        marked = []
        for function, places in enumerate(self.branches):
            marked.append(self.marked(function, mark))
            mark += 2 * len(places)
        pages = write_number(self.pages + -(-self.count // PAGE))
        memory = self.memory[:2] + pages + self.memory[self.behind_pages :]
        return replace(self.parts, {MEMORY: memory, CODE: write_bodies(marked)})

    def marked(self, function: int, mark: int) -> bytes:
        """The body that sets its marks, which for its branches start at the address `mark`."""
        body = self.codes[function]
        groups, start = read_locals(body)
        condition = write_number(self.parameters[function] + sum(size for size, _ in groups))
        out = bytearray(vector([write_number(size) + bytes([kind]) for size, kind in [*groups, (1, I32)]]))
        out += bytes([I32_CONST]) + write_signed(self.first + function) + ONE + I32_STORE8 + write_number(0)
        copied = start
        for at in self.branches[function]:
            # The address is 0 or 1, and the mark its offset.
            out += body[copied:at] + LOCAL_SET + condition + LOCAL_GET + condition + I32_EQZ + ONE
            out += I32_STORE8 + write_number(mark) + LOCAL_GET + condition
            copied, mark = at, mark + 2
        return bytes(out + body[copied:])

    def profile(self, runs: list[list[int]]) -> dict[str, list[list[int]]]:
        """What the marks of each request say."""
        counts = collections.Counter(mark for run in runs for mark in run)
        hot = [[function, counts[function]] for function in range(len(self.codes)) if counts[function]]
        decided, mark = [], len(self.codes)
        for function, places in enumerate(self.branches):
            for number in range(len(places)):
                held, failed = counts[mark], counts[mark + 1]
                if max(held, failed) > DECIDED * min(held, failed):
                    decided.append([function, number, int(held > failed)])
                mark += 2
        return {"functions": hot, "branches": decided}


def serve(module: bytes, first: int, count: int, node: str) -> list[list[int]]:
    """The marks that each of the requests set."""
    with tempfile.NamedTemporaryFile(suffix=".wasm") as file:
        file.write(module)
        file.flush()
        command = [node, REQUESTS, file.name, str(first), str(count)]
        return json.loads(subprocess.run(command, check=True, capture_output=True, timeout=60).stdout)


def main() -> int:
    command = parser(__doc__)
    command.add_argument("--node", required=True, help="the program `node`")
    options = command.parse_args()
    marks = Marks(options.source.read_bytes())
    found = marks.profile(serve(marks.module(), marks.first, marks.count, options.node))
    options.target.write_text(json.dumps(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
