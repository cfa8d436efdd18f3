"""Collects what a site states on a use of one URL, and combines it.

Each standard is read by the module that knows it, and keeps its own order of sources where it has one. Across the
standards the most restrictive statement decides, because none of them yields to another.

Source: draft-ietf-aipref-vocab-08 section 7.1; W3C Community Group, TDM Reservation Protocol; RFC 9309 section 2.2.1;
RSL 1.0.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from types import MappingProxyType
from typing import Any, Final, NamedTuple

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
from canfetch.consent.purposes import control_tokens, find_purpose
from canfetch.consent.rsl import MAX_RSL_BYTES
from canfetch.consent.verdict import MAX_STATEMENTS, SourceState, StatementKind, UseSource, UseStatement, UseVerdict
from canfetch.core.agent import Agent
from canfetch.core.choices import unknown_choice
from canfetch.core.content_formats import foreign_content_note
from canfetch.core.document import RobotsTxt
from canfetch.core.extensions.index import PathRecords
from canfetch.core.extensions.license import License
from canfetch.core.extensions.preference import Preference, UsagePurpose, most_restrictive
from canfetch.core.extensions.record import Extension, ExtensionNote, ExtensionScope
from canfetch.core.extensions.usage import Usage, UsageStatement
from canfetch.core.extensions.usage_records import statements_of
from canfetch.core.lines import physical_lines
from canfetch.core.origin import find_origin
from canfetch.core.profiles import get_profile
from canfetch.core.quoting import quoted
from canfetch.core.redaction import redacted_url
from canfetch.core.text import display_text, printable_text
from canfetch.core.urls import AnyURL, url_bytes
from canfetch.core.verdict import Verdict
from canfetch.errors import InvalidOption, InvalidURL
from canfetch.pages.directives import Directive, DirectiveNote
from canfetch.pages.headers import Headers, header_pairs, page_headers
from canfetch.pages.html import DEFAULT_MAX_PAGE_BYTES
from canfetch.pages.page_rules import PageNote, PageRules, parse_page
from canfetch.pages.positions import PageSource
from canfetch.pages.tdm import MAX_TDM_BYTES, Reservation
from canfetch.pages.verdict import PageDecision, PageReason, PageVerdict
from canfetch.pages.vocabulary import KNOWN, MAX_SNIPPET, UNAVAILABLE_AFTER

ROBOTS: Final = "robots.txt"
HEADERS: Final = "headers"
HTML: Final = "html"
TDM_FILE: Final = "tdmrep.json"

_START: Final = 1024
_ALL_CRAWLERS: Final = "*"
_PAGE_STARTS: Final = ("<!doctype html", "<html")
_PART: Final = "only a part was read"
_MAX_TEXT: Final = 500
_MAX_LINES: Final = 3
_SUCCESS: Final = range(200, 300)
_PAYMENT_REQUIRED: Final = 402
_LICENSE_REQUIRED: Final = frozenset({401, _PAYMENT_REQUIRED})
_PRICE_HEADERS: Final = ("crawler-price", "payment-required", "www-authenticate")
_OPT_OUTS: Final = {
    "noai": (Preference.DISALLOW, ""),
    "noimageai": (Preference.UNKNOWN, "it is about the images of the page"),
}
_PREFERENCE_RECORDS: Final = frozenset({"content-usage", "content-signal", "disallowaitraining", "allowaitraining"})
_DIRECTIVES: Final = {
    UsagePurpose.TRAINING: frozenset({*_OPT_OUTS, "noarchive", "nocache"}),
    UsagePurpose.SEARCH: frozenset({"noindex", "none", UNAVAILABLE_AFTER}),
    UsagePurpose.AI_USE: frozenset({"nosnippet", MAX_SNIPPET, "noarchive", "nocache"}),
}
_DIRECTIVE_FAULTS: Final = {
    DirectiveNote.UNKNOWN: "the directive is unknown",
    DirectiveNote.MISSING_VALUE: "the value is missing",
    DirectiveNote.INVALID_VALUE | DirectiveNote.INVALID_DATE: "the value is invalid",
}
_USAGE_RECORDS: Final = _PREFERENCE_RECORDS | {LICENSE}
# A record with one of these notes may be meant to state something.
_FAULTS: Final = ExtensionNote.UNREADABLE | ExtensionNote.UNKNOWN_VALUE | ExtensionNote.UNKNOWN_LABEL
_RECORD_KINDS: Final = {
    "content-usage": StatementKind.CONTENT_USAGE,
    "content-signal": StatementKind.CONTENT_SIGNAL,
    "license": StatementKind.LICENSE,
}
_PAGE_SOURCES: Final = {
    PageSource.TDM_FILE: TDM_FILE,
    PageSource.META: HTML,
    PageSource.TDM_META: HTML,
}


class MissingSource(NamedTuple):
    """A source that cannot be passed, in place of its content.

    Attributes:
        state: `absent` if there is none (404), `unreachable`, `unreadable`, or `not-read`.
        detail: Why, in a few words.
    """

    state: SourceState
    detail: str = ""


class PageResponse(NamedTuple):
    """The response with the content.

    Attributes:
        status: The status code.
        headers: The headers, as for `canfetch.pages.parse_page`, or None if they are unknown.
        html: The body if it is HTML, or None if it was not read.
    """

    status: int = 200
    headers: Headers | None = None
    html: bytes | str | None = None

    def read_part(self) -> "PageResponse":
        """Return the part of the response that answers depend on, with the names of headers in lower case."""
        headers = self.headers
        if headers is not None:
            headers = tuple(page_headers(headers) if self.status in _SUCCESS else _error_headers(self))
        html = self.html if self.status in _SUCCESS else None
        if html is not None:
            # One byte more shows that the page continues.
            html = html[: DEFAULT_MAX_PAGE_BYTES + 1]
        return PageResponse(self.status, headers, html)


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
        url: The absolute URL of the content.
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
    _faulty: dict[int | None, list[Extension[Any]]] = field(init=False, repr=False)
    _usage_records: dict[int | None, list[Extension[Any]]] = field(init=False, repr=False)
    _lines: list[bytes] = field(default_factory=list, repr=False)

    def __post_init__(self) -> None:
        records = [record for record in _records_of(self.robots) if record.name in _USAGE_RECORDS]
        object.__setattr__(self, "_faulty", _by_group(record for record in records if record.notes & _FAULTS))
        preferences = (record for record in records if record.name != LICENSE and record.parsed is not None)
        object.__setattr__(self, "_usage_records", _by_group(preferences))

    def decide(self, agent: Agent, purposes: Iterable[UsagePurpose]) -> dict[UsagePurpose, UseVerdict]:
        """Decide as `may_use`, for several purposes.

        Raises: InvalidURL, OriginMismatch.
        """
        # The reservation of a TDM file is a statement of its own.
        page_verdict = self.page._replace(reservations=(), tdm_file=None).decide(agent=agent, now=self.now)
        return {purpose: self._decide(agent, purpose, page_verdict) for purpose in purposes}

    def _decide(self, agent: Agent, purpose: UsagePurpose, page_verdict: PageVerdict) -> UseVerdict:
        page, usage = self.page, None
        if isinstance(self.robots, RobotsTxt):
            usage = self.robots.usage(self.url, agent=agent, purpose=purpose, if_disallowed=True)
        statements = [
            one if one.line is None else one._replace(text=self._line_text(one.line))
            for one in self._robots_statements(usage, agent, purpose)
        ]
        if isinstance(self.response, PageResponse):
            statements += _payments(self.response)
        statements += _header_statements(page, purpose)
        statements += _directive_statements(page, page_verdict, purpose)
        if purpose is UsagePurpose.TRAINING:
            statements += _tdm_statements(page)
        # The records of a crawler's groups replace those of the file.
        licenses = self._read_licenses(() if usage is None else usage.licenses, purpose)
        statements += licenses.statements
        return UseVerdict(
            _allowed(statements),
            purpose,
            self.url,
            agent,
            # Sites control the length of texts.
            tuple(one._replace(text=one.text[:_MAX_TEXT]) for one in statements),
            (*self.states, *licenses.sources),
            _next_date(page_verdict, self.now),
            licenses.urls,
        )

    def _robots_statements(self, usage: Usage | None, agent: Agent, purpose: UsagePurpose) -> Iterator[UseStatement]:
        robots = self.robots
        if isinstance(robots, MissingSource) or usage is None:
            if isinstance(robots, MissingSource) and robots.state == SourceState.UNREACHABLE:
                # A crawler must assume complete disallow.
                note = "RFC 9309 section 2.3.1.4 disallows everything until it can be fetched"
                yield UseStatement(StatementKind.RULE, ROBOTS, ROBOTS, "unreachable", Preference.DISALLOW, note)
            return
        verdict = robots.decide(self.url, agent=agent)
        if not verdict.allowed:
            yield _rule_statement(verdict)
        yield from _token_statements(robots, self.url, agent, purpose)
        deciding = sorted(usage.statements, key=lambda one: one.usage_preference.preference is not usage.preference)
        yield from map(_record_statement, deciding[:MAX_STATEMENTS])
        yield from _token_records(robots, self.url, agent, usage)
        if self._usage_records and not usage.statements:
            yield from self._passed_over(robots, agent, usage)
        groups = (None, *robots.rules_for(agent).group_indices)
        faulty = chain.from_iterable(self._faulty.get(group, ()) for group in groups)
        stating_nothing = (record for record in faulty if not _states(record, purpose))
        yield from map(_fault_statement, sorted(stating_nothing, key=lambda one: one.line)[:MAX_STATEMENTS])

    def _passed_over(self, robots: RobotsTxt, agent: Agent, usage: Usage) -> Iterator[UseStatement]:
        """Yield records on the use that do not apply to the agent, as facts: a reader of the file may expect them to.

        Cost: As matching 100 patterns.
        """
        own, every = robots.rules_for(agent).group_indices, robots.rules_for(_ALL_CRAWLERS).group_indices
        groups = dict.fromkeys((None, *own, *every))
        records = chain.from_iterable(self._usage_records.get(group, ()) for group in groups)
        stated = (record for record in records if _states(record, usage.purpose))
        paths = [(record.parsed.path or b"/", record) for record in islice(stated, MAX_STATEMENTS)]
        matching = PathRecords(paths, get_profile(robots.profile)).matching(usage.verdict.target)
        for record in sorted(matching, key=lambda one: one.line):
            if record.scope is ExtensionScope.NONE:
                note = "outside of all groups, so that it applies to no crawler"
            elif record.group is None or record.group in own:
                note = "another line overrides it"
            else:
                note = f"in the group for {_ALL_CRAWLERS}, which does not apply to {agent.tokens[0]}"
            for statement in statements_of(record, usage.purpose):
                yield _record_statement(statement)._replace(preference=Preference.UNKNOWN, note=note)

    def _line_text(self, number: int) -> str:
        """Return a line of robots.txt as written, without white space around it and without its comment."""
        if not self._lines and isinstance(self.robots, RobotsTxt):
            self._lines.extend(physical_lines(self.robots.content, get_profile(self.robots.profile))[1])
        # A character has up to four bytes.
        return display_text(self._lines[number - 1][: 4 * _MAX_TEXT].partition(b"#")[0].strip())

    def _read_licenses(self, records: Sequence[Extension[Any]], purpose: UsagePurpose) -> Licenses:
        key = purpose, tuple(record.line for record in records[: MAX_PLACES + 1])
        if key not in self._licenses:
            places = chain(record_places(records, ROBOTS), _page_places(self.page, self.response, self.url))
            of_others = _license_urls(self.robots) if self.licenses else ()
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
    if isinstance(response, PageResponse) and not isinstance(response.status, int):
        raise TypeError(f"the status of a response must be an int, not {type(response.status).__name__}")
    _check_source("robots", robots, (RobotsTxt,), "the result of canfetch.parse()")
    _check_source("response", response, (PageResponse,), "a PageResponse")
    _check_source("tdm", tdm, (bytes, str), "the content of the file")
    _check_licenses(license)
    text = url_text(url)
    page, states = _read_page(text, response, _real_document(tdm, page_starts=("<",), max_bytes=MAX_TDM_BYTES))
    documents: dict[str, bytes | str | UseSource] = {}
    for one, file in license.items():
        document = _real_document(file, page_starts=_PAGE_STARTS, max_bytes=MAX_RSL_BYTES)
        documents[one] = _missing(LICENSE, document) if isinstance(document, MissingSource) else document
    return UseSources(text, robots, response, page, (_robots_source(robots), *states), documents, now)


def _license_urls(robots: RobotsTxt | MissingSource) -> Iterable[str]:
    """Return the licenses that robots.txt names for any crawler."""
    return (record.parsed.url for record in _records_of(robots) if isinstance(record.parsed, License))


def _records_of(robots: RobotsTxt | MissingSource) -> Sequence[Extension[Any]]:
    return () if isinstance(robots, MissingSource) else robots.extensions


def _page_places(page: PageRules, response: PageResponse | MissingSource, url: str) -> Iterable[LicensePlace]:
    """Return the places in the response that name or contain a license."""
    links = page.licenses
    if isinstance(response, PageResponse) and response.status in _LICENSE_REQUIRED:
        # The response names the license that gives access: RSL 1.0 section 4.10.
        links = parse_page(headers=response.headers or (), url=url).licenses
    return page_places(links, HEADERS, HTML)


def _response_sources(page: PageRules, response: PageResponse) -> Iterator[UseSource]:
    if response.headers is None:
        yield UseSource(HEADERS, SourceState.NOT_READ)
    elif PageNote.HEADERS_TRUNCATED in page.notes:
        yield UseSource(HEADERS, SourceState.NOT_READ, _PART)
    else:
        yield UseSource(HEADERS, SourceState.READ)
    if response.html is None:
        yield UseSource(HTML, SourceState.NOT_READ)
    elif PageNote.NOT_HTML in page.notes:
        yield UseSource(HTML, SourceState.ABSENT, "the content is not HTML")
    elif PageNote.HTML_TRUNCATED in page.notes:
        yield UseSource(HTML, SourceState.NOT_READ, _PART)
    else:
        yield UseSource(HTML, SourceState.READ)


def with_redirects(verdict: UseVerdict, earlier: Sequence[UseVerdict]) -> UseVerdict:
    """Return the verdict on content that was reached through redirects, with what the sites on the way state.

    Args:
        verdict: The verdict on the content.
        earlier: Those on the URLs that redirected, in order.
    """
    statements, sources = list(verdict.statements), list(verdict.sources)
    for other in earlier:
        suffix = f" of {redacted_url(other.url)}"
        statements += (one._replace(place=one.place + suffix, line=None) for one in other.statements)
        # A redirect has no content of its own.
        unread = (one for one in other.unread if one.name not in {HEADERS, HTML})
        sources += (one._replace(detail=(one.detail + suffix).strip()) for one in unread)
    dates = [date for date in (verdict.expires_at, *(other.expires_at for other in earlier)) if date is not None]
    return verdict._replace(
        allowed=_allowed(statements),
        statements=tuple(statements),
        sources=tuple(dict.fromkeys(sources)),
        expires_at=min(dates, default=None),
    )


def _allowed(statements: Collection[UseStatement]) -> bool | None:
    preference = most_restrictive(statement.preference for statement in statements)
    if preference is Preference.ALLOW and any(statement.is_condition for statement in statements):
        return None
    return {Preference.ALLOW: True, Preference.DISALLOW: False, Preference.UNKNOWN: None}[preference]


def _tdm_source(page: PageRules) -> UseSource:
    """Return the TDM file as a source."""
    file = page.tdm_file
    if file is None:
        return UseSource(TDM_FILE, SourceState.ABSENT)
    if file.problem is not None:
        state = SourceState.UNREACHABLE if file.unreachable else SourceState.UNREADABLE
        return UseSource(TDM_FILE, state, file.problem)
    if file.truncated:
        return UseSource(TDM_FILE, SourceState.NOT_READ, _PART)
    return UseSource(TDM_FILE, SourceState.READ)


def _check_source(name: str, source: object, types: tuple[type, ...], expected: str) -> None:
    if not isinstance(source, (*types, MissingSource)):
        raise TypeError(f"{name} must be {expected}, or a MissingSource, not {type(source).__name__}")


def _check_licenses(documents: Mapping[str, bytes | str | MissingSource]) -> None:
    if not isinstance(documents, Mapping):
        raise TypeError(f"license must be a mapping of URLs to documents, not {type(documents).__name__}")
    for url, document in documents.items():
        if not isinstance(url, str):
            raise TypeError(f"the URL of a license must be a str, not {type(url).__name__}")
        if find_origin(url) is None:
            raise InvalidURL(f"invalid URL {quoted(url)} of a license: expected the absolute URL of the document")
        _check_source(f"the license {quoted(url)}", document, (bytes, str), "the content of the document")


def _missing(name: str, source: MissingSource) -> UseSource:
    try:
        state = SourceState(source.state)
    except ValueError:
        raise InvalidOption(unknown_choice("state", source.state, SourceState)) from None
    if state is SourceState.READ:
        raise InvalidOption(f"invalid state 'read' of {name}: pass the content of a source that was read")
    return UseSource(name, state, source.detail[:_MAX_TEXT])


def url_text(url: AnyURL) -> str:
    """Return a URL as text. Bytes that are not UTF-8 are surrogates, so that they survive."""
    return url if isinstance(url, str) else url_bytes(url).decode("utf-8", "surrogateescape")


def _read_page(
    url: str, response: PageResponse | MissingSource, tdm: bytes | str | MissingSource
) -> tuple[PageRules, list[UseSource]]:
    """Return the rules of the page and of the TDM file, and the sources."""
    file = None if isinstance(tdm, MissingSource) else tdm
    sources: list[UseSource]
    if isinstance(response, MissingSource):
        page = parse_page(url=url, tdm_file=file)
        sources = [_missing(name, response) for name in (HEADERS, HTML)]
    elif response.status not in _SUCCESS:
        # The headers of an error are not those of the content.
        page = parse_page(url=url, tdm_file=file)
        detail = f"the server responded with status {response.status}"
        headers = UseSource(HEADERS, SourceState.UNREACHABLE, detail)
        if response.status in _LICENSE_REQUIRED and response.headers is not None:
            headers = UseSource(HEADERS, SourceState.NOT_READ, f"only those of status {response.status} were read")
        sources = [headers, UseSource(HTML, SourceState.UNREACHABLE, detail)]
    else:
        page = parse_page(response.html, headers=response.headers or (), url=url, tdm_file=file)
        sources = list(_response_sources(page, response))
    return page, [*sources, _missing(TDM_FILE, tdm) if isinstance(tdm, MissingSource) else _tdm_source(page)]


def _real_document(
    document: bytes | str | MissingSource, *, page_starts: tuple[str, ...], max_bytes: int
) -> bytes | str | MissingSource:
    """Return a document, unless it is a web page or empty: many sites send one of them in place of a missing file.

    Args:
        page_starts: How a web page begins, in lower case.
        max_bytes: The bytes that are read of the document. After that, white space was not read to its end.
    """
    if isinstance(document, MissingSource):
        return document
    head = document[:_START].lstrip()
    start = head.lower() if isinstance(head, str) else head.decode("latin-1").lower()
    if start.startswith(page_starts):
        return MissingSource(SourceState.ABSENT, "a web page in its place")
    is_empty = not start and len(document) <= max_bytes and not document.strip()
    return MissingSource(SourceState.ABSENT, "an empty response in its place") if is_empty else document


def _robots_source(robots: RobotsTxt | MissingSource) -> UseSource:
    if isinstance(robots, MissingSource):
        return _missing(ROBOTS, robots)
    if robots.tail:
        return UseSource(ROBOTS, SourceState.NOT_READ, _PART)
    return UseSource(ROBOTS, SourceState.READ, foreign_content_note(robots.content) or "")


def _rule_statement(verdict: Verdict) -> UseStatement:
    note = f"{verdict.agent.tokens[0]} may not fetch the URL{_group_text(verdict)}"
    if verdict.rule is None:
        return UseStatement(StatementKind.RULE, ROBOTS, ROBOTS, verdict.explanation, Preference.DISALLOW, note)
    return _line_statement(StatementKind.RULE, verdict.rule.line, Preference.DISALLOW, note)


def _line_statement(kind: StatementKind, line: int, preference: Preference, note: str = "") -> UseStatement:
    """Return the statement of a line of robots.txt, without its words."""
    return UseStatement(kind, ROBOTS, f"line {line}", "", preference, note, line=line)


def _group_text(verdict: Verdict) -> str:
    """Return which group the rule of a verdict is in: a reader of the file may expect another one."""
    lines = verdict.group.lines
    if not lines or verdict.rule is None:
        return ""
    listed = ", ".join(map(str, lines[:_MAX_LINES]))
    return f"; the group for {verdict.group.token} begins on line{'s' if len(lines) > 1 else ''} {listed}"


def _token_statements(robots: RobotsTxt, url: str, agent: Agent, purpose: UsagePurpose) -> Iterator[UseStatement]:
    for token in control_tokens(agent, purpose):
        verdict = robots.decide(url, agent=token.agent)
        if verdict.rule is not None and not verdict.allowed:
            yield _line_statement(
                StatementKind.CONTROL_TOKEN,
                verdict.rule.line,
                Preference.DISALLOW,
                f"a rule for {token.name}, which {token.operator} obeys for this use{_group_text(verdict)}",
            )


def _token_records(robots: RobotsTxt, url: str, agent: Agent, usage: Usage) -> Iterator[UseStatement]:
    """Yield the preferences in the groups of control tokens, as facts: operators document only rules for them."""
    listed = {one.line for one in usage.statements}
    for token in control_tokens(agent, usage.purpose):
        own = robots.usage(url, agent=token.agent, purpose=usage.purpose, if_disallowed=True)
        if own.verdict.group.token == _ALL_CRAWLERS:
            continue
        for one in islice((one for one in own.statements if one.line not in listed), MAX_STATEMENTS):
            note = f"in the group for {token.name}, for which {token.operator} documents only rules"
            yield _record_statement(one)._replace(preference=Preference.UNKNOWN, note=note)


def _by_group(records: Iterable[Extension[Any]]) -> dict[int | None, list[Extension[Any]]]:
    """Return the first 100 records of each group, and with the key None those outside of groups."""
    by_group: dict[int | None, list[Extension[Any]]] = {}
    for record in records:
        own = by_group.setdefault(record.group, [])
        if len(own) < MAX_STATEMENTS:
            own.append(record)
    return by_group


def _states(record: Extension[Any], purpose: UsagePurpose) -> bool:
    return record.name in _PREFERENCE_RECORDS and record.parsed is not None and any(statements_of(record, purpose))


def _fault_statement(record: Extension[Any]) -> UseStatement:
    kind, note = record_kind(record.name), _fault_text(record.notes)
    return _line_statement(kind, record.line, Preference.UNKNOWN, note)


def _fault_text(notes: ExtensionNote) -> str:
    """Return why a record or a header with one of the faults states nothing."""
    is_value = notes & (ExtensionNote.UNREADABLE | ExtensionNote.UNKNOWN_VALUE)
    return f"a {'value is invalid' if is_value else 'label is unknown'}, so that it states nothing"


def record_kind(name: str) -> StatementKind:
    """Return the kind of a record that states a preference on usage."""
    return _RECORD_KINDS.get(name, StatementKind.AI_TRAINING_RULE)


def _record_statement(statement: UsageStatement) -> UseStatement:
    kind = record_kind(statement.record.name)
    usage = statement.usage_preference
    note = "" if usage.draft is None else f"{usage.label} is a label of the expired {usage.draft}"
    return _line_statement(kind, statement.line, usage.preference, note)


def _header_statements(page: PageRules, purpose: UsagePurpose) -> Iterator[UseStatement]:
    for header in page.usage_headers:
        kind, text = StatementKind(header.name), header.value
        place = f"{header.name.title()} header"
        stated = [usage for usage in header.usage_preferences if usage.purpose is purpose]
        if not stated and header.notes & _FAULTS:
            yield UseStatement(kind, HEADERS, place, text, Preference.UNKNOWN, _fault_text(header.notes))
        for usage in stated:
            yield UseStatement(kind, HEADERS, place, text, usage.preference)


def _next_date(verdict: PageVerdict, now: float) -> float | None:
    moment = verdict.unavailable_after
    return moment if moment is not None and moment > now else None


def _directive_statements(page: PageRules, verdict: PageVerdict, purpose: UsagePurpose) -> Iterator[UseStatement]:
    yield from islice(_faulty_directives(page, verdict.agent, purpose), MAX_STATEMENTS)
    if purpose is UsagePurpose.TRAINING:
        yield from _opt_outs(page, verdict.agent)
    decision = _decision_on(verdict, purpose)
    if decision.directive is None or decision.directive.name in _OPT_OUTS:
        return
    for directive in (decision.directive, *decision.other_directives[: MAX_STATEMENTS - 1]):
        preference, note = Preference.DISALLOW, ""
        if decision.allowed:
            preference, note = Preference.UNKNOWN, _limit_text(decision.limit)
            if decision.reason is PageReason.PERMISSIVE_DIRECTIVE and directive is decision.directive:
                preference = Preference.ALLOW
        elif directive.is_date:
            has_passed = verdict.now > float(directive.parsed or 0)
            preference = Preference.DISALLOW if has_passed else Preference.UNKNOWN
            note = f"this date has {'' if has_passed else 'not '}passed"
        yield _directive_statement(directive, preference, note)


def _faulty_directives(page: PageRules, agent: Agent, purpose: UsagePurpose) -> Iterator[UseStatement]:
    """Yield the directives that cannot be read and may be meant to state something on a use, as facts."""
    tokens = {token.lower() for token in agent.tokens}
    for one in page.directives:
        name = one.suggestion or one.name
        if name in KNOWN and name not in _DIRECTIVES[purpose]:
            continue
        if one.agent is None or one.agent in tokens:
            note = next((text for fault, text in _DIRECTIVE_FAULTS.items() if fault & one.notes), "")
        else:
            note = "'robots' names no crawler" if DirectiveNote.ROBOTS_AS_AGENT in one.notes else ""
        if note:
            yield _directive_statement(one, Preference.UNKNOWN, f"{note}, so that it states nothing")


def _opt_outs(page: PageRules, agent: Agent) -> Iterator[UseStatement]:
    """Yield `noai` and `noimageai`, which state what the site wants, whether or not an operator documents them."""
    tokens = {token.lower() for token in agent.tokens}
    for name, (preference, note) in _OPT_OUTS.items():
        own = (one for one in page.directives if one.name == name and (one.agent is None or one.agent in tokens))
        for one in islice(own, MAX_STATEMENTS):
            # No directive permits training.
            yield _directive_statement(one, preference, note)._replace(is_overridable=False)


def _directive_statement(directive: Directive, preference: Preference, note: str) -> UseStatement:
    source, place = _PAGE_SOURCES.get(directive.position.source, HEADERS), str(directive.position)
    note = "; ".join(filter(None, (note, directive.agent and f"for {directive.agent}")))
    return UseStatement(StatementKind.PAGE_DIRECTIVE, source, place, directive.raw, preference, note)


def _limit_text(limit: float | str | None) -> str:
    if limit is None:
        return ""
    return "only title and snippet may be used" if limit == "snippet" else f"at most {limit} characters may be used"


def _decision_on(verdict: PageVerdict, purpose: UsagePurpose) -> PageDecision:
    if purpose is UsagePurpose.TRAINING:
        return verdict.may_train
    return verdict.may_answer if purpose is UsagePurpose.AI_USE else verdict.may_index


def _tdm_statements(page: PageRules) -> Iterator[UseStatement]:
    for stated in page.reservations:
        if stated.reserved is None:
            yield _tdm_statement(stated, Preference.UNKNOWN, "the value is neither 0 nor 1, so that it states nothing")
    reservation = page.reservation
    if reservation is None:
        return
    policy = "" if reservation.policy is None else f", terms at {printable_text(reservation.policy)}"
    if reservation.reserved:
        note = f"the rights to text and data mining are reserved{policy}"
        yield _tdm_statement(reservation, Preference.DISALLOW, note)
    else:
        # It grants nothing either.
        yield _tdm_statement(reservation, Preference.UNKNOWN, f"no rights to text and data mining are reserved{policy}")


def _tdm_statement(reservation: Reservation, preference: Preference, note: str) -> UseStatement:
    source = _PAGE_SOURCES.get(reservation.position.source, HEADERS)
    value = "" if reservation.reserved is None else f" {int(reservation.reserved)}"
    location = "" if reservation.location is None else f" for {printable_text(reservation.location)}"
    text = f"tdm-reservation{value}{location}"
    return UseStatement(StatementKind.TDM_RESERVATION, source, str(reservation.position), text, preference, note)


def _prices(response: PageResponse) -> Iterator[tuple[str, str]]:
    return (pair for pair in header_pairs(response.headers or ()) if pair[0] in _PRICE_HEADERS)


def _error_headers(response: PageResponse) -> Iterator[tuple[str, str]]:
    """Yield the headers of an error that are read."""
    if response.status in _LICENSE_REQUIRED:
        yield from page_headers(response.headers or ())
        yield from _prices(response)


def _payments(response: PageResponse) -> Iterator[UseStatement]:
    if response.status != _PAYMENT_REQUIRED:
        return
    text = "; ".join(f"{name}: {value}" for name, value in _prices(response)) or "402 Payment Required"
    yield UseStatement(
        StatementKind.PAYMENT, HEADERS, "status 402", text, Preference.UNKNOWN, "payment is required", is_condition=True
    )
