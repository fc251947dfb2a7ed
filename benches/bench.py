"""Throughput, latency, start and memory of the filter, beside plain Envoy and Envoy's own MCP bridge.

    bench.py [--rounds 7] [--seconds 2]

Everything runs on the loopback interface in one go: the targets take turns within each round, and the table shows
medians. Each round has processes of its own: where its memory lies makes one up to a tenth slower than another, for as
long as it lives. Absolute numbers are those of this machine; the ratios are what to look at. wrk and nginx come from
Debian.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "tests"), str(HERE)]

from harness.envoy import Envoy
from harness.mcp import Mcp
from harness.net import HOST, WASM, connection, read_response
from targets import Stub, big_document, bridge, document, ours, plain

CALL = json.dumps(
    {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "getpet", "arguments": {"petId": "7"}}}
)
LIST = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
Row = tuple[str, str, str]


def ensure_programs() -> None:
    """wrk and nginx, installed where that is possible without asking."""
    missing = [package for program, package in (("wrk", "wrk"), ("nginx", "nginx-light")) if not shutil.which(program)]
    if not missing:
        return
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        raise SystemExit(f"install these first: apt-get install {' '.join(missing)}")
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive", "RUNLEVEL": "1"}
    subprocess.run(["apt-get", "update", "-qq"], check=True, env=environment, stdout=subprocess.DEVNULL)
    subprocess.run(
        ["apt-get", "install", "-y", "-qq", *missing], check=True, env=environment, stdout=subprocess.DEVNULL
    )


def load(port: int, path: str, body: str, connections: int, seconds: int) -> dict[str, Any]:
    command = [
        "wrk",
        "-t1",
        f"-c{connections}",
        f"-d{seconds}s",
        "-s",
        str(HERE / "load.lua"),
        f"http://{HOST}:{port}{path}",
    ]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "BODY": body}, check=True)
    found = json.loads(done.stdout.split("RESULT ")[1])
    if found["failed"]:
        raise SystemExit(f"{found['failed']} failed requests at {path}:\n{done.stdout}")
    return {**found, "rate": found["requests"] / found["microseconds"] * 1e6}


def listing_size(envoy: Envoy) -> int:
    """Bytes of the answer to `tools/list`."""
    return len(Mcp(envoy.port).request("tools/list").body)


def equalize(stub: Stub) -> int:
    """Gives the bridge and the filter listings of equal length, the shorter one a longer description; returns by how
    many bytes the bridge's is to be longer."""
    theirs, filtered = bridge(stub), ours(stub)
    try:
        longer = listing_size(filtered.wait_ready().wait_for_mcp()) - listing_size(theirs.wait_ready())
    finally:
        theirs.stop()
        filtered.stop()
    if longer < 0:
        stub.publish(document(-longer))
    return max(longer, 0)


# What is measured: the targets, the message for MCP, and the number of connections.
MEASURED = {
    "many": (("plain", "bridge", "ours"), CALL, 16),
    "one": (("plain", "bridge", "ours"), CALL, 1),
    "listing": (("bridge", "ours"), LIST, 16),
}
Measured = dict[str, dict[str, list[dict[str, Any]]]]


def measure(envoys: dict[str, Envoy], seconds: int, found: Measured) -> None:
    """One round: every target in turn, after a second to warm up."""
    for envoy in (envoys["bridge"], envoys["ours"]):
        assert not Mcp(envoy.port).call("getpet", {"petId": "7"}).get("isError")
    for what, (names, message, connections) in MEASURED.items():
        for name in names:
            path, body = ("/pets/7", "") if name == "plain" else ("/mcp", message)
            load(envoys[name].port, path, body, connections, 1)
            run = load(envoys[name].port, path, body, connections, seconds)
            found.setdefault(what, {}).setdefault(name, []).append(run)


def throughput(stub: Stub, rounds: int, seconds: int) -> list[Row]:
    found: Measured = {}
    padding = equalize(stub)
    for _ in range(rounds):
        envoys = {"plain": plain(stub), "bridge": bridge(stub, padding), "ours": ours(stub)}
        try:
            for envoy in envoys.values():
                envoy.wait_ready()
            envoys["ours"].wait_for_mcp()
            (size,) = {listing_size(envoys[name]) for name in ("bridge", "ours")}
            measure(envoys, seconds, found)
        finally:
            for envoy in envoys.values():
                envoy.stop()
    many, one, listing = (
        {
            name: {key: statistics.median(run[key] for run in runs) for key in ("rate", "p50")}
            for name, runs in found[what].items()
        }
        for what in MEASURED
    )
    return [
        ("plain Envoy, GET, 16 connections", rate(many["plain"]), ""),
        ("bridge, `tools/call`, 16 connections", rate(many["bridge"]), ""),
        ("**ours, `tools/call`, 16 connections**", rate(many["ours"]), ratio(many, "rate", "at least 0.9")),
        ("plain Envoy, GET, 1 connection, p50", p50(one["plain"]), ""),
        ("bridge, `tools/call`, 1 connection, p50", p50(one["bridge"]), ""),
        ("**ours, `tools/call`, 1 connection, p50**", p50(one["ours"]), ratio(one, "p50", "at most 1.2")),
        (f"bridge, `tools/list` of {size:,} bytes, 16 connections", rate(listing["bridge"]), ""),
        (
            f"**ours, `tools/list` of {size:,} bytes, 16 connections**",
            rate(listing["ours"]),
            ratio(listing, "rate", "at least 1.0"),
        ),
    ]


