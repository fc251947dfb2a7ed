"""Documents of several files, and of the oldest version, through Envoy."""

from __future__ import annotations

import json
from typing import Any

import yaml

from harness.documents import filter_config
from harness.gateways import Gateways
from harness.mcp import Mcp
from harness.mock import Answer, MockUpstream
from harness.net import eventually

FILES = {
    "/docs/openapi.yaml": {
        "openapi": "3.0.3",
        "info": {"title": "Parts", "version": "1"},
        "servers": [{"url": "/v1"}],
        "paths": {"/pets/{id}": {"$ref": "paths/pet.yaml"}},
    },
    "/docs/paths/pet.yaml": {
        "parameters": [{"$ref": "../parts.yaml#/parameters/Id"}],
        "get": {"operationId": "getPet", "responses": {"200": {"$ref": "../parts.yaml#/responses/Pet"}}},
        "delete": {
            "operationId": "deletePet",
            "parameters": [{"name": "q", "in": "query", "schema": {"$ref": "http://127.0.0.1:9/internal.json"}}],
            "responses": {},
        },
        "put": {
            "operationId": "putPet",
            "parameters": [{"name": "q", "in": "query", "schema": {"$ref": "https://other.test/shared/q.json"}}],
            "responses": {},
        },
    },
    "/docs/parts.yaml": {
        "parameters": {"Id": {"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}}},
        "responses": {"Pet": {"description": "a pet"}},
    },
}


def upstream_of(files: dict[str, Any]) -> MockUpstream:
    upstream = MockUpstream()
    for path, file in files.items():
        upstream.on(path, Answer(200, yaml.safe_dump(file).encode()))
    return upstream


def route(document: dict[str, Any]) -> dict[str, Any]:
    document = {"path": "/docs/openapi.yaml", "refresh": 0, **document}
    return filter_config({"document": document, "authority": "api.test"}, {"exposure": "all"})


def test_files_are_fetched_once_and_others_never(gateway: Gateways) -> None:
    upstream = upstream_of(FILES)
    other = upstream_of({"/shared/q.json": {"type": "string", "enum": ["shared"]}})
    listed = {"location": "https://other.test/shared/", "cluster": "other"}
    envoy = gateway(route({"references": [listed]}), {"api": upstream.port, "other": other.port})
    client = Mcp(envoy.port)
    assert client.tool_names() == ["get_pet", "put_pet"]
    assert "shared" in json.dumps(client.list_tools())
    fetched = [request.path for request in upstream.requests()]
    assert sorted(fetched) == sorted(FILES)
    assert [request.path for request in other.requests()] == ["/shared/q.json"]
    upstream.reset()
    client.call("get_pet", {"id": 7})
    assert upstream.only_request().path == "/v1/pets/7"
    assert "at=/$files/paths~1pet.yaml/delete/parameters/0/schema/$ref" in envoy.log()
    upstream.close()
    other.close()


def test_a_limit_that_is_exceeded_is_named_to_whoever_asks(gateway: Gateways) -> None:
    upstream = upstream_of(FILES)
    envoy = gateway(route({"maxFiles": 1}), {"api": upstream.port}, wait=False)
    client = Mcp(envoy.port)

    def refused() -> str:
        reply = client.request("tools/list")
        return reply.body.decode() if reply.status == 503 and b"refused" in reply.body else ""

    assert "`document.maxFiles` (1)" in eventually(refused, 10)
    upstream.close()


def test_swagger_2_is_served(gateway: Gateways) -> None:
    document = {
        "swagger": "2.0",
        "info": {"title": "Old", "version": "1"},
        "basePath": "/v2",
        "paths": {
            "/pets": {
                "post": {
                    "operationId": "addPet",
                    "parameters": [
                        {"name": "tags", "in": "query", "type": "array", "items": {"type": "string"}},
                        {"name": "name", "in": "formData", "type": "string", "required": True},
                    ],
                    "responses": {"201": {"description": "made"}},
                }
            }
        },
    }
    upstream = upstream_of({"/docs/openapi.yaml": document})
    envoy = gateway(route({}), {"api": upstream.port})
    upstream.reset()
    Mcp(envoy.port).call("add_pet", {"tags": ["a", "b"], "name": "x y"})
    request = upstream.only_request()
    assert (request.method, request.path, request.query) == ("POST", "/v2/pets", "tags=a,b")
    assert request.body in (b"name=x+y", b"name=x%20y")
    upstream.close()
