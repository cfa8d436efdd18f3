"""The sources of `canfetch use`, fetched with the network options of the command."""

import time
from collections.abc import Iterable
from functools import partial

from canfetch.access.responses import Failure, Response
from canfetch.agents.requested import RequestedAgent
from canfetch.answers.use import UseAnswer, fetch_use_facts, use_of_content
from canfetch.cli.shared.document_fetcher import DocumentFetcher
from canfetch.cli.shared.network_options import NetworkOptions
from canfetch.client.documents import DecideStep, Step, quoted_url, run_steps
from canfetch.core.agent import Agent
from canfetch.core.origin import find_origin
from canfetch.core.verdict import Verdict
from canfetch.errors import InvalidURL
from canfetch.pages.html import DEFAULT_MAX_PAGE_BYTES
from canfetch.pages.tdm import TDM_FILE_PATH


class FetchedUse:
    """What the servers send. Each TDM file is fetched once, and each page once for all agents.

    Args:
        options: The network options.
        urls: The URLs that the user named, whose origins receive headers with credentials.
        profile: How robots.txt files are parsed.
        with_page: Whether to fetch the pages.
    Raises: CommandError: The store cannot be opened, or an option is invalid.
    """

    def __init__(self, options: NetworkOptions, urls: Iterable[str], *, profile: str, with_page: bool) -> None:
        origins = [origin for origin in map(find_origin, urls) if origin is not None]
        self._fetcher = DocumentFetcher(options, profile=profile, accept="text/html, */*;q=0.5", named_origins=origins)
        self._with_page = with_page
        # Failures are stored as well, so that the next URL or agent does not wait for the same timeout.
        self._tdm_files: dict[str, Response | Failure] = {}
        self._pages: dict[str, Response | Failure] = {}
        self._page_url = ""

    def decide(self, url: str, agent: RequestedAgent, purpose: str) -> UseAnswer:
        """Return the answer for a URL.

        Raises: InvalidURL; NotFetched: A robots.txt cannot be looked up.
        """
        if find_origin(url) is None or "://" not in url:
            raise InvalidURL(f"cannot fetch {quoted_url(url)}: expected an absolute URL, or --robots FILE")
        if url != self._page_url:
            # Only the pages of one URL are kept, for its agents.
            self._pages, self._page_url = {}, url
        steps = fetch_use_facts(url, max_bytes=DEFAULT_MAX_PAGE_BYTES, with_page=self._with_page)
        facts = run_steps(steps, partial(self._perform, agent.agent))
        return use_of_content(url, agent, purpose, facts, self._fetcher.state, now=time.time())

    def close(self) -> None:
        """Close the client and the transport."""
        self._fetcher.close()

    def _perform(self, agent: Agent, step: Step) -> Verdict | Response | Failure:
        if isinstance(step, DecideStep):
            return self._fetcher.decide(step.url, agent)
        kept = self._tdm_files if step.url.endswith(TDM_FILE_PATH) else self._pages
        response = kept.get(step.url)
        if response is None:
            response = kept[step.url] = self._fetcher.send(step)
        return response
