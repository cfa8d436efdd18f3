"""The commands that run servers: `serve` and `mcp`."""
