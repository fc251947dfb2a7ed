"""OpenAPI documents and filter configurations of the tests."""

from __future__ import annotations

import copy
from typing import Any

JSON_RESPONSE = {"200": {"description": "ok", "content": {"application/json": {"schema": {"type": "object"}}}}}
ITEM_ID = {"name": "itemId", "in": "path", "required": True, "schema": {"type": "string"}}

ITEMS: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "Items", "version": "1.2.3"},
    "servers": [{"url": "/v1"}],
    "paths": {
        "/items/{itemId}": {
            "get": {
                "operationId": "getItem",
                "summary": "Get one item",
                "parameters": [
                    ITEM_ID,
                    {
                        "name": "fields",
                        "in": "query",
                        "explode": False,
                        "schema": {"type": "array", "items": {"type": "string"}},
                    },
                    {"name": "tag", "in": "query", "schema": {"type": "array", "items": {"type": "string"}}},
                    {"name": "X-Trace", "in": "header", "schema": {"type": "string"}},
                    {"name": "session", "in": "cookie", "schema": {"type": "string"}},
                ],
                "responses": JSON_RESPONSE,
                "x-agent": {},
            },
            "delete": {
                "operationId": "deleteItem",
                "summary": "Delete one item",
                "parameters": [ITEM_ID],
                "responses": {"204": {"description": "gone"}},
            },
        },
        "/items": {
            "get": {
                "operationId": "listItems",
                "summary": "List items",
                "parameters": [
                    {"name": "q", "in": "query", "schema": {"type": "string"}},
                    {"name": "limit", "in": "query", "schema": {"type": "integer", "minimum": 1, "maximum": 100}},
                ],
                "responses": JSON_RESPONSE,
                "x-agent": {},
            },
            "post": {
                "operationId": "createItem",
                "summary": "Create an item",
                "requestBody": {
                    "required": True,
                    "content": {
                        "application/json": {
                            "schema": {
                                "type": "object",
                                "required": ["name"],
                                "properties": {"name": {"type": "string"}, "count": {"type": "integer"}},
                            }
                        }
                    },
                },
                "responses": {"201": {"description": "created", "content": {"application/json": {}}}},
                "x-agent": {},
            },
        },
    },
}
ITEM_TOOLS = ["get_item", "list_items", "create_item"]


def items(title: str = "Items", **operations: dict[str, Any]) -> dict[str, Any]:
    """The items document with another title and further GET operations: operationId → annotation."""
    document = copy.deepcopy(ITEMS)
    document["info"]["title"] = title
    for name, annotation in operations.items():
        operation = {"operationId": name, "summary": name, "responses": JSON_RESPONSE, "x-agent": annotation}
        document["paths"][f"/{name}"] = {"get": operation}
    return document


def filter_config(
    upstream: dict[str, Any] | None = None, route: dict[str, Any] | None = None, **more: Any
) -> dict[str, Any]:
    """A configuration with one upstream on cluster `api` and one route."""
    document = {"path": "/openapi.json", "refresh": 0}
    return {
        "upstreams": [{"name": "api", "cluster": "api", "document": document, **(upstream or {})}],
        "routes": [{"path": "/mcp", **(route or {})}],
        **more,
    }
