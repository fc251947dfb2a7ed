"""The published example: one filter, two routes, a stateful API."""

from __future__ import annotations

import http.client
import json

import pytest

from harness.mcp import LEGACY, MODERN, Mcp
from harness.net import HOST
from harness.stack import Stack

EXPLORE = ["library_search_books", "library_get_book", "library_book_card", "library_list_genres"]
STAFF = [
    "library_search_books",
    "library_add_book",
    "library_get_book",
    "library_update_book",
    "library_book_card",
    "library_list_genres",
    "library_list_members",
    "library_register_member",
    "library_get_member",
    "library_list_loans",
    "library_lend_book",
    "library_return_book",
    "library_renew_loan",
    "library_record_getData",
    "library_record_setData",
    "library_record_describeState",
    "library_record_setFieldValue",
    "library_record_getFieldSuggestions",
    "library_record_editArray",
    "library_record_saveForm",
    "library_record_reloadForm",
]


@pytest.fixture(autouse=True)
def seeded(stack: Stack) -> None:
    """Put the sample records back."""
    http_exchange(stack.library.port, "POST", "/api/reset")


@pytest.fixture
def reader(stack: Stack) -> Mcp:
    return stack.client()


@pytest.fixture
def staff(stack: Stack) -> Mcp:
    return stack.client("/mcp/staff")


def http_exchange(
    port: int, method: str, path: str, body: bytes | None = None, headers: dict[str, str] | None = None
) -> tuple[int, dict[str, str], bytes]:
    connection = http.client.HTTPConnection(HOST, port, timeout=10)
    try:
        connection.request(method, path, body, headers or {})
        response = connection.getresponse()
        return response.status, {k.lower(): v for k, v in response.getheaders()}, response.read()
    finally:
        connection.close()


@pytest.mark.parametrize("revision", [LEGACY, MODERN])
def test_the_configured_profile_decides_the_tools(stack: Stack, revision: str) -> None:
    assert stack.client(revision=revision).tool_names() == EXPLORE


@pytest.mark.parametrize("revision", [LEGACY, MODERN])
def test_route_metadata_chooses_another_profile_on_the_same_filter(stack: Stack, revision: str) -> None:
    assert stack.client("/mcp/staff", revision=revision).tool_names() == STAFF


def test_route_metadata_chooses_the_locale(reader: Mcp, staff: Mcp) -> None:
    titles = [
        {tool["name"]: tool.get("title") for tool in client.list_tools()}["library_search_books"]
        for client in (reader, staff)
    ]
    assert titles == ["Search books", "Chercher des livres"]


def test_the_server_introduces_itself_with_the_document(reader: Mcp, staff: Mcp) -> None:
    english, french = reader.initialize(), staff.initialize()
    assert english["protocolVersion"] == LEGACY
    assert {key: english["serverInfo"][key] for key in ("name", "version")} == {
        "name": "Lending library",
        "version": "1.4.0",
    }
    assert "Search before you read one record" in english["instructions"]
    assert "Chercher avant de lire une notice" in french["instructions"]
    assert "Find the book and the member first" not in english["instructions"]


