"""The reference MCP server `mcp-server-fetch`, with canfetch in place of its own check of robots.txt.

python mcp_fetch_server.py [--allow-private-ips]
"""

import asyncio
import sys

from mcp.server.mcpserver.exceptions import ToolError
from mcp_server_fetch import server

import canfetch

USER_AGENT = "ExampleBot/1.0 (+https://example.com/bot)"


async def main(*, allow_private: bool) -> None:
    """Serve on standard input and output."""
    async with canfetch.AsyncClient(user_agent=USER_AGENT, allow_private=allow_private) as robots:

        async def check(url: str, *_settings: object) -> None:
            verdict = await robots.decide(url)
            if not verdict.allowed:
                raise ToolError(f"Not fetched: {url}: {verdict}")

        # The server calls this function for the URL of each tool call, and for the target of each redirect.
        server.check_may_autonomously_fetch_url = check
        await server.serve(custom_user_agent=USER_AGENT, allow_private_ips=allow_private)


if __name__ == "__main__":
    asyncio.run(main(allow_private="--allow-private-ips" in sys.argv))
