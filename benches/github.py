"""GitHub's document served by the filter and by FastMCP's `from_openapi`: load, memory, list, search and call.

    github.py [--rounds 3] [--seconds 2]

Needs the folder of real documents (see documents.py). The servers take turns within each round, each started afresh,
before the same nginx; the table shows medians. Times are those of this machine; the ratios are what to look at.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import signal
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path[:0] = [str(ROOT / "tests"), str(HERE)]

from bench import ensure_programs, load
from harness.corpus import sources
from harness.documents import filter_config
from harness.envoy import Envoy, bootstrap, listener, mcp_route, proxy_route, wasm_filter
from harness.mcp import Mcp
from harness.net import HOST, Process, free_port
from targets import Stub, plain

DOCUMENT = "github-rest-3.0.json.gz"
FASTMCP = ROOT / ".tools" / "fastmcp" / "bin" / "python"
TOPICS = {"owner": "octocat", "repo": "hello-world"}
ANSWER = '{"names":["octocat","atom","electron","api"]}'
QUERY = {"query": "create an issue in a repository"}
LISTS = 5
Found = dict[str, float]


class Ours:
    """Envoy with one worker and the filter."""

    tool, search, call = "repos_get_all_topics", "search_operations", "call_operation"

    def __init__(self, stub: Stub, exposure: str):
        self.port = free_port()
        upstream = {"baseUrl": "https://api.github.com", "document": {"path": "/openapi.json", "refresh": 0}}
        config = filter_config(upstream, {"exposure": exposure, "lint": "off", "pageSize": 10000})
        routes = [mcp_route("/mcp"), proxy_route("api")]
        listeners = [listener(self.port, [wasm_filter(config)], routes)]
        self._envoy = Envoy(bootstrap(listeners, {"api": stub.port}), self.port, 1, "error")
        self.process = self._envoy.process

    def stop(self) -> None:
        self._envoy.stop()


class Theirs:
    """One process of FastMCP."""

    tool, search, call = "reposget_all_topics", "search_tools", "call_tool"

    def __init__(self, stub: Stub, exposure: str):
        self.port = free_port()
        how = "search" if exposure == "search" else "list"
        command = [str(FASTMCP), str(HERE / "fastmcp_server.py"), f"http://{HOST}:{stub.port}", str(self.port), how]
        self.process = Process(command, stub.folder / "fastmcp.log")

    def stop(self) -> None:
        self.process.stop()


Server = Ours | Theirs


def request(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments}}


def first_call(start: Callable[[], Server], call: dict[str, Any]) -> tuple[Server, float]:
    """A server, and the seconds from the start of its process to its first answer to a call."""
    began = time.monotonic()
    server = start()
    while not answers(server, call):
        if time.monotonic() - began > 120 or not server.process.running():
            raise SystemExit(f"no answer:\n{server.process.log()[-4000:]}")
        time.sleep(0.02)
    return server, time.monotonic() - began


def answers(server: Server, call: dict[str, Any]) -> bool:
    client = Mcp(server.port, timeout=60)
    try:
        reply = client.request(call["method"], call["params"])
    except OSError:
        return False
    finally:
        client.close()
    if reply.status != 200:
        return False
    assert b"electron" in reply.body and not reply.result().get("isError"), reply
    return True


def timed(client: Mcp, method: str, params: dict[str, Any]) -> tuple[float, bytes]:
    began = time.monotonic()
    reply = client.request(method, params)
    took = time.monotonic() - began
    assert reply.status == 200 and not reply.result().get("isError"), reply.body[:2000]
    return took, reply.body


def measure(kind: type[Server], stub: Stub, exposure: str, seconds: int, bare: float) -> Found:
    """All values of one server, which is started and stopped."""
    call = {"name": kind.tool, "arguments": TOPICS}
    call = request(kind.call, call) if exposure == "search" else request(**call)
    server, first = first_call(lambda: kind(stub, exposure), call)
    found: Found = {"first call": first, "processor": processor_seconds(server.process.pid)}
    try:
        client = Mcp(server.port, timeout=60)
        first_list, body = timed(client, "tools/list", {})
        found |= {"first list": first_list, "list bytes": len(body)}
        found["list"] = statistics.median(timed(client, "tools/list", {})[0] for _ in range(LISTS))
        if exposure == "search":
            query = {"name": kind.search, "arguments": QUERY}
            found["first search"], body = timed(client, "tools/call", query)
            found["search bytes"] = len(body)
            found["search"] = p50(server, request(kind.search, QUERY), seconds)
        client.close()
        found["call"] = p50(server, call, seconds)
        found["memory"] = server.process.resident_kib() / 1024 - (bare if kind is Ours else 0)
    finally:
        server.stop()
    return found


def p50(server: Server, message: dict[str, Any], seconds: int) -> float:
    load(server.port, "/mcp", json.dumps(message), 1, 1)  # warm up
    return load(server.port, "/mcp", json.dumps(message), 1, seconds)["p50"] / 1e6


def processor_seconds(pid: int) -> float:
    """Time that all threads of a process ran so far: it depends little on what else the machine does."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def bare_envoy(stub: Stub) -> float:
    """MiB of an Envoy that only proxies, after some requests."""
    envoy = plain(stub).wait_ready()
    load(envoy.port, "/repos", "", 1, 1)
    size = envoy.process.resident_kib() / 1024
    envoy.stop()
    return size


