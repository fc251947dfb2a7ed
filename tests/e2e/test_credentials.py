"""Security schemes and servers of single operations, as the API sees them and as agents do not."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from typing import Any

import pytest

from harness.documents import JSON_RESPONSE, filter_config
from harness.envoy import Envoy
from harness.gateways import Gateways
from harness.mcp import Mcp, text_of
from harness.mock import Answer, MockUpstream, Received

SECRET = "s3cret-value"
# {"key":"s3cret-value"}
BROTLI = bytes.fromhex("8b0a807b226b6579223a227333637265742d76616c7565227d03")


def operation(name: str, security: Any, **more: Any) -> dict[str, Any]:
    return {"operationId": name, "security": security, "responses": JSON_RESPONSE, "x-agent": {}, **more}


DOCUMENT: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "Secured", "version": "1"},
    "servers": [{"url": "https://api.test/v1"}],
    "paths": {
        "/header": {"get": operation("header", [{"key": []}])},
        "/query": {
            "get": operation(
                "query",
                [{"query": []}],
                parameters=[
                    {"in": "query", "name": "api_key", "required": True, "schema": {"type": "string"}},
                    {"in": "query", "name": "q", "schema": {"type": "string"}},
                ],
            )
        },
        "/cookie": {"get": operation("cookie", [{"cookie": []}])},
        "/basic": {"get": operation("basic", [{"basic": []}])},
        "/user": {"get": operation("user", [{"user": []}, {"key": []}])},
        "/open": {"get": operation("open", [])},
        "/records/{id}": {
            "parameters": [{"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}],
            "get": {"operationId": "readRecord", "security": [{"query": []}], "responses": JSON_RESPONSE},
            "put": operation(
                "saveRecord",
                [{"key": []}],
                requestBody={"content": {"application/json": {"schema": {"type": "object", "properties": {"a": {}}}}}},
            )
            | {"x-agent": {"name": "record", "editor": {"readOperation": "readRecord"}}},
        },
        "/files": {"post": operation("upload", [{"key": []}], servers=[{"url": "https://files.test/v2"}])},
    },
    "components": {
        "securitySchemes": {
            "key": {"type": "apiKey", "in": "header", "name": "X-Key"},
            "query": {"type": "apiKey", "in": "query", "name": "api_key"},
            "cookie": {"type": "apiKey", "in": "cookie", "name": "sid"},
            "basic": {"type": "http", "scheme": "basic"},
            "user": {"type": "http", "scheme": "bearer"},
        }
    },
}
CREDENTIALS = {
    "key": {"value": SECRET},
    "query": {"value": SECRET},
    "cookie": {"value": SECRET},
    "basic": {"username": "agent", "password": SECRET},
    "user": {"forward": True},
}
HEADERS = ("x-key", "cookie", "authorization")


class Secured:
    def __init__(self, envoy: Envoy, api: MockUpstream, files: MockUpstream):
        self.envoy, self.api, self.files = envoy, api, files
        self.mcp = Mcp(envoy.port)

    def sent(self, tool: str, arguments: dict[str, Any] | None = None, **headers: str) -> Received:
        self.api.reset()
        self.mcp.call(tool, arguments or {}, headers)
        return self.api.only_request()

    def credentials(self, tool: str, **headers: str) -> dict[str, str | None]:
        request = self.sent(tool, **headers)
        return {name: request.header(name) for name in HEADERS if request.header(name)}


@pytest.fixture(scope="module")
def secured(module_gateway: Gateways) -> Iterator[Secured]:
    api, files = MockUpstream(), MockUpstream()
    api.serve_document(DOCUMENT)
    servers = [{"url": "https://files.test", "cluster": "files"}]
    upstream = {"authority": "api.test", "credentials": CREDENTIALS, "servers": servers}
    config = filter_config(upstream, {"identity": "anonymous"})
    yield Secured(module_gateway(config, {"api": api.port, "files": files.port}, level="trace"), api, files)
    api.close()
    files.close()


def test_each_scheme_sends_its_credential_and_no_other(secured: Secured) -> None:
    assert secured.credentials("header") == {"x-key": SECRET}
    assert secured.credentials("cookie") == {"cookie": f"sid={SECRET}"}
    assert secured.credentials("basic") == {"authorization": "Basic YWdlbnQ6czNjcmV0LXZhbHVl"}
    assert secured.credentials("open") == {}
    assert secured.credentials("query") == {}
    assert secured.sent("query", {"q": "x"}).query == f"q=x&api_key={SECRET}"


def test_a_forwarded_token_wins_and_its_absence_leaves_the_next_alternative(secured: Secured) -> None:
    assert secured.credentials("user", authorization="Bearer mine") == {"authorization": "Bearer mine"}
    assert secured.credentials("user") == {"x-key": SECRET}
    assert secured.credentials("header", authorization="Bearer mine") == {"x-key": SECRET}


def test_an_operation_on_another_server_is_called_there(secured: Secured) -> None:
    secured.files.reset()
    secured.mcp.call("upload")
    request = secured.files.only_request()
    assert (request.method, request.path, request.header("host")) == ("POST", "/v2/files", "files.test")
    assert request.header("x-key") == SECRET


def test_agents_neither_see_credentials_nor_are_asked_for_them(secured: Secured) -> None:
    tools = {tool["name"]: tool for tool in secured.mcp.list_tools()}
    assert SECRET not in json.dumps(tools)
    assert list(tools["query"]["inputSchema"]["properties"]) == ["q"]
    assert "Invalid arguments" in secured.mcp.call_error("query", {"api_key": "mine"})


@pytest.mark.parametrize(
    "answer",
    [
        Answer(302, headers={"location": f"/v1/query/?api_key={SECRET}"}),
        Answer.json({"next": f"/v1/query?api_key={SECRET}&page=2"}),
        Answer.json({}, headers={"link": f'</v1/query?api_key={SECRET}&page=2>; rel="next"'}),
        Answer.json({"error": f"the key {SECRET} has expired"}, 401),
        Answer(200, gzip.compress(json.dumps({"key": SECRET}).encode()), headers={"content-encoding": "gzip"}),
        Answer(200, BROTLI, headers={"content-encoding": "br"}),
    ],
    ids=["redirect", "body", "link", "error", "gzip", "brotli"],
)
def test_what_an_answer_repeats_of_a_credential_is_blanked_out(secured: Secured, answer: Answer) -> None:
    secured.api.reset()
    secured.api.on("/v1/query", answer)
    text = text_of(secured.mcp.call("query", {}))
    assert SECRET not in text and "[credential]" in text


def test_each_request_of_a_form_has_the_credentials_of_its_operation(secured: Secured) -> None:
    secured.api.reset()
    secured.api.on("/v1/records/1", Answer.json({"a": "x", "self": f"/v1/records/1?api_key={SECRET}"}))
    opened = text_of(secured.mcp.call("record_getData", {"id": "1"}))
    read = secured.api.only_request()
    assert (read.query, read.header("x-key")) == (f"api_key={SECRET}", None)
    again = text_of(secured.mcp.call("record_getData", {"id": "1"}))
    assert opened.startswith(again) and "[credential]" in again and SECRET not in again
    secured.api.reset()
    secured.api.on("/v1/records/1", Answer.json({"error": f"the key {SECRET} has expired"}, 500))
    failed = secured.mcp.call_error("record_saveForm", {"id": "1"})
    saved = secured.api.only_request()
    assert (saved.method, saved.query, saved.header("x-key")) == ("PUT", "", SECRET)
    assert "[credential]" in failed and SECRET not in failed
    assert saved.json()["self"].endswith(SECRET)


def test_an_answer_that_cannot_be_read_is_told(secured: Secured) -> None:
    secured.api.reset()
    secured.api.on("/v1/open", Answer(200, b"\x28\xb5\x2f\xfd", headers={"content-encoding": "zstd"}))
    assert "`zstd`" in secured.mcp.call_error("open")
    assert secured.api.only_request().header("accept-encoding") == "identity"


def test_credentials_are_never_logged(secured: Secured) -> None:
    secured.mcp.call("query", {}, {"authorization": "Bearer mine-and-secret"})
    secured.mcp.call("user", {}, {"authorization": "Bearer mine-and-secret"})
    assert SECRET not in secured.envoy.log() and "mine-and-secret" not in secured.envoy.log()
