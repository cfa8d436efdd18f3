"""Answers that several front ends give: values with one JSON form each.

The command line, the HTTP API and the MCP server read arguments, call a function of this package, and render its value.
Functions here know no HTTP and no terminal. They raise the exceptions of the library for invalid arguments.
"""