ROWS = [
    ("every operation a tool", "all", "first call", "from the start of the process to the first served `tools/call`"),
    ("every operation a tool", "all", "processor", "processor time until then"),
    ("every operation a tool", "all", "memory", "resident memory for each worker"),
    ("every operation a tool", "all", "list bytes", "bytes of `tools/list`"),
    ("every operation a tool", "all", "first list", "first `tools/list`"),
    ("every operation a tool", "all", "list", "further `tools/list`, median"),
    ("every operation a tool", "all", "call", "`tools/call`, p50"),
    ("search", "search", "first call", "from the start of the process to the first served call"),
    ("search", "search", "processor", "processor time until then"),
    ("search", "search", "memory", "resident memory for each worker"),
    ("search", "search", "list bytes", "bytes of `tools/list`"),
    ("search", "search", "search bytes", "bytes of the answer to a search"),
    ("search", "search", "first search", "first search"),
    ("search", "search", "search", "further searches, p50"),
    ("search", "search", "call", "call of an operation, p50"),
]


def shown(key: str, value: float) -> str:
    if key == "memory":
        return f"{value:.0f} MiB"
    if key.endswith("bytes"):
        return f"{value:,.0f}"
    return f"{value:.2f} s" if value >= 1 else f"{value * 1e3:.2f} ms"


def table(rounds: dict[tuple[type[Server], str], list[Found]]) -> str:
    lines = ["| exposure | what | ours | FastMCP | FastMCP / ours |", "| --- | --- | ---: | ---: | ---: |"]
    for title, exposure, key, what in ROWS:
        ours, theirs = (statistics.median(found[key] for found in rounds[kind, exposure]) for kind in (Ours, Theirs))
        lines.append(f"| {title} | {what} | {shown(key, ours)} | {shown(key, theirs)} | {theirs / ours:.1f} |")
    return "\n".join(lines)


def document() -> dict[str, Any]:
    folder = pathlib.Path(os.environ.get("OPENAPI_MCP_SHARED", ROOT.parent / "shared")) / "openapi"
    if not (folder / DOCUMENT).exists():
        raise SystemExit(f"{folder / DOCUMENT} is missing: OPENAPI_MCP_SHARED names the folder above `openapi`")
    return next(source.document for source in sources(folder) if source.name == DOCUMENT)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3, help="rounds of which the median is shown")
    parser.add_argument("--seconds", type=int, default=2, help="length of one measurement of latency")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    github = document()
    ensure_programs()
    cases = [(kind, exposure) for exposure in ("all", "search") for kind in (Ours, Theirs)]
    rounds: dict[tuple[type[Server], str], list[Found]] = {case: [] for case in cases}
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        stub = Stub(pathlib.Path(folder), ANSWER)
        try:
            stub.publish(github)
            bare = bare_envoy(stub)
            for _ in range(options.rounds):
                for kind, exposure in cases:
                    found = measure(kind, stub, exposure, options.seconds, bare)
                    print(f"{kind.__name__} {exposure}: {found}", flush=True)
                    rounds[kind, exposure].append(found)
        finally:
            stub.stop()
    print("\n" + table(rounds))


if __name__ == "__main__":
    main()
