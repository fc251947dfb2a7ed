"""Bytes of tools/list per profile, beside FastMCP's from_openapi on the same document.

    list_bytes.py document.json...

Every byte of tools/list is context that an agent pays for. The filter runs in Envoy, once for all profiles and
languages; FastMCP (make .tools/clients.stamp) gets the whole document, and the operations that are annotated.
"""

from __future__ import annotations

import json
import pathlib
import subprocess
import sys
from typing import Any

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "tests")]

from harness import envoy as envoys
from harness.gateways import Gateways
from harness.mcp import MODERN, Mcp

FASTMCP = HERE.parent / ".tools" / "fastmcp" / "bin" / "python"
METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
LOCALES = ("en", "fr")
PEER = """
import asyncio, json, sys
import fastmcp, httpx2
from fastmcp import Client, FastMCP
document = json.load(sys.stdin)
async def main():
    server = FastMCP.from_openapi(document, httpx2.AsyncClient(base_url="http://127.0.0.1:9"))
    async with Client(server) as client:
        tools = await client.list_tools()
    listed = [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in tools]
    def size(left_out):
        kept = [{key: value for key, value in tool.items() if key not in left_out} for tool in listed]
        return len(json.dumps({"tools": kept}, separators=(",", ":"), ensure_ascii=False).encode())
    print(json.dumps([fastmcp.__version__, len(listed), size(()), size(("outputSchema", "_meta"))]))
asyncio.run(main())
"""


def ours(document: dict[str, Any]) -> list[tuple[str, int, int]]:
    """Rows of profile and language, tools and bytes."""
    views = [(profile, locale) for profile in document["x-agent"]["profiles"] for locale in LOCALES]
    routes = [
        {"path": f"/mcp/{profile}/{locale}", "profiles": [profile], "locale": locale, "lint": "warn", "pageSize": 1000}
        for profile, locale in views
    ]
    upstream = {"cluster": "api", "authority": "api.example", "document": {"inline": json.dumps(document)}}
    gateways = Gateways()
    try:
        gateway = gateways(
            {"upstreams": [upstream], "routes": routes},
            {"api": 9},
            routes=[envoys.mcp_route(route["path"]) for route in routes],
            wait=False,
        )
        return [(f"{profile}, {locale}", *listed(gateway, f"/mcp/{profile}/{locale}")) for profile, locale in views]
    finally:
        gateways.stop()


def listed(gateway: envoys.Envoy, path: str) -> tuple[int, int]:
    gateway.wait_for_mcp(path)
    tools = Mcp(gateway.port, path, revision=MODERN).list_tools()
    return len(tools), len(json.dumps({"tools": tools}, separators=(",", ":"), ensure_ascii=False).encode())


def annotated(document: dict[str, Any]) -> dict[str, Any]:
    """The document with nothing but the operations that are opted in."""
    paths = {}
    for path, item in document["paths"].items():
        kept = {key: value for key, value in item.items() if key not in METHODS or "x-agent" in value}
        if any(key in METHODS for key in kept):
            paths[path] = kept
    return {**document, "paths": paths}


def theirs(document: dict[str, Any], what: str) -> list[tuple[str, int, int]]:
    """Rows with and without output schemas and metadata, which the filter does not list by default."""
    run = subprocess.run(
        [str(FASTMCP), "-c", PEER], input=json.dumps(document), capture_output=True, text=True, timeout=120
    )
    if run.returncode:
        return [(f"FastMCP, {what}: {run.stderr.strip().splitlines()[-1]}", 0, 0)]
    version, tools, size, bare = json.loads(run.stdout.splitlines()[-1])
    name = f"FastMCP {version}, {what}"
    return [(name, tools, size), (f"{name}, without outputSchema and _meta", tools, bare)]


def main() -> None:
    for name in sys.argv[1:]:
        document = json.loads(pathlib.Path(name).read_text(encoding="utf-8"))
        rows = ours(document)
        rows += theirs(document, "whole document")
        rows += theirs(annotated(document), "annotated operations")
        print(f"\n{pathlib.Path(name).name}\n\n| | tools | bytes | bytes per tool |\n| --- | --- | --- | --- |")
        for row, tools, size in rows:
            print(f"| {row} | {tools} | {size} | {size // max(tools, 1)} |")


if __name__ == "__main__":
    main()