def test_discovery_tells_the_same_without_a_handshake(stack: Stack) -> None:
    found = stack.client(revision=MODERN).request("server/discover").result()
    assert MODERN in found["supportedVersions"]
    assert found["ttlMs"] == 30000
    assert found["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "Lending library"


def test_a_search_is_a_table_of_the_concise_fields(reader: Mcp) -> None:
    text = reader.call_text("library_search_books", {"query": "harbour"})
    assert "| id | title | author | available |" in text
    assert "| b11 | The Quiet Harbour | Ada Whitlock | true |" in text


def test_a_caller_chooses_the_fields(reader: Mcp) -> None:
    text = reader.call_text("library_search_books", {"query": "harbour", "fields": ["title", "shelf"]})
    assert "| title | shelf |" in text
    assert "the letter is the genre" in text


def test_a_header_parameter_reaches_the_api(reader: Mcp) -> None:
    text = reader.call_text("library_search_books", {"branch": "north", "fields": ["id", "branch"], "size": 50})
    assert "| b4 | north |" in text
    assert "central" not in text


def test_hints_of_the_api_are_shown(reader: Mcp) -> None:
    assert "> Hint: Nothing matches" in reader.call_text("library_search_books", {"query": "xyzzy"})


def test_excluded_fields_are_never_shown(staff: Mcp) -> None:
    staff.call_text("library_add_book", {"title": "New", "author": "Me", "genre": "essay"})
    text = staff.call_text("library_get_book", {"bookId": "b13", "response_format": "detailed"})
    assert "**title**: New" in text
    assert "internalNote" not in text
    assert "Entered by an agent" not in text


def test_fixed_body_properties_reach_the_api(stack: Stack, staff: Mcp) -> None:
    staff.call_text("library_add_book", {"title": "New", "author": "Me", "genre": "essay"})
    _, _, body = http_exchange(stack.library.port, "GET", "/api/books/b13")
    assert json.loads(body)["internalNote"] == "Entered by an agent."


def test_markdown_of_the_api_passes_untouched(stack: Stack, reader: Mcp) -> None:
    _, _, card = http_exchange(stack.library.port, "GET", "/api/books/b3/card")
    assert reader.call_text("library_book_card", {"bookId": "b3"}) == card.decode()


def test_a_list_of_values_is_a_list(reader: Mcp) -> None:
    assert reader.call_text("library_list_genres").startswith("- novel\n- essay\n")


def test_a_loan_from_lending_to_return(staff: Mcp) -> None:
    lent = staff.call_text("library_lend_book", {"bookId": "b1", "memberId": "m2", "desk": "front"})
    assert "**id**: l2" in lent
    refusal = staff.call_error("library_lend_book", {"bookId": "b1", "memberId": "m3"})
    assert "409" in refusal and "Book `b1` is lent to `m2`" in refusal
    assert "| l2 | The Salt Road | m2 |" in staff.call_text("library_list_loans", {"state": ["open", "late"]})
    assert "returned" in staff.call_text("library_return_book", {"loanId": "l2"})
    assert "Already returned" in staff.call_error("library_return_book", {"loanId": "l2"})


def test_a_cookie_parameter_reaches_the_api(stack: Stack, staff: Mcp) -> None:
    staff.call_text("library_lend_book", {"bookId": "b1", "memberId": "m2", "desk": "front"})
    _, _, body = http_exchange(stack.library.port, "GET", "/api/loans?member=m2")
    assert json.loads(body)["results"][0]["desk"] == "front"


def test_an_optional_body_can_be_left_out(staff: Mcp) -> None:
    assert "**renewals**: 1" in staff.call_text("library_renew_loan", {"loanId": "l1"})
    assert "**renewals**: 2" in staff.call_text("library_renew_loan", {"loanId": "l1", "days": 3})


def test_a_compact_body_is_validated_before_the_api_sees_it(staff: Mcp) -> None:
    assert "**year**: 1999" in staff.call_text("library_update_book", {"bookId": "b1", "body": {"year": 1999}})
    assert "year" in staff.call_error("library_update_book", {"bookId": "b1", "body": {"year": "old"}})


def test_a_stale_entity_tag_is_refused_by_the_api(staff: Mcp) -> None:
    arguments = {"bookId": "b1", "expectedTag": '"b1-9"', "body": {"year": 1999}}
    assert "412" in staff.call_error("library_update_book", arguments)


def test_missing_records_are_an_answer_for_the_agent(reader: Mcp) -> None:
    text = reader.call_error("library_get_book", {"bookId": "b999"})
    assert "404" in text and "There is no book `b999`" in text


def test_tools_of_another_profile_do_not_exist(reader: Mcp) -> None:
    assert reader.request("tools/call", {"name": "library_lend_book", "arguments": {}}).error()["code"] == -32602


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "/api/books?q=harbour&genre=novel", None),
        ("GET", "/openapi.json", None),
        ("HEAD", "/api/books/b1", None),
        ("POST", "/api/books", b'{"title":""}'),
        ("GET", "/mcp/other", None),
        ("GET", "/api/nowhere", None),
    ],
)
def test_plain_traffic_is_untouched(stack: Stack, method: str, path: str, body: bytes | None) -> None:
    direct = http_exchange(stack.library.port, method, path, body)
    proxied = http_exchange(stack.port, method, path, body)
    added = {"server", "date", "x-envoy-upstream-service-time"}
    assert proxied[0] == direct[0]
    assert proxied[2] == direct[2]
    assert {k: v for k, v in proxied[1].items() if k not in added} == {
        k: v for k, v in direct[1].items() if k not in added
    }
