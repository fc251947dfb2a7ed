"""Find the functions of the filter that requests run: a JSON list of their numbers.

    hot_functions.py IN.wasm OUT.json --node NODE

Each function of a copy of the module gets two instructions that set a byte of its own in an additional page of memory.
`requests.mjs` then lets the copy serve requests of the usual kinds and reads the bytes.
"""

from __future__ import annotations

import pathlib
import subprocess
import sys
import tempfile

from wasm_code import I32_CONST, bodies, start_of_code, write_bodies
from wasm_module import CODE, MEMORY, parser, read_number, replace, sections, write_number, write_signed

PAGE = 65_536
REQUESTS = pathlib.Path(__file__).parent / "requests.mjs"
# i32.const 1; i32.store8 align=0 offset=0
SET = bytes([I32_CONST, 1, 0x3A, 0, 0])


def mark(module: bytes) -> tuple[bytes, int, int]:
    """The module whose functions leave a mark, the address of the first mark, and the number of functions."""
    parts = sections(module)
    one = dict(parts)
    codes = bodies(one[CODE])
    memory = one[MEMORY]
    pages, at = read_number(memory, 2)
    if memory[0] != 1 or len(codes) > PAGE:
        raise ValueError("not one memory, or too many functions")
    first = pages * PAGE
    for number, body in enumerate(codes):
        start = start_of_code(body)
        codes[number] = body[:start] + bytes([I32_CONST]) + write_signed(first + number) + SET + body[start:]
    new = {MEMORY: memory[:2] + write_number(pages + 1) + memory[at:], CODE: write_bodies(codes)}
    return replace(parts, new), first, len(codes)


def main() -> int:
    command = parser(__doc__)
    command.add_argument("--node", required=True, help="the program `node`")
    options = command.parse_args()
    marked, first, count = mark(options.source.read_bytes())
    with tempfile.NamedTemporaryFile(suffix=".wasm") as file:
        file.write(marked)
        file.flush()
        serve = [options.node, REQUESTS, file.name, str(first), str(count)]
        found = subprocess.run(serve, check=True, capture_output=True, timeout=60).stdout
    options.target.write_bytes(found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
