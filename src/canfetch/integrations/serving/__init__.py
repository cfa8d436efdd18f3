"""Serving a robots.txt, and enforcing it: what the middlewares for ASGI, WSGI and Django share.

    request -> Site -> source (file, function, host) -> ServedFile -> Reply
                    -> declared crawler -> verdict -> identity -> Reply, or None: the application handles the request

Open `site.py` first. A `Site` depends on no web framework, and does no I/O but reading its files and verifying
crawlers. A middleware translates its host's requests and replies (`requests.py`), and nothing else.

- `sources.py` finds the file of a host. `served_file.py` is its content with validators and rules. It decides by
  verdicts whether a file closes a site.
- `http.py` answers conditional requests.
- `enforcement.py` refuses what a declared crawler may not fetch. `trusted_proxies.py` finds the client's address.
- `stats.py` counts.
"""

from canfetch.integrations.serving.enforcement import Enforcement
from canfetch.integrations.serving.site import Site
from canfetch.integrations.serving.stats import SiteStats

__all__ = ["Enforcement", "Site", "SiteStats"]
