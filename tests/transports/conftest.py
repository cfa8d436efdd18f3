"""Fixtures for the tests of the transports."""

from collections.abc import Iterator

import pytest
from tests.servers.certificates import Authority
from tests.servers.fixtures import authority, shared_site, site, tls_site
from tests.transports.harness import TRANSPORT_NAMES, Send, open_transport

__all__ = ["authority", "shared_site", "site", "tls_site"]


@pytest.fixture(scope="module", params=TRANSPORT_NAMES)
def name(request: pytest.FixtureRequest) -> str:
    """The name of each transport."""
    transport_name: str = request.param
    return transport_name


@pytest.fixture(scope="module")
def send(name: str) -> Iterator[Send]:
    """The `send` of each transport."""
    with open_transport(name) as opened:
        yield opened


@pytest.fixture(scope="module")
def tls_send(name: str, authority: Authority) -> Iterator[Send]:
    """The `send` of each transport, with the test authority trusted."""
    with open_transport(name, ssl_context=authority.client()) as opened:
        yield opened
