"""The sample upstream: a lending library over HTTP/1.1, standard library only.

    python3 server.py --port 8080 [--host 0.0.0.0] [--quiet]

The document is at /openapi.json and /openapi.yaml, the API below /api, a health check at /healthz.
"""

from __future__ import annotations

import argparse
import contextlib
import email.utils
import hashlib
import json
import pathlib
import re
import sys
from collections.abc import Callable
from http.cookies import SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from library import GENRES, Library, Problem, Record, etag

HERE = pathlib.Path(__file__).resolve().parent
MAX_BODY = 1 << 20


class Answer:
    """One response: a status, headers and a body already encoded."""

    def __init__(self, status: int, body: bytes, content_type: str | None, headers: dict[str, str] | None = None):
        self.status, self.body, self.headers = status, body, headers or {}
        if content_type:
            self.headers["content-type"] = content_type


def as_json(value: Any, status: int = 200, headers: dict[str, str] | None = None) -> Answer:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return Answer(status, text.encode(), "application/json; charset=utf-8", headers)


def as_problem(problem: Problem) -> Answer:
    value = {"type": "about:blank", "title": problem.title, "status": problem.status, "detail": problem.detail}
    if problem.errors:
        value["errors"] = problem.errors
    return Answer(problem.status, json.dumps(value).encode(), "application/problem+json")


def record_answer(record: Record, status: int = 200, location: str | None = None) -> Answer:
    headers = {"etag": etag(record)}
    if location:
        headers["location"] = location
    return as_json(record, status, headers)


class Request:
    """What the operations need from one HTTP request."""

    def __init__(self, handler: BaseHTTPRequestHandler, query: str, body: bytes):
        self.headers, self._query, self._body = handler.headers, parse_qs(query, keep_blank_values=True), body

    def text(self, name: str, default: str | None = None) -> str | None:
        return self._query.get(name, [default])[-1]

    def repeated(self, name: str) -> list[str]:
        return self._query.get(name, [])

    def listed(self, name: str) -> list[str]:
        return [item for item in (self.text(name) or "").split(",") if item]

    def number(self, name: str, default: int, low: int, high: int) -> int:
        text = self.text(name)
        if text is None:
            return default
        if not re.fullmatch(r"[0-9]{1,6}", text) or not low <= int(text) <= high:
            raise Problem(422, "Invalid query", f"`{name}` must be an integer from {low} to {high}.")
        return int(text)

    def flag(self, name: str) -> bool | None:
        return {"true": True, "false": False}.get(self.text(name) or "")

    def cookie(self, name: str) -> str | None:
        morsel = SimpleCookie(self.headers.get("cookie", "")).get(name)
        return morsel.value if morsel else None

    def json(self) -> Any:
        if not self._body:
            return None
        try:
            return json.loads(self._body)
        except ValueError as error:
            raise Problem(400, "Not JSON", f"The body is not JSON: {error}.") from None


def page(request: Request, rows: list[Record], path: str) -> Answer:
    size, number = request.number("size", 10, 1, 100), request.number("page", 1, 1, 100000)
    start = (number - 1) * size
    chosen = rows[start : start + size]
    fields = request.listed("select")
    if fields:
        chosen = [{key: row[key] for key in fields if key in row} for row in chosen]
    value: Record = {"count": len(rows)}
    if start + size < len(rows):
        value["next"] = f"{path}?page={number + 1}&size={size}"
    if not rows:
        value["meta"] = {"hints": ["Nothing matches: use fewer words or drop a filter."]}
    return as_json({**value, "results": chosen})


