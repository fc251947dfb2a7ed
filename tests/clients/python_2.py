"""Python client 2.x: `python_2.py URL MODE REQUEST`, MODE is auto, legacy or a revision."""

import asyncio
import json
import sys

from mcp import Client


async def main(url: str, mode: str, request: str) -> None:
    wanted = json.loads(request)
    async with Client(url, mode=mode) as client:
        tools = (await client.list_tools()).tools
        result = await client.call_tool(wanted["name"], wanted["arguments"])
        shown = {"version": client.protocol_version, "server": client.server_info.name}
    names = [tool.name for tool in tools]
    print(json.dumps({**shown, "tools": names, "result": result.model_dump(mode="json", by_alias=True)}))


asyncio.run(main(*sys.argv[1:]))
