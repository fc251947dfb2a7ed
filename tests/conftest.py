"""Fixtures of all tests that need Envoy."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from harness import envoy as envoys
from harness.envoy import Envoy
from harness.mock import MockUpstream
from harness.net import ROOT, WASM, free_port
from harness.stack import Stack


@pytest.fixture(scope="session", autouse=True)
def built() -> None:
    if not WASM.exists():
        pytest.exit(f"{WASM.relative_to(ROOT)} is missing: run `make build` first", returncode=1)


@pytest.fixture(scope="session")
def stack() -> Iterator[Stack]:
    """The published example; its records are put back by `library`."""
    running = Stack().wait_ready()
    yield running
    running.stop()


@pytest.fixture
def mock() -> Iterator[MockUpstream]:
    upstream = MockUpstream()
    yield upstream
    upstream.close()


class Gateways:
    """Starts Envoys with the filter and stops them at the end of the test or module."""

    def __init__(self) -> None:
        self._running: list[Envoy] = []

    def __call__(
        self,
        config: dict[str, Any] | str,
        clusters: dict[str, int],
        workers: int = 2,
        routes: list[dict[str, Any]] | None = None,
        leader: bool = False,
        wait: bool = True,
        level: str = "info",
        extra: list[str] | None = None,
        **listener: Any,
    ) -> Envoy:
        port = free_port()
        routes = routes or [envoys.mcp_route("/mcp"), envoys.proxy_route(next(iter(clusters)))]
        listeners = [envoys.listener(port, [envoys.wasm_filter(config)], routes, **listener)]
        extensions = [envoys.leader(config)] if leader and isinstance(config, dict) else []
        return self.start(envoys.bootstrap(listeners, clusters, extensions), port, workers, wait, level, extra)

    def start(
        self,
        bootstrap: dict[str, Any],
        port: int,
        workers: int = 2,
        wait: bool = True,
        level: str = "info",
        extra: list[str] | None = None,
    ) -> Envoy:
        envoy = Envoy(bootstrap, port, workers, level, extra or [])
        self._running.append(envoy)
        envoy.wait_ready()
        return envoy.wait_for_mcp() if wait else envoy

    def stop(self) -> None:
        for envoy in self._running:
            envoy.stop()


@pytest.fixture
def gateway() -> Iterator[Gateways]:
    gateways = Gateways()
    yield gateways
    gateways.stop()


@pytest.fixture(scope="module")
def module_gateway() -> Iterator[Gateways]:
    gateways = Gateways()
    yield gateways
    gateways.stop()


@pytest.fixture(scope="session")
def real_documents() -> Path:
    """Folder of real documents that are not part of the repository."""
    folder = Path(os.environ.get("OPENAPI_MCP_SHARED", ROOT.parent / "shared")) / "openapi"
    if not folder.is_dir():
        pytest.skip(f"no real documents: {folder} is missing; OPENAPI_MCP_SHARED names the folder above `openapi`")
    return folder
