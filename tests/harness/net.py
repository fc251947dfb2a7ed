"""Ports, processes and raw HTTP on the loopback interface."""

from __future__ import annotations

import atexit
import contextlib
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

HOST = "127.0.0.1"
ROOT = Path(__file__).resolve().parents[2]
WASM = ROOT / "dist" / "openapi-mcp-filter.wasm"

T = TypeVar("T")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return probe.getsockname()[1]


def eventually(check: Callable[[], T], timeout: float = 10.0, pause: float = 0.05, what: str = "") -> T:
    """The first true result of `check`; fails with the last result when the time is over."""
    deadline = time.monotonic() + timeout
    while True:
        result = check()
        if result:
            return result
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {timeout} s: {what or check}; last result: {result!r}")
        time.sleep(pause)


def accepts(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex((HOST, port)) == 0


class Process:
    """A child process that is stopped by its own id, with its output in a file."""

    def __init__(self, command: list[str], log: Path, cwd: Path | None = None):
        self.log_path = log
        with log.open("ab") as output:
            self._child = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, cwd=cwd
            )
        atexit.register(self.stop)

    @property
    def pid(self) -> int:
        return self._child.pid

    def running(self) -> bool:
        return self._child.poll() is None

    def log(self) -> str:
        return self.log_path.read_text(encoding="utf-8", errors="replace")

    def wait_for_port(self, port: int, timeout: float = 60.0) -> None:
        def ready() -> bool:
            if not self.running():
                raise AssertionError(f"exited with {self._child.returncode}:\n{self.log()[-4000:]}")
            return accepts(port)

        eventually(ready, timeout, 0.02, f"port {port} accepts connections")

    def wait(self, timeout: float) -> int:
        return self._child.wait(timeout)

    def resident_kib(self) -> int:
        """Resident memory, from the kernel."""
        status = Path(f"/proc/{self.pid}/status").read_text()
        return int(status.split("VmRSS:")[1].split()[0])

    def stop(self) -> None:
        atexit.unregister(self.stop)
        if not self.running():
            return
        self._child.terminate()
        try:
            self._child.wait(5)
        except subprocess.TimeoutExpired:
            self._child.kill()
            self._child.wait(5)


@contextlib.contextmanager
def connection(port: int, timeout: float = 10.0) -> Iterator[socket.socket]:
    with socket.create_connection((HOST, port), timeout) as sock:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        yield sock


def exchange(port: int, request: bytes, timeout: float = 10.0) -> tuple[int, dict[str, str], bytes]:
    """Send raw bytes, read one whole response: status, headers (lower case) and body.

    Fails when the response is not complete within the time: a body that never comes is a defect.
    """
    with connection(port, timeout) as sock:
        sock.sendall(request)
        return read_response(sock)


def read_response(sock: socket.socket) -> tuple[int, dict[str, str], bytes]:
    stream = sock.makefile("rb")
    status = int(stream.readline().split()[1])
    headers: dict[str, str] = {}
    while (line := stream.readline().strip()) != b"":
        name, _, value = line.decode("latin-1").partition(":")
        headers[name.lower()] = value.strip()
    return status, headers, _read_body(stream, status, headers)


def _read_body(stream, status: int, headers: dict[str, str]) -> bytes:
    if status in (204, 304) or status < 200:
        return b""
    if headers.get("transfer-encoding") == "chunked":
        body = b""
        while size := int(stream.readline().split(b";")[0], 16):
            body += stream.read(size)
            stream.readline()
        stream.readline()
        return body
    length = int(headers["content-length"]) if "content-length" in headers else -1
    body = stream.read(length)
    assert length in (-1, len(body)), f"{len(body)} of {length} bytes"
    return body
