"""Several media types of one request body, and answers that differ by status and media type."""

from __future__ import annotations

import json
from typing import Any

import pytest

from harness.documents import filter_config
from harness.gateways import Gateways
from harness.mcp import Mcp
from harness.mock import Answer, MockUpstream

PATH = "/v1/messages"


def shown(*names: str) -> dict[str, Any]:
    """A schema of an object that hides whatever else it has."""
    hidden = {name: {"x-agent": {"exclude": True}} for name in ("id", "state", "note") if name not in names}
    return {"type": "object", "properties": {**{name: {} for name in names}, **hidden}}


def content(**schemas: Any) -> dict[str, Any]:
    types = {"json": "application/json", "form": "multipart/form-data", "brief": "application/vnd.brief+json"}
    return {"content": {types[name]: {"schema": schema} for name, schema in schemas.items()}, "description": "d"}


DOCUMENT = {
    "openapi": "3.1.0",
    "info": {"title": "Messages", "version": "1"},
    "servers": [{"url": "/v1"}],
    "paths": {
        "/messages": {
            "post": {
                "operationId": "send",
                "requestBody": content(
                    json={"type": "object", "required": ["text"], "properties": {"text": {"type": "string"}}},
                    form={
                        "type": "object",
                        "required": ["file"],
                        "properties": {
                            "text": {"type": "string"},
                            "file": {"type": "string", "format": "binary"},
                        },
                    },
                ),
                "responses": {
                    "200": content(json=shown("id", "state"), brief=shown("id")),
                    "202": content(json=shown("state")),
                    "2XX": content(json=shown("note")),
                },
            }
        }
    },
}


@pytest.fixture
def client(gateway: Gateways, mock: MockUpstream) -> Mcp:
    mock.serve_document(DOCUMENT)
    mock.on(PATH, Answer.json({}))
    return Mcp(gateway(filter_config(route={"exposure": "all"}), {"api": mock.port}).port)


def test_a_call_chooses_the_media_type_of_its_body(client: Mcp, mock: MockUpstream) -> None:
    [tool] = client.list_tools()
    choice = tool["inputSchema"]["properties"]["contentType"]
    assert (choice["enum"], choice["default"]) == (["application/json", "multipart/form-data"], "application/json")
    client.call_text("send", {"text": "hi"})
    assert mock.only_request().header("content-type") == "application/json"
    assert mock.only_request().body == b'{"text":"hi"}'
    mock.reset()
    mock.on(PATH, Answer.json({}))
    client.call_text("send", {"contentType": "multipart/form-data", "file": "aGVsbG8="})
    assert (mock.only_request().header("content-type") or "").startswith("multipart/form-data; boundary=")
    assert b"\r\n\r\nhello\r\n" in mock.only_request().body


def test_arguments_of_another_media_type_send_nothing(client: Mcp, mock: MockUpstream) -> None:
    error = client.call_error("send", {"text": "hi", "file": "aGVsbG8="})
    assert "/file: belongs to `multipart/form-data`: set `contentType` to it" in error
    assert "`file` is required" in client.call_error("send", {"contentType": "multipart/form-data", "text": "hi"})
    assert mock.requests() == []


@pytest.mark.parametrize(
    ("status", "media_type", "expected"),
    [
        (200, "application/json", "- **id**: 1\n- **state**: s"),
        (200, "application/vnd.brief+json", "- **id**: 1"),
        (202, "application/json", "- **state**: s"),
        (207, "application/json", "- **note**: n"),
    ],
)
def test_an_answer_is_shown_by_its_own_schema(
    client: Mcp, mock: MockUpstream, status: int, media_type: str, expected: str
) -> None:
    body = json.dumps({"id": 1, "state": "s", "note": "n"}).encode()
    mock.on(PATH, Answer(status, body, media_type))
    assert client.call_text("send", {"text": "hi"}).startswith(expected)
    assert mock.only_request().header("accept") == "application/json, application/vnd.brief+json;q=0.5"
