"""The MCP server, with which AI agents check whether they may fetch a URL, and for which purpose."""
