"""Empty the methods of a module that only virtual tables refer to and that nothing calls.

    empty_methods.py IN.wasm OUT.wasm --methods REGEX

The linker keeps every method of a trait object, called or not. `jsonschema` has two ways to report errors, and the
filter uses one: the methods of the other, `evaluate`, are an eighth of the validator. Their bodies become a trap, and
`wasm-opt` then drops what only they used. The module must have the names of its functions. A method that is called
directly by a function that stays is an error, so this cannot remove what is in use without notice.
"""

from __future__ import annotations

import re
import sys

from wasm_code import bodies, calls, function_names, imported_functions, write_bodies
from wasm_module import CODE, EXPORT, IMPORT, exports, parser, replace, sections

# No locals; unreachable; end.
TRAP = b"\0\0\x0b"


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
    used = {index for _name, kind, index in exports(one[EXPORT]) if kind == 0 and index in dead}
    for number, body in enumerate(codes):
        if number + imported not in dead:
            used.update(callee for _start, _end, callee in calls(body) if callee in dead)
    if used:
        raise ValueError("in use: " + ", ".join(sorted(names[index] for index in used)))
    saved = sum(len(codes[index - imported]) - len(TRAP) for index in dead)
    for index in dead:
        codes[index - imported] = TRAP
    return replace(parts, {CODE: write_bodies(codes)}), saved


def main() -> int:
    command = parser(__doc__)
    command.add_argument("--methods", type=re.compile, required=True, help="what the symbol names match")
    options = command.parse_args()
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
