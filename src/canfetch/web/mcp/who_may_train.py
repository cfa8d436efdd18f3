"""The tool `who_may_train`: which crawlers may collect the pages of a site to train models."""

from collections.abc import Iterator
from functools import cache
from itertools import chain, islice
from typing import Final, Literal

from canfetch.agents import REGISTRY
from canfetch.agents.crawler import Crawler
from canfetch.answers.pages import FetchedTDMFile
from canfetch.client.origin_state import OriginState
from canfetch.core.agent_rules import AgentRules
from canfetch.core.document import RobotsTxt
from canfetch.core.extensions.preference import Preference, UsagePurpose
from canfetch.core.urls import AnyURL
from canfetch.core.verdict import Effect, Rule
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
    tdm_result,
    tdm_sentence,
    usage_results,
    usage_sentence,
)
from canfetch.web.mcp.texts import MAX_TEXT_TOKENS, fit
from canfetch.web.mcp.tool import Answer, ToolDefinition

Permission = Literal["disallowed", "opted_out", "partly", "allowed"]
_PERMISSIONS: Final[tuple[Permission, ...]] = ("disallowed", "opted_out", "partly", "allowed")
_HEADINGS: Final[dict[Permission, str]] = {
    "disallowed": "May not fetch the site",
    "opted_out": "May fetch, but the site asks not to train",
    "partly": "May fetch parts of the site",
    "allowed": "May fetch everything",
}
_MAX_DECIDING: Final = 5
# The names of each kind in the text, as many as fit.
_NAMES_IN_TEXT: Final = (10, 6, 4, 3, 2)
# Paths that stand for all pages which no rule names.
_PAGES: Final = ("/", "/canfetch-sample", "/canfetch-sample/page.html", "/canfetch-sample?page=1")
# Bounds the time for a file with thousands of rules.
_MAX_EXCEPTIONS: Final = 200


async def _answer(service: Service, arguments: WhoMayTrainArguments) -> Answer:
    url = site_url(arguments.site)
    state = await service.fetch(url)
    tdm_file = await service.tdm_file(url)
    return await service.read(lambda: who_may_train(state, url, service.clock(), tdm_file=tdm_file))


def who_may_train(state: OriginState, url: str, now: float, *, tdm_file: FetchedTDMFile) -> Answer:
    """Return the answer on the state of an origin.

    Args:
        url: The home page of the site.
        tdm_file: The TDM file of the origin.
    """
    robots = rules_of(state, now)
    access = access_result(state, state.access_info(now), now)
    names: dict[Permission, list[str]] = {permission: [] for permission in _PERMISSIONS}
    deciding: dict[Rule, list[str]] = {}
    # Most crawlers have the same groups.
    known: dict[tuple[int, ...], Permission] = {}
    for crawler in training_crawlers():
        if robots is None:
            names["allowed" if access.effect is Effect.FULL_ALLOW else "disallowed"].append(crawler.name)
            continue
        rules = robots.rules_for(crawler.agent)
        groups = tuple(rules.group_indices)
        permission = known.get(groups) or known.setdefault(groups, _permission(robots, rules))
        names[permission].append(crawler.name)
        rule = rules.decide(url).rule
        if rule is not None:
            deciding.setdefault(rule, []).append(crawler.name)
    page = url if robots is None else _readable_page(robots, robots.rules_for(STAND_IN.agent)) or url
    usage = next(one for one in usage_results(robots, page, STAND_IN.agent) if one.use is UsagePurpose.TRAINING)
    result = WhoMayTrain(
        preference=usage.preference,
        lines=usage.lines,
        **names,
        tdm=tdm_result(tdm_file, url),
        deciding=[
            Crawlers(names=crawlers, line=rule_line(rule))
            for rule, crawlers in sorted(deciding.items(), key=lambda item: -len(item[1]))[:_MAX_DECIDING]
        ],
        licenses=license_quotes(robots, STAND_IN.agent),
        robots_txt=access,
    )
    return Answer(result, _text(result, usage))


@cache
def training_crawlers() -> tuple[Crawler, ...]:
    """Return the known crawlers and tokens that collect pages to train models."""
    return tuple(one for one in REGISTRY.crawlers if "training" in one.purposes and not one.retired)


def _permission(robots: RobotsTxt, rules: AgentRules) -> Permission:
    page = _readable_page(robots, rules)
    if page is None:
        return "disallowed"
    if robots.usage(page, agent=rules.agent, purpose="training").preference is Preference.DISALLOW:
        return "opted_out"
    return "partly" if any(not rule.allow and rule.pattern for rule in _rules(robots, rules)) else "allowed"


def _readable_page(robots: RobotsTxt, rules: AgentRules) -> AnyURL | None:
    """Return a page that a crawler may fetch, or None. Preferences do not apply to the others."""
    pages: Iterator[AnyURL] = chain(_PAGES, _exceptions(robots, rules))
    return next((page for page in pages if rules.allows(page)), None)


def _rules(robots: RobotsTxt, rules: AgentRules) -> Iterator[Rule]:
    return (rule for index in rules.group_indices for rule in robots.groups[index].rules)


def _exceptions(robots: RobotsTxt, rules: AgentRules) -> Iterator[bytes]:
    """Yield a target for each of the first allow rules, except rules for single files such as `/ads.txt`."""
    for rule in islice((rule for rule in _rules(robots, rules) if rule.allow), _MAX_EXCEPTIONS):
        path = rule.pattern.removesuffix(b"$").replace(b"*", b"canfetch-sample")
        if path.startswith(b"/") and b"." not in path.partition(b"?")[0].rpartition(b"/")[2]:
            yield path


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
        lines = [_names_line(permission, getattr(result, permission), count) for permission in _PERMISSIONS]
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
    more = len(names) - count
    listed = ", ".join(names[:count])
    return f"{_HEADINGS[permission]} ({len(names)}): {listed}{f' and {more} more' if more > 0 else ''}."


TOOL: Final = ToolDefinition(
    name="who_may_train",
    title="Who may train on a site?",
    description="""\
List which known AI training crawlers and tokens (GPTBot, ClaudeBot, Google-Extended, CCBot and others) may collect \
the pages of a site, which of them the site asks not to train, and what it states on training and licences. For one \
page and one agent, use may_fetch with purpose training.""",
    arguments=WhoMayTrainArguments,
    result=WhoMayTrain,
    answer=_answer,
)
