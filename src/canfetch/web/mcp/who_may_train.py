"""The tool `who_may_train`: which crawlers may collect the pages of a site to train models."""

import time
from typing import Final

from canfetch.answers.training import PERMISSIONS, Permission, training_access, training_crawlers
from canfetch.client.origin_state import OriginState
from canfetch.client.site_files import SiteFile
from canfetch.core.extensions.preference import UsagePurpose
from canfetch.core.text import abbreviated
from canfetch.core.verdict import Effect
from canfetch.web.mcp.agents import STAND_IN
from canfetch.web.mcp.arguments import WhoMayTrainArguments
from canfetch.web.mcp.quotation import estimate_tokens
from canfetch.web.mcp.results import Crawlers, UsagePreference, WhoMayTrain
from canfetch.web.mcp.service import Service, site_url
from canfetch.web.mcp.site_facts import (
    access_result,
    access_sentence,
    again_sentence,
    license_quotes,
    license_sentence,
    rule_line,
    rules_of,
    statements_of,
    tdm_result,
    tdm_sentence,
    usage_results,
    usage_sentence,
)
from canfetch.web.mcp.texts import MAX_TEXT_TOKENS, fit
from canfetch.web.mcp.tool import Answer, ToolDefinition

_HEADINGS: Final[dict[Permission, str]] = {
    "disallowed": "May not fetch the site",
    "opted_out": "May fetch, but the site asks not to train",
    "partly": "May fetch parts of the site",
    "allowed": "May fetch everything",
}
_MAX_DECIDING: Final = 5
# The names of each kind in the text, as many as fit.
_NAMES_IN_TEXT: Final = (10, 6, 4, 3, 2)


async def _answer(service: Service, arguments: WhoMayTrainArguments) -> Answer:
    url = site_url(arguments.site)
    state = await service.fetch(url, edition=arguments.edition)
    tdm_file = await service.tdm_file(url)
    return await service.read_state(who_may_train, state, url, time.time(), tdm_file)


def who_may_train(state: OriginState, url: str, now: float, tdm_file: SiteFile) -> Answer:
    """Return the answer on the state of an origin.

    Args:
        url: The home page of the site.
        tdm_file: The TDM file of the origin.
    """
    robots = rules_of(state, now)
    access = access_result(state, state.access_info(now), now)
    without_rules: Permission = "allowed" if access.effect is Effect.FULL_ALLOW else "disallowed"
    found = training_access(robots, url, without_rules=without_rules)
    statements = statements_of(robots, found.page, STAND_IN.agent, now)
    usage = next(one for one in usage_results(statements) if one.use is UsagePurpose.TRAINING)
    result = WhoMayTrain(
        preference=usage.preference,
        lines=usage.lines,
        **{permission: list(names) for permission, names in found.crawlers.items()},
        tdm=tdm_result(tdm_file, url),
        deciding=[Crawlers(names=list(names), line=rule_line(rule)) for rule, names in found.deciding[:_MAX_DECIDING]],
        licenses=license_quotes(statements),
        robots_txt=access,
    )
    return Answer(result, _text(result, usage))


def _text(result: WhoMayTrain, usage: UsagePreference) -> str:
    end = [
        access_sentence(result.robots_txt),
        _deciding_sentence(result.deciding),
        "" if result.robots_txt.effect is Effect.FULL_DISALLOW else usage_sentence([usage], UsagePurpose.TRAINING),
        "" if result.robots_txt.effect is Effect.FULL_DISALLOW else tdm_sentence(result.tdm),
        license_sentence(result.licenses),
        again_sentence(result.robots_txt),
    ]
    text = ""
    for count in _NAMES_IN_TEXT:
        lines = [_names_line(permission, getattr(result, permission), count) for permission in PERMISSIONS]
        text = fit([*lines, *end])
        if estimate_tokens(text) <= MAX_TEXT_TOKENS:
            break
    return text


def _deciding_sentence(deciding: list[Crawlers]) -> str:
    if not deciding:
        return ""
    first = deciding[0]
    return f"Line {first.line.number} decides about the home page for {len(first.names)}: {first.line.quote}."


def _names_line(permission: Permission, names: list[str], count: int) -> str:
    if not names:
        return ""
    if len(names) == len(training_crawlers()):
        return f"{_HEADINGS[permission]}: all {len(names)} known training crawlers."
    return f"{_HEADINGS[permission]} ({len(names)}): {abbreviated(names, count)}."


TOOL: Final = ToolDefinition(
    name="who_may_train",
    title="Who may train on a site?",
    description="""\
List which known AI training crawlers and tokens (GPTBot, ClaudeBot, Google-Extended, CCBot and others) may collect \
the pages of a site, which of them the site asks not to train, and what it states on training and licenses. For one \
page and one agent, use may_fetch with purpose training.""",
    arguments=WhoMayTrainArguments,
    result=WhoMayTrain,
    answer=_answer,
)
