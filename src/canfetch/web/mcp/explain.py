"""The tool `explain`: why agents may or may not fetch a URL, in the live file or in a draft."""

import time
from collections.abc import Sequence
from functools import partial
from typing import Final

from canfetch.access.editions import choose_profile
from canfetch.answers.reasons import group_reason
from canfetch.answers.verdicts import differing_profiles
from canfetch.client.origin_state import OriginState
from canfetch.core.document import RobotsTxt, parse
from canfetch.core.origin import robots_url
from canfetch.core.profiles import PROFILES
from canfetch.core.text import abbreviated, encode_text
from canfetch.core.verdict import Verdict
from canfetch.errors import InvalidURL
from canfetch.web.mcp.agents import MAX_NAME_TOKENS, AskedAgent
from canfetch.web.mcp.arguments import CallerError, ExplainArguments
from canfetch.web.mcp.quotation import quote, visible_text
from canfetch.web.mcp.results import ExplainedAgent, Explanation, RobotsAccess
from canfetch.web.mcp.service import Service, parse_origin
from canfetch.web.mcp.site_facts import (
    access_result,
    access_sentence,
    again_sentence,
    reason_sentence,
    rule_line,
    rules_of,
)
from canfetch.web.mcp.texts import fit_some
from canfetch.web.mcp.tool import Answer, ToolDefinition

_MAX_LINES: Final = 5
_MAX_PROFILES_IN_TEXT: Final = 3
_TARGET_TOKENS: Final = 60


async def _answer(service: Service, arguments: ExplainArguments) -> Answer:
    agents = [service.agent(name) for name in dict.fromkeys(arguments.agents)] or [service.configured_agent]
    content = arguments.robots_txt
    if content is None:
        state = await service.fetch(arguments.url, edition=arguments.edition)
        return await service.read_state(explain_state, state, arguments.url, agents, time.time())
    if not arguments.url.startswith("/"):
        parse_origin(arguments.url)
    size = len(content) + len(arguments.url)
    profile = choose_profile(None, arguments.edition, service.profile)
    return await service.read(explain_draft, content, arguments.url, agents, profile, size=size)


def explain_state(state: OriginState, url: str, agents: Sequence[AskedAgent], now: float) -> Answer:
    """Return the explanation for the state of an origin."""
    verdicts = [state.decide(url, agent.agent, now) for agent in agents]
    access = access_result(state, state.access_info(now), now)
    return _explain(agents, verdicts, url, rules_of(state, now), access)


def explain_draft(content: str, url: str, agents: Sequence[AskedAgent], profile: str = "rfc9309") -> Answer:
    """Return the explanation for the content of a file.

    Args: profile: The parsing profile.
    Raises: CallerError: The URL is invalid.
    """
    try:
        robots = parse(encode_text(content), url=None if url.startswith("/") else robots_url(url), profile=profile)
        verdicts = [robots.decide(url, agent=agent.agent) for agent in agents]
    except InvalidURL as error:
        raise CallerError(str(error)) from None
    return _explain(agents, verdicts, url, robots, None)


def _explain(
    agents: Sequence[AskedAgent],
    verdicts: Sequence[Verdict],
    url: str,
    robots: RobotsTxt | None,
    access: RobotsAccess | None,
) -> Answer:
    readings = {} if robots is None else {name: robots.with_profile(name) for name in PROFILES}
    decisions = []
    for agent, verdict in zip(agents, verdicts, strict=True):
        others = differing_profiles(verdict, (read.decide(url, agent=agent.agent) for read in readings.values()))
        decisions.append(_decision(agent, verdict, others))
    result = Explanation(
        target=quote(verdicts[0].target, max_tokens=_TARGET_TOKENS), decisions=decisions, robots_txt=access
    )
    blocks = [
        _block(agent, verdict, decision) for agent, verdict, decision in zip(agents, verdicts, decisions, strict=True)
    ]
    end = [] if access is None else [access_sentence(access), again_sentence(access)]
    return Answer(result, fit_some(blocks, "{} more agents are in the structured result.", end))


def _decision(agent: AskedAgent, verdict: Verdict, others: list[str]) -> ExplainedAgent:
    group = verdict.group
    return ExplainedAgent(
        agent=agent.to_result(),
        allowed=verdict.allowed,
        reason=verdict.reason,
        line=None if verdict.rule is None else rule_line(verdict.rule),
        also_matched=[rule_line(rule) for rule in verdict.also_matched[:_MAX_LINES]],
        also_matched_count=len(verdict.also_matched),
        group=None if group.token is None else visible_text(group.token),
        group_lines=list(group.lines[:_MAX_LINES]),
        other_profiles=others,
    )


def _block(agent: AskedAgent, verdict: Verdict, decision: ExplainedAgent) -> str:
    answer = "ALLOWED" if decision.allowed else "DISALLOWED"
    sentences = [
        f"{answer}: {agent.name}.",
        reason_sentence(verdict, decision.line),
        _group_sentence(verdict),
        _losers_sentence(decision),
        _profiles_sentence(decision.other_profiles),
        agent.advice(verdict),
    ]
    return " ".join(filter(None, sentences))


def _group_sentence(verdict: Verdict) -> str:
    token = verdict.group.token
    if token is None:
        return ""
    show = partial(quote, max_tokens=MAX_NAME_TOKENS)
    return f"Its rules are those of the group for {show(token)}: {group_reason(verdict, show)}."


def _losers_sentence(decision: ExplainedAgent) -> str:
    if not decision.also_matched:
        return ""
    numbers = ", ".join(str(line.number) for line in decision.also_matched)
    more = decision.also_matched_count - len(decision.also_matched)
    return f"Matching lines that lose: {numbers}{f' and {more} more' if more else ''}."


def _profiles_sentence(profiles: Sequence[str]) -> str:
    return f"Other profiles decide otherwise: {abbreviated(profiles, _MAX_PROFILES_IN_TEXT)}." if profiles else ""


TOOL: Final = ToolDefinition(
    name="explain",
    title="Explain a robots.txt decision",
    description="""\
Explain why agents may or may not fetch a URL: the deciding line, the lines that lose, the group, and which search \
engines read the file differently. Use it to compare agents, to debug an answer of may_fetch, or to test a draft \
before it is published: with `robots_txt`, nothing is fetched.""",
    arguments=ExplainArguments,
    result=Explanation,
    answer=_answer,
)
