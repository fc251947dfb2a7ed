"""Judges recorded requests by their OpenAPI documents with `openapi-core`; it knows nothing of the filter.

Reads one JSON object per line: `document` (a path), `path` and `method` of the operation, `origin`,
`target`, `headers` (pairs) and `body` (base64). Writes one list of faults per line.
"""

from __future__ import annotations

import base64
import json
import sys
from functools import cache
from typing import Any
from urllib.parse import parse_qsl

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
        headers = Headers([(name, value) for name, value in record["headers"]])
        pairs = [pair.strip().partition("=")[::2] for value in headers.getlist("cookie") for pair in value.split(";")]
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
    config = Config(spec_validator_cls=None, extra_media_type_deserializers=dict.fromkeys(JSON, json.loads))
    api = OpenAPI.from_dict(narrowed(record), config=config)
    try:
        errors = list(api.iter_request_errors(Recorded(record)))
    except Exception as error:  # whatever it is, it is told
        return [f"{type(error).__name__}: {error}"]
    return [describe(error) for error in errors]


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
