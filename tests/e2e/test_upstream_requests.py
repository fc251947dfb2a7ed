"""What the API sees of a call: path, query, body and headers; and what operators see of it."""

from __future__ import annotations

import re
from urllib.parse import parse_qsl

import pytest

from harness.items import Items
from harness.mcp import MODERN, Mcp
from harness.mock import Answer
from harness.net import eventually

TRACE = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
OTHER_TRACE = "00-11111111111111111111111111111111-2222222222222222-01"


def test_parameters_of_every_place(items: Items) -> None:
    arguments = {"itemId": "a b", "fields": ["x", "y z"], "tag": ["1", "2"], "X-Trace": "t", "session": "s"}
    items.mcp.call_text("get_item", arguments)
    request = items.upstream.only_request()
    assert (request.method, request.path) == ("GET", "/v1/items/a%20b")
    assert parse_qsl(request.query) == [("fields", "x,y z"), ("tag", "1"), ("tag", "2")]
    assert request.header("x-trace") == "t"
    assert request.header("cookie") == "session=s"
    assert request.body == b""


def test_a_json_body(items: Items) -> None:
    items.upstream.on("/v1/items", Answer.json({"id": 1}, 201))
    items.mcp.call_text("create_item", {"name": "é", "count": 12345678901234567890})
    request = items.upstream.only_request()
    assert (request.method, request.path) == ("POST", "/v1/items")
    assert request.header("content-type") == "application/json"
    assert request.body.decode() == '{"name":"é","count":12345678901234567890}'


def test_only_named_and_constant_headers_are_passed_on(items: Items) -> None:
    headers = {
        "authorization": "Bearer secret",
        "cookie": "session=stolen",
        "x-forwarded-for": "10.0.0.1",
        "x-custom": "1",
        "mcp-session-id": "abc",
        "user-agent": "agent/1",
    }
    items.mcp.call("list_items", {}, headers)
    request = items.upstream.only_request()
    assert request.header("authorization") == "Bearer secret"
    assert request.header("x-client") == "mcp"
    assert request.header("cookie") is None
    for name in ("x-custom", "mcp-session-id", "mcp-protocol-version", "mcp-method", "mcp-name"):
        assert request.header(name) is None
    assert request.header("x-forwarded-for") != "10.0.0.1"


def test_the_request_id_is_carried(items: Items) -> None:
    items.mcp.call("list_items", {})
    assert re.fullmatch(r"[0-9a-f-]{36}", items.upstream.only_request().header("x-request-id") or "")


def test_the_trace_context_of_the_header_is_carried(items: Items) -> None:
    items.mcp.call("list_items", {}, {"traceparent": TRACE, "tracestate": "a=1"})
    request = items.upstream.only_request()
    assert (request.header("traceparent"), request.header("tracestate")) == (TRACE, "a=1")


def test_the_trace_context_of_the_metadata_is_carried(items: Items) -> None:
    client = Mcp(items.port, revision=MODERN)
    client.request("tools/call", {"name": "list_items", "_meta": {"traceparent": OTHER_TRACE}}).result()
    assert items.upstream.only_request().header("traceparent") == OTHER_TRACE


def test_a_broken_trace_context_is_not_passed_on(items: Items) -> None:
    client = Mcp(items.port, revision=MODERN)
    client.request("tools/call", {"name": "list_items", "_meta": {"traceparent": "x\r\nx-evil: 1"}}).result()
    assert items.upstream.only_request().header("x-evil") is None


def counters(items: Items, word: str) -> dict[str, int]:
    return {name: value for name, value in items.envoy.stats("wasmcustom.").items() if word in name}


@pytest.mark.parametrize("answer", [Answer.json({}), Answer(500, b"{}")], ids=["success", "failure"])
def test_calls_are_counted_by_tool_and_outcome(items: Items, answer: Answer) -> None:
    items.upstream.on("/v1/items", answer)
    before = counters(items, "list_items")
    items.mcp.call("list_items", {})

    def counted() -> bool:
        after = counters(items, "list_items")
        return sum(after.values()) == sum(before.values()) + 1

    eventually(counted, what=f"one call more than in {before}")


def test_success_and_failure_are_different_counters(items: Items) -> None:
    items.mcp.call("list_items", {})
    items.upstream.on("/v1/items", Answer(500, b"{}"))
    items.mcp.call("list_items", {})
    assert len([name for name, value in counters(items, "list_items").items() if value]) >= 2


def test_refused_arguments_are_counted(items: Items) -> None:
    before = items.envoy.stats("wasmcustom.")
    items.mcp.call_error("list_items", {"limit": "many"})
    after = items.envoy.stats("wasmcustom.")
    assert any("valid" in name and value > before.get(name, 0) for name, value in after.items()), after


def test_latency_is_a_histogram_and_the_document_has_an_age(items: Items) -> None:
    items.mcp.call("list_items", {})
    text = items.envoy.admin("/stats?filter=wasmcustom")
    assert re.search(r"wasmcustom\..*(latency|duration).*: ", text), text
    assert re.search(r"wasmcustom\..*document.*: ", text), text


def test_loading_is_logged_with_version_and_tool_count(items: Items) -> None:
    lines = [line for line in items.envoy.log().splitlines() if "1.2.3" in line]
    assert any("3" in line.split("1.2.3")[1] for line in lines), items.envoy.log()[-2000:]


def test_credentials_are_never_logged(items: Items) -> None:
    items.mcp.call("list_items", {}, {"authorization": "Bearer secret-token"})
    assert "secret-token" not in items.envoy.log()
