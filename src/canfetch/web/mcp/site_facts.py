"""What a robots.txt states in addition to its rules, and how it was obtained, as results and as sentences."""

from collections.abc import Iterable, Sequence
from typing import Final

from canfetch.answers.pace import NO_PACE
from canfetch.answers.reasons import reason_text
from canfetch.answers.statements import CrawlerStatements, crawler_statements, deciding_records
from canfetch.client.origin_state import OriginState
from canfetch.client.use import MAX_LICENSES, UseReading, file_source, robots_source
from canfetch.consent.decision import UseSources
from canfetch.consent.sources import MissingSource
from canfetch.consent.verdict import (
    LICENSE,
    ROBOTS,
    TDM_FILE,
    SourceState,
    StatementKind,
    UseSource,
    UseStatement,
    UseVerdict,
)
from canfetch.core.agent import Agent
from canfetch.core.document import RobotsTxt
from canfetch.core.extensions.preference import Preference, UsagePurpose
from canfetch.core.lines import physical_lines
from canfetch.core.profiles import get_profile
from canfetch.core.text import abbreviated
from canfetch.core.times import optional_rfc3339, rfc3339
from canfetch.core.urls import AnyURL
from canfetch.core.verdict import Access, AccessInfo, Effect, Reason, Rule, Verdict
from canfetch.web.mcp.quotation import quote, visible_text
from canfetch.web.mcp.results import Line, Pace, RobotsAccess, TDMReservation, UsagePreference
from canfetch.web.mcp.service import NO_FILES, FetchedFiles, is_forbidden
from canfetch.web.mcp.texts import duration

LINE_TOKENS: Final = 40
_STATEMENT_TOKENS: Final = 32
_LICENSE_TOKENS: Final = 24
_EXPLANATION_TOKENS: Final = 24
# The number of lines and values of one kind in a result.
_MAX_LINES: Final = 3
_NOT_READ: Final = MissingSource(SourceState.NOT_READ)
_FORBIDDEN: Final = "a redirect leads to a host that does not exist, or has no public address"
_USE_NAMES: Final = {
    UsagePurpose.TRAINING: "training",
    UsagePurpose.SEARCH: "search",
    UsagePurpose.AI_USE: "input of AI models",
}


def rules_of(state: OriginState, now: float) -> RobotsTxt | None:
    """Return the file whose rules apply to an origin, or None if everything is allowed or disallowed."""
    copy = state.effective_access(now).copy
    # Not the file in the client's memory, whose limit does not count what answers derive from a file.
    return None if copy is None else state.parse_copy(copy).with_url(state.origin.robots_url)


def rule_line(rule: Rule) -> Line:
    """Return a rule as a quoted line."""
    return Line(number=rule.line, quote=quote(str(rule), max_tokens=LINE_TOKENS))


def reason_sentence(verdict: Verdict, line: Line | None) -> str:
    """Return what decided, or an empty string if that is the access to the robots.txt."""
    reason = reason_text(verdict)
    if line is not None:
        return f"Line {line.number} of robots.txt decides: {line.quote} ({reason})."
    if verdict.reason in {Reason.UNAVAILABLE, Reason.UNREACHABLE}:
        return ""
    return f"{': '.join([reason[0].upper() + reason[1:], *verdict.notes])}."


def use_reading(state: OriginState, url: str, now: float, files: FetchedFiles = NO_FILES) -> UseReading:
    """Return what was read for an answer about the use of a URL."""
    robots = rules_of(state, now)
    return UseReading(
        url,
        robots_source(state, now) if robots is None else robots,
        _NOT_READ,
        _NOT_READ if files.tdm is None else file_source(files.tdm),
        {license_url: file_source(file) for license_url, file in files.licenses.items()},
        min(state.next_fetch_at, files.expires_at),
    )


