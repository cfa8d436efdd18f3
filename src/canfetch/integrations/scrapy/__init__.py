"""robots.txt in Scrapy: a parser for `ROBOTSTXT_PARSER`, a middleware in place of Scrapy's, and an add-on.

    ADDONS = {"canfetch.integrations.scrapy.Addon": 100}

The add-on installs both. `docs/scrapy.md` lists the settings.
"""

from canfetch.errors import MissingExtra

try:
    import scrapy as _scrapy  # noqa: F401 - reports a missing Scrapy before the other imports
except ImportError as missing:
    raise MissingExtra("Scrapy is not installed: pip install scrapy") from missing

from canfetch.integrations.scrapy.addon import Addon
from canfetch.integrations.scrapy.exceptions import DisallowedPage, DisallowedRequest
from canfetch.integrations.scrapy.middleware import RobotsMiddleware
from canfetch.integrations.scrapy.parser import RobotParser

__all__ = ["Addon", "DisallowedPage", "DisallowedRequest", "RobotParser", "RobotsMiddleware"]
