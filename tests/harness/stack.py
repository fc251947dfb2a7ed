"""The example of envoy/ on free local ports: the sample library and an Envoy with the published configuration."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

import yaml

from .envoy import Envoy
from .mcp import Mcp
from .net import HOST, ROOT, WASM, Process, free_port

EXAMPLES = ROOT / "envoy"
PUBLISHED = {"listener": 10000, "upstream": 8080}


class Library:
    """The sample upstream as a process."""

    def __init__(self, folder: Path, port: int | None = None):
        self.port = port or free_port()
        command = [sys.executable, str(EXAMPLES / "upstream" / "server.py"), "--port", str(self.port), "--quiet"]
        self.process = Process(command, folder / "library.log")
        self.process.wait_for_port(self.port, 20)

    def stop(self) -> None:
        self.process.stop()


def example(name: str) -> dict[str, Any]:
    return yaml.safe_load((EXAMPLES / name).read_text(encoding="utf-8"))


def localised(config: Any, ports: dict[int, int], wasm: Path = WASM) -> Any:
    """An example configuration with local addresses, the given ports and the built filter."""
    if isinstance(config, list):
        return [localised(item, ports, wasm) for item in config]
    if not isinstance(config, dict):
        return config
    if "port_value" in config:
        return {"address": HOST, "port_value": ports[config["port_value"]]}
    if "filename" in config:
        return {"filename": str(wasm)}
    return {key: localised(value, ports, wasm) for key, value in config.items()}


def example_bootstrap(listener: int, upstream: int, leader: bool = False) -> dict[str, Any]:
    """envoy.yaml, with leader.yaml where asked for; the admin endpoint is left to the harness."""
    config = example("envoy.yaml")
    del config["admin"]
    if leader:
        config.update(example("leader.yaml"))
    return localised(config, {PUBLISHED["listener"]: listener, PUBLISHED["upstream"]: upstream})


class Stack:
    """The sample library behind Envoy, serving once `wait_ready` returns."""

    def __init__(self, workers: int = 2, leader: bool = False):
        self._folder = tempfile.TemporaryDirectory(prefix="library-")
        self.library = Library(Path(self._folder.name))
        port = free_port()
        try:
            self.envoy = Envoy(example_bootstrap(port, self.library.port, leader), port, workers)
        except BaseException:
            self.library.stop()
            raise

    @property
    def port(self) -> int:
        return self.envoy.port

    @property
    def endpoint(self) -> str:
        return f"http://{HOST}:{self.port}/mcp"

    def wait_ready(self) -> Stack:
        try:
            self.envoy.wait_ready().wait_for_mcp()
        except BaseException:
            self.stop()
            raise
        return self

    def client(self, path: str = "/mcp", **more: Any) -> Mcp:
        return self.envoy.client(path, **more)

    def stop(self) -> None:
        self.envoy.stop()
        self.library.stop()
        self._folder.cleanup()
