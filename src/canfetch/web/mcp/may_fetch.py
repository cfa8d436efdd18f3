"""The tool `may_fetch`: whether an agent may fetch a URL, and use its content for a purpose."""

import time
from typing import Final

from canfetch.client.origin_state import OriginState
from canfetch.client.use import MAX_LICENSES
from canfetch.consent.verdict import StatementKind, UseVerdict
from canfetch.core.extensions.preference import UsagePurpose
from canfetch.web.mcp.agents import AskedAgent
from canfetch.web.mcp.arguments import MayFetchArguments, Purpose
from canfetch.web.mcp.quotation import quote
from canfetch.web.mcp.results import MAX_UNREAD, MayFetch
from canfetch.web.mcp.service import NO_FILES, FetchedFiles, Service
from canfetch.web.mcp.site_facts import (
    LINE_TOKENS,
    access_result,
    access_sentence,
    again_sentence,
    license_quotes,
    license_sentence,
    pace_result,
    pace_sentence,
    preferences_sentence,
    reason_sentence,
    rule_line,
    rules_of,
    statement_quotes,
    statements_of,
    tdm_result,
    tdm_sentence,
    unread_quotes,
    unread_sentence,
    usage_results,
    use_reading,
    use_sentence,
)
from canfetch.web.mcp.texts import fit
from canfetch.web.mcp.tool import Answer, ToolDefinition

_FURTHER: Final = frozenset({StatementKind.CONTROL_TOKEN, StatementKind.LICENSE})
_USES: Final[dict[Purpose, UsagePurpose]] = {
    "training": UsagePurpose.TRAINING,
    "search": UsagePurpose.SEARCH,
    "ai-use": UsagePurpose.AI_USE,
    # A page that a person asked for becomes input of the model.
    "user-request": UsagePurpose.AI_USE,
}


async def _answer(service: Service, arguments: MayFetchArguments) -> Answer:
    agent = service.agent(arguments.agent)
    state = await service.fetch(arguments.url, edition=arguments.edition)
    now = time.time()
    named = await service.read_state(named_licenses, state, arguments, agent, now)
    files = await service.files(arguments.url if arguments.purpose == "training" else None, named)
    return await service.read_state(may_fetch, state, arguments, agent, now, files, other_bytes=files.size)


def named_licenses(state: OriginState, arguments: MayFetchArguments, agent: AskedAgent, now: float) -> tuple[str, ...]:
    """Return the URLs of the RSL licenses that are fetched for an answer."""
    if arguments.purpose is None:
        return ()
    return use_reading(state, arguments.url, now).sources(now).license_urls(agent.agent)[:MAX_LICENSES]


def may_fetch(
    state: OriginState,
    arguments: MayFetchArguments,
    agent: AskedAgent,
    now: float,
    files: FetchedFiles = NO_FILES,
) -> Answer:
    """Return the answer on the state of an origin."""
    url = arguments.url
    verdict = state.decide(url, agent.agent, now)
    robots = rules_of(state, now)
    statements = statements_of(robots, url, agent.agent, now)
    usage = usage_results(statements, robots)
    tdm = use_verdict = None
    if arguments.purpose is not None:
        purpose, reading = _USES[arguments.purpose], use_reading(state, url, now, files)
        sources = reading.sources(now)
        use_verdict = reading.decide_purposes(sources, agent.agent, [purpose])[purpose]
        tdm = None if files.tdm is None else tdm_result(sources)
    unread = [] if use_verdict is None else unread_quotes(use_verdict.unread)
    result = MayFetch(
        allowed=verdict.allowed,
        use_allowed=None if use_verdict is None else use_verdict.allowed,
        use_conditions=[] if use_verdict is None else statement_quotes(use_verdict.conditions),
        use_reasons=[] if use_verdict is None else statement_quotes(use_verdict.decided_by),
        unread=unread[:MAX_UNREAD],
        reason=verdict.reason,
        line=None if verdict.rule is None else rule_line(verdict.rule),
        agent=agent.to_result(),
        purpose=arguments.purpose,
        usage=usage,
        tdm=tdm,
        licenses=license_quotes(statements),
        pace=pace_result(statements),
        robots_txt=access_result(state, verdict.access, now, None if use_verdict is None else use_verdict.expires_at),
    )
    text = fit(
        [
            f"{_headline(result)}: {agent.name} {'may' if result.allowed else 'may not'} fetch this URL.",
            agent.advice(verdict),
            reason_sentence(verdict, result.line),
            access_sentence(result.robots_txt),
            _use_sentence(result, use_verdict),
            _note_sentence(use_verdict),
            tdm_sentence(result.tdm) if result.allowed else "",
            unread_sentence(unread) if result.allowed else "",
            license_sentence(result.licenses, unread if result.allowed else ()),
            pace_sentence(result.pace),
            again_sentence(result.robots_txt),
        ]
    )
    return Answer(result, text)


def _use_sentence(result: MayFetch, verdict: UseVerdict | None) -> str:
    if not result.allowed:
        return ""
    return preferences_sentence(result.usage) if verdict is None else use_sentence(verdict)


def _note_sentence(verdict: UseVerdict | None) -> str:
    """Return the note of a line of robots.txt that disallows the use and is in another sentence, or an empty string."""
    if verdict is None or verdict.allowed is not False:
        return ""
    lines = (one for one in verdict.decided_by if one.line is not None and one.kind not in _FURTHER)
    found = next(lines, None)
    return "" if found is None else f"About line {found.line}: {quote(found.note, max_tokens=LINE_TOKENS)}."


def _headline(result: MayFetch) -> str:
    if not result.allowed:
        return "DISALLOWED"
    if result.use_conditions:
        return "ALLOWED, but only on conditions for this purpose"
    if result.use_allowed is False:
        return "ALLOWED, but not for this purpose"
    return "ALLOWED, but the terms for this purpose are not known" if result.unread else "ALLOWED"


TOOL: Final = ToolDefinition(
    name="may_fetch",
    title="May this URL be fetched?",
    description="""\
Check whether robots.txt (RFC 9309) allows an agent to fetch a URL, and what the site says about using the content. \
Call this before fetching a page. Answers for the pages of one site share one cached file.

Fetch only if `allowed` is true. Use the content for `purpose` only if `use_allowed` is not false, and you fulfil the \
`use_conditions`. If `unread` is not empty, what these files state is unknown, also if `use_allowed` is null or true: \
do not use the content for `purpose` unless you know their terms. Wait `pace.seconds_between_requests` between \
requests to the site. The answer holds until `robots_txt.ask_again_at`. If robots.txt cannot be reached, everything \
is disallowed until then.""",
    arguments=MayFetchArguments,
    result=MayFetch,
    answer=_answer,
)
