"""What is measured: an nginx stub, plain Envoy, Envoy's own MCP bridge and the filter, all for the same small API."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from harness.documents import filter_config
from harness.envoy import TYPES, Envoy, bootstrap, leader, listener, mcp_route, proxy_route, wasm_filter
from harness.net import HOST, Process, free_port

PET_SCHEMA = {
    "type": "object",
    "properties": {"petId": {"type": "string"}, "fields": {"type": "array", "items": {"type": "string"}}},
    "required": ["petId"],
    "additionalProperties": False,
}
PLAIN_TOOLS = ["deletePet", "noContent", "searchPets", "listOwners", "getStore"]
PET = '{"id":42,"name":"Rex","tag":"dog","seen":"$request_method $request_uri"}'
DESCRIPTION = "Get one pet by its identifier"


def document(padding: int = 0) -> dict[str, Any]:
    """Six operations; the padding makes the listing as long as that of the bridge."""
    parameters = [
        {"name": "petId", "in": "path", "required": True, "schema": {"type": "string"}},
        {"name": "fields", "in": "query", "schema": {"type": "array", "items": {"type": "string"}}},
    ]
    response = {"200": {"description": "ok", "content": {"application/json": {"schema": {"type": "object"}}}}}
    paths: dict[str, Any] = {
        "/pets/{petId}": {
            "get": {
                "operationId": "getPet",
                "summary": DESCRIPTION + "." * padding,
                "parameters": parameters,
                "responses": response,
                "x-agent": {"name": "getpet"},
            }
        }
    }
    for name in PLAIN_TOOLS:
        operation = {"operationId": name, "summary": f"Call {name}", "responses": response}
        paths[f"/{name}"] = {"get": {**operation, "x-agent": {"name": name.lower()}}}
    return {"openapi": "3.1.0", "info": {"title": "pets", "version": "1"}, "servers": [{"url": "/"}], "paths": paths}


def big_document(operations: int = 1000, schemas: int = 100) -> dict[str, Any]:
    """A document of half a megabyte: chains of five schemas, one GET and one PUT per path."""
    text = "Part of a record, with a description as long as those that people write"
    components = {}
    for number in range(schemas):
        properties: dict[str, Any] = {f"p{n}": {"type": "string", "description": text} for n in range(12)}
        if number % 5:
            properties["part"] = {"$ref": f"#/components/schemas/R{number - 1}"}
        components[f"R{number}"] = {"type": "object", "required": ["p0", "p1"], "properties": properties}
    paths = {f"/records/k{n}/{{id}}": _record(n, schemas) for n in range(operations // 2)}
    return {
        "openapi": "3.0.3",
        "info": {"title": "big", "version": "2"},
        "servers": [{"url": "/"}],
        "paths": paths,
        "components": {"schemas": components},
    }


def _record(number: int, schemas: int) -> dict[str, Any]:
    key = {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}
    fields = {"name": "fields", "in": "query", "schema": {"type": "array", "items": {"type": "string"}}}
    content = {"application/json": {"schema": {"$ref": f"#/components/schemas/R{number % schemas}"}}}
    body = {"application/json": {"schema": {"$ref": f"#/components/schemas/R{number * 7 % schemas}"}}}
    return {
        "get": {
            "operationId": f"getRecord{number}",
            "summary": f"Get record {number}",
            "description": "Returns one record by its identifier, together with the records that belong to it.",
            "parameters": [key, fields],
            "responses": {"200": {"description": "ok", "content": content}},
            "x-agent": {},
        },
        "put": {
            "operationId": f"putRecord{number}",
            "parameters": [key],
            "requestBody": {"content": body},
            "responses": {"204": {"description": "stored"}},
            "x-agent": {},
        },
    }


class Stub:
    """nginx as the upstream; fetches of the document are logged with their time."""

    def __init__(self, folder: Path, answer: str = PET):
        self.port, self.folder = free_port(), folder
        self.fetches = folder / "fetches.log"
        folder.chmod(0o755)  # as root, nginx serves files as another user
        config = folder / "nginx.conf"
        config.write_text(NGINX.format(folder=folder, host=HOST, port=self.port, answer=answer))
        self.publish(document())
        command = ["nginx", "-e", str(folder / "error.log"), "-c", str(config), "-p", str(folder)]
        self.process = Process(command, folder / "nginx.log")
        self.process.wait_for_port(self.port, 10)

    def publish(self, value: dict[str, Any]) -> int:
        """Replace the document in one step; its size in bytes."""
        temporary = self.folder / "openapi.new"
        size = temporary.write_text(json.dumps(value))
        temporary.rename(self.folder / "openapi.json")
        return size

    def last_full_fetch(self) -> float:
        lines = [line.split() for line in self.fetches.read_text().splitlines()]
        return max((float(time) for time, status in lines if status == "200"), default=0.0)

    def stop(self) -> None:
        self.process.stop()


NGINX = """
worker_processes 1;
daemon off;
pid {folder}/nginx.pid;
events {{ worker_connections 1024; }}
http {{
  access_log off;
  keepalive_requests 100000000;
  keepalive_timeout 600s;
  default_type application/json;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  log_format fetch '$msec $status';
  server {{
    listen {host}:{port} backlog=1024;
    location = /openapi.json {{ root {folder}; access_log {folder}/fetches.log fetch; }}
    location / {{ return 200 '{answer}'; }}
  }}
}}
"""


def plain(stub: Stub, workers: int = 1) -> Envoy:
    port = free_port()
    return Envoy(bootstrap([listener(port, [], [proxy_route("api")])], {"api": stub.port}), port, workers, "error")


def bridge(stub: Stub, padding: int = 0) -> Envoy:
    port = free_port()
    tools = [
        {
            "name": "getpet",
            "http_rule": {"get": "/pets/{petId}"},
            "tool_list_config": {"description": DESCRIPTION + "." * padding, "input_schema": json.dumps(PET_SCHEMA)},
        }
    ]
    for name in PLAIN_TOOLS:
        rule = {"name": name.lower(), "http_rule": {"get": f"/{name}"}}
        tools.append({**rule, "tool_list_config": {"description": f"Call {name}"}})
    typed = {
        "@type": TYPES + "filters.http.mcp_json_rest_bridge.v3.McpJsonRestBridge",
        "server_info": {"description": "pets"},
        "request_storage_mode": "DYNAMIC_METADATA",
        "tool_config": {"default_server_info": {"path": "/mcp"}, "tool_list_local": {}, "tools": tools},
    }
    filters = [{"name": "envoy.filters.http.mcp_json_rest_bridge", "typed_config": typed}]
    return Envoy(bootstrap([listener(port, filters, [proxy_route("api")])], {"api": stub.port}), port, 1, "error")


def ours(stub: Stub, workers: int = 1, refresh: str | int = 0, main_thread: bool = False) -> Envoy:
    """The filter; with `main_thread` a bootstrap extension compiles documents there."""
    port = free_port()
    config = filter_config({"document": {"path": "/openapi.json", "refresh": refresh}})
    routes = [mcp_route("/mcp"), proxy_route("api")]
    extensions = [leader(config)] if main_thread else []
    listeners = [listener(port, [wasm_filter(config)], routes)]
    return Envoy(bootstrap(listeners, {"api": stub.port}, extensions), port, workers, "error")
