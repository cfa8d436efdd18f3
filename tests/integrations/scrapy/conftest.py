"""Scrapy, and the servers that the crawls visit."""

from collections.abc import Iterator

import pytest
from tests.servers.fixtures import authority
from tests.stores.conftest import redis_url

from canfetch.client.loggers import DECISION_LOGGER

__all__ = ["authority", "redis_url"]

pytest.importorskip("scrapy")


@pytest.fixture(autouse=True)
def _level_of_decisions() -> Iterator[None]:
    """Restore the level that the middleware sets."""
    level = DECISION_LOGGER.level
    yield
    DECISION_LOGGER.setLevel(level)
