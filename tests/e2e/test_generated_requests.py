"""Real documents, generated arguments, and an independent OpenAPI validator that judges what the API receives."""

from __future__ import annotations

import base64
import json
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from zlib import crc32

import pytest

from harness import corpus, envoy
from harness.corpus import Chosen
from harness.envoy import Envoy
from harness.gateways import Gateways
from harness.generate import Generator
from harness.mcp import Mcp
from harness.mock import Answer, MockUpstream, Received
from harness.net import ROOT, eventually

VALIDATOR = ROOT / ".tools" / "validator" / "bin" / "python"
EXPLAINED = ROOT / "tests" / "validator" / "explained.json"
OPERATIONS = 50
RANDOM_SETS = 2000


@dataclass
class Service:
    """One document behind the gateway."""

    name: str
    chosen: list[Chosen]
    origins: dict[str, str]
    tools: dict[str, dict[str, Any]]

    @property
    def route(self) -> str:
        return "/mcp/" + self.name


@dataclass
class Corpus:
    gateway: Envoy
    upstream: MockUpstream
    services: list[Service]
    folder: Path


@pytest.fixture(scope="module")
def served(
    real_documents: Path, module_gateway: Gateways, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Corpus]:
    folder = tmp_path_factory.mktemp("documents")
    upstream = MockUpstream()
    services, upstreams, routes = [], [], []
    for name in corpus.names(real_documents):
        document = corpus.load(real_documents, name)
        chosen = corpus.offer(document, OPERATIONS)
        if not chosen:
            continue
        origins = corpus.origins(document)
        text = json.dumps(document)
        (folder / name).write_text(text)
        upstream.serve_document(text.encode(), f"/openapi/{name}")
        services.append(Service(name, chosen, {urlsplit(it).netloc: it for it in origins}, {}))
        upstreams.append(configuration(name, document, origins))
        routes.append({"path": "/mcp/" + name, "upstream": name, "lint": "off"})
    config = {"upstreams": upstreams, "routes": routes, "limits": {"requestBody": "4MiB"}}
    clusters = [envoy.mcp_route(service.route) for service in services]
    gateway = module_gateway(config, {"api": upstream.port}, routes=clusters, wait=False)
    for service in services:
        client = Mcp(gateway.port, service.route)
        eventually(
            lambda c=client: c.request("ping").status == 200, 60, 0.1, f"{service.name}:\n{gateway.log()[-2000:]}"
        )
        service.tools = {tool["name"]: tool for tool in client.list_tools()}
        client.close()
    yield Corpus(gateway, upstream, services, folder)
    upstream.close()


def configuration(name: str, document: dict[str, Any], origins: list[str]) -> dict[str, Any]:
    """An upstream on the mock, with all servers and security schemes of the document."""
    others = [{"url": origin, "cluster": "api"} for origin in origins[1:]]
    own = {"authority": urlsplit(origins[0]).netloc} if origins else {"authority": "own.example"}
    return {
        "name": name,
        "cluster": "api",
        "document": {"path": f"/openapi/{name}", "refresh": 0, "timeout": "60s"},
        "servers": others,
        "credentials": corpus.credentials(document),
        **own,
    }


def explained() -> dict[str, str]:
    """Faults that are not ours: `document method path` → the reason."""
    return json.loads(EXPLAINED.read_text(encoding="utf-8"))


