"""A small MCP client for tests: it sends what it is told and checks nothing by itself."""

from __future__ import annotations

import http.client
import json
from dataclasses import dataclass
from typing import Any

from .net import HOST

LEGACY = "2025-11-25"
MODERN = "2026-07-28"
NAMED = {"tools/call": "name", "resources/read": "uri", "prompts/get": "name"}
META = "io.modelcontextprotocol/"


@dataclass(frozen=True)
class Reply:
    status: int
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)

    def result(self) -> Any:
        value = self.json()
        assert "result" in value, f"HTTP {self.status}: {value}"
        return value["result"]

    def error(self) -> Any:
        value = self.json()
        assert "error" in value, f"HTTP {self.status}: {value}"
        return value["error"]


class Mcp:
    """One MCP endpoint, over one kept-alive connection."""

    def __init__(
        self,
        port: int,
        path: str = "/mcp",
        revision: str = LEGACY,
        headers: dict[str, str] | None = None,
        timeout: float = 15.0,
    ):
        self.port, self.path, self.revision, self.headers = port, path, revision, headers or {}
        self._connection = http.client.HTTPConnection(HOST, port, timeout=timeout)
        self._id = 0

    def close(self) -> None:
        self._connection.close()

    def message(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        """A request of the revision, with the metadata that 2026-07-28 wants."""
        self._id += 1
        params = dict(params or {})
        if self.revision == MODERN:
            params["_meta"] = {
                META + "protocolVersion": MODERN,
                META + "clientCapabilities": {},
                META + "clientInfo": {"name": "tests", "version": "1"},
                **params.get("_meta", {}),
            }
        return {"jsonrpc": "2.0", "id": self._id, "method": method, "params": params}

    def headers_of(self, message: dict[str, Any]) -> dict[str, str]:
        headers = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
        if message["method"] != "initialize":
            headers["mcp-protocol-version"] = self.revision
        if self.revision == MODERN:
            headers["mcp-method"] = message["method"]
            if message["method"] in NAMED:
                headers["mcp-name"] = message["params"][NAMED[message["method"]]]
        return {**headers, **self.headers}

    def send(self, body: bytes, headers: dict[str, str], method: str = "POST") -> Reply:
        try:
            self._connection.request(method, self.path, body, headers)
            response = self._connection.getresponse()
            names = {name.lower(): value for name, value in response.getheaders()}
            return Reply(response.status, names, response.read())
        except Exception:
            self._connection.close()
            raise

    def request(
        self, method: str, params: dict[str, Any] | None = None, headers: dict[str, str] | None = None
    ) -> Reply:
        message = self.message(method, params)
        return self.send(json.dumps(message).encode(), {**self.headers_of(message), **(headers or {})})

    def initialize(self) -> Any:
        client = {"name": "tests", "version": "1"}
        return self.request(
            "initialize", {"protocolVersion": self.revision, "capabilities": {}, "clientInfo": client}
        ).result()

    def list_tools(self) -> list[dict[str, Any]]:
        tools: list[dict[str, Any]] = []
        cursor = None
        while True:
            page = self.request("tools/list", {"cursor": cursor} if cursor else {}).result()
            tools += page["tools"]
            cursor = page.get("nextCursor")
            if cursor is None:
                return tools

    def tool_names(self) -> list[str]:
        return [tool["name"] for tool in self.list_tools()]

    def call(self, name: str, arguments: dict[str, Any] | None = None, headers: dict[str, str] | None = None) -> Any:
        params = {"name": name} if arguments is None else {"name": name, "arguments": arguments}
        return self.request("tools/call", params, headers).result()

    def call_text(self, name: str, arguments: dict[str, Any] | None = None) -> str:
        result = self.call(name, arguments)
        assert not result.get("isError"), result
        return text_of(result)

    def call_error(self, name: str, arguments: dict[str, Any] | None = None) -> str:
        result = self.call(name, arguments)
        assert result.get("isError") is True, result
        return text_of(result)


def text_of(result: dict[str, Any]) -> str:
    return "\n".join(block["text"] for block in result["content"] if block["type"] == "text")
