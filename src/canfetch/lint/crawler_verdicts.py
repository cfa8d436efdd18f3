"""What crawlers do where something was found: asked of the engines, never claimed."""

from typing import Any, Final, NamedTuple

from canfetch.agents import REGISTRY
from canfetch.core.agent import Agent
from canfetch.core.agent_rules import find_deciding_rule
from canfetch.core.text import display_text
from canfetch.errors import InvalidURL
from canfetch.lint.check import Probe
from canfetch.lint.linted_file import LintedFile

# The crawler of nobody, which reads as the RFC says.
OTHER_CRAWLER: Final = "ExampleBot"
_EXAMPLE: Final = "https://example.com"
_SEARCH_ENGINES: Final = ("Googlebot", "bingbot", "YandexBot", OTHER_CRAWLER)
_PROFILES: Final = {"Google": "googlebot", "Microsoft": "bing", "Yandex": "yandex"}


class CrawlerVerdict(NamedTuple):
    """What one crawler may do: who asks, as whose reading, for which URL, and the line that decides."""

    crawler: str
    profile: str
    url: str
    allowed: bool
    line: int | None

    def to_json(self) -> dict[str, Any]:
        """Give it in plain values."""
        return self._asdict()


def witnesses_of(file: LintedFile, probe: Probe) -> tuple[CrawlerVerdict, ...]:
    """Ask a question of a file, as each crawler reads it.

    Cost: as parsing the file once in every profile that asks, and as deciding.
    """
    try:
        return tuple(_witness(file, probe.url, name) for name in probe.tokens or _SEARCH_ENGINES)
    except InvalidURL:
        return ()  # what a site wrote need not be a path of any URL


def _witness(file: LintedFile, url: str, name: str) -> CrawlerVerdict:
    crawler = REGISTRY.named(name)
    profile = "rfc9309" if crawler is None else _PROFILES.get(crawler.operator, "rfc9309")
    agent = Agent(name) if crawler is None else crawler.agent
    allowed, rule = find_deciding_rule(file.read_by(profile).rules_for(agent), url)
    return CrawlerVerdict(name, profile, url, allowed, None if rule is None else rule.line)


def witness_path(pattern: bytes) -> str:
    """Give a path that a pattern matches, such as `/a/x.gif` for `/a/*.gif$`."""
    anchored = pattern.endswith(b"$")
    path = display_text(pattern[:-1] if anchored else pattern)
    # A run of octets may be any; at the end, and where a slash stands behind it, nothing is shortest.
    path = path.replace("/*", "/x").replace("*", "x") if "*" in path else path
    if path.startswith("//"):
        # By itself that would name a host.
        return _EXAMPLE + path
    return path if path.startswith("/") else f"/{path}"
