"""A gateway before the items API, shared by the tests of one module."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from harness.documents import ITEMS, filter_config
from harness.envoy import Envoy
from harness.mcp import Mcp
from harness.mock import MockUpstream

from conftest import Gateways


class Items:
    """The items API behind Envoy: what the client sees and what the upstream saw."""

    def __init__(self, envoy: Envoy, upstream: MockUpstream):
        self.envoy, self.upstream = envoy, upstream
        self.port = envoy.port
        self.mcp = Mcp(envoy.port)

    def alive(self) -> bool:
        """Whether both workers answer a call: fresh connections spread over them."""
        for _ in range(8):
            client = Mcp(self.port)
            assert not client.call("list_items", {}).get("isError")
            client.close()
        return True


@pytest.fixture(scope="module")
def items_gateway(module_gateway: Gateways) -> Iterator[tuple[Envoy, MockUpstream]]:
    upstream = MockUpstream()
    upstream.serve_document(ITEMS)
    config = filter_config(
        {"timeout": "700ms", "forwardHeaders": ["authorization"], "headers": {"x-client": "mcp"}},
        {"allowedOrigins": ["https://app.example.com"]},
        limits={"upstreamBody": "64KiB"},
    )
    yield module_gateway(config, {"api": upstream.port}), upstream
    upstream.close()


@pytest.fixture
def items(items_gateway: tuple[Envoy, MockUpstream]) -> Iterator[Items]:
    envoy, upstream = items_gateway
    upstream.reset()
    api = Items(envoy, upstream)
    yield api
    api.mcp.close()


@pytest.fixture
def unharmed(items: Items) -> Iterator[None]:
    """After the test no VM was replaced (a trap replaces it) and every worker still answers."""
    before = items.envoy.modules_created()
    yield
    items.upstream.reset()
    assert items.alive()
    assert items.envoy.modules_created() == before, items.envoy.log()[-3000:]
