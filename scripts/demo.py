"""The example of envoy/ on free local ports: a lending library, an Envoy, and two MCP requests to look at.

demo.py [--once]    with --once it ends after the two requests
"""

from __future__ import annotations

import argparse
import json
import pathlib
import signal
import sys
import time
from typing import Any

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests"))

from harness.mcp import MODERN, text_of
from harness.stack import Stack


def show_tools(tools: list[dict[str, Any]]) -> None:
    for tool in tools:
        wanted = tool["inputSchema"].get("required", [])
        names = [name if name in wanted else f"{name}?" for name in tool["inputSchema"].get("properties", {})]
        print(f"  {tool['name']}({', '.join(names)})")
        print(f"      {tool['description'].splitlines()[0]}")


def show_call(stack: Stack) -> None:
    arguments = {"query": "harbour", "available": True}
    print(f"\ntools/call library_search_books {json.dumps(arguments)}\n")
    result = stack.client(revision=MODERN).call("library_search_books", arguments)
    print("\n".join("  " + line for line in text_of(result).splitlines()))
    if result.get("isError"):
        raise SystemExit("the call failed")


def show(stack: Stack) -> None:
    print(f"\nMCP endpoint   {stack.endpoint}  (profile explore, en)")
    print(f"               {stack.endpoint}/staff  (profile edit, fr)")
    print(f"API            http://127.0.0.1:{stack.port}/api/books")
    print(f"statistics     http://127.0.0.1:{stack.envoy.admin_port}/stats?filter=wasmcustom")
    print("\ntools/list\n")
    show_tools(stack.client(revision=MODERN).list_tools())
    show_call(stack)
    print("\ntools/list on /mcp/staff\n")
    show_tools(stack.client("/mcp/staff", revision=MODERN).list_tools())


def serve(stack: Stack) -> None:
    print("\nServing until interrupted (Ctrl-C). Connect a client, for instance:\n")
    print(f"  curl -s {stack.endpoint} -H 'content-type: application/json' \\")
    print('    -d \'{"jsonrpc":"2.0","id":1,"method":"tools/list"}\'', flush=True)
    while stack.envoy.process.running() and stack.library.process.running():
        time.sleep(0.5)
    raise SystemExit(f"a process ended by itself:\n{stack.envoy.log()[-2000:]}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--once", action="store_true", help="end after the two requests")
    options = parser.parse_args()
    for ending in (signal.SIGINT, signal.SIGTERM):  # a shell starts background jobs with SIGINT ignored
        signal.signal(ending, signal.default_int_handler)
    print("Starting the library and Envoy…", flush=True)
    started = time.monotonic()
    stack = Stack()
    try:
        stack.wait_ready()
        print(f"Ready after {time.monotonic() - started:.1f} s.")
        show(stack)
        if not options.once:
            serve(stack)
    except KeyboardInterrupt:
        print("\nStopped.")
    finally:
        stack.stop()


if __name__ == "__main__":
    main()
