"""Judges recorded requests by documents of OpenAPI 3 with `openapi-core`; it knows nothing of the filter."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote

from judge import Found, Record, document, judge
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
TEXT = ["text/csv", "text/uri-list"]
# Values are compared as they are written.
FORMATS = ["byte", "binary", "date", "date-time", "time", "uuid", "int32", "int64", "float", "double", "decimal"]


class Recorded:
    """A request in the form that the validator wants."""

    def __init__(self, record: Record):
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


def narrowed(record: Record) -> dict[str, Any]:
    """The document with this operation alone: which one is called is not in question."""
    whole = document(record["document"])
    item = whole["paths"][record["path"]]
    kept = {key: value for key, value in item.items() if key in (*SHARED, record["method"])}
    servers = whole.get("servers") or [{"url": "/"}]
    absolute = [record["origin"] + server["url"] if server["url"][:1] == "/" else server["url"] for server in servers]
    servers = [{**server, "url": url} for server, url in zip(servers, absolute, strict=True)]
    path = record["path"].partition("#")[0].partition("?")[0]
    return {**whole, "servers": servers, "paths": {path: kept}}


def read(record: Record) -> Found:
    config = Config(
        spec_validator_cls=None,
        extra_media_type_deserializers={
            **dict.fromkeys(JSON, json.loads),
            **dict.fromkeys(TEXT, bytes.decode),
        },
        extra_format_unmarshallers=dict.fromkeys(FORMATS, lambda value: value),
    )
    place = Path(record["document"]).absolute().as_uri()
    api = OpenAPI.from_dict(narrowed(record), config=config, base_uri=place)
    errors = list(api.iter_request_errors(Recorded(record)))
    if errors:
        raise ExceptionGroup("the request", errors)
    result = api.request_unmarshaller.unmarshal(Recorded(record))
    # Here it fills in defaults, some of which are not valid themselves.
    return [] if result.errors else values(result)


def values(result: Any) -> Found:
    """Everything that was read of a request, by place."""
    parameters = result.parameters
    found = [{**parameters.query}, {**parameters.path}, {**parameters.header}, {**parameters.cookie}]
    found.append(decoded(parameters.path))
    return [*found, result.body] if isinstance(result.body, dict) else found


def decoded(value: Any) -> Any:
    """Path values without percent-encoding: the validator leaves it."""
    if isinstance(value, dict):
        return {unquote(name): decoded(item) for name, item in value.items()}
    if isinstance(value, list):
        return [decoded(item) for item in value]
    return unquote(value) if isinstance(value, str) else value


judge(read)
