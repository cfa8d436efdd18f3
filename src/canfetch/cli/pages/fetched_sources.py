"""What the servers of pages send to the commands on pages."""

import time
from collections.abc import Iterable
from functools import partial
from typing import Any, Final

from canfetch.access.responses import Failure, Response
from canfetch.cli.shared.document_fetcher import DocumentFetcher
from canfetch.cli.shared.network_options import NetworkOptions
from canfetch.client.documents import DecideStep, FetchStep, Step, run_steps
from canfetch.client.site_files import FileStep, fetch_site_file, kept_file
from canfetch.client.use import RequestTimeStep, UseStep
from canfetch.core.agent import Agent
from canfetch.core.origin import find_origin
from canfetch.core.redaction import redacted_url

_HTML: Final = "text/html, */*;q=0.5"


class FetchedSources:
    """What the servers send, fetched as robots.txt allows each agent. Each URL is requested once for all agents.

    Args:
        options: The network options.
        urls: The URLs that the user named, whose origins receive headers with credentials.
        profile: How robots.txt files are parsed.
    Raises: CommandError: The store cannot be opened, or an option is invalid.
    """

    def __init__(self, options: NetworkOptions, urls: Iterable[str], *, profile: str) -> None:
        origins = [origin for origin in map(find_origin, urls) if origin is not None]
        self._fetcher = DocumentFetcher(options, profile=profile, accept=_HTML, named_origins=origins)
        # Failures are stored as well, so that the next URL or agent does not wait for the same timeout.
        self._files: dict[tuple[str, bool], Response | Failure] = {}
        self._requested_at: dict[str, float] = {}
        self._pages: dict[tuple[str, bool], Response | Failure] = {}
        self._page_times: dict[str, float] = {}

    def forget_pages(self) -> None:
        """Forget the pages, but not the files of sites: the next URL can be of the same site."""
        self._pages, self._page_times = {}, {}

    def perform(self, agent: Agent, step: UseStep) -> Any:
        """Perform a step for an agent.

        Raises: InvalidURL; NotFetched: A robots.txt cannot be looked up.
        """
        match step:
            case DecideStep(url):
                return self._fetcher.decide(url, agent)
            case FetchStep(url):
                response = self._fetch(step, self._pages)
                self._page_times.setdefault(redacted_url(url), time.time())
                return response
            case RequestTimeStep(url):
                return self._page_times.get(url)
            case FileStep():
                # One agent may fetch the file, and another may not.
                file, now = run_steps(fetch_site_file(step), partial(self._perform_for_file, agent)), time.time()
                return kept_file(file, self._requested_at.setdefault(step.url, now) if file.is_requested else now)
            case _:
                return self._fetcher.state(step.url)

    def close(self) -> None:
        """Close the client and the transport."""
        self._fetcher.close()

    def _perform_for_file(self, agent: Agent, step: Step) -> Any:
        if isinstance(step, DecideStep):
            return self._fetcher.decide(step.url, agent)
        return self._fetch(step, self._files)

    def _fetch(self, step: FetchStep, kept: dict[tuple[str, bool], Response | Failure]) -> Response | Failure:
        # Without credentials, the response can be another one.
        key = step.url, step.cross_origin
        response = kept.get(key)
        if response is None:
            response = kept[key] = self._fetcher.send(step)
        return response
