"""Real MCP clients, each in its modes, against the published example: list the tools and call one."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from harness.mcp import LEGACY, MODERN
from harness.net import ROOT
from harness.stack import Stack

HERE = Path(__file__).resolve().parent
TOOLS = ROOT / ".tools"
NODE = str(TOOLS / "node" / "bin" / "node")
INSPECTOR = str(
    HERE / "node_modules" / "@modelcontextprotocol" / "inspector" / "clients" / "launcher" / "build" / "index.js"
)
REQUEST = {"name": "library_search_books", "arguments": {"query": "harbour", "available": True}}
EXPLORE = ["library_search_books", "library_get_book", "library_book_card", "library_list_genres"]


def python(environment: str) -> str:
    return str(TOOLS / environment / "bin" / "python")


DRIVERS = {
    "typescript-2": [NODE, str(HERE / "typescript_2.mjs")],
    "typescript-1": [NODE, str(HERE / "typescript_1.mjs")],
    "python-2": [python("mcp2"), str(HERE / "python_2.py")],
    "python-1": [python("mcp1"), str(HERE / "python_1.py")],
    "fastmcp": [python("fastmcp"), str(HERE / "fastmcp_4.py")],
}
RUNS = [
    ("typescript-2", "default", LEGACY),
    ("typescript-2", "auto", MODERN),
    ("typescript-2", "pin", MODERN),
    ("typescript-1", "default", LEGACY),
    ("python-2", "auto", MODERN),
    ("python-2", "legacy", LEGACY),
    ("python-1", "default", LEGACY),
    ("fastmcp", "auto", MODERN),
    ("fastmcp", "legacy", LEGACY),
]


def run(command: list[str], tmp_path: Path) -> subprocess.CompletedProcess[str]:
    environment = {
        **os.environ,
        "MCP_CATALOG_PATH": str(tmp_path / "catalog.json"),
        "FASTMCP_CHECK_FOR_UPDATES": "off",
        "NO_COLOR": "1",
    }
    return subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
        env=environment,
        stdin=subprocess.DEVNULL,
        cwd=tmp_path,
    )


def output(command: list[str], tmp_path: Path) -> Any:
    finished = run(command, tmp_path)
    assert finished.returncode == 0, finished.stdout[-2000:] + finished.stderr[-4000:]
    return json.loads(finished.stdout)


def text(result: dict[str, Any]) -> str:
    return "\n".join(block["text"] for block in result["content"])


@pytest.mark.parametrize(("client", "mode", "revision"), RUNS)
def test_a_client_lists_and_calls(stack: Stack, tmp_path: Path, client: str, mode: str, revision: str) -> None:
    shown = output([*DRIVERS[client], stack.endpoint, mode, json.dumps(REQUEST)], tmp_path)
    assert shown["version"] == revision
    assert shown["server"] == "Lending library"
    assert shown["tools"] == EXPLORE
    assert not shown["result"].get("isError")
    assert "| b11 | The Quiet Harbour |" in text(shown["result"])


@pytest.mark.parametrize("client", DRIVERS)
def test_a_failed_call_is_an_error_result_for_every_client(stack: Stack, tmp_path: Path, client: str) -> None:
    request = {"name": "library_get_book", "arguments": {"bookId": "b999"}}
    mode = "default" if client.startswith("typescript") else "auto"
    result = output([*DRIVERS[client], stack.endpoint, mode, json.dumps(request)], tmp_path)["result"]
    assert result["isError"] is True
    assert "There is no book `b999`" in text(result)


@pytest.mark.parametrize(("client", "mode"), [("typescript-2", "auto"), ("python-2", "auto"), ("python-1", "default")])
def test_a_form_is_edited_call_by_call(stack: Stack, tmp_path: Path, client: str, mode: str) -> None:
    """Every call is a client of its own: the session is the gateway's."""

    def call(tool: str, **arguments: Any) -> str:
        request = {"name": f"library_record_{tool}", "arguments": {"bookId": "b4", **arguments}}
        command = [*DRIVERS[client], stack.endpoint + "/staff", mode, json.dumps(request)]
        result = output(command, tmp_path)["result"]
        assert not result.get("isError"), result
        return text(result)

    call("reloadForm")
    assert "/summary (text)" in call("describeState")
    call("setFieldValue", path="/summary", value=f"Read by {client}.")
    call("saveForm")
    assert f"Read by {client}." in call("getData", path="/summary")


def inspector(stack: Stack, tmp_path: Path, *arguments: str) -> Any:
    command = [NODE, INSPECTOR, "--cli", "--server-url", stack.endpoint, "--transport", "http"]
    return output([*command, *arguments, "--format", "json", "-q"], tmp_path)


def result_of(shown: Any) -> Any:
    return shown.get("result", shown)


@pytest.mark.parametrize("era", ["legacy", "auto", "modern"])
def test_the_inspector_lists_and_calls(stack: Stack, tmp_path: Path, era: str) -> None:
    listed = result_of(inspector(stack, tmp_path, "--protocol-era", era, "--method", "tools/list"))
    assert [tool["name"] for tool in listed["tools"]] == EXPLORE
    called = inspector(
        stack, tmp_path, "--protocol-era", era, "--method", "tools/call",
        "--tool-name", REQUEST["name"], "--tool-args-json", json.dumps(REQUEST["arguments"]),
    )  # fmt: skip
    assert "| b11 | The Quiet Harbour |" in text(result_of(called))


@pytest.mark.parametrize("path", ["", "/staff"])
def test_the_inspector_finds_every_schema_portable(stack: Stack, tmp_path: Path, path: str) -> None:
    command = [NODE, INSPECTOR, "--cli", "--server-url", stack.endpoint + path, "--transport", "http"]
    finished = run([*command, "--method", "tools/list", "--strict", "--format", "json", "-q"], tmp_path)
    assert finished.returncode == 0, finished.stdout[-3000:] + finished.stderr[-3000:]
