"""Sitemaps of a site, read with a client."""

from collections.abc import Iterable, Iterator
from typing import Any

from canfetch.client.documents import DecideStep, FetchStep
from canfetch.client.sync_client import Client
from canfetch.core.agent import Agent, as_agent
from canfetch.core.lists import check_list
from canfetch.core.origin import Origin
from canfetch.sitemaps.reading import (
    DEFAULT_MAX_SITEMAPS,
    NamesStep,
    ReadingStep,
    SitemapEvent,
    SitemapSource,
    read_events,
    sitemap_events,
)


def read_sitemaps(
    client: Client,
    url: str,
    *,
    agents: Iterable[str | Agent] = (),
    sitemaps: Iterable[str] | None = None,
    max_sitemaps: int = DEFAULT_MAX_SITEMAPS,
) -> Iterator[SitemapEvent]:
    """Yield the URLs that the sitemaps of a site list, with verdicts, and each sitemap after its URLs.

    The sitemaps of an index are read as well. They are fetched as the client's agent, if robots.txt allows it, with the
    limits of the client: with `allow_private=False`, no connection to a private address is made. Faults of sitemaps are
    problems and never raise.

    Args:
        client: The client.
        url: A URL of the site.
        agents: The agents to decide about each URL for.
        sitemaps: The URLs of the sitemaps. By default, those that the robots.txt of the site names.
        max_sitemaps: The number of files to read.
    Raises: InvalidURL, InvalidProductToken, ClientClosed, RequestNotSent.
    Cost: The requests for the files. One file is in memory, up to 50 MiB, and no list of URLs except that of an index.
    """
    check_list("agents", agents)
    chains = [as_agent(agent) for agent in agents]
    origin = Origin.from_url(url)
    if sitemaps is None:
        sources = [SitemapSource(name, origin) for name in client.sitemaps(url)]
    else:
        check_list("sitemaps", sitemaps)
        sources = [SitemapSource(name) for name in sitemaps]

    def perform(step: ReadingStep) -> Any:
        if isinstance(step, DecideStep):
            return client.decide(step.url)
        if isinstance(step, FetchStep):
            return client.request_document(step.url, max_bytes=step.max_bytes)
        if isinstance(step, NamesStep):
            return client.sitemaps(step.url)
        return [client.decide(step.url, agent=agent) for agent in chains]

    events = sitemap_events(dict.fromkeys(sources), max_sitemaps=max_sitemaps, with_verdicts=bool(chains))
    return read_events(events, perform)
