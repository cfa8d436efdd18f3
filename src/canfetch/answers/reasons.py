"""Why a verdict is what it is, in words.

Each front end adds the line and the rule in its own form: a terminal with an excerpt of the file, the MCP server as a
quotation, an editor as Markdown.
"""

from collections.abc import Callable
from typing import Final

from canfetch.core.profiles import PROFILES
from canfetch.core.text import printable_text
from canfetch.core.verdict import GroupChoice, Reason, Rule, Verdict

_REASONS: Final = {
    Reason.ROBOTS_TXT: "/robots.txt is always allowed",
    Reason.NO_GROUP: "no group applies to the agent, so nothing is disallowed",
    Reason.NO_MATCH: "no rule of the agent's group matches, so the URL is allowed",
    Reason.EMPTY_RULE: "an empty disallow rule disallows nothing",
}


def reason_text(verdict: Verdict) -> str:
    """Return why the deciding rule decides, or what decides in place of a rule, as a clause."""
    rule = verdict.rule
    if verdict.reason in _REASONS:
        return _REASONS[verdict.reason]
    if rule is None:
        return printable_text(verdict.explanation)
    if not verdict.also_matched:
        return "no other rule matches"
    if PROFILES[verdict.profile].first_match:
        return "the first matching rule wins"
    if any(other.specificity == rule.specificity and other.allow != rule.allow for other in verdict.also_matched):
        return "of equally specific rules, allow wins"
    return "the most specific matching rule wins"


def losing_reason(rule: Rule, verdict: Verdict) -> str:
    """Return why a matching rule does not decide, as a clause, or an empty string if no rule decides."""
    winner = verdict.rule
    if PROFILES[verdict.profile].first_match:
        return "later line"
    if winner is None:
        return ""
    if rule.specificity < winner.specificity:
        return "less specific"
    return f"equally specific, {'and allow wins' if winner.allow and not rule.allow else 'on a later line'}"


def group_reason(verdict: Verdict, show: Callable[[str], str] = printable_text) -> str:
    """Return why the group of a verdict applies, or why none does, as a clause.

    Args: show: Returns a token as the front end shows it.
    """
    group = verdict.group
    if verdict.access is not None and verdict.access.sha256 is None:
        return "there is no file"
    tokens = list(verdict.agent.tokens)
    if group.choice is GroupChoice.OWN_TOKEN or group.token == tokens[0]:
        return "its own token"
    if group.token in tokens:
        tokens = tokens[: tokens.index(group.token)]
    elif group.token is None and verdict.agent.star_applies and "*" not in tokens:
        tokens.append("*")
    star = "" if group.token is not None or verdict.agent.star_applies else ", and * does not apply to it"
    return f"no line names {' or '.join(map(show, tokens))}{star}"
