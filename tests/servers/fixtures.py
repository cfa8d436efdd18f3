"""Fixtures for the servers. Import them in a conftest.py: `from tests.servers.fixtures import authority, site`."""

from collections.abc import Iterator

import pytest
from tests.servers.certificates import Authority
from tests.servers.web import Site


@pytest.fixture(scope="session")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("certificates"))


@pytest.fixture
def site() -> Iterator[Site]:
    with Site() as running:
        yield running


@pytest.fixture(scope="module")
def shared_site() -> Iterator[Site]:
    """A server shared by the tests of a module, for tests that do not count requests."""
    with Site() as running:
        yield running


@pytest.fixture
def tls_site(authority: Authority) -> Iterator[Site]:
    with Site(tls=authority.good()) as running:
        yield running
