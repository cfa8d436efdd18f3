"""The tester page, the HTTP API, and the MCP server.

answers/    what the API and the page have in common: library calls that return JSON
api/        the HTTP API: requests, responses, errors, OpenAPI
mcp/        the MCP server for AI agents
server/     the limits of a server that strangers use, and its process
site/       the page: its files, and the site that needs no server
"""
