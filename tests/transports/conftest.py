"""What the tests of the transports share."""

from collections.abc import Iterator

import pytest
from tests.servers.certificates import Authority
from tests.servers.fixtures import authority, site, tls_site
from tests.servers.web import Site
from tests.transports.faces import FACES, Ask, face

__all__ = ["authority", "site", "tls_site"]


@pytest.fixture(scope="module")
def shared_site() -> Iterator[Site]:
    """One server for many requests, for tests that do not count them."""
    with Site() as running:
        yield running


@pytest.fixture(scope="module", params=FACES)
def name(request: pytest.FixtureRequest) -> str:
    """Each transport's name in turn."""
    transport: str = request.param
    return transport


@pytest.fixture(scope="module")
def ask(name: str) -> Iterator[Ask]:
    """Each transport in turn."""
    with face(name) as asked:
        yield asked


@pytest.fixture(scope="module")
def tls_ask(name: str, authority: Authority) -> Iterator[Ask]:
    """Each transport in turn, trusting the authority of the tests."""
    with face(name, ssl_context=authority.client()) as asked:
        yield asked
