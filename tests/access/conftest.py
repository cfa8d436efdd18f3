"""The access cases, and an origin that plays them without a network."""

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
# What an FTP server's answers are taken for: a status, or a failure.
FTP_ANSWERS: dict[str, int | FailureKind] = {"file": 200, "missing": 404, "no-login": 401, "full": FailureKind.PROTOCOL}
# effect -> (/open allowed, /forbidden allowed)
ALLOWED = {
    "rules": (True, False),
    "full-allow": (True, True),
    "full-disallow": (False, False),
    "full-allow-by-rules": (True, True),
}


def cases(name: str) -> list[dict[str, Any]]:
    """Give the cases of a file."""
    found: list[dict[str, Any]] = tomllib.loads((CASES / name).read_bytes().decode())["case"]
    return found


def effect_name(effect: str) -> str:
    """Give an effect as verdicts name it."""
    return "conditional-allow" if effect in ("rules", "full-allow-by-rules") else effect


class ScriptedOrigin:
    """A transport whose origin does what an event says; it counts what it is asked."""

    def __init__(self, event: dict[str, Any] | None = None) -> None:
        self.event = event or {"status": 200}
        self.requests: list[TransportRequest] = []

    def send(self, request: TransportRequest) -> Response | Failure:
        """Answer as the event says."""
        self.requests.append(request)
        return answer_of(self.event, request)

    def close(self) -> None:
        """Nothing is held."""


class AsyncScriptedOrigin(ScriptedOrigin):
    """The same for the asynchronous client."""

    async def send(self, request: TransportRequest) -> Response | Failure:  # type: ignore[override]  # the async protocol
        """Answer as the event says."""
        return super().send(request)

    async def close(self) -> None:  # type: ignore[override]  # the async protocol
        """Nothing is held."""


def answer_of(event: dict[str, Any], request: TransportRequest) -> Response | Failure:
    """Make the answer of an event to one request."""
    if "failure" in event:
        return Failure(request.url, FAILURES[event["failure"]], "as the case says")
    if "ftp" in event:
        answer = FTP_ANSWERS[event["ftp"]]
        if isinstance(answer, FailureKind):
            return Failure(request.url, answer, "as the case says")
        return Response(request.url, answer, (), RULES.encode())
    if "redirect_loop" in event:
        return Response(request.url, 302, (("Location", request.url),), b"")
    hop = int(request.url.rpartition("?hop=")[2]) if "?hop=" in request.url else 0
    if hop < event.get("redirects", 0):
        place = "https://other.example" if event.get("other_authority") else ""
        return Response(request.url, 302, (("Location", f"{place}/robots.txt?hop={hop + 1}"),), b"")
    body = event.get("body", RULES).encode() + b"#\n" * (event.get("filler_bytes", 0) // 2)
    return Response(request.url, event.get("status", 200), (), body[: request.max_bytes + 1])


Answer = Callable[[TransportRequest], Response | Failure]
