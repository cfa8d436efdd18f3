"""A Scrapy add-on that installs the parser and the middleware."""

from typing import TYPE_CHECKING, Final

from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.utils.misc import load_object

from canfetch.integrations.scrapy.middleware import RobotsMiddleware
from canfetch.integrations.scrapy.parser import RobotParser

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

_MIDDLEWARES: Final = "DOWNLOADER_MIDDLEWARES"
_SCRAPYS_OWN: Final = "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware"
# The order of Scrapy's own middleware.
_ORDER: Final = 100


class Addon:
    """Obey robots.txt with canfetch.

        ADDONS = {"canfetch.integrations.scrapy.Addon": 100}

    It replaces Scrapy's middleware and parser and sets ROBOTSTXT_OBEY. A project that sets ROBOTSTXT_OBEY to False
    still overrides it.
    """

    def update_settings(self, settings: "BaseSettings") -> None:
        """Change the settings of a crawl."""
        settings.set("ROBOTSTXT_OBEY", True, "addon")
        settings.set("ROBOTSTXT_PARSER", RobotParser, "addon")
        order = _ORDER
        middlewares = settings.getdict(_MIDDLEWARES)
        for key in list(middlewares):
            if load_object(key) in {RobotsTxtMiddleware, RobotsMiddleware}:
                order = middlewares.pop(key) or order
        # With a string as key, every release of Scrapy finds its own middleware.
        middlewares.update({_SCRAPYS_OWN: None, RobotsMiddleware: order})
        settings.set(_MIDDLEWARES, middlewares, settings.getpriority(_MIDDLEWARES) or 0)
