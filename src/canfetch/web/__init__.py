"""The tester page and the HTTP API.

answers/    what the API, the MCP server and the page have in common: library calls that return JSON
api/        the HTTP API: requests, responses, errors, OpenAPI
server/     the limits of a server that strangers use, and its process
site/       the page: its files, its data, and the site that needs no server
"""
