"""Judges recorded requests by documents of Swagger 2.0 with `bravado-core`; it knows nothing of the filter."""

from __future__ import annotations

import base64
import io
import json
import re
from typing import Any
from urllib.parse import parse_qs, unquote

from bravado_core.request import IncomingRequest, unmarshal_request
from bravado_core.spec import Spec
from judge import Found, Record, document, judge
from werkzeug.datastructures import Headers
from werkzeug.formparser import parse_form_data

BASE = "file:///openapi.json"


class Recorded(IncomingRequest):
    """A request in the form that the validator wants; a value that is there once is no list."""

    def __init__(self, record: Record, template: str):
        target, _, query = record["target"].partition("?")
        pattern = re.sub(r"\\{(.+?)\\}", "([^/]*)", re.escape(template))
        names, found = re.findall(r"\{(.+?)\}", template), re.fullmatch(pattern, target)
        if found is None:
            raise ValueError(f"{target} is not {template}")
        self.path = dict(zip(names, map(unquote, found.groups()), strict=True))
        self.query = single(parse_qs(query, keep_blank_values=True))
        self.headers = Headers(record["headers"])
        self.raw_bytes = base64.b64decode(record["body"])
        environment = {
            "REQUEST_METHOD": "POST",
            "CONTENT_TYPE": self.headers.get("content-type", ""),
            "CONTENT_LENGTH": str(len(self.raw_bytes)),
            "wsgi.input": io.BytesIO(self.raw_bytes),
        }
        _, form, files = parse_form_data(environment)
        self.form = single(form.to_dict(flat=False))
        self.files = {name: file.read() for name, file in files.items()}

    def json(self, **options: Any) -> Any:
        return json.loads(self.raw_bytes, **options)


def single(values: dict[str, list[str]]) -> dict[str, Any]:
    return {name: found[0] if len(found) == 1 else found for name, found in values.items()}


def read(record: Record) -> Found:
    api = document(record["document"])
    spec = Spec.from_dict(api, BASE, config={"use_models": False})
    operations = [one for resource in spec.resources.values() for one in resource.operations.values()]
    [operation] = [one for one in operations if (one.path_name, one.http_method) == (record["path"], record["method"])]
    values = unmarshal_request(Recorded(record, api.get("basePath", "").rstrip("/") + record["path"]), operation)
    body = [value for value in values.values() if isinstance(value, dict)]
    return [{name: value for name, value in values.items() if value is not None}, *body]


judge(read)
