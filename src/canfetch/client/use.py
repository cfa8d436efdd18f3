"""Whether content may be used: what has to be fetched for the answer, and the answer."""

from collections.abc import Generator, Iterable, Mapping, Sequence
from math import inf
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from canfetch.access.outcomes import OutcomeKind
from canfetch.client.documents import DISALLOWED, NotFetched, Step, fetch_document
from canfetch.client.origin_state import OriginState
from canfetch.client.site_files import FileStep, KeptFile, SiteFile, url_on_other_host
from canfetch.consent.decision import UseSources, read_sources, with_redirects
from canfetch.consent.licenses import address_text
from canfetch.consent.purposes import find_purpose
from canfetch.consent.rsl import MAX_RSL_BYTES
from canfetch.consent.sources import MissingSource, PageResponse, url_text
from canfetch.consent.verdict import HEADERS, HTML, ROBOTS, TDM_FILE, SourceState, UseVerdict
from canfetch.core.agent import Agent
from canfetch.core.document import RobotsTxt
from canfetch.core.extensions.preference import UsagePurpose
from canfetch.core.origin import Origin
from canfetch.core.redaction import redact_credentials_in, redacted_url
from canfetch.core.urls import AnyURL
from canfetch.core.verdict import Access
from canfetch.errors import OriginDisallowed
from canfetch.pages.tdm import MAX_TDM_BYTES, TDM_FILE_PATH

# Each can be on a host of its own, and take the time of a robots.txt and of the document.
MAX_LICENSES: Final = 3
"""The number of licenses that are fetched for one answer."""


class StateStep(NamedTuple):
    """Return the state of the origin of a URL. The result is an OriginState. It may raise InvalidURL or NotFetched."""

    url: str


class RequestTimeStep(NamedTuple):
    """Return when the request of a FetchStep for a page ended, in seconds since the epoch, or None if there was none.

    Attributes: url: The URL of the page, without credentials.
    """

    url: str


UseStep = Step | StateStep | FileStep | RequestTimeStep


class UseQuestion(NamedTuple):
    """A question about the use of content.

    Attributes:
        purpose: The purpose, as for `may_use`.
        agent: Who collects the content.
        now: The time in seconds since the epoch.
    """

    purpose: str
    agent: Agent
    now: float


def tdm_file_step(url: AnyURL) -> FileStep:
    """Return the step for the TDM file of the origin of a URL.

    Raises: InvalidURL.
    """
    return FileStep(f"{Origin.from_url(url)}{TDM_FILE_PATH}", MAX_TDM_BYTES)


def license_step(url: str) -> FileStep:
    """Return the step for an RSL license."""
    return FileStep(url, MAX_RSL_BYTES)


class FileFetch(NamedTuple):
    """How a file or a page was fetched.

    Attributes:
        fetched_at: When its content was fetched, in seconds since the epoch, or None if there is no content.
        url: The URL of the content if a redirect led to another host or port, or None.
        requested_at: When the last request for it ended, whatever the result, or None if no request was sent.
        detail: Why older content is used, or empty.
    """

    fetched_at: float | None
    url: str | None = None
    requested_at: float | None = None
    detail: str = ""


_NO_FETCH: Final = FileFetch(None)
# What was received in their place is not their content: a web page, or that of an error.
_WITHOUT_CONTENT: Final = (SourceState.ABSENT, SourceState.UNREACHABLE)
_UNKNOWN_FILE: Final = MissingSource(SourceState.NOT_READ, "no copy of this time is known")


class UseReading(NamedTuple):
    """What was read for the answer about one URL.

    Attributes:
        url: The URL.
        robots: The robots.txt of its origin, or why there is none.
        response: The response with the content, or why there is none.
        tdm: The TDM file of its origin, or why there is none.
        licenses: The RSL documents that were read, by URL.
        fresh_until: When the first of the files has to be fetched again, in seconds since the epoch.
        state: The state of its origin, or None if the robots.txt was not fetched.
        fetches: How the sources were fetched, by their names, and licenses, by URL.
    """

    url: str
    robots: RobotsTxt | MissingSource
    response: PageResponse | MissingSource
    tdm: bytes | MissingSource
    licenses: Mapping[str, bytes | MissingSource] = MappingProxyType({})
    fresh_until: float = inf
    state: OriginState | None = None
    fetches: Mapping[str, FileFetch] = MappingProxyType({})

    def decide(self, question: UseQuestion) -> UseVerdict:
        """Answer a question about this URL.

        Raises: As `may_use`.
        """
        purpose = find_purpose(question.purpose)
        return self.decide_purposes(self.sources(question.now), question.agent, [purpose])[purpose]

    def sources(self, now: float) -> UseSources:
        """Return what was read, parsed for several answers.

        Raises: As `may_use`.
        """
        return read_sources(
            self.url, robots=self.robots, response=self.response, tdm=self.tdm, license=self.licenses, now=now
        )

    def decide_purposes(
        self, sources: UseSources, agent: Agent, purposes: Iterable[UsagePurpose]
    ) -> dict[UsagePurpose, UseVerdict]:
        """Answer for several purposes.

        Args: sources: The result of `sources`.
        Raises: As `may_use`.
        """
        found = sources.decide(agent, purposes)
        return {purpose: self._with_times(verdict, sources.now) for purpose, verdict in found.items()}

    def _with_times(self, verdict: UseVerdict, now: float) -> UseVerdict:
        if self.fetches:
            verdict = _with_fetches(verdict, self.fetches)
        expires_at = max(min(verdict.expires_at or inf, self.fresh_until), now)
        return verdict if expires_at == inf else verdict._replace(expires_at=expires_at)


