"""A sample of the golden vectors through Envoy: the first call of each file that the filter answers as recorded."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import pytest

from harness import envoy as envoys
from harness.gateways import Gateways
from harness.mcp import LEGACY, MODERN, Mcp
from harness.mock import Answer, MockUpstream
from harness.net import ROOT

FOLDER = ROOT / "tests" / "golden"
FILES = ("01", "02", "03", "04", "05", "06", "07", "08", "09", "16", "17", "20", "22")
ROUTE_KEYS = ("profiles", "namePrefix", "locale", "structuredContent", "maxStringLength", "maxErrorLength", "lint")


@dataclass(frozen=True)
class Sample:
    name: str
    document: dict[str, Any]
    options: dict[str, Any]
    call: dict[str, Any]

    @property
    def path(self) -> str:
        return f"/mcp/{self.name}"

    def upstream(self) -> dict[str, Any]:
        found = {"name": self.name, "cluster": "api", "authority": "api.test"}
        if "baseUrl" in self.options:
            found["baseUrl"] = self.options["baseUrl"]
        return {**found, "document": {"inline": json.dumps(self.document)}}

    def route(self) -> dict[str, Any]:
        options = {key: value for key, value in self.options.items() if key in ROUTE_KEYS}
        if "profile" in self.options:
            options.setdefault("profiles", [self.options["profile"]])
        return {"path": self.path, "upstreams": [self.name], **options}


def samples() -> Iterator[Sample]:
    excepted = json.loads((FOLDER / "exceptions.json").read_text(encoding="utf-8"))
    for path in sorted(FOLDER.glob("*.json")):
        if path.name[:2] in FILES and path.name[2] == "-":
            known = [entry for entry in excepted if entry["file"] == path.name]
            yield first(path.name[:2], json.loads(path.read_text(encoding="utf-8")), known)


def first(name: str, content: dict[str, Any], excepted: list[dict[str, Any]]) -> Sample:
    for case in content["cases"]:
        for index, call in enumerate(case.get("calls", [])):
            is_plain = call["expectedRequest"] and not call.get("ctx") and "names" not in call.get("result", {})
            if not is_plain or "status" not in call.get("upstreamResponse", {"status": 204}):
                continue
            for entry in excepted:
                if entry["case"] == case["title"] and entry.get("call") == index:
                    call = differing(call, entry["ours"])
            return Sample(name, case.get("doc") or content["doc"], case.get("options", {}), call)
    raise AssertionError(f"{name} has no call to try")


def differing(call: dict[str, Any], ours: dict[str, Any]) -> dict[str, Any]:
    """The call with what an exception says that it becomes: a request or a result."""
    if "target" in ours:
        return {**call, "expectedRequest": {**ours, "url": "https://api.test" + ours["target"]}}
    return {**call, "result": ours}


SAMPLES = list(samples())


@pytest.fixture(scope="module")
def port(module_gateway: Gateways, upstream: MockUpstream) -> int:
    config = {"upstreams": [one.upstream() for one in SAMPLES], "routes": [one.route() for one in SAMPLES]}
    routes = [envoys.mcp_route(one.path) for one in SAMPLES]
    gateway = module_gateway(config, {"api": upstream.port}, routes=routes, wait=False)
    for one in SAMPLES:
        gateway.wait_for_mcp(one.path)
    return gateway.port


@pytest.mark.parametrize("revision", [LEGACY, MODERN])
@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
def test_the_first_call_of_each_vector_file(port: int, upstream: MockUpstream, sample: Sample, revision: str) -> None:
    call = sample.call
    answer = call.get("upstreamResponse", {"status": 204})
    body = answer.get("body")
    text = (
        b"" if body is None else (body if isinstance(body, str) else json.dumps(body, separators=(",", ":"))).encode()
    )
    headers = {name.lower(): value for name, value in answer.get("headers", {}).items()}
    upstream.reset()
    upstream.on("/", Answer(answer["status"], text, headers.pop("content-type", None), headers))
    client = Mcp(port, sample.path, revision=revision)
    result = client.call(call["tool"], call.get("args", {}))

    expected, received = call["expectedRequest"], upstream.only_request()
    target = urlsplit(expected["url"])
    assert (received.method, received.path, received.query) == (expected["method"], target.path, target.query)
    assert received.body.decode() == (expected["body"] or "")
    for name, value in expected["headers"].items():
        assert received.header(name) == value
    if "upstreamResponse" in call:
        assert "\n".join(block["text"] for block in result["content"]) == call["result"]["text"]
        assert bool(result.get("isError")) == bool(call["result"].get("isError"))
