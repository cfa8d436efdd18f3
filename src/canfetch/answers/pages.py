"""Page-level rules: what crawlers may do with a page, from its headers and its HTML."""

import re
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from canfetch.agents.requested import RequestedAgent
from canfetch.core.text import printable_text
from canfetch.core.verdict import Verdict
from canfetch.errors import InvalidOption
from canfetch.pages.page_rules import PageRules
from canfetch.pages.verdict import PageVerdict

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
            headers.append(parse_header(line, f"header on line {number}"))
    return headers


def parse_header(line: str, subject: str) -> tuple[str, str]:
    """Return the name and the value of a header.

    Args: subject: What an error message calls the line, such as `header on line 3`.
    Raises: InvalidOption.
    """
    name, colon, value = line.partition(":")
    if not colon or not name.strip() or " " in name.strip():
        raise InvalidOption(f"invalid {subject}: expected 'NAME: VALUE', such as 'X-Robots-Tag: noindex'")
    return name.strip(), value.strip()


class PageView(NamedTuple):
    """The page as one agent sees it: its rules, the verdict of robots.txt, and facts about the request.

    The last two are None if there is no robots.txt and if nothing was fetched.
    """

    rules: PageRules
    robots: Verdict | None
    fetched: dict[str, Any] | None


def page_json(
    url: str | None,
    agent: RequestedAgent,
    verdict: PageVerdict,
    page: dict[str, Any],
    fetched: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return what a crawler may do with a page, in the form of `canfetch page --format json`.

    Args:
        url: The URL of the page as written, or None.
        page: The JSON of the page's rules.
        fetched: Facts about the request, or None if the page was not fetched.
    """
    return {
        **_names_json(url, agent),
        **verdict.to_json(),
        "fetched": None if fetched is None else dict(fetched),
        "page": page,
    }


def page_error_json(url: str | None, agent: RequestedAgent, error: str) -> dict[str, Any]:
    """Return the object for a page that cannot be fetched or decided."""
    return {**_names_json(url, agent), "may_index": None, "error": error}


def _names_json(url: str | None, agent: RequestedAgent) -> dict[str, Any]:
    return {"url": None if url is None else printable_text(url), "agent_name": printable_text(agent.name)}
