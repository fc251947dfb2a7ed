"""Operations exposed by rule, by an overlay, and by a search."""

from __future__ import annotations

import copy
import gzip
import json
from pathlib import Path
from typing import Any

from harness.documents import ITEMS, filter_config
from harness.envoy import mcp_route, proxy_route
from harness.gateways import Gateways
from harness.mcp import LEGACY, MODERN, Mcp
from harness.mock import Answer, MockUpstream
from harness.net import eventually

OVERLAY = "/overlay.yaml"


def plain() -> dict[str, Any]:
    """The items document as its owner wrote it: without annotations, one operation without a name."""
    document = copy.deepcopy(ITEMS)
    for item in document["paths"].values():
        for operation in item.values():
            operation.pop("x-agent", None)
    del document["paths"]["/items/{itemId}"]["delete"]["operationId"]
    return document


def test_rules_and_route_metadata_choose_operations(gateway: Gateways, mock: MockUpstream) -> None:
    mock.serve_document(plain())
    rules = {"include": [{"paths": ["/items"]}, {"methods": ["delete"]}], "exclude": [{"operationIds": ["create*"]}]}
    words = ["all", "readOnly", "annotated"]
    config = filter_config(route={"exposure": rules})
    config["routes"] += [{"path": f"/{word}"} for word in words]
    routes = [mcp_route("/mcp"), *(mcp_route(f"/{word}", {"exposure": word}) for word in words), proxy_route("api")]
    envoy = gateway(config, {"api": mock.port}, routes=routes)
    client = Mcp(envoy.port)
    assert client.tool_names() == ["delete_items_item_id", "list_items"]
    client.call_text("delete_items_item_id", {"itemId": "a/b"})
    assert (mock.only_request().method, mock.only_request().path) == ("DELETE", "/v1/items/a%2Fb")
    names = {word: Mcp(envoy.port, f"/{word}").tool_names() for word in words}
    assert names == {
        "all": ["get_item", "delete_items_item_id", "list_items", "create_item"],
        "readOnly": ["get_item", "list_items"],
        "annotated": [],
    }


def test_a_fetched_overlay_annotates_a_document_and_can_change(gateway: Gateways, mock: MockUpstream) -> None:
    mock.serve_document(plain())

    def serve(name: str) -> None:
        text = f"""
overlay: 1.0.0
info: {{ title: agents, version: 1.0.0 }}
actions:
- target: $.paths['/items'].get
  update: {{ x-agent: {{ name: {name}, description: Finds things. }} }}
- target: $.paths.*.get.parameters[?@.name == 'limit']
  remove: true
- target: $.paths['/nothing']
  remove: true
"""
        mock.serve_document(text.encode(), OVERLAY, content_type="application/yaml")

    serve("find_things")
    config = filter_config({"overlays": [{"path": OVERLAY, "refresh": "1s"}]})
    envoy = gateway(config, {"api": mock.port})
    client = Mcp(envoy.port)
    [tool] = client.list_tools()
    assert (tool["name"], tool["description"]) == ("find_things", "Finds things.")
    assert list(tool["inputSchema"]["properties"]) == ["q"]
    client.call_text("find_things", {"q": "x"})
    assert [one.query for one in mock.requests("/v1/items")] == ["q=x"]
    assert "at=overlays[0].actions[2].target" in envoy.log()
    serve("look_up_things")
    eventually(lambda: client.tool_names() == ["look_up_things"], 10)


def test_without_its_overlay_a_document_is_not_served(gateway: Gateways, mock: MockUpstream) -> None:
    mock.serve_document(plain())
    mock.on(OVERLAY, Answer(404))
    config = filter_config({"overlays": [{"path": OVERLAY}]}, {"exposure": "all"})
    envoy = gateway(config, {"api": mock.port}, wait=False)
    client = Mcp(envoy.port)
    eventually(lambda: "overlays[0]: HTTP status 404" in client.request("tools/list").body.decode(), 10)
    assert client.request("tools/list").status == 503
    overlay = {"overlay": "1.1.0", "info": {"title": "t", "version": "1"}, "actions": [{"target": "$.pats[0:1]"}]}
    mock.serve_document(overlay, OVERLAY)
    eventually(lambda: "slices are not supported" in client.request("tools/list").body.decode(), 20)


def search_client(envoy_port: int, revision: str) -> Mcp:
    client = Mcp(envoy_port, revision=revision)
    names = ["search_operations", "describe_operation", "call_operation"]
    assert client.tool_names() == names
    return client


def test_operations_are_found_described_and_called(gateway: Gateways, mock: MockUpstream) -> None:
    mock.serve_document(plain())
    envoy = gateway(filter_config(route={"exposure": "search"}), {"api": mock.port})
    for revision in (LEGACY, MODERN):
        mock.reset()
        client = search_client(envoy.port, revision)
        found = client.call_text("search_operations", {"query": "make a new item"})
        assert found.splitlines()[0] == "- create_item(name, …): Create an item [POST /items]"
        described = client.call_text("describe_operation", {"name": "create_item"})
        schema = json.loads(described.splitlines()[-1])
        assert schema["properties"]["count"] == {"type": "integer"}
        call = {"name": "create_item", "arguments": {"name": "n", "count": "many"}}
        refusal = client.call_error("call_operation", call)
        assert "/count: expected integer" in refusal and "`describe_operation`" in refusal
        assert mock.requests() == []
        call["arguments"]["count"] = 2
        client.call_text("call_operation", call)
        assert mock.only_request().json() == {"name": "n", "count": 2}
        assert client.request("tools/call", {"name": "create_item", "arguments": {}}).error()["code"] == -32602
    prefix = "wasmcustom.openapi_mcp.tool_calls."
    assert envoy.stats(prefix) == {
        f"{prefix}create_item.invalid_arguments": 2,
        f"{prefix}create_item.success": 2,
        f"{prefix}describe_operation.success": 2,
        f"{prefix}search_operations.success": 2,
    }


def test_githubs_api_is_worked_with_in_a_few_kilobytes(
    real_documents: Path, gateway: Gateways, mock: MockUpstream
) -> None:
    mock.serve_document(gzip.decompress((real_documents / "github-rest-3.0.json.gz").read_bytes()))
    envoy = gateway(filter_config(route={"exposure": "search", "lint": "off"}), {"api": mock.port})
    client = Mcp(envoy.port)
    size = len(client.request("tools/list").body)
    for tool, arguments in [
        ("search_operations", {"query": "star a repository"}),
        ("describe_operation", {"name": "activity_star_repo_for_authenticated_user"}),
    ]:
        reply = client.request("tools/call", {"name": tool, "arguments": arguments})
        assert "activity_star_repo_for_authenticated_user" in reply.body.decode()
        size += len(reply.body)
    arguments = {"owner": "o", "repo": "r"}
    client.call_text("call_operation", {"name": "activity_star_repo_for_authenticated_user", "arguments": arguments})
    assert (mock.only_request().method, mock.only_request().path) == ("PUT", "/user/starred/o/r")
    assert size < 8_000
