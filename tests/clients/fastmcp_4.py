"""FastMCP client: `fastmcp_4.py URL MODE REQUEST`, MODE is auto or legacy."""

import asyncio
import json
import sys

from fastmcp import Client


async def main(url: str, mode: str, request: str) -> None:
    wanted = json.loads(request)
    async with Client(url, mode=mode) as client:
        tools = await client.list_tools()
        result = await client.call_tool_mcp(wanted["name"], wanted["arguments"])
        shown = {"version": client.protocol_version, "server": client.server_info.name}
    names = [tool.name for tool in tools]
    print(json.dumps({**shown, "tools": names, "result": result.model_dump(mode="json", by_alias=True)}))


asyncio.run(main(*sys.argv[1:]))
