"""From Envoy's start to the last reload of the document."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
import yaml

from harness import envoy as envoys
from harness.documents import ITEM_TOOLS, filter_config, items
from harness.envoy import Envoy, listener, mcp_route, wasm_filter, write_listeners
from harness.gateways import Gateways
from harness.mcp import Mcp
from harness.mock import Answer, MockUpstream
from harness.net import eventually, free_port

REFRESHED = {"document": {"path": "/openapi.json", "refresh": "1s"}}


def names(envoy: Envoy) -> list[str]:
    client = Mcp(envoy.port)
    try:
        return client.tool_names()
    finally:
        client.close()


def everywhere(envoy: Envoy, expected: list[str], connections: int = 12) -> bool:
    """Whether every one of several fresh connections, spread over the workers, lists these tools."""
    return all(names(envoy) == expected for _ in range(connections))


def fetches(upstream: MockUpstream, path: str = "/openapi.json") -> int:
    return len(upstream.requests(path))


def test_before_the_document_the_endpoint_says_so_and_then_recovers(gateway: Gateways) -> None:
    port = free_port()
    envoy = gateway(filter_config(), {"api": port}, wait=False)
    reply = Mcp(envoy.port).request("tools/list")
    assert reply.status == 503
    assert int(reply.headers["retry-after"]) >= 1
    assert reply.json()["id"] == 1
    assert "document" in reply.error()["message"] or "api" in reply.error()["message"]
    upstream = MockUpstream(port)
    upstream.serve_document(items())
    envoy.wait_for_mcp(timeout=30)
    assert names(envoy) == ITEM_TOOLS
    upstream.close()


def test_a_hanging_upstream_does_not_delay_readiness(gateway: Gateways, mock: MockUpstream) -> None:
    mock.on("/openapi.json", Answer(fault="hang"))
    envoy = gateway(filter_config(), {"api": mock.port}, wait=False)
    assert envoy.ping() == 503
    mock.on("/plain", Answer.json({"ok": True}))
    assert Mcp(envoy.port, "/plain").send(b"", {}, "GET").json() == {"ok": True}


@pytest.mark.parametrize("workers", [1, 4])
def test_one_process_fetches_the_document_once(gateway: Gateways, mock: MockUpstream, workers: int) -> None:
    mock.serve_document(items())
    envoy = gateway(filter_config(), {"api": mock.port}, workers)
    assert everywhere(envoy, ITEM_TOOLS, 8 * workers)
    assert fetches(mock) == 1


def test_a_named_leader_fetches_on_the_main_thread(gateway: Gateways, mock: MockUpstream) -> None:
    mock.serve_document(items())
    envoy = gateway(filter_config(), {"api": mock.port}, 2, leader=True)
    assert everywhere(envoy, ITEM_TOOLS)
    assert fetches(mock) == 1


def test_a_refresh_is_conditional_and_changes_nothing(gateway: Gateways, mock: MockUpstream) -> None:
    mock.serve_document(items())
    envoy = gateway(filter_config(REFRESHED), {"api": mock.port}, 4)
    eventually(lambda: fetches(mock) >= 4, what="three refreshes")
    first, *others = mock.requests("/openapi.json")
    assert first.header("if-none-match") is None
    assert {request.header("if-none-match") for request in others} == {others[0].header("if-none-match")}
    assert others[0].header("if-none-match")
    assert everywhere(envoy, ITEM_TOOLS)


def test_last_modified_serves_where_there_is_no_entity_tag(gateway: Gateways, mock: MockUpstream) -> None:
    date = "Mon, 02 Nov 2026 10:00:00 GMT"
    mock.on("/openapi.json", Answer.json(items(), headers={"last-modified": date}))
    gateway(filter_config(REFRESHED), {"api": mock.port})
    eventually(lambda: fetches(mock) >= 2, what="a refresh")
    assert mock.requests("/openapi.json")[1].header("if-modified-since") == date


def test_a_changed_document_replaces_the_tools_on_every_worker(gateway: Gateways, mock: MockUpstream) -> None:
    mock.serve_document(items())
    envoy = gateway(filter_config(REFRESHED), {"api": mock.port}, 4)
    kept_alive = Mcp(envoy.port)
    assert kept_alive.tool_names() == ITEM_TOOLS
    mock.serve_document(items(extra={"name": "added_later"}))
    eventually(lambda: everywhere(envoy, [*ITEM_TOOLS, "added_later"]), what="the new tools")
    assert kept_alive.tool_names() == [*ITEM_TOOLS, "added_later"]


@pytest.mark.parametrize(
    ("bad", "in_log"),
    [
        (Answer(body=b"{ not json"), ""),
        (Answer(body=b"<html>", content_type="text/html"), ""),
        (Answer.json({"openapi": "9.0.0", "paths": {}}), "openapi"),
        (Answer.json(items(extra={"nmae": "x"})), "nmae"),
        (Answer.json(items(first={"name": "get_item"})), "get_item"),
        (Answer(500, b"{}"), "500"),
        (Answer(fault="reset"), ""),
        (Answer(body=b" " * 2_000_000), ""),
    ],
    ids=["not-json", "html", "version", "vocabulary", "one-name-twice", "status", "reset", "too-large"],
)
def test_a_bad_document_is_refused_and_the_last_good_one_kept(
    gateway: Gateways, mock: MockUpstream, bad: Answer, in_log: str
) -> None:
    mock.serve_document(items())
    config = filter_config({"document": {"path": "/openapi.json", "refresh": "1s", "maxSize": "1MiB"}})
    envoy = gateway(config, {"api": mock.port})
    before = envoy.log()
    mock.on("/openapi.json", bad)
    seen = fetches(mock)
    eventually(lambda: fetches(mock) > seen + 1, 20, what="the bad document is fetched")
    assert everywhere(envoy, ITEM_TOOLS)
    eventually(lambda: in_log in envoy.log()[len(before) :] and len(envoy.log()) > len(before), what="a log line")
    mock.serve_document(items(extra={}))
    eventually(lambda: everywhere(envoy, [*ITEM_TOOLS, "extra"]), 30, what="recovery")


def test_a_refused_first_document_is_named_in_the_answer(gateway: Gateways, mock: MockUpstream) -> None:
    mock.serve_document(items(extra={"nmae": "x"}))
    envoy = gateway(filter_config(), {"api": mock.port}, wait=False)
    eventually(lambda: "nmae" in envoy.log(), what="the problem in the log")
    reply = Mcp(envoy.port).request("tools/list")
    assert reply.status == 503
    assert "refused" in reply.error()["message"] or "nmae" in reply.error()["message"]


def test_a_yaml_document(gateway: Gateways, mock: MockUpstream) -> None:
    mock.serve_document(
        yaml.safe_dump(items(), sort_keys=False).encode(), "/openapi.yaml", content_type="application/yaml"
    )
    config = filter_config({"document": {"path": "/openapi.yaml", "refresh": 0}})
    assert names(gateway(config, {"api": mock.port})) == ITEM_TOOLS


def test_an_inline_document_needs_no_fetch(gateway: Gateways, mock: MockUpstream) -> None:
    config = filter_config({"document": {"inline": json.dumps(items())}, "baseUrl": "http://api/v9"})
    envoy = gateway(config, {"api": mock.port})
    envoy.client().call("list_items", {})
    assert mock.only_request().path == "/v9/items"
    assert fetches(mock) == 0


def test_a_document_from_another_cluster(gateway: Gateways, mock: MockUpstream) -> None:
    registry = MockUpstream()
    registry.serve_document(items(), "/docs/items.json")
    document = {
        "path": "/docs/items.json",
        "cluster": "registry",
        "authority": "docs.example.org",
        "headers": {"x-key": "k"},
        "refresh": 0,
    }
    config = filter_config({"document": document, "authority": "api.example.org"})
    envoy = gateway(config, {"api": mock.port, "registry": registry.port})
    request = registry.requests("/docs/items.json")[0]
    assert (request.header("host"), request.header("x-key")) == ("docs.example.org", "k")
    envoy.client().call("list_items", {})
    assert mock.only_request().header("host") == "api.example.org"
    registry.close()


def test_every_route_has_its_own_view(gateway: Gateways, mock: MockUpstream) -> None:
    document = items(extra={"profiles": ["more"], "title": {"en": "Extra", "fr": "En plus"}})
    document["x-agent"] = {"profiles": {"few": {}, "more": {"includes": ["few"]}}}
    mock.serve_document(document)
    config = filter_config()
    config["routes"] = [
        {"path": "/mcp"},
        {"path": "/mcp/more", "profiles": ["more"], "locale": "fr", "namePrefix": "p_"},
    ]
    routes = [mcp_route("/mcp"), mcp_route("/mcp/more")]
    envoy = gateway(config, {"api": mock.port}, routes=routes)
    assert names(envoy) == ITEM_TOOLS
    more = Mcp(envoy.port, "/mcp/more").list_tools()
    assert [tool["name"] for tool in more] == [f"p_{name}" for name in [*ITEM_TOOLS, "extra"]]
    assert more[-1]["title"] == "En plus"
    assert fetches(mock) == 1


class Dynamic:
    """An Envoy whose listener comes from a file."""

    def __init__(self, gateway: Gateways, folder: Path, clusters: dict[str, int], workers: int = 2):
        self.port, self._file = free_port(), folder / "listeners.json"
        self._gateway, self._clusters, self._workers = gateway, clusters, workers

    def configure(self, config: dict[str, Any] | str) -> None:
        write_listeners(self._file, [listener(self.port, [wasm_filter(config)], [mcp_route("/mcp")])])

    def start(self) -> Envoy:
        bootstrap = envoys.bootstrap([], self._clusters, dynamic_listeners=self._file)
        extra = ["--drain-time-s", "1", "--drain-strategy", "immediate"]
        return self._gateway.start(bootstrap, self.port, self._workers, extra=extra)


def test_a_configuration_update_moves_to_the_new_document(
    gateway: Gateways, mock: MockUpstream, tmp_path: Path
) -> None:
    mock.serve_document(items())
    mock.serve_document(items(extra={}), "/openapi-2.json")
    dynamic = Dynamic(gateway, tmp_path, {"api": mock.port})
    dynamic.configure(filter_config(REFRESHED))
    envoy = dynamic.start()
    assert names(envoy) == ITEM_TOOLS
    dynamic.configure(filter_config({"document": {"path": "/openapi-2.json", "refresh": "1s"}}))
    eventually(lambda: envoy.ping() == 200 and everywhere(envoy, [*ITEM_TOOLS, "extra"]), 20, what="the new tools")
    eventually(lambda: quiet(mock, "/openapi.json"), 20, what="the old leader gives up")
    assert not quiet(mock, "/openapi-2.json")


def quiet(upstream: MockUpstream, path: str) -> bool:
    """Whether the document is no longer fetched, for three refresh intervals."""
    before = fetches(upstream, path)
    time.sleep(3.2)
    return fetches(upstream, path) == before


def test_a_bad_configuration_update_is_rejected_and_the_old_one_goes_on(
    gateway: Gateways, mock: MockUpstream, tmp_path: Path
) -> None:
    mock.serve_document(items())
    dynamic = Dynamic(gateway, tmp_path, {"api": mock.port})
    dynamic.configure(filter_config())
    envoy = dynamic.start()
    dynamic.configure(filter_config(route={"profile": "explore"}))
    eventually(lambda: envoy.stats("listener_manager.lds.update_rejected").popitem()[1] >= 1, what="the rejection")
    assert "routes[0].profile" in envoy.log() and "profiles" in envoy.log()
    assert names(envoy) == ITEM_TOOLS


@pytest.mark.parametrize(
    ("config", "named"),
    [
        (filter_config(route={"locle": "fr"}), ["routes[0].locle", "locale"]),
        (
            filter_config({"timeout": "soon", "forwardHeader": []}),
            ["upstreams[0].timeout", "upstreams[0].forwardHeader"],
        ),
        ({"routes": [{}]}, ["upstreams"]),
        ("upstreams: [", []),
    ],
    ids=["unknown-key", "several-problems", "nothing-to-call", "not-yaml"],
)
def test_a_bad_configuration_stops_envoy_at_start(
    gateway: Gateways, config: dict[str, Any] | str, named: list[str]
) -> None:
    with pytest.raises(AssertionError) as refusal:
        gateway(config, {"api": free_port()}, wait=False)
    assert "exited with 1" in str(refusal.value)
    for name in named:
        assert name in str(refusal.value)


def test_listings_are_the_same_bytes_on_every_worker_and_after_a_restart(gateway: Gateways, mock: MockUpstream) -> None:
    mock.serve_document(items())
    listings = set()
    for _ in range(2):
        envoy = gateway(filter_config(), {"api": mock.port}, 4)
        for _ in range(16):
            client = Mcp(envoy.port)
            listings.add(client.request("tools/list").body)
            client.close()
    assert len(listings) == 1


def test_cursors_survive_workers_and_restarts(gateway: Gateways, mock: MockUpstream) -> None:
    mock.serve_document(items())
    config = filter_config(route={"pageSize": 1})
    found: list[str] = []
    cursor: str | None = None
    while True:
        envoy = gateway(config, {"api": mock.port}, 2)
        page = envoy.client().request("tools/list", {"cursor": cursor} if cursor else {}).result()
        found += [tool["name"] for tool in page["tools"]]
        cursor = page.get("nextCursor")
        envoy.stop()
        if cursor is None:
            break
    assert found == ITEM_TOOLS
