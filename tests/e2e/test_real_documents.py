"""Two real annotated documents of a data platform, with an upstream that records what reaches it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import pytest

from harness.documents import filter_config
from harness.envoy import Envoy
from harness.gateways import Gateways
from harness.mcp import Mcp
from harness.mock import Answer, MockUpstream

METRICS = "data-fair-metrics-x-agent-3.1.json"
CATALOGUE = "data-fair-root-x-agent-3.1.json"


class Served:
    def __init__(self, envoy: Envoy, upstream: MockUpstream, document: dict[str, Any]):
        self.envoy, self.upstream, self.document = envoy, upstream, document
        self.mcp = Mcp(envoy.port)


@pytest.fixture(scope="module")
def services(real_documents: Path, module_gateway: Gateways) -> Iterator[dict[str, Served]]:
    found = {
        name: serve(json.loads((real_documents / name).read_text()), module_gateway) for name in (METRICS, CATALOGUE)
    }
    yield found
    for one in found.values():
        one.upstream.close()


def serve(document: dict[str, Any], gateways: Gateways) -> Served:
    upstream = MockUpstream()
    upstream.serve_document(document)
    config = filter_config(
        {
            "authority": "data.example.org",
            "forwardHeaders": ["authorization", "cookie"],
            "headers": {"x-client": "mcp"},
        },
        {"profiles": list(document["x-agent"]["profiles"]), "lint": "warn"},
    )
    return Served(gateways(config, {"api": upstream.port}), upstream, document)


@pytest.fixture(params=[METRICS, CATALOGUE])
def served(request: pytest.FixtureRequest, services: dict[str, Served]) -> Served:
    return services[request.param]


@pytest.fixture
def metrics(services: dict[str, Served]) -> Served:
    return services[METRICS]


@pytest.fixture
def catalogue(services: dict[str, Served]) -> Served:
    return services[CATALOGUE]


def annotated(document: dict[str, Any]) -> list[str]:
    """Tool names in document order, as the vocabulary derives them for these documents."""
    prefix = document["x-agent"]["namePrefix"]
    operations = [operation for item in document["paths"].values() for operation in item.values()]
    return [prefix + operation["x-agent"]["name"] for operation in operations if "x-agent" in operation]


def sent(api: Served, tool: str, arguments: dict[str, Any], headers: dict[str, str] | None = None):
    api.upstream.reset()
    api.upstream.on("/", Answer.json({"total": 1, "results": [{"id": "a"}]}))
    result = api.mcp.call(tool, arguments, headers)
    assert not result.get("isError"), result
    return api.upstream.only_request()


def test_every_annotated_operation_is_a_tool(served: Served) -> None:
    assert served.mcp.tool_names() == annotated(served.document)


def test_every_tool_has_a_closed_object_schema(served: Served) -> None:
    for tool in served.mcp.list_tools():
        assert tool["inputSchema"]["type"] == "object"
        assert tool["description"]
        assert "$ref" not in json.dumps(tool["inputSchema"]) or "$defs" in tool["inputSchema"]


def test_every_tool_reaches_its_operation(served: Served) -> None:
    """With only the required arguments, each tool calls the path it was made from."""
    base = served.document["servers"][0]["url"].split("example.org")[1]
    for path, item in served.document["paths"].items():
        for method, operation in item.items():
            if "x-agent" not in operation:
                continue
            name = served.document["x-agent"]["namePrefix"] + operation["x-agent"]["name"]
            tool = next(tool for tool in served.mcp.list_tools() if tool["name"] == name)
            request = sent(served, name, required_arguments(tool["inputSchema"]))
            assert request.method == method.upper()
            assert request.path == base + path.replace("{id}", "x").replace("{field}", "x")
            assert request.header("host") == "data.example.org"


def required_arguments(schema: dict[str, Any]) -> dict[str, Any]:
    return {name: example_of(schema["properties"][name]) for name in schema.get("required", [])}


def example_of(schema: dict[str, Any]) -> Any:
    if schema.get("enum"):
        return schema["enum"][0]
    if schema.get("type") == "array":
        return [example_of(schema.get("items", {}))]
    if schema.get("format") == "date":
        return "2026-01-31"
    return {"integer": 1, "number": 1, "boolean": True}.get(schema.get("type", ""), "x")


def test_query_arrays_defaults_and_fixed_values(metrics: Served) -> None:
    arguments = {
        "start": "2026-01-01",
        "end": "2026-01-31",
        "split": ["day", "operationTrack"],
        "userClass": ["owner", "external"],
    }
    request = sent(metrics, "metrics_aggregate_requests", arguments)
    assert (request.method, request.path) == ("GET", "/metrics/api/daily-api-metrics/_agg")
    assert sorted(parse_qsl(request.query)) == [
        ("end", "2026-01-31"),
        ("format", "rows"),
        ("size", "100"),
        ("split", "day,operationTrack"),
        ("start", "2026-01-01"),
        ("userClass", "external"),
        ("userClass", "owner"),
    ]


def test_refused_arguments_never_reach_the_upstream(metrics: Served) -> None:
    metrics.upstream.reset()
    arguments = {"start": "2026-01-01", "end": "2026-01-31", "split": ["hour"], "size": 1001, "format": "series"}
    text = metrics.mcp.call_error("metrics_aggregate_requests", arguments)
    assert "split" in text and "size" in text and "format" in text
    assert metrics.upstream.requests() == []


def test_renamed_parameters_objects_and_encoding(catalogue: Served) -> None:
    arguments = {
        "datasetId": "my data/set",
        "query": "a&b=c#d é+f",
        "filters": {"ville_eq": "Paris & co", "age_lte": "30"},
        "sort": ["-age", "nom"],
        "size": 3,
    }
    request = sent(catalogue, "datafair_search_data", arguments)
    assert request.path == "/data-fair/api/v1/datasets/my%20data%2Fset/lines"
    pairs = parse_qsl(request.query)
    for pair in [
        ("q", "a&b=c#d é+f"),
        ("ville_eq", "Paris & co"),
        ("age_lte", "30"),
        ("sort", "-age,nom"),
        ("size", "3"),
        ("hint", "true"),
    ]:
        assert pair in pairs


def test_headers_of_a_call(catalogue: Served) -> None:
    headers = {"authorization": "Bearer t", "cookie": "id_token=abc", "x-other": "no", "accept-language": "fr"}
    request = sent(catalogue, "datafair_describe_dataset", {"datasetId": "d1"}, headers)
    assert request.header("authorization") == "Bearer t"
    assert request.header("cookie") == "id_token=abc"
    assert request.header("x-client") == "mcp"
    assert request.header("accept") == "application/json"
    assert request.header("x-other") is None
    assert request.header("accept-language") is None
    assert request.header("mcp-protocol-version") is None
    assert request.body == b""


def test_both_workers_answer_alike(served: Served) -> None:
    listings = set()
    for _ in range(12):
        client = Mcp(served.envoy.port)
        listings.add(client.request("tools/list").body.replace(b'"id":1', b""))
        client.close()
    assert len(listings) == 1
