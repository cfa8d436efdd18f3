"""The tool `who_may_train`: which crawlers may collect the pages of a site to train models."""

import time
from collections.abc import Sequence
from typing import Final

from canfetch.answers.training import (
    PERMISSIONS,
    Permission,
    TrainingAccess,
    training_access,
    training_crawlers,
    training_licenses,
)
from canfetch.client.origin_state import OriginState
from canfetch.client.use import MAX_LICENSES
from canfetch.consent.verdict import ROBOTS
from canfetch.core.extensions.preference import Preference
from canfetch.core.text import abbreviated
from canfetch.core.verdict import Effect
from canfetch.web.mcp.agents import STAND_IN
from canfetch.web.mcp.arguments import WhoMayTrainArguments
from canfetch.web.mcp.quotation import estimate_tokens
from canfetch.web.mcp.results import MAX_UNREAD, Crawlers, WhoMayTrain
from canfetch.web.mcp.service import FetchedFiles, Service, site_url
from canfetch.web.mcp.site_facts import (
    access_result,
    access_sentence,
    again_sentence,
    license_quotes,
    license_sentence,
    rules_of,
    stated_lines,
    statement_quotes,
    statements_of,
    tdm_result,
    tdm_sentence,
    unread_quotes,
    unread_sentence,
    use_reading,
    use_sentence,
)
from canfetch.web.mcp.texts import MAX_TEXT_TOKENS, fit
from canfetch.web.mcp.tool import Answer, ToolDefinition

_HEADINGS: Final[dict[Permission, str]] = {
    "disallowed": "May not fetch the site",
    "opted_out": "May fetch, but not train, or only on conditions",
    "partly": "May fetch, or train on, parts of the site",
    "allowed": "May fetch everything",
}
_PREFERENCES: Final = {True: Preference.ALLOW, False: Preference.DISALLOW, None: Preference.UNKNOWN}
_MAX_DECIDING: Final = 5
# The names of each kind in the text, as many as fit.
_NAMES_IN_TEXT: Final = (10, 6, 4, 3, 2)


async def _answer(service: Service, arguments: WhoMayTrainArguments) -> Answer:
    url = site_url(arguments.site)
    state = await service.fetch(url, edition=arguments.edition)
    now = time.time()
    files = await service.files(url, await service.read_state(licenses_of_site, state, url, now))
    return await service.read_state(who_may_train, state, url, now, files, other_bytes=files.size)


def licenses_of_site(state: OriginState, url: str, now: float) -> list[str]:
    """Return the URLs of the RSL licenses that are fetched for an answer."""
    return training_licenses(use_reading(state, url, now), now)[:MAX_LICENSES]


def who_may_train(state: OriginState, url: str, now: float, files: FetchedFiles) -> Answer:
    """Return the answer on the state of an origin.

    Args:
        url: The home page of the site.
        files: Its other files, with the TDM file.
    """
    robots, reading = rules_of(state, now), use_reading(state, url, now, files)
    found = training_access(reading, now)
    numbers = [one.line for one in found.use.decided_by if one.source == ROBOTS and one.line is not None]
    deciding, in_parts = found.deciding[:_MAX_DECIDING], found.use_in_parts
    lines = [] if robots is None else stated_lines(robots, [numbers, *([line] for line, _ in deciding)])
    unread = unread_quotes(found.unread)
    result = WhoMayTrain(
        preference=_PREFERENCES[found.use.allowed],
        use_conditions=statement_quotes(found.use.conditions),
        use_reasons=statement_quotes(found.use.decided_by),
        use_reasons_in_parts=[] if in_parts is None else statement_quotes(in_parts.decided_by or in_parts.conditions),
        unread=unread[:MAX_UNREAD],
        lines=lines[0] if lines else [],
        **{permission: list(names) for permission, names in found.crawlers.items()},
        tdm=tdm_result(reading.sources(now)),
        deciding=[
            Crawlers(names=list(names), line=line) for (_, names), (line,) in zip(deciding, lines[1:], strict=True)
        ],
        licenses=license_quotes(statements_of(robots, url, STAND_IN.agent, now)),
        robots_txt=access_result(state, state.access_info(now), now, found.use.expires_at),
    )
    return Answer(result, _text(result, found, unread))


def _text(result: WhoMayTrain, found: TrainingAccess, unread: Sequence[str]) -> str:
    in_parts, stated = found.use_in_parts, []
    if result.robots_txt.effect is not Effect.FULL_DISALLOW:
        stated = [
            use_sentence(found.use, "Use for training by crawlers that the site does not name"),
            "" if in_parts is None else use_sentence(in_parts, "In parts of the site"),
            tdm_sentence(result.tdm),
            unread_sentence(unread),
        ]
    end = [
        access_sentence(result.robots_txt),
        _deciding_sentence(result.deciding),
        *stated,
        license_sentence(result.licenses, unread if stated else ()),
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
    return f"Line {first.line.number} decides for {abbreviated(first.names, 1)}: {first.line.quote}."


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
the pages of a site, which of them the site asks not to train, on all pages or on parts, and what it states on \
training and licenses. What the files in `unread` state is unknown. For one page and one agent, use may_fetch with \
purpose training.""",
    arguments=WhoMayTrainArguments,
    result=WhoMayTrain,
    answer=_answer,
)
