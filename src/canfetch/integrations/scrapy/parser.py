"""A parser for Scrapy's `ROBOTSTXT_PARSER` setting."""

from typing import TYPE_CHECKING, Self

from scrapy.robotstxt import RobotParser as ScrapyRobotParser

from canfetch.core.document import RobotsTxt, parse
from canfetch.integrations.lenient_answers import LenientAnswers
from canfetch.integrations.scrapy.agents import agent_of_header, header_text
from canfetch.integrations.scrapy.crawl_settings import parsing_profile

if TYPE_CHECKING:
    from scrapy.crawler import Crawler


class RobotParser(ScrapyRobotParser):
    """A robots.txt, with the interface of Scrapy's parsers.

        ROBOTSTXT_PARSER = "canfetch.integrations.scrapy.RobotParser"

    `user_agent` can be a product token or a whole User-Agent header, from which the token is extracted. The token of a
    header that names no crawler, such as that of a browser, is its first product.

    Attributes:
        robots: The parsed file.
    """

    def __init__(self, robots: RobotsTxt) -> None:
        self.robots = robots
        self._answers = LenientAnswers(robots)

    @classmethod
    def from_crawler(cls, crawler: "Crawler | None", robotstxt_body: bytes) -> Self:
        """Parse a robots.txt, with the profile of the setting `CANFETCH_PROFILE`.

        Raises: InvalidOption: The profile does not exist.
        """
        profile = "rfc9309" if crawler is None else parsing_profile(crawler.settings)
        return cls(parse(robotstxt_body, profile=profile))

    def allowed(self, url: str | bytes, user_agent: str | bytes) -> bool:
        """Return whether `user_agent` may fetch `url`."""
        return self._answers.allows(url, header_text(user_agent))

    def crawl_delay(self, user_agent: str | bytes) -> float | None:
        """Return the Crawl-delay for `user_agent` in seconds, or None."""
        return self.robots.crawl_delay(agent=agent_of_header(header_text(user_agent)))

    def sitemaps(self) -> tuple[str, ...]:
        """Return the sitemaps of the file as written, in file order."""
        return self.robots.sitemaps
