"""The golden vectors of editor groups through Envoy: what reaches the API, and what callers read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest

from harness import envoy as envoys
from harness.gateways import Gateways
from harness.mcp import LEGACY, MODERN, Mcp
from harness.mock import Answer, MockUpstream, Received, Script
from harness.net import ROOT

Json = dict[str, Any]


def golden(name: str) -> Json:
    content: Json = json.loads((ROOT / "tests" / "golden" / name).read_text(encoding="utf-8"))
    return content


GROUP, FLOW, HAZARDS = golden("18-editor-group.json"), golden("18b-editor-flow.json"), golden("23-hazards.json")
CASES = [case for case in GROUP["cases"] if "calls" in case]
SEPARATORS, NAMES = HAZARDS["observations"]
# The schema of this parameter is checked before anything is sent.
CHECKED = "A-not-matching-pattern"


def served() -> Iterator[tuple[str, Json, Json]]:
    """Route, document and options of everything that is replayed."""
    for index, case in enumerate(CASES):
        yield f"group{index}", case.get("doc") or GROUP["doc"], case["options"]
    yield "flow", FLOW["doc"], {"profiles": ["w"]}
    yield "separators", SEPARATORS["doc"], {}
    yield "names", NAMES["doc"], {}


@pytest.fixture(scope="module")
def port(module_gateway: Gateways, upstream: MockUpstream) -> int:
    api = {"cluster": "api", "authority": "api.test", "forwardHeaders": ["cookie"]}
    config = {
        "upstreams": [{**api, "name": name, "document": {"inline": json.dumps(doc)}} for name, doc, _ in served()],
        "routes": [
            {"path": f"/{name}", "upstreams": [name], "identity": {"header": "x-identity"}, **options}
            for name, _, options in served()
        ],
    }
    routes = [envoys.mcp_route(f"/{name}") for name, _, _ in served()]
    gateway = module_gateway(config, {"api": upstream.port}, workers=4, routes=routes, wait=False)
    for name, _, _ in served():
        gateway.wait_for_mcp(f"/{name}")
    return gateway.port


class Replay:
    """Calls of one document, each on a connection of its own, so that workers take turns."""

    def __init__(self, port: int, name: str, upstream: MockUpstream, revision: str) -> None:
        self._port, self._path, self._upstream, self._revision = port, f"/{name}", upstream, revision

    def __call__(self, call: Json, script: Script) -> tuple[Json, list[Received]]:
        context = call.get("ctx") or {}
        identity = f"{context.get('identity', 'nobody')} {self._revision}"
        self._upstream.reset()
        self._upstream.on("/", script)
        client = Mcp(self._port, self._path, self._revision)
        result = client.call(call["tool"], call["args"], {"x-identity": identity, **context.get("headers", {})})
        client.close()
        return result, self._upstream.requests()


def recorded(call: Json) -> Answer:
    answer = call.get("upstreamResponse")
    if answer is None:
        return Answer(204, content_type=None)
    if "networkError" in answer:
        return Answer(fault="reset")
    body = answer["body"]
    text = body if isinstance(body, str) else json.dumps(body)
    return Answer(answer["status"], text.encode(), answer["headers"]["content-type"])


def check_request(received: Received, expected: Json) -> None:
    target = urlsplit(expected["url"])
    assert (received.method, received.path, received.query) == (expected["method"], target.path, target.query)
    assert received.body.decode() == (expected["body"] or "")
    # The vectors forward every header of the caller, a route those that it lists.
    for name, value in expected["headers"].items():
        assert name == "x-k" or received.header(name) == value, name


def lines(text: str) -> list[str]:
    """What a text says of fields, without the sentences of errors."""
    plain = [line.split(" — ")[0] for line in text.splitlines()]
    return [line for line in plain if line.lstrip().startswith("- /") and not line.startswith("- /name:")]


def check_result(call: Json, result: Json) -> None:
    text, expected = result["content"][0]["text"], call["result"]
    assert bool(result.get("isError")) == bool(expected.get("isError")), text
    if "lines" in expected:
        assert lines(text) == expected["lines"]
    if "text" in expected and not expected.get("isError"):
        if call["tool"].endswith("getData"):
            assert json.loads(text) == json.loads(expected["text"])
        elif call["tool"].endswith("describeState"):
            assert lines(text) == lines(expected["text"])


@pytest.mark.parametrize("revision", [LEGACY, MODERN])
@pytest.mark.parametrize("index", range(len(CASES)), ids=lambda index: CASES[index]["title"])
def test_calls_of_a_group(port: int, upstream: MockUpstream, index: int, revision: str) -> None:
    replay = Replay(port, f"group{index}", upstream, revision)
    for call in CASES[index]["calls"]:
        result, received = replay(call, recorded(call))
        if CHECKED in call["args"].values():
            assert result["isError"] and not received
            continue
        if call["expectedRequest"] is None:
            assert not received
        else:
            check_request(received[-1], call["expectedRequest"])
        check_result(call, result)


@pytest.mark.parametrize("revision", [LEGACY, MODERN])
def test_the_flow_of_a_session(port: int, upstream: MockUpstream, revision: str) -> None:
    replay = Replay(port, "flow", upstream, revision)
    schema = json.loads(json.dumps(FLOW["schema"]))
    for step in FLOW["steps"]:
        note = step.get("note", "")
        if note.startswith("reload"):
            schema["properties"]["added"] = {"type": "string", "title": "Added"}

        def api(request: Received, note: str = note) -> Answer:
            if request.method == "GET":
                return Answer.json(schema if "/schema" in request.path else FLOW["document"])
            if note.startswith(("409", "API message")):
                return Answer.json({"message": "nope" * 60}, 409 if note.startswith("409") else 500)
            return Answer(content_type=None)

        result, received = replay(step, api)
        assert len(received) == len(step["requests"])
        for found, expected in zip(received, step["requests"], strict=True):
            check_request(found, expected)
        check_result(step, result)
        if note.startswith("409"):
            assert "reloadForm" in result["content"][0]["text"]


@pytest.mark.parametrize("revision", [LEGACY, MODERN])
def test_records_whose_values_hold_separators(port: int, upstream: MockUpstream, revision: str) -> None:
    replay = Replay(port, "separators", upstream, revision)
    wanted = ["GET /v1/a/a%3Ab/b/c", "GET /v1/a/a/b/b%3Ac", "PUT /v1/a/a/b/b%3Ac"]
    for step, sent in zip(SEPARATORS["steps"], wanted, strict=True):
        result, received = replay(step, lambda request: Answer.json({"name": request.path}))
        assert not result.get("isError"), result
        assert [f"{found.method} {found.path}" for found in received] == [sent]


@pytest.mark.parametrize("revision", [LEGACY, MODERN])
def test_a_parameter_called_like_an_argument_of_the_tools(port: int, upstream: MockUpstream, revision: str) -> None:
    replay = Replay(port, "names", upstream, revision)
    edit = {"tool": "e_setFieldValue", "args": {"path__path": "f/1", "path": "/name", "value": "V"}}
    result, received = replay(edit, Answer.json({"name": "old"}))
    assert not result.get("isError"), result
    assert [found.path for found in received] == ["/v1/files/f%2F1"]
    result, received = replay({"tool": "e_getData", "args": {"path__path": "f/1"}}, Answer(500))
    assert json.loads(result["content"][0]["text"])["data"] == {"name": "V"} and not received
