"""The transport of servers: http and https only, and no facts about private networks in its failures."""

import asyncio
from contextlib import nullcontext
from typing import Final

from canfetch.access.responses import Failure, FailureKind, Response
from canfetch.client.loggers import FETCH_LOGGER
from canfetch.client.options import Options
from canfetch.client.transports import AsyncTransport, Route, TransportRequest
from canfetch.client.transports.dns import Resolve, system_resolve
from canfetch.client.transports.fetch_rules import NO_RULES, FetchRules
from canfetch.client.transports.http_transport import AsyncHTTPTransport
from canfetch.client.transports.turns import FairSlots, requester
from canfetch.core.redaction import loggable_url
from canfetch.web.server.clients import current_client, network_of
from canfetch.web.server.shares import Shares

WEB_SCHEMES: Final = ("http", "https")
_FAILURES_OF_NAMES: Final = (FailureKind.DNS, FailureKind.FORBIDDEN_ADDRESS)
_NO_PUBLIC_ADDRESS: Final = "the host does not exist, it has no public address, or the server may not fetch from it"


class _SharedTransport(AsyncHTTPTransport):
    """The transport of a server, whose event loop other clients wait for."""

    handshakes_off_loop = True


class WebTransport:
    """Sends requests with http and https only.

    Args:
        resolve: Returns the addresses of a name.
        trust_env: Whether to use the proxies of environment variables. A proxy hides the addresses of hosts, so they
            cannot be checked.
        requests: The shares that clients have of the requests at a time. The others wait. None means unlimited.
        rules: What may be connected to. With rules, no proxy is used.
    """

    def __init__(
        self,
        resolve: Resolve = system_resolve,
        *,
        trust_env: bool = False,
        requests: Shares | None = None,
        rules: FetchRules = NO_RULES,
    ) -> None:
        self._transport = _SharedTransport(resolve=resolve, trust_env=trust_env and not rules, rules=rules)
        self._slots = None if requests is None else FairSlots(requests)

    @property
    def route(self) -> Route:
        """What the transport can reach."""
        return self._transport.route._replace(schemes=WEB_SCHEMES)

    def check_options(self, options: Options) -> None:
        """Check that the address guard can be guaranteed.

        Raises: InvalidOption.
        """
        self._transport.check_options(options)

    async def send(self, request: TransportRequest) -> Response | Failure:
        """Send a request, unless a redirect leads to another scheme."""
        if request.url.partition(":")[0].lower() not in WEB_SCHEMES:
            return Failure(request.url, FailureKind.SCHEME, "only http and https are fetched")
        client = current_client.get()
        requester.set(network_of(client))
        async with nullcontext() if self._slots is None else self._slots.hold(client):
            answer = await self._transport.send(request)
        return answer if request.allow_private else _without_private_facts(answer)

    async def close(self) -> None:
        """Release all resources."""
        await self._transport.close()


class ThreadTransport:
    """Sends requests of threads with the transport of an event loop, which closes it."""

    def __init__(self, transport: AsyncTransport, loop: asyncio.AbstractEventLoop) -> None:
        self._transport = transport
        self._loop = loop

    def send(self, request: TransportRequest) -> Response | Failure:
        """Send a request, and block until the response is read."""
        coroutine = self._transport.send(request)
        answer = None
        try:
            answer = asyncio.run_coroutine_threadsafe(coroutine, self._loop)
            # The loop may end before.
            return answer.result(request.timeout + 1)
        finally:
            if self._loop.is_closed():
                coroutine.close()
            elif answer is not None:
                answer.cancel()

    def close(self) -> None:
        """Do nothing."""


def _without_private_facts(answer: Response | Failure) -> Response | Failure:
    """Return the same failure for every name without a public address.

    Otherwise, strangers could read from the answers which internal names exist, and their addresses. The log of the
    operator has both.
    """
    if isinstance(answer, Failure) and answer.kind in _FAILURES_OF_NAMES:
        FETCH_LOGGER.info("refused %s: %s: %s", loggable_url(answer.url), answer.kind, answer.detail)
        return Failure(answer.url, FailureKind.FORBIDDEN_ADDRESS, _NO_PUBLIC_ADDRESS)
    return answer


# The class implements the protocol; mypy checks it here.
_: type[AsyncTransport] = WebTransport