def validate(records: list[dict[str, Any]]) -> list[list[str]]:
    lines = "".join(json.dumps(record) + "\n" for record in records)
    script = ROOT / "tests" / "validator" / "validate.py"
    done = subprocess.run(
        [str(VALIDATOR), str(script)], input=lines, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return [json.loads(line) for line in done.stdout.splitlines()]


def record(
    served: Corpus, service: Service, operation: Chosen, arguments: dict[str, Any], request: Received
) -> dict[str, Any]:
    host = request.header("host") or ""
    return {
        "document": str(served.folder / service.name),
        "path": operation.path,
        "method": operation.method,
        "origin": service.origins.get(host, f"http://{host}"),
        "target": request.path + (f"?{request.query}" if request.query else ""),
        "headers": request.headers,
        "body": base64.b64encode(request.body).decode(),
        "arguments": arguments,
    }


def call(served: Corpus, client: Mcp, tool: str, arguments: dict[str, Any]) -> tuple[Any, list[Received]]:
    served.upstream.reset()
    served.upstream.on("/", Answer.json({}))
    return client.call(tool, arguments), served.upstream.requests()


def chosen(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The schema; where a call chooses a media type, its variants for each, as the description tells them."""
    names = schema.get("properties", {})
    choice = next((name for name in names if names[name].get("description", "").startswith("Media type of ")), None)
    if choice is None:
        yield schema
        return
    # `a` (required), `b` with `first/type`; `c` with `second/type`.
    takes = {
        re.findall("`([^`]+)`", part)[-1]: re.findall("`([^`]+)`( \\(required\\))?", part)[:-1]
        for part in names[choice]["description"].partition(": ")[2].split("; ")
        if part
    }
    partial = {name for some in takes.values() for name, _ in some}
    for media_type in names[choice]["enum"]:
        some = dict(takes.get(media_type, []))
        kept = {name: value for name, value in names.items() if name not in partial or name in some}
        required = schema.get("required", []) + [name for name in some if some[name]]
        yield {**schema, "properties": {**kept, choice: {"const": media_type}}, "required": [*required, choice]}


def test_an_independent_validator_accepts_the_requests(served: Corpus) -> None:
    records, labels, failures = [], [], {}
    for service in served.services:
        client = Mcp(served.gateway.port, service.route)
        for operation in service.chosen:
            label = f"{service.name} {operation.method} {operation.path}"
            tool = service.tools.get(operation.tool)
            if tool is None:
                failures[label] = "no tool"
                continue
            for schema in chosen(tool["inputSchema"]):
                arguments = Generator(schema, crc32(label.encode())).valid(every=True)
                if arguments is None:
                    failures[label] = "no arguments"
                    continue
                result, requests = call(served, client, operation.tool, arguments)
                if len(requests) != 1:
                    failures[label] = f"{len(requests)} requests: {json.dumps(result)[:400]}"
                    continue
                records.append(record(served, service, operation, arguments, requests[0]))
                labels.append(label)
        client.close()
    for label, one, faults in zip(labels, records, validate(records), strict=True):
        if faults:
            failures[label] = f"{' | '.join(faults)} <- {one['target'][:200]}"
    print(f"{len(records)} requests of {len(served.services)} documents, {len(failures)} with faults")
    known = explained()
    unexpected = {label: fault for label, fault in failures.items() if label not in known}
    print(f"explained, but without fault: {[label for label in known if label not in failures]}")
    assert not unexpected, json.dumps(unexpected, indent=1)


def test_random_arguments_reach_the_api_only_when_they_are_valid(served: Corpus) -> None:
    tools = [(service, tool) for service in served.services for tool in service.tools.values()]
    clients = {service.name: Mcp(served.gateway.port, service.route) for service in served.services}
    before = served.gateway.modules_created()
    counts = {"valid": 0, "invalid": 0, "refused": 0}
    wrong = []
    for number in range(RANDOM_SETS):
        service, tool = tools[number * 7919 % len(tools)]
        generator = Generator(tool["inputSchema"], number)
        arguments = generator.valid() if number % 2 else generator.invalid()
        if arguments is None:
            continue
        is_valid = generator.is_valid(arguments)
        result, requests = call(served, clients[service.name], tool["name"], arguments)
        counts["valid" if is_valid else "invalid"] += 1
        counts["refused"] += not requests
        said = json.dumps(result)[:300]
        if requests and not is_valid:
            wrong.append(f"{service.name} {tool['name']} {json.dumps(arguments)[:300]}: was sent")
        if not requests and (not result.get("isError") or "nothing was sent" not in said):
            wrong.append(f"{service.name} {tool['name']} {json.dumps(arguments)[:300]}: {said}")
    print(counts)
    assert not wrong, "\n".join(wrong[:20])
    assert counts["valid"] > RANDOM_SETS * 0.4 and counts["invalid"] > RANDOM_SETS * 0.4, counts
    assert served.gateway.modules_created() == before, served.gateway.log()[-3000:]
