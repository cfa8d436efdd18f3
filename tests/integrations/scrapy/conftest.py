"""Scrapy, and the servers that the crawls visit."""

import pytest
from tests.servers.fixtures import authority
from tests.stores.conftest import redis_url

__all__ = ["authority", "redis_url"]

pytest.importorskip("scrapy")
