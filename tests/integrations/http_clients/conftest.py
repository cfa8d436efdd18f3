"""Fixtures for the tests of the integrations of HTTP clients."""

from collections.abc import Iterator

import pytest
from tests.integrations.http_clients.hosts import HOST_NAMES
from tests.servers.fixtures import authority, shared_site, site, tls_site
from tests.servers.valid import respond
from tests.servers.web import Exchange, Site

__all__ = ["authority", "shared_site", "site", "tls_site"]

ROBOTS = b"User-agent: *\nDisallow: /private/\nCrawl-delay: 10\n"


async def page(exchange: Exchange) -> None:
    """Respond with the target of the request."""
    await exchange.respond(200, exchange.request.target.encode())


@pytest.fixture(params=HOST_NAMES)
def name(request: pytest.FixtureRequest) -> str:
    """Return the name of each HTTP client in turn."""
    host: str = request.param
    return host


@pytest.fixture
def other() -> Iterator[Site]:
    """Return a second origin."""
    with Site() as running:
        prepare(running)
        yield running


@pytest.fixture
def shop(site: Site) -> Site:
    """Return an origin with a robots.txt, a few pages, and one that is disallowed."""
    prepare(site)
    return site


def prepare(site: Site) -> None:
    site.serve("/robots.txt", respond(ROBOTS))
    for target in ("/fish", "/more", "/private/notes"):
        site.serve(target, page)
