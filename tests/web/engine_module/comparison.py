"""Comparison of the module's answers with those of the library."""

from collections.abc import Sequence
from typing import Any, Final

from tests.web.engine_module.conftest import AgentChain, EngineModule

import canfetch
from canfetch.core.document import RobotsTxt
from canfetch.core.lines import physical_lines
from canfetch.core.profiles import PROFILES
from canfetch.core.urls import validate_url
from canfetch.core.verdict import Verdict

NONE, ALLOWED, BLOCKED, UNANSWERED = range(4)
_KINDS: Final = ("nothing", "user-agent", "allow", "disallow", "sitemap", "other")


def compare(
    module: EngineModule,
    content: bytes,
    targets: Sequence[bytes],
    agents: Sequence[AgentChain],
    *,
    url: str | None = None,
    explain: Sequence[tuple[int, int]] = (),
) -> int:
    """Compare all answers about a file in all profiles of the module. Return the number of verdicts."""
    result = module.ask(content, targets, agents, url=url, explain=explain)
    files = {name: canfetch.parse(content, url=url, profile=name) for name in module.profiles}
    allowed: dict[str, list[bool | None]] = {}
    for profile, robots in files.items():
        answer = result["answers"][profile]
        expected = [_decide(robots, target, agent) for target in targets for agent in agents]
        assert answer["marks"] == [_mark(verdict) for verdict in expected], profile
        assert answer["lines"] == [_line(verdict) for verdict in expected], profile
        allowed[profile] = [None if isinstance(verdict, str) else verdict.allowed for verdict in expected]
        for (row, column), explanation in zip(explain, answer["explanations"], strict=True):
            compare_explanation(explanation, _decide(robots, targets[row], agents[column]))
        compare_info(answer["info"], robots)
        compare_readers(answer["readers"], robots, agents)
    for profile, own in allowed.items():
        differs = [int(any(others[cell] != own[cell] for others in allowed.values())) for cell in range(len(own))]
        assert result["answers"][profile]["differs"] == differs
    for (row, column), readings in zip(explain, result["readings"], strict=True):
        verdicts = {name: _decide(robots, targets[row], agents[column]) for name, robots in files.items()}
        compare_readings(readings, verdicts)
    return len(files) * len(targets) * len(agents)


def compare_explanation(explanation: dict[str, Any], verdict: Verdict | str) -> None:
    """Compare an explanation with the verdict that it explains: all rules in order, the groups and the target."""
    if isinstance(verdict, str):
        assert explanation == {"error": verdict}
        return
    expected = verdict.to_json()
    rules = [rule for rule in [explanation["rule"], *explanation["alsoMatched"]] if rule is not None]
    for rule in rules:
        assert "".join(part["text"] for part in rule["path"]) == explanation["target"]
    assert {
        "allowed": explanation["allowed"],
        "reason": explanation["reason"],
        "rule": None if explanation["rule"] is None else _rule(explanation["rule"]),
        "also_matched": [_rule(rule) for rule in explanation["alsoMatched"]],
        "group": {key: explanation["group"][key] for key in ("choice", "token", "lines")},
        "target": explanation["target"],
    } == {key: expected[key] for key in ("allowed", "reason", "rule", "also_matched", "group", "target")}


def compare_readings(readings: Any, verdicts: dict[str, Verdict | str]) -> None:
    """Compare the verdicts of all profiles on one target."""
    first = next(iter(verdicts.values()))
    if isinstance(first, str):
        assert readings == {"error": first}
        return
    assert readings == [
        {"profile": name, "allowed": verdict.allowed, "reason": str(verdict.reason), "line": verdict.line}
        for name, verdict in verdicts.items()
        if not isinstance(verdict, str)
    ]


def compare_info(info: dict[str, Any], robots: RobotsTxt) -> None:
    """Compare sizes, the groups, and the kind and the group of each line."""
    lines = len(physical_lines(robots.content, PROFILES[robots.profile])[1])
    assert (info["bytes"], info["unreadBytes"]) == (len(robots.content), len(robots.tail))
    assert (info["encoding"], info["lineCount"]) == (robots.source_encoding, lines)
    assert info["firstUnreadLine"] == (lines + 1 if robots.tail else None)
    assert info["groups"] == [
        {
            "userAgents": [{"line": line.line, "token": line.token} for line in group.user_agents],
            "ruleCount": len(group.rules),
        }
        for group in robots.groups
    ]
    kinds, owners = ["nothing"] * lines, [0] * lines
    for number, group in enumerate(robots.groups, 1):
        for line in group.user_agents:
            kinds[line.line - 1], owners[line.line - 1] = "user-agent", number
        for rule in group.rules:
            kinds[rule.line - 1], owners[rule.line - 1] = rule.type, number
    shown = [
        (_KINDS[kind], group)
        for kind, group in zip(info["lineKinds"], info["lineGroups"], strict=True)
        if kind in (1, 2, 3)
    ]
    assert shown == [(kind, owner) for kind, owner in zip(kinds, owners, strict=True) if owner]


def compare_readers(readers: list[dict[str, Any]], robots: RobotsTxt, agents: Sequence[AgentChain]) -> None:
    """Compare who reads each line that belongs to a group."""
    groups = [_groups(robots, agent) for agent in agents]
    for line in readers:
        if line["kind"] == "sitemap":
            assert line["reads"] == [selected is not None for selected in groups]
        else:
            assert line["reads"] == [selected is not None and line["group"] in selected for selected in groups]


def _groups(robots: RobotsTxt, chain: AgentChain) -> list[int] | None:
    try:
        return robots.rules_for(canfetch.Agent(chain.tokens, star_applies=chain.star_applies)).group_indices
    except canfetch.InvalidProductToken:
        return None


def _decide(robots: RobotsTxt, target: bytes, chain: AgentChain) -> Verdict | str:
    """Return the verdict, or the code of the error that the module reports."""
    try:
        validate_url(target)
        agent = canfetch.Agent(chain.tokens, star_applies=chain.star_applies)
        return robots.decide(target, agent=agent)
    except canfetch.InvalidURL:
        return "invalid-url"
    except canfetch.OriginMismatch:
        return "other-origin"
    except canfetch.InvalidProductToken:
        return "invalid-token"


def _mark(verdict: Verdict | str) -> int:
    if isinstance(verdict, str):
        return UNANSWERED
    if verdict.rule is None:
        return NONE
    return ALLOWED if verdict.allowed else BLOCKED


def _line(verdict: Verdict | str) -> int:
    return 0 if isinstance(verdict, str) else verdict.line or 0


def _rule(rule: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "allow" if rule["allow"] else "disallow",
        "pattern": rule["pattern"],
        "line": rule["line"],
        "specificity": rule["specificity"],
    }
