"""Page-level rules: what crawlers may do with a page, from its headers, its HTML and the TDM file of its origin."""

import re
from collections.abc import Generator, Sequence
from typing import Any, Final, NamedTuple

from canfetch.agents.requested import RequestedAgent
from canfetch.answers.crawlers import names_json, with_notes
from canfetch.client.documents import FetchFacts, Step, fetch_document
from canfetch.client.request_headers import is_header_name
from canfetch.client.site_files import fetch_site_file
from canfetch.client.use import tdm_file_step
from canfetch.core.document import RobotsTxt
from canfetch.core.quoting import quoted
from canfetch.core.verdict import Verdict
from canfetch.errors import InvalidOption
from canfetch.pages.page_rules import PageRules, parse_page
from canfetch.pages.verdict import PageVerdict

_STATUS_LINE: Final = re.compile(r"HTTP/\d\S*(?:\s+([1-5]\d\d)(?!\S))?", re.IGNORECASE | re.ASCII)
_SUCCESS: Final = 2
_VERBOSE_LINE: Final = re.compile(r"< (HTTP/\d|[\w-]+:)", re.IGNORECASE | re.ASCII)


def parse_header_lines(text: str) -> list[tuple[str, str]]:
    """Return the headers of a page from a pasted response. See `parse_head`.

    Raises: InvalidOption: Also if it has the status of an error or a redirect, which is no page.
    """
    status, headers = parse_head(text)
    check_status(status)
    return headers


def check_status(status: int | None) -> None:
    """Check that a response is a page, if its status is known.

    Raises: InvalidOption.
    """
    if status is not None and status // 100 != _SUCCESS:
        raise InvalidOption(f"the response has status {status}: expected a page")


def parse_head(text: str) -> tuple[int | None, list[tuple[str, str]]]:
    """Return the status code, if the text has one, and the headers of a pasted response, as curl prints it.

    If the text holds several responses, such as redirects, the last one counts. Text after the blank line is skipped.
    In the output of `curl -v`, only lines that start with `< ` are read.

    Raises: InvalidOption: A line is not a header.
    """
    lines = text.splitlines()
    is_verbose = any(_VERBOSE_LINE.match(line) for line in lines)
    status: int | None = None
    headers: list[tuple[str, str]] = []
    is_ended = False
    for number, written in enumerate(lines, 1):
        if is_verbose and written != "<" and not written.startswith("< "):
            continue
        line = written[1:].strip() if is_verbose else written
        if is_status_line(line):
            status = parse_status(line)
            headers, is_ended = [], False
        elif not line.strip():
            is_ended = bool(headers)
        elif not is_ended:
            headers.append(parse_header(line, f"header {quoted(line)} on line {number}"))
    return status, headers


def is_status_line(line: str) -> bool:
    """Return whether a line of a head is a status line, valid or not."""
    return _STATUS_LINE.match(line) is not None


def parse_status(line: str) -> int | None:
    """Return the status code of a status line, or None if it has only the version.

    Raises: InvalidOption: It has something else in place of the code.
    """
    found = _STATUS_LINE.match(line)
    if found is not None and found[1]:
        return int(found[1])
    if len(line.split()) > 1:
        raise InvalidOption(
            f"invalid status line {quoted(line)}: expected a code from 100 to 599, as in 'HTTP/1.1 200'"
        )
    return None


def parse_header(line: str, subject: str) -> tuple[str, str]:
    """Return the name and the value of a header.

    Args: subject: What an error message calls the line, such as `header 'x' on line 3`.
    Raises: InvalidOption.
    """
    name, colon, value = line.partition(":")
    if not colon or not is_header_name(name.strip()):
        raise InvalidOption(f"invalid {subject}: expected 'NAME: VALUE', such as 'X-Robots-Tag: noindex'")
    return name.strip(), value.strip()


