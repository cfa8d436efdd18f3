"""Collects what a site states on a use of one URL, and combines it.

Each standard is read by the module that knows it, and keeps its own order of sources where it has one. Across the
standards the most restrictive statement decides, because none of them yields to another.

Source: draft-ietf-aipref-vocab-08 section 7.1; W3C Community Group, TDM Reservation Protocol; RFC 9309 section 2.2.1;
RSL 1.0.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from types import MappingProxyType
from typing import Any, Final

from canfetch.agents.requested import named_agent
from canfetch.consent.licenses import (
    LICENSE,
    MAX_PLACES,
    LicensePlace,
    Licenses,
    page_places,
    read_licenses,
    record_places,
)
from canfetch.consent.preference_records import GroupedRecords, PreferenceRecords, group_records
from canfetch.consent.purposes import find_purpose
from canfetch.consent.rsl import MAX_RSL_BYTES
from canfetch.consent.sources import (
    LICENSE_REQUIRED,
    MAX_TEXT,
    PAGE_STARTS,
    MissingSource,
    PageResponse,
    check_licenses,
    check_source,
    missing_source,
    read_page,
    real_document,
    robots_source,
    url_text,
)
from canfetch.consent.statements import (
    FAULTS,
    USAGE_RECORDS,
    Listing,
    directive_statements,
    fault_statement,
    group_statement,
    header_statements,
    payment_statements,
    rule_statement,
    states_use,
    tdm_statements,
    token_records,
    token_statements,
    unreachable_statement,
    with_place,
)
from canfetch.consent.verdict import (
    HEADERS,
    HTML,
    ROBOTS,
    TDM_FILE,
    SourceState,
    UseSource,
    UseStatement,
    UseVerdict,
)
from canfetch.core.agent import Agent
from canfetch.core.document import RobotsTxt
from canfetch.core.extensions.document_urls import License
from canfetch.core.extensions.preference import Preference, UsagePurpose, most_restrictive
from canfetch.core.extensions.record import Extension
from canfetch.core.extensions.usage import Usage
from canfetch.core.lines import line_text, physical_lines
from canfetch.core.origin import find_origin
from canfetch.core.profiles import get_profile
from canfetch.core.redaction import redacted_url
from canfetch.core.urls import AnyURL
from canfetch.pages.page_rules import PageRules, parse_page
from canfetch.pages.tdm import MAX_TDM_BYTES, TDM_FILE_PATH
from canfetch.pages.verdict import PageVerdict

_NOT_PASSED: Final = MissingSource(SourceState.NOT_READ)
_NO_LICENSES: Final[Mapping[str, bytes | str | MissingSource]] = MappingProxyType({})


def may_use(
    url: AnyURL,
    *,
    purpose: str,
    agent: str | Agent = "*",
    robots: RobotsTxt | MissingSource = _NOT_PASSED,
    response: PageResponse | MissingSource = _NOT_PASSED,
    tdm: bytes | str | MissingSource = _NOT_PASSED,
    license: Mapping[str, bytes | str | MissingSource] = _NO_LICENSES,  # noqa: A002 - the word of RSL
    now: float = 0.0,
) -> UseVerdict:
    """Decide whether the content of a URL may be used for a purpose, by all statements that are passed.

    A source that is not passed is named in the verdict as not read.

    Args:
        url: The URL of the content, after redirects. It should be absolute. `//host/path` and a path such as `/fish`
            are accepted, but with them no origin is compared: relative references to licenses, and license terms for
            URLs with an origin, do not count.
        purpose: `training`, `search` or `ai-use`; names of other vocabularies such as `ai-input` and `train-ai` mean
            the same.
        agent: Who collects the content: a product token, or an `Agent`. `canfetch.agent(name)` returns that of a known
            crawler. By default, a crawler that no file names.
        robots: The robots.txt of the origin.
        response: The response with the content.
        tdm: The /.well-known/tdmrep.json of the origin.
        license: The RSL documents that are passed, by absolute URL. Those that no source names count as well, but not
            those that robots.txt names for other crawlers only.
        now: Seconds since the epoch, for `unavailable_after`. By default, no date has passed.
    Raises: InvalidURL: `url` or a URL of `license` is not valid; InvalidProductToken; OriginMismatch: `robots` was
        parsed with the URL of another origin; InvalidOption: `purpose` or a state is unknown; MissingExtra: there is
        HTML to parse, and lxml is not installed; TypeError.
    Cost: As one decision for the agent, one for each control token of its operator, `parse_page`, and `parse_rsl` for
        each license.
    """
    wanted, chosen = find_purpose(purpose), named_agent(agent)
    sources = read_sources(url, robots=robots, response=response, tdm=tdm, license=license, now=now)
    return sources.decide(chosen, [wanted])[wanted]


@dataclass(frozen=True, slots=True)
class UseSources:
    """The sources of an answer, read once for several purposes and agents.

    Attributes:
        url: The URL of the content.
        robots: The robots.txt, or why there is none.
        response: The response with the content, or why there is none.
        page: The rules of the response and of the TDM file.
        states: Whether robots.txt, the response and the TDM file were read.
        licenses: The RSL documents that are passed, by URL.
        now: Seconds since the epoch.
    """

    url: str
    robots: RobotsTxt | MissingSource
    response: PageResponse | MissingSource
    page: PageRules
    states: tuple[UseSource, ...]
    licenses: Mapping[str, bytes | str | UseSource]
    now: float
    # What all agents of a group have in common.
    _licenses: dict[tuple[UsagePurpose, tuple[int, ...]], Licenses] = field(default_factory=dict, repr=False)
    _faulty: GroupedRecords = field(init=False, repr=False)
    _preference_records: PreferenceRecords = field(init=False, repr=False)
    _lines: list[bytes] = field(default_factory=list, repr=False)

    def __post_init__(self) -> None:
        robots = self.robots
        faulty = (one for one in _records_of(robots) if one.name in USAGE_RECORDS and one.notes & FAULTS)
        object.__setattr__(self, "_faulty", group_records(faulty, stating=False))
        records = PreferenceRecords(None if isinstance(robots, MissingSource) else robots)
        object.__setattr__(self, "_preference_records", records)

    def decide(self, agent: Agent, purposes: Iterable[UsagePurpose]) -> dict[UsagePurpose, UseVerdict]:
        """Decide as `may_use`, for several purposes.

        Raises: InvalidURL, OriginMismatch.
        """
        # The reservation of a TDM file is a statement of its own.
        page_verdict = self.page._replace(reservations=(), tdm_file=None).decide(agent=agent, now=self.now)
        return {purpose: self._decide(agent, purpose, page_verdict) for purpose in purposes}

    def license_urls(self, agent: Agent) -> tuple[str, ...]:
        """Return the absolute URLs of the RSL documents that the sources name for an agent.

        Raises: InvalidURL, OriginMismatch.
        """
        records = () if isinstance(self.robots, MissingSource) else self.robots.licenses(agent=agent)
        return self._read_licenses(records, UsagePurpose.TRAINING).urls

    def _decide(self, agent: Agent, purpose: UsagePurpose, page_verdict: PageVerdict) -> UseVerdict:
        page, usage = self.page, None
        if isinstance(self.robots, RobotsTxt):
            usage = self.robots.usage(self.url, agent=agent, purpose=purpose, if_disallowed=True)
        listing = Listing()
        statements = [
            one if one.line is None else one._replace(text=self._line_text(one.line))
            for one in self._robots_statements(usage, agent, purpose, listing)
        ]
        if isinstance(self.response, PageResponse):
            statements += payment_statements(self.response)
        statements += header_statements(page, purpose)
        statements += directive_statements(page, page_verdict, purpose, listing)
        if purpose is UsagePurpose.TRAINING:
            statements += tdm_statements(page, listing)
        # The records of a crawler's groups replace those of the file.
        licenses = self._read_licenses(() if usage is None else usage.licenses, purpose)
        statements += licenses.statements if usage is None else _with_places(licenses.statements, usage)
        return UseVerdict(
            _allowed(statements),
            purpose,
            self.url,
            agent,
            # Sites control the length of texts.
            tuple(one._replace(text=one.text[:MAX_TEXT]) for one in statements),
            (*self.states, *licenses.sources),
            _next_date(page_verdict, self.now),
            licenses.urls,
            listing.unlisted + licenses.unlisted,
        )

    def _robots_statements(
        self, usage: Usage | None, agent: Agent, purpose: UsagePurpose, listing: Listing
    ) -> Iterator[UseStatement]:
        robots = self.robots
        if isinstance(robots, MissingSource) or usage is None:
            if isinstance(robots, MissingSource) and robots.state == SourceState.UNREACHABLE:
                yield unreachable_statement()
            return
        verdict = robots.decide(self.url, agent=agent)
        if not verdict.allowed:
            yield rule_statement(verdict)
        yield from token_statements(robots, self.url, agent, purpose)
        deciding = sorted(usage.statements, key=lambda one: one.usage_preference.preference is not usage.preference)
        yield from (group_statement(one, robots, usage.verdict.group) for one in listing.first(deciding))
        yield from token_records(robots, self.url, agent, usage, listing)
        yield from self._preference_records.overridden(agent, usage, listing)
        groups = (None, *robots.rules_for(agent).group_indices)
        faulty = self._faulty.of(groups, purpose, listing)
        stating_nothing = (record for record in faulty if not states_use(record, purpose))
        for record in listing.first(sorted(stating_nothing, key=lambda one: one.line)):
            yield fault_statement(record, usage.verdict.group, purpose)

    def _line_text(self, number: int) -> str:
        """Return a line of robots.txt as written, without white space around it and without its comment."""
        if not self._lines and isinstance(self.robots, RobotsTxt):
            self._lines.extend(physical_lines(self.robots.content, get_profile(self.robots.profile))[1])
        return line_text(self._lines[number - 1].partition(b"#")[0].strip(), MAX_TEXT)

    def _read_licenses(self, records: Sequence[Extension[Any]], purpose: UsagePurpose) -> Licenses:
        key = purpose, tuple(record.line for record in records[: MAX_PLACES + 1])
        if key not in self._licenses:
            places = chain(record_places(records, ROBOTS), _page_places(self.page, self.response, self.url))
            of_others = named_licenses(self.robots) if self.licenses else ()
            self._licenses[key] = read_licenses(places, self.licenses, self.url, purpose, of_others=of_others)
        return self._licenses[key]


def read_sources(
    url: AnyURL,
    *,
    robots: RobotsTxt | MissingSource = _NOT_PASSED,
    response: PageResponse | MissingSource = _NOT_PASSED,
    tdm: bytes | str | MissingSource = _NOT_PASSED,
    license: Mapping[str, bytes | str | MissingSource] = _NO_LICENSES,  # noqa: A002 - the word of RSL
    now: float = 0.0,
) -> UseSources:
    """Read the sources of answers about one URL.

    Args and errors: As for `may_use`.
    Cost: As `parse_page`.
    """
    status = response.status if isinstance(response, PageResponse) else 0
    if isinstance(status, bool) or not isinstance(status, int):
        raise TypeError(f"the status of a response must be an int, not {type(status).__name__}")
    check_source("robots", robots, (RobotsTxt,), "the result of canfetch.parse()")
    check_source("response", response, (PageResponse,), "a PageResponse")
    check_source("tdm", tdm, (bytes, str), "the content of the file")
    check_licenses(license)
    text = url_text(url)
    page, states = read_page(text, response, real_document(tdm, page_starts=("<",), max_bytes=MAX_TDM_BYTES))
    documents: dict[str, bytes | str | UseSource] = {}
    for one, file in license.items():
        document = real_document(file, page_starts=PAGE_STARTS, max_bytes=MAX_RSL_BYTES)
        documents[one] = missing_source(LICENSE, document) if isinstance(document, MissingSource) else document
    return UseSources(text, robots, response, page, (robots_source(robots), *states), documents, now)


def _with_places(statements: Iterable[UseStatement], usage: Usage) -> Iterator[UseStatement]:
    """Yield the statements of licenses, of which those in robots.txt get their places.

    Agents with equal rules share the statements, but can have other user-agent lines.
    """
    records = {record.line: record for record in usage.licenses}
    for one in statements:
        record = records.get(one.line or 0) if one.source == ROBOTS else None
        yield one if record is None else with_place(one, record, usage.verdict.group)


def named_licenses(robots: RobotsTxt | MissingSource) -> list[str]:
    """Return the absolute URLs of the licenses that robots.txt names for any crawler, each once."""
    urls = (record.parsed.url for record in _records_of(robots) if isinstance(record.parsed, License))
    return [url for url in dict.fromkeys(urls) if find_origin(url) is not None]


def _records_of(robots: RobotsTxt | MissingSource) -> Sequence[Extension[Any]]:
    return () if isinstance(robots, MissingSource) else robots.extensions


def _page_places(page: PageRules, response: PageResponse | MissingSource, url: str) -> Iterable[LicensePlace]:
    """Return the places in the response that name or contain a license."""
    links = page.licenses
    if isinstance(response, PageResponse) and response.status in LICENSE_REQUIRED:
        # The response names the license that gives access: RSL 1.0 section 4.10.
        links = parse_page(headers=response.headers or (), url=url).licenses
    return page_places(links, HEADERS, HTML)


def with_redirects(verdict: UseVerdict, earlier: Sequence[UseVerdict]) -> UseVerdict:
    """Return the verdict on content that was reached through redirects, with what the sites on the way state.

    Args:
        verdict: The verdict on the content.
        earlier: Those on the URLs that redirected, in order.
    """
    own = _addresses(verdict)
    statements = list(verdict.statements)
    found = [(own.get(source.name), source) for source in verdict.sources]
    for other in earlier:
        addresses = _addresses(other)
        statements += _statements_on_the_way(other, addresses, verdict, own)
        # The body of a redirect is not read.
        found += ((addresses.get(source.name), source) for source in other.sources if source.name != HTML)
    dates = [date for date in (verdict.expires_at, *(other.expires_at for other in earlier)) if date is not None]
    return verdict._replace(
        allowed=_allowed(statements),
        statements=tuple(statements),
        sources=tuple(_distinct_sources(found)),
        expires_at=min(dates, default=None),
        # The same files can be read for several URLs.
        unlisted=max(one.unlisted for one in (verdict, *earlier)),
    )


def statement_source(verdict: UseVerdict, statement: UseStatement) -> tuple[str | None, UseSource | None]:
    """Return the URL of the source of a statement, and the source itself, or None where they are unknown."""
    # A URL that redirects to itself has several sources of a name, of which some were read.
    own = sorted((one for one in verdict.sources if one.name == statement.source), key=lambda one: one.is_unread)
    if statement.source == LICENSE:
        found = next((one for one in own if one.url is not None and statement.place.startswith(one.url)), None)
        return None if found is None else found.url, found
    url = statement.source_url or _addresses(verdict).get(statement.source)
    return url, next((source for source in own if source.url == url), own[0] if own else None)


def _addresses(verdict: UseVerdict) -> dict[str, str]:
    """Return the URL of each source of an answer but licenses, whose sources have it."""
    url, origin = redacted_url(verdict.url), find_origin(verdict.url)
    addresses = {HEADERS: url, HTML: url}
    if origin is not None:
        addresses |= {ROBOTS: origin.robots_url, TDM_FILE: f"{origin}{TDM_FILE_PATH}"}
    # After redirects of the content, those of the content come first.
    sources = reversed(verdict.sources)
    moved = {source.name: source.url for source in sources if source.name != LICENSE and source.url is not None}
    return addresses | moved


def _statements_on_the_way(
    other: UseVerdict, addresses: Mapping[str, str], verdict: UseVerdict, own: Mapping[str, str]
) -> Iterator[UseStatement]:
    """Yield the statements on a URL that redirects which are not those on the content, each with its file and the URL.

    Args:
        other: The verdict on the URL.
        addresses: The URLs of its sources.
        verdict: The verdict on the content.
        own: The URLs of its sources.
    """
    # The client has named these files already.
    named = {LICENSE, *(source.name for source in other.sources if source.url is not None)}
    known = set(verdict.statements)
    for one in other.statements:
        is_same_file = addresses.get(one.source) == own.get(one.source)
        if is_same_file and one in known:
            continue
        stated = one
        if not is_same_file:
            address = addresses.get(one.source, other.url)
            place = one.place if one.source in named else f"{one.place} of {address}"
            stated = one._replace(place=place, source_url=one.source_url or address)
        if one.source != HEADERS:
            on_url = f"for {redacted_url(other.url)}, which redirects"
            stated = stated._replace(note=f"{one.note}; {on_url}" if one.note else on_url)
        yield stated


def _distinct_sources(found: Iterable[tuple[str | None, UseSource]]) -> Iterator[UseSource]:
    """Yield sources without repetitions, each with its URL if there are several of its name."""
    distinct = {(address, one.name, one.state, one.detail): (address, one) for address, one in reversed(list(found))}
    ordered = list(reversed(distinct.values()))
    counts = Counter(one.name for _, one in ordered)
    for address, one in ordered:
        yield one if address is None or counts[one.name] == 1 else one._replace(url=address)


def _allowed(statements: Collection[UseStatement]) -> bool | None:
    preference = most_restrictive(statement.preference for statement in statements)
    if preference is Preference.ALLOW and any(statement.is_condition for statement in statements):
        return None
    return {Preference.ALLOW: True, Preference.DISALLOW: False, Preference.UNKNOWN: None}[preference]


def _next_date(verdict: PageVerdict, now: float) -> float | None:
    moment = verdict.unavailable_after
    return moment if moment is not None and moment > now else None
