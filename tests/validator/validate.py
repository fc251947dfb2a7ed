"""Judges recorded requests by their OpenAPI documents with `openapi-core`; it knows nothing of the filter.

Reads one JSON object per line: `document` (a path), `path` and `method` of the operation, `origin`,
`target`, `headers` (pairs), `body` (base64) and the `arguments` of the call. Writes one list of faults per line.
"""

from __future__ import annotations

import base64
import json
import re
import sys
from functools import cache
from typing import Any
from urllib.parse import parse_qsl, unquote

from openapi_core import Config, OpenAPI
from openapi_core.datatypes import RequestParameters
from werkzeug.datastructures import Headers, ImmutableMultiDict

SHARED = ("parameters", "servers")
# Media types of JSON that the validator does not know by itself.
JSON = [
    "*/*",
    "application/json-patch+json",
    "application/merge-patch+json",
    "application/strategic-merge-patch+json",
]


class Recorded:
    """A request in the form that the validator wants."""

    def __init__(self, record: dict[str, Any]):
        path, _, query = record["target"].partition("?")
        headers = Headers([(name, value.encode("latin-1").decode()) for name, value in record["headers"]])
        pairs = [pair.strip().partition("=")[::2] for value in headers.getlist("cookie") for pair in value.split(";")]
        pairs = [(name, unquote(value)) for name, value in pairs]
        self.host_url = record["origin"]
        self.path = path
        self.method = record["method"]
        self.body = base64.b64decode(record["body"]) or None
        self.content_type = headers.get("content-type", "")
        self.parameters = RequestParameters(
            query=ImmutableMultiDict(parse_qsl(query, keep_blank_values=True)),
            header=headers,
            cookie=ImmutableMultiDict(pairs),
        )


@cache
def document(path: str) -> dict[str, Any]:
    with open(path, encoding="utf-8") as file:
        return json.load(file)


@cache
def formats(path: str) -> frozenset[str]:
    """Every format of the document: values are compared as they are written."""
    with open(path, encoding="utf-8") as file:
        return frozenset(re.findall(r'"format": "([^"]+)"', file.read()))


def narrowed(record: dict[str, Any]) -> dict[str, Any]:
    """The document with this operation alone: which one is called is not in question."""
    whole = document(record["document"])
    item = whole["paths"][record["path"]]
    kept = {key: value for key, value in item.items() if key in (*SHARED, record["method"])}
    servers = whole.get("servers") or [{"url": "/"}]
    absolute = [record["origin"] + server["url"] if server["url"][:1] == "/" else server["url"] for server in servers]
    servers = [{**server, "url": url} for server, url in zip(servers, absolute, strict=True)]
    path = record["path"].partition("#")[0].partition("?")[0]
    return {**whole, "servers": servers, "paths": {path: kept}}


def faults(record: dict[str, Any]) -> list[str]:
    config = Config(
        spec_validator_cls=None,
        extra_media_type_deserializers=dict.fromkeys(JSON, json.loads),
        extra_format_unmarshallers=dict.fromkeys(formats(record["document"]), lambda value: value),
    )
    api = OpenAPI.from_dict(narrowed(record), config=config)
    try:
        errors = list(api.iter_request_errors(Recorded(record)))
    except Exception as error:  # whatever it is, it is told
        return [f"{type(error).__name__}: {error}"]
    if errors:
        return [describe(error) for error in errors]
    result = api.request_unmarshaller.unmarshal(Recorded(record))
    # Here it fills in defaults, some of which are not valid themselves.
    return [] if result.errors else changed(result, record["arguments"])


def changed(result: Any, arguments: dict[str, Any]) -> list[str]:
    """Arguments that the validator reads as other values than the agent gave."""
    parameters = result.parameters
    found = [{**parameters.query}, {**parameters.path}, {**parameters.header}, {**parameters.cookie}]
    found.append(decoded(parameters.path))
    if isinstance(result.body, dict):
        found.append(result.body)
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


def decoded(value: Any) -> Any:
    """Path values without percent-encoding: the validator leaves it."""
    if isinstance(value, dict):
        return {unquote(name): decoded(item) for name, item in value.items()}
    if isinstance(value, list):
        return [decoded(item) for item in value]
    return unquote(value) if isinstance(value, str) else value


def plain(value: Any) -> Any:
    """A value as JSON has it."""
    if isinstance(value, dict):
        return {name: plain(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
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


for line in sys.stdin:
    print(json.dumps(faults(json.loads(line))), flush=True)