def access_result(state: OriginState, access: AccessInfo, now: float, expires_at: float | None = None) -> RobotsAccess:
    """Return how the robots.txt of an origin was obtained.

    Args: expires_at: When an answer that depends on other files as well expires, in seconds since the epoch.
    """
    again = state.next_fetch_at if expires_at is None else expires_at
    return RobotsAccess(
        url=visible_text(access.robots_url),
        access=access.access,
        effect=access.effect,
        explanation=_explanation(state, access),
        fetched_at=optional_rfc3339(None if access.fetched_at is None else int(access.fetched_at)),
        ask_again_at=rfc3339(int(again)),
        ask_again_in_seconds=max(0, round(again - now)),
    )


def access_sentence(access: RobotsAccess) -> str:
    """Return what a robots.txt that is not a file of rules means, or an empty string."""
    if access.effect is Effect.CONDITIONAL_ALLOW:
        return "" if access.access is Access.SUCCESSFUL else f"robots.txt is unreachable: {access.explanation}."
    effect = "allowed" if access.effect is Effect.FULL_ALLOW else "disallowed for now"
    return f"robots.txt is {access.access} ({access.explanation}), so everything is {effect}."


def again_sentence(access: RobotsAccess) -> str:
    """Return when to ask again."""
    return f"Ask again in {duration(access.ask_again_in_seconds)}."


def statements_of(robots: RobotsTxt | None, url: AnyURL, agent: Agent, now: float) -> CrawlerStatements:
    """Return what a file states for an agent in addition to its rules. Without a file, it states nothing."""
    if robots is None:
        return CrawlerStatements(NO_PACE, {}, ())
    return crawler_statements(robots, agent, now, url=url)


def usage_results(statements: CrawlerStatements, robots: RobotsTxt | None) -> list[UsagePreference]:
    """Return what a file states on each use, whether the URL may be fetched or not."""
    if robots is None:
        return [UsagePreference(use=use, preference=Preference.UNKNOWN, lines=[]) for use in UsagePurpose]
    usages = [statements.usages[use] for use in UsagePurpose]
    stated = stated_lines(robots, [[record.line for record in deciding_records(usage)] for usage in usages])
    return [
        UsagePreference(use=usage.purpose, preference=usage.preference, lines=lines)
        for usage, lines in zip(usages, stated, strict=True)
    ]


def stated_lines(robots: RobotsTxt, lists: Iterable[Sequence[int]]) -> list[list[Line]]:
    """Return the first lines of each list of numbers, quoted without their comments.

    Cost: O(bytes of the file).
    """
    lines = physical_lines(robots.content, get_profile(robots.profile))[1]

    def quoted_line(number: int) -> Line:
        text = lines[number - 1].partition(b"#")[0].strip()
        return Line(number=number, quote=quote(text, max_tokens=_STATEMENT_TOKENS))

    return [list(map(quoted_line, numbers[:_MAX_LINES])) for numbers in lists]


def preferences_sentence(usage: Sequence[UsagePreference]) -> str:
    """Return what the site states on all uses."""
    stated = [one for one in usage if one.preference is not Preference.UNKNOWN]
    if not stated:
        return "Uses: the site states no preferences."
    uses = ", ".join(f"{_USE_NAMES[one.use]} {'yes' if one.preference is Preference.ALLOW else 'no'}" for one in stated)
    line = stated[0].lines[0]
    return f"Uses that the site agrees to: {uses} (line {line.number}: {line.quote})."


def use_sentence(verdict: UseVerdict, subject: str = "") -> str:
    """Return whether a use is allowed, by the first statement that decides.

    Args: subject: The words for the use, or an empty string for those of the purpose alone.
    """
    subject = subject or f"Use for {_USE_NAMES[verdict.purpose]}"
    if verdict.decided_by:
        state, statement = "yes" if verdict.allowed else "no", verdict.decided_by[0]
    elif verdict.conditions:
        state, statement = "only on conditions", verdict.conditions[0]
    else:
        return f"{subject}: {'what was read' if unread_quotes(verdict.unread) else 'the site'} states nothing."
    return f"{subject}: {state}, {_quoted(statement)}."


def unread_quotes(sources: Iterable[UseSource]) -> list[str]:
    """Return the unread sources, each with the reason, except the page, which no tool reads."""
    # `robots_txt` reports an unreachable robots.txt.
    return [_unread_quote(one) for one in sources if one.name in {TDM_FILE, LICENSE} or one.is_partly_read]


