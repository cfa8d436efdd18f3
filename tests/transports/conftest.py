"""What the tests of the transports share."""

from collections.abc import Iterator

import pytest

from tests.servers.certificates import Authority
from tests.servers.fixtures import authority as authority
from tests.servers.fixtures import site as site
from tests.servers.fixtures import tls_site as tls_site
from tests.servers.web import Site
from tests.transports.faces import FACES, Ask, face


@pytest.fixture(scope="module")
def shared_site() -> Iterator[Site]:
    """One server for many requests, for tests that do not count them."""
    with Site() as running:
        yield running


@pytest.fixture(scope="module", params=FACES)
def ask(request: pytest.FixtureRequest, authority: Authority) -> Iterator[Ask]:
    """Each transport in turn, trusting the authority of the tests."""
    with face(request.param, ssl_context=authority.client()) as asked:
        yield asked
