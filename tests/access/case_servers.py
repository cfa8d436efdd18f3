"""Servers on loopback that play the events of the access cases.

Each origin has a host name of its own, so that its requests can be counted.
"""

from collections.abc import Sequence
from contextlib import ExitStack
from types import TracebackType
from typing import Any, Final, Self

from tests.access.conftest import RULES
from tests.servers import broken, slow
from tests.servers.certificates import Authority
from tests.servers.dead_ports import refusing_port
from tests.servers.web import Behaviour, Exchange, ReceivedRequest, Site

Event = dict[str, Any]

_FAILURES: Final[dict[str, Behaviour]] = {
    "reset": broken.BEHAVIOURS["reset"],
    "never-answers": slow.BEHAVIOURS["silent"],
    "short-body": broken.BEHAVIOURS["short-body"],
    "broken-chunks": broken.BEHAVIOURS["bad-chunk"],
}
# The first label of each host name. The site selects its behaviour by this label.
_LABEL: Final = "event"
_MAIN, _OTHER = ".main.test", ".other.test"
_SITE_ADDRESS, _REFUSING_ADDRESS = "127.0.0.1", "::1"
# These responses have no body: RFC 9110 sections 15.3.5 and 15.4.5.
_WITHOUT_BODY: Final = (204, 304)


class CaseServers:
    """A web server, another one for redirects, one with an expired certificate, and a port that refuses connections."""

    def __init__(self, authority: Authority) -> None:
        self._authority = authority
        self._events: dict[str, Event] = {}
        # By origin. A search through those of all origins would take longer than most cases.
        self._requests: dict[str, list[ReceivedRequest]] = {}
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        behaviours = {_LABEL: self._play}
        self._site = self._stack.enter_context(Site(behaviours=behaviours))
        self._other_site = self._stack.enter_context(Site(behaviours=behaviours))
        self._untrusted_site = self._stack.enter_context(Site(behaviours=behaviours, tls=self._authority.expired()))
        self._stack.enter_context(refusing_port(_REFUSING_ADDRESS, self._site.port))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.__exit__(kind, error, trace)

    def add_origin(self, name: str, event: Event) -> str:
        """Add an origin that plays an event, and return it."""
        assert name not in self._events
        self._events[name] = event
        self._requests[name] = []
        if event.get("failure") == "bad-tls":
            return f"https://{_LABEL}.{name}{_MAIN}:{self._untrusted_site.port}"
        return f"http://{_LABEL}.{name}{_MAIN}:{self._site.port}"

    def set_event(self, name: str, event: Event) -> None:
        """Replace the event of an http origin."""
        self._events[name] = event

    def resolve(self, host: str) -> Sequence[str]:
        """Resolve a host name. An origin that refuses connections has the address with the refusing port."""
        refuses = self._events[_origin_name(host)].get("failure") == "refused"
        return [_REFUSING_ADDRESS if refuses else _SITE_ADDRESS]

    def requests(self, name: str) -> list[ReceivedRequest]:
        """Return the requests for an origin that arrived at any server, in no particular order."""
        return list(self._requests[name])

    async def _play(self, exchange: Exchange) -> None:
        request = exchange.request
        name = _origin_name(request.host)
        self._requests[name].append(request)
        event = self._events[name]
        if "conditional" in event and any(name.startswith("if-") for name in request.headers):
            event = event["conditional"]
        hop = int(request.target.rpartition("?hop=")[2]) if "?hop=" in request.target else 0
        if "failure" in event:
            await _FAILURES[event["failure"]](exchange)
        elif "locations" in event and request.target == "/robots.txt":
            await _redirect(exchange, *event["locations"])
        elif "locations" in event:
            # A wrong target does not have the file.
            await _respond(exchange, {} if request.target == event.get("target") else {"status": 500})
        elif event.get("redirect_loop"):
            await _redirect(exchange, "/robots.txt" if hop else "/robots.txt?hop=1")
        elif hop < event.get("redirects", 0):
            await _redirect(exchange, f"{self._redirect_authority(request, event)}/robots.txt?hop={hop + 1}")
        else:
            await _respond(exchange, event)

    def _redirect_authority(self, request: ReceivedRequest, event: Event) -> str:
        if not event.get("other_authority"):
            return ""
        return f"http://{_LABEL}.{_origin_name(request.host)}{_OTHER}:{self._other_site.port}"


def is_at_other_authority(request: ReceivedRequest) -> bool:
    """Return whether a request was redirected to the other authority."""
    return request.host.partition(":")[0].endswith(_OTHER)


def _origin_name(host: str) -> str:
    name = host.partition(":")[0].removeprefix(f"{_LABEL}.")
    return name.removesuffix(_MAIN).removesuffix(_OTHER)


async def _redirect(exchange: Exchange, *locations: str) -> None:
    fields = [f"Location: {location}" for location in locations]
    # A client that takes the body of the redirect for the file would allow everything.
    await exchange.respond(302, b"User-agent: *\nAllow: /\n", *fields, reason="Found")


async def _respond(exchange: Exchange, event: Event) -> None:
    status = event.get("status", 200)
    fields = [f"{name}: {value}" for name, value in event.get("headers", {}).items()]
    if status in _WITHOUT_BODY:
        head = [f"HTTP/1.1 {status} Whatever", "Connection: close", *fields]
        await exchange.send("\r\n".join([*head, "", ""]).encode())
        return
    body = event.get("body", RULES).encode() + b"#\n" * (event.get("filler_bytes", 0) // 2)
    await exchange.respond(status, body, "Content-Type: text/plain", *fields, reason="Whatever")
