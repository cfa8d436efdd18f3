"""The HTTP API: requests, responses, errors and their OpenAPI document."""
