"""Fixtures of the tests of the integrations."""

from tests.servers.fixtures import authority, site, tls_site

__all__ = ["authority", "site", "tls_site"]
