"""Real OpenAPI documents through Envoy, every operation exposed: the table of docs/documents.md, and a check of every
tool by another validator than the filter's own.

    documents.py [FOLDER]    default: ../shared/openapi beside the project, or openapi/ of $OPENAPI_MCP_SHARED

Exits with 1 when a document does not load or a tool is not valid. Times are those of this machine.
"""

from __future__ import annotations

import os
import pathlib
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from jsonschema import Draft202012Validator

from harness.corpus import Source, sources
from harness.documents import filter_config
from harness.gateways import Gateways
from harness.mcp import Mcp
from harness.mock import MockUpstream

PAGE = ROOT / "docs" / "documents.md"
NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}")
LEFT_OUT = re.compile(r'event=document_problem .*effect=operation_left_out at=(\S*) problem="(.*?)"')


@dataclass
class Row:
    source: Source
    version: str = ""
    operations: int = 0
    files: int = 0
    tools: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    listed: int = 0
    memory: int = 0
    faults: list[str] = field(default_factory=list)


def measure(source: Source, gateways: Gateways) -> Row:
    row = Row(source, source.version, sum(1 for _ in source.operations()))
    upstream = MockUpstream()
    upstream.on("/", source.answer)
    origin = {"path": "/" + source.entry, "refresh": 0, "maxSize": "64MiB", "maxFiles": 5000}
    config = filter_config({"document": origin}, {"exposure": "all", "lint": "off", "pageSize": 10000})
    begun = time.monotonic()
    envoy = gateways(config, {"api": upstream.port}, workers=1, wait=False)
    started = time.monotonic()
    envoy.wait_for_mcp(timeout=120)
    row.seconds = time.monotonic() - started
    print(f"{source.name}: Envoy after {started - begun:.1f} s, tools after {row.seconds:.2f} s more", flush=True)
    reply = Mcp(envoy.port, timeout=60).request("tools/list")
    row.listed = len(reply.body)
    tools = reply.result()["tools"]
    row.tools = len(tools)
    row.memory = envoy.process.resident_kib()
    row.files = len({request.path for request in upstream.requests()} - {"/" + source.entry})
    for _, problem in LEFT_OUT.findall(envoy.log()):
        row.left_out[re.sub(r"`[^`]*`", "…", problem)] += 1
    for tool in tools:
        row.faults += [f"{source.name} {tool['name']}: {fault}" for fault in faults(tool)]
    upstream.close()
    return row


def faults(tool: dict[str, Any]) -> Iterator[str]:
    schema = tool["inputSchema"]
    if not NAME.fullmatch(tool["name"]):
        yield "the name of the tool"
    if not all(NAME.fullmatch(name) for name in schema["properties"]):
        yield "the name of an argument"
    if schema["type"] != "object" or {"allOf", "anyOf", "oneOf", "not", "if", "$ref"} & set(schema):
        yield "the root of the schema"
    for found in Draft202012Validator(Draft202012Validator.META_SCHEMA).iter_errors(schema):
        yield f"the meta-schema: {found.message[:200]}"
    definitions = schema.get("$defs", {})
    for reference in references(schema):
        if reference.removeprefix("#/$defs/") not in definitions:
            yield f"the reference {reference}"


def references(value: Any) -> Iterator[str]:
    if isinstance(value, list):
        for item in value:
            yield from references(item)
    elif isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"]
        for key, member in value.items():
            if key not in ("const", "default", "enum", "examples"):
                yield from references(member)


def table(rows: list[Row]) -> str:
    lines = [
        "| document | version | operations | tools | left out, and why | ready after | `tools/list` | Envoy's memory |",
        "| --- | --- | ---: | ---: | --- | ---: | ---: | ---: |",
    ]
    for row in rows:
        why = "; ".join(f"{count}: {problem}" for problem, count in row.left_out.items())
        gap = row.operations - row.tools
        if not why and gap:
            why = f"{gap}: not in the profile that is served"
        name = row.source.name + (f" ({row.files} files fetched)" if row.files else "")
        lines.append(
            f"| {name} | {row.version} | {row.operations} | {row.tools} | {why} | {row.seconds:.2f} s "
            f"| {row.listed / 1024:.0f} KiB | {row.memory / 1024:.0f} MiB |"
        )
    return "\n".join(lines) + "\n"


def main() -> None:
    shared = pathlib.Path(os.environ.get("OPENAPI_MCP_SHARED", ROOT.parent / "shared"))
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else shared / "openapi"
    rows = []
    for source in sources(folder):
        gateways = Gateways()
        try:
            rows.append(measure(source, gateways))
        finally:
            gateways.stop()
    text = PAGE.read_text(encoding="utf-8")
    before, _, rest = text.partition("<!-- table -->\n")
    _, _, after = rest.partition("<!-- end -->\n")
    PAGE.write_text(f"{before}<!-- table -->\n{table(rows)}<!-- end -->\n{after}", encoding="utf-8")
    found = [fault for row in rows for fault in row.faults]
    print("\n".join(found[:50]))
    raise SystemExit(1 if found else 0)


if __name__ == "__main__":
    main()
