"""The rules of each user agent, as the parsers of two studies collect them: as published, and corrected.

Both published parsers note that a group has rules, and never reset that note. In every group after the first, each
user-agent line then replaces those before it, so that only the last of several user agents gets the rules. In all other
respects they differ, so each has its own function.

Source: Data-Provenance-Initiative/Data-Provenance-Collection, src/web_analysis/parse_robots.py;
commoncrawl/robotstxt-experiments, src/cc-pyspark/robotstxt_statistics.py.
"""

import re
from collections.abc import Collection
from typing import Final, NamedTuple

from canfetch.core.lines import BYTE_ORDER_MARK

_ALLOW: Final = "allow"
_DISALLOW: Final = "disallow"
_USER_AGENT: Final = "user-agent"
_LINE: Final = re.compile(r"[ \t]*(user-agent|allow|disallow)[ \t]*:[ \t]*([^#\r]*)", re.IGNORECASE)
# Common Crawl reads up to a carriage return, but skips any white space before the value, line ends included.
_COMMON_CRAWL_LINE: Final = re.compile(rb"\s*(user-agent|allow|disallow)\s*:\s*([^#\r]*)", re.IGNORECASE)
_LINE_END: Final = re.compile(rb"\r\n?|\n")
_PAGE: Final = re.compile(rb"<(?:html|!doctype html)\b", re.IGNORECASE)
_SPACES: Final = re.compile(r"\s+")
# The lines after which the parser of Consent in Crisis starts a new list of user agents.
_CONSENT_RECORDS: Final = frozenset([_ALLOW, _DISALLOW, "crawl-delay", "sitemap"])
# A hostile file could give many rules to each of many user agents.
_MAX_RULES: Final = 1_000_000


class Ruleset(NamedTuple):
    """The values of the rules of one user agent, in file order."""

    allow: tuple[str, ...]
    disallow: tuple[str, ...]


class _Collection:
    """The rules collected so far, by the name of the user agent in lower case."""

    def __init__(self) -> None:
        self._rules: dict[str, tuple[list[str], list[str]]] = {}
        self._left = _MAX_RULES

    def name(self, agent: str) -> None:
        """Note a user agent, which may have no rules."""
        self._rules.setdefault(agent, ([], []))

    def add(self, agents: Collection[str], key: str, value: str) -> bool:
        """Add a rule to each of some user agents, and return whether there is room for more."""
        self._left -= len(agents)
        if self._left < 0:
            return False
        for agent in agents:
            self.name(agent)
            self._rules[agent][key == _DISALLOW].append(value)
        return True

    def rulesets(self) -> dict[str, Ruleset]:
        return {agent: Ruleset(tuple(allow), tuple(disallow)) for agent, (allow, disallow) in self._rules.items()}


def consent_rulesets(text: str) -> dict[str, Ruleset]:
    """Return the rules of each user agent that a file names, with the groups of RFC 9309.

    Lines other than rules do not end a list of user agents, and spaces before a colon are allowed.

    Args: text: The file, without a byte order mark.
    """
    collected = _Collection()
    agents: list[str] = []
    has_rules = False
    for line in text.splitlines():
        found = _LINE.match(line)
        if found is None:
            continue
        key, value = found[1].lower(), found[2].strip()
        if key == _USER_AGENT:
            if has_rules:
                agents = []
                has_rules = False
            agents.append(value.lower())
            collected.name(value.lower())
            continue
        has_rules = True
        if not collected.add(agents, key, value):
            break
    return collected.rulesets()


def published_consent_rulesets(text: str) -> dict[str, Ruleset]:
    """Return the rules of each user agent that a file names, as the parser of Consent in Crisis finds them.

    After the first rule, Crawl-delay or Sitemap line of the file, each user-agent line replaces those before it. A key
    with a space before the colon, or after a byte order mark, is unknown.

    Args: text: The file.
    """
    collected = _Collection()
    agents: list[str] = []
    replaces = False
    for line in text.splitlines():
        key, colon, value = line.partition("#")[0].strip().partition(":")
        key = key.lower() if colon else ""
        if key == _USER_AGENT:
            if replaces:
                agents = []
            # A user agent that is repeated gets its rules twice.
            agents.append(value.strip().lower())
            collected.name(agents[-1])
        elif key in _CONSENT_RECORDS:
            replaces = True
            if key in {_ALLOW, _DISALLOW} and not collected.add(agents, key, value.strip()):
                break
    return collected.rulesets()


def common_crawl_rulesets(
    content: bytes, *, published: bool, ends_at_carriage_returns: bool = False
) -> dict[str, Ruleset]:
    """Return the rules of each user agent that has rules, as the script of Common Crawl finds them.

    A file whose first line starts an HTML page has no rules.

    Args:
        content: The file.
        published: Whether a user-agent line after the first rule of the file replaces those before it, as published.
            Otherwise, all user agents of a group get its rules.
        ends_at_carriage_returns: Whether a carriage return ends a line, as in RFC 9309. In the script, only a line feed
            does.
    """
    content = content.removeprefix(BYTE_ORDER_MARK)
    collected = _Collection()
    if _PAGE.match(content):
        return {}
    # A user agent that is repeated gets its rules once.
    agents: set[str] = set()
    has_rules = False
    for line in _LINE_END.split(content) if ends_at_carriage_returns else content.split(b"\n"):
        found = _COMMON_CRAWL_LINE.match(line)
        if found is None:
            continue
        key = found[1].lower().decode()
        value = _SPACES.sub(" ", found[2].strip().decode("utf-8", "replace"))
        if key == _USER_AGENT:
            if has_rules:
                agents = set()
                has_rules = published
            agents.add(value.lower())
            continue
        has_rules = True
        if not collected.add(agents, key, value):
            break
    return collected.rulesets()
