"""Collects what a site states on a use of one URL, and combines it.

Each standard is read by the module that knows it, and keeps its own order of sources where it has one. Across the
standards the most restrictive statement decides, because none of them yields to another.

Source: draft-ietf-aipref-vocab-08 section 7.1; W3C Community Group, TDM Reservation Protocol; RFC 9309 section 2.2.1.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from canfetch.consent.purposes import control_tokens, find_purpose
from canfetch.consent.verdict import SourceState, StatementKind, UseSource, UseStatement, UseVerdict
from canfetch.core.agent import Agent, as_agent
from canfetch.core.choices import unknown_choice
from canfetch.core.document import RobotsTxt
from canfetch.core.extensions.ai_training import AITrainingRule
from canfetch.core.extensions.content_signal import ContentSignal
from canfetch.core.extensions.preference import Preference, UsagePurpose, most_restrictive
from canfetch.core.extensions.record import Extension
from canfetch.core.extensions.usage import UsageStatement
from canfetch.core.text import display_text, printable_text
from canfetch.core.urls import AnyURL, url_bytes
from canfetch.core.verdict import Verdict
from canfetch.errors import InvalidOption
from canfetch.pages.headers import Headers, header_pairs
from canfetch.pages.page_rules import PageNote, PageRules, parse_page
from canfetch.pages.positions import PageSource
from canfetch.pages.verdict import PageDecision, PageReason, PageVerdict

ROBOTS: Final = "robots.txt"
HEADERS: Final = "headers"
HTML: Final = "html"
TDM_FILE: Final = "tdmrep.json"
LICENSE: Final = "license"

_START: Final = 1024
_SUCCESS: Final = range(200, 300)
_PAYMENT_REQUIRED: Final = 402
_PRICE_HEADERS: Final = ("crawler-price", "payment-required", "www-authenticate")
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
        headers: The headers, as for `canfetch.pages.parse_page`.
        html: The body if it is HTML, or None if it was not read.
    """

    status: int = 200
    headers: Headers = ()
    html: bytes | str | None = None


_NOT_PASSED: Final = MissingSource(SourceState.NOT_READ)


