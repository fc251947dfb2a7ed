"""Empty the methods of a module that only virtual tables refer to and that nothing calls.

    empty_methods.py IN.wasm OUT.wasm --methods REGEX

The linker keeps every method of a trait object, called or not. `jsonschema` has two ways to report errors, and the
filter uses one: the methods of the other, `evaluate`, are an eighth of the validator. Their bodies become a trap, and
`wasm-opt` then drops what only they used. The module must have the names of its functions. A method that is called
directly by a function that stays is an error, so this cannot remove what is in use without notice.
"""

from __future__ import annotations

import argparse
import pathlib
import re
import sys

from wasm_code import bodies, calls, function_names, imported_functions
from wasm_module import CODE, EXPORT, IMPORT, assemble, read_name, read_number, sections, vector, write_number

# No locals; unreachable; end.
TRAP = b"\0\0\x0b"


def exported(section: bytes) -> set[int]:
    """Indices of the exported functions."""
    count, at = read_number(section, 0)
    found = set()
    for _ in range(count):
        _name, at = read_name(section, at)
        kind = section[at]
        index, at = read_number(section, at + 1)
        if kind == 0:
            found.add(index)
    return found


def empty(module: bytes, methods: re.Pattern[str]) -> tuple[bytes, int]:
    """The module with a trap in place of these methods, and the bytes of what was there.

    `ValueError` when no function has such a name, or when one of them is called or exported.
    """
    parts = sections(module)
    one = dict(parts)
    imported, codes = imported_functions(one[IMPORT]), bodies(one[CODE])
    names = function_names(module)
    dead = {index for index, name in names.items() if methods.search(name)}
    if not dead:
        raise ValueError("no function has such a name")
    used = exported(one[EXPORT]) & dead
    for number, body in enumerate(codes):
        if number + imported not in dead:
            used.update(callee for _start, _end, callee in calls(body) if callee in dead)
    if used:
        raise ValueError("in use: " + ", ".join(sorted(names[index] for index in used)))
    saved = sum(len(codes[index - imported]) - len(TRAP) for index in dead)
    for index in dead:
        codes[index - imported] = TRAP
    code = vector([write_number(len(body)) + body for body in codes])
    return assemble([(kind, code if kind == CODE else content) for kind, content in parts]), saved


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("target", type=pathlib.Path)
    parser.add_argument("--methods", type=re.compile, required=True, help="what the symbol names match")
    options = parser.parse_args()
    try:
        module, saved = empty(options.source.read_bytes(), options.methods)
    except ValueError as error:
        print(f"empty_methods: {error}", file=sys.stderr)
        return 1
    options.target.write_bytes(module)
    print(f"{options.target}: {saved} bytes of methods emptied")
    return 0


if __name__ == "__main__":
    sys.exit(main())
