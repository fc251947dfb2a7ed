"""Several upstreams as one tool set: each has its own document, and one may be missing for a while."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from harness.documents import JSON_RESPONSE, items
from harness.envoy import mcp_route
from harness.gateways import Gateways
from harness.mock import Answer, MockUpstream
from harness.net import eventually


@pytest.fixture
def other() -> Iterator[MockUpstream]:
    upstream = MockUpstream()
    yield upstream
    upstream.close()


def orders(name: str = "listOrders") -> dict:
    operation = {"operationId": name, "summary": "List orders", "responses": JSON_RESPONSE, "x-agent": {}}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Orders", "version": "2"},
        "servers": [{"url": "https://orders.test/v2"}],
        "paths": {"/orders": {"get": operation}},
    }


def both() -> dict:
    document = {"path": "/openapi.json", "refresh": "1s"}
    return {
        "upstreams": [
            {"name": "items", "cluster": "api", "document": document},
            {"name": "orders", "cluster": "orders", "document": document},
        ],
        "routes": [{"path": "/mcp", "upstreams": ["items", "orders"]}],
    }


def test_calls_go_to_the_upstream_of_their_tool(gateway: Gateways, mock: MockUpstream, other: MockUpstream) -> None:
    mock.serve_document(items())
    other.serve_document(orders())
    envoy = gateway(both(), {"api": mock.port, "orders": other.port})
    eventually(lambda: "list_orders" in envoy.client().tool_names(), what="the tools of both")
    assert "get_item" in envoy.client().tool_names()
    envoy.client().call_text("list_orders", {})
    envoy.client().call_text("get_item", {"itemId": "7"})
    assert [request.path for request in other.requests() if request.path != "/openapi.json"] == ["/v2/orders"]
    assert all(request.path != "/v2/orders" for request in mock.requests())


def test_a_missing_upstream_stays_out_and_comes_back(
    gateway: Gateways, mock: MockUpstream, other: MockUpstream
) -> None:
    mock.serve_document(items())
    other.on("/openapi.json", Answer(500, b"down"))
    envoy = gateway(both(), {"api": mock.port, "orders": other.port})
    assert "get_item" in envoy.client().tool_names()
    assert "list_orders" not in envoy.client().tool_names()
    assert "orders" in envoy.log()
    other.serve_document(orders())
    eventually(lambda: "list_orders" in envoy.client().tool_names(), what="the tools of the recovered upstream")
    assert "get_item" in envoy.client().tool_names()


def test_the_route_of_a_missing_upstream_says_why_at_once(
    gateway: Gateways, mock: MockUpstream, other: MockUpstream
) -> None:
    mock.serve_document(items())
    other.on("/openapi.json", Answer(500, b"down"))
    config = both()
    config["routes"] = [{"path": "/mcp", "upstream": "items"}, {"path": "/orders", "upstream": "orders"}]
    envoy = gateway(config, {"api": mock.port, "orders": other.port}, routes=[mcp_route("/mcp"), mcp_route("/orders")])
    eventually(lambda: "document_fetch_failed" in envoy.log())
    started = time.monotonic()
    reply = envoy.client("/orders").request("tools/list")
    assert (reply.status, "orders`: HTTP status 500" in reply.error()["message"]) == (503, True)
    assert time.monotonic() - started < 3


def test_a_name_that_two_upstreams_give_keeps_the_first_and_says_so(
    gateway: Gateways, mock: MockUpstream, other: MockUpstream
) -> None:
    mock.serve_document(items())
    other.serve_document(orders("getItem"))
    envoy = gateway(both(), {"api": mock.port, "orders": other.port})
    eventually(lambda: "effect=document_refused" in envoy.log(), what="the clash in the log")
    assert envoy.client().tool_names().count("get_item") == 1
    envoy.client().call_text("get_item", {"itemId": "7"})
    clash = next(line for line in envoy.log().splitlines() if "effect=document_refused" in line)
    assert "get_item" in clash and "items" in clash and "orders" in clash
