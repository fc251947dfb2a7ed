"""Pack the Unicode tables of `regex-syntax` into src/unicode: from 310 KB to 27.

    tables.py FOLDER_OF_REGEX_SYNTAX

Most properties are nearly another one, so a set is written as its difference from the earlier set that makes it
shortest.
"""

from __future__ import annotations

import pathlib
import re
import sys

Ranges = list[tuple[int, int]]
HERE = pathlib.Path(__file__).parent / "src" / "unicode"
ESCAPES = {"n": 10, "r": 13, "t": 9, "\\": 92, "'": 39, "0": 0}


def code_points(text: str) -> list[int]:
    out = []
    for char in re.findall(r"'(\\u\{[0-9a-f]+\}|\\.|[^\\])'", text):
        if char.startswith("\\u"):
            out.append(int(char[3:-1], 16))
        elif char[0] == "\\":
            out.append(ESCAPES[char[1]])
        else:
            out.append(ord(char))
    return out


def varint(number: int) -> bytes:
    out = b""
    while number >= 0x80:
        out += bytes([number & 0x7F | 0x80])
        number >>= 7
    return out + bytes([number])


def zigzag(number: int) -> int:
    return number << 1 if number >= 0 else (-number << 1) - 1


def sets(source: str) -> dict[str, Ranges]:
    by_name = re.search(r"BY_NAME[^=]*= &\[(.*?)\];", source, re.S)[1]
    ranges = {}
    for name, text in re.findall(r"pub const (\w+): &'static \[\(char, char\)\] =\s*&\[(.*?)\];", source, re.S):
        points = code_points(text)
        ranges[name] = list(zip(points[::2], points[1::2], strict=True))
    return {name: ranges[constant] for name, constant in re.findall(r'\(\s*"([^"]+)",\s*(\w+),?\s*\)', by_name)}


def aliases(source: str, within: str | None, canonical: list[str]) -> list[str]:
    """One line of normalized names for each of the canonical names."""
    if within:
        source = source.split(f'"{within}",')[1].split("],")[0]
    names: dict[str, list[str]] = {name: [] for name in canonical}
    for alias, name in re.findall(r'\(\s*"([^"]+)",\s*"([^"]+)",?\s*\)', source):
        if name in names:
            names[name].append(alias)
    return [" ".join(names[name]) for name in canonical]


def difference(one: Ranges, other: Ranges) -> Ranges:
    edges = sorted(set(edge(one)) ^ set(edge(other)))
    return [(start, end - 1) for start, end in zip(edges[::2], edges[1::2], strict=True)]


def edge(ranges: Ranges) -> list[int]:
    return [point for start, end in ranges for point in (start, end + 1)]


def pack(ranges: Ranges) -> bytes:
    out, behind = b"", 0
    for start, end in ranges:
        out += varint(start - behind) + varint(end - start)
        behind = end + 1
    return out


def packed_sets(all_sets: list[Ranges]) -> bytes:
    out = b""
    for at, ranges in enumerate(all_sets):
        candidates = [(pack(ranges), 0)]
        candidates += [(pack(difference(ranges, other)), before + 1) for before, other in enumerate(all_sets[:at])]
        data, base = min(candidates, key=lambda candidate: (len(candidate[0]), candidate[1]))
        out += varint(base) + varint(len(data)) + data
    return out


def packed_folds(source: str) -> bytes:
    """Runs of characters with one distance to the next of those that differ in case alone."""
    following = {}
    for char, others in re.findall(r"\(('(?:\\u\{[0-9a-f]+\}|.)'), &\[(.*?)\]\)", source):
        point = code_points(char)[0]
        orbit = sorted([point, *code_points(others)])
        following[point] = orbit[(orbit.index(point) + 1) % len(orbit)]
    runs: list[list[int]] = []
    for point in sorted(following):
        delta = following[point] - point
        if runs and runs[-1][3] == delta:
            start, count, stride, _ = runs[-1]
            gap = point - (start + (count - 1) * stride)
            if gap == stride or (count == 1 and gap <= 2):
                runs[-1][1:3] = [count + 1, gap]
                continue
        runs.append([point, 1, 1, delta])
    out, behind = b"", 0
    for start, count, stride, delta in runs:
        out += varint(start - behind) + varint(count << 1 | stride - 1) + varint(zigzag(delta))
        behind = start
    return out


def main() -> None:
    tables = pathlib.Path(sys.argv[1]) / "src" / "unicode_tables"
    read = {path.stem: path.read_text() for path in tables.glob("*.rs")}
    kinds = [sets(read[name]) for name in ("general_category", "script", "property_bool", "script_extension")]
    general, script, binary, extensions = kinds
    if list(script) != list(extensions):
        raise ValueError("scripts and their extensions differ")
    kinds[2] = binary = {
        name: ranges for name, ranges in binary.items() if aliases(read["property_names"], None, [name]) != [""]
    }
    names = [
        aliases(read["property_values"], "General_Category", list(general)),
        aliases(read["property_values"], "Script", list(script)),
        aliases(read["property_names"], None, list(binary)),
    ]
    HERE.mkdir(exist_ok=True)
    (HERE / "names.txt").write_text("\n\n".join("\n".join(lines) for lines in names) + "\n")
    (HERE / "sets.bin").write_bytes(packed_sets([ranges for kind in kinds for ranges in kind.values()]))
    (HERE / "folds.bin").write_bytes(packed_folds(read["case_folding_simple"]))


main()
