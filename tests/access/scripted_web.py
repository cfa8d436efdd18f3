"""A transport that plays the responses of the cases about redirects, without a network."""

from typing import Any

from tests.access.conftest import FAILURES, RULES

from canfetch.access.responses import Failure, Response
from canfetch.client.transports import TransportRequest


class ScriptedWeb:
    """Responses by URL. The requests are kept."""

    def __init__(self, responses: dict[str, dict[str, Any]]) -> None:
        self.responses = dict(responses)
        self.requests: list[TransportRequest] = []

    @property
    def urls(self) -> list[str]:
        """The URLs of the requests so far. Reading them clears the list."""
        urls = [request.url for request in self.requests]
        self.requests.clear()
        return urls

    def send(self, request: TransportRequest) -> Response | Failure:
        """Send the response for the URL, or 404."""
        self.requests.append(request)
        response = self.responses.get(request.url, {"status": 404})
        if any(name.startswith("If-") for name, _ in request.headers):
            response = response.get("conditional", response)
        if "failure" in response:
            return Failure(request.url, FAILURES[response["failure"]], "scripted failure")
        headers = tuple(response.get("headers", {}).items())
        if "location" in response:
            return Response(request.url, 301, (("Location", response["location"]), *headers), b"")
        return Response(request.url, response.get("status", 200), headers, response.get("body", RULES).encode())

    def close(self) -> None:
        """Do nothing."""
