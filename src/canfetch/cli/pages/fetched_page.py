"""The page of `canfetch page URL`, fetched with the network options of the command."""

import time
from contextlib import closing
from functools import partial
from typing import Final

from canfetch.access.responses import Failure, Response
from canfetch.answers.documents import DecideStep, FetchStep, NotFetched, Step, quoted_url, run_steps
from canfetch.answers.pages import PageView, fetch_page
from canfetch.cli.pages.options import PageOptions
from canfetch.cli.shared.command_errors import CommandError
from canfetch.cli.shared.command_transport import CommandTransport
from canfetch.cli.shared.origin_lookup import OriginLookup
from canfetch.cli.shared.progress import Progress
from canfetch.client.request_headers import combine_headers
from canfetch.client.transports import TransportRequest
from canfetch.core.agent import Agent
from canfetch.core.origin import find_origin
from canfetch.core.verdict import Verdict
from canfetch.errors import CanfetchError, InvalidURL

# Limit for connecting and for each read. `--timeout` limits the whole request.
_MAX_WAIT_SECONDS: Final = 10.0


class FetchedPage:
    """The page that the server sends. Every redirect is checked against robots.txt.

    Raises: CommandError: The store cannot be opened, or an option is invalid.
    """

    def __init__(self, options: PageOptions, url: str) -> None:
        self._options = options
        self._url = url
        # A redirect may lead to an origin that the user did not name.
        origin = find_origin(url)
        self._transport = CommandTransport(options.network, credential_origins=() if origin is None else (origin,))
        self._lookup = OriginLookup(
            options.network, warn=Progress().print_error, profile=options.profile, transport=self._transport
        )
        # Failures are stored as well, so that the next agent does not wait for the same timeout.
        self._responses: dict[str, Response | Failure] = {}

    @property
    def robots(self) -> None:
        """None: the files are fetched."""

    def view(self, agent: Agent) -> PageView:
        """Return the page as `agent` sees it.

        Raises: InvalidURL, NotFetched.
        """
        return run_steps(fetch_page(self._url, max_bytes=self._options.max_bytes), partial(self._perform, agent))

    def close(self) -> None:
        """Close the client and the transport."""
        self._lookup.close()

    def _perform(self, agent: Agent, step: Step) -> Verdict | Response | Failure:
        return self._decide(step.url, agent) if isinstance(step, DecideStep) else self._fetch(step)

    def _decide(self, url: str, agent: Agent) -> Verdict:
        with closing(self._lookup.states(iter([url]), to_url=_check_absolute, to_weight=len)) as rows:
            _, state = next(rows)
        if isinstance(state, InvalidURL):
            raise state
        if isinstance(state, CanfetchError | CommandError):
            raise NotFetched(str(state))
        return state.decide(url, agent, time.time())

    def _fetch(self, step: FetchStep) -> Response | Failure:
        """Fetch a URL once for all agents."""
        response = self._responses.get(step.url)
        if response is None:
            network = self._options.network
            wait = min(_MAX_WAIT_SECONDS, network.timeout)
            response = self._responses[step.url] = self._transport.send(
                TransportRequest(
                    url=step.url,
                    headers=combine_headers(
                        (("User-Agent", network.user_agent), ("Accept", "text/html, */*;q=0.5")), network.headers
                    ),
                    max_bytes=step.max_bytes,
                    connect_timeout=wait,
                    read_timeout=wait,
                    timeout=network.timeout,
                    allow_private=not network.public_only,
                )
            )
        return response


def _check_absolute(url: str) -> str:
    if url.startswith("/"):
        raise InvalidURL(f"cannot fetch {quoted_url(url)}: expected an absolute URL, or --html FILE")
    return url
