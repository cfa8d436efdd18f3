"""robots.txt in Scrapy: a parser for `ROBOTSTXT_PARSER`, a middleware in place of Scrapy's, and an add-on.

    ADDONS = {"canfetch.integrations.scrapy.Addon": 100}

The add-on installs both. `docs/scrapy.md` lists the settings.

The middleware has an `AsyncClient`, whose transport sends through Scrapy's downloader on the same event loop:

    request -> agent -> AsyncClient -> DownloaderTransport -> Scrapy's downloader
                           |
                           verdict -> DisallowedRequest, or the slot's delay -> response -> page rules

- `middleware.py` connects the other modules, and has the add-on. `agents.py` finds the agent of a request.
- `crawl_settings.py` validates the settings of a crawl.
- `transport.py` sends requests for robots.txt past cookies, caches and redirects. They have slots of their own: in the
  slot of their host, they would wait behind its pages, and the time of a fetch is limited.
- `slot_pacing.py` sets the delay of a slot when a request reaches the downloader. Crawls in one process have their own
  slots and do not share delays.
- `response_checks.py` applies the page-level rules of responses, and what a site states on their use.
"""

from canfetch.errors import MissingExtra

try:
    import scrapy as _scrapy  # noqa: F401 - reports a missing Scrapy before the other imports
except ImportError as missing:
    raise MissingExtra("Scrapy is not installed: pip install scrapy") from missing

from canfetch.integrations.scrapy.middleware import Addon, RobotsMiddleware
from canfetch.integrations.scrapy.parser import RobotParser
from canfetch.integrations.scrapy.refusals import DisallowedPage, DisallowedRequest, DisallowedUse

__all__ = ["Addon", "DisallowedPage", "DisallowedRequest", "DisallowedUse", "RobotParser", "RobotsMiddleware"]
