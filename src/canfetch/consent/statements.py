"""What each source states on a use, as its own standard reads it.

Statements of lines of robots.txt have no words: `UseSources` adds the lines that are in an answer.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from itertools import islice
from operator import attrgetter
from typing import Any, Final, TypeVar

from canfetch.agents.crawler import Crawler
from canfetch.consent.licenses import LICENSE
from canfetch.consent.purposes import control_tokens, is_control_token
from canfetch.consent.sources import PAYMENT_REQUIRED, PageResponse, prices
from canfetch.consent.verdict import HEADERS, HTML, MAX_STATEMENTS, ROBOTS, TDM_FILE, StatementKind, UseStatement
from canfetch.core.agent import Agent
from canfetch.core.document import RobotsTxt
from canfetch.core.extensions.content_usage import contradicted_labels
from canfetch.core.extensions.preference import Preference, UsagePurpose
from canfetch.core.extensions.record import Extension, ExtensionNote
from canfetch.core.extensions.usage import Usage, UsageStatement
from canfetch.core.extensions.usage_records import statements_of
from canfetch.core.text import encode_text, printable_text
from canfetch.core.verdict import GroupSelection, Verdict
from canfetch.pages.dialects import DEFAULT_DIALECT, get_dialect
from canfetch.pages.directives import Directive, DirectiveNote
from canfetch.pages.page_rules import PageRules
from canfetch.pages.positions import PageSource
from canfetch.pages.tdm import Reservation
from canfetch.pages.verdict import PageDecision, PageReason, PageVerdict
from canfetch.pages.vocabulary import KNOWN, MAX_SNIPPET, UNAVAILABLE_AFTER

ItemT = TypeVar("ItemT")
ALL_CRAWLERS: Final = "*"
_MAX_LINES: Final = 3
_OUTSIDE: Final = "outside of all groups"
FOR_OTHERS: Final = f"{_OUTSIDE}, so that it applies to crawlers whose groups have no such line"
FOR_NO_CRAWLER: Final = f"{_OUTSIDE}, so that it applies to no crawler"
_INVALID_RESERVATION: Final = "the value is neither 0 nor 1, so that it states nothing"
_UNDOCUMENTED: Final = "the operator's documentation of directives is unknown, so that each one counts"
_CONVENTION: Final = "no specification: a convention of DeviantArt, November 2022"
_OPT_OUTS: Final = {
    "noai": (Preference.DISALLOW, _CONVENTION),
    "noimageai": (Preference.UNKNOWN, f"it is about the images of the page; {_CONVENTION}"),
}
PREFERENCE_RECORDS: Final = frozenset({"content-usage", "content-signal", "disallowaitraining", "allowaitraining"})
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
USAGE_RECORDS: Final = PREFERENCE_RECORDS | {LICENSE}
# A record with one of these notes may be meant to state something.
FAULTS: Final = ExtensionNote.UNREADABLE | ExtensionNote.UNKNOWN_VALUE | ExtensionNote.UNKNOWN_LABEL
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


class Listing:
    """Lists the first 100 of each kind of statement, and counts the others.

    Attributes: unlisted: The number of the others.
    """

    def __init__(self) -> None:
        self.unlisted = 0

    def first(self, items: Iterable[ItemT]) -> Iterator[ItemT]:
        """Yield the first 100 items.

        Cost: As reading all of them.
        """
        items = iter(items)
        yield from islice(items, MAX_STATEMENTS)
        self.unlisted += sum(1 for _ in items)


def unreachable_statement() -> UseStatement:
    """Return that nothing may be used, because a crawler must assume complete disallow."""
    note = "the access policy takes robots.txt as unreachable: RFC 9309 section 2.3.1.4 disallows everything then"
    return UseStatement(StatementKind.UNREACHABLE, ROBOTS, ROBOTS, "unreachable", Preference.DISALLOW, note)


def rule_statement(verdict: Verdict) -> UseStatement:
    """Return the rule that disallows a URL."""
    note = rule_note(verdict.agent, verdict.group, verdict.line or 0)
    if verdict.rule is None:
        return UseStatement(StatementKind.RULE, ROBOTS, ROBOTS, verdict.explanation, Preference.DISALLOW, note)
    return _line_statement(StatementKind.RULE, verdict.rule.line, Preference.DISALLOW, note)


def rule_note(agent: Agent, group: GroupSelection, line: int) -> str:
    """Return the note of a rule that disallows a URL."""
    name = agent.tokens[0]
    is_token = is_control_token(name)
    meaning = "fetches nothing, and the use of the URL is not permitted" if is_token else "may not fetch the URL"
    return _joined(f"{name} {meaning}", _group_lines(group, line) if line else "")


def token_note(token: Crawler, group: GroupSelection, line: int) -> str:
    """Return the note of a rule for a control token."""
    meaning = f"a rule for {token.name}, which controls this use by {token.operator}"
    # The registry has no titles of documents.
    return _joined(meaning, _group_lines(group, line), f"documented in {token.source}")


def _joined(*texts: str) -> str:
    return "; ".join(filter(None, texts))


def _line_statement(kind: StatementKind, line: int, preference: Preference, note: str = "") -> UseStatement:
    """Return the statement of a line of robots.txt, without its words."""
    return UseStatement(kind, ROBOTS, f"line {line}", "", preference, note, line=line)


def _group_lines(group: GroupSelection, line: int) -> str:
    """Return the user-agent lines of a group in words, or an empty string if there are none.

    A reader of the file may expect another group.

    Args: line: The line of the group that the words are about. The nearest user-agent line is above it.
    """
    if not group.lines:
        return ""
    if len(group.lines) > _MAX_LINES:
        nearest = group.lines[max(0, bisect_left(group.lines, line) - 1)]
        return f"the nearest of {len(group.lines)} user-agent lines is line {nearest}, for {group.token}"
    words = "lines are lines" if len(group.lines) > 1 else "line is line"
    return f"the user-agent {words} {', '.join(map(str, group.lines))}, for {group.token}"


def with_place(
    statement: UseStatement, record: Extension[Any], group: GroupSelection, outside: str = FOR_OTHERS
) -> UseStatement:
    """Return the statement of a record with the user-agent lines of its group in the note.

    Args:
        group: The selection of groups that contains the record, if a group does.
        outside: The words if no group contains the record.
    """
    words = outside if record.group is None else _group_lines(group, record.line)
    return statement._replace(note=_joined(statement.note, words))


def token_statements(robots: RobotsTxt, url: str, agent: Agent, purpose: UsagePurpose) -> Iterator[UseStatement]:
    """Yield the rules for control tokens that disallow a use."""
    for token in control_tokens(agent, purpose):
        verdict = robots.decide(url, agent=token.agent)
        if verdict.rule is not None and not verdict.allowed:
            line, group = verdict.rule.line, verdict.group
            note = token_note(token, group, line)
            yield _line_statement(StatementKind.CONTROL_TOKEN, line, Preference.DISALLOW, note)._replace(
                token=token.name, group=group.token
            )


def token_records(robots: RobotsTxt, url: str, agent: Agent, usage: Usage, listing: Listing) -> Iterator[UseStatement]:
    """Yield the preferences in the groups of control tokens, as facts: operators document only rules for them."""
    listed = {one.line for one in usage.statements}
    for token in control_tokens(agent, usage.purpose):
        own = robots.usage(url, agent=token.agent, purpose=usage.purpose, if_disallowed=True)
        if own.verdict.group.token == ALL_CRAWLERS:
            continue
        for one in listing.first(one for one in own.statements if one.line not in listed):
            note = f"in the group for {token.name}, for which only rules are documented in {token.source}"
            fact = record_statement(one, robots)._replace(preference=Preference.UNKNOWN, note=note)
            yield with_place(fact, one.record, own.verdict.group)


def states_use(record: Extension[Any], purpose: UsagePurpose) -> bool:
    """Return whether a record states something on a use, for any agent."""
    return record.name in PREFERENCE_RECORDS and record.parsed is not None and any(statements_of(record, purpose))


def group_statement(statement: UsageStatement, robots: RobotsTxt, group: GroupSelection) -> UseStatement:
    """Return what a record states on a use, with its place.

    Args: group: The groups of the agent.
    """
    return with_place(record_statement(statement, robots), statement.record, group)


def record_statement(statement: UsageStatement, robots: RobotsTxt) -> UseStatement:
    """Return what a record of a file states on a use."""
    kind = record_kind(statement.record.name)
    usage = statement.usage_preference
    note = "" if usage.draft is None else f"{usage.label} is a label of the expired {usage.draft}"
    contradiction = _contradiction(kind, usage.label, statement.record.value)
    below = _agent_below(statement.record, robots)
    return _line_statement(kind, statement.line, usage.preference, _joined(note, contradiction, below))


def _agent_below(record: Extension[Any], robots: RobotsTxt) -> str:
    """Return the next user-agent line of the group of a record, in words, or an empty string if there is none."""
    agents = () if record.group is None else robots.groups[record.group].user_agents
    below = bisect_left(agents, record.line, key=attrgetter("line"))
    if below == len(agents):
        return ""
    draft = ", in the AIPREF draft also Content-Usage" if record.name == "content-usage" else ""
    return f"the user-agent line {agents[below].line} below it is in the same group, which only rules end{draft}"


def _contradiction(kind: StatementKind, label: str, value: bytes) -> str:
    """Return which value of a label counts if there are several different ones, or an empty string."""
    is_contradicted = kind is StatementKind.CONTENT_USAGE and label in contradicted_labels(value)
    return f"{label} has several values, of which RFC 9651 uses the last one" if is_contradicted else ""


def record_kind(name: str) -> StatementKind:
    """Return the kind of a record that states a preference on usage."""
    return _RECORD_KINDS.get(name, StatementKind.AI_TRAINING_RULE)


def fault_statement(record: Extension[Any], group: GroupSelection, purpose: UsagePurpose) -> UseStatement:
    """Return a record that cannot be read, as a fact.

    Args: group: The groups of the agent.
    """
    states_other = any(states_use(record, other) for other in UsagePurpose)
    has_other_path = record.value.startswith(b"*") and len(record.value.split()) > 1
    fault = "a path does not start with a slash" if has_other_path else _fault_of(record.notes)
    kind, note = record_kind(record.name), _fault_text(fault, purpose, states_other=states_other)
    return with_place(_line_statement(kind, record.line, Preference.UNKNOWN, note), record, group, _OUTSIDE)


def _fault_of(notes: ExtensionNote) -> str:
    """Return what is wrong with a record or a header with one of the faults."""
    is_value = notes & (ExtensionNote.UNREADABLE | ExtensionNote.UNKNOWN_VALUE)
    return f"a {'value is invalid' if is_value else 'label is unknown'}"


def _fault_text(fault: str, purpose: UsagePurpose, *, states_other: bool) -> str:
    """Return why a record or a header with a fault states nothing on a purpose.

    Args: states_other: Whether it states something on another one.
    """
    effect = f"and it states nothing on {purpose}" if states_other else "so that it states nothing"
    return f"{fault}, {effect}"


def header_statements(page: PageRules, purpose: UsagePurpose) -> Iterator[UseStatement]:
    """Yield what usage headers state on a use, and those that cannot be read as facts."""
    for header in page.usage_headers:
        kind, text = StatementKind(header.name), header.value
        place = f"{header.name.title()} header"
        preferences = tuple(header.usage_preferences)
        stated = [usage for usage in preferences if usage.purpose is purpose]
        if not stated and header.notes & FAULTS:
            note = _fault_text(_fault_of(header.notes), purpose, states_other=bool(preferences))
            yield UseStatement(kind, HEADERS, place, text, Preference.UNKNOWN, note)
        for usage in stated:
            note = _contradiction(kind, usage.label, encode_text(text))
            yield UseStatement(kind, HEADERS, place, text, usage.preference, note)


def directive_statements(
    page: PageRules, verdict: PageVerdict, purpose: UsagePurpose, listing: Listing
) -> Iterator[UseStatement]:
    """Yield the directives of a page on a use, and those that cannot be read as facts."""
    tokens = get_dialect(verdict.dialect).page_tokens(verdict.agent)
    yield from listing.first(_faulty_directives(page, tokens, purpose))
    if purpose is UsagePurpose.TRAINING:
        yield from _opt_outs(page, tokens, listing)
    decision = _decision_on(verdict, purpose)
    if decision.directive is None or decision.directive.name in _OPT_OUTS:
        return
    reading = _UNDOCUMENTED if verdict.dialect == DEFAULT_DIALECT else ""
    for directive in listing.first((decision.directive, *decision.other_directives)):
        preference, note = Preference.DISALLOW, ""
        limit = decision.limit if decision.allowed and directive is decision.directive else None
        if decision.allowed:
            preference = Preference.UNKNOWN
            if limit is not None:
                note = _limit_text(limit)
            elif decision.limit is not None:
                note = f"{decision.directive.raw} overrides it"
            elif decision.reason is PageReason.PERMISSIVE_DIRECTIVE and directive is decision.directive:
                preference = Preference.ALLOW
        elif directive.is_date:
            has_passed = verdict.now > float(directive.parsed or 0)
            preference = Preference.DISALLOW if has_passed else Preference.UNKNOWN
            note = f"this date has {'' if has_passed else 'not '}passed"
        # Use of the whole content exceeds a limit.
        is_condition = limit is not None
        yield _directive_statement(directive, preference, _joined(note, reading))._replace(is_condition=is_condition)


def _faulty_directives(page: PageRules, tokens: frozenset[str], purpose: UsagePurpose) -> Iterator[UseStatement]:
    """Yield the directives that cannot be read and may be meant to state something on a use, as facts."""
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


def _opt_outs(page: PageRules, tokens: frozenset[str], listing: Listing) -> Iterator[UseStatement]:
    """Yield `noai` and `noimageai`, which state what the site wants, whether or not an operator documents them."""
    for name, (preference, note) in _OPT_OUTS.items():
        own = (one for one in page.directives if one.name == name and (one.agent is None or one.agent in tokens))
        for one in listing.first(own):
            # No directive permits training.
            yield _directive_statement(one, preference, note)._replace(is_overridable=False)


def _directive_statement(directive: Directive, preference: Preference, note: str) -> UseStatement:
    position = directive.position
    source, place = _PAGE_SOURCES.get(position.source, HEADERS), str(position)
    note = _joined(note, f"for {directive.agent}" if directive.agent else "")
    kind = StatementKind.PAGE_DIRECTIVE
    return UseStatement(kind, source, place, directive.raw, preference, note, line=position.line)


def _limit_text(limit: float | str) -> str:
    return "only title and snippet may be used" if limit == "snippet" else f"at most {limit} characters may be used"


def _decision_on(verdict: PageVerdict, purpose: UsagePurpose) -> PageDecision:
    if purpose is UsagePurpose.TRAINING:
        return verdict.may_train
    return verdict.may_answer if purpose is UsagePurpose.AI_USE else verdict.may_index


def tdm_statements(page: PageRules, listing: Listing) -> Iterator[UseStatement]:
    """Yield the reservation that applies to a page, and those that it overrides or that cannot be read as facts."""
    reservation, entries = page.reservation, list(page.file_reservations)
    for stated in listing.first(one for one in page.reservations if one.reserved is None):
        yield _tdm_statement(stated, Preference.UNKNOWN, _INVALID_RESERVATION)
    if reservation is not None:
        yield _reservation_statement(reservation)
        # Of several values in one place, the most restrictive one counts.
        others = (one for one in page.reservations if one.reserved is not None and one != reservation)
        for other in listing.first(others):
            yield _tdm_statement(other, Preference.UNKNOWN, f"{reservation.position} overrides it")
    first = next((entry for entry in entries if entry.has_location), None)
    for entry in listing.first(entry for entry in entries if entry != reservation):
        if not entry.has_location:
            note = "the location is missing or invalid, so that it applies to no URL"
        elif entry is not first:
            note = "an earlier entry for the URL overrides it"
        elif entry.reserved is None:
            note = _INVALID_RESERVATION
        else:
            note = "" if reservation is None else f"{reservation.position} overrides it"
        yield _tdm_statement(entry, Preference.UNKNOWN, note)


def _reservation_statement(reservation: Reservation) -> UseStatement:
    """Return the reservation that applies to a page."""
    policy = "" if reservation.policy is None else f", terms at {printable_text(reservation.policy)}"
    if reservation.reserved:
        note = f"the rights to text and data mining are reserved{policy}"
        return _tdm_statement(reservation, Preference.DISALLOW, note)
    # It grants nothing either.
    return _tdm_statement(reservation, Preference.UNKNOWN, f"no rights to text and data mining are reserved{policy}")


def _tdm_statement(reservation: Reservation, preference: Preference, note: str) -> UseStatement:
    source = _PAGE_SOURCES.get(reservation.position.source, HEADERS)
    value = reservation.invalid_value if reservation.reserved is None else str(int(reservation.reserved))
    value = f" {printable_text(value)}" if value else ""
    location = f" for {printable_text(reservation.location)}" if reservation.location else ""
    text = f"tdm-reservation{value}{location}"
    position, kind = reservation.position, StatementKind.TDM_RESERVATION
    return UseStatement(kind, source, str(position), text, preference, note, line=position.line)


def payment_statements(response: PageResponse) -> Iterator[UseStatement]:
    """Yield the payment that a response requires."""
    if response.status != PAYMENT_REQUIRED:
        return
    text = "; ".join(f"{name}: {value}" for name, value in prices(response)) or "402 Payment Required"
    yield UseStatement(
        StatementKind.PAYMENT, HEADERS, "status 402", text, Preference.UNKNOWN, "payment is required", is_condition=True
    )
