"""Streamable HTTP on the wire: methods, origins, content types, notifications and how bodies arrive."""

from __future__ import annotations

import json
import time

import pytest

from harness.documents import ITEM_TOOLS
from harness.items import Items
from harness.mcp import LEGACY, MODERN, Mcp
from harness.net import connection, exchange, read_response

pytestmark = pytest.mark.usefixtures("unharmed")

PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'


def post(path: str = "/mcp", headers: str = "", body: bytes = PING) -> bytes:
    head = f"POST {path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n{headers}"
    return head.encode() + b"content-length: %d\r\n\r\n" % len(body) + body


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT", "PATCH", "OPTIONS"])
@pytest.mark.parametrize("headers", ["", "accept: text/event-stream\r\n", "mcp-session-id: abc\r\n"])
def test_other_methods_are_answered_completely_and_at_once(items: Items, method: str, headers: str) -> None:
    started = time.monotonic()
    request = f"{method} /mcp HTTP/1.1\r\nhost: x\r\n{headers}\r\n".encode()
    status, answered, _ = exchange(items.port, request, 2)
    assert status == 405
    assert "POST" in answered["allow"]
    assert time.monotonic() - started < 1
    assert items.upstream.requests() == []


def test_a_put_with_a_body(items: Items) -> None:
    status, _, _ = exchange(items.port, b"PUT /mcp HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{}", 2)
    assert status == 405


def test_a_query_string_does_not_change_the_endpoint(items: Items) -> None:
    assert exchange(items.port, post("/mcp?x=1"))[0] == 200


@pytest.mark.parametrize("path", ["/mcp/", "/mcpx", "/MCP"])
def test_other_paths_are_not_mcp(items: Items, path: str) -> None:
    assert exchange(items.port, post(path))[0] == 200
    assert items.upstream.only_request().path == path


@pytest.mark.parametrize(
    "origin",
    [
        "null",
        "https://evil.example.com",
        "http://localhost.evil.com",
        "http://127.0.0.1.evil",
        "https://app.example.com.evil",
        "x",
    ],
)
def test_a_foreign_origin_is_403(items: Items, origin: str) -> None:
    for request in (
        post(headers=f"origin: {origin}\r\n"),
        f"GET /mcp HTTP/1.1\r\nhost: x\r\norigin: {origin}\r\n\r\n".encode(),
    ):
        assert exchange(items.port, request, 2)[0] == 403


def test_the_host_as_origin_is_no_proof(items: Items) -> None:
    """DNS rebinding sends a matching Host and Origin."""
    request = post(headers="origin: http://evil.example.com\r\n").replace(b"host: 127.0.0.1", b"host: evil.example.com")
    assert exchange(items.port, request, 2)[0] == 403


@pytest.mark.parametrize(
    "origin", ["https://app.example.com", "http://127.0.0.1:3000", "http://localhost", "http://[::1]:8080"]
)
def test_a_permitted_origin(items: Items, origin: str) -> None:
    assert exchange(items.port, post(headers=f"origin: {origin}\r\n"))[0] == 200


def test_a_loopback_origin_needs_a_loopback_host(items: Items) -> None:
    request = post(headers="origin: http://localhost:3000\r\n").replace(b"host: 127.0.0.1", b"host: api.example.com")
    assert exchange(items.port, request, 2)[0] == 403


@pytest.mark.parametrize(
    ("content_type", "status"),
    [
        ("application/json", 200),
        ("application/json; charset=utf-8", 200),
        ("Application/JSON", 200),
        ("text/plain", 415),
        ("application/x-www-form-urlencoded", 415),
    ],
)
def test_only_json_is_accepted(items: Items, content_type: str, status: int) -> None:
    assert items.mcp.send(PING, {"content-type": content_type}).status == status


