"""Forms: sessions that every worker sees, saves on condition, faults, and agents that get in each other's way."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from harness.documents import filter_config
from harness.envoy import Envoy, bootstrap, listener, mcp_route, wasm_filter
from harness.gateways import Gateways
from harness.mcp import MODERN, Mcp, text_of
from harness.mock import Answer, MockUpstream, Received
from harness.net import free_port
from harness.stack import Stack

SET = {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}
LINE = {"name": "lineId", "in": "path", "required": True, "schema": {"type": "string"}}
JSON_BODY = {"content": {"application/json": {"schema": {"type": "object"}}}}
DATASETS: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "Datasets", "version": "1"},
    "servers": [{"url": "/v1"}],
    "paths": {
        "/datasets/{id}/schema": {"get": {"operationId": "readSchema", "parameters": [SET], "responses": {}}},
        "/datasets/{id}/lines/{lineId}": {
            "parameters": [SET, LINE],
            "get": {"operationId": "readLine", "responses": {}},
            "put": {
                "operationId": "saveLine",
                "requestBody": JSON_BODY,
                "responses": {},
                "x-agent": {
                    "name": "dataset_line",
                    "title": {"en": "Edit a dataset record"},
                    "editor": {
                        "schemaOperation": "readSchema",
                        "schemaParams": {"mimeType": "application/schema+json", "extension": "true"},
                        "readOperation": "readLine",
                    },
                },
            },
        },
        "/datasets/{id}/lines": {
            "post": {
                "operationId": "addLine",
                "parameters": [SET],
                "requestBody": JSON_BODY,
                "responses": {},
                "x-agent": {"name": "dataset_new_line", "editor": {"schemaOperation": "readSchema"}},
            }
        },
    },
}
SCHEMA = {
    "$schema": "http://json-schema.org/draft-07/schema#",
    "type": "object",
    "required": ["nom"],
    "properties": {
        "nom": {"type": "string", "title": "Nom"},
        "count": {"type": "integer", "minimum": 0},
        "city": {
            "type": "string",
            "x-fromUrl": "cities?q={q}",
            "x-itemsProp": "results",
            "x-itemKey": "code",
            "x-itemTitle": "label",
        },
        "_attachment": {"type": "string", "x-refersTo": "http://schema.org/DigitalDocument"},
    },
}
RECORD = {"id": "set", "lineId": "l1"}
# How long agents compete.
SECONDS = float(os.environ.get("FORMS_SECONDS", "4"))


class Lines:
    """Records with a version each; a `PUT` without the current one in `if-match` is refused."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.lines: dict[str, tuple[dict[str, Any], int]] = {}

    def __call__(self, request: Received) -> Answer:
        with self._lock:
            data, version = self.lines.get(request.path, ({"nom": "Rennes"}, 1))
            tag = f'"{version}"'
            if request.method == "PUT":
                if request.header("if-match") not in (None, tag):
                    return Answer.json({"message": f"now at {tag}"}, 412)
                data, version = request.json(), version + 1
                self.lines[request.path] = (data, version)
            return Answer.json(data, headers={"etag": f'"{version}"'})


@pytest.fixture(scope="module")
def api() -> Iterator[MockUpstream]:
    upstream = MockUpstream()
    upstream.serve_document(DATASETS)
    yield upstream
    upstream.close()


@pytest.fixture(scope="module")
def envoy(module_gateway: Gateways, api: MockUpstream) -> Envoy:
    upstream = {"forwardHeaders": ["authorization"], "timeout": "700ms"}
    config = filter_config(upstream, {"identity": {"header": "x-user"}})
    return module_gateway(config, {"api": api.port}, workers=4)


@pytest.fixture
def lines(api: MockUpstream) -> Lines:
    api.reset()
    lines = Lines()
    api.on("/v1/datasets/set/schema", Answer.json(SCHEMA))
    api.on("/v1/datasets/set/lines", lines)
    return lines


class Agent:
    """An agent whose every call is a new connection, so that any worker may take it."""

    def __init__(self, envoy: Envoy, user: str, group: str = "dataset_line"):
        self.envoy, self.user, self.group = envoy, user, group

    def call(self, verb: str, arguments: dict[str, Any] | None = None, record: dict[str, Any] = RECORD) -> Any:
        headers = {"x-user": self.user, "authorization": f"Bearer {self.user}"}
        client = Mcp(self.envoy.port, headers=headers, revision=MODERN)
        try:
            return client.call(f"{self.group}_{verb}", {**record, **(arguments or {})})
        finally:
            client.close()

    def ok(self, verb: str, arguments: dict[str, Any] | None = None, record: dict[str, Any] = RECORD) -> str:
        result = self.call(verb, arguments, record)
        assert not result.get("isError"), result
        return text_of(result)

    def error(self, verb: str, arguments: dict[str, Any] | None = None) -> str:
        result = self.call(verb, arguments)
        assert result.get("isError") is True, result
        return text_of(result)

    def data(self, record: dict[str, Any] = RECORD) -> Any:
        result = self.call("getData", record=record)
        assert not result.get("isError"), result
        return json.loads(result["content"][0]["text"])["data"]


