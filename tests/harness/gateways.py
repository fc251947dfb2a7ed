"""Envoys with the filter, started on demand and stopped together."""

from __future__ import annotations

from typing import Any

from . import envoy as envoys
from .envoy import Envoy
from .net import free_port


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