class PageView(NamedTuple):
    """The page as one agent sees it: its rules, the verdict of robots.txt, and facts about the request.

    `robots` is None if there is no robots.txt, and `fetched` if nothing was fetched.
    """

    rules: PageRules
    robots: Verdict | None
    fetched: FetchFacts | None


def fetch_page(url: str, *, max_bytes: int) -> Generator[Step, Any, PageView]:
    """Fetch a page and the TDM file of its origin, and return the page as the agent sees it.

    Raises: NotFetched.
    """
    document = yield from fetch_document(url, max_bytes=max_bytes)
    if document.response is None:
        return PageView(parse_page(url=document.url), document.verdict, document.facts())
    body = document.checked_body(": expected a page")
    file = yield from fetch_site_file(tdm_file_step(document.url))
    headers = document.response.headers
    rules = parse_page(body, headers=headers, url=document.url, tdm_file=file.content, max_bytes=max_bytes)
    if file.problem is not None:
        rules = rules.with_unreachable_tdm_file(file.problem)
    return PageView(rules, document.verdict, document.facts())


class PageAnswer(NamedTuple):
    """What one crawler may do with a page.

    Attributes:
        url: The URL of the page as written, or None.
        agent: The crawler.
        view: The page as the crawler sees it.
        verdict: The decisions.
    """

    url: str | None
    agent: RequestedAgent
    view: PageView
    verdict: PageVerdict

    def to_json(self, page: dict[str, Any] | None = None) -> dict[str, Any]:
        """Return the decisions and the rules of the page, in the form of `canfetch page --format json`.

        Args: page: The JSON of the rules, if it is known.
        """
        fetched = self.view.fetched
        return {
            **names_json(self.url, self.agent),
            **self.verdict.to_json(),
            "fetched": None if fetched is None else fetched.to_json(),
            "page": self.view.rules.to_json() if page is None else page,
        }


class PageTable(NamedTuple):
    """What several crawlers may do with a page, and the robots.txt of its origin if it was passed."""

    rows: Sequence[PageAnswer]
    robots: RobotsTxt | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the answers as JSON."""
        # Most crawlers see the same page, so its rules are converted once.
        pages = {id(row.view.rules): row.view.rules for row in self.rows}
        converted = {key: rules.to_json() for key, rules in pages.items()}
        answer = {"rows": [row.to_json(converted[id(row.view.rules)]) for row in self.rows]}
        return with_notes(answer, [row.agent for row in self.rows], *(() if self.robots is None else (self.robots,)))


def decide_page(
    url: str | None, agent: RequestedAgent, view: PageView, *, now: float, dialect: str | None
) -> PageAnswer:
    """Decide what a crawler may do with a page.

    Args: dialect: A name in `PAGE_DIALECTS`, or None for the dialect of the crawler's operator.
    Raises: InvalidOption.
    """
    verdict = view.rules.decide(agent=agent.agent, now=now, robots=view.robots, dialect=dialect)
    return PageAnswer(url, agent, view, verdict)


def page_table(
    url: str | None,
    rules: PageRules,
    agents: Sequence[RequestedAgent],
    *,
    robots: RobotsTxt | None,
    now: float,
    dialect: str | None,
) -> PageTable:
    """Decide what crawlers may do with a page whose rules are known.

    Args: robots: The robots.txt of the origin, or None if it is unknown.
    Raises: InvalidURL; InvalidOption: `dialect` is unknown, or `robots` is passed without `url`.
    """
    if robots is not None and url is None:
        raise InvalidOption("robots requires url: the URL of the page")
    rows = []
    for agent in agents:
        verdict = None if robots is None or url is None else robots.decide(url, agent=agent.agent)
        rows.append(decide_page(url, agent, PageView(rules, verdict, None), now=now, dialect=dialect))
    return PageTable(rows, robots)


def page_error_json(url: str | None, agent: RequestedAgent, error: str) -> dict[str, Any]:
    """Return the object for a page that cannot be fetched or decided."""
    return {**names_json(url, agent), "may_index": None, "error": error}
