"""Documents of sites, fetched with the network options of a command."""

import time
from collections.abc import Collection
from contextlib import closing

from canfetch.access.responses import Failure, Response
from canfetch.cli.shared.command_errors import CommandError
from canfetch.cli.shared.command_transport import CommandTransport
from canfetch.cli.shared.network_options import NetworkOptions
from canfetch.cli.shared.origin_lookup import OriginLookup
from canfetch.cli.shared.progress import Progress
from canfetch.client.documents import FetchStep, NotFetched
from canfetch.client.origin_state import OriginState
from canfetch.core.agent import Agent
from canfetch.core.origin import Origin
from canfetch.core.verdict import Verdict
from canfetch.errors import CanfetchError, InvalidURL


class DocumentFetcher:
    """Performs the steps of fetching documents.

    Args:
        options: The network options.
        profile: How robots.txt files are parsed.
        accept: The Accept header of requests.
        named_origins: The origins that the user named, which receive headers with credentials.
    Raises: CommandError: The store cannot be opened, or an option is invalid.
    """

    def __init__(
        self, options: NetworkOptions, *, profile: str, accept: str, named_origins: Collection[Origin]
    ) -> None:
        self._accept = accept
        # A redirect may lead to an origin that the user did not name.
        self._transport = CommandTransport(options, credential_origins=named_origins)
        self._lookup = OriginLookup(options, warn=Progress().print_error, profile=profile, transport=self._transport)

    def state(self, url: str) -> OriginState:
        """Return the state of the origin of a URL.

        Raises: InvalidURL; NotFetched: The origin cannot be looked up.
        """
        with closing(self._lookup.states(iter([url]), to_url=str, to_weight=len)) as rows:
            _, state = next(rows)
        if isinstance(state, InvalidURL):
            raise state
        if isinstance(state, CanfetchError | CommandError):
            raise NotFetched(str(state))
        return state

    def decide(self, url: str, agent: Agent) -> Verdict:
        """Return the verdict of the live robots.txt on a URL.

        Raises: As `state`.
        """
        return self.state(url).decide(url, agent, time.time())

    def send(self, step: FetchStep) -> Response | Failure:
        """Send a request."""
        return self._transport.get(
            step.url, accept=self._accept, max_bytes=step.max_bytes, cross_origin=step.cross_origin
        )

    def close(self) -> None:
        """Close the client and the transport."""
        self._lookup.close()
