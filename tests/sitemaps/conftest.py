"""Fixtures for the tests of sitemaps."""

from tests.servers.fixtures import site

__all__ = ["site"]
