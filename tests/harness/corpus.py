"""Real OpenAPI documents from a folder that is not part of the repository."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import yaml

METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace", "query")


class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
    """YAML without dates: OpenAPI knows JSON's types only."""


Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


@dataclass(frozen=True)
class Chosen:
    """One operation, and the name of the tool that it is offered as."""

    path: str
    method: str
    tool: str


def names(folder: Path) -> list[str]:
    """The single-file documents of OpenAPI 3."""
    found = [path.name for path in sorted(folder.iterdir()) if path.name.split(".", 1)[-1] != "tsv"]
    return [name for name in found if ".tar" not in name and "swagger-2" not in name]


def load(folder: Path, name: str) -> dict[str, Any]:
    data = (folder / name).read_bytes()
    if name.endswith(".gz"):
        data, name = gzip.decompress(data), name.removesuffix(".gz")
    return yaml.load(data, Loader) if name.endswith(("yaml", "yml")) else json.loads(data)


def operations(document: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, item in (document.get("paths") or {}).items():
        for method in METHODS:
            if isinstance(item.get(method), dict):
                yield path, method, item[method]


def offer(document: dict[str, Any], most: int) -> list[Chosen]:
    """Offer up to `most` operations, spread over the document; annotations it has are taken off."""
    document.pop("x-agent", None)
    every = list(operations(document))
    for _, _, operation in every:
        operation.pop("x-agent", None)
    wanted = min(most, len(every))
    chosen = []
    for number in range(wanted):
        path, method, operation = every[number * len(every) // wanted]
        operation["x-agent"] = {"name": f"op_{number}"}
        chosen.append(Chosen(path, method, f"op_{number}"))
    return chosen


def origins(document: dict[str, Any]) -> list[str]:
    """Every origin that a server of the document has, its own first."""
    found: list[str] = []
    owners = [document]
    for item in (document.get("paths") or {}).values():
        owners += [item, *(value for key, value in item.items() if key in METHODS)]
    for owner in owners:
        for server in owner.get("servers") or []:
            url = server["url"]
            for name, variable in (server.get("variables") or {}).items():
                url = url.replace("{" + name + "}", str(variable["default"]))
            parts = urlsplit(url)
            if parts.scheme in ("http", "https") and f"{parts.scheme}://{parts.netloc}" not in found:
                found.append(f"{parts.scheme}://{parts.netloc}")
    return found


def credentials(document: dict[str, Any]) -> dict[str, Any]:
    """A credential for each security scheme."""
    found: dict[str, Any] = {}
    for name, scheme in ((document.get("components") or {}).get("securitySchemes") or {}).items():
        if scheme.get("scheme", "").lower() == "basic":
            found[name] = {"username": "user", "password": "word"}
        elif scheme.get("type") != "mutualTLS":
            found[name] = {"value": "credential"}
    return found
