"""Serving a robots.txt, and enforcing it: what the middlewares for ASGI, WSGI and Django share.

    request -> Site -> Reply, or None: the application handles the request

A `Site` does no I/O but reading its files. A middleware translates its host's requests and replies, and nothing else.
"""

from canfetch.integrations.serving.enforcement import Enforcement
from canfetch.integrations.serving.site import Site
from canfetch.integrations.serving.stats import SiteStats

__all__ = ["Enforcement", "Site", "SiteStats"]