def _with_fetches(verdict: UseVerdict, fetches: Mapping[str, FileFetch]) -> UseVerdict:
    """Return the verdict with the times of fetches, and with the URLs of files that come from other hosts."""
    by_name = {address_text(name) if "://" in name else name: fetch for name, fetch in fetches.items()}
    moved = {name: address_text(fetch.url) for name, fetch in by_name.items() if fetch.url is not None}
    sources = []
    for source in verdict.sources:
        name = source.url or source.name
        fetch = by_name.get(name, _NO_FETCH)
        sources.append(
            source._replace(
                detail="; ".join(filter(None, (source.detail, fetch.detail))),
                url=moved.get(name, source.url),
                fetched_at=None if source.state in _WITHOUT_CONTENT else fetch.fetched_at,
                requested_at=fetch.requested_at,
            )
        )
    statements = (
        one._replace(place=f"{one.place} of {moved[one.source]}", source_url=moved[one.source])
        if one.source in moved
        else one
        for one in verdict.statements
    )
    return verdict._replace(sources=tuple(sources), statements=tuple(statements))


class AnsweredUse(NamedTuple):
    """An answer, with everything that it depends on.

    Attributes:
        question: The question.
        readings: What was read: for each redirect to the content in order, and last for the content itself.
        verdict: The answer.
    """

    question: UseQuestion
    readings: tuple[UseReading, ...]
    verdict: UseVerdict


def answer_use(question: UseQuestion, readings: Sequence[UseReading]) -> AnsweredUse:
    """Answer a question from what was read.

    Raises: As `may_use`.
    """
    *earlier, verdict = (reading.decide(question) for reading in readings)
    return AnsweredUse(question, tuple(readings), with_redirects(verdict, earlier) if earlier else verdict)


def question_steps(
    url: AnyURL, purpose: str, agent: Agent, response: PageResponse | None, now: float
) -> Generator[UseStep, Any, AnsweredUse]:
    """Return the steps of `Client.may_use`.

    Raises: InvalidOption: `purpose` is unknown; TypeError.
    """
    find_purpose(purpose)
    source = MissingSource(SourceState.NOT_READ) if response is None else response
    return decide_use(url_text(url), UseQuestion(purpose, agent, now), source)


def decide_use(
    url: str, question: UseQuestion, response: PageResponse | MissingSource, requested_at: float | None = None
) -> Generator[UseStep, Any, AnsweredUse]:
    """Answer a question from a response that is known, and from what `read_use` reads.

    Args: requested_at: When the request for the response ended, or None if canfetch did not request it.
    Raises: InvalidURL, InvalidOption; and what the steps raise.
    """
    purpose = find_purpose(question.purpose)
    reading, sources = yield from read_use(url, question.agent, response, question.now, requested_at)
    verdict = reading.decide_purposes(sources, question.agent, [purpose])[purpose]
    return AnsweredUse(question, (reading,), verdict)


def read_use(
    url: str,
    agent: Agent,
    response: PageResponse | MissingSource,
    now: float,
    requested_at: float | None = None,
) -> Generator[UseStep, Any, tuple[UseReading, UseSources]]:
    """Read the robots.txt and the TDM file of the origin of a response, for answers about any purpose.

    The first three RSL licenses that these sources and the response name for the agent are fetched as well, and nothing
    that they refer to.

    Args: requested_at: As for `decide_use`.
    Raises: InvalidURL; and what the steps raise.
    """
    state: OriginState | None = None
    dates = [inf]
    fetches: dict[str, FileFetch] = {}
    if requested_at is not None:
        page = FileFetch(requested_at if isinstance(response, PageResponse) else None, requested_at=requested_at)
        fetches = {HEADERS: page, HTML: page}
    robots: RobotsTxt | MissingSource
    try:
        state = yield StateStep(url)
    except NotFetched as error:
        robots = MissingSource(SourceState.UNREACHABLE, error.reason)
    else:
        robots = robots_source(state, now)
        dates.append(state.next_fetch_at)
        fetches[ROBOTS] = _robots_fetch(state, now)
    reading = UseReading(url, robots, response, _UNKNOWN_FILE, fresh_until=min(dates), state=state, fetches=fetches)
    return (yield from read_files(reading, agent, now))


