"""Fixtures for the tests of reading."""

from tests.servers.fixtures import site

__all__ = ["site"]
