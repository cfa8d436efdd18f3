"""A stage: servers on loopback that do for real what the events of the access cases say.

Each origin is a host name of its own, so that its requests can be told from all others and counted.
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

_FAILING: Final[dict[str, Behaviour]] = {
    "reset": broken.BEHAVIOURS["reset"],
    "never-answers": slow.BEHAVIOURS["silent"],
    "short-body": broken.BEHAVIOURS["short-body"],
    "broken-chunks": broken.BEHAVIOURS["bad-chunk"],
}
# The first label of each host name; the site chooses its behaviour by that.
_PLAY: Final = "play"
_HERE, _ELSEWHERE = ".here.test", ".elsewhere.test"
_SITES_ARE_AT, _NOBODY_IS_AT = "127.0.0.1", "::1"
# RFC 9110 sections 15.3.5 and 15.4.5: these end with their head.
_WITHOUT_BODY: Final = (204, 304)


class Stage:
    """A web server, one at another authority, one with a certificate that has run out, and a port that refuses."""

    def __init__(self, authority: Authority) -> None:
        self._authority = authority
        self._events: dict[str, Event] = {}
        self._held = ExitStack()

    def __enter__(self) -> Self:
        play = {_PLAY: self._play}
        self._site = self._held.enter_context(Site(behaviours=play))
        self._elsewhere = self._held.enter_context(Site(behaviours=play))
        self._untrusted = self._held.enter_context(Site(behaviours=play, tls=self._authority.expired()))
        self._held.enter_context(refusing_port(_NOBODY_IS_AT, self._site.port))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._held.__exit__(kind, error, trace)

    def origin(self, name: str, event: Event) -> str:
        """Give the origin of that name, which is nobody else's; it does what the event says."""
        assert name not in self._events
        self._events[name] = event
        if event.get("failure") == "bad-tls":
            return f"https://{_PLAY}.{name}{_HERE}:{self._untrusted.port}"
        return f"http://{_PLAY}.{name}{_HERE}:{self._site.port}"

    def change(self, name: str, event: Event) -> None:
        """Let an origin of http do something else from now on."""
        self._events[name] = event

    def resolve(self, host: str) -> Sequence[str]:
        """Resolve names: that of an origin that refuses leads to the port where nobody listens."""
        refuses = self._events[_name_of(host)].get("failure") == "refused"
        return [_NOBODY_IS_AT if refuses else _SITES_ARE_AT]

    def arrived(self, name: str) -> list[ReceivedRequest]:
        """Give the requests about this origin that arrived, in no order, wherever they were led."""
        sites = (self._site, self._elsewhere, self._untrusted)
        return [asked for site in sites for asked in list(site.requests) if _name_of(asked.host) == name]

    async def _play(self, exchange: Exchange) -> None:
        event = self._events[_name_of(exchange.request.host)]
        hop = int(exchange.request.target.rpartition("?hop=")[2]) if "?hop=" in exchange.request.target else 0
        if "failure" in event:
            await _FAILING[event["failure"]](exchange)
        elif event.get("redirect_loop"):
            await _redirect(exchange, "/robots.txt" if hop else "/robots.txt?hop=1")
        elif hop < event.get("redirects", 0):
            await _redirect(exchange, f"{self._authority_after(exchange, event)}/robots.txt?hop={hop + 1}")
        else:
            await _answer(exchange, event)

    def _authority_after(self, exchange: Exchange, event: Event) -> str:
        if not event.get("other_authority"):
            return ""
        return f"http://{_PLAY}.{_name_of(exchange.request.host)}{_ELSEWHERE}:{self._elsewhere.port}"


def is_elsewhere(asked: ReceivedRequest) -> bool:
    """Say whether a request was led to the other authority."""
    return asked.host.partition(":")[0].endswith(_ELSEWHERE)


def _name_of(host: str) -> str:
    name = host.partition(":")[0].removeprefix(f"{_PLAY}.")
    return name.removesuffix(_HERE).removesuffix(_ELSEWHERE)


async def _redirect(exchange: Exchange, place: str) -> None:
    # Whoever takes the redirect's body for the file finds everything open.
    await exchange.respond(302, b"User-agent: *\nAllow: /\n", f"Location: {place}", reason="Found")


async def _answer(exchange: Exchange, event: Event) -> None:
    status = event.get("status", 200)
    if status in _WITHOUT_BODY:
        await exchange.send(f"HTTP/1.1 {status} Whatever\r\nConnection: close\r\n\r\n".encode())
        return
    body = event.get("body", RULES).encode() + b"#\n" * (event.get("filler_bytes", 0) // 2)
    await exchange.respond(status, body, "Content-Type: text/plain", reason="Whatever")
