"""What goes wrong upstream: each failure is a distinct answer for the agent, at once, and leaves nothing behind."""

from __future__ import annotations

import contextlib
import json
import time

import pytest

from harness.documents import filter_config
from harness.documents import items as items_document
from harness.gateways import Gateways
from harness.items import Items
from harness.mcp import Mcp
from harness.mock import Answer, MockUpstream
from harness.net import connection, eventually, free_port

pytestmark = pytest.mark.usefixtures("unharmed")

LONG = b'{"text":"' + b"x" * 100_000 + b'"}'
FAILURES: dict[str, Answer] = {
    "reset": Answer(fault="reset"),
    "reset-mid-body": Answer(body=LONG[:5000], fault="reset-mid-body"),
    "truncated": Answer(body=LONG[:5000], fault="truncated"),
    "garbage": Answer(fault="garbage"),
    "timeout": Answer(delay=3),
    "oversized": Answer(body=LONG),
    "oversized-chunked": Answer(body=LONG, chunked=True),
    "not-json": Answer(body=b"{oops"),
    "unavailable": Answer(503, b'{"why":"maintenance"}'),
    "html-error": Answer(500, b"<html>boom</html>", content_type="text/html"),
    "problem": Answer(422, b'{"detail":"name is taken"}', content_type="application/problem+json"),
    "redirect": Answer(302, headers={"location": "https://elsewhere.example.org/login"}),
}


@pytest.mark.parametrize("failure", FAILURES)
def test_a_failure_is_an_error_result_in_time(items: Items, failure: str) -> None:
    items.upstream.on("/v1/items", FAILURES[failure])
    started = time.monotonic()
    assert items.mcp.call_error("list_items", {})
    assert time.monotonic() - started < 2.5


def test_failures_can_be_told_apart(items: Items) -> None:
    texts = {}
    for name, answer in FAILURES.items():
        items.upstream.on("/v1/items", answer)
        texts[name] = items.mcp.call_error("list_items", {})
    alike = [{"reset-mid-body", "truncated"}, {"oversized", "oversized-chunked"}]
    for name, text in texts.items():
        same = {other for other in texts if texts[other] == text}
        assert same == {name} or any(same <= group for group in alike), (name, same, text)


@pytest.mark.parametrize(
    ("failure", "says"),
    [
        ("unavailable", ["503", "maintenance"]),
        ("html-error", ["500"]),
        ("problem", ["422", "name is taken"]),
        ("redirect", ["302", "https://elsewhere.example.org/login"]),
    ],
)
def test_what_the_api_says_reaches_the_agent(items: Items, failure: str, says: list[str]) -> None:
    items.upstream.on("/v1/items", FAILURES[failure])
    text = items.mcp.call_error("list_items", {})
    assert all(word in text for word in says), text


def test_redirects_are_not_followed(items: Items) -> None:
    items.upstream.on("/v1/items", Answer(302, headers={"location": "/v1/other"}))
    items.mcp.call_error("list_items", {})
    assert [request.path for request in items.upstream.requests()] == ["/v1/items"]


def test_a_refused_connection(gateway: Gateways, mock: MockUpstream) -> None:
    """The document comes from one upstream; the API's own port is closed."""
    mock.serve_document(items_document())
    document = {"path": "/openapi.json", "cluster": "docs", "refresh": 0}
    envoy = gateway(filter_config({"document": document}), {"api": free_port(), "docs": mock.port})
    for _ in range(3):
        assert envoy.client().call_error("list_items", {})


def test_answers_that_look_unusual_but_are_right(items: Items) -> None:
    items.upstream.on("/v1/items", Answer(body=b'{"a":1}', chunked=True))
    assert "**a**: 1" in items.mcp.call_text("list_items", {})
    items.upstream.on(
        "/v1/items", Answer(body=b"\xef\xbb\xbf" + b'{"a":2}', content_type="application/json; charset=utf-8")
    )
    assert "**a**: 2" in items.mcp.call_text("list_items", {})
    items.upstream.on("/v1/items", Answer(204, content_type=None))
    assert not items.mcp.call("list_items", {}).get("isError")


def test_a_slow_answer_within_the_timeout_is_waited_for(items: Items) -> None:
    items.upstream.on("/v1/items", Answer.json({"a": 1}, delay=0.4))
    assert "**a**: 1" in items.mcp.call_text("list_items", {})


def test_a_client_that_leaves_has_no_effect_on_others(items: Items) -> None:
    items.upstream.on("/v1/items/slow", Answer.json({"a": 1}, delay=0.5))
    message = items.mcp.message("tools/call", {"name": "get_item", "arguments": {"itemId": "slow"}})
    body = json.dumps(message).encode()
    head = f"POST /mcp HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
    with contextlib.ExitStack() as clients:
        for _ in range(20):
            clients.enter_context(connection(items.port)).sendall(head.encode() + body)
        eventually(lambda: len(items.upstream.requests()) == 20, what="all calls were sent")
    other = Mcp(items.port)
    assert not other.call("list_items", {}).get("isError")
    eventually(lambda: items.envoy.stats("cluster.api.upstream_rq_active")["cluster.api.upstream_rq_active"] == 0)
    assert items.envoy.stats("http.http.downstream_rq_active")["http.http.downstream_rq_active"] == 0


def test_a_client_that_leaves_in_the_middle_of_its_body(items: Items) -> None:
    head = b"POST /mcp HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 500\r\n\r\n{"
    for _ in range(20):
        with connection(items.port) as sock:
            sock.sendall(head)
    eventually(lambda: items.envoy.stats("http.http.downstream_rq_active")["http.http.downstream_rq_active"] == 0)
    assert items.upstream.requests() == []
