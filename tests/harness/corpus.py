"""Real OpenAPI documents from a folder that is not part of the repository."""

from __future__ import annotations

import gzip
import json
import posixpath
import re
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import yaml

from .mock import Answer, Received

# In the order in which the filter lists the operations of a path.
METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace", "query")


class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
    """YAML without dates: OpenAPI knows JSON's types only."""


Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


@dataclass(frozen=True)
class Operation:
    """One operation of a document, its reference followed."""

    path: str
    method: str
    value: dict[str, Any]

    def has_place(self) -> bool:
        """Whether it can be called at all: a server of its own may be there without the name of a host."""
        servers = [server for server in self.value.get("servers") or [] if "://" in server["url"]]
        return not servers or any(map(origin, servers))


@dataclass(frozen=True)
class Source:
    """The files of one document by path; the document itself is at `entry`."""

    name: str
    files: dict[str, bytes]
    entry: str

    @cached_property
    def document(self) -> dict[str, Any]:
        return self.parsed(self.entry)

    @property
    def version(self) -> str:
        return str(self.document.get("openapi") or self.document.get("swagger"))

    def parsed(self, path: str) -> Any:
        text = self.files[path]
        return json.loads(text) if path.endswith(".json") else yaml.load(text, Loader)

    def operations(self) -> Iterator[Operation]:
        for path, item in (self.document.get("paths") or {}).items():
            item = self._followed(item)
            for method in METHODS:
                if isinstance(item.get(method), dict):
                    yield Operation(path, method, self._followed(item[method]))
            for method, operation in (item.get("additionalOperations") or {}).items():
                yield Operation(path, method, operation)

    def _followed(self, value: Any) -> Any:
        """What a reference of the document to a whole file stands for."""
        reference = value.get("$ref", "") if isinstance(value, dict) else ""
        path = posixpath.normpath(posixpath.join(posixpath.dirname(self.entry), reference))
        return self.parsed(path) if reference and path in self.files else value

    def profiles(self) -> list[str]:
        return list(self.document.get("x-agent", {}).get("profiles", {}))

    def origins(self) -> list[str]:
        """Every origin that a server of the document has, its own first."""
        document = self.document
        if "host" in document:
            return [f"{scheme}://{document['host']}" for scheme in document.get("schemes", ["http"])]
        items = [item for item in (document.get("paths") or {}).values() if isinstance(item, dict)]
        owners = [document, *items, *(operation.value for operation in self.operations())]
        found = [origin(server) for owner in owners for server in owner.get("servers") or []]
        return list(dict.fromkeys(filter(None, found)))

    def credentials(self) -> dict[str, Any]:
        """A credential for each security scheme."""
        schemes = (self.document.get("components") or {}).get("securitySchemes") or {}
        found: dict[str, Any] = {}
        for name, scheme in {**schemes, **self.document.get("securityDefinitions", {})}.items():
            if "basic" in (scheme.get("scheme", "").lower(), scheme.get("type")):
                found[name] = {"username": "user", "password": "word"}
            elif scheme.get("type") != "mutualTLS":
                found[name] = {"value": "credential"}
        return found

    def answer(self, request: Received, below: str = "/") -> Answer:
        body = self.files.get(request.path.removeprefix(below))
        return Answer(404) if body is None else Answer(200, body)


def origin(server: dict[str, Any]) -> str | None:
    """Where a server is, if its URL is absolute and names a host."""
    url = server["url"]
    for name, variable in (server.get("variables") or {}).items():
        url = url.replace("{" + name + "}", str(variable["default"]))
    parts = urlsplit(url)
    is_place = parts.scheme in ("http", "https") and re.fullmatch(r"[\w.:-]+", parts.netloc)
    return f"{parts.scheme}://{parts.netloc}" if is_place else None


def sources(folder: Path) -> Iterator[Source]:
    for path in sorted(folder.iterdir()):
        name = path.name
        if name.endswith(".tar.gz"):
            yield archive(path)
        elif name.endswith((".json", ".yaml")):
            yield Source(name, {name: path.read_bytes()}, name)
        elif name.endswith(".gz"):
            plain = name.removesuffix(".gz")
            yield Source(name, {plain: gzip.decompress(path.read_bytes())}, plain)


def archive(path: Path) -> Source:
    """Every file of an archive; its entry is the one YAML file that names a version of OpenAPI."""
    with tarfile.open(path) as tar:
        members = [member for member in tar.getmembers() if member.isfile()]
        files = {member.name: tar.extractfile(member).read() for member in members}
    entry = next(name for name, body in files.items() if re.search(rb"^openapi:", body, re.MULTILINE))
    return Source(path.name, files, entry)


def spread(operations: list[Any], most: int) -> list[Any]:
    """At most so many of them, from the whole list."""
    wanted = min(most, len(operations))
    return [operations[number * len(operations) // wanted] for number in range(wanted)]
