"""Hostile input: nothing traps the module, nothing reaches another path, parameter or header of the API."""

from __future__ import annotations

import json
from urllib.parse import unquote

import pytest

from harness.documents import filter_config
from harness.documents import items as items_document
from harness.gateways import Gateways
from harness.items import Items
from harness.mcp import LEGACY, MODERN, Mcp
from harness.mock import MockUpstream
from harness.net import exchange

pytestmark = pytest.mark.usefixtures("unharmed")

PATH_VALUES = [
    "a/b", "x?y#z", "//evil.example.org", "http://evil.example.org/", "a\\b", "é", "a b", "%", "%2e%2e", "%2e%2e%2f",
    "a\r\nb", "a\u0000b", "..;", ";x=1", "a,b", ":", "@", "...", "%00", "\u202e", "𝄞", "{itemId}", "*", "+", "&=",
]  # fmt: skip
DOT_SEGMENTS = [".", ".."]


@pytest.mark.parametrize("value", PATH_VALUES)
def test_a_path_value_is_one_segment(items: Items, value: str) -> None:
    result = items.mcp.call("get_item", {"itemId": value})
    if result.get("isError"):
        assert items.upstream.requests() == []
        return
    request = items.upstream.only_request()
    segment = request.path.removeprefix("/v1/items/")
    assert request.path.startswith("/v1/items/")
    assert "/" not in segment and request.query == ""
    assert unquote(segment) == value


@pytest.mark.parametrize("value", [*DOT_SEGMENTS, ""])
def test_a_path_value_that_would_vanish_is_refused(items: Items, value: str) -> None:
    assert "itemId" in items.mcp.call_error("get_item", {"itemId": value})
    assert items.upstream.requests() == []


@pytest.mark.parametrize("value", ["a\r\nx-evil: 1", "a\nb", "a\rb", "a\u0000b", "é", "\u007f"])
def test_a_header_value_stays_in_its_header(items: Items, value: str) -> None:
    items.mcp.call("get_item", {"itemId": "1", "X-Trace": value})
    for request in items.upstream.requests():
        assert request.header("x-evil") is None
        assert all(c.isprintable() or ord(c) > 127 for c in request.header("x-trace") or "")


@pytest.mark.parametrize("value", ["a; admin=1", "a\r\nx-evil: 1", 'a"b', "a,b"])
def test_a_cookie_value_stays_in_its_cookie(items: Items, value: str) -> None:
    items.mcp.call("get_item", {"itemId": "1", "session": value})
    for request in items.upstream.requests():
        assert request.header("x-evil") is None
        assert (request.header("cookie") or "").count(";") == 0


@pytest.mark.parametrize("value", ["a&b=c", "a#b", "a=b", "a,b", "%26", "é", "+", "a\r\nb"])
def test_a_query_value_stays_in_its_parameter(items: Items, value: str) -> None:
    items.mcp.call_text("list_items", {"q": value})
    query = items.upstream.only_request().query
    assert query.startswith("q=") and "&" not in query and "#" not in query
    assert unquote(query.removeprefix("q=").replace("+", " ")) == value


@pytest.mark.parametrize(
    "arguments",
    [
        {"itemId": "1", "unknown": 1},
        {"itemId": 1},
        {"itemId": None},
        {"itemId": ["1"]},
        {"itemId": "1", "fields": "a"},
        {"itemId": "1", "__proto__": {}},
        {},
    ],
)
def test_invalid_arguments_never_reach_the_api(items: Items, arguments: dict) -> None:
    assert items.mcp.call_error("get_item", arguments)
    assert items.upstream.requests() == []


def raw_call(arguments: bytes) -> bytes:
    return b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"get_item","arguments":' + arguments + b"}}"