def test_a_record_is_described_changed_and_saved_by_any_worker(envoy: Envoy, api: MockUpstream, lines: Lines) -> None:
    agent = Agent(envoy, "first")
    described = agent.ok("describeState")
    assert '/nom (text, required) label="Nom" value="Rennes"' in described
    assert "_attachment" not in described
    for number in range(12):
        agent.ok("setFieldValue", {"path": "/count", "value": number})
    agent.ok("setFieldValue", {"path": "/nom", "value": "Brest"})
    assert "Edit a dataset record" in agent.ok("saveForm")
    schema, read, write = api.requests()
    assert (schema.path, schema.query) == (
        "/v1/datasets/set/schema",
        "mimeType=application%2Fschema%2Bjson&extension=true",
    )
    assert [read.method, write.method] == ["GET", "PUT"]
    assert write.json() == {"nom": "Brest", "count": 11}
    assert {one.header("authorization") for one in (schema, read, write)} == {"Bearer first"}
    busy = [n for name, n in envoy.stats("listener").items() if "worker_" in name and "cx_total" in name]
    assert sum(1 for count in busy if count) > 1, busy


def test_a_new_record_starts_empty(envoy: Envoy, api: MockUpstream, lines: Lines) -> None:
    agent, record = Agent(envoy, "creator", "dataset_new_line"), {"id": "set"}
    assert agent.data(record) == {}
    agent.ok("setData", {"data": {"nom": "Vannes"}}, record)
    agent.ok("saveForm", record=record)
    assert [one.method for one in api.requests()] == ["GET", "POST"]
    assert api.requests()[1].json() == {"nom": "Vannes"}


def test_two_agents_on_one_record_and_the_later_save_is_a_conflict(envoy: Envoy, lines: Lines) -> None:
    one, two = Agent(envoy, "one"), Agent(envoy, "two")
    for agent in (one, two):
        agent.ok("setFieldValue", {"path": "/nom", "value": agent.user})
    one.ok("saveForm")
    conflict = two.error("saveForm")
    assert "reloadForm" in conflict
    assert two.data() == {"nom": "two"}, "the edits are kept"
    assert lines.lines["/v1/datasets/set/lines/l1"][0] == {"nom": "one"}, "nothing is overwritten"
    two.ok("reloadForm")
    assert two.data() == {"nom": "one"}
    two.ok("setFieldValue", {"path": "/nom", "value": "both"})
    two.ok("saveForm")
    assert lines.lines["/v1/datasets/set/lines/l1"][0] == {"nom": "both"}


def test_no_edit_is_lost_when_calls_come_at_once(envoy: Envoy, lines: Lines) -> None:
    agent = Agent(envoy, "crowd")
    agent.ok("describeState")
    failures: list[str] = []

    def edit(number: int) -> None:
        try:
            for step in range(10):
                agent.ok("setData", {"data": {f"field{number}": step}})
        except AssertionError as error:
            failures.append(str(error))

    threads = [threading.Thread(target=edit, args=(number,)) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not failures, failures[:1]
    assert agent.data() == {"nom": "Rennes", **{f"field{number}": 9 for number in range(16)}}


def test_agents_who_get_in_each_others_way_lose_nothing(envoy: Envoy, lines: Lines) -> None:
    """Each adds to a number of its own in records that all of them save, again after each conflict."""
    end = time.monotonic() + SECONDS
    totals: list[dict[str, int]] = [{} for _ in range(16)]
    conflicts = [0] * 16

    def work(number: int) -> None:
        agent, own = Agent(envoy, f"worker{number}"), f"n{number}"
        turn = number
        while time.monotonic() < end:
            turn = (turn * 7 + 3) % 50
            line = f"r{turn}"
            record = {"id": "set", "lineId": line}
            agent.ok("reloadForm", record=record)
            value = agent.data(record).get(own, 0) + 1
            agent.ok("setData", {"data": {own: value}}, record)
            if agent.call("saveForm", record=record).get("isError"):
                conflicts[number] += 1
            else:
                totals[number][line] = value

    threads = [threading.Thread(target=work, args=(number,)) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(SECONDS + 60)
    for number, total in enumerate(totals):
        saved = {line: lines.lines[f"/v1/datasets/set/lines/{line}"][0][f"n{number}"] for line in total}
        assert saved == total
    print(f"{sum(sum(total.values()) for total in totals)} saves, {sum(conflicts)} conflicts")
    assert all(totals)
    assert any(conflicts)


def test_suggestions_are_asked_of_the_api_for_the_caller(envoy: Envoy, api: MockUpstream, lines: Lines) -> None:
    api.on("/v1/cities", Answer.json({"results": [{"code": "29019", "label": "Brest"}]}))
    agent = Agent(envoy, "chooser")
    found = agent.ok("getFieldSuggestions", {"path": "/city", "query": "bre"})
    assert "Brest" in found
    assert "29019" in found
    asked = api.requests("/v1/cities")[0]
    assert (asked.query, asked.header("authorization")) == ("q=bre", "Bearer chooser")
    agent.ok("setFieldValue", {"path": "/city", "suggestionIndex": 0})
    assert agent.data()["city"] == "29019"


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (Answer.json({"message": "no such set"}, 404), ["404", "no such set"]),
        (Answer.json("oops", 500), ["500", "oops"]),
        (Answer(fault="hang"), ["time limit"]),
        (Answer(fault="reset"), ["schema"]),
    ],
)
def test_a_schema_that_does_not_come(
    envoy: Envoy, api: MockUpstream, lines: Lines, answer: Answer, words: list[str]
) -> None:
    agent = Agent(envoy, f"unlucky-{answer.status}-{answer.fault}")
    api.on("/v1/datasets/set/schema", answer)
    text = agent.error("describeState")
    assert all(word in text for word in words), text
    api.on("/v1/datasets/set/schema", Answer.json(SCHEMA))
    assert agent.data() == {"nom": "Rennes"}


