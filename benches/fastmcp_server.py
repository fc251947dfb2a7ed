"""GitHub's API as FastMCP serves it: `fastmcp_server.py ORIGIN PORT list|search`, in FastMCP's own environment.

The document comes from the origin, as it does for the filter. Answers are plain JSON, without sessions and without
checks of what the API answers, which is the least that FastMCP can do for a call.
"""

import sys

import httpx2
from fastmcp import FastMCP
from fastmcp.server.transforms.search import BM25SearchTransform

origin, port, how = sys.argv[1:]
document = httpx2.get(f"{origin}/openapi.json").json()
client = httpx2.AsyncClient(base_url=origin)
server = FastMCP.from_openapi(document, client=client, name="github", validate_output=False)
if how == "search":
    server.add_transform(BM25SearchTransform(max_results=8))
server.run(
    transport="http",
    host="127.0.0.1",
    port=int(port),
    path="/mcp",
    json_response=True,
    stateless_http=True,
    show_banner=False,
    log_level="error",
)
