"""Page-level rules: what crawlers may do with a page, from its headers and its HTML."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from canfetch.core.text import printable_text
from canfetch.core.verdict import Verdict
from canfetch.errors import InvalidOption
from canfetch.pages.page_rules import PageRules
from canfetch.web.answers.crawlers import NamedAgent

_STATUS_LINE: Final = re.compile(r"HTTP/\d", re.IGNORECASE)
_VERBOSE_LINE: Final = re.compile(r"< (HTTP/\d|[\w-]+:)", re.IGNORECASE | re.ASCII)


def parse_header_lines(text: str) -> list[tuple[str, str]]:
    """Return the headers of a pasted response, as curl prints it.

    If the text holds several responses, such as redirects, the last one counts. Text after the blank line is skipped.
    In the output of `curl -v`, only lines that start with `< ` are read.

    Raises: InvalidOption: A line is not a header.
    """
    lines = text.splitlines()
    is_verbose = any(_VERBOSE_LINE.match(line) for line in lines)
    headers: list[tuple[str, str]] = []
    is_ended = False
    for number, written in enumerate(lines, 1):
        if is_verbose and written != "<" and not written.startswith("< "):
            continue
        line = written[1:].strip() if is_verbose else written
        if _STATUS_LINE.match(line):
            headers, is_ended = [], False
        elif not line.strip():
            is_ended = bool(headers)
        elif not is_ended:
            headers.append(_parse_header(line, number))
    return headers


def _parse_header(line: str, number: int) -> tuple[str, str]:
    name, colon, value = line.partition(":")
    if not colon or not name.strip() or " " in name.strip():
        raise InvalidOption(f"invalid header on line {number}: expected 'NAME: VALUE', such as 'X-Robots-Tag: noindex'")
    return name.strip(), value.strip()


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
