"""The HTTP API: requests, responses and errors."""
