"""Real documents, generated arguments, and an independent OpenAPI validator that judges what the API receives."""

from __future__ import annotations

import base64
import json
import re
import subprocess
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from zlib import crc32

import pytest

from harness import corpus, envoy
from harness.corpus import Operation, Source
from harness.envoy import Envoy
from harness.gateways import Gateways
from harness.generate import Generator
from harness.mcp import Mcp
from harness.mock import Answer, MockUpstream, Received
from harness.net import ROOT, eventually

VALIDATOR = ROOT / ".tools" / "validator" / "bin" / "python"
# What the real documents of Swagger 2.0 lack.
OWN = ROOT / "tests" / "validator" / "documents"
EXPLAINED = ROOT / "tests" / "validator" / "explained.json"
OPERATIONS = 50
RANDOM_SETS = 2000
# What no schema says: such a path would lead elsewhere.
REFUSED = "must not be `.` or `..` or hold them as a path segment"


@dataclass
class Service:
    """One document behind the gateway, every operation of it a tool."""

    source: Source
    # Those that are left out have no tool.
    operations: list[tuple[Operation, dict[str, Any] | None]] = field(default_factory=list)

    @property
    def name(self) -> str:
        return re.sub(r"[^A-Za-z0-9_.-]", "_", self.source.name)

    @property
    def path(self) -> str:
        return "/mcp/" + self.name

    @property
    def files(self) -> str:
        return f"/openapi/{self.name}/"

    def upstream(self) -> dict[str, Any]:
        """An upstream on the mock, with all servers and security schemes of the document."""
        origins = self.source.origins()
        document = {"path": self.files + self.source.entry, "refresh": 0, "timeout": "60s"}
        return {
            "name": self.name,
            "cluster": "api",
            "authority": urlsplit(origins[0]).netloc if origins else "own.example",
            "document": {**document, "maxFiles": 5000, "maxSize": "64MiB"},
            "servers": [{"url": origin, "cluster": "api"} for origin in origins[1:]],
            "credentials": self.source.credentials(),
        }

    def route(self) -> dict[str, Any]:
        profiles = self.source.profiles()
        return {"path": self.path, "upstream": self.name, "profiles": profiles, "exposure": "all", "lint": "off"}

    def assign(self, tools: list[dict[str, Any]]) -> None:
        """Tells tools by their order: one of another operation sends what the validator refuses."""
        rest = iter(tools)
        self.operations = [(one, next(rest, {}) if one.has_place() else None) for one in self.source.operations()]
        assert list(rest) == [] and all(tool != {} for _, tool in self.operations), f"{len(tools)} of {self.name}"

    def origin_of(self, request: Received) -> str:
        host = request.header("host") or ""
        known = {urlsplit(origin).netloc: origin for origin in self.source.origins()}
        return known.get(host, f"http://{host}")


@dataclass
class Corpus:
    gateway: Envoy
    upstream: MockUpstream
    services: list[Service]
    folder: Path

    def call(self, client: Mcp, tool: str, arguments: Any) -> tuple[Any, list[Received]]:
        """The result of a call, and what reached the API; the gateway itself never fails."""
        self.upstream.reset()
        self.upstream.on("/", Answer.json({}))
        reply = client.request("tools/call", {"name": tool, "arguments": arguments})
        assert reply.status == 200, f"{tool} {json.dumps(arguments)[:400]}: {reply}"
        return reply.json().get("result") or reply.json(), self.upstream.requests()


@pytest.fixture(scope="module")
def served(
    real_documents: Path, module_gateway: Gateways, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Corpus]:
    folder = tmp_path_factory.mktemp("documents")
    upstream = MockUpstream()
    services = [Service(source) for place in (real_documents, OWN) for source in corpus.sources(place)]
    for service in services:
        upstream.on(service.files, lambda request, one=service: one.source.answer(request, one.files))
        unpack(service.source, folder)
    config = {
        "upstreams": [service.upstream() for service in services],
        "routes": [service.route() for service in services],
        "limits": {"requestBody": "4MiB"},
    }
    routes = [envoy.mcp_route(service.path) for service in services]
    gateway = module_gateway(config, {"api": upstream.port}, routes=routes, wait=False)
    for service in services:
        client = Mcp(gateway.port, service.path)
        told = f"{service.name}:\n{gateway.log()[-2000:]}"
        eventually(lambda c=client: c.request("ping").status == 200, 180, 0.1, told)
        service.assign(client.list_tools())
        client.close()
    yield Corpus(gateway, upstream, services, folder)
    upstream.close()


def unpack(source: Source, folder: Path) -> None:
    """The files of a document for the validator; the document itself as JSON."""
    for name, body in source.files.items():
        path = folder / source.name / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(body)
    (folder / source.name / source.entry).write_text(json.dumps(source.document))


def explained() -> dict[str, str]:
    """Faults that are not ours: `document method path` → the reason."""
    return json.loads(EXPLAINED.read_text(encoding="utf-8"))


