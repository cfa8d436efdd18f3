"""Sitemaps of a site, read with a client."""

from collections.abc import AsyncGenerator, Callable, Collection, Generator, Iterable
from contextlib import aclosing
from typing import TYPE_CHECKING, Any, overload

from canfetch.client.argument_checks import check_count
from canfetch.client.documents import DecideStep, FetchStep
from canfetch.client.request_headers import is_foreign
from canfetch.client.sync_client import Client
from canfetch.core.agent import Agent, as_agent
from canfetch.core.lists import check_list
from canfetch.core.origin import Origin, find_origin
from canfetch.sitemaps.fetching import read_events, read_events_async
from canfetch.sitemaps.reading import (
    DEFAULT_MAX_SITEMAPS,
    DEFAULT_PARALLEL,
    NamesStep,
    ReadingStep,
    SitemapEvent,
    SitemapSource,
    VerdictsStep,
    sitemap_events,
)

if TYPE_CHECKING:
    from canfetch.client.async_client import AsyncClient


@overload
def read_sitemaps(
    client: Client,
    url: str,
    *,
    agents: Iterable[str | Agent] = (),
    sitemaps: Iterable[str] | None = None,
    max_sitemaps: int = DEFAULT_MAX_SITEMAPS,
    parallel: int = DEFAULT_PARALLEL,
) -> Generator[SitemapEvent]: ...


@overload
def read_sitemaps(
    client: "AsyncClient",
    url: str,
    *,
    agents: Iterable[str | Agent] = (),
    sitemaps: Iterable[str] | None = None,
    max_sitemaps: int = DEFAULT_MAX_SITEMAPS,
    parallel: int = DEFAULT_PARALLEL,
) -> AsyncGenerator[SitemapEvent]: ...


def read_sitemaps(
    client: "Client | AsyncClient",
    url: str,
    *,
    agents: Iterable[str | Agent] = (),
    sitemaps: Iterable[str] | None = None,
    max_sitemaps: int = DEFAULT_MAX_SITEMAPS,
    parallel: int = DEFAULT_PARALLEL,
) -> Generator[SitemapEvent] | AsyncGenerator[SitemapEvent]:
    """Yield the URLs that the sitemaps of a site list, with verdicts, and each sitemap after its URLs.

    The sitemaps of an index are read as well, in its order. They are fetched as the client's agent, if robots.txt
    allows it, with the limits of the client: with `allow_private=False`, no connection to a private address is made.
    Faults of sitemaps are problems and never raise.

    Args:
        client: The client. With an `AsyncClient`, the result is an asynchronous generator.
        url: A URL of the site.
        agents: The agents to decide about each URL for.
        sitemaps: The URLs of the sitemaps. By default, those that the robots.txt of the site names.
        max_sitemaps: The number of files to read.
        parallel: The number of sitemaps of an index to fetch at the same time.
    Raises: InvalidURL, InvalidProductToken, InvalidOption, ClientClosed, RequestNotSent.
    Cost: The requests for the files. Up to `parallel` files are in memory, each up to 50 MiB, and no list of URLs
        except that of an index.
    """
    check_list("agents", agents)
    check_count("max_sitemaps", max_sitemaps)
    check_count("parallel", parallel)
    chains = [as_agent(agent) for agent in agents]
    origin = Origin.from_url(url)
    if sitemaps is not None:
        check_list("sitemaps", sitemaps)
    given = None if sitemaps is None else [SitemapSource(name) for name in sitemaps]
    named = {origin, *(find_origin(source.url) for source in given or ())}

    def events(names: Iterable[str]) -> Generator[ReadingStep | SitemapEvent, Any, None]:
        sources = [SitemapSource(name, origin) for name in names] if given is None else given
        return sitemap_events(
            dict.fromkeys(sources), max_sitemaps=max_sitemaps, parallel=parallel, with_verdicts=bool(chains)
        )

    if not isinstance(client, Client):
        return _read_async(client, url if given is None else None, events, chains, named)

    def perform(step: ReadingStep) -> Any:
        cross_origin = is_foreign(step.url, named)
        if isinstance(step, VerdictsStep):
            return [client.decide(step.url, agent=agent, cross_origin=cross_origin) for agent in chains]
        return _perform(client, step, cross_origin=cross_origin)

    return read_events(events(client.sitemaps(url) if given is None else ()), perform)


async def _read_async(
    client: "AsyncClient",
    named_by: str | None,
    events: Callable[[Iterable[str]], Generator[ReadingStep | SitemapEvent, Any, None]],
    chains: Iterable[Agent],
    named: Collection[Origin | None],
) -> AsyncGenerator[SitemapEvent]:
    async def perform(step: ReadingStep) -> Any:
        cross_origin = is_foreign(step.url, named)
        if isinstance(step, VerdictsStep):
            return [await client.decide(step.url, agent=agent, cross_origin=cross_origin) for agent in chains]
        return await _perform(client, step, cross_origin=cross_origin)

    names = () if named_by is None else await client.sitemaps(named_by)
    async with aclosing(read_events_async(events(names), perform)) as reading:
        async for event in reading:
            yield event


def _perform(client: "Client | AsyncClient", step: ReadingStep, *, cross_origin: bool) -> Any:
    """Perform a step with one call of a client, whose result is awaitable with an AsyncClient."""
    if isinstance(step, DecideStep):
        return client.decide(step.url, cross_origin=cross_origin)
    if isinstance(step, FetchStep):
        cross_origin = cross_origin or step.cross_origin
        return client.request_document(step.url, max_bytes=step.max_bytes, cross_origin=cross_origin)
    assert isinstance(step, NamesStep)
    return client.sitemaps(step.url, cross_origin=cross_origin)
