"""The items API behind a gateway."""

from __future__ import annotations

from .envoy import Envoy
from .mcp import Mcp
from .mock import MockUpstream


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