def test_edits_survive_a_failed_save(envoy: Envoy, api: MockUpstream, lines: Lines) -> None:
    agent = Agent(envoy, "patient")
    agent.ok("setFieldValue", {"path": "/nom", "value": "Brest"})
    for fault in (Answer.json({"message": "full"}, 500), Answer(fault="reset"), Answer(fault="hang")):
        api.on("/v1/datasets/set/lines", fault)
        told = agent.error("saveForm")
        assert ("not known whether" in told) == (fault.fault is not None), told
    api.on("/v1/datasets/set/lines", lines)
    agent.ok("saveForm")
    assert lines.lines["/v1/datasets/set/lines/l1"][0] == {"nom": "Brest"}


def test_a_form_is_filled_in_through_the_search(gateway: Gateways, api: MockUpstream, lines: Lines) -> None:
    config = filter_config({}, {"identity": "anonymous", "exposure": "search"})
    client = gateway(config, {"api": api.port}).client()

    def call(verb: str, **arguments: Any) -> str:
        given = {"name": f"dataset_line_{verb}", "arguments": {**RECORD, **arguments}}
        return text_of(client.call("call_operation", given))

    call("setFieldValue", path="/nom", value="Brest")
    assert json.loads(call("getData"))["data"] == {"nom": "Brest"}
    call("saveForm")
    assert [data["nom"] for data, _ in lines.lines.values()] == ["Brest"]
    client.close()


def test_a_route_without_identity_says_what_is_missing(gateway: Gateways, api: MockUpstream) -> None:
    envoy = gateway(filter_config(), {"api": api.port})
    assert "`identity`" in envoy.client().call_error("dataset_line_describeState", RECORD)


def test_the_record_of_a_book_is_edited_in_the_example(stack: Stack) -> None:
    staff = stack.client("/mcp/staff")
    book = {"bookId": "b3"}
    staff.call_text("library_record_reloadForm", book)
    described = staff.call_text("library_record_describeState", book)
    assert '"Small Weather"' in described
    assert "available" not in described, "the body has no such property"
    staff.call_text("library_record_setFieldValue", {**book, "path": "/pages", "value": 96})
    assert "`" not in staff.call_text("library_record_saveForm", book)
    assert "**pages**: 96" in staff.call_text("library_get_book", {**book, "response_format": "detailed"})
    # Somebody else changes it meanwhile.
    staff.call_text("library_update_book", {**book, "body": {"pages": 97}})
    staff.call_text("library_record_setFieldValue", {**book, "path": "/pages", "value": 98})
    assert "reloadForm" in staff.call_error("library_record_saveForm", book)
    assert "**pages**: 97" in staff.call_text("library_get_book", {**book, "response_format": "detailed"})


def test_a_hot_restart_ends_sessions_and_saves_nothing_of_them(api: MockUpstream, lines: Lines) -> None:
    """Shared data does not cross it: the new process knows no session."""
    port, base_id = free_port(), str(os.getpid())
    config = filter_config({"timeout": "700ms"}, {"identity": {"header": "x-user"}})
    routes = [mcp_route("/mcp")]
    gateway = bootstrap([listener(port, [wasm_filter(config)], routes)], {"api": api.port})

    def start(epoch: int) -> Envoy:
        times = ["--drain-time-s", "1", "--parent-shutdown-time-s", "2"]
        return Envoy(gateway, port, 1, extra=["--base-id", base_id, "--restart-epoch", str(epoch), *times])

    first = start(0).wait_ready()
    second = None
    try:
        first.wait_for_mcp()
        agent = Agent(first, "ann")
        agent.ok("setFieldValue", {"path": "/nom", "value": "Brest"})
        second = start(1)
        first.process.wait(60)
        second.wait_for_mcp()
        agent = Agent(second, "ann")
        assert "no session" in agent.error("saveForm")
        assert lines.lines == {}
        assert agent.data() == {"nom": "Rennes"}
        agent.ok("setFieldValue", {"path": "/nom", "value": "Nantes"})
        agent.ok("saveForm")
        assert [data["nom"] for data, _ in lines.lines.values()] == ["Nantes"]
    finally:
        first.stop()
        if second:
            second.stop()