def read_files(
    reading: UseReading, agent: Agent, now: float
) -> Generator[FileStep, Any, tuple[UseReading, UseSources]]:
    """Add the TDM file and the first three licenses to a reading that has the robots.txt and the response.

    Raises: InvalidURL; and what the steps raise. The result of a step can be None for a file that is not known.
    """
    fetches, dates = dict(reading.fetches), [reading.fresh_until]

    def source(name: str, kept: KeptFile | None) -> bytes | MissingSource:
        if kept is None:
            return _UNKNOWN_FILE
        dates.append(kept.expires_at)
        fetches[name] = _file_fetch(kept)
        return file_source(kept.file)

    tdm = source(TDM_FILE, (yield tdm_file_step(reading.url)))
    reading = reading._replace(tdm=tdm, fresh_until=min(dates), fetches=fetches)
    sources = reading.sources(now)
    licenses: dict[str, bytes | MissingSource] = {}
    for license_url in sources.license_urls(agent)[:MAX_LICENSES]:
        licenses[license_url] = source(license_url, (yield license_step(license_url)))
    if licenses:
        reading = reading._replace(licenses=licenses, fresh_until=min(dates))
        sources = reading.sources(now)
    return reading, sources


def fetch_use(url: str, question: UseQuestion, *, max_bytes: int) -> Generator[UseStep, Any, AnsweredUse]:
    """Fetch a page, as robots.txt allows, and answer a question about its content.

    What cannot be fetched is a missing source. The sites on the way to the content state something, too.

    Args: max_bytes: The number of bytes of the page to read.
    Raises: InvalidURL, InvalidOption; and what the steps raise.
    """
    response: PageResponse | MissingSource
    try:
        document = yield from fetch_document(url, max_bytes=max_bytes)
    except NotFetched as error:
        url, hops = error.url or url, error.hops
        response = MissingSource(_state_of(error.reason), error.reason)
    else:
        url, hops = document.url, document.hops
        if document.response is None:
            response = MissingSource(SourceState.NOT_READ, document.refusal)
        else:
            answer = document.response
            response = PageResponse(answer.status, answer.headers, answer.body)
    earlier: list[UseReading] = []
    for hop in hops:
        requested_at = yield RequestTimeStep(hop.url)
        redirect = yield from decide_use(hop.url, question, PageResponse(hop.status, hop.headers), requested_at)
        earlier += redirect.readings
    # Another agent may have requested a page that this one may not.
    is_requested = not isinstance(response, MissingSource) or response.state is SourceState.UNREACHABLE
    requested_at = (yield RequestTimeStep(redacted_url(url))) if is_requested else None
    answered = yield from decide_use(url, question, response, requested_at)
    return answer_use(question, [*earlier, *answered.readings]) if earlier else answered


def robots_source(state: OriginState, now: float) -> RobotsTxt | MissingSource:
    """Return the robots.txt of an origin, or why there is none."""
    try:
        robots = state.robots(now)
    except OriginDisallowed:
        # The explanation can contain the target of a redirect.
        return MissingSource(SourceState.UNREACHABLE, redact_credentials_in(state.access_info(now).explanation))
    if state.effective_access(now).copy is not None:
        return robots
    # A policy can read another success, such as a web page, as a missing file.
    is_page = state.entry.outcome.kind is OutcomeKind.NOT_ROBOTS
    return MissingSource(SourceState.ABSENT, state.entry.outcome.detail if is_page else "")


def _robots_fetch(state: OriginState, now: float) -> FileFetch:
    access, requested_at = state.effective_access(now), state.entry.last_attempt_at
    copy = access.copy
    if copy is None:
        return FileFetch(None, None, requested_at)
    # The explanation can contain the target of a redirect.
    detail = redact_credentials_in(access.explanation) if access.access is Access.UNREACHABLE else ""
    return FileFetch(copy.fetched_at, url_on_other_host(copy.url, state.origin.robots_url), requested_at, detail)


def _file_fetch(kept: KeptFile) -> FileFetch:
    requested_at = kept.requested_at if kept.file.is_requested else None
    return FileFetch(None if kept.file.content is None else requested_at, kept.file.url, requested_at)


def file_source(file: SiteFile) -> bytes | MissingSource:
    """Return the content of a file of a site, or why there is none."""
    if file.content is not None:
        return file.content
    if file.reason is None:
        return MissingSource(SourceState.ABSENT)
    return MissingSource(_state_of(file.reason), file.reason)


def _state_of(reason: str) -> SourceState:
    """Return the state of a source that was not fetched for a reason."""
    return SourceState.NOT_READ if reason.startswith(DISALLOWED) else SourceState.UNREACHABLE
