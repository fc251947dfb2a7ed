"""A gateway before the items API, shared by the tests of one module."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from harness.documents import ITEMS, filter_config
from harness.envoy import Envoy
from harness.gateways import Gateways
from harness.items import Items
from harness.mock import MockUpstream


@pytest.fixture(scope="module")
def upstream() -> Iterator[MockUpstream]:
    mock = MockUpstream()
    yield mock
    mock.close()


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