DEEP = 10_000
BODIES: dict[str, bytes] = {
    "deep-arrays": b"[" * DEEP,
    "deep-objects": b'{"a":' * DEEP,
    "deep-and-closed": raw_call(b"[" * DEEP + b"]" * DEEP),
    "deep-argument": raw_call(b'{"itemId":' * DEEP + b"1" + b"}" * DEEP),
    "invalid-utf-8": raw_call(b'{"itemId":"\xff\xfe"}'),
    "lone-surrogate": raw_call(b'{"itemId":"\\ud800"}'),
    "reversed-surrogates": raw_call(b'{"itemId":"\\udc00\\ud800"}'),
    "duplicate-argument": raw_call(b'{"itemId":"1","itemId":"../../admin"}'),
    "duplicate-method": b'{"jsonrpc":"2.0","id":7,"method":"ping","method":"tools/call","params":{"name":"get_item"}}',
    "duplicate-params": b'{"jsonrpc":"2.0","id":7,"method":"ping","params":{},"params":1}',
    "huge-number": raw_call(b'{"itemId":1e99999}'),
    "long-number": raw_call(b'{"itemId":' + b"9" * 10_000 + b"}"),
    "long-string": raw_call(b'{"itemId":"' + b"a" * 900_000 + b'"}'),
    "many-keys": raw_call(b"{" + b",".join(b'"k%d":1' % i for i in range(50_000)) + b"}"),
    "null-bytes": b"\0" * 1000,
    "only-spaces": b" " * 100_000,
    "byte-order-mark": b"\xef\xbb\xbf{}",
    "utf-16": '{"jsonrpc":"2.0"}'.encode("utf-16"),
    "empty-object": b"{}",
    "number": b"1",
    "unfinished": b'{"jsonrpc":"2.0","id":1,"method":"tools/li',
    "trailing-garbage": b'{"jsonrpc":"2.0","id":1,"method":"ping"}}',
    "object-id": b'{"jsonrpc":"2.0","id":{},"method":"ping"}',
    "method-number": b'{"jsonrpc":"2.0","id":1,"method":1}',
    "params-array": b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[1,2]}',
    "name-object": b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":{},"arguments":[]}}',
    "arguments-string": b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_item","arguments":"x"}}',
}


@pytest.mark.parametrize("revision", [LEGACY, MODERN, "2025-03-26", "1999-01-01", "\u00ff"])
@pytest.mark.parametrize("kind", BODIES)
def test_a_hostile_body_gets_a_complete_answer(items: Items, kind: str, revision: str) -> None:
    headers = {"content-type": "application/json", "mcp-protocol-version": revision, "mcp-method": "tools/call"}
    reply = items.mcp.send(BODIES[kind], headers)
    assert reply.status in (200, 202, 400, 404, 413)
    if reply.body:
        assert json.loads(reply.body)["jsonrpc"] == "2.0"
    for request in items.upstream.requests():
        assert request.path.startswith("/v1/items/") and request.path.count("/") == 3


def test_a_body_over_the_buffer_is_413_and_the_gateway_goes_on(items: Items) -> None:
    size = 10 * 1024 * 1024
    head = f"POST /mcp HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: {size}\r\n\r\n"
    try:
        status, _, _ = exchange(items.port, head.encode() + b"[" * size)
    except (ConnectionResetError, BrokenPipeError):
        return  # Envoy answered and closed before everything was sent
    assert status == 413


def test_a_body_over_the_filters_limit_is_413(gateway: Gateways, mock: MockUpstream) -> None:
    mock.serve_document(items_document())
    config = filter_config(limits={"requestBody": "64KiB"})
    envoy = gateway(config, {"api": mock.port}, per_connection_buffer_limit_bytes=16 << 20)
    client = envoy.client()
    for size in (70_000, 10_000_000):
        body = raw_call(b'{"itemId":"' + b"a" * size + b'"}')
        try:
            assert client.send(body, {"content-type": "application/json"}).status == 413
        except (ConnectionResetError, BrokenPipeError):
            client = envoy.client()  # the filter answered and Envoy closed before everything was sent
    assert client.tool_names()
    assert mock.requests() == []


@pytest.mark.parametrize("name", ["mcp-protocol-version", "mcp-method", "mcp-name", "origin", "accept", "content-type"])
def test_long_and_binary_headers(items: Items, name: str) -> None:
    body = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'
    for value in (b"a" * 30_000, b"\xff\xfe\x80", b"=?base64?!!!?=", b",,,,", b""):
        lines = [b"POST /mcp HTTP/1.1", b"host: x", b"content-length: %d" % len(body), name.encode() + b": " + value]
        status, _, _ = exchange(items.port, b"\r\n".join(lines) + b"\r\n\r\n" + body)
        assert 200 <= status < 500


def test_unknown_tool_names(items: Items) -> None:
    for name in ["", "x" * 100_000, "get_item\u0000", "GET_ITEM", "__proto__", "\ud83d\ude00"]:
        assert items.mcp.request("tools/call", {"name": name}).error()["code"] == -32602
    assert items.upstream.requests() == []


@pytest.mark.parametrize("cursor", ["x", "", "-1", "99999999999999999999", "é", "A" * 10_000])
def test_foreign_cursors(items: Items, cursor: str) -> None:
    reply = Mcp(items.port).request("tools/list", {"cursor": cursor})
    assert reply.status == 200
    assert "result" in reply.json() or reply.error()["code"] == -32602