def may_use(
    url: AnyURL,
    *,
    purpose: str,
    agent: str | Agent = "*",
    robots: RobotsTxt | MissingSource = _NOT_PASSED,
    response: PageResponse | MissingSource = _NOT_PASSED,
    tdm: bytes | str | MissingSource = _NOT_PASSED,
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
        now: Seconds since the epoch, for `unavailable_after`. By default, no date has passed.
    Raises: InvalidURL, InvalidProductToken, OriginMismatch; InvalidOption: `purpose` or a state is unknown;
        MissingExtra: there is HTML to parse, and lxml is not installed; TypeError.
    Cost: As one decision for the agent, one for each control token of its operator, and `parse_page`.
    """
    wanted, chosen = find_purpose(purpose), as_agent(agent)
    _check_source("robots", robots, (RobotsTxt,), "the result of canfetch.parse()")
    _check_source("response", response, (PageResponse,), "a PageResponse")
    _check_source("tdm", tdm, (bytes, str), "the content of the file")
    verdict = robots.decide(url, agent=chosen) if isinstance(robots, RobotsTxt) else None
    text = _url_text(url)
    page, sources = _read_page(text, response, _real_file(tdm))
    return combine(
        text,
        wanted,
        chosen,
        verdict=verdict,
        robots=robots if isinstance(robots, RobotsTxt) else None,
        page=page,
        sources=[_robots_source(robots), *sources],
        payment=_payments(response) if isinstance(response, PageResponse) else (),
        now=now,
    )


def combine(
    url: str,
    purpose: UsagePurpose,
    agent: Agent,
    *,
    verdict: Verdict | None,
    robots: RobotsTxt | None,
    page: PageRules | None,
    sources: Sequence[UseSource],
    payment: Iterable[UseStatement] = (),
    now: float,
) -> UseVerdict:
    """Combine what was read.

    Args:
        verdict: Whether the agent may fetch the URL, or None if that is unknown. It may be based on a robots.txt that
            was not reached.
        robots: The robots.txt whose records apply, or None.
        page: The rules of the page and of the TDM file, or None.
        sources: The sources other than licenses, robots.txt first.
        payment: Statements about a price.
        now: Seconds since the epoch.
    """
    statements: list[UseStatement] = []
    licenses: list[UseSource] = []
    if verdict is not None and not verdict.allowed:
        statements.append(_rule_statement(verdict))
    elif verdict is None:
        statements += _unreachable_statements(sources)
    if robots is not None:
        statements += _token_statements(robots, url, agent, purpose)
        usage = robots.usage(url, agent=agent, purpose=purpose, if_disallowed=True)
        statements += map(_record_statement, usage.statements)
        for record in usage.licenses:
            statements.append(
                UseStatement(StatementKind.LICENSE, ROBOTS, f"line {record.line}", _words(record), Preference.UNKNOWN)
            )
            licenses.append(UseSource(LICENSE, SourceState.NOT_READ, record.parsed.url))
    statements += payment
    if page is not None:
        statements += _header_statements(page, purpose)
        statements += _directive_statements(page, purpose, agent, now)
        if purpose is UsagePurpose.TRAINING:
            statements += _tdm_statements(page)
    preference = most_restrictive(statement.preference for statement in statements)
    allowed = {Preference.ALLOW: True, Preference.DISALLOW: False, Preference.UNKNOWN: None}[preference]
    # A license that several lines name is one source.
    return UseVerdict(allowed, purpose, url, agent, tuple(statements), (*sources, *dict.fromkeys(licenses)))


def page_sources(page: PageRules, *, has_html: bool) -> Iterator[UseSource]:
    """Yield the sources of a page that was read: its headers, its HTML and the TDM file."""
    is_cut = PageNote.HEADERS_TRUNCATED in page.notes
    yield UseSource(HEADERS, SourceState.NOT_READ if is_cut else SourceState.READ, "only a part" if is_cut else "")
    if not has_html:
        yield UseSource(HTML, SourceState.NOT_READ)
    elif PageNote.NOT_HTML in page.notes:
        yield UseSource(HTML, SourceState.ABSENT, "the content is not HTML")
    elif PageNote.HTML_TRUNCATED in page.notes:
        yield UseSource(HTML, SourceState.NOT_READ, "only a part")
    else:
        yield UseSource(HTML, SourceState.READ)
    yield tdm_source(page)


def tdm_source(page: PageRules) -> UseSource:
    """Return the TDM file as a source."""
    file = page.tdm_file
    if file is None:
        return UseSource(TDM_FILE, SourceState.ABSENT)
    if file.problem is not None:
        state = SourceState.UNREACHABLE if file.unreachable else SourceState.UNREADABLE
        return UseSource(TDM_FILE, state, file.problem)
    if file.truncated:
        return UseSource(TDM_FILE, SourceState.NOT_READ, "only a part")
    return UseSource(TDM_FILE, SourceState.READ)


def _check_source(name: str, source: object, types: tuple[type, ...], expected: str) -> None:
    if not isinstance(source, (*types, MissingSource)):
        raise TypeError(f"{name} must be {expected}, or a MissingSource, not {type(source).__name__}")


def _missing(name: str, source: MissingSource) -> UseSource:
    try:
        state = SourceState(source.state)
    except ValueError:
        raise InvalidOption(unknown_choice("state", source.state, SourceState)) from None
    return UseSource(name, state, source.detail)


def _url_text(url: AnyURL) -> str:
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
        detail = f"status {response.status}"
        sources = [UseSource(name, SourceState.UNREACHABLE, detail) for name in (HEADERS, HTML)]
    else:
        page = parse_page(response.html, headers=response.headers, url=url, tdm_file=file)
        sources = list(page_sources(page, has_html=response.html is not None))[:-1]
    return page, [*sources, _missing(TDM_FILE, tdm) if isinstance(tdm, MissingSource) else tdm_source(page)]


def _real_file(tdm: bytes | str | MissingSource) -> bytes | str | MissingSource:
    """Return the TDM file, unless it is a web page: many sites send one in place of every missing file."""
    if isinstance(tdm, MissingSource):
        return tdm
    start = tdm[:_START].lstrip()
    is_page = start.startswith("<") if isinstance(start, str) else start.startswith(b"<")
    return MissingSource(SourceState.ABSENT, "a web page in its place") if is_page else tdm


def _robots_source(robots: RobotsTxt | MissingSource) -> UseSource:
    return _missing(ROBOTS, robots) if isinstance(robots, MissingSource) else UseSource(ROBOTS, SourceState.READ)


def _rule_statement(verdict: Verdict) -> UseStatement:
    note = f"{verdict.agent.tokens[0]} may not fetch the URL"
    if verdict.rule is None:
        return UseStatement(StatementKind.RULE, ROBOTS, ROBOTS, verdict.explanation, Preference.DISALLOW, note)
    place = f"line {verdict.rule.line}"
    return UseStatement(StatementKind.RULE, ROBOTS, place, str(verdict.rule), Preference.DISALLOW, note)


def _unreachable_statements(sources: Sequence[UseSource]) -> Iterator[UseStatement]:
    """Yield what follows if the robots.txt could not be fetched: a crawler must assume complete disallow."""
    if sources and sources[0].name == ROBOTS and sources[0].state is SourceState.UNREACHABLE:
        note = "RFC 9309 section 2.3.1.4 disallows everything until it can be fetched"
        yield UseStatement(StatementKind.RULE, ROBOTS, ROBOTS, "unreachable", Preference.DISALLOW, note)


def _token_statements(robots: RobotsTxt, url: str, agent: Agent, purpose: UsagePurpose) -> Iterator[UseStatement]:
    for token in control_tokens(agent, purpose):
        verdict = robots.decide(url, agent=token.agent)
        if verdict.rule is not None and not verdict.allowed:
            yield UseStatement(
                StatementKind.CONTROL_TOKEN,
                ROBOTS,
                f"line {verdict.rule.line}",
                str(verdict.rule),
                Preference.DISALLOW,
                f"applies to {token.name}, with which {token.operator} controls this use",
            )


def _record_statement(statement: UsageStatement) -> UseStatement:
    parsed = statement.record.parsed
    kind = StatementKind.CONTENT_USAGE
    if isinstance(parsed, ContentSignal):
        kind = StatementKind.CONTENT_SIGNAL
    elif isinstance(parsed, AITrainingRule):
        kind = StatementKind.AI_TRAINING_RULE
    usage = statement.usage_preference
    note = "" if usage.draft is None else f"{usage.label} is a label of {usage.draft}"
    return UseStatement(kind, ROBOTS, f"line {statement.line}", _words(statement.record), usage.preference, note)


def _words(record: Extension[Any]) -> str:
    return f"{record.name.title()}: {display_text(record.value)}"


def _header_statements(page: PageRules, purpose: UsagePurpose) -> Iterator[UseStatement]:
    for header in page.usage_headers:
        kind, text = StatementKind(header.name), printable_text(header.value)
        place = f"{header.name.title()} header"
        if header.is_unreadable:
            yield UseStatement(kind, HEADERS, place, text, Preference.UNKNOWN, "the value is invalid")
        for usage in header.usage_preferences:
            if usage.purpose is purpose:
                yield UseStatement(kind, HEADERS, place, text, usage.preference)


def _directive_statements(page: PageRules, purpose: UsagePurpose, agent: Agent, now: float) -> Iterator[UseStatement]:
    # The reservation of a TDM file is a statement of its own.
    verdict = page._replace(reservations=(), tdm_file=None).decide(agent=agent, now=now)
    decision = _decision_on(verdict, purpose)
    directive = decision.directive
    if directive is None:
        return
    source = _PAGE_SOURCES.get(directive.position.source, HEADERS)
    preference, note = Preference.DISALLOW, ""
    if decision.allowed:
        preference, note = Preference.UNKNOWN, "" if decision.limit is None else f"limits the use: {decision.limit}"
        if decision.reason is PageReason.PERMISSIVE_DIRECTIVE:
            preference = Preference.ALLOW
    elif decision.reason is PageReason.EXPIRED:
        note = "this date has passed"
    place = str(directive.position)
    yield UseStatement(StatementKind.PAGE_DIRECTIVE, source, place, str(directive), preference, note)


def _decision_on(verdict: PageVerdict, purpose: UsagePurpose) -> PageDecision:
    if purpose is UsagePurpose.TRAINING:
        return verdict.may_train
    return verdict.may_answer if purpose is UsagePurpose.AI_USE else verdict.may_index


def _tdm_statements(page: PageRules) -> Iterator[UseStatement]:
    reservation = page.reservation
    if reservation is None:
        return
    source = _PAGE_SOURCES.get(reservation.position.source, HEADERS)
    policy = "" if reservation.policy is None else f", terms at {printable_text(reservation.policy)}"
    reserved = bool(reservation.reserved)
    yield UseStatement(
        StatementKind.TDM_RESERVATION,
        source,
        str(reservation.position),
        f"tdm-reservation {int(reserved)}",
        Preference.DISALLOW if reserved else Preference.ALLOW,
        f"the rights to text and data mining are {'' if reserved else 'not '}reserved{policy}",
    )


def _payments(response: PageResponse) -> Iterator[UseStatement]:
    if response.status != _PAYMENT_REQUIRED:
        return
    prices = [pair for pair in header_pairs(response.headers) if pair[0] in _PRICE_HEADERS]
    text = "; ".join(f"{name}: {printable_text(value)}" for name, value in prices)
    yield UseStatement(
        StatementKind.PAYMENT,
        HEADERS,
        "status 402",
        text or "402 Payment Required",
        Preference.UNKNOWN,
        "a price is due",
    )
