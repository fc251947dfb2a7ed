"""Skills whose text is behind a link."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import urlsplit

from harness.documents import filter_config
from harness.gateways import Gateways
from harness.mcp import Mcp
from harness.mock import Answer, MockUpstream
from harness.net import ROOT

VECTORS = json.loads((ROOT / "tests" / "golden" / "20b-next-linked-skills.json").read_text(encoding="utf-8"))
HOST = "api.test"


def resource(client: Mcp, uri: str) -> Any:
    return client.request("resources/read", {"uri": uri}).json()


def test_linked_texts_are_fetched_beside_the_document(gateway: Gateways, mock: MockUpstream) -> None:
    """A text on another host is left out here, and so is a line of tools that the document does not have."""
    case = VECTORS["cases"][0]
    mock.serve_document(case["doc"], "/v1/openapi.json")
    mock.on("/v1/gone.md", Answer(404))
    for url, text in VECTORS["files"].items():
        if (parts := urlsplit(url)).netloc == HOST:
            mock.on(parts.path, Answer(200, text.encode(), "text/markdown"))
    document = {"path": "/v1/openapi.json", "refresh": 0}
    config = filter_config({"authority": HOST, "document": document}, case["options"])
    envoy = gateway(config, {"api": mock.port})
    client = Mcp(envoy.port)

    wanted = [(urlsplit(one["url"]), one["accept"]) for one in case["requests"]]
    wanted = [(url.path, accept) for url, accept in wanted if url.netloc == HOST]
    fetched = [(one.path, one.header("accept")) for one in mock.requests() if one.path != "/v1/openapi.json"]
    assert sorted(fetched) == sorted(wanted)
    assert client.tool_names() == ["a"]
    expected = {one["file"]["uri"]: one["file"]["text"] for one in case["skills"] if one["name"] not in ("c", "gone")}
    listed = client.request("resources/list").result()["resources"]
    assert [one["uri"] for one in listed] == list(expected)
    for uri, text in expected.items():
        text = "".join(text.split("\n\nTools: t1, t2")).replace("\n\nTools: t1", "")
        assert resource(client, uri)["result"]["contents"][0]["text"] == text
    for left_out in ("c", "gone"):
        assert "error" in resource(client, f"skill://{left_out}/SKILL.md")
        assert f"## {left_out}\n" not in client.initialize()["instructions"]
    assert "at=/x-agent/skills/2/href" in envoy.log()
    assert "at=/x-agent/skills/5/href" in envoy.log()
