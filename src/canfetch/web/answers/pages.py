"""Page-level rules: what crawlers may do with a page, from its headers and its HTML."""

from collections.abc import Mapping, Sequence
from typing import Any

from canfetch.core.text import printable_text
from canfetch.core.verdict import Verdict
from canfetch.errors import InvalidOption
from canfetch.pages.page_rules import PageRules
from canfetch.web.answers.crawlers import NamedAgent


def parse_header_lines(text: str) -> list[tuple[str, str]]:
    """Return the headers of a pasted response head. A status line and blank lines are skipped.

    Raises: InvalidOption: A line is not a header.
    """
    headers: list[tuple[str, str]] = []
    for number, line in enumerate(text.splitlines(), 1):
        name, colon, value = line.partition(":")
        if not line.strip() or (number == 1 and line.upper().startswith("HTTP/")):
            continue
        if not colon or not name.strip() or " " in name.strip():
            raise InvalidOption(
                f"invalid header on line {number}: expected 'NAME: VALUE', such as 'X-Robots-Tag: noindex'"
            )
        headers.append((name.strip(), value.strip()))
    return headers


def page_json(
    url: str | None,
    rules: PageRules,
    agents: Sequence[NamedAgent],
    *,
    now: float,
    robots: Mapping[str, Verdict] | None = None,
    dialect: str | None = None,
    fetched: Mapping[str, Any] | None = None,
) -> list[dict[str, Any]]:
    """Return what each crawler may do with a page, in the form of `canfetch page --format json`.

    Args:
        url: The URL of the page, or None.
        now: Seconds since the epoch, for `unavailable_after`.
        robots: The verdict of robots.txt by the name of the crawler, or None if it is unknown.
        dialect: A name in `PAGE_DIALECTS`. The default depends on the crawler.
        fetched: Facts about the request, or None if the page was not fetched.
    Raises: InvalidOption.
    """
    page = rules.to_json()
    return [
        {
            "url": None if url is None else printable_text(url),
            "agent_name": agent.shown_name,
            **rules.decide(
                agent=agent.agent, now=now, robots=None if robots is None else robots.get(agent.name), dialect=dialect
            ).to_json(),
            "fetched": None if fetched is None else dict(fetched),
            "page": page,
        }
        for agent in agents
    ]
