"""Answers about the use of captured pages: by robots.txt, and by captures of the page, its TDM file and its licenses.

The procedures are those of a client that fetches. A request has the last response that was captured until then.
"""

import time
from collections.abc import Sequence
from functools import partial
from math import inf
from typing import Any, Final, NamedTuple

from canfetch.bulk.archives.captured_pages import CapturedPages
from canfetch.bulk.archives.decisions import Decision, FileDecisions
from canfetch.bulk.archives.url_decisions import URLDecisions
from canfetch.client.documents import DecideStep, FetchStep, NotFetched, fetch_document, quoted_url, run_steps
from canfetch.client.site_files import FileStep, KeptFile, fetch_site_file, url_on_other_host
from canfetch.client.use import FileFetch, UseQuestion, UseReading, answer_use, read_files, tdm_file_step
from canfetch.consent.sources import MissingSource, PageResponse
from canfetch.consent.verdict import HEADERS, HTML, LICENSE, ROBOTS, SourceState, UseVerdict
from canfetch.core.agent import Agent
from canfetch.core.document import RobotsTxt, parse
from canfetch.core.extensions.preference import UsagePurpose
from canfetch.core.origin import Origin
from canfetch.core.urls import url_bytes
from canfetch.pages.html import DEFAULT_MAX_PAGE_BYTES

_NOT_CAPTURED: Final = "not captured"
_ALLOWING: Final = parse(b"")


class _Page(NamedTuple):
    """A page after redirects, with the responses on the way, or why there is none."""

    url: str
    response: PageResponse | MissingSource
    hops: tuple[tuple[str, PageResponse], ...]


def _reads_license(verdict: UseVerdict) -> bool:
    """Return whether a license was captured."""
    return any(one.name == LICENSE and one.state is not SourceState.NOT_READ for one in verdict.sources)


class _CapturedResponses:
    """Answers the steps of a fetch with captures.

    Args:
        pages: The captures.
        at: The time until which they were made, in seconds since the epoch, or None for the last ones.
    Attributes: last_time: The time of the last response, or None if there is none, or if the archive has no times.
    """

    def __init__(self, pages: CapturedPages, at: float | None) -> None:
        self._pages = pages
        self._at = at
        self.last_time: float | None = None

    def perform(self, step: DecideStep | FetchStep) -> Any:
        """Return the result of a step."""
        if isinstance(step, DecideStep):
            # What was captured was fetched already. This finds invalid URLs.
            return _ALLOWING.decide(step.url, agent="*")
        captured = self._pages.find(step.url, self._at)
        if captured is None:
            raise NotFetched(f"{quoted_url(step.url)} was not captured", _NOT_CAPTURED)
        self.last_time = captured.time
        return captured.response._replace(url=step.url, body=captured.response.body[: step.max_bytes + 1])


class CapturedUses:
    """Decides by all captures of a site.

    Args:
        pages: The captures of other URLs than robots.txt.
        decisions: Those of robots.txt.
    """

    def __init__(self, pages: CapturedPages, decisions: URLDecisions) -> None:
        self._pages = pages
        self._decisions = decisions
        # The last captures are those of today: a date of `unavailable_after` since then has passed.
        self._now = time.time()
        self._has_pages = pages.are_any()

    def verdicts(
        self,
        url: object,
        at: float | None,
        file: FileDecisions | Decision,
        agents: Sequence[Agent],
        purpose: UsagePurpose,
    ) -> list[UseVerdict] | None:
        """Return the answer for each agent, or None if only robots.txt was captured, or the URL is not valid.

        Args:
            url: An absolute URL.
            at: The time in seconds since the epoch, or None for the last captures.
            file: The decisions about the origin of the URL at this time.
        """
        if not self._has_pages or (isinstance(file, Decision) and file.is_invalid):
            return None
        text = url if isinstance(url, str) else url_bytes(url).decode("utf-8", "surrogateescape")
        is_captured = bool(self._pages.find(text, at) or self.file_at(at, tdm_file_step(text)))
        names_license = isinstance(file, FileDecisions) and any(map(file.names_license, agents))
        if not is_captured and not names_license:
            return None
        verdicts = [self.verdict(text, at, agent, purpose) for agent in agents]
        return verdicts if is_captured or any(map(_reads_license, verdicts)) else None

    def verdict(
        self, url: str, at: float | None, agent: Agent, purpose: str, response: PageResponse | None = None
    ) -> UseVerdict:
        """Decide whether the content of a URL might be used for a purpose at a time.

        Args:
            url: An absolute URL.
            at: As for `verdicts`.
            agent: Who collected the content.
            purpose: The purpose.
            response: The response with the content, if it is not the one that was captured.
        Raises: As `canfetch.may_use`.
        """
        page = self._page(url, at) if response is None else _Page(url, response, ())
        question = UseQuestion(purpose, agent, self._now if at is None else at)
        wanted = (*page.hops, (page.url, page.response))
        readings = [self._reading(one, source, at, question) for one, source in wanted]
        return answer_use(question, readings).verdict

    def file_at(self, at: float | None, step: FileStep) -> KeptFile | None:
        """Return the file of a step as it was captured until a time, or None if it was not.

        Args: at: As for `verdicts`.
        """
        if self._pages.find(step.url, at) is None:
            return None
        responses = _CapturedResponses(self._pages, at)
        file = run_steps(fetch_site_file(step), responses.perform)
        return KeptFile(file, inf, responses.last_time)

    def _page(self, url: str, at: float | None) -> _Page:
        try:
            steps = fetch_document(url, max_bytes=DEFAULT_MAX_PAGE_BYTES)
            document = run_steps(steps, _CapturedResponses(self._pages, at).perform)
        except NotFetched as error:
            state = SourceState.NOT_READ if error.reason == _NOT_CAPTURED else SourceState.UNREACHABLE
            reached, hops = error.url or url, error.hops
            response: PageResponse | MissingSource = MissingSource(state, error.reason)
        else:
            reached, hops = document.url, document.hops
            assert document.response is not None
            response = PageResponse(document.response.status, document.response.headers, document.response.body)
        return _Page(reached, response, tuple((hop.url, PageResponse(hop.status, hop.headers)) for hop in hops))

    def _reading(
        self, url: str, response: PageResponse | MissingSource, at: float | None, question: UseQuestion
    ) -> UseReading:
        file = self._decisions.find(url, at)
        fetches: dict[str, FileFetch] = {}
        robots: RobotsTxt | MissingSource = MissingSource(SourceState.NOT_READ, _NOT_CAPTURED)
        if isinstance(file, FileDecisions):
            robots, captured_at = file.source, file.provenance.time
            if isinstance(robots, RobotsTxt):
                origin = Origin.from_url(url)
                robots = robots.with_url(origin.robots_url)
                moved = url_on_other_host(file.provenance.url or origin.robots_url, origin.robots_url)
                fetches[ROBOTS] = FileFetch(captured_at, moved, captured_at, file.provenance.detail or "")
        captured = self._pages.find(url, at)
        if captured is not None and isinstance(response, PageResponse):
            fetches |= dict.fromkeys((HEADERS, HTML), FileFetch(captured.time, None, captured.time))
        next_at = None if at is None else self._decisions.next_at(url, at)
        fresh_until = inf if next_at is None else next_at
        unread = MissingSource(SourceState.NOT_READ)
        reading = UseReading(url, robots, response, unread, fresh_until=fresh_until, fetches=fetches)
        return run_steps(read_files(reading, question.agent, question.now), partial(self.file_at, at))[0]
