"""The access cases, and a transport that plays their events without a network."""

import threading
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from canfetch.access.responses import Failure, FailureKind, Response
from canfetch.client.transports import TransportRequest

CASES = Path(__file__).parents[2] / "conformance" / "access"
RULES = "User-agent: *\nDisallow: /forbidden\n"
FAILURES = {
    "refused": FailureKind.CONNECT,
    "reset": FailureKind.RESET,
    "never-answers": FailureKind.TIMEOUT,
    "short-body": FailureKind.INCOMPLETE,
    "broken-chunks": FailureKind.PROTOCOL,
    "bad-tls": FailureKind.TLS,
}
# The result of each FTP event: a status or a failure.
FTP_RESULTS: dict[str, int | FailureKind] = {"file": 200, "missing": 404, "no-login": 401, "full": FailureKind.PROTOCOL}


def load_cases(name: str) -> list[dict[str, Any]]:
    """Return the cases in a file."""
    loaded: list[dict[str, Any]] = tomllib.loads((CASES / name).read_bytes().decode())["case"]
    return loaded


def effect_in_verdict(effect: str) -> str:
    """Return the effect of a case as verdicts name it."""
    return "conditional-allow" if effect in ("rules", "full-allow-by-rules") else effect


class ScriptedOrigin:
    """A transport that responds as an event specifies, and keeps the requests."""

    def __init__(self, event: dict[str, Any] | None = None) -> None:
        self.event = event or {"status": 200}
        self.requests: list[TransportRequest] = []

    def send(self, request: TransportRequest) -> Response | Failure:
        """Respond as the event specifies."""
        self.requests.append(request)
        return play_event(self.event, request)

    def close(self) -> None:
        """Do nothing."""


class AnsweringOrigin(ScriptedOrigin):
    """A transport that answers with a function, and keeps the requests."""

    def __init__(self, answer: Callable[[TransportRequest], Response | Failure]) -> None:
        super().__init__()
        self._answer = answer

    def send(self, request: TransportRequest) -> Response | Failure:
        """Respond as the function does."""
        self.requests.append(request)
        return self._answer(request)


class GatedOrigin(ScriptedOrigin):
    """An origin whose responses are made when the requests arrive, and sent once `gate` is open.

    Args:
        event: The event of the origin.
        ungated: The number of requests before these, whose responses are sent at once.
    """

    def __init__(self, event: dict[str, Any] | None = None, *, ungated: int = 0) -> None:
        super().__init__(event)
        self.arrived, self.gate = threading.Event(), threading.Event()
        self._ungated = ungated

    def send(self, request: TransportRequest) -> Response | Failure:
        """Respond as the event specifies, once the gate is open."""
        answer = super().send(request)
        if len(self.requests) > self._ungated:
            self.arrived.set()
            assert self.gate.wait(300)
        return answer


class AsyncScriptedOrigin(ScriptedOrigin):
    """A `ScriptedOrigin` for the asynchronous client."""

    async def send(self, request: TransportRequest) -> Response | Failure:  # type: ignore[override]  # the async protocol
        """Respond as the event specifies."""
        return super().send(request)

    async def close(self) -> None:  # type: ignore[override]  # the async protocol
        """Do nothing."""


class Awaited:
    """A transport of a test, for the asynchronous client. Its other attributes are those of the transport."""

    def __init__(self, transport: Any) -> None:
        self._transport = transport

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    async def send(self, request: TransportRequest) -> Response | Failure:
        """Send a request with the transport."""
        answer: Response | Failure = self._transport.send(request)
        return answer

    async def close(self) -> None:
        """Close the transport."""
        self._transport.close()


def play_event(event: dict[str, Any], request: TransportRequest) -> Response | Failure:
    """Return the result of a request to an origin with an event."""
    if "conditional" in event and any(name.startswith("If-") for name, _ in request.headers):
        return play_event(event["conditional"], request)
    if "failure" in event:
        return Failure(request.url, FAILURES[event["failure"]], "scripted failure")
    if "ftp" in event:
        result = FTP_RESULTS[event["ftp"]]
        if isinstance(result, FailureKind):
            return Failure(request.url, result, "scripted failure")
        return Response(request.url, result, (), RULES.encode())
    if "locations" in event:
        target = "/" + request.url.split("/", 3)[3]
        if target == "/robots.txt":
            return Response(request.url, 302, tuple(("Location", location) for location in event["locations"]), b"")
        # A wrong target does not have the file.
        return Response(request.url, 200 if target == event.get("target") else 500, (), RULES.encode())
    if "redirect_loop" in event:
        return Response(request.url, 302, (("Location", request.url),), b"")
    hop = int(request.url.rpartition("?hop=")[2]) if "?hop=" in request.url else 0
    if hop < event.get("redirects", 0):
        authority = "https://other.example" if event.get("other_authority") else ""
        return Response(request.url, 302, (("Location", f"{authority}/robots.txt?hop={hop + 1}"),), b"")
    body = event.get("body", RULES).encode() + b"#\n" * (event.get("filler_bytes", 0) // 2)
    headers = tuple(event.get("headers", {}).items())
    return Response(request.url, event.get("status", 200), headers, body[: request.max_bytes + 1])