def _unread_quote(source: UseSource) -> str:
    url = "" if source.url is None else f" {quote(source.url, max_tokens=LINE_TOKENS)}"
    reason = source.detail.removeprefix(source.url or "").removeprefix(": ")
    words = quote(reason, max_tokens=_STATEMENT_TOKENS) if reason else f"at most {MAX_LICENSES} are read"
    return f"{source.name}{url} ({source.state}: {words})"


def unread_sentence(unread: Sequence[str]) -> str:
    """Return the first unread source as a sentence, or an empty string."""
    return f"Unknown terms: {abbreviated(unread, 1)}." if unread else ""


def statement_quotes(statements: Sequence[UseStatement]) -> list[str]:
    """Return the first statements, quoted."""
    return list(map(_quoted, statements[:_MAX_LINES]))


def _quoted(statement: UseStatement) -> str:
    """Return a statement with its place, and with its note if that says more than where its group is."""
    if statement.token is not None:
        # All words of this note are those of the registry.
        return f"{quote(str(statement._replace(note='')), max_tokens=2 * LINE_TOKENS)} ({statement.note})"
    if statement.source == ROBOTS and statement.line is not None and statement.kind is not StatementKind.LICENSE:
        return f"line {statement.line}: {quote(statement.text, max_tokens=_STATEMENT_TOKENS)}"
    note = f" ({statement.note})" if statement.note else ""
    return f"{statement.source}: {quote(f'{statement.text}{note}', max_tokens=2 * LINE_TOKENS)}"


def license_quotes(statements: CrawlerStatements) -> list[str]:
    """Return the URLs of the licenses that apply, quoted."""
    return [quote(url, max_tokens=_LICENSE_TOKENS) for url in statements.license_urls[:_MAX_LINES]]


def license_sentence(quotes: Sequence[str], unread: Sequence[str]) -> str:
    """Return the first license as a sentence, or an empty string, also if a license is among the unread sources."""
    is_named = any(one.startswith(LICENSE) for one in unread)
    return f"License: {quotes[0]}." if quotes and not is_named else ""


def tdm_result(sources: UseSources) -> TDMReservation:
    """Return the reservation of the TDM file for a URL."""
    reservation = sources.page.reservation
    problem = next((one.detail for one in sources.states if one.name == TDM_FILE and one.is_unread), None)
    policy = None if reservation is None else reservation.policy
    return TDMReservation(
        reserved=None if reservation is None else reservation.reserved,
        policy=None if policy is None else quote(policy, max_tokens=_LICENSE_TOKENS),
        problem=problem,
    )


def tdm_sentence(tdm: TDMReservation | None) -> str:
    """Return the reservation as a sentence, or an empty string if there is none."""
    if tdm is None or not tdm.reserved:
        return ""
    return f"TDMRep: rights reserved{'' if tdm.policy is None else f', terms {tdm.policy}'}."


def pace_result(statements: CrawlerStatements) -> Pace:
    """Return the limits that a file declares."""
    pace = statements.pace
    return Pace(
        seconds_between_requests=pace.seconds_between_requests,
        crawl_delay=pace.crawl_delay,
        request_rates=list(map(str, pace.request_rates[:_MAX_LINES])),
        visit_times=list(map(str, pace.visit_times[:_MAX_LINES])),
        seconds_until_visit=pace.seconds_until_visit,
    )


def pace_sentence(pace: Pace) -> str:
    """Return the pace."""
    parts = []
    if pace.seconds_between_requests is not None:
        parts.append(f"{duration(pace.seconds_between_requests)} between requests")
    if pace.visit_times:
        more = len(pace.visit_times) - 1
        parts.append(f"visits only at {pace.visit_times[0]} UTC{' and at other times' if more else ''}")
    return f"Pace: {'; '.join(parts)}." if parts else "Pace: none stated."


def _explanation(state: OriginState, access: AccessInfo) -> str:
    if is_forbidden(state):
        # Addresses of private networks are not shown to callers.
        return _FORBIDDEN
    return quote(access.explanation, max_tokens=_EXPLANATION_TOKENS)