def validate(records: list[dict[str, Any]], script: str) -> list[list[str]]:
    lines = "".join(json.dumps(record) + "\n" for record in records)
    command = [str(VALIDATOR), str(ROOT / "tests" / "validator" / script)]
    done = subprocess.run(command, input=lines, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr[-4000:]
    return [json.loads(line) for line in done.stdout.splitlines()]


def record(
    served: Corpus, service: Service, operation: Operation, arguments: dict[str, Any], request: Received
) -> dict[str, Any]:
    return {
        "document": str(served.folder / service.source.name / service.source.entry),
        "path": operation.path,
        "method": request.method.lower(),
        "origin": service.origin_of(request),
        "target": request.path + (f"?{request.query}" if request.query else ""),
        "headers": request.headers,
        "body": base64.b64encode(request.body).decode(),
        "arguments": arguments,
    }


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


class Judgement:
    """What became of every operation that was tried."""

    def __init__(self, served: Corpus) -> None:
        self._served = served
        self.tried: Counter[str] = Counter()
        self.failures: dict[str, str] = {}
        self._records: dict[str, list[tuple[str, dict[str, Any]]]] = {"openapi3.py": [], "swagger.py": []}

    def attempt(self, service: Service, client: Mcp, operation: Operation, tool: dict[str, Any] | None) -> None:
        self.tried[service.source.name] += 1
        label = f"{service.source.name} {operation.method} {operation.path}"
        if tool is None:
            self.failures[label] = "no tool"
            return
        schemas = list(chosen(tool["inputSchema"]))
        # What an argument may be in any media type is shown, and what it may be in this one is checked.
        seeds = [crc32(label.encode()) + n for n in range(1 if len(schemas) == 1 else 5)]
        for schema in schemas:
            faults = [self._try(service, client, operation, tool["name"], schema, seed, label) for seed in seeds]
            if all(faults):
                self.failures[label] = faults[0]

    def _try(
        self,
        service: Service,
        client: Mcp,
        operation: Operation,
        tool: str,
        schema: dict[str, Any],
        seed: int,
        label: str,
    ) -> str:
        """Why nothing was sent."""
        arguments = Generator(schema, seed).valid(every=True)
        if arguments is None:
            return "no arguments"
        result, requests = self._served.call(client, tool, arguments)
        if [request.method.lower() for request in requests] != [operation.method]:
            return f"{len(requests)} requests: {json.dumps(result)[:400]}"
        script = "swagger.py" if "swagger" in service.source.document else "openapi3.py"
        self._records[script].append((label, record(self._served, service, operation, arguments, requests[0])))
        return ""

    def conclude(self) -> None:
        for script, records in self._records.items():
            for (label, one), faults in zip(records, validate([one for _, one in records], script), strict=True):
                if faults:
                    self.failures[label] = f"{' | '.join(faults)} <- {one['target'][:200]}"

    def table(self) -> str:
        """For each document: the operations tried, accepted, and explained."""
        failed = Counter(label.split(" ", 1)[0] for label in self.failures)
        lines = [f"{name:40} {tried:5} {tried - failed[name]:5} {failed[name]:5}" for name, tried in self.tried.items()]
        total = sum(self.tried.values())
        lines.append(f"{'all':40} {total:5} {total - len(self.failures):5} {len(self.failures):5}")
        return "\n".join([f"\n{'document':40} tried   accepted   explained", *lines])


def test_an_independent_validator_accepts_the_requests(served: Corpus, capsys: pytest.CaptureFixture[str]) -> None:
    judgement = Judgement(served)
    for service in served.services:
        judgement.tried[service.source.name] = 0
        client = Mcp(served.gateway.port, service.path)
        for operation, tool in corpus.spread(service.operations, OPERATIONS):
            judgement.attempt(service, client, operation, tool)
        client.close()
    judgement.conclude()
    known = explained()
    with capsys.disabled():
        print(judgement.table())
    unexpected = {label: fault for label, fault in judgement.failures.items() if label not in known}
    assert not unexpected, json.dumps(unexpected, indent=1)
    needless = [label for label in known if label not in judgement.failures]
    assert not needless, f"explained, but without a fault: {needless}"


def test_random_arguments_reach_the_api_only_when_they_are_valid(served: Corpus) -> None:
    tools = [(service, tool) for service in served.services for _, tool in service.operations if tool]
    # Where a call chooses a media type, the schema offers what any of them takes: the check is stricter.
    tools = [(service, tool) for service, tool in tools if len(list(chosen(tool["inputSchema"]))) == 1]
    clients = {service.name: Mcp(served.gateway.port, service.path) for service in served.services}
    before = served.gateway.modules_created()
    counts: Counter[str] = Counter()
    wrong = []
    seed = 0
    while counts["valid"] + counts["invalid"] < RANDOM_SETS:
        seed += 1
        service, tool = tools[seed * 7919 % len(tools)]
        generator = Generator(tool["inputSchema"], seed)
        arguments = generator.valid() if seed % 2 else generator.invalid()
        if arguments is None:
            continue
        is_valid = generator.is_valid(arguments)
        result, requests = served.call(clients[service.name], tool["name"], arguments)
        counts["valid" if is_valid else "invalid"] += 1
        counts["refused"] += not requests
        said = json.dumps(result)[:300]
        if bool(requests) != (is_valid and REFUSED not in said) or (not requests and "nothing was sent" not in said):
            wrong.append(f"{service.name} {tool['name']} {json.dumps(arguments)[:300]}: {len(requests)} sent, {said}")
    print(counts)
    assert not wrong, "\n".join(wrong[:20])
    assert min(counts["valid"], counts["invalid"]) > RANDOM_SETS * 0.4, counts
    assert served.gateway.modules_created() == before, served.gateway.log()[-3000:]