@pytest.mark.parametrize("revision", [LEGACY, "2025-06-18", "2025-03-26"])
def test_a_notification_is_202_without_a_body(items: Items, revision: str) -> None:
    body = b'{"jsonrpc":"2.0","method":"notifications/initialized"}'
    reply = items.mcp.send(body, {"content-type": "application/json", "mcp-protocol-version": revision})
    assert (reply.status, reply.body) == (202, b"")
    assert "content-type" not in reply.headers


def test_malformed_json_is_a_parse_error(items: Items) -> None:
    reply = items.mcp.send(b"{", {"content-type": "application/json"})
    assert (reply.status, reply.error()["code"]) == (400, -32700)
    assert "id" not in reply.json()


@pytest.mark.parametrize("ident", [0, 1, -5, 9007199254740993, "a", "", "server-discover-probe-1"])
def test_the_request_id_comes_back_as_it_was(items: Items, ident: int | str) -> None:
    body = json.dumps({"jsonrpc": "2.0", "id": ident, "method": "ping"}).encode()
    reply = items.mcp.send(body, {"content-type": "application/json"})
    assert reply.json() == {"jsonrpc": "2.0", "id": ident, "result": {}}


def test_the_handshake_of_older_revisions(items: Items) -> None:
    for asked, given in [
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        (LEGACY, LEGACY),
        ("2024-11-05", LEGACY),
        (MODERN, LEGACY),
        ("2099-01-01", LEGACY),
    ]:
        params = {"protocolVersion": asked, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}).encode()
        reply = items.mcp.send(body, {"content-type": "application/json"})
        assert reply.status == 200
        assert reply.result()["protocolVersion"] == given
        assert "mcp-session-id" not in reply.headers


def test_the_new_revision_cross_checks_its_headers(items: Items) -> None:
    client = Mcp(items.port, revision=MODERN)
    assert client.tool_names() == ITEM_TOOLS
    assert client.request("tools/list").result()["resultType"] == "complete"
    for headers in ({"mcp-method": "tools/call"}, {"mcp-method": "TOOLS/LIST"}, {"mcp-protocol-version": LEGACY}):
        reply = client.request("tools/list", headers=headers)
        assert (reply.status, reply.error()["code"]) == (400, -32020)
    reply = client.request("tools/call", {"name": "list_items"}, {"mcp-name": "get_item"})
    assert (reply.status, reply.error()["code"]) == (400, -32020)
    assert items.upstream.requests() == []
    assert client.request("nothing/here").status == 404


def test_a_session_header_is_ignored(items: Items) -> None:
    reply = items.mcp.request("tools/list", headers={"mcp-session-id": "abc", "last-event-id": "7"})
    assert reply.status == 200
    assert "mcp-session-id" not in reply.headers


def test_an_answer_is_json_and_keeps_the_connection(items: Items) -> None:
    reply = items.mcp.request("tools/list")
    assert reply.headers["content-type"].startswith("application/json")
    assert reply.headers.get("connection", "") != "close"


def test_a_chunked_body(items: Items) -> None:
    chunks = b"".join(b"1\r\n%c\r\n" % byte for byte in PING) + b"0\r\n\r\n"
    head = b"POST /mcp HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n"
    assert exchange(items.port, head + chunks)[0] == 200


@pytest.mark.parametrize(
    "framing", [b"content-length: 0\r\n\r\n", b"transfer-encoding: chunked\r\n\r\n0\r\n\r\n", b"\r\n"]
)
def test_an_empty_body(items: Items, framing: bytes) -> None:
    head = b"POST /mcp HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n"
    status, _, body = exchange(items.port, head + framing, 2)
    assert status == 400
    assert json.loads(body)["error"]["code"] in (-32700, -32600)


def test_a_body_in_slow_pieces(items: Items) -> None:
    request = post()
    with connection(items.port) as sock:
        for at in range(0, len(request), 20):
            sock.sendall(request[at : at + 20])
            time.sleep(0.01)
        assert read_response(sock)[0] == 200


def test_requests_follow_each_other_on_one_connection(items: Items) -> None:
    with connection(items.port) as sock:
        for _ in range(50):
            sock.sendall(post())
            assert read_response(sock)[0] == 200
