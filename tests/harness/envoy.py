"""Envoy processes with generated configurations."""

from __future__ import annotations

import json
import sys
import tempfile
import urllib.request
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from .mcp import Mcp
from .net import HOST, WASM, Process, eventually, free_port

BINARY = Path(sys.executable).parent / "envoy"
TYPES = "type.googleapis.com/envoy.extensions."
LISTENER_TYPE = "type.googleapis.com/envoy.config.listener.v3.Listener"


def address(port: int) -> dict[str, Any]:
    return {"socket_address": {"address": HOST, "port_value": port}}


def cluster(name: str, port: int) -> dict[str, Any]:
    endpoint = {"endpoint": {"address": address(port)}}
    return {
        "name": name,
        "type": "STATIC",
        "connect_timeout": "1s",
        "load_assignment": {"cluster_name": name, "endpoints": [{"lb_endpoints": [endpoint]}]},
    }


def plugin(configuration: Any, name: str = "openapi_mcp", wasm: Path = WASM) -> dict[str, Any]:
    """The plugin part of both kinds of Wasm extension; the configuration travels as its text."""
    text = configuration if isinstance(configuration, str) else json.dumps(configuration)
    return {
        "name": name,
        "root_id": "openapi_mcp",
        "vm_config": {
            "vm_id": "openapi_mcp",
            "runtime": "envoy.wasm.runtime.v8",
            "code": {"local": {"filename": str(wasm)}},
        },
        "configuration": {"@type": "type.googleapis.com/google.protobuf.StringValue", "value": text},
    }


def wasm_filter(configuration: Any) -> dict[str, Any]:
    config = {
        **plugin(configuration),
        "allow_on_headers_stop_iteration": True,
        "failure_policy": "FAIL_RELOAD",
        "reload_config": {"backoff": {"base_interval": "0.1s"}},
    }
    return {
        "name": "envoy.filters.http.wasm",
        "typed_config": {"@type": TYPES + "filters.http.wasm.v3.Wasm", "config": config},
    }


def leader(configuration: dict[str, Any]) -> dict[str, Any]:
    """The bootstrap extension that does the heavy work on the main thread."""
    config = plugin({"role": "leader", **configuration}, "openapi_mcp_leader")
    typed = {"@type": TYPES + "wasm.v3.WasmService", "singleton": True, "config": config}
    return {"name": "envoy.bootstrap.wasm", "typed_config": typed}


def mcp_route(path: str, metadata: dict[str, Any] | None = None) -> dict[str, Any]:
    route: dict[str, Any] = {"match": {"path": path}, "direct_response": {"status": 503}}
    if metadata:
        route["metadata"] = {"filter_metadata": {"openapi_mcp": metadata}}
    return route


def proxy_route(to: str, prefix: str = "/") -> dict[str, Any]:
    return {"match": {"prefix": prefix}, "route": {"cluster": to, "timeout": "30s"}}


def listener(port: int, filters: list[dict[str, Any]], routes: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    manager = {
        "@type": TYPES + "filters.network.http_connection_manager.v3.HttpConnectionManager",
        "stat_prefix": "http",
        "route_config": {"name": "http", "virtual_hosts": [{"name": "all", "domains": ["*"], "routes": routes}]},
        "http_filters": [
            *filters,
            {
                "name": "envoy.filters.http.router",
                "typed_config": {"@type": TYPES + "filters.http.router.v3.Router"},
            },
        ],
    }
    chain = {"filters": [{"name": "envoy.filters.network.http_connection_manager", "typed_config": manager}]}
    return {"name": f"http-{port}", "address": address(port), "filter_chains": [chain], **more}


def bootstrap(
    listeners: list[dict[str, Any]],
    clusters: dict[str, int],
    extensions: Iterable[dict[str, Any]] = (),
    dynamic_listeners: Path | None = None,
) -> dict[str, Any]:
    config: dict[str, Any] = {
        "static_resources": {
            "listeners": listeners,
            "clusters": [cluster(name, port) for name, port in clusters.items()],
        },
        "bootstrap_extensions": list(extensions),
    }
    if dynamic_listeners:
        source = {"path": str(dynamic_listeners)}
        config["dynamic_resources"] = {"lds_config": {"resource_api_version": "V3", "path_config_source": source}}
        config["node"] = {"id": "tests", "cluster": "tests"}
    return config


def write_listeners(path: Path, listeners: list[dict[str, Any]]) -> None:
    """Replace a listener file in one step, as Envoy expects it to be moved into place."""
    resources = [{"@type": LISTENER_TYPE, **one} for one in listeners]
    temporary = path.with_suffix(".new")
    temporary.write_text(json.dumps({"resources": resources}))
    temporary.rename(path)


class Envoy:
    """One running Envoy; `port` is its first listener."""

    def __init__(
        self, config: dict[str, Any], port: int, workers: int = 2, level: str = "info", extra: Iterable[str] = ()
    ):
        self.port, self.admin_port = port, free_port()
        self._folder = tempfile.TemporaryDirectory(prefix="envoy-")
        folder = Path(self._folder.name)
        path = folder / "envoy.json"
        path.write_text(json.dumps({**config, "admin": {"address": address(self.admin_port)}}))
        command = [str(BINARY), "-c", str(path), "-l", "warning", "--component-log-level", f"wasm:{level}"]
        command += ["--concurrency", str(workers), *extra]
        if "--base-id" not in command:
            command += ["--disable-hot-restart"]
        self.process = Process(command, folder / "envoy.log")

    def wait_ready(self, timeout: float = 60.0) -> Envoy:
        try:
            self.process.wait_for_port(self.port, timeout)
        except AssertionError:
            self.stop()
            raise
        return self

    def wait_for_mcp(self, path: str = "/mcp", timeout: float = 60.0) -> Envoy:
        """Until the endpoint has its document: before that it answers 503."""
        eventually(lambda: self.ping(path) == 200, timeout, what=f"{path} answers; log:\n{self.log()[-3000:]}")
        return self

    def ping(self, path: str = "/mcp") -> int:
        client = self.client(path)
        try:
            return client.request("ping").status
        finally:
            client.close()

    def client(self, path: str = "/mcp", **more: Any) -> Mcp:
        return Mcp(self.port, path, **more)

    def admin(self, path: str) -> str:
        with urllib.request.urlopen(f"http://{HOST}:{self.admin_port}{path}", timeout=10) as response:
            return response.read().decode()

    def stats(self, prefix: str = "") -> dict[str, int]:
        """Counters and gauges whose name starts with the prefix."""
        lines = self.admin("/stats").splitlines()
        pairs = (line.partition(": ")[::2] for line in lines if line.startswith(prefix))
        return {name: int(value) for name, value in pairs if value.isdigit()}

    def modules_created(self) -> int:
        """How many Wasm VMs were made so far: one more than before means that a VM trapped."""
        return sum(value for name, value in self.stats("wasm.").items() if name.endswith(".created"))

    def log(self) -> str:
        return self.process.log()

    def stop(self) -> None:
        self.process.stop()
        self._folder.cleanup()


def validate(config: dict[str, Any], extra: Iterable[str] = ()) -> None:
    """Let Envoy check a configuration, the filter's included, without serving anything."""
    with tempfile.TemporaryDirectory(prefix="envoy-") as folder:
        path = Path(folder) / "envoy.json"
        path.write_text(json.dumps(config))
        process = Process([str(BINARY), "-c", str(path), "--mode", "validate", *extra], Path(folder) / "log")
        try:
            assert process.wait(60) == 0, process.log()[-4000:]
        finally:
            process.stop()