class Api:
    """Operations of the library, one method per operationId of openapi.yaml."""

    def __init__(self, library: Library):
        self.library = library
        routes: list[tuple[str, str, Callable[..., Answer]]] = [
            ("GET", "/books", self.search_books),
            ("POST", "/books", self.add_book),
            ("GET", "/books/{}", self.get_book),
            ("PUT", "/books/{}", self.replace_book),
            ("PATCH", "/books/{}", self.update_book),
            ("DELETE", "/books/{}", self.remove_book),
            ("GET", "/books/{}/card", self.book_card),
            ("GET", "/genres", lambda _request: as_json(GENRES)),
            ("GET", "/members", self.list_members),
            ("POST", "/members", self.register_member),
            ("GET", "/members/{}", lambda _request, key: record_answer(self.library.member(key))),
            ("GET", "/loans", self.list_loans),
            ("POST", "/loans", self.lend_book),
            ("POST", "/loans/{}/return", lambda _request, key: record_answer(self.library.give_back(key))),
            ("POST", "/loans/{}/renewal", self.renew_loan),
            ("GET", "/statistics", lambda _request: as_json(self.library.statistics())),
            ("POST", "/reset", self.reset),
        ]
        self._routes = [(method, re.compile(path.replace("{}", "([^/]+)")), run) for method, path, run in routes]

    def answer(self, method: str, path: str, request: Request) -> Answer:
        allowed = []
        for expected, pattern, run in self._routes:
            match = pattern.fullmatch(path)
            if match and method in (expected, "HEAD" if expected == "GET" else expected):
                return run(request, *(unquote(group) for group in match.groups()))
            if match:
                allowed.append(expected)
        if allowed:
            raise Problem(405, "Method not allowed", f"`{path}` takes {', '.join(allowed)}.")
        raise Problem(404, "Not found", f"There is nothing at `{path}`.")

    def search_books(self, request: Request) -> Answer:
        branch = request.headers.get("x-branch")
        rows = self.library.search(
            request.text("q", "") or "", request.repeated("genre"), request.flag("available"), branch
        )
        key = (request.text("sort") or "id").lstrip("-")
        rows.sort(
            key=lambda row: (str(row.get(key, "")).zfill(8), row["id"]),
            reverse=(request.text("sort") or "").startswith("-"),
        )
        return page(request, rows, "/api/books")

    def add_book(self, request: Request) -> Answer:
        book = self.library.add_book(request.json())
        return record_answer(book, 201, f"/api/books/{book['id']}")

    def get_book(self, request: Request, key: str) -> Answer:
        book = self.library.book(key)
        if request.headers.get("if-none-match") == etag(book):
            return Answer(304, b"", None, {"etag": etag(book)})
        return record_answer(book)

    def replace_book(self, request: Request, key: str) -> Answer:
        return record_answer(
            self.library.update_book(key, request.json(), request.headers.get("if-match"), replace=True)
        )

    def update_book(self, request: Request, key: str) -> Answer:
        return record_answer(self.library.update_book(key, request.json(), request.headers.get("if-match")))

    def remove_book(self, _request: Request, key: str) -> Answer:
        self.library.remove_book(key)
        return Answer(204, b"", None)

    def book_card(self, _request: Request, key: str) -> Answer:
        book = self.library.book(key)
        state = "on the shelf" if book["available"] else f"lent until {book['dueBack']}"
        lines = [f"# {book['title']}", "", f"*{book['author']}*, {book.get('year', 'undated')} ({book['genre']})", ""]
        lines += [f"- Branch: {book['branch']}, shelf {book.get('shelf', 'unknown')}", f"- Now: {state}", ""]
        return Answer(200, "\n".join(lines).encode(), "text/markdown; charset=utf-8")

    def list_members(self, request: Request) -> Answer:
        return page(request, self.library.members(request.text("q", "") or ""), "/api/members")

    def register_member(self, request: Request) -> Answer:
        member = self.library.register(request.json())
        return record_answer(member, 201, f"/api/members/{member['id']}")

    def list_loans(self, request: Request) -> Answer:
        rows = self.library.loans(request.listed("state"), request.text("member"))
        if request.text("expand") != "title":
            rows = [{key: value for key, value in row.items() if key != "title"} for row in rows]
        return page(request, rows, "/api/loans")

    def lend_book(self, request: Request) -> Answer:
        loan = self.library.lend(request.json(), request.cookie("desk"))
        return record_answer(loan, 201, f"/api/loans/{loan['id']}")

    def renew_loan(self, request: Request, key: str) -> Answer:
        return record_answer(self.library.renew(key, request.json()))

    def reset(self, _request: Request) -> Answer:
        self.library.reset()
        return Answer(204, b"", None)


class Document:
    """The OpenAPI document, with its validators for conditional requests (RFC 9110 §13)."""

    def __init__(self, path: pathlib.Path, content_type: str):
        self.body = path.read_bytes()
        self.content_type = content_type
        self.etag = f'"{hashlib.sha256(self.body).hexdigest()[:16]}"'
        self.modified = email.utils.formatdate(int(path.stat().st_mtime), usegmt=True)

    def answer(self, headers: Any) -> Answer:
        known = {"etag": self.etag, "last-modified": self.modified, "cache-control": "no-cache"}
        sent = headers.get("if-none-match")
        fresh = sent == self.etag if sent else headers.get("if-modified-since") == self.modified
        return Answer(304, b"", None, known) if fresh else Answer(200, self.body, self.content_type, known)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "library/1"
    disable_nagle_algorithm = True
    wbufsize = -1
    timeout = 600

    server: LibraryServer

    def _serve(self) -> None:
        target = urlsplit(self.path)
        answer = self._refusal() or self._answer(target.path, target.query)
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        if answer.status not in (204, 304):
            self.send_header("content-length", str(len(answer.body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(answer.body)
        self.wfile.flush()

    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = _serve

    def _refusal(self) -> Answer | None:
        """A request whose body cannot be read leaves the connection unusable."""
        if "transfer-encoding" in self.headers:
            self.close_connection = True
            return as_problem(Problem(411, "Length required", "Send the body with a content-length."))
        if int(self.headers.get("content-length") or 0) > MAX_BODY:
            self.close_connection = True
            return as_problem(Problem(413, "Too large", f"A body has at most {MAX_BODY} bytes."))
        return None

    def _answer(self, path: str, query: str) -> Answer:
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        if path in self.server.documents:
            return self.server.documents[path].answer(self.headers)
        if path == "/healthz":
            return Answer(200, b"ok\n", "text/plain")
        try:
            if not path.startswith("/api/"):
                raise Problem(404, "Not found", f"There is nothing at `{path}`.")
            return self.server.api.answer(self.command, path.removeprefix("/api"), Request(self, query, body))
        except Problem as problem:
            return as_problem(problem)

    def log_message(self, format: str, *args: Any) -> None:
        if not self.server.quiet:
            sys.stderr.write("library: " + format % args + "\n")


class LibraryServer(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def __init__(self, host: str, port: int, quiet: bool):
        self.api, self.quiet = Api(Library()), quiet
        self.documents = {
            "/openapi.json": Document(HERE / "openapi.json", "application/json"),
            "/openapi.yaml": Document(HERE / "openapi.yaml", "application/yaml"),
        }
        super().__init__((host, port), Handler)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8080)
    parser.add_argument("--quiet", action="store_true", help="do not log requests")
    options = parser.parse_args()
    server = LibraryServer(options.host, options.port, options.quiet)
    with contextlib.suppress(KeyboardInterrupt):
        server.serve_forever()


if __name__ == "__main__":
    main()
