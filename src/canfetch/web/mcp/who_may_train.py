"""The tool `who_may_train`: which crawlers may collect the pages of a site to train models."""

import time
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from canfetch.answers.training import (
    PERMISSIONS,
    Permission,
    SiteTerms,
    training_access,
    training_crawlers,
    training_licenses,
)
from canfetch.client.origin_state import OriginState
from canfetch.client.site_files import SiteFile
from canfetch.client.use import MAX_LICENSES, file_source, robots_source
from canfetch.consent.verdict import ROBOTS, UseVerdict
from canfetch.core.extensions.preference import Preference
from canfetch.core.text import abbreviated
from canfetch.core.verdict import Effect
from canfetch.web.mcp.agents import STAND_IN
from canfetch.web.mcp.arguments import WhoMayTrainArguments
from canfetch.web.mcp.quotation import estimate_tokens
from canfetch.web.mcp.results import Crawlers, WhoMayTrain
from canfetch.web.mcp.service import Service, site_url
from canfetch.web.mcp.site_facts import (
    access_result,
    access_sentence,
    again_sentence,
    license_quotes,
    license_sentence,
    rule_line,
    rules_of,
    stated_lines,
    statement_quotes,
    statements_of,
    tdm_result,
    tdm_sentence,
    use_sentence,
)
from canfetch.web.mcp.texts import MAX_TEXT_TOKENS, fit
from canfetch.web.mcp.tool import Answer, ToolDefinition

_HEADINGS: Final[dict[Permission, str]] = {
    "disallowed": "May not fetch the site",
    "opted_out": "May fetch, but not train, or only on conditions",
    "partly": "May fetch parts of the site",
    "allowed": "May fetch everything",
}
_PREFERENCES: Final = {True: Preference.ALLOW, False: Preference.DISALLOW, None: Preference.UNKNOWN}
_NO_LICENSES: Final[Mapping[str, SiteFile]] = MappingProxyType({})
_MAX_DECIDING: Final = 5
# The names of each kind in the text, as many as fit.
_NAMES_IN_TEXT: Final = (10, 6, 4, 3, 2)


async def _answer(service: Service, arguments: WhoMayTrainArguments) -> Answer:
    url = site_url(arguments.site)
    state = await service.fetch(url, edition=arguments.edition)
    tdm_file = await service.tdm_file(url)
    now = time.time()
    licenses = await service.licenses(await service.read_state(licenses_of_site, state, url, now))
    return await service.read_state(who_may_train, state, url, now, tdm_file, licenses)


def licenses_of_site(state: OriginState, url: str, now: float) -> list[str]:
    """Return the URLs of the RSL licenses that are fetched for an answer."""
    robots = rules_of(state, now)
    return [] if robots is None else training_licenses(robots, url)[:MAX_LICENSES]


def who_may_train(
    state: OriginState, url: str, now: float, tdm_file: SiteFile, licenses: Mapping[str, SiteFile] = _NO_LICENSES
) -> Answer:
    """Return the answer on the state of an origin.

    Args:
        url: The home page of the site.
        tdm_file: The TDM file of the origin.
        licenses: The RSL licenses by URL.
    """
    robots = rules_of(state, now)
    access = access_result(state, state.access_info(now), now)
    terms = SiteTerms(file_source(tdm_file), {one: file_source(file) for one, file in licenses.items()})
    found = training_access(robots_source(state, now) if robots is None else robots, url, terms=terms, now=now)
    numbers = [one.line for one in found.use.decided_by if one.source == ROBOTS and one.line is not None]
    statements = statements_of(robots, url, STAND_IN.agent, now)
    result = WhoMayTrain(
        preference=_PREFERENCES[found.use.allowed],
        use_conditions=statement_quotes(found.use.conditions),
        use_reasons=statement_quotes(found.use.decided_by),
        lines=[] if robots is None else stated_lines(robots, [numbers])[0],
        **{permission: list(names) for permission, names in found.crawlers.items()},
        tdm=tdm_result(tdm_file, url),
        deciding=[Crawlers(names=list(names), line=rule_line(rule)) for rule, names in found.deciding[:_MAX_DECIDING]],
        licenses=license_quotes(statements),
        robots_txt=access,
    )
    return Answer(result, _text(result, found.use))


def _text(result: WhoMayTrain, use: UseVerdict) -> str:
    end = [
        access_sentence(result.robots_txt),
        _deciding_sentence(result.deciding),
        "" if result.robots_txt.effect is Effect.FULL_DISALLOW else use_sentence(use),
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
