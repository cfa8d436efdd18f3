"""Answers as JSON-compatible values. The HTTP API and the MCP server return them, and neither computes its own.

Functions here know no HTTP. They raise the exceptions of the library for invalid arguments.
"""
