"""Fixtures of the tests of the integrations."""

from tests.servers.fixtures import site

__all__ = ["site"]
