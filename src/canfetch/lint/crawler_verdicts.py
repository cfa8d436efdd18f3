"""The verdicts that show the effect of a finding, computed by the engine for each crawler."""

from typing import Any, Final, NamedTuple

from canfetch.agents import REGISTRY
from canfetch.core.agent import Agent
from canfetch.core.agent_rules import find_deciding_rule
from canfetch.core.text import display_text
from canfetch.errors import InvalidURL
from canfetch.lint.check import VerdictQuery
from canfetch.lint.linted_file import LintedFile

# Represents any crawler that follows RFC 9309 and has no group of its own.
OTHER_CRAWLER: Final = "ExampleBot"
_EXAMPLE_ORIGIN: Final = "https://example.com"
_SEARCH_ENGINES: Final = ("Googlebot", "bingbot", "YandexBot", OTHER_CRAWLER)
_PROFILES: Final = {"Google": "googlebot", "Microsoft": "bing", "Yandex": "yandex"}


class CrawlerVerdict(NamedTuple):
    """Whether one crawler may fetch a URL.

    Attributes:
        crawler: The crawler's product token.
        profile: The parsing profile that the crawler uses.
        url: The URL or path.
        allowed: Whether the crawler may fetch it.
        line: The line that decides, or None.
    """

    crawler: str
    profile: str
    url: str
    allowed: bool
    line: int | None

    def to_json(self) -> dict[str, Any]:
        """Return the verdict as JSON-compatible values."""
        return self._asdict()


def query_verdicts(file: LintedFile, query: VerdictQuery) -> tuple[CrawlerVerdict, ...]:
    """Return the verdict of each crawler of a query, or nothing if the URL is not valid.

    Cost: One parse of the file for each profile involved, and one decision for each crawler.
    """
    try:
        return tuple(_verdict(file, query.url, name) for name in query.tokens or _SEARCH_ENGINES)
    except InvalidURL:
        return ()  # a value of the file does not have to be a valid path


def _verdict(file: LintedFile, url: str, name: str) -> CrawlerVerdict:
    crawler = REGISTRY.get_crawler(name)
    profile = "rfc9309" if crawler is None else _PROFILES.get(crawler.operator, "rfc9309")
    agent = Agent(name) if crawler is None else crawler.agent
    allowed, rule = find_deciding_rule(file.robots_for(profile).rules_for(agent), url)
    return CrawlerVerdict(name, profile, url, allowed, None if rule is None else rule.line)


def example_path(pattern: bytes) -> str:
    """Return a path that a pattern matches, such as `/a/x.gif` for `/a/*.gif$`."""
    anchored = pattern.endswith(b"$")
    path = display_text(pattern[:-1] if anchored else pattern)
    # `*` may match nothing, but an `x` after a slash makes a path that looks real.
    path = path.replace("/*", "/x").replace("*", "x") if "*" in path else path
    if path.startswith("//"):
        # On its own, such a path would name a host.
        return _EXAMPLE_ORIGIN + path
    return path if path.startswith("/") else f"/{path}"
