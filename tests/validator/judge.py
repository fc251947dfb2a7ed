"""What both judges of recorded requests do: read them, compare what they find, tell what is wrong.

Standard input has one JSON object per line: `document` (the path of a JSON file, with the files that it refers to
around it), `path` and `method` of the operation, `origin`, `target`, `headers` (pairs), `body` (base64) and the
`arguments` of the call. Standard output gets one list of faults per line.
"""

from __future__ import annotations

import base64
import json
import sys
from collections.abc import Callable
from datetime import date
from functools import cache
from typing import Any

Record = dict[str, Any]
# Names and values that a judge found in a request, by place.
Found = list[dict[str, Any]]


def judge(read: Callable[[Record], Found]) -> None:
    """Answers every record; `read` raises for a request that its document does not allow."""
    for line in sys.stdin:
        print(json.dumps(faults(json.loads(line), read)), flush=True)


def faults(record: Record, read: Callable[[Record], Found]) -> list[str]:
    try:
        found = read(record)
    except ExceptionGroup as group:
        return [describe(error) for error in group.exceptions]
    except Exception as error:  # whatever it is, it is told
        return [describe(error)]
    return changed(found, record["arguments"])


@cache
def document(path: str) -> dict[str, Any]:
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def changed(found: Found, arguments: dict[str, Any]) -> list[str]:
    """Arguments that the validator reads as other values than the agent gave."""
    read = {name: [place[name] for place in found if name in place] for name in arguments}
    return [
        f"`{name}` is read as {values} instead of {json.dumps(arguments[name])}"
        for name, values in read.items()
        if values and not any(holds(plain(value), arguments[name]) for value in values)
    ]


def holds(read: Any, given: Any) -> bool:
    """Whether a value is the given one, but for defaults that the validator or the filter filled in."""
    if isinstance(read, dict) and isinstance(given, dict):
        return all(name in read and holds(read[name], value) for name, value in given.items())
    if isinstance(read, list) and isinstance(given, list):
        return len(read) == len(given) and all(map(holds, read, given))
    return read == given


def plain(value: Any) -> Any:
    """A value as JSON has it."""
    if isinstance(value, dict):
        return {name: plain(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, date):
        return value.isoformat()
    return base64.b64encode(value).decode() if isinstance(value, bytes) else value


def describe(error: BaseException) -> str:
    causes = [error]
    while causes[-1].__cause__ is not None:
        causes.append(causes[-1].__cause__)
    text = "; ".join(f"{type(cause).__name__}: {str(cause)[:200]}" for cause in causes)
    details = [detail for cause in causes for error in getattr(cause, "schema_errors", []) for detail in leaves(error)]
    return " | ".join([text, *details])[:2000]


def leaves(error: Any) -> list[str]:
    """What a schema says, down to the alternatives that do not fit."""
    below = [leaf for inner in error.context or [] for leaf in leaves(inner)]
    place = "/".join(map(str, error.absolute_path))
    return below or [f"/{place}: {error.message[:200]}"]