def rate(found: dict[str, float]) -> str:
    return f"{found['rate']:,.0f}/s"


def p50(found: dict[str, float]) -> str:
    return f"{found['p50']:.0f} µs"


def ratio(found: dict[str, dict[str, float]], key: str, target: str) -> str:
    return f"{found['ours'][key] / found['bridge'][key]:.2f} of the bridge (target {target})"


def first_answer(start: Callable[[], Envoy], answered: Callable[[Envoy], bool]) -> float:
    """Seconds from the start of the process to the first answer."""
    began = time.monotonic()
    envoy = start()
    try:
        while not answered(envoy):
            if time.monotonic() - began > 60:
                raise SystemExit(f"no answer within 60 s:\n{envoy.log()}")
            time.sleep(0.005)
        return time.monotonic() - began
    finally:
        envoy.stop()


def answers_call(tool: str, arguments: dict[str, Any]) -> Callable[[Envoy], bool]:
    def answered(envoy: Envoy) -> bool:
        try:
            return (
                Mcp(envoy.port, timeout=5).request("tools/call", {"name": tool, "arguments": arguments}).status == 200
            )
        except OSError:
            return False

    return answered


def start_times(stub: Stub, rounds: int) -> list[Row]:
    first = answers_call("getpet", {"petId": "7"})
    small = statistics.median(first_answer(lambda: ours(stub), first) for _ in range(rounds))
    stub.publish(big_document())
    big = statistics.median(
        first_answer(lambda: ours(stub), answers_call("get_record1", {"id": "7"})) for _ in range(rounds)
    )
    stub.publish(document())
    return [
        ("size of the filter", f"{WASM.stat().st_size / 2**20:.2f} MiB", "target at most 2.6 MiB"),
        ("start of Envoy to the first served call", f"{small:.2f} s", "target at most 2 s"),
        ("the same with a document of 1,000 operations", f"{big:.2f} s", f"{big - small:.2f} s more"),
    ]


def memory(stub: Stub) -> list[Row]:
    rows = []
    for workers in (1, 4):
        sizes = []
        for envoy in (plain(stub, workers).wait_ready(), ours(stub, workers).wait_ready().wait_for_mcp()):
            path, body = ("/pets/7", "") if not sizes else ("/mcp", CALL)
            load(envoy.port, path, body, 16, 2)
            sizes.append(envoy.process.resident_kib() / 1024)
            envoy.stop()
        name = f"resident memory, {workers} worker{'s' if workers > 1 else ''}, after load"
        rows.append((name, f"{sizes[1]:.0f} MiB", f"plain Envoy {sizes[0]:.0f} MiB"))
    return rows


def stalls(stub: Stub, main_thread: bool) -> list[Row]:
    """Load 1,000 operations into a running gateway while plain requests pass through it one after the other."""
    envoy = ours(stub, 1, "1s", main_thread).wait_ready().wait_for_mcp()
    try:
        before, _ = longest_gap(envoy, lambda: False, 3)
        size = stub.publish(big_document())
        during, finished = longest_gap(envoy, lambda: version(envoy) == "2", 60)
        took = finished - stub.last_full_fetch()
        after = len(Mcp(envoy.port).list_tools())
    finally:
        envoy.stop()
        stub.publish(document())
    assert after == 1000, f"{after} tools"
    where = "on the main thread" if main_thread else "in the only worker"
    return [
        (f"loading 1,000 operations ({size / 1024:.0f} KiB) {where}, under traffic", f"{took:.2f} s", ""),
        (
            f"longest wait of plain traffic meanwhile, {where}",
            f"{during * 1e3:.1f} ms",
            f"{before * 1e3:.1f} ms before",
        ),
    ]


def version(envoy: Envoy) -> str:
    client = Mcp(envoy.port)
    try:
        return client.initialize()["serverInfo"]["version"]
    finally:
        client.close()


def longest_gap(envoy: Envoy, finished: Callable[[], bool], seconds: float) -> tuple[float, float]:
    """Longest time that one plain request took, and the time at which `finished` came true."""
    request = b"GET /pets/7 HTTP/1.1\r\nhost: x\r\n\r\n"
    deadline, longest, count = time.monotonic() + seconds, 0.0, 0
    with connection(envoy.port, 30) as sock:
        while time.monotonic() < deadline:
            sent = time.monotonic()
            sock.sendall(request)
            read_response(sock)
            longest = max(longest, time.monotonic() - sent)
            count += 1
            if count % 25 == 0 and finished():
                return longest, time.time()
    return longest, time.time()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7, help="rounds of which the median is shown")
    parser.add_argument("--seconds", type=int, default=2, help="length of one measurement")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    ensure_programs()
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        stub = Stub(pathlib.Path(folder))
        try:
            rows = throughput(stub, options.rounds, options.seconds)
            rows += start_times(stub, min(options.rounds, 3))
            rows += memory(stub)
            rows += stalls(stub, main_thread=False) + stalls(stub, main_thread=True)
        finally:
            stub.stop()
    print("\n| what | measured | compared |\n| --- | --- | --- |")
    for row in rows:
        print("| " + " | ".join(row) + " |")


if __name__ == "__main__":
    main()
