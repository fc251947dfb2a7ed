"""A scriptable upstream that records every request as it came over the wire."""

from __future__ import annotations

import hashlib
import json
import socket
import socketserver
import struct
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from .net import HOST


@dataclass(frozen=True)
class Received:
    """One request: the target is split at the first `?`, nothing else is decoded."""

    method: str
    path: str
    query: str
    headers: list[tuple[str, str]]
    body: bytes

    def header(self, name: str) -> str | None:
        values = [value for key, value in self.headers if key.lower() == name]
        return ",".join(values) if values else None

    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True)
class Answer:
    """What to answer. `fault` is one of `reset`, `reset-mid-body`, `truncated`, `garbage` and `hang`."""

    status: int = 200
    body: bytes = b""
    content_type: str | None = "application/json"
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0
    chunked: bool = False
    fault: str | None = None

    @staticmethod
    def json(value: Any, status: int = 200, **more: Any) -> Answer:
        return Answer(status, json.dumps(value).encode(), **more)


Script = Answer | Callable[[Received], Answer]


class MockUpstream:
    """Answers by path: the longest scripted prefix wins; without one a JSON echo of the request is sent."""

    def __init__(self, port: int = 0) -> None:
        self._lock = threading.Lock()
        self._scripts: dict[str, Script] = {}
        self._received: list[Received] = []
        self._server = _Server((HOST, port), _Connection)
        self._server.upstream = self
        self.port: int = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def on(self, path: str, script: Script) -> None:
        with self._lock:
            self._scripts[path] = script

    def serve_document(self, document: Any, path: str = "/openapi.json", **more: Any) -> None:
        """Serve an OpenAPI document with an entity tag, honouring `if-none-match`."""
        body = document if isinstance(document, bytes) else json.dumps(document).encode()
        tag = f'"{hashlib.sha256(body).hexdigest()[:12]}"'

        def script(request: Received) -> Answer:
            if request.header("if-none-match") == tag:
                return Answer(304, headers={"etag": tag}, content_type=None)
            return Answer(200, body, headers={"etag": tag}, **more)

        self.on(path, script)

    def reset(self) -> None:
        """Forget scripts and requests, but keep the documents."""
        with self._lock:
            self._scripts = {path: script for path, script in self._scripts.items() if path.startswith("/openapi")}
            self._received = []

    def requests(self, path: str | None = None) -> list[Received]:
        """Requests so far, the fetches of documents left out unless their path is asked for."""
        with self._lock:
            if path is None:
                return [request for request in self._received if not request.path.startswith("/openapi")]
            return [request for request in self._received if request.path == path]

    def only_request(self) -> Received:
        found = self.requests()
        assert len(found) == 1, f"{len(found)} requests: {found}"
        return found[0]

    def answer(self, request: Received) -> Answer:
        with self._lock:
            self._received.append(request)
            paths = [path for path in self._scripts if request.path.startswith(path)]
            script = self._scripts[max(paths, key=len)] if paths else None
        if script is None:
            return Answer.json({"method": request.method, "path": request.path, "query": request.query})
        return script if isinstance(script, Answer) else script(request)

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


class _Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 512
    upstream: MockUpstream

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Connections that the peer drops are part of the tests."""


class _Connection(socketserver.StreamRequestHandler):
    disable_nagle_algorithm = True
    timeout = 120
    server: _Server

    def handle(self) -> None:
        while (request := self._read()) is not None:
            answer = self.server.upstream.answer(request)
            time.sleep(answer.delay)
            if not self._send(request, answer):
                return

    def _read(self) -> Received | None:
        line = self.rfile.readline()
        if not line.strip():
            return None
        method, target, _version = line.decode("latin-1").split(" ", 2)
        headers = []
        while (line := self.rfile.readline().rstrip(b"\r\n")) != b"":
            name, _, value = line.decode("latin-1").partition(":")
            headers.append((name, value.strip()))
        path, _, query = target.partition("?")
        received = Received(method, path, query, headers, b"")
        return Received(method, path, query, headers, self._read_body(received))

    def _read_body(self, request: Received) -> bytes:
        if request.header("transfer-encoding") == "chunked":
            body = b""
            while size := int(self.rfile.readline(), 16):
                body += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
            return body
        return self.rfile.read(int(request.header("content-length") or 0))

    def _send(self, request: Received, answer: Answer) -> bool:
        """Whether the connection can be used again."""
        if answer.fault == "reset":
            return self._reset()
        if answer.fault == "hang":
            time.sleep(60)
            return False
        if answer.fault == "garbage":
            self.wfile.write(b"\x00\x01\x02 this is not HTTP\r\n\r\n")
            return False
        self.wfile.write(_head(answer))
        return self._send_body(request, answer)

    def _send_body(self, request: Received, answer: Answer) -> bool:
        half = answer.body[: len(answer.body) // 2]
        if answer.fault == "reset-mid-body":
            self.wfile.write(half)
            time.sleep(0.05)
            return self._reset()
        if answer.fault == "truncated":
            self.wfile.write(half)
            return False
        if request.method == "HEAD" or answer.status in (204, 304):
            return True
        self.wfile.write(_chunks(answer.body) if answer.chunked else answer.body)
        return True

    def _reset(self) -> bool:
        self.request.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.request.close()
        return False


def _head(answer: Answer) -> bytes:
    headers = dict(answer.headers)
    if answer.content_type:
        headers.setdefault("content-type", answer.content_type)
    if answer.chunked:
        headers["transfer-encoding"] = "chunked"
    elif answer.status not in (204, 304):
        headers.setdefault("content-length", str(len(answer.body)))
    lines = [f"HTTP/1.1 {answer.status} Scripted", *(f"{name}: {value}" for name, value in headers.items())]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


def _chunks(body: bytes, size: int = 1000) -> bytes:
    pieces = [body[at : at + size] for at in range(0, len(body), size)]
    return b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"
