"""HTTP/2 on both sides of the gateway, and requests and answers that end with trailers."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from harness.documents import ITEM_TOOLS, ITEMS, filter_config
from harness.envoy import TYPES, bootstrap, listener, mcp_route, wasm_filter
from harness.gateways import Gateways
from harness.items import Items
from harness.mcp import Mcp
from harness.net import ROOT, Process, eventually, exchange, free_port

NODE = str(ROOT / ".tools" / "node" / "bin" / "node")
SCRIPT = str(ROOT / "tests" / "harness" / "http2.mjs")
HEADERS = {":method": "POST", ":path": "/mcp", "content-type": "application/json"}
TRAILERS = {"x-checksum": "abc", "server-timing": "client;dur=1"}
LIST = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'
CALL = '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"create_item","arguments":{"name":"é"}}}'


def request(body: str, trailers: dict[str, str] | None = None, pieces: int = 1, **headers: str) -> dict[str, Any]:
    size = max(1, -(-len(body) // pieces))
    split = [body[at : at + size] for at in range(0, len(body), size)]
    return {"headers": {**HEADERS, **headers}, "pieces": split, "trailers": trailers}


def ask(port: int, *requests: dict[str, Any]) -> list[dict[str, Any]]:
    done = subprocess.run(
        [NODE, SCRIPT, "client", str(port)],
        input=json.dumps(requests),
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


@pytest.mark.usefixtures("unharmed")
@pytest.mark.parametrize("trailers", [None, TRAILERS], ids=["data", "trailers"])
@pytest.mark.parametrize("pieces", [1, 7])
def test_a_request_over_http2(items: Items, trailers: dict[str, str] | None, pieces: int) -> None:
    listed, called, again = ask(
        items.port, request(LIST, trailers, pieces), request(CALL, trailers, pieces), request(LIST, trailers, pieces)
    )
    assert [tool["name"] for tool in json.loads(listed["body"])["result"]["tools"]] == ITEM_TOOLS
    assert (called["status"], called["trailers"]) == (200, {})
    assert not json.loads(called["body"])["result"].get("isError")
    assert again["body"] == listed["body"]
    sent = items.upstream.only_request()
    assert (sent.method, sent.path, sent.json()) == ("POST", "/v1/items", {"name": "é"})
    assert sent.header("x-checksum") is None


@pytest.mark.usefixtures("unharmed")
def test_trailers_after_what_is_refused(items: Items) -> None:
    large = f'{{"jsonrpc":"2.0","id":1,"method":"ping","x":"{"a" * 2**20}"}}'
    answers = ask(
        items.port,
        request("", TRAILERS),
        request("{", TRAILERS),
        request('{"jsonrpc":"2.0","method":"notifications/initialized"}', TRAILERS),
        request(large, TRAILERS, 64),
        request(LIST, TRAILERS, 1, origin="https://evil.example.com"),
        request(LIST, TRAILERS, 1, **{":method": "PUT"}),
        request(LIST, TRAILERS),
    )
    assert [answer["status"] for answer in answers] == [400, 400, 202, 413, 403, 405, 200]
    assert items.upstream.requests() == []


def test_trailers_of_a_chunked_body(gateway: Gateways, items: Items) -> None:
    config = filter_config()
    one = listener(free_port(), [wasm_filter(config)], [mcp_route("/mcp")])
    manager = one["filter_chains"][0]["filters"][0]["typed_config"]
    manager["http_protocol_options"] = {"enable_trailers": True}
    port = one["address"]["socket_address"]["port_value"]
    gateway.start(bootstrap([one], {"api": items.upstream.port}), port)
    head = b"POST /mcp HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n"
    body = b"%x\r\n%s\r\n0\r\nx-checksum: abc\r\n\r\n" % (len(CALL.encode()), CALL.encode())
    status, _, answer = exchange(port, head + b"trailer: x-checksum\r\n\r\n" + body)
    assert (status, json.loads(answer)["id"]) == (200, 2)
    assert items.upstream.only_request().json() == {"name": "é"}


@pytest.fixture
def http2_api(gateway: Gateways, tmp_path: Path) -> Iterator[Mcp]:
    """The items API on an HTTP/2 server, the fetch of its document included."""
    (tmp_path / "openapi.json").write_text(json.dumps(ITEMS))
    upstream = Process([NODE, SCRIPT, "server", str(tmp_path / "openapi.json")], tmp_path / "log")
    port = free_port()
    gateways = [listener(port, [wasm_filter(filter_config())], [mcp_route("/mcp")])]
    config = bootstrap(gateways, {"api": int(eventually(upstream.log))})
    options = {"@type": TYPES + "upstreams.http.v3.HttpProtocolOptions"}
    options["explicit_http_config"] = {"http2_protocol_options": {}}
    [cluster] = config["static_resources"]["clusters"]
    cluster["typed_extension_protocol_options"] = {options["@type"].split("/")[1]: options}
    yield Mcp(gateway.start(config, port).port)
    upstream.stop()


def test_an_http2_api_whose_answers_end_with_trailers(http2_api: Mcp) -> None:
    assert http2_api.tool_names() == ITEM_TOOLS
    assert http2_api.call_text("create_item", {"name": "é"}).count("/v1/items") == 1
    assert "404" in http2_api.call_error("get_item", {"itemId": "missing"})
    [answer] = ask(http2_api.port, request(CALL, TRAILERS))
    [content] = json.loads(answer["body"])["result"]["content"]
    assert '{"name":"é"}' in content["text"]
    assert "checksum" not in answer["body"]
