"""The rules of each user agent, as the scripts of two studies collect them: corrected, and as published.

Both published scripts note that a group has rules, and never reset that note. In every group after the first, each
user-agent line then replaces those before it, so that only the last of several user agents gets the rules.

Source: Data-Provenance-Initiative/Data-Provenance-Collection, src/web_analysis/parse_robots.py;
commoncrawl/robotstxt-experiments, src/cc-pyspark/robotstxt_statistics.py.
"""

import re
from typing import Final, NamedTuple

_ALLOW: Final = "allow"
_DISALLOW: Final = "disallow"
_USER_AGENT: Final = "user-agent"
_LINE: Final = re.compile(r"[ \t]*(user-agent|allow|disallow)[ \t]*:[ \t]*([^#\r]*)", re.IGNORECASE)
# A hostile file could give many rules to each of many user agents.
_MAX_RULES: Final = 1_000_000


class Ruleset(NamedTuple):
    """The values of the rules of one user agent, in file order."""

    allow: tuple[str, ...]
    disallow: tuple[str, ...]


def collect_rulesets(text: str, *, published: bool) -> dict[str, Ruleset]:
    """Return the rules of each user agent that a file names, by its name in lower case.

    Args:
        text: The file.
        published: Whether to collect rules with the error of the published scripts.
    """
    rules: dict[str, tuple[list[str], list[str]]] = {}
    agents: list[str] = []
    has_rules = False
    budget = _MAX_RULES
    for line in text.splitlines():
        found = _LINE.match(line)
        if found is None:
            continue
        key, value = found[1].lower(), found[2].strip()
        if key == _USER_AGENT:
            name = value.lower()
            rules.setdefault(name, ([], []))
            if has_rules:
                agents = [name]
                has_rules = published
            else:
                agents.append(name)
            continue
        has_rules = True
        budget -= len(agents)
        if budget < 0:
            break
        for agent in agents:
            rules[agent][key == _DISALLOW].append(value)
    return {name: Ruleset(tuple(allow), tuple(disallow)) for name, (allow, disallow) in rules.items()}
