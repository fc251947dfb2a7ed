"""Python SDK 1.x: `python_1.py URL MODE REQUEST`; it has one mode."""

import asyncio
import json
import sys

from mcp import ClientSession
from mcp.client.streamable_http import streamablehttp_client


async def main(url: str, _mode: str, request: str) -> None:
    wanted = json.loads(request)
    async with streamablehttp_client(url) as (read, write, _), ClientSession(read, write) as session:
        server = await session.initialize()
        tools = (await session.list_tools()).tools
        result = await session.call_tool(wanted["name"], wanted["arguments"])
    shown = {"version": server.protocolVersion, "server": server.serverInfo.name}
    names = [tool.name for tool in tools]
    print(json.dumps({**shown, "tools": names, "result": result.model_dump(mode="json", by_alias=True)}))


asyncio.run(main(*sys.argv[1:]))
